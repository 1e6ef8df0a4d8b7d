// From a text to terms with values: the bag of words.
//
//   value(term) = tf · idf, then divided by the norm of the text's values
//   tf  : the count; 1 + ln(count) with `sublinear`; 1 for binary
//   idf : ln((1 + N) / (1 + df)) + 1 for tf_idf, otherwise 1; N training texts, df with the term
//
// The definitions, cut-offs included, are those of scikit-learn's CountVectorizer and
// TfidfVectorizer.
//
//   TermFit fit(options);                           // where options.is_fitted()
//   for (each text of the training data) fit.add(text);
//   const BagOfWords bag(options, fit.finish());
//   bag.append(text, scratch, list);
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "croft/data/string_lists.h"
#include "features/text/tokenizer.h"
#include "features/vocabulary.h"

namespace croft {

// The distinct terms of one text, and how often each occurs.
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

enum class TermValues { counts, binary, tf_idf };
enum class TermNorm { none, l1, l2 };

// A number of texts, or a fraction of all.
struct DocumentLimit {
  double value;
  bool fraction;

  double of(std::uint64_t documents) const {
    return fraction ? value * static_cast<double>(documents) : value;
  }
  bool operator==(const DocumentLimit&) const = default;
};

struct TextOptions {
  static constexpr DocumentLimit kOne{1, false}, kAll{1, true};
  static constexpr unsigned kMostBits = 28;

  TokenizerOptions tokenizer = {};
  TermValues values = TermValues::counts;
  bool sublinear = false;
  std::optional<TermNorm> norm = {};   // default: l2 for tf_idf, otherwise none
  DocumentLimit min_documents = kOne;  // terms in fewer texts are left out
  DocumentLimit max_documents = kAll;  // terms in more texts are left out
  std::uint64_t max_terms = 0;         // keep the most frequent ones; 0: all
  unsigned hash_bits = 0;              // terms become 2^bits numbers, by their hash; 0: they do not

  TermNorm effective_norm() const {
    return norm.value_or(values == TermValues::tf_idf ? TermNorm::l2 : TermNorm::none);
  }
  // Whether terms are left out for what the training texts are.
  bool cuts() const { return min_documents != kOne || max_documents != kAll || max_terms != 0; }
  // Whether anything is learnt from the training texts: with a norm, which terms there are.
  bool is_fitted() const {
    return cuts() || values == TermValues::tf_idf ||
           (hash_bits == 0 && effective_norm() != TermNorm::none);
  }
  // Throws UsageError for values out of range, and for what excludes each other.
  void validate() const;
  bool operator==(const TextOptions&) const = default;
};

// What was learnt of the training texts: N, the terms that are kept (without hashing), df (for
// tf_idf). Copies share what they own.
class TermStatistics {
 public:
  // Nothing is copied: both must outlive this.  Throws Error for a damaged vocabulary (its header),
  // and for another number of frequencies than terms; either may be empty.
  TermStatistics(std::uint64_t documents, std::span<const std::byte> terms,
                 std::span<const std::uint32_t> frequency);
  // The same, of bytes that it owns.
  TermStatistics(std::uint64_t documents, std::vector<std::byte> terms,
                 std::vector<std::uint32_t> frequency);
  // A copy that owns its bytes.
  TermStatistics owning() const;

  std::uint64_t documents() const { return documents_; }
  bool has_terms() const { return !image_.empty(); }
  const CompactVocabulary& terms() const { return terms_; }
  std::span<const std::byte> image() const { return image_; }  // of terms(); docs/format.md 2.1
  // By id of terms(), or by number of a hash; empty unless tf_idf.
  std::span<const std::uint32_t> frequency() const { return frequency_; }
  // Of an id or number; 1 where there are no frequencies.  Any id gives a finite number.
  double idf(std::uint32_t id) const;

 private:
  struct Owned {
    std::vector<std::byte> terms;
    std::vector<std::uint32_t> frequency;
  };
  std::shared_ptr<const Owned> owned_;
  std::uint64_t documents_ = 0;
  std::span<const std::byte> image_;
  CompactVocabulary terms_;
  std::span<const std::uint32_t> frequency_;
};

struct TermValue {
  std::uint32_t id;    // of the statistics' terms, or the number of a hash; kUnknown without either
  std::uint32_t term;  // in Scratch::counts
  double value;
};

// Threads: no hidden state; share it, but not a Scratch.
class BagOfWords {
 public:
  // statistics : where options.is_fitted()
  explicit BagOfWords(TextOptions options, std::optional<TermStatistics> statistics = {});

  struct Scratch {
    Tokenizer::Scratch tokens;
    TermCounts counts;
    std::vector<TermValue> values;
  };

  // Fills scratch.counts with the distinct terms of `text`.
  void count(std::string_view text, Scratch& scratch) const;
  // Fills scratch.values with those that are kept, in order of first appearance.  `text` must live
  // until they have been read.
  void weigh(std::string_view text, Scratch& scratch) const;
  // The same, of terms that are known already: from ids and counts in scratch.values to values.
  void weigh_known(std::vector<TermValue>& values) const;
  // Appends these to a list as attributes; does not close it.
  void append(std::string_view text, Scratch& scratch, StringLists& out) const;

  const TextOptions& options() const { return options_; }
  const std::optional<TermStatistics>& statistics() const { return statistics_; }

 private:
  TextOptions options_;
  Tokenizer tokenizer_;
  std::optional<TermStatistics> statistics_;
};

// Learns from training texts, one by one.  Memory: the distinct terms, and some 30 bytes for each.
class TermFit {
 public:
  explicit TermFit(const TextOptions& options);

  void add(std::string_view text);
  // Of the text last added: the number that each term of `counts` has here, in its order (without
  // hashing).
  const TermCounts& counts() const { return scratch_.counts; }
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }

  // Throws Error where no term is left, and where the limits exclude each other for so many texts.
  TermStatistics finish();
  // After finish(), for each number here: the id among the kept terms, or kUnknown.
  const std::vector<std::uint32_t>& ids() const { return ids_; }

 private:
  std::vector<std::uint32_t> kept_terms() const;

  BagOfWords bag_;
  BagOfWords::Scratch scratch_;
  std::uint64_t documents_ = 0;
  StringTable terms_;
  std::vector<std::uint32_t> frequency_;  // by number: texts with the term
  std::vector<std::uint64_t> total_;      // by number: how often it occurs, of binary as frequency_
  std::vector<std::uint32_t> numbers_, ids_;
};

}  // namespace croft
