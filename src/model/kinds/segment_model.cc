#include "model/kinds/segment_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/chain_sections.h"
#include "model/file/container.h"
#include "model/file/record.h"
#include "model/score_numbers.h"

namespace croft {
namespace {

constexpr std::array<std::string_view, 1> kSegmentKinds = {SegmentModel::kKind};
constexpr std::array<std::string_view, 1> kSegmentRequired = {"segment.template"};
// A position's cells are numbers of memory: a damaged file is not to ask for all of it.
constexpr std::uint32_t kMostCells = 1 << 24;

SegmentTemplates read_segment_templates(const Container& container) {
  try {
    return SegmentTemplates::parse(container.text("segment.template"), container.name());
  } catch (const InputError&) {
    container.fail_section("segment.template");
  }
}

Json label_number(Label c) { return c == SegmentLabels::kNone ? Json() : Json(c); }

}  // namespace

SegmentModel::SegmentModel(Container container)
    : SequenceModel(std::move(container), kSegmentKinds, kSegmentRequired),
      templates_(read_segment_templates(container_)),
      node_(container_, "node", labels()) {
  read_segments();
  const std::size_t segment_labels = labels_.labels();
  segment_ = FeatureTable(container_, "segment", segment_labels);
  pair_ = FeatureTable(container_, "pair", segment_labels * segment_labels);
  tied_ = FeatureTable(container_, "tied", segment_labels * segment_labels);
  read_transitions();
  set_features();
}

SegmentModel::SegmentModel(Container container, std::string_view kind)
    : SequenceModel(std::move(container), std::span(&kind, 1), kSegmentRequired),
      templates_(read_segment_templates(container_)),
      has_tables_(false) {
  read_segments();
  set_features();
}

void SegmentModel::set_features() {
  std::size_t longest = 0;
  for (Label y = 0; y < labels_.labels(); ++y) {
    if (shape_.longest(y) > 1) longest = std::max(longest, shape_.longest(y));
  }
  features_ = SegmentFeatures(templates_, lexicon_, longest, text_prefix_);
}

// From meta: labels, lengths, names of gazetteers.
void SegmentModel::read_segments() {
  const Record segments = record().at("segments");
  std::vector<std::uint32_t> longest;
  std::uint64_t cells = 0;
  for (const Record& one : segments.at("labels").list()) {
    const auto column = [&](std::string_view key, bool must) {
      const Record c = one.at(key);
      return c.is_null() && !must ? SegmentLabels::kNone
                                  : c.whole<Label>(0, static_cast<Label>(labels() - 1));
    };
    const Record length = one.at("longest");
    longest.push_back(length.whole<std::uint32_t>(1, kMostCells));
    cells += longest.back();
    length.require(cells <= kMostCells, "fewer positions in all labels");
    labels_.names.push_back(one.at("name").text());
    labels_.first.push_back(column("first", true));
    labels_.inside.push_back(column("inside", longest.back() > 1));
    labels_.last.push_back(column("last", longest.back() > 1));
    labels_.single.push_back(column("single", true));
  }
  segments.at("labels").require(
      labels_.labels() > 0 && labels_.labels() <= labels() &&
          std::ranges::count(segment_label_of(labels_, labels()), SegmentLabels::kNone) == 0,
      "a label of segments for each of the labels");
  shape_ = SegmentShape(longest);
  const Record prefix = segments.at("text_prefix");
  text_prefix_ = prefix.text();
  const std::vector<std::size_t>& known = extractor().config().cells;
  for (const std::size_t c : templates_.columns()) {
    const bool there = text_prefix_.empty() ? std::ranges::find(known, c) != known.end() : c == 0;
    prefix.require(there, "one that fits the columns of segment.template");
  }
  lexicon_ = SegmentLexicon(container_, labels_.names, segments.at("gazetteers").texts());
}

void SegmentModel::read_transitions() {
  const std::size_t labels = labels_.labels();
  Matrix<double> log(labels, labels, 0.0);
  for (std::uint32_t id = 0; id < tied_.size(); ++id) {
    const WeightRow row = tied_.row(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::uint32_t cell = row.cell(k);
      if (cell < labels * labels) log(cell / labels, cell % labels) += row.weight(k);
    }
  }
  set_segment_transitions(std::move(log));
}

void SegmentModel::set_segment_transitions(Matrix<double> log) {
  constexpr double kMost = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < log.rows(); ++i) {
    const bool good = std::ranges::all_of(log[i], [](double x) { return std::abs(x) <= kMost; });
    if (good) continue;
    container_.fail_section(has_tables_ ? "tied.weights" : "transitions",
                            "scores of transitions are no finite numbers");
  }
  forbid_repeats(labels_, log);
  segment_double_.assign(std::move(log));
  segment_float_ = convert<float>(segment_double_);
}

template <class Real>
void SegmentModel::score_in(const TextSequence& sequence, Scratch& scratch,
                            ChainScores<Real>& out) const {
  out.reset(sequence.length(), transitions<Real>());
  add_node_scores(node_, sequence, scratch.node, out);
}

void SegmentModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                               ChainScores<float>& out) const {
  score_in(sequence, scratch, out);
}
void SegmentModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                               ChainScores<double>& out) const {
  score_in(sequence, scratch, out);
}

template <class Real>
SegmentRowScores<Real> SegmentModel::score_rows(Real scale, SegmentScratch<Real>& scratch) const {
  const SegmentStrings& strings = scratch.strings;
  const std::size_t rows = strings.row.size(), labels = labels_.labels();
  scratch.row.assign(rows, labels, Real{0});
  segment_.find(strings.node, scratch.node);
  for (std::size_t r = 0; r < rows; ++r) {
    Real* out = scratch.row.row(r);
    for (std::size_t k = strings.node.list_begin(r); k < strings.node.list_end(r); ++k) {
      const Real value = scale * static_cast<Real>(strings.node.value(k));
      segment_.visit(scratch.node.places[k], [&](std::uint32_t y, float weight) {
        out[y] += value * static_cast<Real>(weight);
      });
    }
  }
  SegmentRowScores<Real> result{
      .row = strings.row, .node = scratch.row.row(0), .stride = scratch.row.stride()};
  if (!has_pairs()) return result;
  pair_.find(strings.pair, scratch.pair);
  const auto& places = scratch.pair.places;
  scratch.pair_of.assign(rows, nullptr);
  scratch.pair_rows.assign(rows * labels, labels, Real{0});
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = strings.pair.list_begin(r); k < strings.pair.list_end(r); ++k) {
      if (places[k].length == 0) continue;
      scratch.pair_of[r] = scratch.pair_rows.row(r * labels);
      const Real value = scale * static_cast<Real>(strings.pair.value(k));
      pair_.visit(places[k], [&](std::uint32_t cell, float weight) {
        scratch.pair_rows(r * labels + cell / labels, cell % labels) +=
            value * static_cast<Real>(weight);
      });
    }
  }
  result.pair = scratch.pair_of;
  result.pair_stride = scratch.pair_rows.stride();
  return result;
}

template <class Real>
void SegmentModel::segment_scores(const TextSequence& sequence, const ChainScores<Real>& positions,
                                  Real scale, SegmentScratch<Real>& scratch,
                                  SegmentScores<Real>& out) const {
  if (!scratch.assembly) scratch.assembly.emplace(labels_, shape_);
  features_.read(sequence, scratch.words);
  features_.expand(scratch.words, scratch.features, scratch.strings);
  scratch.assembly->assemble(positions.length(), positions.state.row(0), positions.state.stride(),
                             has_tables_ ? score_rows(scale, scratch) : SegmentRowScores<Real>(),
                             segment_transitions<Real>(), out);
  if (!has_tables_) add_segments(scratch.strings, static_cast<double>(scale), scratch.spans, out);
  const Real least = least_score<Real>(true);
  if (are_scores(out.segment, least) && are_scores(out.overlay, least)) return;
  fail_numbers(sequence, "the segments");
}

template void SegmentModel::segment_scores(const TextSequence&, const ChainScores<float>&, float,
                                           SegmentScratch<float>&, SegmentScores<float>&) const;
template void SegmentModel::segment_scores(const TextSequence&, const ChainScores<double>&, double,
                                           SegmentScratch<double>&, SegmentScores<double>&) const;

namespace {

// Rows of pairs, whose cells the layout numbers by column labels.
struct PairRows {
  std::vector<std::vector<std::uint32_t>> cell;
  std::vector<NamedRow> rows;

  PairRows(const RowLayout& layout, const std::vector<std::string_view>& names,
           std::span<const double> weights, std::size_t columns, std::size_t labels) {
    for (std::size_t r = 0; r < layout.rows(); ++r) {
      std::vector<std::uint32_t>& cells = cell.emplace_back();
      for (std::size_t k = 0; k < layout.length(r); ++k) {
        const std::uint32_t c = layout.cell_of(r, k);
        cells.push_back(static_cast<std::uint32_t>(c / columns * labels + c % columns));
      }
    }
    for (std::size_t r = 0; r < layout.rows(); ++r) {
      rows.push_back({names[r], cell[r], weights.subspan(layout.begin[r], layout.length(r))});
    }
  }
};

}  // namespace

Json segment_record(const SegmentFeatureParts& parts) {
  Json labels = Json::array();
  const SegmentLabels& of = *parts.labels;
  for (Label y = 0; y < of.labels(); ++y) {
    labels.push_back({{"name", of.names[y]},
                      {"first", label_number(of.first[y])},
                      {"inside", label_number(of.inside[y])},
                      {"last", label_number(of.last_of(y))},
                      {"single", label_number(of.single_of(y))},
                      {"longest", parts.shape->longest(y)}});
  }
  return {{"labels", std::move(labels)},
          {"gazetteers", parts.gazetteers},
          {"text_prefix", parts.text_prefix}};
}

void write_segment_features(const SegmentFeatureParts& parts, ContainerWriter& out) {
  out.add("segment.template", parts.templates->text(), ContainerWriter::Kind::required);
  parts.lexicon->write(false, out);
}

ContainerWriter make_segment_model(const SegmentModelParts& parts) {
  const SegmentLabels& of = *parts.segments;
  const SegmentFeatureParts features{
      &of, parts.shape, parts.templates, parts.gazetteers, parts.text_prefix, parts.lexicon};
  ContainerWriter out;
  write_common_sections(SegmentModel::kKind, *parts.extraction, parts.labels, *parts.training,
                        {{"segments", segment_record(features)}}, out);
  const ChainLayout& layout = *parts.layout;
  std::vector<NamedRow> rows[2];
  std::vector<std::vector<std::uint32_t>> full;
  std::vector<std::uint32_t> every(layout.labels);
  for (std::uint32_t c = 0; c < every.size(); ++c) every[c] = c;
  for (std::size_t r = 0; r < layout.node.rows(); ++r) {
    const std::size_t begin = layout.node.begin[r] - layout.node.begin[0];
    NamedRow row{parts.node_names[r], every,
                 parts.weights.subspan(layout.node.begin[r], layout.node.length(r))};
    if (!layout.node.all_full()) {
      row.cell = std::span(layout.node.cell).subspan(begin, layout.node.length(r));
    }
    rows[parts.of_segments[r] ? 1 : 0].push_back(row);
  }
  const std::size_t segment_labels = of.labels(), pairs = segment_labels * segment_labels;
  write_feature_table(rows[0], parts.labels.size(), "node", out);
  write_feature_table(rows[1], segment_labels, "segment", out);
  const std::vector<std::string_view> tied_names(layout.tied.rows(), "");
  const PairRows tied(layout.tied, tied_names, parts.weights, layout.labels, segment_labels);
  write_feature_table(tied.rows, pairs, "tied", out);
  const PairRows pair(layout.edge, parts.pair_names, parts.weights, layout.labels, segment_labels);
  write_feature_table(pair.rows, pairs, "pair", out);
  write_segment_features(features, out);
  return out;
}

}  // namespace croft
