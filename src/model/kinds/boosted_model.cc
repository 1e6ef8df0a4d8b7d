#include "model/kinds/boosted_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/file/container.h"

namespace croft {

namespace {

constexpr std::array<std::string_view, 2> kBoostedKinds = {kBoostedChain, kBoostedMaxent};

}  // namespace

BoostedModel::BoostedModel(Container container)
    : SequenceModel(std::move(container), kBoostedKinds, {}),
      scorer_(container_, labels(), false),
      rounds_(read_rounds(*this)) {
  if (labels_are_independent()) {
    if (trees().has_pairs()) container_.fail_section("trees.roots");
    return;
  }
  TransitionScores<double> transitions;
  transitions.assign(read_tree_transitions(container_, labels()));
  set_transitions(std::move(transitions), "transitions");
}

void BoostedModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                               ChainScores<float>& out) const {
  out.reset(sequence.length(), transitions<float>());
  scorer_.score(sequence, scratch, out);
}
void BoostedModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                               ChainScores<double>& out) const {
  out.reset(sequence.length(), transitions<double>());
  scorer_.score(sequence, scratch, out);
}

ContainerWriter make_boosted_model(const BoostedParts& parts) {
  ContainerWriter out;
  write_common_sections(parts.kind, *parts.extraction, parts.labels, *parts.training,
                        {{"rounds", parts.rounds}}, out);
  write_trees(parts, false, out);
  return out;
}

BoostedSegmentModel::BoostedSegmentModel(Container container)
    : SegmentModel(std::move(container), kBoostedSegment),
      scorer_(container_, labels(), true),
      rounds_(read_rounds(*this)) {
  const std::size_t of_segments = segment_labels().labels();
  for (const TreeRoot& root : scorer_.trees().roots()) {
    if (root.output == kAllOutputs || root.output < labels()) continue;
    const std::size_t y = root.output - labels();
    if (y >= of_segments || shape().longest(static_cast<Label>(y)) < 2)
      container_.fail_section("trees.roots");
  }
  set_segment_transitions(read_tree_transitions(container_, of_segments));
}

void BoostedSegmentModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                                      ChainScores<float>& out) const {
  out.reset(sequence.length(), transitions<float>());
  scorer_.score(sequence, scratch, out);
}
void BoostedSegmentModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                                      ChainScores<double>& out) const {
  out.reset(sequence.length(), transitions<double>());
  scorer_.score(sequence, scratch, out);
}

template <class Real>
void BoostedSegmentModel::add_segments_in(const SegmentStrings& strings, double scale,
                                          SpanScratch& scratch, SegmentScores<Real>& out) const {
  if (!scorer_.trees().has_pairs()) return;
  const StringLists& lists = strings.node;
  scorer_.find_spans(lists, scratch.ids);
  scratch.number.clear();
  for (std::uint32_t r = 0; r < strings.row.size(); ++r) {
    const auto own = std::span(scratch.ids)
                         .subspan(lists.list_begin(r), lists.list_end(r) - lists.list_begin(r));
    const bool any = std::ranges::any_of(own, [](std::uint32_t id) { return id != kUnknown; });
    scratch.number.push_back(any ? r : SpanRows::kNone);
  }
  const std::size_t labels = segment_labels().labels();
  std::size_t longest = 0;
  for (Label y = 0; y < labels; ++y) {
    if (shape().longest(y) > 1) longest = std::max(longest, shape().longest(y));
  }
  scratch.rows.start(strings.row, scratch.number, out.length(), longest);
  scratch.place.clear();
  scratch.values.clear();
  const auto place_of = [&](const SpanRows::Key& key) {
    const auto [at, is_new] = scratch.place.try_emplace(key, scratch.values.size());
    if (!is_new) return at->second;
    scratch.seen.start(scorer_.attributes());
    for (const std::uint32_t row : key) {
      if (row == SpanRows::kNone) continue;
      for (std::size_t k = lists.list_begin(row); k < lists.list_end(row); ++k) {
        if (scratch.ids[k] != kUnknown) scratch.seen.add(scratch.ids[k], lists.value(k));
      }
    }
    scratch.values.resize(at->second + labels);
    scorer_.add_spans(scratch.seen, std::span(scratch.values).subspan(at->second, labels));
    return at->second;
  };
  scratch.rows.visit([&](std::size_t s, std::size_t d, const SpanRows::Key& key) {
    const std::size_t place = place_of(key);  // which may move the values
    const double* const values = scratch.values.data() + place;
    Real* const cells = out.segment.row(s);
    for (Label y = 0; y < labels; ++y) {
      if (shape().longest(y) < 2 || d > shape().longest(y)) continue;
      cells[shape().cell(y, d)] += static_cast<Real>(scale * values[y]);
    }
  });
}

void BoostedSegmentModel::add_segments(const SegmentStrings& strings, double scale,
                                       SpanScratch& scratch, SegmentScores<float>& out) const {
  add_segments_in(strings, scale, scratch, out);
}
void BoostedSegmentModel::add_segments(const SegmentStrings& strings, double scale,
                                       SpanScratch& scratch, SegmentScores<double>& out) const {
  add_segments_in(strings, scale, scratch, out);
}

ContainerWriter make_boosted_segment_model(const BoostedSegmentParts& parts) {
  const BoostedParts& boosted = parts.boosted;
  ContainerWriter out;
  write_common_sections(kBoostedSegment, *boosted.extraction, boosted.labels, *boosted.training,
                        {{"rounds", boosted.rounds}, {"segments", segment_record(parts.segments)}},
                        out);
  write_segment_features(parts.segments, out);
  write_trees(boosted, true, out);
  return out;
}

}  // namespace croft
