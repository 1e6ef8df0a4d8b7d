// Feature induction: round by round, the candidates that the model lacks most.
#include <algorithm>
#include <optional>

#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "features/conjunctions.h"
#include "train/induction/candidate_walk.h"
#include "train/induction/feature_rounds.h"

namespace croft {
namespace {

// Rounds without a better score on the hold-out before induction goes back to the best one.
constexpr std::size_t kPatience = 2;
// Of conjunctions at the places in error, all together; beyond, some of the places are drawn.
constexpr double kMostOccurrences = 1 << 26;
// Candidates that are measured at all positions, for each that can be added.
constexpr std::size_t kMeasured = 3;

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
    if (number <= induction.rounds && since < kPatience) {
      try {
        std::optional<Abandonable> search;  // other processes would wait for this one
        if (pool_.ranks().alone() && pool_.helpers().alone()) search.emplace();
        found = candidates(probability, wrong);
      } catch (const Interrupted&) {  // the features of the round before are whole
        stopped_ = true;
        return;
      }
    }
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
    if (is_of_edge(known)) {
      const std::uint32_t a = t_.encoder_.edge_names.find(edge_name(known));
      if (a != kUnknown) found_edge_ids_.insert(a);
      continue;
    }
    const std::uint32_t a = names.find(known.name());
    if (a == kUnknown) continue;
    is_test_[a] = false;
    found_ids_.insert(a);
  }
  count_places();
}

// Only what is no test, and what a model to go on from has, keeps its features.
void FeatureRoundsTraining::start_from_nothing() {
  Features all = features();
  std::erase_if(all.node, [&](const std::pair<Feature, double>& each) {
    return is_test_[each.first.attribute] && !std::ranges::binary_search(t_.kept_.node, each.first);
  });
  set_features(std::move(all));
}

// Positions of each attribute, and those that an edge leads to.
void FeatureRoundsTraining::count_places() {
  count_.assign(t_.encoder_.node_names.size(), 0);
  edge_count_.assign(count_.size(), 0);
  for (std::size_t n = 0; n < whole_.sequences(); ++n) {
    for (std::uint64_t p = whole_.sequence_begin[n]; p < whole_.sequence_begin[n + 1]; ++p) {
      for (std::uint64_t k = whole_.node.begin[p]; k < whole_.node.begin[p + 1]; ++k) {
        ++count_[whole_.node.id[k]];
        if (p > whole_.sequence_begin[n]) ++edge_count_[whole_.node.id[k]];
      }
    }
  }
}

// All of these positions, or some, and what each then stands for.
FeatureRoundsTraining::Places FeatureRoundsTraining::draw(
    const std::vector<std::uint32_t>& positions) const {
  double occurrences = 0;
  for (const std::uint32_t p : positions) {
    occurrences += subsets(static_cast<double>(whole_.node.begin[p + 1] - whole_.node.begin[p]),
                           o_.rounds.induction->size);
  }
  const double share = std::min(1.0, kMostOccurrences / std::max(1.0, occurrences));
  Places drawn;
  Random random(o_.seed + report_->rounds);
  std::size_t n = 0;
  for (const std::uint32_t p : positions) {
    while (whole_.sequence_begin[n + 1] <= p) ++n;
    if (share < 1 && random.uniform() >= share) continue;
    drawn.position.push_back(p);
    drawn.weight.push_back(whole_.sequence_weight(n) / share);
  }
  return drawn;
}

// Found at the positions in error, then measured at all positions: what helps where the model is
// wrong may harm where it is right.
std::vector<FeatureCandidate> FeatureRoundsTraining::candidates(
    const Matrix<float>& probability, const std::vector<std::uint32_t>& errors) {
  const InductionOptions& induction = *o_.rounds.induction;
  set_present();
  const Places places = draw(errors);
  std::vector<FeatureCandidate> found = find_candidates(
      {whole_.node, whole_.label, probability, places.position, places.weight}, is_test_,
      [&](std::span<const std::uint32_t> parts, Label label) { return has(parts, label); },
      o_.regulariser, induction, kMeasured * induction.batch, pool_);
  measure(probability, found);
  if (induction.pairs) {
    const std::vector<FeatureCandidate> pairs =
        pair_candidates(errors, kMeasured * induction.batch);
    found.insert(found.end(), pairs.begin(), pairs.end());
  }
  std::erase_if(found, [&](const FeatureCandidate& each) {
    return !(each.gain.gain > induction.min_gain) || has(each);
  });
  std::ranges::sort(found, better);
  drop_repeated(found);
  if (found.size() > induction.batch) found.resize(induction.batch);
  return found;
}

}  // namespace croft
