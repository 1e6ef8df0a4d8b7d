// One chain of a run: its state, its samplers, what it keeps.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bugs/run/monitors.h"
#include "bugs/run/starts.h"
#include "bugs/sampler.h"

namespace croft::bugs {

// What all chains of a run have in common.
struct ChainPlan {
  const ModelGraph* graph = nullptr;
  std::vector<Monitor> monitors = {};
  std::vector<Step> report = {};  // what monitors need beyond what is kept current
  std::uint64_t seed = 1;
  std::size_t burn_in = 0;

  // Random numbers of a chain in an iteration (0: its start); a resumed run needs no state of them.
  Random random(std::size_t chain, std::size_t iteration) const;
};

// A state that the deviance is estimated from, and how many iterations it stands for.
struct Snapshot {
  std::size_t iteration = 0;
  std::size_t weight = 1;
  std::vector<double> values = {};
  void archive(StateArchive& state) { state(iteration, weight, values); }
};

// Of kept iteration k (from 1): 0, or the weight of a snapshot there.  256 or so while k doubles.
std::size_t snapshot_weight(std::size_t k);

class RunChain {
 public:
  RunChain(const ChainPlan& plan, std::size_t number, Start start);

  // The iterations up to `last`; ends early where `stop` says so: after an iteration, or within one
  // that takes long.  That one is not counted, and the state is not one to go on from.
  bool broken() const { return broken_; }
  void run(std::size_t last, const std::function<bool()>& stop);
  std::size_t iteration() const { return iteration_; }
  const std::vector<std::vector<double>>& traces() const { return traces_; }
  std::span<const std::unique_ptr<Sampler>> samplers() const { return samplers_; }
  // Those since the last call.
  std::vector<Snapshot> take_snapshots() { return std::exchange(snapshots_, {}); }
  void archive(StateArchive& state);

 private:
  // Draws before the first iteration what has no start of its own given what has.
  void settle(const std::function<bool()>& stop);
  void draw_what_has_no_start(const std::function<bool()>& stop);
  void keep();
  // All samplers once; false where it was broken off.
  bool update(Random& random, const std::function<bool()>& stop);
  void end_adaptation();

  const ChainPlan& plan_;
  std::size_t number_, iteration_ = 0;
  std::vector<Origin> origins_;
  bool adapting_ = true, broken_ = false;
  ChainState state_;
  std::vector<std::unique_ptr<Sampler>> samplers_;
  std::vector<std::vector<double>> traces_;  // [monitors]
  std::vector<Snapshot> snapshots_;
};

}  // namespace croft::bugs
