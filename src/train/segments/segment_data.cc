#include "train/segments/segment_data.h"

#include <algorithm>

#include "croft/core/error.h"

namespace croft {
namespace {

// The attributes of a position without the cells that stand beside them.
void strip_cells(const TextSequence& from, TextSequence& to) {
  to.clear();
  std::size_t column = 0;
  std::string_view cell;
  for (std::size_t t = 0; t < from.length(); ++t) {
    for (std::size_t k = from.node.list_begin(t); k < from.node.list_end(t); ++k) {
      const std::string_view item = from.node.item(k);
      if (!parse_cell_name(item, column, cell)) to.node.append(item, from.node.value(k));
    }
    to.node.end_list();
  }
  to.labels = from.labels;
  to.weight = from.weight;
  to.weight_given = from.weight_given;
  to.first_line = from.first_line;
}

}  // namespace

bool shares_positions(const SegmentTemplates& templates) {
  std::string_view text = templates.text();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (last != line.npos && line.substr(0, last + 1) == "P") return true;
  }
  return false;
}

SegmentEncoder::SegmentEncoder(const Extractor& extractor, const SegmentOptions& options,
                               const SegmentModel* init)
    : extractor_(extractor),
      options_(options),
      init_(init),
      cells_(options.templates.columns().size()),
      reader_(options.templates, lexicon_, 0, options.text_prefix) {
  if (init_ != nullptr) keep_names();
}

std::size_t SegmentEncoder::partial_positions() const {
  const auto known = std::ranges::count_if(encoder_.data.label, is_one_label);
  return positions() - static_cast<std::size_t>(known);
}

void SegmentEncoder::add(const TextSequence& sequence, std::string_view file) {
  if (sequence.length() == 0) return;
  if (sequence.edge.lists() > 0) {
    throw UsageError(extractor_.config().template_name +
                     ": lines for pairs of neighbouring labels (B) with macros are those of a "
                     "chain; a line B of a segment template has the label of the segment before");
  }
  if (files_.empty() || files_.back().second != file) files_.emplace_back(sequences(), file);
  reader_.read(sequence, read_);
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    for (const std::string_view cell : read_.column[c]) {
      cells_[c].push_back(cell_names_.insert(cell));
    }
  }
  encoder_.partial = partial;
  if (extractor_.config().cells.empty()) {
    encoder_.add(sequence, file);
  } else {
    strip_cells(sequence, stripped_);
    encoder_.add(stripped_, file);
  }
  first_line_.push_back(sequence.first_line);
}

std::string SegmentEncoder::file_of(std::size_t n) const {
  const auto next = std::ranges::upper_bound(files_, n, {}, &decltype(files_)::value_type::first);
  return std::prev(next)->second;
}

void SegmentEncoder::words_of(std::size_t n, SegmentWords& words) const {
  const std::uint64_t first = examples_.position_begin[n];
  words.length = examples_.length(n);
  words.column.resize(cells_.size());
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    words.column[c].clear();
    for (std::size_t t = 0; t < words.length; ++t) {
      words.column[c].push_back(cell_names_[cells_[c][first + t]]);
    }
  }
}

void SegmentExamples::append(const SegmentExamples& from, std::size_t n,
                             std::span<const Label> columns) {
  known.insert(known.end(), columns.begin(), columns.end());
  position_begin.push_back(known.size());
  row.insert(row.end(), from.rows(n).begin(), from.rows(n).end());
  row_begin.push_back(row.size());
  const Gold all = gold(sequences() - 1);
  append_segments(labels, all, segment);
  segment_begin.push_back(segment.size());
  complete.push_back(all.is_complete());
}

void SegmentEncoder::expect(const UnlabelledOptions& options,
                            std::span<const TextSequence> unlabelled) {
  std::vector<bool> present(encoder_.node_names.size());
  for (const TextSequence& text : unlabelled) {
    for (std::size_t k = 0; k < text.node.items(); ++k) {
      const std::uint32_t attribute = encoder_.node_names.find(text.node.item(k));
      if (attribute != kUnknown) present[attribute] = true;
    }
  }
  expectations_ = attribute_expectations(options, encoder_.label_names, encoder_.node_names,
                                         encoder_.data, present);
  for (const AttributeExpectation& each : expectations_) {
    for (Label y = 0; y < encoder_.label_names.size(); ++y) {
      kept_.node.push_back({each.attribute, y});
    }
  }
}

UnlabelledTerms SegmentEncoder::terms(const UnlabelledOptions& options,
                                      std::size_t unlabelled) const {
  const auto known = static_cast<std::size_t>(std::ranges::count_if(examples_.known, is_one_label));
  return unlabelled_terms(options, expectations_, layout_, renumbering_, labels_.size(), known,
                          unlabelled);
}

void SegmentEncoder::lay_out(FeatureSet features, std::size_t min_count) {
  find_labels();
  if (init_ != nullptr) match_labels();
  spell_labels();
  find_segments();
  const std::vector<std::size_t> longest = find_longest();
  SegmentLabels& labels = examples_.labels;
  bool cut = false;
  for (Label y = 0; y < labels.labels(); ++y) {
    // Not runs any more, but positions that may follow each other.
    if (longest[y] > 1 || labels.may_follow_itself(y)) continue;
    labels.inside[y] = labels.last[y] = SegmentLabels::kNone;
    cut = true;
  }
  if (cut) find_segments();
  check_lengths(longest);
  const std::vector<std::uint32_t> cells(longest.begin(), longest.end());
  examples_.shape = SegmentShape(cells);
  if (options_.own_templates && std::ranges::all_of(longest, [](auto d) { return d == 1; })) {
    throw UsageError(
        "--segment-template: no segment of this data may have more than one position, and the "
        "features of positions say all of it; leave it out");
  }
  find_shared();
  build_lexicon();
  count_features(min_count);
  if (init_ != nullptr) keep_features();
  make_rows();
  show_labels();
  make_layout(features, min_count);
  node_row_.resize(layout_.node.rows());
  pair_row_.resize(layout_.edge.rows());
  for (std::uint32_t a = 0; a < renumbering_.node.size(); ++a) {
    if (renumbering_.node[a] != kUnknown) node_row_[renumbering_.node[a]] = a;
  }
  for (std::uint32_t a = 0; a < renumbering_.edge.size(); ++a) {
    if (renumbering_.edge[a] != kUnknown) pair_row_[renumbering_.edge[a]] = a;
  }
  check_paths();
}

Run SegmentEncoder::intercept_weights() const {
  const std::uint32_t attribute = encoder_.node_names.find(kIntercept);
  if (attribute == kUnknown || renumbering_.node[attribute] == kUnknown) return {0, 0};
  const std::uint32_t row = renumbering_.node[attribute];
  return {layout_.node.begin[row], static_cast<std::uint32_t>(layout_.node.length(row))};
}

SegmentEncoder::RowName SegmentEncoder::node_name(std::uint32_t row) const {
  const std::uint32_t attribute = node_row_[row];
  const auto first = static_cast<std::uint32_t>(encoder_.node_names.size());
  if (attribute < first) return {encoder_.node_names[attribute], false};
  return {segment_names_[attribute - first], true};
}

}  // namespace croft
