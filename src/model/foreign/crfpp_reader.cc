// CRF++'s models, binary and as text: labels, templates, the strings of features with the number of
// their first weight (as a double array, or a list), weights.  A feature of a U template has a
// weight for each label, one of a B template for each pair of labels.
#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/parse_number.h"
#include "croft/core/error.h"
#include "features/extraction.h"
#include "model/foreign/foreign_bytes.h"
#include "model/foreign/foreign_chain.h"
#include "model/foreign/template_lines.h"

namespace croft {
namespace {

// What either file says.  The factor of costs is left out: CRF++ writes 1, and takes what its
// --cost-factor says whatever the file has.
struct CrfppModel {
  std::uint64_t columns = 0;
  std::vector<std::string> labels, templates;
  std::vector<float> weights;
};

// What is wrong with a model, in words.
struct Fault {
  std::string what;
};

// From the strings and numbers of a model to rows.  Throws Fault.
class RowMaker {
 public:
  RowMaker(const CrfppModel& model, const std::string& file) : model_(model) {
    chain_.labels = model.labels;
    chain_.single_sums = true;
    if (model.labels.empty()) throw Fault{"a model without labels"};
    ExtractionConfig& extraction = chain_.extraction;
    extraction.format = InputFormat::columns;
    extraction.language = TemplateLanguage::crfpp;
    extraction.template_name = file + " (template)";
    extraction.more_columns = true;
    if (model.columns > ExtractionConfig::kMostColumns) {
      throw Fault{"rows of " + std::to_string(model.columns) + " columns"};
    }
    extraction.columns = static_cast<std::size_t>(model.columns);
    if (model.templates.empty()) throw Fault{"a model without templates"};
    for (const std::string& line : model.templates) {
      if (line.find('\n') != line.npos) throw Fault{"a template of two lines"};
      // A carriage return belongs to the strings of a template that ends with it.
      extraction.template_text.append(line).append(line.ends_with('\r') ? "\r\n" : "\n");
    }
    // Several of edges are added up one after the other, in single precision.
    extraction.untied = std::ranges::count_if(model.templates, [](const std::string& line) {
                          return line.starts_with('B');
                        }) > 1;
    extractor_.emplace(extraction);
    const std::size_t needed = extractor_->templates().columns_needed();
    if (needed > extraction.columns) {
      throw Fault{"a template names column " + std::to_string(needed - 1) + " of " +
                  std::to_string(extraction.columns)};
    }
  }

  void add(std::string name, std::uint64_t first) {
    const std::uint64_t labels = model_.labels.size();
    if (name.empty() || (name[0] != 'U' && name[0] != 'B')) {
      throw Fault{"the feature " + in_quotes(name) + " begins with neither U nor B"};
    }
    const std::uint64_t width = name[0] == 'U' ? labels : labels * labels;
    if (first > model_.weights.size() || width > model_.weights.size() - first) {
      throw Fault{"the feature " + in_quotes(name) + " has weights from number " +
                  std::to_string(first) + " on, and there are " +
                  std::to_string(model_.weights.size())};
    }
    used_.emplace_back(first, first + width);
    // Names without end would share the weights that there are.
    if (used_.size() > model_.weights.size()) throw Fault{"features that share weights"};
    const bool tied = std::ranges::count(extractor_->tied_names(), name) > 0;
    ForeignRows& rows = name[0] == 'U' ? chain_.node : tied ? chain_.tied : chain_.edge;
    for (std::uint64_t k = 0; k < width; ++k) {
      const float weight = model_.weights[first + k];
      if (weight != 0) rows.add(static_cast<std::uint32_t>(k), double{weight});
    }
    if (rows.begin.back() < rows.cell.size()) rows.end_row(std::move(name));
  }

  ForeignChain finish() {
    std::ranges::sort(used_);
    const auto overlap = [](const auto& a, const auto& b) { return b.first < a.second; };
    if (std::ranges::adjacent_find(used_, overlap) != used_.end()) {
      throw Fault{"features that share weights"};
    }
    return std::move(chain_);
  }

 private:
  const CrfppModel& model_;
  ForeignChain chain_;
  std::optional<Extractor> extractor_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> used_;  // weights of each feature
};

// --- binary

std::vector<std::string> strings_of(std::string_view text) {
  std::vector<std::string> strings;
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    strings.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return strings;
}

// The strings of a double array: a cell is its base and its check, the base of the cell that it
// comes from.  From a cell with base b the byte c leads to cell b + c + 1; at cell b a string ends,
// with the number -base - 1.
class DoubleArray {
 public:
  explicit DoubleArray(const ForeignBytes& bytes) : bytes_(bytes), size_(bytes.size() / 8) {
    if (bytes.size() % 8 != 0) bytes_.fail("a trie that has no whole number of cells", 0);
    group_by_check();
  }

  // each(string, number) of every string, in the order of their bytes.  No cell is visited twice.
  template <class Each>
  void visit(std::uint64_t most_bytes, const Each& each);

 private:
  std::int32_t base(std::uint64_t cell) const {
    return bytes_.number<std::int32_t>(8 * cell, "base");
  }
  std::uint32_t check(std::uint64_t cell) const { return bytes_.u32(8 * cell + 4, "check"); }

  // Cells by their check, so that a walk costs as much as there are cells.
  void group_by_check() {
    begin_.assign(size_ + 1, 0);
    for (std::uint64_t p = 0; p < size_; ++p) {
      if (check(p) < size_) ++begin_[check(p) + 1];
    }
    for (std::uint64_t b = 0; b < size_; ++b) begin_[b + 1] += begin_[b];
    cells_.resize(begin_[size_]);
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint64_t p = 0; p < size_; ++p) {
      if (check(p) < size_) cells_[next[check(p)]++] = static_cast<std::uint32_t>(p);
    }
  }

  // Of a walk: the next of the cells that have the base of the cell where it stands for a check.
  struct Place {
    std::uint32_t base, next;
  };
  Place enter(std::uint64_t cell) {
    const std::int32_t b = base(cell);
    if (b < 0 || static_cast<std::uint64_t>(b) >= size_) {
      bytes_.fail("a cell of the trie leads out of it", 8 * cell);
    }
    const auto place = static_cast<std::uint32_t>(b);
    if (entered_[place]) bytes_.fail("two cells of the trie lead to the same cells", 8 * cell);
    entered_[place] = true;
    return {place, begin_[place]};
  }

  const ForeignBytes& bytes_;
  std::uint64_t size_;
  std::vector<std::uint32_t> begin_, cells_;
  std::vector<bool> entered_;  // by base
};

template <class Each>
void DoubleArray::visit(std::uint64_t most_bytes, const Each& each) {
  if (size_ == 0) return;
  entered_.assign(size_, false);
  std::vector<Place> path{enter(0)};
  std::string string;
  std::uint64_t total = 0;
  while (!path.empty()) {
    Place& place = path.back();
    if (place.next == begin_[place.base + 1]) {
      path.pop_back();
      if (!string.empty()) string.pop_back();
      continue;
    }
    const std::uint32_t cell = cells_[place.next++];
    if (cell < place.base || cell - place.base > 256) continue;  // no byte leads there
    if (cell == place.base) {
      if (base(cell) >= 0) continue;
      total += string.size();
      if (total > most_bytes) bytes_.fail("a trie of strings that are far too long", 8 * cell);
      each(string, static_cast<std::uint64_t>(-(std::int64_t{base(cell)} + 1)));
    } else {
      path.push_back(enter(cell));
      string += static_cast<char>(cell - path[path.size() - 2].base - 1);
    }
  }
}

// --- text

class TextReader {
 public:
  TextReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError({file_, line_number_}, problem, line_,
                     "the file is damaged; restore it from a copy or train again");
  }
  // The next line; an error at the end.
  std::string_view line() {
    if (text_.empty()) fail("the file ends before the model does");
    const std::size_t end = text_.find('\n');
    line_ = text_.substr(0, end);
    ++line_number_;
    if (end == text_.npos) fail("no newline ends the last line: the file may be cut");
    text_.remove_prefix(end + 1);
    return line_;
  }
  // Whether nothing but empty lines is left.
  bool at_end() const { return text_.find_first_not_of('\n') == text_.npos; }
  std::vector<std::string> lines_to_an_empty_one() {
    std::vector<std::string> lines;
    while (!line().empty()) lines.emplace_back(line_);
    return lines;
  }
  std::uint64_t number(std::string_view word) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) fail("a number is expected");
    return value;
  }

 private:
  std::string_view text_, line_;
  const std::string& file_;
  std::size_t line_number_ = 0;
};

struct NamedNumber {
  std::string_view name;
  std::uint64_t number;
};

}  // namespace

ForeignChain read_crfpp(std::string_view text, const std::string& file) {
  const ForeignBytes bytes(text, file);
  std::uint64_t at = 0;
  const auto u32 = [&](std::string_view what) {
    return bytes.u32(std::exchange(at, at + 4), what);
  };
  const auto piece = [&](std::uint64_t size, std::string_view what) {
    return bytes.part(std::exchange(at, at + size), size, what);
  };
  const std::uint32_t version = u32("the version");
  if (version / 100 != 1)
    bytes.fail("version " + std::to_string(version) + " of CRF++'s models", 0);
  at += 4 + 8;  // the type, which is 0, and the factor of costs
  const std::uint64_t weights = u32("the number of weights");
  CrfppModel model;
  model.columns = u32("the number of columns");
  const std::uint64_t trie_bytes = u32("the size of the trie");
  model.labels = strings_of(piece(u32("the size of the labels"), "the labels").text());
  model.templates = strings_of(piece(u32("the size of the templates"), "the templates").text());
  std::erase(model.templates, std::string());  // what fills the section up
  const std::uint64_t trie_at = at;
  const ForeignBytes trie = piece(trie_bytes, "the trie");
  const ForeignBytes numbers = piece(4 * weights, "the weights");
  if (at != bytes.size()) bytes.fail("the model ends before the file does", at);
  for (std::uint64_t k = 0; k < weights; ++k) {
    model.weights.push_back(numbers.number<float>(4 * k, "a weight"));
  }
  try {
    RowMaker rows(model, file);
    DoubleArray(trie).visit(64 * bytes.size(), [&](const std::string& name, std::uint64_t first) {
      rows.add(name, first);
    });
    return rows.finish();
  } catch (const Fault& fault) {
    bytes.fail(fault.what, trie_at);
  }
}

ForeignChain read_crfpp_text(std::string_view text, const std::string& file) {
  TextReader in(text, file);
  CrfppModel model;
  std::uint64_t weights = 0;
  for (std::string_view line = in.line(); !line.empty(); line = in.line()) {
    const std::size_t colon = line.find(": ");
    if (colon == line.npos) in.fail("a name and a number are expected");
    const std::string_view name = line.substr(0, colon), value = line.substr(colon + 2);
    if (name == "version" && in.number(value) / 100 != 1) in.fail("another version");
    if (name == "maxid") weights = in.number(value);
    if (name == "xsize") model.columns = in.number(value);
  }
  model.labels = in.lines_to_an_empty_one();
  model.templates = in.lines_to_an_empty_one();
  std::vector<NamedNumber> features;
  for (std::string_view line = in.line(); !line.empty(); line = in.line()) {
    const std::size_t blank = line.find(' ');
    if (blank == line.npos) in.fail("the number and the string of a feature are expected");
    features.push_back({line.substr(blank + 1), in.number(line.substr(0, blank))});
  }
  while (!in.at_end()) {
    double weight = 0;
    if (parse_number(in.line(), weight) != NumberKind::finite) in.fail("a weight is expected");
    model.weights.push_back(static_cast<float>(weight));
  }
  if (model.weights.size() != weights) {
    in.fail(std::to_string(model.weights.size()) + " weights where the head says " +
            std::to_string(weights));
  }
  try {
    RowMaker rows(model, file);
    std::unordered_set<std::string_view> seen;
    for (const NamedNumber& feature : features) {
      if (!seen.insert(feature.name).second) {
        throw Fault{"the feature " + in_quotes(feature.name) + " occurs twice"};
      }
      rows.add(std::string(feature.name), feature.number);
    }
    return rows.finish();
  } catch (const Fault& fault) {
    in.fail(fault.what);
  }
}

}  // namespace croft
