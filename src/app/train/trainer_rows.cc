#include "app/train/requests.h"

#include <array>

#include "app/train/make_trainer.h"
#include "croft/core/error.h"

namespace croft {
namespace {

template <auto request>
std::unique_ptr<Trainer> made_of(const OptionValues& values) {
  return make_trainer(request(values));
}

}  // namespace

std::span<const TrainerRow> trainer_rows() {
  static constexpr auto kRows = std::to_array<TrainerRow>({
      {kChains, made_of<train_request>},
      {kJointBit, made_of<joint_request>},
      {kSegmentBit, made_of<segment_request>},
      {kHiddenChainBit, made_of<hidden_chain_request>},
      {kPoolBit, made_of<pool_request>},
      {kMixtureBit, made_of<mixture_request>},
      {kErrorCorrectingBit, made_of<code_request>},
      {kBoosted, made_of<boosted_request>},
      {kNaiveBayesBit, made_of<naive_bayes_request>},
      {kHmmBit, made_of<hmm_request>},
      {kBayesNetBit, made_of<bayes_net_request>},
  });
  return kRows;
}

std::string_view kind_of_format(const OptionValues& values) {
  return !values.given("model") && values.text("format") == "text" ? "maxent" : "";
}

KindChoice chosen_kind(const OptionValues& values) {
  const std::string_view suggested = kind_of_format(values);
  const std::string name(suggested.empty() ? values.text("model") : suggested);
  if (name == "maxent" && values.given("joint-template")) {
    return {kJointBit, "maxent with --joint-template"};
  }
  return {kind_bit(name), name};
}

std::unique_ptr<Trainer> make_trainer(const OptionValues& given, std::span<const TrainerRow> more) {
  OptionValues values = given;
  if (const std::string_view kind = kind_of_format(given); !kind.empty()) values.set("model", kind);
  const KindChoice kind = chosen_kind(values);
  check_log(values);
  check_meaning(values, kind.bit, kind.shown);
  values.check_company();
  const OptionRow& data = values.row("DATA");
  if (has_meaning(data, kind.bit) && !values.given("DATA")) {
    throw OptionError(data, " is required");
  }
  for (const std::span<const TrainerRow> rows : {trainer_rows(), more}) {
    for (const TrainerRow& row : rows) {
      if ((row.bit & kind.bit) != 0) return row.make(values);
    }
  }
  throw UsageError("this program cannot train a model of kind ", kind.shown);
}

}  // namespace croft
