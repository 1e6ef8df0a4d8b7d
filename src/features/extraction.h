// From rows, lines or texts to the strings of a sequence: what a model must repeat at prediction.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/text_sequence.h"
#include "data/columns.h"
#include "data/csv_table.h"
#include "data/labelled_text.h"
#include "features/conjunctions.h"
#include "features/template.h"
#include "features/text/term_weights.h"
#include "features/text/word_preset.h"

namespace croft {

enum class InputFormat { columns, attributes, text, svmlight, csv };

std::string_view format_name(InputFormat format);
// The format of that name, if there is one.
std::optional<InputFormat> format_of(std::string_view name);

class FeatureKit;   // features/feature_kit.h: dictionaries, clusters, embeddings, ... that features
                    // use
struct KitScratch;  // of one thread
struct FreeKitScratch {
  void operator()(KitScratch* scratch) const;
};

// Cells of columns that are attributes as they are, without a template.
enum class CellAttributes {
  none,
  all,       // each cell is an attribute of its position
  by_prefix  // Wapiti's: u… is one of the position, b… of the edge to it, *… of both; others: none
};

// Of a model that looks at documents: which sequences are one, and the model of a first pass, whose
// labels of the same word elsewhere in the document become attributes (app/label/documents.h).
struct DocumentPass {
  std::string by;                    // what makes sequences a document (app/label/documents.h)
  std::size_t column = 0;            // of the words
  std::span<const std::byte> model;  // the file of the first pass
  std::vector<std::byte> own;        // its bytes, where no model file that is open has them
};

// The file of a model within that of another one.
struct InnerModel {
  std::span<const std::byte> file;
  std::vector<std::byte> own;  // its bytes, where no model file that is open has them
};

// Everything that decides how data becomes strings; stored in the model file.
struct ExtractionConfig {
  static constexpr std::size_t kMostColumns = std::size_t{1} << 20;  // of a row

  InputFormat format = InputFormat::columns;
  // columns only.  Empty text: the default features for words (word_preset.h).
  std::string template_text;
  std::string template_name;  // of the file, for messages
  TemplateLanguage language = TemplateLanguage::automatic;
  std::size_t columns = 0;  // cells of a row that are observed: all but the label
  // columns only.  Rows may have more cells than that, each row its own number: those between are
  // only shown, and the last one is the label where labels are asked for.
  bool more_columns = false;
  // columns only.  Cells are numbered as if the label's were taken out and put last.
  ColumnsForm form;
  CellAttributes cell_attributes = CellAttributes::none;  // of rows that may have more columns
  // columns only.  Templates of edges without macros make attributes of each edge, in their turn
  // and as often as they stand there, as others do.  Otherwise they have the weights of all edges.
  bool untied = false;
  // START and STOP are labels before the first and after the last position.  As their value is
  // known, the edges that touch them are node features of the first and the last position
  // (docs/math/chain.md section 5), under names that boundary_name() makes.
  bool boundaries = false;
  // Every position has the attribute kIntercept, of value 1, beside its own: a weight for each
  // label whatever the data says.
  bool intercept = false;
  // columns only.  The cells of these columns follow the attributes of a position, as they are,
  // under names that cell_name() makes: for features of several positions together
  // (segment_features.h).
  std::vector<std::size_t> cells;
  TextOptions text;                     // text only
  std::optional<TermStatistics> terms;  // likewise, where text.is_fitted()
  CsvColumns csv;                       // csv only
  // Features that are computed beside those of the data or the templates; null: none.
  std::shared_ptr<const FeatureKit> kit;
  // columns only: each position also has the attributes in ColumnSequence::beside; null: it has
  // not.
  std::shared_ptr<const DocumentPass> documents;
  // columns only: the model that cuts texts into tokens (app/label/model_tokenizer.h); null: none
  // does.
  std::shared_ptr<const InnerModel> segmenter;
  // Of attributes of a position, all of the above included: attributes beside them.
  std::vector<Conjunction> conjunctions;
};

inline constexpr std::string_view kIntercept = "(intercept)";

enum class Boundary { start, stop };
// Name of the node attribute that stands for the edges from START (to STOP) with `edge_attribute`.
std::string boundary_name(Boundary boundary, std::string_view edge_attribute);
// The inverse: false when `name` is an ordinary attribute.
bool parse_boundary_name(std::string_view name, Boundary& boundary,
                         std::string_view& edge_attribute);

// Name of the node attribute that holds a cell as it is, and the cell of such a name; false when
// `name` is an ordinary attribute.
std::string cell_name(std::size_t column, std::string_view cell);
bool parse_cell_name(std::string_view name, std::size_t& column, std::string_view& cell);

class Extractor {
 public:
  // Throws InputError for a faulty template, UsageError for boundaries without any edge feature and
  // for more than kMostColumns, and as FeatureKit::bind().
  explicit Extractor(ExtractionConfig config);

  struct Scratch {  // one a thread
    WordPreset preset;
    StringLists lists;
    BagOfWords::Scratch bag;
    std::unique_ptr<KitScratch, FreeKitScratch> kit;
    ConjunctionSet::Scratch conjunctions;
  };

  // The strings of `rows`, whose first config().columns cells are observed, and whose `beside` is
  // filled where there are config().documents (a bug otherwise); with `labelled`, the
  // cell after them is the label, or with more_columns the last.  Overwrites `out`.  `file` is for
  // messages, here and below.
  // Throws InputError where the kit wants a number and a cell is none.
  void extract(const ColumnSequence& rows, bool labelled, Scratch& scratch, TextSequence& out,
               std::string_view file = {}) const;
  // The terms of a text, as a sequence of one position (text only).  Overwrites `out`.
  void extract(const LabelledText& document, Scratch& scratch, TextSequence& out,
               std::string_view file = {}) const;
  // Of all that the labels alone; lists of attributes are empty.
  void extract_labels(const ColumnSequence& rows, bool labelled, TextSequence& out) const;
  // Completes a sequence that was read as attributes (kit, intercept, boundaries).
  // Both throw InputError where there is an intercept, and the data has an attribute of that name.
  void complete(TextSequence& sequence, Scratch& scratch, std::string_view file = {}) const;

  // Throws Error, which begins with `name`, unless each row has the columns that extract() takes:
  // config().columns, with a label one more, or with more_columns any number above.
  void check_cells(const ColumnSequence& rows, std::string_view name, bool labelled = false) const;

  // Whether the attributes of a sequence are what its templates make of rows, or its lines of
  // attributes, and nothing else.
  bool is_plain() const;

  const ExtractionConfig& config() const { return config_; }
  const TemplateSet& templates() const { return templates_; }
  // Whether a template has lines for pairs of labels.
  bool has_edge_templates() const {
    return has_template() && (!tied_names_.empty() || !edge_templates_.empty());
  }
  // By their numbers among templates(): those of positions, and those of edges with macros.
  const std::vector<std::size_t>& node_templates() const { return node_templates_; }
  const std::vector<std::size_t>& edge_templates() const { return edge_templates_; }
  bool has_template() const { return !config_.template_text.empty(); }
  // Names of the edge attributes that hold at every edge (templates without a macro): each is a
  // transition table.  One, named "", without a template.
  const std::vector<std::string>& tied_names() const { return tied_names_; }

 private:
  void expand_nodes(const ColumnSequence& rows, std::size_t t, const WordPreset& preset,
                    StringLists& out) const;
  std::size_t label_column(const ColumnSequence& rows, std::size_t t) const;
  void append_boundary(Boundary boundary, const ColumnSequence* rows, StringLists& out) const;
  void append_cells(const ColumnSequence& rows, std::size_t t, StringLists& out) const;
  void append_beside(const ColumnSequence& rows, std::size_t t, StringLists& out) const;
  void take_cells(const ColumnSequence& rows, bool labelled, TextSequence& out) const;
  ExtractionConfig config_;
  std::optional<BagOfWords> bag_;  // text only
  TemplateSet templates_;
  std::vector<std::string> tied_names_;
  std::vector<std::size_t> node_templates_, edge_templates_;  // edge: those with macros
  ConjunctionSet conjunctions_;
};

}  // namespace croft
