// The table of methods, and what `auto` makes of it.
#include "app/infer/infer_methods.h"

#include <algorithm>
#include <charconv>

#include "croft/core/interrupt.h"
#include "croft/inference/graph_cut.h"

namespace croft {
namespace {

using enum GraphTask;

constexpr std::size_t kAutoNodes = 10000;

[[noreturn]] void refuse(std::string_view name, const std::string& text, std::string_view what) {
  throw UsageError("--set ", name, "=", text, " is not ", what);
}

}  // namespace

std::span<const InferMethod> infer_methods() {
  static const std::vector<InferMethod> methods = [] {
    std::vector<InferMethod> all;
    for (const auto& rows :
         {exact_methods(), sum_methods(), search_methods(), sampling_methods()}) {
      all.insert(all.end(), rows.begin(), rows.end());
    }
    for (InferMethod& each : all) {  // what finds the best of a graph does where others are summed
      const auto at = std::ranges::find(each.tasks, map);
      if (at != each.tasks.end()) each.tasks.insert(at + 1, marginal_map);
    }
    return all;
  }();
  return methods;
}

AutoChoice auto_without_junction_tree(const InferProblem& p) {
  switch (p.request.task) {
    case partition:
    case marginals:
      return {"belief-propagation", "belief propagation gives an estimate", {}};
    case sample:
      return {"gibbs", "Gibbs sampling does without", {}};
    case map:
    case marginal_map:
      break;
  }
  if (!p.request.k_best && why_no_graph_cut(p.graph).empty()) {
    return {"graph-cut", "a minimum cut is exact here", {}};
  }
  if (p.request.seconds) {
    return {"branch-and-bound", "branch and bound has an assignment and a bound at any time", {}};
  }
  return {"branch-and-bound",
          {"branch and bound goes through ", kAutoNodes,
           " nodes at most (--time or --max-iterations: as you say)"},
          kAutoNodes};
}

std::string_view auto_iterating(const InferRequest& request) {
  if (request.k_best) return "branch-and-bound";
  switch (request.task) {
    case partition:
    case marginals:
      return "belief-propagation";
    case map:
    case marginal_map:
      return "trw-s";
    case sample:
      break;
  }
  return "gibbs";
}

const std::string* Settings::find(std::string_view name) const {
  const std::string* found = nullptr;
  for (const auto& [each, value] : request_.settings) {
    if (each == name) found = &value;
  }
  return found;
}

const Settings& Settings::read(std::string_view name, double& value) const {
  const std::string* text = find(name);
  if (text != nullptr && parse_number(*text, value) != NumberKind::finite) {
    refuse(name, *text, "a number");
  }
  return *this;
}

const Settings& Settings::read(std::string_view name, std::size_t& value) const {
  const std::string* text = find(name);
  if (text == nullptr) return *this;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) {
    refuse(name, *text, "a whole number");
  }
  return *this;
}

void fail_without_assignment() {
  throw Error(
      "no assignment is allowed: the factors' zeros (and the evidence) contradict each other");
}

void fail_without_finding() {
  if (interruption) throw Interrupted("interrupted before an allowed assignment was found");
  throw Error(
      "the method has found no allowed assignment, which does not mean that there is none; try "
      "another one");
}

void check_found(const InferResult& result, const FactorGraph& graph) {
  if (result.assignment.empty() && graph.variables() > 0) fail_without_finding();
}

}  // namespace croft
