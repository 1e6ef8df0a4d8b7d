#include "train/feature_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft {
namespace {

// More occurrences than there are: with it as min_count a layout has the features that are kept,
// and no others.  Sums over the transitions of a group stay below 2^64.
constexpr std::size_t kOnlyKept = std::size_t{1} << 40;
// Rounds without a better score on the hold-out before induction goes back to the best one.
constexpr std::size_t kPatience = 2;
// Of conjunctions at the places in error, all together; beyond, some of the places are drawn.
constexpr double kMostOccurrences = 1 << 26;
// Candidates that are measured at all positions, for each that can be added.
constexpr std::size_t kMeasured = 3;

// The weight of `key`, or 0.  The list is sorted by its keys.
template <class Key>
double weight_in(const std::vector<std::pair<Key, double>>& list, const Key& key) {
  const auto at = std::ranges::lower_bound(list, key, {}, &std::pair<Key, double>::first);
  return at != list.end() && at->first == key ? at->second : 0.0;
}

// Subsets of up to `size` of n things.
double subsets(double n, std::size_t size) {
  double sum = 0, each = 1;
  for (std::size_t k = 1; k <= size; ++k) {
    each *= std::max(0.0, n - static_cast<double>(k) + 1) / static_cast<double>(k);
    sum += each;
  }
  return sum;
}

}  // namespace

void FeatureRounds::validate() const {
  if (induction.has_value() + unsupported.has_value() + select_l1.has_value() > 1) {
    throw UsageError(
        "--induce, --unsupported and --select each choose features their own way; take one");
  }
  if (induction) induction->validate();
  if (unsupported && !(unsupported->threshold >= 0 && unsupported->threshold <= 1)) {
    throw UsageError(
        fmt::format("--unsupported {} is not a probability from 0 to 1", unsupported->threshold));
  }
  if (unsupported && unsupported->iterations < 1) {
    throw UsageError(
        "--unsupported-after is 0; the model must know something first: give 1 or more");
  }
  if (select_l1 && !(*select_l1 > 0)) {
    throw UsageError("--select l1:VALUE needs a value above 0, which is what leaves features out");
  }
}

FeatureRoundsTraining::FeatureRoundsTraining(ChainTraining& training, ChainData whole,
                                             const TrainOptions& options, ThreadPool& pool,
                                             const ChainTraining::HoldoutScorer& scorer,
                                             const TrainingCallback& callback)
    : t_(training),
      whole_(std::move(whole)),
      o_(options),
      pool_(pool),
      scorer_(scorer),
      callback_(callback) {}

OptimizeResult FeatureRoundsTraining::run(std::span<const FeatureWeight> start, TrainingWatch& last,
                                          std::size_t& before, FeatureRoundsReport& report) {
  before_ = &before;
  report_ = &report;
  report.candidates = t_.layout_.dimension();
  if (o_.rounds.select_l1) select(start);
  if (o_.rounds.unsupported) add_unsupported(start);
  if (o_.rounds.induction) induce(start);
  report.conjunctions = conjunctions().size();
  return train_last(last);
}

// --- rounds

FeatureRoundsTraining::Round FeatureRoundsTraining::train_round(
    std::span<const FeatureWeight> start, const TrainOptions& options) {
  const TrainingCallback see = [&](const TrainProgress& local) {
    if (local.iteration.number == 0 && *before_ > 0) return true;  // the end of the last round
    Iteration now = local.iteration;
    now.number += *before_;
    stopped_ = !callback_({now, o_.stop.max_iterations, local.holdout});
    return !stopped_;
  };
  TrainingWatch watch(options.stop.max_iterations, 0, see);
  const ChainProblem problem = t_.problem(options, pool_);
  Round round;
  if (t_.uses_active_set(options)) {
    ActiveSetResult trained = t_.train_some(options, problem, start, scorer_, watch, nullptr);
    round.result = std::move(trained.optimization);
    t_.weights_ = std::move(trained.weights);
    t_.narrow_to(std::move(trained.set.selection));
  } else {
    round.result = t_.train_all(problem, start, scorer_, watch, nullptr);
  }
  round.holdout = watch.last_score();
  *before_ += round.result.iterations;
  ++report_->rounds;
  return round;
}

OptimizeResult FeatureRoundsTraining::train_last(TrainingWatch& last) {
  const std::vector<FeatureWeight> start = weights();
  const ChainProblem problem = t_.problem(o_, pool_);
  if (stopped_) {  // no iteration more: the weights as they are, with their objective
    OptimizeResult result;
    std::vector<double> gradient(t_.layout_.dimension());
    const auto f = make_chain_function(problem, t_.encoder_.data, t_.layout_);
    double squares = 0, absolute = 0;
    for (const FeatureWeight& each : start) {
      squares += each.weight * each.weight;
      absolute += std::abs(each.weight);
    }
    result.objective = f->evaluate(t_.weights_, gradient) + o_.regulariser.l1 * absolute +
                       o_.regulariser.l2 / 2 * squares;
    result.evaluations = 1;
    result.iterations = *before_;
    result.reason = StopReason::stopped;
    result.message = fmt::format("stopped on request after {} iterations", *before_);
    return result;
  }
  OptimizeResult result = t_.train_all(problem, start, scorer_, last, nullptr);
  result.iterations += *before_;
  return result;
}

void FeatureRoundsTraining::report(FeatureRound round, const Round& trained) {
  round.number = report_->rounds;
  round.iterations = *before_;
  round.objective = trained.result.objective;
  round.holdout = trained.holdout;
  round.features = t_.layout_.dimension();
  round.conjunctions = conjunctions_.size();
  report_->added += round.added;
  report_->dropped += round.dropped;
  if (o_.on_round) o_.on_round(round);
}

// OWL-QN at the l1 that selects, and without l2; then the features that have a weight.
void FeatureRoundsTraining::select(std::span<const FeatureWeight> start) {
  TrainOptions options = o_;
  options.regulariser.l1 = *o_.rounds.select_l1;
  options.regulariser.l2 = 0;
  options.method = Method::owlqn;
  if (!o_.own_stop) options.stop.tolerance = default_tolerance(options.regulariser);
  const std::size_t candidates = t_.layout_.dimension();
  const Round trained = train_round(start, options);
  Features kept = features();
  const auto drop_zeros = [](auto& list) {
    std::erase_if(list, [](const auto& each) { return each.second == 0; });
  };
  drop_zeros(kept.node);
  drop_zeros(kept.edge);
  drop_zeros(kept.tied);
  if (kept.size() == 0) {
    throw UsageError(fmt::format("--select l1:{} leaves no feature; give a smaller value",
                                 *o_.rounds.select_l1));
  }
  set_features(std::move(kept));
  report({.what = "selection", .dropped = candidates - t_.layout_.dimension()}, trained);
}

void FeatureRoundsTraining::add_unsupported(std::span<const FeatureWeight> start) {
  TrainOptions options = o_;
  options.stop.max_iterations = o_.rounds.unsupported->iterations;
  const Round trained = train_round(start, options);
  if (stopped_) return;
  const Matrix<float> probability = probabilities();
  const auto threshold = static_cast<float>(o_.rounds.unsupported->threshold);
  const std::size_t labels = t_.labels();
  std::vector<std::vector<Label>> wrong(whole_.positions());  // given too much
  for (std::size_t p = 0; p < whole_.positions(); ++p) {
    for (Label j = 0; j < labels; ++j) {
      if (j != whole_.label[p] && probability(p, j) > threshold) wrong[p].push_back(j);
    }
  }
  std::vector<bool> cell(t_.renumbering_.node.size() * labels);  // [attribute][label]
  for (std::size_t p = 0; p < whole_.positions(); ++p) {
    for (std::uint64_t k = whole_.node.begin[p]; k < whole_.node.begin[p + 1]; ++k) {
      const std::uint32_t a = whole_.node.id[k];
      if (t_.renumbering_.node[a] == kUnknown) continue;
      for (const Label j : wrong[p]) cell[a * labels + j] = true;
    }
  }
  Features all = features();
  const std::size_t observed = all.node.size();
  for (const auto& [feature, weight] : all.node) {
    cell[feature.attribute * labels + feature.cell] = false;
  }
  for (std::size_t k = 0; k < cell.size(); ++k) {
    if (cell[k]) {
      all.node.push_back(
          {{static_cast<std::uint32_t>(k / labels), static_cast<std::uint32_t>(k % labels)}, 0.0});
    }
  }
  const std::size_t added = all.node.size() - observed;
  std::ranges::sort(all.node);
  set_features(std::move(all));
  report({.what = "unsupported", .errors = errors(probability).size(), .added = added}, trained);
}

void FeatureRoundsTraining::induce(std::span<const FeatureWeight> start) {
  const InductionOptions& induction = *o_.rounds.induction;
  choose_tests();
  t_.weights_.assign(t_.layout_.dimension(), 0.0);
  for (const FeatureWeight& each : start) t_.weights_[each.feature] = each.weight;
  if (induction.from_nothing) start_from_nothing();
  TrainOptions options = o_;
  options.stop.max_iterations = induction.iterations;
  std::optional<double> best_score;
  Features best;
  std::size_t since = 0;  // the best score
  for (std::size_t number = 1;; ++number) {
    const Round trained = train_round(weights(), options);
    if (stopped_) return;
    if (trained.holdout && !(best_score && trained.holdout->score() <= *best_score)) {
      best_score = trained.holdout->score();
      best = features();
      since = 0;
    } else if (trained.holdout) {
      ++since;
    }
    const Matrix<float> probability = probabilities();
    const std::vector<std::uint32_t> wrong = errors(probability);
    std::vector<FeatureCandidate> found;
    if (number <= induction.rounds && since < kPatience) found = candidates(probability, wrong);
    FeatureRound round{.what = "induction", .errors = wrong.size(), .added = found.size()};
    if (!found.empty()) {
      round.best_gain = found.front().gain.gain;
      round.least_gain = found.back().gain.gain;
      add(found);
    }
    report(round, trained);
    if (found.empty()) break;
  }
  if (since > 0) set_features(std::move(best));
}

// --- features and what the model says of the data

FeatureRoundsTraining::Features FeatureRoundsTraining::features() const {
  Features all;
  const std::vector<double>& w = t_.weights_;
  const auto append = [&](const RowLayout& rows, const std::vector<std::uint32_t>& row_of,
                          std::vector<std::pair<Feature, double>>& out) {
    for (std::uint32_t a = 0; a < row_of.size(); ++a) {
      if (row_of[a] == kUnknown) continue;
      for (std::size_t k = 0; k < rows.length(row_of[a]); ++k) {
        out.push_back({{a, rows.cell_of(row_of[a], k)}, w[rows.begin[row_of[a]] + k]});
      }
    }
  };
  const RowLayout& tied = t_.layout_.tied;
  for (std::size_t row = 0; row < tied.rows(); ++row) {
    for (std::size_t k = 0; k < tied.length(row); ++k) {
      all.tied.push_back({{row, tied.cell_of(row, k)}, w[tied.begin[row] + k]});
    }
  }
  append(t_.layout_.node, t_.renumbering_.node, all.node);
  append(t_.layout_.edge, t_.renumbering_.edge, all.edge);
  return all;
}

// Lays out these features and no others, and gives them their weights.
void FeatureRoundsTraining::set_features(Features features) {
  KeptFeatures kept;
  for (const auto& [feature, weight] : features.node) kept.node.push_back(feature);
  for (const auto& [feature, weight] : features.edge) kept.edge.push_back(feature);
  for (const auto& [place, weight] : features.tied) kept.tied.push_back(place.second);
  std::ranges::sort(kept.tied);
  std::optional<TransitionGroups> groups;
  if (o_.transition_groups) {
    std::vector<std::string> labels;
    for (std::uint32_t j = 0; j < t_.labels(); ++j) {
      labels.emplace_back(t_.encoder_.label_names[j]);
    }
    groups = o_.transition_groups(labels);
  }
  auto constraint = t_.layout_.constraint;
  t_.encoder_.data = whole_;
  t_.layout_ = make_chain_layout(t_.encoder_.data, t_.labels(), t_.encoder_.node_names.size(),
                                 t_.encoder_.edge_names.size(),
                                 {.features = FeatureSet::observed,
                                  .min_count = kOnlyKept,
                                  .tied_rows = t_.tied_names_.size(),
                                  .groups = groups ? &*groups : nullptr,
                                  .kept = &kept},
                                 t_.renumbering_);
  t_.layout_.constraint = std::move(constraint);
  t_.holdout_.encode(t_.encoder_, t_.renumbering_, t_.layout_);

  std::vector<double>& w = t_.weights_;
  w.assign(t_.layout_.dimension(), 0.0);
  const auto assign = [&](const RowLayout& rows, const std::vector<std::uint32_t>& row_of,
                          const std::vector<std::pair<Feature, double>>& from) {
    for (std::uint32_t a = 0; a < row_of.size(); ++a) {
      if (row_of[a] == kUnknown) continue;
      for (std::size_t k = 0; k < rows.length(row_of[a]); ++k) {
        w[rows.begin[row_of[a]] + k] = weight_in(from, {a, rows.cell_of(row_of[a], k)});
      }
    }
  };
  const RowLayout& tied = t_.layout_.tied;
  for (std::size_t row = 0; row < tied.rows(); ++row) {
    for (std::size_t k = 0; k < tied.length(row); ++k) {
      w[tied.begin[row] + k] = weight_in(features.tied, {row, tied.cell_of(row, k)});
    }
  }
  assign(t_.layout_.node, t_.renumbering_.node, features.node);
  assign(t_.layout_.edge, t_.renumbering_.edge, features.edge);
}

// Those that are not 0, as a training starts from.
std::vector<FeatureWeight> FeatureRoundsTraining::weights() const {
  std::vector<FeatureWeight> list;
  for (std::size_t k = 0; k < t_.weights_.size(); ++k) {
    if (t_.weights_[k] != 0) list.push_back({k, t_.weights_[k]});
  }
  return list;
}

// p(y_t = j | x) of all positions, from dL/dstate = omega (p - [y_t = j]).
Matrix<float> FeatureRoundsTraining::probabilities() {
  const ChainData& data = t_.encoder_.data;
  Matrix<float> p;
  p.reshape(data.positions(), t_.labels());
  std::vector<double> gradient(t_.layout_.dimension());
  const ChainProblem problem = t_.problem(o_, pool_);
  make_chain_function(problem, data, t_.layout_)->evaluate(t_.weights_, gradient, 0, p);
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const auto weight = static_cast<float>(data.sequence_weight(n));
    for (std::size_t t = data.sequence_begin[n]; t < data.sequence_begin[n + 1]; ++t) {
      float* row = p.row(t);
      for (std::size_t j = 0; j < p.columns(); ++j) {
        const float gold = j == data.label[t] ? 1.0f : 0.0f;
        row[j] = std::clamp(row[j] / weight + gold, 0.0f, 1.0f);
      }
    }
  }
  return p;
}

// Positions whose likeliest label is not theirs.
std::vector<std::uint32_t> FeatureRoundsTraining::errors(const Matrix<float>& probability) const {
  std::vector<std::uint32_t> wrong;
  for (std::size_t p = 0; p < probability.rows(); ++p) {
    const float* row = probability.row(p);
    const auto likeliest = std::max_element(row, row + probability.columns()) - row;
    if (static_cast<Label>(likeliest) != whole_.label[p]) {
      wrong.push_back(static_cast<std::uint32_t>(p));
    }
  }
  return wrong;
}

// --- induction

// Attributes of the data that have a feature at the start; not the intercept, nor START and STOP,
// nor conjunctions that a model to go on from has found.
void FeatureRoundsTraining::choose_tests() {
  const StringTable& names = t_.encoder_.node_names;
  is_test_.assign(names.size(), false);
  for (std::uint32_t a = 0; a < names.size(); ++a) {
    is_test_[a] = t_.renumbering_.node[a] != kUnknown && names[a] != kIntercept &&
                  !names[a].starts_with('\x01');
  }
  for (const Conjunction& known : t_.extractor_.config().conjunctions) {
    const std::uint32_t a = names.find(known.name());
    if (a == kUnknown) continue;
    is_test_[a] = false;
    found_ids_.insert(a);
  }
  count_.assign(names.size(), 0);
  for (const std::uint32_t a : whole_.node.id) ++count_[a];
}

// Only what is no test, and what a model to go on from has, keeps its features.
void FeatureRoundsTraining::start_from_nothing() {
  Features all = features();
  std::erase_if(all.node, [&](const std::pair<Feature, double>& each) {
    return is_test_[each.first.attribute] && !std::ranges::binary_search(t_.kept_.node, each.first);
  });
  set_features(std::move(all));
}

Conjunction FeatureRoundsTraining::conjunction_of(std::span<const std::uint32_t> parts) const {
  Conjunction made;
  for (const std::uint32_t a : parts) made.parts.emplace_back(t_.encoder_.node_names[a]);
  std::ranges::sort(made.parts);
  return made;
}

// An attribute of the data that happens to have the name of a conjunction stands in its way.
bool FeatureRoundsTraining::has(std::span<const std::uint32_t> parts, Label label) const {
  std::uint32_t a = parts[0];
  if (parts.size() > 1) {
    a = t_.encoder_.node_names.find(conjunction_of(parts).name());
    if (a == kUnknown) return false;
    if (!found_ids_.contains(a)) return true;
  }
  return std::ranges::binary_search(present_, Feature{a, label});
}

// Found at the positions in error, then measured at all positions: what helps where the model is
// wrong may harm where it is right.
std::vector<FeatureCandidate> FeatureRoundsTraining::candidates(
    const Matrix<float>& probability, const std::vector<std::uint32_t>& errors) {
  const InductionOptions& induction = *o_.rounds.induction;
  present_.clear();
  for (const auto& [feature, weight] : features().node) present_.push_back(feature);
  std::ranges::sort(present_);

  double occurrences = 0;
  for (const std::uint32_t p : errors) {
    occurrences += subsets(static_cast<double>(whole_.node.begin[p + 1] - whole_.node.begin[p]),
                           induction.size);
  }
  const double share = std::min(1.0, kMostOccurrences / std::max(1.0, occurrences));
  std::vector<std::uint32_t> places;
  std::vector<double> weight;
  Random random(o_.seed + report_->rounds);
  std::size_t n = 0;
  for (const std::uint32_t p : errors) {
    while (whole_.sequence_begin[n + 1] <= p) ++n;
    if (share < 1 && random.uniform() >= share) continue;
    places.push_back(p);
    weight.push_back(whole_.sequence_weight(n) / share);
  }
  std::vector<FeatureCandidate> found = find_candidates(
      {whole_.node, whole_.label, probability, places, weight}, is_test_,
      [&](std::span<const std::uint32_t> parts, Label label) { return has(parts, label); },
      o_.regulariser, induction, kMeasured * induction.batch, pool_);
  measure(probability, found);
  std::erase_if(found, [&](const FeatureCandidate& each) {
    return !(each.gain.gain > induction.min_gain) || has(each.attributes(), each.label);
  });
  std::ranges::sort(found, better);
  std::vector<std::pair<std::uint64_t, Label>> seen;
  std::erase_if(found, [&](const FeatureCandidate& each) {
    const std::pair key{each.places, each.label};
    const auto at = std::ranges::lower_bound(seen, key);
    const bool again = at != seen.end() && *at == key;
    if (!again) seen.insert(at, key);
    return again;
  });
  if (found.size() > induction.batch) found.resize(induction.batch);
  return found;
}

// Gains and hashes of all places.  A conjunction that holds wherever one of its parts does is that
// part.
void FeatureRoundsTraining::measure(const Matrix<float>& probability,
                                    std::vector<FeatureCandidate>& found) const {
  std::vector<std::uint32_t> number(found.size());  // of the attributes, in the index
  ConjunctionIndex index;
  {
    std::vector<std::size_t> order(found.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return found[k].part; });
    for (std::size_t n = 0; n < order.size(); ++n) {
      const bool same = n > 0 && std::ranges::equal(found[order[n]].attributes(),
                                                    found[order[n - 1]].attributes());
      number[order[n]] = same ? number[order[n - 1]] : index.add(found[order[n]].attributes());
    }
    index.finish();
  }
  struct Place {
    std::uint32_t position;
    double value, weight;
  };
  std::vector<std::vector<Place>> places(index.size());
  ConjunctionIndex::Scratch scratch;
  std::vector<ConjunctionIndex::Hit> hits;
  const AttributeLists& node = whole_.node;
  for (std::size_t n = 0; n < whole_.sequences(); ++n) {
    for (std::uint64_t p = whole_.sequence_begin[n]; p < whole_.sequence_begin[n + 1]; ++p) {
      const std::size_t begin = node.begin[p], length = node.begin[p + 1] - begin;
      hits.clear();
      index.find(std::span(node.id).subspan(begin, length),
                 node.value.empty() ? std::span<const double>()
                                    : std::span(node.value).subspan(begin, length),
                 scratch, hits);
      for (const ConjunctionIndex::Hit& hit : hits) {
        places[hit.conjunction].push_back(
            {static_cast<std::uint32_t>(p), hit.value, whole_.sequence_weight(n)});
      }
    }
  }
  pool_.run(found.size(), [&](std::size_t k, std::size_t) {
    FeatureCandidate& candidate = found[k];
    std::vector<GainPlace> gain_places;
    candidate.places = 0;
    for (const Place& at : places[number[k]]) {
      gain_places.push_back({double{probability(at.position, candidate.label)}, at.value, at.weight,
                             whole_.label[at.position] == candidate.label});
      candidate.places += hash_of_place(at.position, at.value);
    }
    candidate.gain = best_gain(gain_places, o_.regulariser);
    const bool flags = whole_.node.value.empty();
    for (std::size_t n = 0; flags && candidate.parts > 1 && n < candidate.parts; ++n) {
      if (count_[candidate.part[n]] != gain_places.size()) continue;
      candidate.part = {candidate.part[n]};
      candidate.parts = 1;
    }
  });
}

void FeatureRoundsTraining::add(const std::vector<FeatureCandidate>& found) {
  Features all = features();
  ConjunctionIndex index;
  std::vector<std::uint32_t> attribute;  // of each conjunction that is new
  StringTable& names = t_.encoder_.node_names;
  for (const FeatureCandidate& each : found) {
    std::uint32_t a = each.part[0];
    if (each.parts > 1) {
      Conjunction conjunction = conjunction_of(each.attributes());
      const std::string name = conjunction.name();
      a = names.find(name);
      if (a == kUnknown) {
        a = names.insert(name);
        found_ids_.insert(a);
        attribute.push_back(a);
        index.add(each.attributes());
        conjunctions_.push_back(std::move(conjunction));
      }
    }
    all.node.push_back({{a, each.label}, 0.0});
  }
  is_test_.resize(names.size(), false);
  index.finish();
  add_attributes(index, attribute);
  const auto first_new = static_cast<std::ptrdiff_t>(conjunctions_.size() - attribute.size());
  t_.holdout_.append(
      ConjunctionSet(std::vector(conjunctions_.begin() + first_new, conjunctions_.end())));
  std::ranges::sort(all.node);
  set_features(std::move(all));
}

// To the lists of all positions.
void FeatureRoundsTraining::add_attributes(const ConjunctionIndex& index,
                                           const std::vector<std::uint32_t>& attribute) {
  const AttributeLists from = std::move(whole_.node);
  AttributeLists& to = whole_.node = {};
  ConjunctionIndex::Scratch scratch;
  std::vector<ConjunctionIndex::Hit> hits;
  for (std::size_t p = 0; p < from.positions(); ++p) {
    const std::size_t begin = from.begin[p], length = from.begin[p + 1] - begin;
    const auto ids = std::span(from.id).subspan(begin, length);
    const auto values = from.value.empty() ? std::span<const double>()
                                           : std::span(from.value).subspan(begin, length);
    hits.clear();
    index.find(ids, values, scratch, hits);
    to.id.insert(to.id.end(), ids.begin(), ids.end());
    to.value.insert(to.value.end(), values.begin(), values.end());
    for (const ConjunctionIndex::Hit& hit : hits) {
      to.id.push_back(attribute[hit.conjunction]);
      if (!from.value.empty()) to.value.push_back(hit.value);
    }
    to.begin.push_back(to.id.size());
  }
}

std::vector<Conjunction> FeatureRoundsTraining::conjunctions() const {
  std::vector<Conjunction> used;
  for (const Conjunction& each : conjunctions_) {
    const std::uint32_t a = t_.encoder_.node_names.find(each.name());
    if (t_.renumbering_.node[a] != kUnknown) used.push_back(each);
  }
  return used;
}

}  // namespace croft
