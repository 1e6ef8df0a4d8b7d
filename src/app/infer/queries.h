// Questions of probability to a graph: events, what an answer depends on, entropies, means.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "croft/app/infer.h"
#include "croft/data/graph_file.h"

namespace croft {
class Json;

// All of its terms hold.
struct GraphEvent {
  struct Term {
    Variable a = 0;
    std::optional<Variable> b;  // a = b: the same state, by name where both have names
    std::vector<State> states;  // without b: states of a, increasing
    bool equal = true;          // false: a != b, or a is in none of these states
  };
  std::string text;
  std::vector<Term> terms;
};

// "A=yes, B!=no, C=low|high, D=E": commas between terms, | between states.  What stands behind the
// = is a state of the variable before it, or else a variable.  Throws UsageError for other texts.
GraphEvent graph_event(const GraphFile& file, std::string_view text);
// The graph with a factor for each term, 0 or -inf.  Throws Error where its table takes more than
// 1 GB.
FactorGraph restricted_to(const GraphFile& file, const FactorGraph& graph, const GraphEvent& event);

struct EventAnswer {
  std::string text;
  double log_probability = 0;  // given what is observed; -inf: impossible
  std::string method;
  ResultKind kind = ResultKind::exact;  // an estimate where the sums are bounds or estimates
  bool converged = true;
  std::vector<Message> warnings = {};  // why it is not to be trusted, sentences
};
// p(event | observed) = Z restricted to the event / Z, or, where Z is an estimate and the event is
// about one variable, its marginal.  Variables in no factor are uniform.  The request says the
// method, and the time of all sums together.  Throws Error where what is observed is impossible.
std::vector<EventAnswer> ask_events(const GraphFile& file, const FactorGraph& graph,
                                    std::span<const State> evidence,
                                    const std::vector<GraphEvent>& events,
                                    const InferRequest& request, const InferCalls& calls);
std::vector<Message> warnings_of(const std::vector<EventAnswer>& answers);  // each once
std::string format_answers(const std::vector<EventAnswer>& answers);
Json to_json(const std::vector<EventAnswer>& answers);

// H(x | observed), of all variables together and of each, in nats.
struct EntropyAnswer {
  struct OfVariable {
    double entropy = 0;
    // Where all states of the variable are named by numbers.
    std::optional<double> mean, deviation;
  };
  double joint = 0;
  std::vector<OfVariable> variables;
};
// Exact, by junction trees of `memory` bytes at most.  Throws Error where that is too little, and
// where what is observed is impossible.
EntropyAnswer ask_entropy(const GraphFile& file, const FactorGraph& graph,
                          std::span<const State> evidence, const InferRequest& request,
                          const InferCalls& calls);
std::string format_answer(const EntropyAnswer& answer, const GraphFile& file);
Json to_json(const EntropyAnswer& answer, const GraphFile& file);

}  // namespace croft
