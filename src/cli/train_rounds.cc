#include "cli/train_rounds.h"

#include "cli/common.h"
#include "croft/core/error.h"
#include "data/parse_number.h"

namespace croft::cli {

void add_round_options(CLI::App& verb, RoundOptions& o) {
  InductionOptions& i = o.induction;
  CLI::Option* induce = verb.add_flag(
      "--induce", o.induce,
      "Find conjunctions of attributes that the model lacks, many a round, and train on");
  verb.add_option("--induce-size", i.size, "Attributes of a conjunction at most")
      ->transform(whole_number(1, kMostParts))
      ->needs(induce)
      ->option_text("N=2");
  verb.add_option("--induce-batch", i.batch, "Features that a round adds at most")
      ->transform(whole_number(1))
      ->needs(induce)
      ->option_text("N=1000");
  verb.add_option("--induce-rounds", i.rounds, "Rounds at most")
      ->transform(whole_number(1))
      ->needs(induce)
      ->option_text("N=20");
  verb.add_option("--induce-iterations", i.iterations, "Iterations of training in a round")
      ->transform(whole_number(1))
      ->needs(induce)
      ->option_text("N=15");
  verb.add_option("--induce-gain", i.min_gain,
                  "Nats of likelihood, less its penalty, that a feature must gain")
      ->transform(finite_number(0))
      ->needs(induce)
      ->option_text("NATS=2");
  verb.add_option("--induce-count", i.min_count,
                  "Positions labelled wrongly that a conjunction must be at")
      ->transform(whole_number(1))
      ->needs(induce)
      ->option_text("N=3");
  add_choice<bool>(verb, "--induce-from", i.from_nothing,
                   {{"attributes", false}, {"nothing", true}},
                   "attributes: the features of single attributes are there from the start; "
                   "nothing: they are found as conjunctions are")
      ->needs(induce)
      ->option_text("START=attributes");
  verb.add_flag("--induce-pairs", i.pairs, "Find features of two neighbouring labels, too (chain)")
      ->needs(induce);
  CLI::Option* unsupported =
      verb.add_option("--unsupported", o.unsupported.threshold,
                      "After some iterations add the features not seen in the data that could "
                      "correct a mistake: of a label with more than this probability where it is "
                      "not the true one")
          ->transform(finite_number(0))
          ->option_text("PROBABILITY");
  verb.add_option("--unsupported-after", o.unsupported.iterations, "How many iterations")
      ->transform(whole_number(1))
      ->needs(unsupported)
      ->option_text("N=10");
  verb.add_option("--select", o.select,
                  "Train with this l1, then the features that have a weight again, with l2 alone")
      ->option_text("l1:NUMBER");
  o.threshold = unsupported;
}

FeatureRounds feature_rounds(const RoundOptions& o) {
  FeatureRounds rounds;
  if (o.induce) rounds.induction = o.induction;
  if (o.threshold != nullptr && o.threshold->count() > 0) rounds.unsupported = o.unsupported;
  if (o.select.empty()) return rounds;
  double value = 0;
  if (!o.select.starts_with("l1:") ||
      parse_number(o.select.substr(3), value) != NumberKind::finite) {
    throw UsageError("--select " + in_quotes(o.select) + " is not l1:NUMBER, such as l1:1");
  }
  rounds.select_l1 = value;
  return rounds;
}

}  // namespace croft::cli
