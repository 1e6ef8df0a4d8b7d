// Questions of croft infer beside its tasks: queries, entropies, sensitivities, decisions.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "core/option_row.h"
#include "core/option_values.h"
#include "croft/app/infer.h"

namespace croft::cli {

std::span<const OptionRow> question_options();
bool asks_question(const OptionValues& values);
// Whether what is asked goes by an option of inference, such as memory.
bool question_takes(const OptionValues& values, std::string_view option);

// What is known: states, and findings that leave doubt.
struct Findings {
  Evidence states;
  std::vector<SoftFinding> soft;
};

// Writes the answers, in one JSON document with --json.
void answer_questions(const OptionValues& values, const GraphFile& file, const FactorGraph& graph,
                      const Findings& known, const InferRequest& request, const InferCalls& calls);

}  // namespace croft::cli
