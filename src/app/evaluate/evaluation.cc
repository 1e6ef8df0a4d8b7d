#include "app/evaluate/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "croft/core/error.h"

namespace croft {
namespace {

// Counts the chunks of two labellings of the same positions in one walk.
//
// A chunk is correct when both sides start one of the same type together and then end it together.
// For the tags B, I, E and O that is the same as equal chunks in two lists.  Other tags can start a
// chunk before the last one has ended, and there the walk, not the lists, is what conlleval does.
class ChunkWalk {
 public:
  void step(const ChunkLabel& gold, const ChunkLabel& predicted) {
    if (agreeing_) check_agreement(gold, predicted);
    const bool gold_starts = chunk_starts(gold_, gold);
    const bool predicted_starts = chunk_starts(predicted_, predicted);
    if (gold_starts) ++types_[gold.type].gold;
    if (predicted_starts) ++types_[predicted.type].predicted;
    if (gold_starts && predicted_starts && gold.type == predicted.type) agreeing_ = true;
    gold_ = gold;
    predicted_ = predicted;
  }

  // After the last sequence.  A chunk can still be open here only where a tag of no scheme without
  // a type follows B, I or E: nothing ends that one.
  void finish() {
    if (agreeing_) ++types_[gold_.type].correct;
  }

  const std::map<std::string_view, Counts>& types() const { return types_; }

 private:
  void check_agreement(const ChunkLabel& gold, const ChunkLabel& predicted) {
    const bool gold_ends = chunk_ends(gold_, gold);
    const bool predicted_ends = chunk_ends(predicted_, predicted);
    if (gold_ends && predicted_ends) ++types_[gold_.type].correct;
    if (gold_ends || predicted_ends || gold.type != predicted.type) agreeing_ = false;
  }

  ChunkLabel gold_, predicted_;  // of the previous position
  bool agreeing_ = false;        // both are in a chunk that started together and has one type
  std::map<std::string_view, Counts> types_;
};

std::size_t bin_of(double probability) {
  const auto bins = static_cast<double>(Evaluation::kCalibrationBins);
  return std::min(static_cast<std::size_t>(probability * bins), Evaluation::kCalibrationBins - 1);
}

}  // namespace

double ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

double Counts::precision() const { return ratio(correct, predicted); }
double Counts::recall() const { return ratio(correct, gold); }
double Counts::f1() const { return ratio(2 * correct, predicted + gold); }
double LogLoss::per_token() const {
  return tokens == 0 ? 0.0 : total / static_cast<double>(tokens);
}
double LogLoss::perplexity() const { return std::exp(per_token()); }
double CalibrationBin::accuracy() const { return ratio(correct, count); }
double EvaluationSummary::token_accuracy() const { return ratio(correct_tokens, tokens); }
double EvaluationSummary::sequence_accuracy() const { return ratio(correct_sequences, sequences); }

void Evaluation::add(std::span<const std::string_view> gold,
                     std::span<const std::string_view> predicted) {
  if (gold.size() != predicted.size()) {
    throw Error(
        fmt::format("sequence {} has {} gold labels and {} predicted ones; both need one for "
                    "each position",
                    ends_.size() + 1, gold.size(), predicted.size()));
  }
  if (gold.empty()) return;
  for (std::string_view label : gold) gold_.push_back(label_id(label));
  for (std::string_view label : predicted) predicted_.push_back(label_id(label));
  ends_.push_back(gold_.size());
}

void Evaluation::add_unlabelled(std::span<const std::string_view> gold) {
  if (gold.empty()) return;
  for (const std::string_view label : gold) gold_.push_back(label_id(label));
  predicted_.insert(predicted_.end(), gold.size(), kNone);
  ends_.push_back(gold_.size());
  ++unlabelled_;
}

void Evaluation::add_brier(double squares) {
  brier_.add(squares);
  ++brier_count_;
}

void Evaluation::add_log_loss(double negative_log_probability, std::size_t positions,
                              const std::set<std::string>& impossible) {
  if (std::isnan(negative_log_probability) ||
      negative_log_probability == -std::numeric_limits<double>::infinity()) {
    throw Error(
        fmt::format("{} is not the negative logarithm of a probability", negative_log_probability));
  }
  negative_log_probability_.add(negative_log_probability);
  if (std::isinf(negative_log_probability)) {
    ++impossible_;
    for (const std::string& label : impossible) ++impossible_labels_[label];
  }
  ++log_loss_sequences_;
  log_loss_tokens_ += positions;
}

void Evaluation::add_probability(double probability_of_predicted, bool correct) {
  constexpr double kRounding = 1e-4;
  if (!(probability_of_predicted >= -kRounding && probability_of_predicted <= 1 + kRounding)) {
    throw Error(fmt::format("{} is not a probability", probability_of_predicted));
  }
  const double probability = std::clamp(probability_of_predicted, 0.0, 1.0);
  BinSums& bin = bins_[bin_of(probability)];
  ++bin.count;
  bin.correct += correct;
  bin.probability.add(probability);
}

void Evaluation::add_ranked(std::span<const double> p, std::size_t gold) {
  for (std::size_t k = 0; k < ranked_.size(); ++k) ranked_[k].emplace_back(p[k], k == gold);
}

namespace {

using PairCounts = std::map<std::pair<std::string_view, std::string_view>, std::size_t>;

std::vector<Confusion> most_frequent_first(const PairCounts& counts) {
  std::vector<Confusion> out;
  for (const auto& [pair, count] : counts) {
    out.push_back({std::string(pair.first), std::string(pair.second), count});
  }
  std::ranges::sort(out, [](const Confusion& a, const Confusion& b) {
    return a.count != b.count ? a.count > b.count
                              : std::tie(a.gold, a.predicted) < std::tie(b.gold, b.predicted);
  });
  return out;
}

}  // namespace

std::vector<Confusion> Evaluation::confusions() const {
  const std::vector<std::string_view> labels = labels_by_id();
  std::map<std::pair<LabelId, LabelId>, std::size_t> of_ids;
  for (std::size_t t = 0; t < gold_.size(); ++t) {
    if (predicted_[t] != kNone) ++of_ids[{gold_[t], predicted_[t]}];
  }
  PairCounts counts;
  for (const auto& [pair, count] : of_ids) {
    counts[{labels[pair.first], labels[pair.second]}] = count;
  }
  return most_frequent_first(counts);
}

std::vector<Confusion> Evaluation::chunk_confusions(ChunkScheme scheme) const {
  const std::vector<std::string_view> labels = labels_by_id();
  PairCounts counts;
  std::size_t begin = 0;
  std::vector<std::string_view> gold, predicted;
  for (const std::size_t end : ends_) {
    gold.clear();
    predicted.clear();
    for (std::size_t t = begin; t < end; ++t) {
      gold.push_back(labels[gold_[t]]);
      if (predicted_[t] != kNone) predicted.push_back(labels[predicted_[t]]);
    }
    begin = end;
    // [extent]: the types on both sides.
    std::map<std::pair<std::size_t, std::size_t>, std::pair<std::string_view, std::string_view>> at;
    constexpr std::string_view kNoChunk = ChunkSummary::kNoChunk;
    for (const Chunk& chunk : chunks_of(gold, scheme)) {
      at[{chunk.begin, chunk.end}] = {chunk.type, kNoChunk};
    }
    for (const Chunk& chunk : chunks_of(predicted, scheme)) {
      at.try_emplace({chunk.begin, chunk.end}, kNoChunk, kNoChunk).first->second.second =
          chunk.type;
    }
    for (const auto& [extent, types] : at) ++counts[types];
  }
  return most_frequent_first(counts);
}

double Evaluation::mean_cost(std::span<const Confusion> all) const {
  double total = 0;
  std::size_t tokens = 0;
  for (const Confusion& each : all) {
    tokens += each.count;
    double cost = 0;
    for (const CostRule& rule : options_.costs->rules) {  // later ones override
      const bool fits = rule.gold.value_or(each.gold) == each.gold &&
                        rule.predicted.value_or(each.predicted) == each.predicted;
      if (fits && each.gold != each.predicted) cost = rule.cost;
    }
    total += cost * static_cast<double>(each.count);
  }
  return tokens == 0 ? 0 : total / static_cast<double>(tokens);
}

EvaluationSummary Evaluation::summary() const {
  EvaluationSummary summary;
  count_tokens(summary);
  summary.chunk = count_chunks();
  summary.log_loss = log_loss();
  summary.calibration = calibration();
  if (brier_count_ > 0) summary.brier = brier_.value() / static_cast<double>(brier_count_);
  for (std::size_t k = 0; k < ranked_.size(); ++k) {
    summary.rankings.push_back({options_.ranked[k], rank_cases(ranked_[k])});
  }
  if (!options_.confusion && !options_.costs) return summary;
  std::vector<Confusion> all = confusions();
  if (options_.costs) summary.cost = mean_cost(all);
  if (options_.confusion) summary.confusion = std::move(all);
  if (options_.confusion && summary.chunk) {
    summary.chunk->confusion = chunk_confusions(summary.chunk->scheme);
  }
  return summary;
}

Evaluation::LabelId Evaluation::label_id(std::string_view label) {
  const auto found = ids_.find(label);
  if (found != ids_.end()) return found->second;
  return ids_.emplace(label, static_cast<LabelId>(ids_.size())).first->second;
}

std::vector<std::string_view> Evaluation::labels_by_id() const {
  std::vector<std::string_view> labels(ids_.size());
  for (const auto& [label, id] : ids_) labels[id] = label;
  return labels;
}

void Evaluation::count_tokens(EvaluationSummary& summary) const {
  std::vector<Counts> counts(ids_.size());  // [label id]
  std::size_t t = 0, predicted = 0;
  for (std::size_t end : ends_) {
    const std::size_t length = end - t, correct_before = summary.correct_tokens;
    for (; t < end; ++t) {
      ++counts[gold_[t]].gold;
      if (predicted_[t] == kNone) continue;
      ++predicted;
      ++counts[predicted_[t]].predicted;
      if (gold_[t] != predicted_[t]) continue;
      ++counts[gold_[t]].correct;
      ++summary.correct_tokens;
    }
    summary.correct_sequences += summary.correct_tokens - correct_before == length;
  }
  summary.tokens = gold_.size();
  summary.sequences = ends_.size();
  summary.unlabelled = unlabelled_;
  summary.micro = {summary.correct_tokens, predicted, summary.tokens};

  for (const auto& [label, id] : ids_) summary.labels.push_back({label, counts[id]});
  std::ranges::sort(summary.labels, {}, &NamedCounts::name);
  if (summary.labels.empty()) return;
  MacroAverage& macro = summary.macro;
  for (const NamedCounts& label : summary.labels) {
    macro.precision += label.counts.precision();
    macro.recall += label.counts.recall();
    macro.f1 += label.counts.f1();
  }
  const auto labels = static_cast<double>(summary.labels.size());
  macro = {macro.precision / labels, macro.recall / labels, macro.f1 / labels};
}

std::optional<ChunkSummary> Evaluation::count_chunks() const {
  const std::vector<std::string_view> labels = labels_by_id();
  ChunkSummary chunk;
  chunk.scheme =
      options_.scheme == ChunkScheme::automatic ? detect_scheme(labels) : options_.scheme;
  if (chunk.scheme == ChunkScheme::none) return std::nullopt;

  std::vector<ChunkLabel> read;  // [label id]
  for (std::string_view label : labels) read.push_back(read_chunk_label(label, chunk.scheme));
  ChunkWalk walk;
  std::size_t t = 0;
  for (std::size_t end : ends_) {
    for (; t < end; ++t) {
      const ChunkLabel &gold = read[gold_[t]], nothing;
      const bool any = predicted_[t] != kNone;
      const ChunkLabel& predicted = any ? read[predicted_[t]] : nothing;
      walk.step(gold, predicted);
      chunk.correct_tokens += any && gold == predicted;
    }
    walk.step(ChunkLabel{}, ChunkLabel{});
  }
  walk.finish();

  for (const auto& [type, counts] : walk.types()) {
    chunk.types.push_back({std::string(type), counts});
    chunk.all.correct += counts.correct;
    chunk.all.predicted += counts.predicted;
    chunk.all.gold += counts.gold;
  }
  return chunk;
}

std::optional<LogLoss> Evaluation::log_loss() const {
  if (log_loss_sequences_ == 0) return std::nullopt;
  return LogLoss{negative_log_probability_.value(), log_loss_tokens_, impossible_,
                 impossible_labels_};
}

std::optional<Calibration> Evaluation::calibration() const {
  Calibration result;
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    const BinSums& sums = bins_[b];
    CalibrationBin bin{ratio(b, bins_.size()), ratio(b + 1, bins_.size()), sums.count,
                       sums.correct};
    if (sums.count > 0) {
      bin.mean_probability = sums.probability.value() / static_cast<double>(sums.count);
    }
    result.expected_error +=
        static_cast<double>(sums.count) * std::abs(bin.accuracy() - bin.mean_probability);
    result.count += sums.count;
    result.bins.push_back(bin);
  }
  if (result.count == 0) return std::nullopt;
  result.expected_error /= static_cast<double>(result.count);
  return result;
}

}  // namespace croft
