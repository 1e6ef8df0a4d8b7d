#include "train/boosting/boosted_segments.h"

#include <algorithm>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/segment_viterbi.h"
#include "model/kinds/boosted_model.h"

namespace croft {

// Appends a list in these numbers.
//   only_known : an attribute without a number is left out, and does not get one
void BoostedSegments::Numbers::add(const AttributeLists& from, std::size_t list, bool only_known,
                                   AttributeLists& to) {
  for (std::uint64_t k = from.begin[list]; k < from.begin[list + 1]; ++k) {
    std::uint32_t& id = number[from.id[k]];
    if (id == kUnknown && only_known) continue;
    if (id == kUnknown) {
      id = static_cast<std::uint32_t>(row.size());
      row.push_back(from.id[k]);
    }
    const double value = from.value.empty() ? 1.0 : from.value[k];
    if (value != 1 && to.value.empty()) to.value.assign(to.id.size(), 1.0);
    to.id.push_back(id);
    if (!to.value.empty()) to.value.push_back(value);
  }
  to.begin.push_back(to.id.size());
}

BoostedSegments::BoostedSegments(const Extractor& extractor, const SegmentOptions& segments)
    : Boosting(extractor), options_(segments), encoder_(extractor, segments) {
  if (segments.templates.has_pairs()) {
    throw UsageError(
        "--model boosted-segment has no trees for pairs of labels: of the segment template, write "
        "U in the place of B");
  }
  if (shares_positions(segments.templates)) {
    throw UsageError(
        "--model boosted-segment: the line P of the segment template is for weights, and trees of "
        "positions have none; delete it");
  }
}

void BoostedSegments::lay_out(const BoostingOptions& options) {
  if (options.pair_trees) {
    throw UsageError("--pair-trees has no meaning for --model boosted-segment; leave it out");
  }
  encoder_.lay_out(FeatureSet::all, 1);
  encoder_.encode_others(holdout_, held_data_, held_examples_);
  copy_positions();
  list_inputs();
}

// Of the encoder's rows those of positions, with attributes in the order of a chain's.
void BoostedSegments::copy_positions() {
  const SegmentExamples& examples = encoder_.examples();
  const ChainData& from = encoder_.data();
  of_positions_.number.assign(encoder_.layout().node.rows(), kUnknown);
  of_spans_.number = of_positions_.number;
  for (std::size_t n = 0; n < examples.sequences(); ++n) {
    for (std::size_t t = 0; t < examples.length(n); ++t) {
      of_positions_.add(from.node, from.sequence_begin[n] + t, false, data_.node);
    }
  }
  data_.sequence_begin = examples.position_begin;
  data_.label = examples.known;
  data_.label_sets = examples.sets;
  data_.weight = from.weight;
  data_.first_line = from.first_line;
  for (std::size_t n = 0; n < held_examples_.sequences(); ++n) {
    for (std::size_t t = 0; t < held_examples_.length(n); ++t) {
      of_positions_.add(held_data_.node, held_data_.sequence_begin[n] + t, true, held_);
    }
  }
}

void BoostedSegments::list_inputs() {
  const SegmentExamples& examples = encoder_.examples();
  std::size_t longest = 0;
  for (Label y = 0; y < examples.labels.labels(); ++y) {
    if (options_.templates.templates().empty() || examples.shape.longest(y) < 2) continue;
    spans_.push_back(y);
    longest = std::max(longest, examples.shape.longest(y));
  }
  SpanInputsBuilder builder(longest);
  AttributeLists rows;
  const auto add = [&](const SegmentExamples& from, const ChainData& data, std::size_t n,
                       bool only_known) {
    rows = {};
    const std::span<const SegmentRow> own = from.rows(n);
    for (std::size_t r = 0; r < own.size(); ++r) {
      of_spans_.add(data.node, data.sequence_begin[n] + from.length(n) + r, only_known, rows);
    }
    builder.add(from.length(n), own, rows, 0);
  };
  for (std::size_t n = 0; n < examples.sequences(); ++n) {
    add(examples, encoder_.data(), n, false);
  }
  own_inputs_ = builder.inputs.size();
  for (std::size_t n = 0; n < held_examples_.sequences(); ++n) {
    add(held_examples_, held_data_, n, true);
  }
  inputs_ = std::move(builder.inputs);
}

void BoostedSegments::start_others(const BoostingOptions& options) {
  const std::size_t labels = encoder_.examples().labels.labels();
  potentials_.transition.assign(labels, labels, 0.0);
  potentials_.spans = spans_;
  potentials_.span.assign(spans_.size(), std::vector<float>(inputs_.size()));
  AttributeLists own, held;
  own.append(inputs_.lists, 0, own_inputs_);
  held.append(inputs_.lists, own_inputs_, inputs_.size());
  span_features_ = std::make_unique<BinnedFeatures>(
      own, held, of_spans_.row.size(),
      BinOptions{.bins = options.bins, .min_positions = options.tree.min_child_count, .parts = 1});
}

std::unique_ptr<PotentialObjective> BoostedSegments::objective(std::size_t width,
                                                               ThreadPool& pool) {
  return std::make_unique<SegmentPotentialFunction>(data_, encoder_.examples(), inputs_, labels(),
                                                    width, drawn_, pool);
}

SecondTrees BoostedSegments::second(const PotentialGradient& gradient) {
  span_rows_.clear();
  const std::size_t inputs = inputs_.size();
  for (std::uint32_t u = 0; gradient.span.size() == 2 * inputs * spans_.size() && u < own_inputs_;
       ++u) {
    for (std::size_t k = 0; k < spans_.size(); ++k) {
      const float* const own = gradient.span.data() + 2 * (k * inputs + u);
      if (own[0] == 0 && own[1] == 0) continue;
      span_rows_.push_back(u);
      break;
    }
  }
  SecondTrees second{span_features_.get(), {},     span_rows_,
                     &gradient.span,       inputs, &potentials_.span};
  for (const Label y : spans_) {
    second.outputs.push_back(static_cast<std::uint32_t>(labels() + y));
  }
  return second;
}

std::vector<std::vector<std::string_view>> BoostedSegments::label_holdout(ThreadPool& pool) const {
  struct Worker {
    explicit Worker(const SegmentExamples& examples) : reader(examples.labels, examples.shape) {}
    SegmentPotentialReader reader;
    SegmentBest best;
    std::vector<Segment> segments;
    std::vector<Label> columns;
  };
  const SegmentLabels& labels = encoder_.examples().labels;
  const TransitionScores<double> tied =
      SegmentPotentialReader::transitions(labels, potentials_.transition);
  std::vector<std::vector<std::string_view>> names(holdout_.size());
  std::vector<Worker> workers;
  for (std::size_t w = 0; w < pool.threads(); ++w) workers.emplace_back(encoder_.examples());
  pool.run(holdout_.size(), [&](std::size_t n, std::size_t w) {
    Worker& own = workers[w];
    const std::size_t length = held_examples_.length(n);
    const SegmentScores<double>& scores =
        own.reader.read(length, positions() + held_examples_.position_begin[n],
                        inputs_.of(sequences() + n), inputs_.longest, potentials_, tied);
    viterbi(scores, own.best, own.segments);
    own.columns.resize(length);
    spell(labels, own.segments, own.columns);
    for (const Label y : own.columns) names[n].emplace_back(encoder_.labels()[y]);
  });
  return names;
}

void BoostedSegments::add_to(Fingerprint& of) const {
  of.add(data_.sequence_begin, data_.label, data_.label_sets.begin, data_.label_sets.label,
         data_.weight);
  for (const AttributeLists* lists : {&data_.node, &inputs_.lists}) {
    of.add(lists->begin, lists->id, lists->value);
  }
  of.add(inputs_.input, encoder_.examples().shape.first);
  for (const Numbers* numbers : {&of_positions_, &of_spans_}) {
    for (const std::uint32_t row : numbers->row) of.add(encoder_.node_name(row).name);
  }
  for (const std::string& label : encoder_.labels()) of.add(label);
  of.add(options_.templates.text());
  add_holdout_to(of);
  of.add(kBoostedSegment);
}

std::size_t BoostedSegments::features() const {
  return features_->features() + span_features_->features();
}

TreeArrays BoostedSegments::trees() const {
  return rounds_.all(static_cast<std::uint32_t>(of_positions_.row.size()));
}

ContainerWriter BoostedSegments::model(const Json& training) const {
  const TreeArrays all = trees();
  BoostedSegmentParts parts;
  parts.boosted = this->parts(all, training);
  parts.boosted.kind = kBoostedSegment;
  parts.boosted.labels = encoder_.labels();
  for (const std::uint32_t row : of_positions_.row) {
    parts.boosted.names.push_back(encoder_.node_name(row).name);
  }
  for (const std::uint32_t row : of_spans_.row) {
    parts.boosted.span_names.push_back(encoder_.node_name(row).name);
  }
  parts.segments = {.labels = &encoder_.examples().labels,
                    .shape = &encoder_.examples().shape,
                    .templates = &options_.templates,
                    .gazetteers = {},
                    .text_prefix = options_.text_prefix,
                    .lexicon = encoder_.lexicon()};
  for (const NameList& list : options_.gazetteers) {
    parts.segments.gazetteers.push_back(list.name);
  }
  return make_boosted_segment_model(parts);
}

}  // namespace croft
