#include "app/explain/explain_segment.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

using Kind = Reason::Kind;

std::size_t longest_of(const SegmentModel& model) {
  std::size_t longest = 0;
  for (Label y = 0; y < model.shape().labels(); ++y) {
    if (model.shape().longest(y) > 1) longest = std::max(longest, model.shape().longest(y));
  }
  return longest;
}

double weight_at(const FeatureTable& table, std::string_view name, std::uint32_t cell) {
  const WeightRow row = table.row(table.names().find(name));
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row.cell(k) == cell) return row.weight(k);
  }
  return 0;
}

// Without what marks START and STOP.
std::string shown_name(std::string_view name) {
  Boundary boundary;
  std::string_view edge;
  if (!parse_boundary_name(name, boundary, edge)) return std::string(name);
  return (boundary == Boundary::start ? "START " : "STOP ") + std::string(edge);
}

bool is_inside(const Segment& one, const Segment& all) {
  return one.begin >= all.begin && one.end <= all.end;
}

void add_reason(Reason reason, ExplainedSegments& out) {
  if (reason.label != reason.other) out.reasons.push_back(std::move(reason));
}

}  // namespace

// Segments of the segmentation, in a row, and their neighbours.
struct SegmentExplainer::Place {
  std::span<const Segment> here;
  const Segment *before, *after;  // or null

  std::size_t first() const { return before != nullptr ? before->begin : here.front().begin; }
  std::size_t last() const { return after != nullptr ? after->end : here.back().end; }
};

SegmentExplainer::SegmentExplainer(const TagPlan& plan)
    : plan_(plan),
      model_(*as<SegmentModel>(plan.model())),
      features_(model_.templates(), model_.lexicon(), longest_of(model_), model_.text_prefix()) {
  if (plan.calibrator() != nullptr) {
    throw UsageError(model_.container().name() +
                     " is calibrated: its weights are not what its scores are made of alone; "
                     "explain the model that it was made from, whose weights are the same");
  }
  if (!plan.has_best_segments() || plan.has_rules() || plan.partial()) {
    throw UsageError(
        "constraints, rules and partial labels do not go with an explanation of segments: they "
        "choose among whole labellings, and it weighs what could stand in one place");
  }
  if (plan.decode() != Decode::viterbi) {
    throw UsageError("what is explained is the most probable segmentation: use --decode viterbi");
  }
}

SegmentExplanation SegmentExplainer::explain(const TagInput& input, const ExplainOptions& options) {
  const std::size_t length = input.text.length();
  check_options(options, length, labels().size(), " of segments");
  plan_.score(input, scratch_, base_);
  model_.segment_scores(input.text, base_, 1.0, own_, scores_);
  out_ = SegmentExplanation();
  const double best = viterbi<double>(scores_, best_, out_.segments);
  out_.outcome.found = best > kMinusInfinity;
  if (!out_.outcome.found) return out_;
  mu_.reshape(length, scores_.segment.columns());
  overlay_.reshape(scores_.overlay.rows(), scores_.overlay.columns());
  transition_.assign(labels().size() * labels().size(), 0.0);
  const double log_z = marginals<double>(
      scores_, 1.0, work_,
      {.segment = mu_.row(0), .overlay = overlay_.row(0), .transition = transition_.data()});
  out_.log_probability = std::min(0.0, best - log_z);
  out_.gold = options.gold;
  if (options.gold) {
    explain_wrong(input, options);
    return out_;
  }
  for (std::size_t k = 0; k < out_.segments.size(); ++k) {
    const auto& [begin, end, y] = out_.segments[k];
    if (!is_asked(options, {begin, end})) continue;
    explain(input.text, k, 1, options, out_.explained.emplace_back());
  }
  return out_;
}

// A label that the model does not know spells no segment: there it takes the predicted one.
void SegmentExplainer::explain_wrong(const TagInput& input, const ExplainOptions& options) {
  check_gold(input);
  const TextSequence& text = input.text;
  const SegmentLabels& labels = model_.segment_labels();
  std::vector<Label> gold(text.length()), predicted(text.length());
  spell(labels, out_.segments, predicted);
  std::vector<bool> is_wrong;
  std::vector<std::string> unknown(text.length());
  for (std::size_t t = 0; t < text.length(); ++t) {
    const std::string_view name = text.labels.item(t);
    const std::optional<Label> label = plan_.names().find(name);
    if (!label) unknown[t] = name;
    gold[t] = label.value_or(predicted[t]);
    is_wrong.push_back(label != predicted[t]);
  }
  const std::vector<Segment> gold_segments = read_segments(labels, gold);
  std::vector<Stretch> wholes;
  for (const std::span<const Segment> side :
       {std::span(gold_segments), std::span(std::as_const(out_.segments))}) {
    for (const auto& [begin, end, y] : side) wholes.push_back({begin, end});
  }
  const auto inside = [](const Stretch& stretch) {
    return [&stretch](const Segment& one) {
      return one.begin >= stretch.begin && one.end <= stretch.end;
    };
  };
  for (const Stretch& stretch : wrong_stretches(is_wrong, wholes)) {
    if (!is_asked(options, stretch)) continue;
    ExplainedSegments& out = out_.explained.emplace_back();
    std::ranges::copy_if(gold_segments, std::back_inserter(out.other), inside(stretch));
    for (const auto& [begin, end, y] : out.other) {
      if (end - begin <= model_.shape().longest(y)) continue;
      out.error = "the model has no segment " + in_quotes(labels.names[y]) + " of " +
                  std::to_string(end - begin) + " positions: none is longer than " +
                  std::to_string(model_.shape().longest(y));
    }
    for (std::size_t t = stretch.begin; t < stretch.end; ++t) {
      if (!unknown[t].empty()) out.error = unknown_label(unknown[t]);
    }
    const auto first = std::ranges::find_if(out_.segments, inside(stretch));
    const auto count = std::ranges::count_if(out_.segments, inside(stretch));
    if (out.error.empty() && std::ranges::equal(std::span(first, first + count), out.other)) {
      out.error = "the labels of the data spell the same segments";
    }
    explain(text, static_cast<std::size_t>(first - out_.segments.begin()),
            static_cast<std::size_t>(count), options, out);
  }
}

// Against out.other; where it is empty and there is no error, against what is found.
void SegmentExplainer::explain(const TextSequence& text, std::size_t first, std::size_t count,
                               const ExplainOptions& options, ExplainedSegments& out) {
  const std::vector<Segment>& all = out_.segments;
  const std::size_t end = first + count;
  const Place place{std::span(all).subspan(first, count), first > 0 ? &all[first - 1] : nullptr,
                    end < all.size() ? &all[end] : nullptr};
  out.segments.assign(place.here.begin(), place.here.end());
  for (const Segment& each : place.here) {
    const std::size_t cell = model_.shape().cell(each.label, each.end - each.begin);
    out.probability.push_back(std::min(1.0, mu_(each.begin, cell)));
  }
  count_unknown(text, options.unknown, out);
  if (!out.error.empty()) out.other.clear();
  if (!out.error.empty()) return;
  if (!options.gold) find_other(place, options, out);
  if (out.other.empty()) return;
  add_attributes(text, out);
  add_strings(place, out);
  add_transitions(place, out);
  finish_reasons(options.top, out);
}

// The best segmentation of a place of one segment, its neighbours being what they are: of a
// sequence that ends where they do, in which nothing else is allowed.
void SegmentExplainer::find_other(const Place& place, const ExplainOptions& options,
                                  ExplainedSegments& out) {
  const Segment here = place.here.front();
  const SegmentShape& shape = model_.shape();
  const std::size_t first = place.first(), length = place.last() - first;
  window_.reset(shape, length, *scores_.transitions);
  const bool against = options.against && *options.against != here.label;
  const auto is_allowed = [&](const Segment& one) {
    if (one == here) return false;
    if (is_inside(one, here)) return !against || one.label == *options.against;
    return (place.before != nullptr && one == *place.before) ||
           (place.after != nullptr && one == *place.after);
  };
  for (std::size_t t = 0; t < length; ++t) {
    for (Label y = 0; y < shape.labels(); ++y) {
      for (std::size_t d = 1; d <= std::min(shape.longest(y), length - t); ++d) {
        const std::size_t cell = shape.cell(y, d);
        const bool allowed = is_allowed({first + t, first + t + d, y});
        window_.segment(t, cell) = allowed ? scores_.segment(first + t, cell) : kMinusInfinity;
      }
    }
  }
  std::vector<std::size_t> from;  // rows of the overlay
  for (std::size_t k = 0; k < scores_.overlay_of.size(); ++k) {
    const auto& [begin, cell] = scores_.overlay_of[k];
    if (begin <= first || begin >= place.last()) continue;
    window_.overlay_of.push_back({static_cast<std::uint32_t>(begin - first), cell});
    from.push_back(k);
  }
  window_.overlay.reshape(from.size(), shape.labels());
  for (std::size_t k = 0; k < from.size(); ++k) {
    for (Label i = 0; i < shape.labels(); ++i) {
      window_.overlay(k, i) = scores_.overlay(from[k], i);
    }
  }
  std::vector<Segment> found;
  if (!(viterbi<double>(window_, best_, found) > kMinusInfinity)) return;
  for (Segment& one : found) {
    one.begin += first;
    one.end += first;
    if (is_inside(one, here)) out.other.push_back(one);
  }
}

// Those of positions whose column label is another one, and penalties.
void SegmentExplainer::add_attributes(const TextSequence& text, ExplainedSegments& out) {
  const SegmentLabels& labels = model_.segment_labels();
  const auto column = [&](const Segment& one, std::size_t t) {
    return labels.column(one.label, t - one.begin, one.end - one.begin);
  };
  auto here = out.segments.begin(), other = out.other.begin();
  for (std::size_t t = out.begin(); t < out.end(); ++t) {
    while (here->end <= t) ++here;
    while (other->end <= t) ++other;
    const Label c = column(*here, t), otherwise = column(*other, t);
    if (c == otherwise) continue;
    double sum = 0, other_sum = 0;
    const auto places = model_.node().places(text.node, t, scratch_.node);
    for (std::size_t k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
      Reason reason{.kind = Kind::attribute,
                    .name = shown_name(text.node.item(k)),
                    .value = text.node.value(k),
                    .begin = t,
                    .end = t + 1};
      model_.node().visit(places[k - text.node.list_begin(t)],
                          [&](std::uint32_t cell, float weight) {
                            if (cell == c) reason.label += reason.value * double{weight};
                            if (cell == otherwise) reason.other += reason.value * double{weight};
                          });
      sum += reason.label;
      other_sum += reason.other;
      add_reason(std::move(reason), out);
    }
    // Added up as the scorer does it: what is left is exactly 0 where nothing else was added.
    add_reason({.kind = Kind::limit,
                .label = base_.state(t, c) - sum,
                .other = base_.state(t, otherwise) - other_sum,
                .begin = t,
                .end = t + 1},
               out);
  }
}

// Strings of templates that either side has, each once.
void SegmentExplainer::add_strings(const Place& place, ExplainedSegments& out) {
  if (features_.longest() == 0) return;
  const auto labels = static_cast<std::uint32_t>(model_.segment_labels().labels());
  std::map<std::pair<Kind, std::string>, Reason> found;
  const auto add = [&](Kind kind, const StringLists& lists, const FeatureTable& table,
                       std::uint32_t cell, bool is_other) {
    for (std::size_t k = 0; k < lists.items(); ++k) {
      const std::string name(lists.item(k));
      Reason& reason =
          found
              .try_emplace(
                  {kind, name},
                  Reason{.kind = kind, .name = name, .begin = out.begin(), .end = out.end()})
              .first->second;
      (is_other ? reason.other : reason.label) += lists.value(k) * weight_at(table, name, cell);
    }
  };
  const auto add_segments = [&](std::span<const Segment> segments, bool is_other) {
    const Segment* before = place.before;
    const auto visit = [&](const Segment& one, bool own) {
      features_.expand(own_.words, one, expansion_, strings_);
      if (own) add(Kind::segment, strings_.node, model_.segment(), one.label, is_other);
      if (before != nullptr && model_.has_pairs()) {
        add(Kind::pair, strings_.pair, model_.pair(), before->label * labels + one.label, is_other);
      }
    };
    for (const Segment& one : segments) {
      visit(one, true);
      before = &one;
    }
    if (place.after != nullptr) visit(*place.after, false);
  };
  add_segments(place.here, false);
  add_segments(out.other, true);
  for (auto& [key, reason] : found) add_reason(std::move(reason), out);
}

// At either end of the place, and those inside of what could stand there.
void SegmentExplainer::add_transitions(const Place& place, ExplainedSegments& out) const {
  const TransitionScores<double>& edges = *scores_.transitions;
  const auto add = [&](double label, double other, std::size_t at) {
    add_reason({.kind = Kind::transition,
                .label = label,
                .other = other,
                .begin = at == 0 ? 0 : at - 1,
                .end = at + 1},
               out);
  };
  if (place.before != nullptr) {
    const Label i = place.before->label;
    add(edges.at(i, place.here.front().label), edges.at(i, out.other.front().label), out.begin());
  }
  for (std::size_t k = 1; k < place.here.size(); ++k) {
    add(edges.at(place.here[k - 1].label, place.here[k].label), 0, place.here[k].begin);
  }
  for (std::size_t k = 1; k < out.other.size(); ++k) {
    add(0, edges.at(out.other[k - 1].label, out.other[k].label), out.other[k].begin);
  }
  if (place.after != nullptr) {
    const Label j = place.after->label;
    add(edges.at(place.here.back().label, j), edges.at(out.other.back().label, j),
        place.after->begin);
  }
}

void SegmentExplainer::count_unknown(const TextSequence& text, bool names, ExplainedSegments& out) {
  for (std::size_t t = out.begin(); t < out.end(); ++t) {
    const auto places = model_.node().places(text.node, t, scratch_.node);
    for (std::size_t k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
      std::size_t column = 0;
      std::string_view cell;
      Boundary boundary;
      if (parse_cell_name(text.node.item(k), column, cell) ||
          parse_boundary_name(text.node.item(k), boundary, cell)) {
        continue;
      }
      ++out.attributes;
      if (places[k - text.node.list_begin(t)].length > 0) continue;
      ++out.unknown;
      if (names) out.unknown_names.emplace_back(text.node.item(k));
    }
  }
}

}  // namespace croft
