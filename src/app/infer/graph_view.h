// Questions to the shape of a graph, by names: who is near whom, who is independent of whom.
#pragma once
#include <string>
#include <string_view>

#include "croft/data/graph_file.h"
#include "structure/separation.h"

namespace croft {
class Json;
struct InferResult;

struct IndependenceAnswer {
  Independence claim;
  // By separation, d-separation in a directed graph.  Not separated: almost all numbers make them
  // depend on each other.
  bool separated = false;
  bool directed = false;
};

// "A;B|C" with names or numbers, commas within a set: is A independent of B given C and what is
// observed?  Throws UsageError for other texts, variables that are not there or in two sets.
IndependenceAnswer ask_independence(const GraphFile& file, std::string_view text,
                                    std::span<const State> evidence = {});
// "A,B": names or numbers.  Throws UsageError for one that is not there, or twice.
std::vector<Variable> find_variables(const GraphFile& file, std::string_view text);
// The Markov blanket: given it a variable is independent of all others.
std::vector<Variable> markov_blanket(const GraphFile& file, Variable v);

std::string format_answer(const IndependenceAnswer& answer, const GraphFile& file);
Json to_json(const IndependenceAnswer& answer, const GraphFile& file);

// The answer of an inference; croft/app/infer.h has it as text, format_json().
Json to_json(const InferResult& result, const GraphFile& file);

}  // namespace croft
