#include "cli/infer/infer_questions.h"

#include <array>

#include "app/infer/decide.h"
#include "app/infer/queries.h"
#include "app/infer/sensitivity.h"
#include "cli/common.h"
#include "core/json.h"
#include "croft/core/error.h"

namespace croft::cli {
namespace {

constexpr std::array<std::string_view, 4> kQuestions{"query", "entropy", "sensitivity", "decide"};

}  // namespace

std::span<const OptionRow> question_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      words("query", "QUERY ...",
            "The probability of \"A=yes, B!=no, C=low|high, D=E\": of states, of variables that "
            "are equal, commas between what must hold together; may be given several times")
          .repeated()
          .without("task"),
      flag("entropy",
           "The entropy of all variables together and of each, and the mean of those whose states "
           "are numbers; exact")
          .without("task"),
      words("sensitivity", "QUERY",
            "How the probability of such a query depends on each number of a Bayesian network")
          .without("task"),
      whole("top", "N=20", "How many of these numbers the table shows; --json has all")
          .at_first("20")
          .from(1)
          .beside("sensitivity"),
      flag("decide",
           "Of a network with decisions and utilities: what is best to decide, and the utility "
           "that is to be expected")
          .without("task"),
  });
  return kRows;
}

bool asks_question(const OptionValues& values) {
  for (const std::string_view each : kQuestions) {
    if (values.given(each)) return true;
  }
  return false;
}

bool question_takes(const OptionValues& values, std::string_view option) {
  if (values.given("query")) {
    return option != "samples" && option != "k-best" && option != "over" && option != "to";
  }
  const bool trees = values.given("entropy") || values.given("sensitivity");
  return trees && option == "memory";
}

void answer_questions(const OptionValues& values, const GraphFile& file, const FactorGraph& graph,
                      const Findings& known, const InferRequest& request, const InferCalls& calls) {
  Json document = Json::object();
  std::string text;
  const auto add = [&](std::string_view name, Json json, const std::string& lines) {
    document[name] = std::move(json);
    text += (text.empty() ? "" : "\n") + lines;
  };
  if (!values.flag("decide")) check_decided(file, known.states);
  if (values.given("query")) {
    std::vector<GraphEvent> events;
    for (const std::string& each : values.list("query")) {
      events.push_back(graph_event(file, each));
    }
    const auto answers = ask_events(file, graph, known.states, events, request, calls);
    warn_of(warnings_of(answers));
    add("queries", to_json(answers), format_answers(answers));
  }
  if (values.flag("entropy")) {
    const EntropyAnswer answer = ask_entropy(file, graph, known.states, request, calls);
    add("entropy", to_json(answer, file), format_answer(answer, file));
  }
  if (values.given("sensitivity")) {
    std::size_t most = 0;
    values.read("top", most);
    const GraphEvent event = graph_event(file, std::string(values.text("sensitivity")));
    const SensitivityAnswer answer = ask_sensitivity(file, graph, known.states, event, request);
    add("sensitivity", to_json(answer, file), format_answer(answer, file, most));
  }
  if (values.flag("decide")) {
    const BestDecisions best = decide(file, graph, known.states, known.soft);
    add("decide", to_json(best, file), format_answer(best, file));
  }
  write_answer(
      values.flag("json"), [&] { return document; }, [&] { return text; });
}

}  // namespace croft::cli
