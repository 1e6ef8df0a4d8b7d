#include "features/extraction.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "croft/core/error.h"
#include "data/cell_count.h"
#include "features/conjunctions.h"
#include "features/kit/feature_kit.h"

namespace croft {
namespace {

// Byte 0x01 cannot begin an attribute that comes from data (readers reject it).
constexpr std::string_view kStart = "\x01START\x01", kStop = "\x01STOP\x01";
constexpr char kCell = '\x01';  // likewise; then a column's number, and kCell again

std::string_view prefix(Boundary boundary) { return boundary == Boundary::start ? kStart : kStop; }

// One attribute of that name would add up with the other.
void check_name(std::string_view name, const TextSequence& sequence, std::string_view file) {
  if (name != kIntercept) return;
  throw InputError({std::string(file), sequence.first_line},
                   "an attribute with the name of the intercept in the sequence that begins here",
                   kIntercept, "rename it, or train without an intercept");
}

// Conjunctions of edges come before the others, so that the first says whether there are any.
ExtractionConfig edges_first(ExtractionConfig config) {
  std::ranges::stable_partition(config.conjunctions, is_of_edge);
  return config;
}

void take_edges(const ExtractionConfig& config, TextSequence& sequence) {
  const bool any = !config.conjunctions.empty() && is_of_edge(config.conjunctions.front());
  if (any && has_edge_conjunctions(sequence)) take_edge_conjunctions(sequence);
}

constexpr std::array<std::string_view, 5> kFormatNames = {"columns", "attributes", "text",
                                                          "svmlight", "csv"};

}  // namespace

std::string_view format_name(InputFormat format) {
  return kFormatNames[static_cast<std::size_t>(format)];
}

std::optional<InputFormat> format_of(std::string_view name) {
  const auto at = std::ranges::find(kFormatNames, name);
  if (at == kFormatNames.end()) return std::nullopt;
  return static_cast<InputFormat>(at - kFormatNames.begin());
}

std::string boundary_name(Boundary boundary, std::string_view edge_attribute) {
  return std::string(prefix(boundary)).append(edge_attribute);
}

bool parse_boundary_name(std::string_view name, Boundary& boundary,
                         std::string_view& edge_attribute) {
  for (const Boundary candidate : {Boundary::start, Boundary::stop}) {
    if (!name.starts_with(prefix(candidate))) continue;
    boundary = candidate;
    edge_attribute = name.substr(prefix(candidate).size());
    return true;
  }
  return false;
}

std::string cell_name(std::size_t column, std::string_view cell) {
  return (kCell + std::to_string(column) + kCell).append(cell);
}

bool parse_cell_name(std::string_view name, std::size_t& column, std::string_view& cell) {
  if (!name.starts_with(kCell)) return false;
  const std::size_t end = name.find(kCell, 1);
  if (end == std::string_view::npos) return false;
  const auto [rest, error] = std::from_chars(name.data() + 1, name.data() + end, column);
  cell = name.substr(end + 1);
  return error == std::errc() && rest == name.data() + end;
}

Extractor::Extractor(ExtractionConfig config)
    : config_(edges_first(std::move(config))), conjunctions_(config_.conjunctions) {
  if (config_.columns > ExtractionConfig::kMostColumns) {
    throw UsageError("rows of ", config_.columns, " columns: at most ",
                     ExtractionConfig::kMostColumns,
                     " are read; give the features themselves, --format attributes");
  }
  if (config_.format == InputFormat::text) bag_.emplace(config_.text, config_.terms);
  if (config_.kit && !config_.csv.columns.empty()) {
    config_.kit = config_.kit->for_table(config_.csv);
  }
  if (config_.kit && config_.format == InputFormat::text) {
    config_.kit = config_.kit->for_texts(config_.text.tokenizer);
  }
  if (!has_template()) {
    if (config_.kit) config_.kit = config_.kit->bind(config_.format, config_.columns, nullptr);
    tied_names_ = {""};
    return;
  }
  std::vector<std::string> names;
  if (config_.kit) names = config_.kit->template_names(config_.columns);
  templates_ =
      TemplateSet::parse(config_.template_text, config_.template_name, config_.language, names);
  config_.language = templates_.language();
  // Columns that the kit computes have names alone: their numbers would be those of another kit's.
  if (config_.columns > 0 || config_.more_columns) templates_.check_columns(config_.columns);
  if (config_.kit) {
    config_.kit = config_.kit->bind(config_.format, config_.columns,
                                    [&](std::size_t k) { return templates_.uses_column(k); });
  }
  for (std::size_t k = 0; k < templates_.size(); ++k) {
    if (templates_.on_nodes(k)) node_templates_.push_back(k);
    if (!templates_.on_edges(k)) continue;
    if (templates_.is_constant(k) && !config_.untied) {
      std::string name;
      templates_.expand(k, ColumnSequence(), 0, name);
      // The same line twice is one table: two would only share its weight between them.
      if (std::find(tied_names_.begin(), tied_names_.end(), name) == tied_names_.end()) {
        tied_names_.push_back(std::move(name));
      }
    } else {
      edge_templates_.push_back(k);
    }
  }
  if (config_.boundaries && tied_names_.empty() && edge_templates_.empty()) {
    throw UsageError("--boundaries needs edge features, and ", config_.template_name,
                     " has none; add a line `B` to it");
  }
}

void Extractor::expand_nodes(const ColumnSequence& rows, std::size_t t, const WordPreset& preset,
                             StringLists& out) const {
  if (!has_template()) {
    preset.expand(t, out);
    return;
  }
  for (const std::size_t k : node_templates_) {
    templates_.expand(k, rows, t, out.bytes());
    out.end_item();
  }
}

void Extractor::append_boundary(Boundary boundary, const ColumnSequence* rows,
                                StringLists& out) const {
  for (const std::string& name : tied_names_) out.append(boundary_name(boundary, name));
  for (const std::size_t k : edge_templates_) {
    out.bytes() += prefix(boundary);
    templates_.expand(k, *rows, boundary == Boundary::start ? 0 : rows->rows(), out.bytes());
    out.end_item();
  }
}

void Extractor::append_cells(const ColumnSequence& rows, std::size_t t, StringLists& out) const {
  for (const std::size_t column : config_.cells) {
    out.append(cell_name(column, rows.cell(t, column)));
  }
}

void Extractor::append_beside(const ColumnSequence& rows, std::size_t t, StringLists& out) const {
  if (!config_.documents) return;
  const StringLists& beside = rows.beside;
  if (beside.lists() != rows.rows()) throw std::logic_error("a sequence without its document");
  for (std::size_t k = beside.list_begin(t); k < beside.list_end(t); ++k) {
    out.append(beside.item(k), beside.value(k));
  }
}

std::size_t Extractor::label_column(const ColumnSequence& rows, std::size_t t) const {
  return config_.more_columns ? rows.columns(t) - 1 : config_.columns;
}

// All that a sequence is made of where cells are attributes.
void Extractor::take_cells(const ColumnSequence& rows, bool labelled, TextSequence& out) const {
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    const std::size_t end = rows.columns(t) - (labelled ? 1 : 0);
    for (std::size_t c = 0; c < end; ++c) {
      const std::string_view cell = rows.cell(t, c);
      const bool all = config_.cell_attributes == CellAttributes::all;
      const bool both = !all && cell.starts_with('*');
      if (all || both || cell.starts_with('u')) out.node.append(cell);
      if (t > 0 && (both || (!all && cell.starts_with('b')))) out.edge.append(cell);
    }
    out.node.end_list();
    out.edge.end_list();
    if (labelled) out.labels.append(rows.cell(t, end));
  }
  if (labelled) out.labels.end_list();
}

void Extractor::extract(const ColumnSequence& rows, bool labelled, Scratch& scratch,
                        TextSequence& out, std::string_view file) const {
  out.clear();
  out.first_line = rows.first_line;
  out.lines = rows.lines;
  if (config_.cell_attributes != CellAttributes::none) {
    take_cells(rows, labelled, out);
    return;
  }
  if (!has_template()) scratch.preset.start(rows, config_.columns);
  if (config_.kit) {
    if (!scratch.kit) scratch.kit.reset(new KitScratch);
    config_.kit->start(rows, *scratch.kit, file);
  }
  // What templates see: the data's columns, and those that the kit computes.
  const ColumnSequence& seen = config_.kit ? scratch.kit->rows : rows;
  const std::size_t length = rows.rows();
  constexpr std::size_t kSample = 4096;  // positions that say how large the others are
  for (std::size_t t = 0; t < length; ++t) {
    if (t == kSample) out.node.reserve(length);
    expand_nodes(seen, t, scratch.preset, out.node);
    if (config_.kit) config_.kit->expand(t, *scratch.kit, out.node);
    if (config_.intercept) out.node.append(kIntercept);
    if (config_.boundaries && t == 0) append_boundary(Boundary::start, &seen, out.node);
    if (config_.boundaries && t + 1 == length) append_boundary(Boundary::stop, &seen, out.node);
    append_cells(rows, t, out.node);
    append_beside(rows, t, out.node);
    conjunctions_.append(scratch.conjunctions, out.node);
    out.node.end_list();
    if (!edge_templates_.empty()) {
      for (const std::size_t k : edge_templates_) {
        if (t == 0) break;
        templates_.expand(k, seen, t, out.edge.bytes());
        out.edge.end_item();
      }
      out.edge.end_list();
    }
    if (labelled) out.labels.append(rows.cell(t, label_column(rows, t)));
  }
  if (labelled) out.labels.end_list();
  take_edges(config_, out);
}

void Extractor::extract(const LabelledText& document, Scratch& scratch, TextSequence& out,
                        std::string_view file) const {
  out.clear();
  out.first_line = document.line;
  bag_->append(document.text, scratch.bag, out.node);
  if (config_.kit) {
    if (!scratch.kit) scratch.kit.reset(new KitScratch);
    config_.kit->start(document.text, *scratch.kit);
    config_.kit->expand(0, *scratch.kit, out.node);
  }
  if (config_.intercept) {
    for (std::size_t k = 0; k < out.node.items(); ++k) check_name(out.node.item(k), out, file);
    out.node.append(kIntercept);
  }
  if (config_.boundaries) {
    append_boundary(Boundary::start, nullptr, out.node);
    append_boundary(Boundary::stop, nullptr, out.node);
  }
  conjunctions_.append(scratch.conjunctions, out.node);
  out.node.end_list();
  if (document.label.empty()) return;
  out.labels.append(document.label);
  out.labels.end_list();
}

void Extractor::check_cells(const ColumnSequence& rows, std::string_view name,
                            bool labelled) const {
  const std::size_t columns = config_.columns;
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    const std::size_t cells = rows.columns(t);
    if (cells == columns + (labelled ? 1 : 0) || (cells > columns && config_.more_columns))
      continue;
    throw Error(
        name, "[", t, "] has ", cell_count(cells), ", and the model was trained on rows of ",
        columns,
        cells == columns + 1 ? Message(": leave out the label, which is none of them") : Message());
  }
}

bool Extractor::is_plain() const {
  if (config_.kit || config_.intercept || config_.boundaries || !conjunctions_.empty() ||
      config_.documents) {
    return false;
  }
  if (config_.format == InputFormat::attributes) return true;
  return config_.format == InputFormat::columns && has_template() && config_.cells.empty() &&
         config_.cell_attributes == CellAttributes::none;
}

void Extractor::extract_labels(const ColumnSequence& rows, bool labelled, TextSequence& out) const {
  out.clear();
  out.first_line = rows.first_line;
  out.lines = rows.lines;
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    out.node.end_list();
    if (labelled) out.labels.append(rows.cell(t, label_column(rows, t)));
  }
  if (labelled) out.labels.end_list();
}

void Extractor::complete(TextSequence& sequence, Scratch& scratch, std::string_view file) const {
  const bool plain = !config_.boundaries && !config_.intercept && !config_.kit;
  if (plain && conjunctions_.empty()) return;
  if (sequence.length() == 0) return;
  if (config_.kit) {
    if (!scratch.kit) scratch.kit.reset(new KitScratch);
    config_.kit->start(sequence, *scratch.kit, file);
  }
  StringLists& lists = scratch.lists;
  lists.clear();
  const StringLists& node = sequence.node;
  for (std::size_t t = 0; t < node.lists(); ++t) {
    for (std::size_t k = node.list_begin(t); k < node.list_end(t); ++k) {
      if (config_.intercept) check_name(node.item(k), sequence, file);
      lists.append(node.item(k), node.value(k));
    }
    if (config_.kit) config_.kit->expand(t, *scratch.kit, lists);
    if (config_.intercept) lists.append(kIntercept);
    if (config_.boundaries && t == 0) append_boundary(Boundary::start, nullptr, lists);
    if (config_.boundaries && t + 1 == node.lists()) {
      append_boundary(Boundary::stop, nullptr, lists);
    }
    conjunctions_.append(scratch.conjunctions, lists);
    lists.end_list();
  }
  std::swap(sequence.node, lists);
  take_edges(config_, sequence);
}

}  // namespace croft
