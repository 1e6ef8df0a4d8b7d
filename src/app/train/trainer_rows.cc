#include "app/train/requests.h"

#include <array>

#include "app/train/first_pass.h"
#include "app/train/make_trainer.h"
#include "croft/core/error.h"

namespace croft {
namespace {

template <class Request>
std::unique_ptr<SequenceTrainer> trainer_of(const Request& request) {
  const auto make = [](const Request& each) { return make_trainer(each); };
  return make(with_first_pass(request, make));
}

template <auto request>
std::unique_ptr<Trainer> made_of(const OptionValues& values) {
  return trainer_of(request(values));
}
template <auto request>
std::unique_ptr<Trainer> made_changed(const OptionValues& values, const ChangeRequest& change) {
  auto changed = request(values);
  change(train_part(changed));
  return trainer_of(changed);
}
std::unique_ptr<Trainer> made_bayes_net(const OptionValues& values) {
  return make_trainer(bayes_net_request(values));
}
template <auto request>
constexpr TrainerRow row(KindSet bit) {
  return {bit, made_of<request>, made_changed<request>};
}

}  // namespace

std::span<const TrainerRow> trainer_rows() {
  static constexpr auto kRows = std::to_array<TrainerRow>({
      row<train_request>(kChains),
      row<joint_request>(kJointBit),
      row<segment_request>(kSegmentBit),
      row<hidden_chain_request>(kHiddenChainBit),
      row<pool_request>(kPoolBit),
      row<mixture_request>(kMixtureBit),
      row<code_request>(kErrorCorrectingBit),
      row<boosted_request>(kBoosted),
      row<naive_bayes_request>(kNaiveBayesBit),
      row<hmm_request>(kHmmBit),
      {kBayesNetBit, made_bayes_net},
  });
  return kRows;
}

std::string_view kind_of_format(const OptionValues& values) {
  const bool texts = values.text("format") == "text" || values.given("text-column");
  return !values.given("model") && texts ? "maxent" : "";
}

KindChoice chosen_kind(const OptionValues& values) {
  const std::string_view suggested = kind_of_format(values);
  const std::string name(suggested.empty() ? values.text("model") : suggested);
  if (name == "maxent" && values.given("joint-template")) {
    return {kJointBit, "maxent with --joint-template"};
  }
  return {kind_bit(name), name};
}

std::unique_ptr<Trainer> make_trainer(const OptionValues& given, std::span<const TrainerRow> more,
                                      const ChangeRequest& change) {
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
      if ((row.bit & kind.bit) == 0) continue;
      if (!change) return row.make(values);
      if (row.make_changed != nullptr) return row.make_changed(values, change);
    }
  }
  throw UsageError("this program cannot train a model of kind ", kind.shown);
}

}  // namespace croft
