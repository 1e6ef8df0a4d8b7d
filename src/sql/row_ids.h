// The ids of a database's rows, whole numbers or texts, and their numbers from 0.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "features/vocabulary.h"

namespace croft {

// An id as a database has it.  A text that is a whole number, written as SQLite writes it, and the
// number are the same id: what a table has as TEXT another may have as INTEGER.
struct RowId {
  std::int64_t number = 0;
  std::string_view text = {};
  bool is_text = false;
};
RowId row_id(std::string_view text);
inline RowId row_id(std::int64_t number) { return {number, {}, false}; }
std::string to_string(const RowId& id);

// Open addressing.  Memory: 8 bytes an id and 6 to 11 of slots; the bytes of texts.
class RowIds {
 public:
  static constexpr std::uint32_t kNone = kUnknown;
  // Its number; `is_new` says whether it has just got it.
  std::uint32_t insert(const RowId& id, bool& is_new);
  std::uint32_t find(const RowId& id) const;  // kNone
  std::size_t size() const { return key_.size(); }
  RowId operator[](std::uint32_t number) const;

 private:
  std::size_t home(std::int64_t key) const;
  void grow();
  // A text's key is its number in texts_, negative and apart from all numbers by is_text_.
  std::uint32_t find_key(std::int64_t key, bool is_text) const;

  StringTable texts_;
  std::vector<std::int64_t> key_;
  std::vector<bool> is_text_;
  std::vector<std::uint32_t> slots_;  // kNone: free
};

}  // namespace croft
