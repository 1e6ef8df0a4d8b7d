#include "app/search/successive_halving.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "croft/core/interrupt.h"

namespace croft {

SuccessiveHalving::SuccessiveHalving(const SearchSettings& settings, const SearchPlan& plan,
                                     SearchState& state, std::size_t sequences, const Calls& calls)
    : s_(settings),
      plan_(plan),
      state_(state),
      sequences_(sequences),
      calls_(calls),
      pool_(settings.threads),
      rungs_(plan.rungs) {
  for (const SearchRung& rung : rungs_) all_ += rung.candidates * s_.folds;
}

SearchedSettings SuccessiveHalving::run() {
  std::vector<std::size_t> in(plan_.candidates.size());
  std::iota(in.begin(), in.end(), std::size_t{0});
  for (std::size_t rung = 0; rung < rungs_.size(); ++rung) {
    if (rung > 0) keep_best(rung, in);
    if (!run_rung(rung, in)) return result(false);
    if (std::ranges::any_of(in, [&](std::size_t k) { return std::isfinite(mean(rung, k)); })) {
      continue;
    }
    SearchedSettings found = result(false);
    found.failure = why_infinite(rung, in.front());
    return found;
  }
  return result(true);
}

// Those that go on to this rung.
void SuccessiveHalving::keep_best(std::size_t rung, std::vector<std::size_t>& in) {
  std::erase_if(in, [&](std::size_t k) { return !std::isfinite(mean(rung - 1, k)); });
  std::ranges::stable_sort(in, [&](std::size_t a, std::size_t b) {
    return before(mean(rung - 1, a), mean(rung - 1, b));
  });
  all_ -= (rungs_[rung].candidates - std::min(in.size(), rungs_[rung].candidates)) * s_.folds;
  in.resize(std::min(in.size(), rungs_[rung].candidates));
  rungs_[rung].candidates = in.size();
  std::ranges::sort(in);
}

// What the state does not know.
std::vector<SuccessiveHalving::Task> SuccessiveHalving::tasks_of(
    std::size_t rung, const std::vector<std::size_t>& in) {
  std::vector<Task> tasks;
  for (const std::size_t candidate : in) {
    for (std::size_t fold = 0; fold < s_.folds; ++fold) {
      if (state_.find(rung, candidate, fold)) {
        ++done_;
      } else {
        tasks.push_back({candidate, fold});
      }
    }
  }
  return tasks;
}

// False: interrupted.
bool SuccessiveHalving::run_rung(std::size_t rung, const std::vector<std::size_t>& in) {
  const std::vector<Task> tasks = tasks_of(rung, in);
  if (!tasks.empty()) calls_.begin(rung);
  std::vector<double> score(tasks.size(), std::numeric_limits<double>::quiet_NaN());
  pool_.run_ordered(
      tasks.size(),
      [&](std::size_t k, std::size_t) {
        if (!interruption) score[k] = calls_.score(rung, tasks[k].candidate, tasks[k].fold);
      },
      [&](std::size_t k, std::size_t) {
        if (std::isnan(score[k])) return;
        const auto [candidate, fold] = tasks[k];
        state_.add({rung, candidate, fold, score[k]});
        ++done_;
        if (calls_.progress) calls_.progress({rung, candidate, fold, done_, all_, score[k]});
      });
  return std::ranges::none_of(score, [](double s) { return std::isnan(s); });
}

double SuccessiveHalving::mean(std::size_t rung, std::size_t candidate) const {
  double sum = 0;
  for (std::size_t fold = 0; fold < s_.folds; ++fold) sum += *state_.find(rung, candidate, fold);
  return sum / static_cast<double>(s_.folds);
}

Message SuccessiveHalving::why_infinite(std::size_t rung, std::size_t candidate) const {
  std::size_t fold = 0;
  while (std::isfinite(*state_.find(rung, candidate, fold))) ++fold;
  const bool part = s_.resource == SearchResource::data && rungs_[rung].share < 1;
  return {"--metric ",
          name_of(s_.metric),
          ": it is infinite for every setting in rung ",
          rung + 1,
          ": ",
          calls_.why(rung, candidate, fold),
          "; take another --metric, ",
          part ? Message("--smallest 1, ") : "",
          "other --folds, or more data of rare labels"};
}

SearchedSettings SuccessiveHalving::result(bool complete) const {
  SearchedSettings result{.parameters = s_.parameters,
                          .metric = s_.metric,
                          .resource = s_.resource,
                          .folds = s_.folds,
                          .sequences = sequences_,
                          .iterations = s_.iterations,
                          .rungs = rungs_,
                          .candidates = {},
                          .complete = complete,
                          .failure = {}};
  for (std::size_t candidate = 0; candidate < plan_.candidates.size(); ++candidate) {
    SearchCandidate& each = result.candidates.emplace_back();
    each.values = plan_.candidates[candidate];
    for (std::size_t rung = 0; rung < rungs_.size(); ++rung) {
      SearchScore score;
      for (std::size_t fold = 0; fold < s_.folds; ++fold) {
        if (const auto one = state_.find(rung, candidate, fold)) score.folds.push_back(*one);
      }
      if (score.folds.size() < s_.folds) break;
      each.rungs.push_back(std::move(score));
    }
  }
  std::ranges::stable_sort(result.candidates, [&](const auto& a, const auto& b) {
    if (a.rungs.size() != b.rungs.size()) return a.rungs.size() > b.rungs.size();
    return !a.rungs.empty() && before(a.rungs.back().mean(), b.rungs.back().mean());
  });
  return result;
}

double SearchScore::mean() const {
  return std::accumulate(folds.begin(), folds.end(), 0.0) / static_cast<double>(folds.size());
}

double SearchScore::standard_error() const {
  const double m = mean();
  double squares = 0;
  for (const double each : folds) squares += (each - m) * (each - m);
  const auto n = static_cast<double>(folds.size());
  return std::sqrt(squares / (n - 1) / n);
}

}  // namespace croft
