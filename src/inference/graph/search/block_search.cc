#include "inference/graph/search/block_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/junction_tree.h"
#include "inference/graph/allowed_assignment.h"
#include "inference/graph/local_state.h"
#include "inference/graph/search/local_search.h"
#include "structure/counting.h"
#include "structure/picked_graph.h"

namespace croft {
namespace {

constexpr double kWidest = 24;      // said in a message, too
constexpr double kWider = 2;        // so many more joint states of a clique, in powers of 2
constexpr double kShakenWidth = 8;  // of blocks that are drawn: exponentials are slow
constexpr std::size_t kLevels = 2;  // widths with shakes: wide blocks take too long for many
constexpr std::size_t kFewerShakes = 4;
constexpr double kWorkOfDraw = 10;  // for each variable and power of 2 of the width
// Blocks are drawn anew in one of so many rounds, or while fewer are kept: to draw narrow ones
// takes longer than to solve them.
constexpr std::uint64_t kRoundsOfDrawn = 4;
constexpr std::size_t kMostKept = 16, kMostKeptVariables = 1 << 22;
constexpr double kWorkOfNumber = 4;                                // to pick one
constexpr std::size_t kIdleAfterShake = 2, kRoundsAfterShake = 8;  // rounds
constexpr std::size_t kMostCounted = 10;  // variables of a factor that counts, in a table
constexpr std::size_t kAnnealEvery = 4;   // starts
// Temperatures of drawn blocks, relative to the mean range of the factors; by turns.
constexpr double kShakes[] = {0.02, 0.05, 0.1, 0.2};
// The same where each part is kept as it is best: on a torus of 100 x 100 spins these are ahead of
// (0.1, 0.2, 0.35, 0.6) by 0.2 % after ten seconds.
constexpr double kShakesOfParts[] = {0.3, 0.7, 1.5, 4};
constexpr double kFallingHeats[] = {1, 0.5, 0.25, 0.12, 0.06, 0.03};

double log2_of_most_states(const FactorGraph& graph) {
  std::size_t most = 2;
  for (Variable v = 0; v < graph.variables(); ++v) most = std::max(most, graph.states(v));
  return std::log2(static_cast<double>(most));
}

// True if a factor counts the states of more variables than a table is for.
bool counts_many(const FactorGraph& graph) {
  for (Factor f = 0; f < graph.factors(); ++f) {
    const bool counts = counts_states(graph.potential(graph.potential_of(f)).kind);
    if (counts && graph.scope(f).size() > kMostCounted) return true;
  }
  return false;
}

}  // namespace

void BlockOptions::validate() const {
  for (const double width : {first_width, most_width}) {
    if (width > 0 && width <= kWidest) continue;
    throw UsageError(
        "block search needs widths above 0, and of at most 24: logarithms to base 2 of the joint "
        "states of a clique");
  }
  if (patience == 0) throw UsageError("block search needs a patience of at least 1 round");
}

void BlockSearchOptions::validate() const {
  BlockOptions::validate();
  if (annealing_sweeps == 0) throw UsageError("block search needs at least 1 sweep of annealing");
}

BlockDescent::BlockDescent(const FactorGraph& graph, const BlockOptions& options,
                           std::span<const Variable> summed)
    : graph_(graph),
      options_(options),
      lists_(graph),
      by_trees_(!summed.empty() || counts_many(graph)),
      maximum_(graph, lists_),
      room_(2 * log2_of_most_states(graph)),
      blocks_(graph, summed, options.most_width + kWider - room_, options.most_width / 2),
      most_kept_(
          std::clamp<std::size_t>(kMostKeptVariables / (graph.variables() + 1), 1, kMostKept)),
      random_(options.seed) {
  options.validate();
}

void BlockDescent::begin(std::span<const State> states, std::size_t level) {
  level_ = level;
  width_ =
      std::min(options_.first_width + kWider * static_cast<double>(level), options_.most_width);
  if (!blocks_.summed().empty()) width_ = std::max(width_, blocks_.log2_largest_sum() + room_);
  go_on_from(states, options_.patience, std::numeric_limits<std::size_t>::max());
}

void BlockDescent::go_on_from(std::span<const State> states, std::size_t idle, std::size_t most) {
  x_.assign(states.begin(), states.end());
  idle_ = rounds_ = 0;
  patience_ = idle;
  most_rounds_ = most;
}

void BlockDescent::widen() {
  ++level_;
  width_ = std::max(width_, std::min(width_ + kWider, options_.most_width));
  go_on_from(std::vector<State>(x_), options_.patience, std::numeric_limits<std::size_t>::max());
}

// Layers make long blocks of grids; without them blocks are wherever the graph is narrow.
const std::vector<FreeBlock>& BlockDescent::draw(Drawn& before, double width) {
  if (std::exchange(before.width, width) != width) before.blocks.clear();
  std::vector<std::vector<FreeBlock>>& kept = before.blocks;
  const bool full = kept.size() >= most_kept_;
  if (full && random_.below(kRoundsOfDrawn) != 0) return kept[random_.below(kept.size())];
  const bool layered = random_.below(2) == 0;
  const auto thickest = static_cast<std::uint64_t>(std::max(1.0, width));
  const std::size_t thickness = layered ? thickest - random_.below(1 + thickest / 2) : 0;
  work_ += kWorkOfDraw * static_cast<double>(blocks_.variables()) * width;
  if (!full) kept.emplace_back();
  std::vector<FreeBlock>& drawn = full ? kept[random_.below(kept.size())] : kept.back();
  return drawn = blocks_.draw(width, thickness, random_);
}

BlockDescent::Round BlockDescent::shake(double temperature, const std::function<bool()>& goes_on) {
  std::size_t none = 0;
  for (const FreeBlock& each : draw(shaken_, by_trees_ ? width_ : std::min(width_, kShakenWidth))) {
    if (solve(each, temperature, none, goes_on) == Round::stopped) return Round::stopped;
  }
  return Round::same;
}

BlockDescent::Round BlockDescent::round(const std::function<bool()>& goes_on) {
  Round outcome = Round::same;
  std::size_t at_best = 0;
  for (const FreeBlock& each : draw(drawn_, width_)) {
    const Round found = solve(each, 0, at_best, goes_on);
    if (found == Round::stopped) return found;
    if (found == Round::better) outcome = found;
  }
  solved_ = at_best == blocks_.variables();
  ++rounds_;
  idle_ = outcome == Round::better ? 0 : idle_ + 1;
  return outcome;
}

// Equal scores are taken, too: what is better may be reached from there.
//   temperature : 0: the best states; else others may be drawn
//   at_best     : the variables of the block are added to it where they are at their best states
BlockDescent::Round BlockDescent::solve(const FreeBlock& block, double temperature,
                                        std::size_t& at_best,
                                        const std::function<bool()>& goes_on) {
  if (by_trees_) return solve_by_trees(block, temperature, at_best, goes_on);
  const double before = maximum_.work();
  const auto outcome = maximum_.run(block, temperature, options_.memory, random_, goes_on, x_);
  work_ += maximum_.work() - before;
  if (outcome == BlockMaximum::Outcome::stopped) return Round::stopped;
  if (outcome == BlockMaximum::Outcome::none || temperature > 0) return Round::same;
  at_best += block.size();
  return maximum_.rise() > 0 ? Round::better : Round::same;
}

// The same for sums, and for factors that count the states of many variables.
BlockDescent::Round BlockDescent::solve_by_trees(const FreeBlock& block, double temperature,
                                                 std::size_t& at_best,
                                                 const std::function<bool()>& goes_on) {
  const auto summed = static_cast<std::size_t>(
      std::ranges::count_if(block, [&](Variable v) { return blocks_.is_summed(v); }));
  if (summed == block.size()) return Round::same;
  PickedGraph part = restrict_to_block(graph_, lists_, x_, block);
  work_ += kWorkOfNumber * static_cast<double>(part.graph.numbers().size());
  std::vector<Variable> order(block.size());
  std::iota(order.begin(), order.end(), Variable{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(summed);
  const GraphCallback watch = [&](const GraphProgress&) { return goes_on(); };
  std::optional<FactorGraph> sums;  // of the others
  BestAssignment best;
  try {
    if (summed > 0) {
      JunctionTree tree(part.graph, EliminationOrder{.order = {order.begin(), middle}}, watch);
      if (tree.bytes() > options_.memory) return Round::same;
      work_ += std::exp2(tree.log2_joint_states());
      sums = tree.sum_out();
    }
    FactorGraph& rest = sums ? *sums : part.graph;
    JunctionTree tree(rest, EliminationOrder{.order = {middle, order.end()}}, watch);
    if (tree.bytes() > options_.memory) return Round::same;
    work_ += std::exp2(tree.log2_joint_states());
    if (temperature > 0) {
      for (double& each : rest.numbers()) each /= temperature;
      const std::vector<State> drawn = tree.samples(1, random_).front();
      for (std::size_t k = summed; k < drawn.size(); ++k) x_[part.variable[k]] = drawn[k];
      return Round::same;
    }
    best = tree.best();
  } catch (const Interrupted&) {
    return Round::stopped;
  } catch (const Error&) {  // no assignment is allowed
    return Round::same;
  }
  if (best.score == -kInf) return Round::same;
  std::vector<State> before;
  for (const Variable v : part.variable) before.push_back(blocks_.is_summed(v) ? 0 : x_[v]);
  const double score = (sums ? *sums : part.graph).score(before);
  at_best += block.size() - summed;
  if (best.score < score) return Round::same;  // by rounding
  for (std::size_t k = summed; k < before.size(); ++k) x_[part.variable[k]] = best.states[k];
  return best.score > score + 1e-12 * std::abs(score) ? Round::better : Round::same;
}

std::vector<State> better_parts(const FactorGraph& graph, const FactorLists& lists,
                                std::span<const State> a, std::span<const State> b) {
  std::vector<State> joined(a.begin(), a.end());
  std::vector<std::uint8_t> seen(graph.variables(), 0), counted(graph.factors(), 0);
  std::vector<Variable> part;
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (a[v] == b[v] || seen[v]) continue;
    Worth of_a, of_b;
    part.assign(1, v);
    seen[v] = 1;
    for (std::size_t at = 0; at < part.size(); ++at) {
      for (const Factor f : lists.of(part[at])) {
        if (counted[f]) continue;
        counted[f] = 1;
        of_a += graph.factor_score(f, a);
        of_b += graph.factor_score(f, b);
        for (const Variable u : graph.scope(f)) {
          if (a[u] == b[u] || seen[u]) continue;
          seen[u] = 1;
          part.push_back(u);
        }
      }
    }
    if (of_a.better_than(of_b)) continue;
    for (const Variable u : part) joined[u] = b[u];
  }
  return joined;
}

BlockWalk::BlockWalk(const FactorGraph& graph, const BlockSearchOptions& options,
                     std::span<const Variable> summed)
    : graph_(graph),
      lists_(graph),
      options_(options),
      descent_(graph, options, summed),
      range_(mean_range(graph)),
      by_parts_(summed.empty()),
      shakes_(kLevels, by_parts_ ? std::size(kShakesOfParts) : 0),
      seeds_(options.seed) {
  options.validate();
}

std::size_t BlockWalk::shakes() const {
  return descent_.level() < shakes_.size() ? shakes_[descent_.level()] : 0;
}

void BlockWalk::set_shakes(std::size_t shakes) {
  if (by_parts_ && descent_.level() < shakes_.size()) shakes_[descent_.level()] = shakes;
}

// The narrowest blocks around which shakes find something; a few rounds of narrower ones are of no
// use then.
std::size_t BlockWalk::first_level() const {
  std::size_t level = 0;
  while (by_parts_ && level < shakes_.size() && shakes_[level] == 0) ++level;
  return level;
}

void BlockWalk::begin(std::span<const State> states) {
  descent_.begin(states, first_level());
  left_ = false;
  fruitless_ = 0;
}

// Takes from the best one and the present one what is better in each part: a walk that is worse as
// a whole has mostly found something better somewhere.
void BlockWalk::join(std::span<const State> best) {
  left_ = true;
  if (!by_parts_ || descent_.solved()) return;
  const std::vector<State> joined = better_parts(graph_, lists_, best, descent_.states());
  const double score = graph_.score(joined);
  const bool better = score > best_ + 1e-12 * std::abs(score);
  fruitless_ = better ? 0 : fruitless_ + 1;
  if (better) set_shakes(std::size(kShakesOfParts));
  best_ = std::max(best_, score);
  descent_.go_on_from(joined, kIdleAfterShake, kRoundsAfterShake);
}

// On from where rounds find nothing; false: stopped.
bool BlockWalk::leave(std::span<const State> best, const std::function<bool()>& goes_on) {
  left_ = false;
  if (fruitless_ < shakes()) {
    const double heat = kShakesOfParts[turn_++ % std::size(kShakesOfParts)];
    return descent_.shake(heat * range_, goes_on) != BlockDescent::Round::stopped;
  }
  fruitless_ = 0;
  set_shakes(shakes() / kFewerShakes);
  if (descent_.widest()) return restart(best, goes_on);
  descent_.widen();
  return true;
}

// From the best one known with blocks drawn; now and then from another one, which annealing finds,
// of single variables or, where little is allowed, of blocks.
bool BlockWalk::restart(std::span<const State> best, const std::function<bool()>& goes_on) {
  const auto shake = [&](double heat) {
    return descent_.shake(heat * range_, goes_on) != BlockDescent::Round::stopped;
  };
  descent_.begin(best, first_level());
  if (++restarts_ % kAnnealEvery != 0) return shake(kShakes[restarts_ % std::size(kShakes)]);
  AnnealingOptions annealing;
  annealing.sweeps = options_.annealing_sweeps;
  annealing.seed = seeds_.next();
  const MapResult found =
      simulated_annealing(graph_, annealing, {}, [&](const GraphProgress&) { return goes_on(); });
  annealing_work_ += static_cast<double>(found.convergence.iterations) * work_of_sweep(graph_);
  if (!found.convergence.converged) return false;
  if (found.states.empty()) return std::ranges::all_of(kFallingHeats, shake);
  descent_.begin(found.states, first_level());
  return true;
}

BlockDescent::Round BlockWalk::step(std::span<const State> best,
                                    const std::function<bool()>& goes_on) {
  if (left_ && !leave(best, goes_on)) return BlockDescent::Round::stopped;
  const BlockDescent::Round outcome = descent_.round(goes_on);
  if (outcome != BlockDescent::Round::stopped && descent_.idle()) join(best);
  return outcome;
}

namespace {

// The assignment that annealing finds; if it finds none, any allowed one.
std::vector<State> first_of(const FactorGraph& graph, const BlockSearchOptions& options,
                            const std::function<bool()>& goes_on) {
  Random random(options.seed);
  AnnealingOptions annealing;
  annealing.sweeps = options.annealing_sweeps;
  annealing.seed = random.next();
  MapResult found =
      simulated_annealing(graph, annealing, {}, [&](const GraphProgress&) { return goes_on(); });
  if (!found.states.empty() || !goes_on()) return std::move(found.states);
  return find_allowed(graph, random).states;
}

}  // namespace

MapResult block_search(const FactorGraph& graph, const BlockSearchOptions& options,
                       std::span<const State> start, const GraphCallback& callback) {
  options.validate();
  MapResult result;
  BlockWalk walk(graph, options);
  std::size_t& rounds = result.convergence.iterations;
  const std::function<bool()> goes_on = [&] { return report(callback, result); };
  std::vector<State> from(start.begin(), start.end());
  if (from.empty() && graph.variables() > 0) from = first_of(graph, options, goes_on);
  if (from.empty() && graph.variables() > 0) return result;
  offer(result, graph, from);
  walk.begin(from);
  bool open = goes_on();
  while (open && !walk.at().solved()) {
    if (walk.exhausted() && walk.restarts() == options.restarts) break;
    open = walk.step(result.states.empty() ? from : result.states, goes_on) !=
           BlockDescent::Round::stopped;
    offer(result, graph, walk.at().states());
    ++rounds;
    open = open && goes_on() && rounds != options.max_iterations;
  }
  if (walk.at().solved()) result.bound = result.score;
  result.convergence.converged = open;
  conclude(result);
  return result;
}

}  // namespace croft
