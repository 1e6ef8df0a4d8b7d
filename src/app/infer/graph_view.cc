#include "app/infer/graph_view.h"

#include <algorithm>

#include "app/inspect/inspect.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "data/comma_list.h"

namespace croft {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<Variable> read_list(const GraphFile& file, std::string_view text) {
  std::vector<Variable> list;
  for (const std::string_view each : between_commas(text)) {
    list.push_back(find_variable(file, trimmed(each)));
  }
  return list;
}

std::vector<Variable> read_set(const GraphFile& file, std::string_view text) {
  std::vector<Variable> set = read_list(file, text);
  std::ranges::sort(set);
  const auto same = std::ranges::unique(set);
  set.erase(same.begin(), same.end());
  return set;
}

std::vector<std::string> names_of(const GraphFile& file, const std::vector<Variable>& set) {
  std::vector<std::string> names;
  for (const Variable v : set) names.push_back(variable_name(file.names, v));
  return names;
}

std::string listed(const GraphFile& file, const std::vector<Variable>& set) {
  std::string list;
  for (const std::string& each : names_of(file, set))
    list += (list.empty() ? "" : ", ") + escaped(each);
  return list;
}

}  // namespace

IndependenceAnswer ask_independence(const GraphFile& file, std::string_view text,
                                    std::span<const State> evidence) {
  const std::size_t semicolon = text.find(';');
  if (semicolon == text.npos) {
    throw UsageError(
        "a question of independence is \"A;B\" or \"A;B|C\", with commas within a set, "
        "not " +
        in_quotes(text));
  }
  const std::size_t bar = text.find('|', semicolon);
  IndependenceAnswer answer;
  Independence& claim = answer.claim;
  claim.a = read_set(file, text.substr(0, semicolon));
  claim.b =
      read_set(file, text.substr(semicolon + 1, bar == text.npos ? bar : bar - semicolon - 1));
  if (bar != text.npos) claim.given = read_set(file, text.substr(bar + 1));
  for (Variable v = 0; v < evidence.size(); ++v) {
    if (evidence[v] != kUnobserved && !std::ranges::binary_search(claim.given, v)) {
      claim.given.insert(std::ranges::lower_bound(claim.given, v), v);
    }
  }
  answer.directed = file.directed;
  answer.separated = file.directed
                         ? BayesianNetwork(file.graph).separated(claim.a, claim.b, claim.given)
                         : MarkovNetwork(file.graph).separated(claim.a, claim.b, claim.given);
  return answer;
}

std::vector<Variable> find_variables(const GraphFile& file, std::string_view text) {
  std::vector<Variable> list = read_list(file, text);
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(k), list[k]) ==
        list.begin() + static_cast<std::ptrdiff_t>(k)) {
      continue;
    }
    throw UsageError(in_quotes(text), " has ", variable_name(file.names, list[k]), " twice");
  }
  return list;
}

std::vector<Variable> markov_blanket(const GraphFile& file, Variable v) {
  if (file.directed) return BayesianNetwork(file.graph).markov_blanket(v);
  return MarkovNetwork(file.graph).neighbours(v);
}

std::string format_answer(const IndependenceAnswer& answer, const GraphFile& file) {
  const Independence& claim = answer.claim;
  return (answer.separated ? "yes: " : "no: ") + listed(file, claim.a) +
         (answer.separated ? " is independent of " : " can depend on ") + listed(file, claim.b) +
         (claim.given.empty() ? "" : " given " + listed(file, claim.given)) +
         (answer.directed ? " (d-separation)\n" : " (separation)\n");
}

Json to_json(const IndependenceAnswer& answer, const GraphFile& file) {
  return {{"independent", answer.separated},
          {"by", answer.directed ? "d-separation" : "separation"},
          {"a", names_of(file, answer.claim.a)},
          {"b", names_of(file, answer.claim.b)},
          {"given", names_of(file, answer.claim.given)}};
}

}  // namespace croft
