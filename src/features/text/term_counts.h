// The distinct terms of one text, and how often each occurs.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "features/vocabulary.h"

namespace croft {

struct CountedTerm {
  std::string_view text;  // as given
  std::uint64_t hash;     // hash_string of it
  std::uint32_t count;
};

// Reused from text to text; grows, never shrinks.  About 10 ns a term.
class TermCounts {
 public:
  // The views must stay valid until clear().
  void add(std::string_view term);
  // Counts numbers in the place of texts: their `hash` is the number, their text empty.  Not to be
  // mixed with texts.
  void add_number(std::uint32_t number) { add({}, number, mixed(number)); }
  void clear();
  std::span<const CountedTerm> terms() const { return terms_; }  // in order of first appearance

 private:
  struct Slot {
    std::uint32_t generation, index;  // of an older generation: free
  };
  // Spreads small numbers over the table.
  static std::uint64_t mixed(std::uint64_t number) { return number * 0x9E3779B97F4A7C15u; }
  void add(std::string_view text, std::uint64_t hash, std::uint64_t spread);
  void grow();
  std::vector<CountedTerm> terms_;
  std::vector<std::uint64_t> spread_;  // of each term
  std::vector<Slot> slots_;            // a power of two of them
  std::uint32_t generation_ = 1;
};

}  // namespace croft
