#include "inference/graph/messages/generalised_propagation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "inference/graph/exact/scoped_table.h"
#include "inference/graph/messages/hidden_rise.h"

namespace croft {
namespace {

// Logarithms that are so far below those of the scores have run away: soon they would be infinite,
// as only those of zeros may be.
constexpr double kRunaway = 1e12;
constexpr std::size_t kStatesBetweenQuestions = std::size_t{1} << 19;  // some milliseconds
constexpr double kDigits = 1e8;  // scores whose sums by beliefs are exact

std::vector<double> probabilities(const std::vector<double>& logs) {
  const double high = *std::ranges::max_element(logs);
  std::vector<double> p = logs;
  double sum = 0;
  for (double& each : p) sum += each = std::exp(each - high);
  for (double& each : p) each /= sum;
  return p;
}

double entropy(const std::vector<double>& p) {
  double sum = 0;
  for (const double each : p) sum -= each > 0 ? each * std::log(each) : 0;
  return sum;
}

class RegionMessages {
 public:
  //   goes_on : asked now and then, also while regions are entered; false ends an iteration early
  RegionMessages(const FactorGraph& graph, const RegionGraph& regions,
                 const GeneralisedOptions& options, std::function<bool()> goes_on)
      : graph_(graph), regions_(regions), options_(options), goes_on_(std::move(goes_on)) {
    for (const Region& each : regions.outer) add_outer(each);
    for (const Region& each : regions.inner) {
      add_inner(each);
      if (!spend(inner_.back())) throw Interrupted("stopped before the first messages");
    }
    for (const Factor f : regions.constants) {
      constant_ += graph.score_of(f, std::vector<State>(graph.scope(f).size(), 0));
    }
    contradiction_ = contradiction_ || constant_ == -kInf;
    for (const Outer& each : outer_) {
      double low = kInf, high = -kInf;
      for (const double score : each.scores) {
        high = std::max(high, score);
        if (score > -kInf) low = std::min(low, score);
      }
      if (high > low) range_ += high - low;
    }
  }

  // An (outer) iteration; the largest change of a belief of an inner region, or how far outer ones
  // are from it.
  double iterate() {
    const bool twice = doubled();
    std::vector<std::vector<double>> before;
    for (Inner& each : inner_) {
      each.tangent = each.belief;
      before.push_back(probabilities(each.belief));
    }
    double change = 0;
    for (std::size_t k = 0; k < (twice ? options_.inner_iterations : 1); ++k) {
      change = 0;
      for (Inner& each : inner_) {
        if (!spend(each)) return kInf;
        change = std::max(change, update(each));
        if (contradiction_) return 0;
        if (ran_away_) return kInf;
      }
      refresh();
      if (change <= options_.tolerance / 10) break;
    }
    for (std::size_t k = 0; k < inner_.size(); ++k) {
      const std::vector<double> p = probabilities(inner_[k].belief);
      for (std::size_t x = 0; x < p.size(); ++x) {
        change = std::max(change, std::abs(p[x] - before[k][x]));
      }
      change = std::max(
          change, hidden_rise(inner_[k].belief, inner_[k].tangent, std::log(options_.tolerance)));
    }
    return change;
  }

  bool stopped() const { return stopped_; }
  bool contradiction() const { return contradiction_; }
  bool ran_away() const { return ran_away_; }
  // True if the sums of b theta keep their digits in spite of rounded messages.
  bool keeps_digits() const { return range_ < kDigits; }

  // (GV.16)
  double kikuchi() const {
    CompensatedSum sum(constant_);
    for (const Outer& each : outer_) {
      const std::vector<double> b = probabilities(each.belief);
      double mean = entropy(b);
      for (std::size_t x = 0; x < b.size(); ++x) mean += b[x] > 0 ? b[x] * each.scores[x] : 0;
      sum.add(mean);
    }
    for (std::size_t k = 0; k < inner_.size(); ++k) {
      sum.add(regions_.inner[k].count * entropy(probabilities(inner_[k].belief)));
    }
    return sum.value();
  }

  std::vector<std::vector<double>> outer_beliefs() const {
    std::vector<std::vector<double>> all;
    for (const Outer& each : outer_) all.push_back(probabilities(each.belief));
    return all;
  }

  // Of each variable by the first outer region that has it.
  VariableMarginals beliefs() const {
    VariableMarginals all(graph_.variables());
    for (Variable v = 0; v < all.size(); ++v) {
      if (graph_.states(v) < 2) all[v].assign(graph_.states(v), 1.0);
    }
    for (std::size_t k = 0; k < outer_.size(); ++k) {
      const std::vector<double> b = probabilities(outer_[k].belief);
      const Cluster& variables = regions_.outer[k].variables;
      for (const Variable v : variables) {
        if (!all[v].empty()) continue;
        all[v].assign(graph_.states(v), 0.0);
        for_places(graph_, variables, std::span(&v, 1),
                   [&](std::uint64_t x, std::uint64_t s) { all[v][s] += b[x]; });
      }
    }
    return all;
  }

 private:
  struct Outer {
    std::vector<double> scores;  // [joint states]
    std::vector<double> belief;  // scores + all that enters, logarithms
  };
  struct Link {  // of an inner region with an outer one
    std::size_t outer;
    std::vector<std::uint32_t> place;  // [joint states of the outer one] in the inner one
    std::vector<double> down;          // what the inner one has sent; logarithms
    std::vector<double> up;            // what it was last told
  };
  struct Inner {
    std::vector<Link> links;
    std::vector<double> belief, tangent;  // logarithms
    double exponent = 1;                  // what the belief's logarithm is divided by
    double slope = 0;                     // weight of the tangent
  };

  // Counts the joint states of an update; whether to go on.
  bool spend(const Inner& inner) {
    for (const Link& link : inner.links) since_ += link.place.size();
    if (since_ < kStatesBetweenQuestions) return true;
    since_ = 0;
    stopped_ = stopped_ || !goes_on_();
    return !stopped_;
  }

  // A tree of cliques needs no second loop.
  bool doubled() const { return options_.scheme == RegionScheme::double_loop && !regions_.acyclic; }

  void add_outer(const Region& region) {
    Outer outer;
    outer.scores.assign(joint_states(graph_, region.variables), 0.0);
    for (const Factor f : region.factors) {
      const std::vector<double> own = graph_.table(f);
      for_places(graph_, region.variables, graph_.scope(f),
                 [&](std::uint64_t x, std::uint64_t place) { outer.scores[x] += own[place]; });
    }
    outer.belief = outer.scores;
    contradiction_ = contradiction_ || *std::ranges::max_element(outer.scores) == -kInf;
    outer_.push_back(std::move(outer));
  }

  // The part of a count that a tangent takes the place of: all of a negative one in the double
  // loop, elsewhere only what would make a belief's exponent less than 1.
  void add_inner(const Region& region) {
    Inner inner;
    const auto links = static_cast<double>(region.outer.size());
    const double kept = std::max(region.count, doubled() ? 0 : 1 - links);
    inner.exponent = links + kept;
    inner.slope = kept - region.count;
    const std::size_t states = joint_states(graph_, region.variables);
    inner.belief.assign(states, 0.0);
    for (const std::size_t k : region.outer) {
      Link link{.outer = k, .place = {}, .down = std::vector<double>(states, 0.0), .up = {}};
      link.place.resize(outer_[k].scores.size());
      for_places(graph_, regions_.outer[k].variables, region.variables,
                 [&](std::uint64_t x, std::uint64_t place) {
                   link.place[x] = static_cast<std::uint32_t>(place);
                 });
      inner.links.push_back(std::move(link));
    }
    inner_.push_back(std::move(inner));
  }

  // What an outer region says of an inner one beside what this has told it; false where that is 0.
  bool receive(Link& link) {
    const std::vector<double>& q = outer_[link.outer].belief;
    const std::size_t states = link.down.size();
    high_.assign(states, -kInf);
    sum_.assign(states, 0.0);
    for (std::size_t x = 0; x < q.size(); ++x) {
      high_[link.place[x]] = std::max(high_[link.place[x]], q[x]);
    }
    for (std::size_t x = 0; x < q.size(); ++x) {
      if (q[x] > -kInf) sum_[link.place[x]] += std::exp(q[x] - high_[link.place[x]]);
    }
    link.up.resize(states);
    for (std::size_t s = 0; s < states; ++s) {
      link.up[s] = high_[s] == -kInf ? -kInf : high_[s] + std::log(sum_[s]) - link.down[s];
    }
    return make_relative(link.up);
  }

  // How far beliefs of outer regions are from a new one of an inner region; the change of its own
  // belief alone is 0 where it is certain, while messages still move.
  double disagreement(const Inner& inner, const std::vector<double>& b) {
    const std::vector<double> p = probabilities(b);
    double most = 0;
    for (const Link& link : inner.links) {
      high_.assign(b.size(), -kInf);
      for (std::size_t s = 0; s < b.size(); ++s) {
        if (b[s] > -kInf) high_[s] = link.up[s] + link.down[s];
      }
      const std::vector<double> q = probabilities(high_);
      for (std::size_t s = 0; s < b.size(); ++s) most = std::max(most, std::abs(p[s] - q[s]));
    }
    return most;
  }

  // (GV.17); how far the outer regions were from the new belief.
  double update(Inner& inner) {
    std::vector<double> b(inner.belief.size(), 0.0);
    for (std::size_t s = 0; s < b.size() && inner.slope > 0; ++s) {
      b[s] += inner.slope * inner.tangent[s];
    }
    for (Link& link : inner.links) {
      if (!receive(link)) {
        contradiction_ = true;
        return 0;
      }
      for (std::size_t s = 0; s < b.size(); ++s) b[s] += link.up[s];
    }
    for (double& each : b) each /= inner.exponent;
    if (!make_relative(b)) {
      contradiction_ = true;
      return 0;
    }
    for (const double each : b)
      ran_away_ = ran_away_ || (each < -(kRunaway + 2 * range_) && each > -kInf);
    if (ran_away_) return kInf;
    const double change = disagreement(inner, b);
    for (std::size_t s = 0; s < b.size(); ++s) {
      if (options_.damping > 0 && b[s] > -kInf) {
        b[s] += options_.damping * (inner.belief[s] - b[s]);
      }
    }
    for (Link& link : inner.links) {
      high_.resize(b.size());
      for (std::size_t s = 0; s < b.size(); ++s) {
        const double down = b[s] == -kInf ? -kInf : b[s] - link.up[s];
        high_[s] = down == -kInf ? -kInf : down - link.down[s];
        link.down[s] = down;
      }
      std::vector<double>& belief = outer_[link.outer].belief;
      for (std::size_t x = 0; x < belief.size(); ++x) belief[x] += high_[link.place[x]];
    }
    inner.belief = std::move(b);
    return change;
  }

  // Sums of many changes lose digits.
  void refresh() {
    for (Outer& each : outer_) each.belief = each.scores;
    for (const Inner& inner : inner_) {
      for (const Link& link : inner.links) {
        std::vector<double>& belief = outer_[link.outer].belief;
        for (std::size_t x = 0; x < belief.size(); ++x) belief[x] += link.down[link.place[x]];
      }
    }
  }

  const FactorGraph& graph_;
  const RegionGraph& regions_;
  const GeneralisedOptions& options_;
  std::vector<Outer> outer_;
  std::vector<Inner> inner_;
  double constant_ = 0;
  double range_ = 0;  // of the regions' scores that are not -inf, together
  bool contradiction_ = false, ran_away_ = false, stopped_ = false;
  const std::function<bool()> goes_on_;
  std::size_t since_ = 0;           // joint states, the last question
  std::vector<double> high_, sum_;  // of one inner region
};

}  // namespace

RegionScheme region_scheme(std::string_view name) {
  if (name == "one-loop") return RegionScheme::one_loop;
  if (name == "double-loop") return RegionScheme::double_loop;
  throw UsageError("no scheme " + in_quotes(name) + "; there are one-loop and double-loop");
}

void GeneralisedOptions::validate() const {
  if (!(tolerance > 0 && tolerance < kInf)) throw UsageError("the tolerance must be positive");
  if (!(damping >= 0 && damping < 1)) throw UsageError("damping must be in [0, 1)");
  if (max_iterations == 0 || inner_iterations == 0) {
    throw UsageError("there must be at least one iteration, outer and inner");
  }
}

GeneralisedResult generalised_propagation(const FactorGraph& graph, const RegionGraph& regions,
                                          const GeneralisedOptions& options,
                                          const GraphCallback& callback) {
  options.validate();
  GeneralisedResult result;
  Convergence& end = result.convergence;
  GraphProgress progress;
  RegionMessages messages(graph, regions, options, [&] { return !callback || callback(progress); });
  while (end.iterations < options.max_iterations && !end.converged && !messages.contradiction()) {
    const double residual = messages.iterate();
    if (messages.stopped()) break;
    end.residual = residual;
    ++end.iterations;
    end.converged = end.residual <= options.tolerance;
    if (messages.ran_away()) break;
    if (!callback || end.converged || messages.contradiction()) continue;
    progress.iteration = end.iterations;
    progress.residual = end.residual;
    if (options.scheme == RegionScheme::double_loop) progress.value = messages.kikuchi();
    if (!callback(progress)) break;
  }
  result.contradiction = messages.contradiction();
  if (result.contradiction) {
    end.converged = true;
    end.residual = 0;
    result.kind = ResultKind::exact;
    result.log_partition = -kInf;
    return result;
  }
  if (regions.acyclic && end.converged && messages.keeps_digits()) result.kind = ResultKind::exact;
  result.log_partition = messages.kikuchi();
  result.beliefs = messages.beliefs();
  result.outer = messages.outer_beliefs();
  return result;
}

}  // namespace croft
