// A search whose trainings are the caller's.
#include <fmt/format.h>

#include "app/search/search.h"
#include "app/search/search_plan.h"
#include "app/search/search_state.h"
#include "app/search/successive_halving.h"
#include "features/vocabulary.h"

namespace croft {
namespace {

std::string fingerprint(const SearchSettings& s, const SearchPlan& plan, const std::string& data) {
  std::string text =
      fmt::format("{} folds {} eta {} smallest {} metric {} seed {} iterations {} ", data, s.folds,
                  s.eta, s.smallest, name_of(s.metric), s.seed, s.iterations);
  for (const SearchParameter& p : s.parameters) text += p.option + " ";
  for (const auto& candidate : plan.candidates) {
    for (const std::string& value : candidate) text += value + " ";
  }
  return fmt::format("{:016x}", hash_string(text));
}

}  // namespace

SearchedSettings search_settings(const SearchSettings& settings, std::size_t sequences,
                                 const std::string& data,
                                 const std::function<double(const SearchTask&)>& score,
                                 const std::function<void(const SearchProgress&)>& progress) {
  settings.validate();
  SearchSettings s = settings;
  s.threads = 1;
  const SearchPlan plan(s, sequences);
  SearchState state;
  state.open(s.state, s.resume, fingerprint(s, plan, data));
  const bool by_data = s.resource == SearchResource::data;
  const SuccessiveHalving::Calls calls{
      .begin = [](std::size_t) {},
      .score =
          [&](std::size_t rung, std::size_t candidate, std::size_t fold) {
            const double share = plan.rungs[rung].share;
            return score({.rung = rung,
                          .candidate = candidate,
                          .fold = fold,
                          .values = plan.candidates[candidate],
                          .train = plan.training_of(by_data ? share : 1.0, fold),
                          .test = plan.test_of(fold),
                          .iterations = by_data ? 0 : rung_iterations(share, s.iterations)});
          },
      .why =
          [](std::size_t, std::size_t, std::size_t fold) {
            return fmt::format("fold {} has a label or a sequence that the others make impossible",
                               fold + 1);
          },
      .progress = progress};
  return SuccessiveHalving(s, plan, state, sequences, calls).run();
}

}  // namespace croft
