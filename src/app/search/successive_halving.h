// The course of a search: rung by rung, the best settings go on.  Who trains and scores is told by
// numbers, and keeps no account of it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/search/search_plan.h"
#include "app/search/search_state.h"
#include "croft/core/parallel.h"

namespace croft {

class SuccessiveHalving {
 public:
  struct Calls {
    // Before the first training of a rung.
    std::function<void(std::size_t rung)> begin;
    // NaN: interrupted.  Called on several threads at once.
    std::function<double(std::size_t rung, std::size_t candidate, std::size_t fold)> score;
    // What in the data makes this score infinite.
    std::function<std::string(std::size_t rung, std::size_t candidate, std::size_t fold)> why;
    std::function<void(const SearchProgress&)> progress;  // optional
  };
  // The state is open; what it knows is not scored again.
  //   sequences : that there are, for the report
  SuccessiveHalving(const SearchSettings& settings, const SearchPlan& plan, SearchState& state,
                    std::size_t sequences, const Calls& calls);
  SearchedSettings run();

 private:
  struct Task {
    std::size_t candidate, fold;
  };
  std::vector<Task> tasks_of(std::size_t rung, const std::vector<std::size_t>& in);
  bool run_rung(std::size_t rung, const std::vector<std::size_t>& in);
  void keep_best(std::size_t rung, std::vector<std::size_t>& in);
  double mean(std::size_t rung, std::size_t candidate) const;
  bool before(double a, double b) const {
    return s_.metric == SearchMetric::log_loss ? a < b : a > b;
  }
  Message why_infinite(std::size_t rung, std::size_t candidate) const;
  SearchedSettings result(bool complete) const;

  const SearchSettings& s_;
  const SearchPlan& plan_;
  SearchState& state_;
  const std::size_t sequences_;
  const Calls& calls_;
  ThreadPool pool_;
  std::vector<SearchRung> rungs_;   // fewer settings than planned where scores are infinite
  std::size_t done_ = 0, all_ = 0;  // trainings
};

}  // namespace croft
