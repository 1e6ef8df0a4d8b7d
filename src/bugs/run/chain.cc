#include "bugs/run/chain.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <optional>

#include "bugs/distributions.h"
#include "bugs/node_values.h"
#include "bugs/run/deviance.h"

namespace croft::bugs {

Random ChainPlan::random(std::size_t chain, std::size_t iteration) const {
  std::uint64_t x = seed;
  for (const std::uint64_t part : {std::uint64_t{chain} + 1, std::uint64_t{iteration} + 1}) {
    x = (x ^ (part * 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u;  // apart for every pair
    x = (x ^ (x >> 31)) * 0x94D049BB133111EBu;
    x ^= x >> 29;
  }
  return Random(x);
}

std::size_t snapshot_weight(std::size_t k) {
  const std::size_t spacing = std::bit_floor(std::max<std::size_t>(k / 256, 1));
  return k % spacing == 0 ? spacing : 0;
}

RunChain::RunChain(const ChainPlan& plan, std::size_t number, Start start)
    : plan_(plan),
      number_(number),
      origins_(std::move(start.origins)),
      state_{std::move(start.values)},
      samplers_(choose_samplers(*plan.graph)),
      traces_(plan.monitors.size()) {
  if (plan_.burn_in == 0) end_adaptation();
}

void RunChain::end_adaptation() {
  adapting_ = false;
  for (const auto& sampler : samplers_) sampler->end_adaptation();
}

// Two rounds of sweeps, each with the samplers of the model given what is held.
//
// First what is neither given nor a root is drawn: the classes of a mixture given its means.  Then,
// where there are classes, everything that was not given: an initial value that says which class is
// which would be forgotten while the others are far.  What was given does not say what its own
// parents are: effects that all start at 0 would say that their variance is 0.
// When stopped it has done nothing.
void RunChain::settle(const std::function<bool()>& stop) {
  const std::vector<double> start = state_.values;
  try {
    draw_what_has_no_start(stop);
  } catch (const Interrupted&) {
    state_.values = start;
    return;
  }
  if (stop()) state_.values = start;
}

void RunChain::draw_what_has_no_start(const std::function<bool()>& stop) {
  constexpr std::size_t kSweeps = 20;  // of a round
  const ModelGraph& whole = *plan_.graph;
  const auto given = [&](NodeId id) { return origins_[id] == Origin::given; };
  const auto has_start = [&](NodeId id) {
    return given(id) || std::ranges::any_of(whole.children(id), given);
  };
  const auto draw_all_but = [&](std::size_t round, const auto& is_held) {
    std::vector<NodeId> held;
    std::ranges::copy_if(whole.sampled(), std::back_inserter(held), is_held);
    if (held.size() == whole.sampled().size()) return;
    const ModelGraph graph = whole.given(held, state_.values.data());
    const auto samplers = choose_samplers(graph);
    for (std::size_t sweep = round * kSweeps; sweep < (round + 1) * kSweeps && !stop(); ++sweep) {
      Random random = plan_.random(number_, kNothing + sweep);
      for (const auto& sampler : samplers) {
        if (stop()) break;
        sampler->update(state_, random);
      }
    }
  };
  draw_all_but(0, [&](NodeId id) { return origins_[id] == Origin::root || has_start(id); });
  const auto is_class = [&](NodeId id) {
    return distribution(whole.node(id).distribution).discrete;
  };
  if (std::ranges::any_of(whole.sampled(), given) && std::ranges::any_of(whole.sampled(), is_class))
    draw_all_but(1, has_start);
}

bool RunChain::update(Random& random, const std::function<bool()>& stop) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPatience(500);
  std::optional<Clock::time_point> asked;
  for (const auto& sampler : samplers_) {
    if (stop()) {
      if (!asked) asked = Clock::now();
      if (Clock::now() - *asked > kPatience) return false;
    }
    try {
      sampler->update(state_, random);
    } catch (const Interrupted&) {
      return false;
    }
  }
  return true;
}

void RunChain::run(std::size_t last, const std::function<bool()>& stop) {
  if (iteration_ == 0) settle(stop);
  while (iteration_ < last && !stop()) {
    ++iteration_;
    Random random = plan_.random(number_, iteration_);
    if (!update(random, stop)) {
      --iteration_;
      broken_ = true;
      return;
    }
    if (iteration_ == plan_.burn_in) end_adaptation();
    if (iteration_ <= plan_.burn_in) continue;
    const std::size_t kept = iteration_ - plan_.burn_in;
    const bool due =
        std::ranges::any_of(plan_.monitors, [&](const Monitor& m) { return kept % m.thin == 0; });
    if (due) {
      for (const Step& step : plan_.report) {
        if (!step.is_node) {
          plan_.graph->evaluate(step.id, state_.values.data());
        } else if (!draw_node(*plan_.graph, plan_.graph->node(step.id), state_.values.data(),
                              random)) {
          throw InputError(plan_.graph->where(step.id),
                           "the parameters or bounds of this node were impossible in a draw",
                           plan_.graph->name(step.id),
                           "give what they depend on a distribution that keeps them possible");
        }
      }
      keep();
    }
    if (const std::size_t weight = snapshot_weight(kept); weight > 0) {
      snapshots_.push_back({iteration_, weight, state_.values});
    }
  }
}

void RunChain::keep() {
  const std::size_t kept = iteration_ - plan_.burn_in;
  for (std::size_t m = 0; m < plan_.monitors.size(); ++m) {
    const Monitor& monitor = plan_.monitors[m];
    if (kept % monitor.thin != 0) continue;
    traces_[m].push_back(monitor.slot == kNothing ? deviance_of(*plan_.graph, state_.values.data())
                                                  : state_.values[monitor.slot]);
  }
}

void RunChain::archive(StateArchive& state) {
  state(iteration_, state_.values, traces_);
  if (state.reading() && iteration_ >= plan_.burn_in && adapting_) end_adaptation();
  for (const auto& sampler : samplers_) sampler->archive(state);
}

}  // namespace croft::bugs
