#include "bugs/run/draw_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bugs/distributions.h"
#include "bugs/node_values.h"
#include "core/words/counted.h"

namespace croft::bugs {
namespace {

// "a", "b" and 3 more
std::string some_of(const std::vector<std::string>& texts) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(texts.size(), kShown); ++k) {
    text += (k == 0 ? "" : ", ") + texts[k];
  }
  if (texts.size() > kShown) text += fmt::format(" and {} more", texts.size() - kShown);
  return text;
}

bool all_equal(const Trace& trace) {
  std::size_t draws = 0;
  bool equal = true;
  for (const std::vector<double>& chain : trace.chains) {
    draws += chain.size();
    for (const double x : chain) equal = equal && x == trace.chains[0][0];
  }
  return equal && draws > 1;
}

// In how many draws, of how many, it is no number; empty: in none.
std::string not_numbers(const Trace& trace) {
  std::size_t draws = 0, without = 0;
  for (const std::vector<double>& chain : trace.chains) {
    draws += chain.size();
    without += static_cast<std::size_t>(
        std::ranges::count_if(chain, [](double x) { return std::isnan(x); }));
  }
  return without == 0 ? "" : fmt::format("{} of {}", without, counted(draws, "draw"));
}

// Why pD is not known; empty where it is, or one chain cannot have it.
std::string unknown_complexity(const ModelGraph& graph, const BugsResult& result) {
  if (!result.deviance || !std::isnan(result.deviance->pd) || result.traces.empty() ||
      result.traces[0].chains.size() < 2)
    return {};
  const auto found = std::ranges::find_if(
      graph.observed(), [&](NodeId id) { return support_moves(graph, graph.node(id)); });
  return "pD and DIC are not known: which values " +
         (found == graph.observed().end() ? "an observed node" : in_quotes(graph.name(*found))) +
         " can have depends on unobserved nodes";
}

}  // namespace

std::vector<std::string> warnings_of(const ModelGraph& graph, const std::vector<Monitor>& monitors,
                                     const BugsResult& result) {
  std::vector<std::string> unmoved, no_numbers;
  for (std::size_t m = 0; m < result.traces.size(); ++m) {
    const Trace& trace = result.traces[m];
    const Slot slot = monitors[m].slot;
    const NodeId node = slot == kNothing ? kNothing : graph.node_of(slot);
    const bool moves =
        node != kNothing ? !graph.node(node).observed : slot != kNothing && !graph.fixed(slot);
    if (moves && all_equal(trace)) {
      unmoved.push_back(in_quotes(trace.name));
    }
    const std::string some = not_numbers(trace);
    if (!some.empty()) no_numbers.push_back(in_quotes(trace.name) + " (" + some + ")");
  }
  for (const ExactMarginal& each : result.exact) {
    if (each.values.empty() || !std::isnan(each.values.back())) continue;
    no_numbers.push_back(
        fmt::format("{} (probability {:.4g})", in_quotes(each.name), each.probabilities.back()));
  }
  std::vector<std::string> out;
  const auto has_draws = [](const Trace& trace) { return !trace.chains[0].empty(); };
  if (result.stopped && std::ranges::none_of(result.traces, has_draws)) {
    const Trace& next = *std::ranges::min_element(result.traces, {}, &Trace::first);
    out.push_back(
        fmt::format("nothing was kept: the run was stopped after {}, and the first that is kept is "
                    "iteration {}; take a shorter burn-in, or let it run longer",
                    counted(result.iterations, "iteration"), next.first));
  }
  if (!unmoved.empty()) {
    out.push_back(
        (unmoved.size() == 1 ? "all draws are equal of " : "all draws are equal of each of ") +
        some_of(unmoved) + ": no other value is likely, or the chains do not move");
  }
  if (!no_numbers.empty()) {
    out.push_back("no number (NaN) is the value of " + some_of(no_numbers) +
                  ": there is no mean, deviation or quantile");
  }
  if (const std::string why = unknown_complexity(graph, result); !why.empty()) out.push_back(why);
  return out;
}

std::string warning_of(const ModelGraph& graph, Trouble trouble, std::span<const NodeId> nodes) {
  if (trouble == Trouble::none) return {};
  std::vector<std::string> names;
  for (const NodeId id : nodes) names.push_back(in_quotes(graph.name(id)));
  if (trouble == Trouble::unmoved) {
    return "in some iterations a precision or a coefficient was no finite number, so that these "
           "stayed where they were: " +
           some_of(names) + "; give what they depend on priors that keep it in a possible range";
  }
  return "double precision does not tell apart what these do, or data and priors do not fix all of "
         "them: " +
         some_of(names) +
         "; some were drawn one given the others and may not have reached their distribution. "
         "Centre what they are multiplied by, or give priors that say more";
}

std::string shared_start(const ModelGraph& graph, const Arrays& inits) {
  std::vector<std::string> names;
  for (const auto& [name, array] : inits) {
    const auto found = graph.arrays().find(name);
    if (found == graph.arrays().end()) continue;
    for (std::size_t k = 0; k < std::min(array.values.size(), found->second.slots.size()); ++k) {
      const Slot slot = found->second.slots[k];
      const NodeId id = slot == kNothing ? kNothing : graph.node_of(slot);
      if (id == kNothing || std::isnan(array.values[k]) || !graph.node(id).informative) continue;
      if (!distribution(graph.node(id).distribution).discrete) continue;
      const std::string node = in_quotes(graph.name(id));
      if (names.empty() || names.back() != node) names.push_back(node);
    }
  }
  if (names.empty()) return {};
  return "all chains start at the same value of " + some_of(names) +
         ": r_hat does not see what none of them reaches; give each chain initial values of its "
         "own";
}

}  // namespace croft::bugs
