// FeatureKit at work: the computed columns of a sequence, and the attributes of its positions.
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/parse_number.h"
#include "core/unicode.h"
#include "croft/core/error.h"
#include "features/kit/feature_kit.h"
#include "features/text/word_preset.h"

namespace croft {
namespace {

constexpr std::string_view kMissing = "missing";
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// The shortest text that reads back as the same number.
void append_number(double value, std::string& out) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  if (error == std::errc()) out.append(text, end);
}

void append_forms(const FormsFeature& f, std::string_view cell, std::string& text,
                  ColumnSequence& out) {
  std::string lower;
  if (f.lower_case || f.fold) append_lower(cell, lower);
  if (f.lower_case) out.append_cell(lower);
  const auto append_shape_of = [&](std::size_t run) {
    text.clear();
    append_shape(cell, run, text);
    out.append_cell(text);
  };
  if (f.shape) append_shape_of(1);
  if (f.long_shape) append_shape_of(kLongestRun);
  const std::string_view of = f.fold ? std::string_view(lower) : cell;
  const auto append_affix = [&](std::string_view affix, bool prefix) {
    text = affix;
    if (f.boundaries && !affix.empty() && affix.size() == of.size()) {
      text.insert(prefix ? text.size() : 0, 1, ' ');
    }
    out.append_cell(text);
  };
  for (const std::size_t n : f.prefixes) append_affix(first_characters(of, n), true);
  for (const std::size_t n : f.suffixes) append_affix(last_characters(of, n), false);
}

}  // namespace

void FeatureKit::read_numbers(std::size_t feature, const ColumnSequence& data,
                              std::vector<double>& out, std::string_view file) const {
  const auto& f = std::get<NumberFeature>(features_[feature].what);
  out.assign(data.rows(), kNoNumber);
  for (std::size_t t = 0; t < data.rows(); ++t) {
    const std::string_view cell = data.cell(t, bound_[feature].column);
    if (cell.empty() || std::ranges::find(f.missing, cell) != f.missing.end()) continue;
    if (parse_number(cell, out[t]) == NumberKind::finite) continue;
    throw InputError({std::string(file), attributes_.empty() ? data.line_of(t) : data.first_line},
                     "the feature " + in_quotes(features_[feature].name) +
                         " is made of numbers, and this is no finite one",
                     cell, "correct it, or name it in missing = [...] of the kit");
  }
}

// Of what a lookup is needed for, all positions of a feature at once.
void FeatureKit::compute(const ColumnSequence& data, KitScratch& scratch,
                         std::string_view file) const {
  const std::size_t length = data.rows();
  scratch.length = length;
  scratch.found.resize(features_.size());
  scratch.numbers.resize(features_.size());
  for (std::size_t k = 0; k < features_.size(); ++k) {
    const std::size_t column = bound_[k].column;
    std::vector<std::uint32_t>& found = scratch.found[k];
    const auto& what = features_[k].what;
    const auto find_words = [&](const auto& resource) {
      found.resize(length);
      for (std::size_t t = 0; t < length; ++t) {
        found[t] = resource.find(data.cell(t, column), scratch.text);
      }
    };
    if (const auto* gazetteer = std::get_if<GazetteerFeature>(&what)) {
      const auto token = [&](std::size_t t) { return data.cell(t, column); };
      gazetteer->gazetteer.match(length, token, scratch.gazetteer, found);
    } else if (const auto* clusters = std::get_if<ClustersFeature>(&what)) {
      find_words(clusters->clusters);
    } else if (const auto* embeddings = std::get_if<EmbeddingsFeature>(&what)) {
      find_words(embeddings->embeddings);
    } else if (std::holds_alternative<NumberFeature>(what)) {
      read_numbers(k, data, scratch.numbers[k], file);
    }
  }
  scratch.rows.clear();
  scratch.rows.first_line = data.first_line;
  scratch.rows.lines = data.lines;
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t c = 0; c < data_columns_; ++c) scratch.rows.append_cell(data.cell(t, c));
    for (std::size_t k = 0; k < features_.size(); ++k) append_cells(k, data, t, scratch);
    scratch.rows.end_row();
  }
}

void FeatureKit::append_cells(std::size_t feature, const ColumnSequence& data, std::size_t t,
                              KitScratch& scratch) const {
  ColumnSequence& rows = scratch.rows;
  const auto& what = features_[feature].what;
  const std::vector<std::uint32_t>& found = scratch.found[feature];
  if (const auto* gazetteer = std::get_if<GazetteerFeature>(&what)) {
    rows.append_cell(gazetteer->marks[found[t]]);
  } else if (const auto* clusters = std::get_if<ClustersFeature>(&what)) {
    const std::string_view path = found[t] == kUnknown
                                      ? std::string_view()
                                      : std::string_view(clusters->clusters.paths()[found[t]]);
    for (const std::size_t n : clusters->prefixes) rows.append_cell(path.substr(0, n));
    if (clusters->prefixes.empty()) rows.append_cell(path);
  } else if (const auto* number = std::get_if<NumberFeature>(&what)) {
    const double value = scratch.numbers[feature][t];
    if (std::isnan(value)) {
      rows.append_cell(kMissing);
    } else if (number->has_bins() && number->scaling) {  // not while it is being fitted
      rows.append_cell(std::to_string(number->scaling->bin(value)));
    } else {
      rows.append_cell({});
    }
  } else if (const auto* forms = std::get_if<FormsFeature>(&what)) {
    append_forms(*forms, data.cell(t, bound_[feature].column), scratch.text, rows);
  } else if (const auto* pattern = std::get_if<PatternFeature>(&what)) {
    const std::string_view cell = data.cell(t, bound_[feature].column);
    rows.append_cell(RE2::PartialMatch({cell.data(), cell.size()}, *pattern->regex) ? "1" : "");
  }
}

void FeatureKit::start(const ColumnSequence& data, KitScratch& scratch,
                       std::string_view file) const {
  compute(data, scratch, file);
}

void FeatureKit::start(const TextSequence& data, KitScratch& scratch, std::string_view file) const {
  const StringLists& node = data.node;
  if (texts_) {  // whose terms stand for their words
    scratch.words.assign(node.lists(), {});
    for (std::size_t t = 0; t < node.lists(); ++t) {
      for (std::size_t i = node.list_begin(t); i < node.list_end(t); ++i) {
        scratch.words[t].all.emplace_back(node.item(i));
      }
      scratch.words[t].told = scratch.words[t].all;
    }
    return;
  }
  scratch.data.clear();
  scratch.data.first_line = data.first_line;
  for (std::size_t t = 0; t < node.lists(); ++t) {
    for (const std::string& column : attributes_) {
      scratch.text.clear();
      for (std::size_t i = node.list_begin(t); i < node.list_end(t); ++i) {
        const std::string_view item = node.item(i);
        if (!says(item, column)) continue;
        if (item.size() == column.size()) {
          append_number(as_read(column, node.value(i)), scratch.text);
          break;
        }
        scratch.text = item.substr(column.size() + 1);
        break;
      }
      scratch.data.append_cell(scratch.text);
    }
    scratch.data.end_row();
  }
  compute(scratch.data, scratch, file);
}

void FeatureKit::expand(std::size_t t, KitScratch& scratch, StringLists& out) const {
  if (texts_) {
    expand_text(t, scratch, out);
    return;
  }
  // Of a position outside the sequence: nothing.
  const auto row_at = [&](int offset) {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(t) + offset);
  };
  const auto is_there = [&](const std::pair<std::size_t, int>& cell) {
    const std::size_t row = row_at(cell.second);
    return row < scratch.length && !scratch.rows.cell(row, cell.first).empty();
  };
  for (std::size_t k = 0; k < features_.size(); ++k) {
    for (const Bound::Term& term : bound_[k].terms) {
      if (!std::ranges::all_of(term.cells, is_there)) continue;
      out.bytes() += term.name;
      for (std::size_t i = 0; i < term.cells.size(); ++i) {
        if (i > 0) out.bytes() += '|';
        out.bytes() += scratch.rows.cell(row_at(term.cells[i].second), term.cells[i].first);
      }
      out.end_item();
    }
    for (std::size_t i = 0; i < bound_[k].at.size(); ++i) {
      const std::size_t row = row_at(bound_[k].at[i]);
      if (row < scratch.length) expand_numbers(k, i, row, scratch, out);
    }
  }
}

// The attributes of a feature, at its i-th offset, that are no cells of columns.
void FeatureKit::expand_numbers(std::size_t k, std::size_t i, std::size_t row, KitScratch& scratch,
                                StringLists& out) const {
  const Bound& bound = bound_[k];
  const std::vector<std::string>& names = bound.names[i];
  const auto& what = features_[k].what;
  const std::string_view cell = scratch.rows.cell(row, bound.column);
  if (const auto* embeddings = std::get_if<EmbeddingsFeature>(&what)) {
    const std::uint32_t id = scratch.found[k][row];
    std::span<const float> values = embeddings->unknown_vector;
    if (cell.empty()) return;
    if (id != kUnknown) values = embeddings->embeddings.row(id);
    for (std::size_t d = 0; d < values.size(); ++d) {
      if (values[d] != 0) out.append(names[d], values[d]);
    }
    if (values.empty() && embeddings->unknown == UnknownWord::flag) out.append(names.back());
  } else if (const auto* number = std::get_if<NumberFeature>(&what)) {
    double value = scratch.numbers[k][row];
    if (std::isnan(value)) return;
    if (number->standardise) value = number->scaling->standardised(value);
    if (value != 0) out.append(names[0], value);
  } else if (bound.tokenizer) {
    bound.tokenizer->for_each_term(cell, scratch.tokens, [&](std::string_view ngram) {
      out.bytes().append(names[0]).append(ngram);
      out.end_item();
    });
  }
}

void FeatureKit::visit_numbers(const KitScratch& scratch,
                               const std::function<void(std::size_t, double)>& visit) const {
  for (std::size_t k = 0; k < features_.size(); ++k) {
    const auto* f = std::get_if<NumberFeature>(&features_[k].what);
    if (f == nullptr || !f->needs_fit()) continue;
    for (const double number : scratch.numbers[k]) {
      if (!std::isnan(number)) visit(k, number);
    }
  }
}

}  // namespace croft
