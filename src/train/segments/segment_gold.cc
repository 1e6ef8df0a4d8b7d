// What the labels of the data say of segments: labels, lengths, what is known of each sequence.
#include <algorithm>

#include "croft/core/error.h"
#include "croft/inference/segment_viterbi.h"
#include "train/segments/segment_data.h"
#include "train/segments/segment_lengths.h"

namespace croft {

void append_segments(const SegmentLabels& labels, const Gold& gold, std::vector<Segment>& out) {
  for (std::size_t begin = 0; begin < gold.length();) {
    std::size_t end = begin;
    while (end < gold.length() && is_one_label(gold.known[end])) ++end;
    // A stretch of known labels; what is at its ends may go on beside it.
    std::vector<Segment> known = read_segments(labels, gold.known.subspan(begin, end - begin));
    for (std::size_t k = 0; k < known.size(); ++k) {
      const Label y = known[k].label, first = gold.known[begin + known[k].begin];
      const Label last = gold.known[begin + known[k].end - 1], inside = labels.inside[y];
      const bool begins = k > 0 || begin == 0 || (first != inside && first != labels.last_of(y));
      const auto may_follow = [&](Label c) {
        return c != SegmentLabels::kNone && gold.allows(end, c);
      };
      const bool ends = k + 1 < known.size() || end == gold.length() ||
                        (last != inside && last == labels.last_of(y)) ||
                        (!may_follow(inside) && !may_follow(labels.last_of(y)));
      if (begins && ends) out.push_back({begin + known[k].begin, begin + known[k].end, y});
    }
    begin = end + 1;
  }
}

// The labels of segments, and how those of columns spell them.
void SegmentEncoder::find_labels() {
  std::vector<std::string_view> names;
  for (std::uint32_t k = 0; k < encoder_.label_names.size(); ++k) {
    names.push_back(encoder_.label_names[k]);
    labels_.emplace_back(names.back());
  }
  const ChunkScheme scheme = options_.scheme ? options_.scheme(names) : ChunkScheme::none;
  examples_.labels = segment_labels(
      labels_, scheme, scheme == ChunkScheme::none ? PlainLabels::runs : PlainLabels::tokens);
}

// Fills examples_.known.  What the scheme would not write is written as it reads it.
void SegmentEncoder::spell_labels() {
  const ChainData& data = encoder_.data;
  examples_.known = data.label;
  examples_.sets = data.label_sets;
  examples_.position_begin = data.sequence_begin;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const Gold gold = data.gold(n);
    if (!gold.is_complete()) continue;
    spell(examples_.labels, read_segments(examples_.labels, gold.known),
          std::span(examples_.known).subspan(data.sequence_begin[n], gold.length()));
  }
}

void SegmentEncoder::find_segments() {
  examples_.segment.clear();
  examples_.segment_begin.assign(1, 0);
  examples_.complete.clear();
  for (std::size_t n = 0; n < sequences(); ++n) {
    const Gold gold = examples_.gold(n);
    append_segments(examples_.labels, gold, examples_.segment);
    examples_.segment_begin.push_back(examples_.segment.size());
    examples_.complete.push_back(gold.is_complete());
  }
}

// From the options where they say it, otherwise from the data, and no longer than its longest
// sequence: [L].
std::vector<std::size_t> SegmentEncoder::find_longest() const {
  const SegmentLabels& labels = examples_.labels;
  std::vector<std::size_t> asked(labels.labels()), longest(labels.labels(), 1);
  for (const LongestSegment& each : options_.longest) {
    if (!each.label.empty()) continue;
    for (Label y = 0; y < labels.labels(); ++y) {
      if (labels.inside[y] != SegmentLabels::kNone) asked[y] = each.length;
    }
  }
  for (const LongestSegment& each : options_.longest) {
    if (each.label.empty()) continue;
    const auto found = std::ranges::find(labels.names, each.label);
    if (found == labels.names.end()) {
      std::string names;
      for (const std::string& name : labels.names) names += (names.empty() ? "" : ", ") + name;
      throw UsageError("--max-length ", each.label, "=", each.length,
                       ": there is no segment of that label; the data has ", names);
    }
    const auto y = static_cast<Label>(found - labels.names.begin());
    if (each.length > 1 && labels.inside[y] == SegmentLabels::kNone) {
      throw UsageError("--max-length ", each.label, "=", each.length,
                       ": the data has no label for the inside of such a segment");
    }
    asked[y] = each.length;
  }
  for (const Segment& each : examples_.segment) {
    longest[each.label] = std::max(longest[each.label], each.end - each.begin);
  }
  for (Label y = 0; y < label_of_.size(); ++y) {
    longest[label_of_[y]] = std::max(longest[label_of_[y]], init_->shape().longest(y));
  }
  std::size_t whole = 1;
  for (std::size_t n = 0; n < sequences(); ++n) whole = std::max(whole, examples_.length(n));
  std::vector<bool> fixed(labels.labels());
  for (Label y = 0; y < labels.labels(); ++y) {
    fixed[y] = asked[y] > 0;
    if (fixed[y]) longest[y] = std::min(asked[y], whole);
  }
  for (std::size_t n = 0; n < sequences(); ++n) {
    if (!examples_.complete[n]) raise_longest(labels, examples_.gold(n), fixed, longest);
  }
  return longest;
}

void SegmentEncoder::check_lengths(std::span<const std::size_t> longest) const {
  for (std::size_t n = 0; n < sequences(); ++n) {
    for (const Segment& each : segments_of(n)) {
      const std::size_t found = each.end - each.begin;
      if (found <= longest[each.label]) continue;
      const bool by_position = first_line_[n] > 0 && !options_.one_line;
      const std::size_t line = first_line_[n] + (by_position ? each.begin : 0);
      const std::string& name = examples_.labels.names[each.label];
      throw InputError({file_of(n), line},
                       "a segment of " + std::to_string(found) + " positions, and those of " +
                           name + " have at most " + std::to_string(longest[each.label]),
                       name, "raise --max-length, or leave it out");
    }
  }
}

// With partial labels: every sequence must have a segmentation that fits.
void SegmentEncoder::check_paths() const {
  const SegmentExamples& examples = examples_;
  Matrix<double> log(examples.labels.labels(), examples.labels.labels(), 0.0);
  forbid_repeats(examples.labels, log);
  TransitionScores<double> transitions;
  transitions.assign(std::move(log));
  SegmentScores<double> scores;
  SegmentBest best;
  std::vector<Segment> segments;
  for (std::size_t n = 0; n < examples.sequences(); ++n) {
    scores.reset(examples.shape, examples.length(n), transitions);
    restrict_to(examples.labels, examples.gold(n), scores);
    if (viterbi<double>(scores, best, segments) > SegmentScores<double>::kForbidden) continue;
    throw InputError({file_of(n), first_line_[n]},
                     "no segmentation fits what is known of the sequence that begins here", "",
                     "give longer segments with --max-length, or mend its labels");
  }
}

// A column for each label of segments whose positions have different labels.
void SegmentEncoder::find_shared() {
  width_ = labels_.size();
  if (!shares_positions(options_.templates)) return;
  const SegmentLabels& labels = examples_.labels;
  const std::vector<Label> of = segment_label_of(labels, labels_.size());
  examples_.shared.assign(labels_.size(), SegmentLabels::kNone);
  for (Label y = 0; y < labels.labels(); ++y) {
    if (examples_.shape.longest(y) < 2 || std::ranges::count(of, y) < 2) continue;
    for (Label c = 0; c < labels_.size(); ++c) {
      if (of[c] == y) examples_.shared[c] = static_cast<Label>(width_);
    }
    ++width_;
  }
  if (width_ > labels_.size()) return;
  throw UsageError(
      "the line P of the segment template is for segments whose positions have different labels, "
      "such as B-X and I-X, and this data has none: delete the line");
}

// For the layout: a position shows its column's label and the shared one.
void SegmentEncoder::show_labels() {
  if (width_ == labels_.size()) return;
  LabelSets shown;
  std::vector<Label> number(labels_.size(), kAnyLabel);  // of a column's set
  const auto add = [&](std::vector<Label> set) {
    std::ranges::sort(set);
    set.erase(std::ranges::unique(set).begin(), set.end());
    shown.label.insert(shown.label.end(), set.begin(), set.end());
    shown.begin.push_back(static_cast<std::uint32_t>(shown.label.size()));
    return static_cast<Label>(kLabelSetBit + shown.size() - 1);
  };
  const auto with_shared = [&](std::span<const Label> columns) {
    std::vector<Label> set(columns.begin(), columns.end());
    for (const Label c : columns) {
      if (examples_.shared[c] != SegmentLabels::kNone) set.push_back(examples_.shared[c]);
    }
    return set;
  };
  for (Label c = 0; c < labels_.size(); ++c) number[c] = add(with_shared(std::span(&c, 1)));
  std::vector<Label> of_set;
  for (std::size_t s = 0; s < data_.label_sets.size(); ++s) {
    of_set.push_back(add(with_shared(data_.label_sets[s])));
  }
  for (Label& known : data_.label) {
    if (known == kAnyLabel) continue;
    known = is_one_label(known) ? number[known] : of_set[known - kLabelSetBit];
  }
  data_.label_sets = std::move(shown);
}

}  // namespace croft
