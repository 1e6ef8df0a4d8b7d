// Features that are computed beside those of the data: dictionaries, clusters, embeddings, n-grams,
// patterns, binned numbers, and coarser forms of all these.  docs/features.md is the user's page.
//
// One mechanism for all: a feature computes columns (one string a position, which templates name as
// they name a column of the data: %x[-1,brown.6]) or numbers, and makes attributes of them at the
// offsets that it is asked for: NAME[OFFSET]=STRING of value 1, NAME[OFFSET] of the number.  Where
// a column says nothing its string is empty, and no attribute is made.
//
// Texts have words for positions, and a document has the attributes of all of them together
// (docs/math/word_clusters.md): NAME=STRING, NAME.k.  What can be made of single words and phrases
// alone is made of texts, too.
//
// Data that is attributes already (--format attributes, svmlight, csv) has columns by name: the
// cell of column NAME is what follows the first attribute "NAME=…" (of --format attributes also
// "NAME:…", as Python's dicts have it), or the value of the attribute NAME.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "croft/core/error.h"
#include "croft/data/text_sequence.h"
#include "data/columns.h"
#include "data/csv_table.h"
#include "features/extraction.h"
#include "features/kit/binned_features.h"
#include "features/kit/embeddings.h"
#include "features/kit/gazetteer.h"
#include "features/kit/word_table.h"
#include "features/text/term_weights.h"
#include "features/text/tokenizer.h"

namespace re2 {
class RE2;
}

namespace croft {

// --- what a feature computes

// Columns NAME.lower, NAME.shape, NAME.long-shape, NAME.prefix3, NAME.suffix2: what a cell looks
// like.
struct FormsFeature {
  bool lower_case = false, shape = false, long_shape = false;
  std::vector<std::size_t> prefixes = {}, suffixes = {};  // lengths in characters …
  bool fold = true;                                       // … of the lower-cased cell
  bool boundaries = true;  // an affix that is all of the cell has a blank behind (before) it
};

// The character n-grams of a cell, each an attribute, as features/tokenizer.h has them: no columns.
struct NgramsFeature {
  std::size_t shortest = 2, longest = 4;
  bool fold = true;        // of the lower-cased cell
  bool boundaries = true;  // of the cell with a blank before and behind it, which is one where it
                           // is shorter than `shortest`
};

// Column NAME: "1" where the expression matches somewhere in the cell.
struct PatternFeature {
  std::string pattern;                    // RE2's language
  std::shared_ptr<const re2::RE2> regex;  // set by FeatureKit
};

// Column NAME: B, I, B-TYPE, I-TYPE.  Of texts: NAME, NAME=TYPE.
struct GazetteerFeature {
  Gazetteer gazetteer;
  std::vector<std::string> marks;  // set by FeatureKit
};

// Columns NAME.4, NAME.6, …: so many signs of a word's path, or all where it is shorter; without
// prefixes column NAME, the path.  Of texts: NAME.4=PREFIX.
struct ClustersFeature {
  WordClusters clusters;
  std::vector<std::size_t> prefixes;
};

// Numbers NAME[OFFSET].k.  Of texts the averages NAME.k, and NAME=WORD for words near to a word.
enum class UnknownWord {
  flag,     // the attribute NAME[OFFSET].unknown in the place of numbers
  mean,     // the mean of all vectors
  nothing,  // no attribute
};
struct EmbeddingsFeature {
  Embeddings embeddings;
  UnknownWord unknown = UnknownWord::flag;
  std::string unknown_word{};  // that has the vector of unknown words; empty: as `unknown` says
  std::vector<float> unknown_vector = {};  // set by FeatureKit where it is empty, and there is one
  bool average = true;                     // of texts: have the averages
  std::size_t nearest = 0;                 // of texts: so many words for each; 0: none
  // Words that the training texts have, ascending: what is near is looked for among these.
  std::optional<SharedArray<std::uint32_t>> known = {};

  bool needs_fit() const { return nearest > 0 && !known; }
};

// Column NAME, the number of a bin, where there are bins, else the number NAME[OFFSET]; "missing"
// for a cell that is empty or one of `missing`.
struct NumberFeature {
  std::size_t bins = 0;  // 0: none, but for `cuts`
  Binning binning = Binning::quantile;
  std::optional<std::vector<double>> cuts = {};  // given by the user, ascending
  bool standardise = true;                       // numbers; otherwise as they are
  std::vector<std::string> missing = {};
  std::optional<NumberScaling> scaling =
      {};  // learnt of training data; of `cuts` set by FeatureKit

  bool has_bins() const { return bins > 0 || cuts.has_value(); }
  bool needs_fit() const { return !scaling && (bins > 0 || standardise); }
};

// Attributes of several columns from fine to coarse, which share what is rare with what is
// frequent: NAME.LEVEL[OFFSET]=…, and NAME.LEVEL[-1,0]=…|… for the positions of each conjunction
// together.
struct BackoffFeature {
  std::vector<std::string> levels;  // columns: of the data, by number or name, or computed above
  std::vector<std::vector<int>> conjunctions;  // offsets, ascending, two or more in each
  bool mixed = false;  // conjunctions have every choice of levels, not one for all positions
};

// A visitor of KitFeature::What: the first of the functions that takes a kind.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// What a text's attribute that several of its words have counts for.
enum class TextValues {
  counts,  // the sum over the words: 1 for each, or how near it is
  binary,  // the largest of these
  share,   // the sum, divided by the number of words
};

struct KitFeature {
  using What = std::variant<FormsFeature, NgramsFeature, PatternFeature, GazetteerFeature,
                            ClustersFeature, EmbeddingsFeature, NumberFeature, BackoffFeature>;
  std::string name;
  std::string column;  // of the data: its number, or a name; empty: the first of columns data
  // Offsets of the attributes; without: 0, and none for a column that a template names.
  std::optional<std::vector<int>> at;
  What what;
  std::optional<TextValues> values = {};  // of texts alone; without: counts
  Location where = {};  // of its declaration, for messages; without a file: none is known
};

inline constexpr int kFarthestOffset = 100;

// How the words of texts are cut that a kit looks at, where terms are made by `of_terms`: as they
// are written, words of one letter among them, and with Analyzer::mixed the characters of scripts
// without spaces.
TokenizerOptions kit_words(const TokenizerOptions& of_terms);

// What a kit has learnt of training data, of each feature.
struct KitFeatureFit {
  NumberScaling scaling = {};
  std::vector<std::uint32_t> known = {};  // EmbeddingsFeature
};

// Immutable once it is made.  Threads: no hidden state; share it, but not a KitScratch.
class FeatureKit {
 public:
  // columns : names of the data's first columns (--format columns); may be empty
  // where   : of those names, for messages
  explicit FeatureKit(std::vector<std::string> columns = {}, Location where = {});
  // Throws UsageError for a name that is none (letters, digits, _ and -) or used before, offsets
  // out of range, a bad pattern, a level that is no column, and for a feature that computes
  // nothing.
  void add(KitFeature feature);

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<KitFeature>& features() const { return features_; }

  // The computed columns, in order.
  const std::vector<std::string>& computed() const { return computed_; }
  // Names for a template by number: those of `columns` data columns, then the computed ones.
  std::vector<std::string> template_names(std::size_t columns) const;

  // Whether something is to be learnt of training data first.
  bool needs_fit() const;
  // A kit with what was learnt of features()[k] in fit[k], and one that owns all of its memory.
  std::shared_ptr<const FeatureKit> fitted(const std::vector<KitFeatureFit>& fit) const;
  std::shared_ptr<const FeatureKit> owning() const;

  // A kit for data of that kind.  Throws UsageError for features that texts cannot have; InputError
  // where the kit is of a file, else UsageError, for a column that the data does not have, for more
  // or fewer columns than are named, for names of columns that nothing uses, for names that the
  // default features for words have, for a feature without offsets that nothing names, and for what
  // only texts, or all but texts, can have.
  //   columns : of the data (InputFormat::columns)
  //   named   : whether a template names column k; null: there is no template
  std::shared_ptr<const FeatureKit> bind(InputFormat format, std::size_t columns,
                                         const std::function<bool(std::size_t)>& named) const;

  // A kit for that table: where its reader standardises numbers, features see them as the file has
  // them, to 15 digits.  Throws as bind() for a column that the table does not have.
  std::shared_ptr<const FeatureKit> for_table(const CsvColumns& table) const;

  // A kit for texts whose terms are made so: their stop words are left out but for phrases.
  std::shared_ptr<const FeatureKit> for_texts(const TokenizerOptions& of_terms) const;

  // --- of a kit that is bound

  // Of attributes: marks in `seen` ([columns of the kit], sized at the first call) those of which
  // some position says something; true once all are.
  bool find_columns(const TextSequence& data, std::vector<bool>& seen) const;
  // Throws as bind() for the first column that no call of find_columns() has found.
  void require_columns(const std::vector<bool>& seen) const;
  // Computes the columns of a sequence: scratch.rows has the data's and the computed ones.  Throws
  // InputError for a cell of a number feature that is neither a number nor missing.
  void start(const ColumnSequence& data, KitScratch& scratch, std::string_view file) const;
  // The same of attributes.
  void start(const TextSequence& data, KitScratch& scratch, std::string_view file) const;
  // The same of a text, which is the one position 0.
  void start(std::string_view text, KitScratch& scratch) const;
  // Appends the attributes of position t of the sequence that was started; does not close the list.
  void expand(std::size_t t, KitScratch& scratch, StringLists& out) const;
  // After start(): hands on the numbers of the features that need a fit, and of texts the words.
  void visit_numbers(const KitScratch& scratch,
                     const std::function<void(std::size_t feature, double)>& visit) const;
  void visit_known(KitScratch& scratch,
                   const std::function<void(std::size_t feature, std::uint32_t word)>& visit) const;

 private:
  struct Bound;  // what bind() works out of a feature
  std::shared_ptr<FeatureKit> copy() const;
  void compute(const ColumnSequence& data, KitScratch& scratch, std::string_view file) const;
  void read_numbers(std::size_t feature, const ColumnSequence& data, std::vector<double>& out,
                    std::string_view file) const;
  void append_cells(std::size_t feature, const ColumnSequence& data, std::size_t t,
                    KitScratch& scratch) const;
  bool says(std::string_view item, const std::string& column) const;
  double as_read(const std::string& column, double value) const;
  void check_effects(InputFormat format, const std::function<bool(std::size_t)>& named) const;
  std::size_t source(const std::string& column, const Location& where, InputFormat format);
  void bind_feature(std::size_t k, InputFormat format,
                    const std::function<bool(std::size_t)>& named);
  void bind_backoff(std::size_t k, InputFormat format);
  void expand_numbers(std::size_t k, std::size_t i, std::size_t row, KitScratch& scratch,
                      StringLists& out) const;
  void bind_texts();
  void bind_text_feature(std::size_t k);
  void expand_text(std::size_t t, KitScratch& scratch, StringLists& out) const;
  void append_clusters(std::size_t k, KitScratch& scratch, StringLists& out) const;
  void append_entries(std::size_t k, KitScratch& scratch, StringLists& out) const;
  void append_average(std::size_t k, KitScratch& scratch, StringLists& out) const;
  void append_nearest(std::size_t k, KitScratch& scratch, StringLists& out) const;
  void append_counts(std::size_t k, const std::string& name, KitScratch& scratch,
                     StringLists& out) const;
  double text_value(std::size_t k, double sum, double largest, std::size_t words) const;

  std::vector<std::string> columns_;
  Location where_;  // of those names
  std::vector<KitFeature> features_;
  std::vector<std::string> computed_;
  std::vector<std::size_t> first_computed_;  // [features] in computed_
  std::size_t data_columns_ = 0;             // bound: of the data, or named attributes
  std::vector<std::string> attributes_;      // bound to attributes: the name of each column
  std::vector<CsvColumn> standardised_;      // numbers that the table's reader has standardised
  std::string_view signs_;                   // likewise: those that stand between name and cell
  std::optional<Tokenizer> words_;           // of texts
  StringTable stop_words_;                   // likewise
  bool fold_stop_words_ = false;
  bool texts_ = false;        // bound to texts
  std::vector<Bound> bound_;  // [features]
};

struct FeatureKit::Bound {
  std::size_t column = 0;  // of the data
  // What expand() makes of columns: their cells at the offsets, joined, behind `name`; nothing
  // where one is outside the sequence or empty.
  struct Term {
    std::string name;                                // "NAME[-1]="
    std::vector<std::pair<std::size_t, int>> cells;  // column of the extended rows, offset
  };
  std::vector<Term> terms;
  // Of numbers and n-grams, for each offset: "NAME[-1]", "NAME[-1]="; of embeddings "NAME[-1].k",
  // and last "NAME[-1].unknown".
  std::vector<int> at;
  std::vector<std::vector<std::string>> names;
  std::optional<Tokenizer> tokenizer;  // of n-grams
  // Of embeddings of texts: the known words' vectors, each of length 1 or all 0,
  // [known][dimension].
  std::vector<float> unit;
};

// A word that is known and how near it is: the cosine of the two vectors, above 0.
struct NearWord {
  std::uint32_t word;  // of EmbeddingsFeature::known
  double cosine;
};

struct KitScratch {
  ColumnSequence data;  // of attributes: their columns
  ColumnSequence rows;  // the data's columns, then the computed ones
  std::size_t length = 0;
  std::vector<std::vector<std::uint32_t>> found;  // [features][T] marks, clusters, words
  std::vector<std::vector<double>> numbers;       // [features][T] NaN: missing
  Gazetteer::Scratch gazetteer;
  Tokenizer::Scratch tokens;
  std::string text;
  // Of texts: the words of a position, and those of them that are no stop words.
  struct Words {
    std::vector<std::string> all, told;
  };
  std::vector<Words> words;    // [positions]
  const Words* now = nullptr;  // of the position at work
  TermCounts counts;
  std::vector<std::unordered_map<std::uint32_t, std::vector<NearWord>>> near;  // [features]
};

}  // namespace croft
