#include "cli/label/labelling_options.h"

#include <array>

#include "app/label/tag_files.h"
#include "cli/model_options.h"
#include "croft/core/error.h"

namespace croft::cli {

OptionRow constrain_row() {
  return option::words("constrain", "RULES",
                       "Labels that may follow each other: bio, bioes, or a file of rules")
      .or_file()
      .of(kSequenceModels);
}

OptionRow penalties_row() {
  return option::file("penalties", "FILE", "File of lines TEST LABEL PENALTY: soft penalties")
      .of(kSequenceModels);
}

std::span<const OptionRow> labelling_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      choice("decode", "DECODE=viterbi, of hidden-chain marginal",
             {"viterbi", "best", "marginal", "risk", "labelling"},
             "viterbi (of a graph: best): the most probable labelling; marginal: at each position "
             "the most probable label; risk: the fewest errors expected among allowed labellings; "
             "labelling: of a hidden-chain, whose viterbi is the best path of states, the most "
             "probable labelling")
          .of(kModelFiles),
      decoder_row().of(kSequenceModels),
      constrain_row(),
      penalties_row(),
      words("rule", "RULE ...",
            "What the labelling obeys as a whole: at-most|at-least|exactly K TYPE, at-most|… K "
            "label LABEL, occurs LABEL, not-both A B, agree COLUMN (for attributes: agree PREFIX); "
            "may be given several times")
          .repeated()
          .of(kSequenceModels),
      whole("limit", "N=10000",
            "Steps of a search for one sequence, where rules or --decode labelling need one")
          .from(1)
          .of(kSequenceModels),
  });
  return kRows;
}

TagRequest read_labelling(const OptionValues& values, const SequenceModel& model) {
  TagRequest request;
  values.choose(
      "decode",
      {Decode::viterbi, Decode::viterbi, Decode::marginal, Decode::risk, Decode::labelling},
      request.decode);
  request.decision = read_decision(values);
  values.read("rule", request.rules);
  values.read("limit", request.limit);
  request.scheme = chunk_scheme(values);
  read_limits(model, std::string(values.text("constrain")), std::string(values.text("penalties")),
              request);
  return request;
}

void check_labelling_options(const OptionValues& values) {
  if (values.text("decode") == "best") {
    throw UsageError(
        "--decode best is for a model of kind graph; there are viterbi, marginal and risk");
  }
  if (values.given("limit") && !values.given("rule") && values.text("decode") != "labelling") {
    throw UsageError(
        "--limit is of the search for --rule and --decode labelling: neither is there");
  }
}

void fail_other_kind(const OptionValues& values, std::string_view option,
                     std::string_view instead) {
  throw UsageError(Message::option(option), " ", values.text(option),
                   " has no meaning for a model of kind graph; take ", instead);
}

GraphDecode graph_decode_of(const OptionValues& values) {
  const std::string_view name = values.text("decode");
  if (name.empty() || name == "best") return GraphDecode::best;
  if (name == "marginal") return GraphDecode::marginal;
  fail_other_kind(values, "decode", "best or marginal");
}

}  // namespace croft::cli
