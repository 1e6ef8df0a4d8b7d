// What is minimised, by which optimizer, under which penalty, and when training stops.
#include <array>

#include "croft/optimize/lbfgs.h"
#include "optimize/stochastic/online_methods.h"
#include "train/options/training_options.h"

namespace croft {
namespace {

// A memm has a likelihood of its own, hidden states are summed over, and joint features have their
// likelihood: none of these has another objective.
constexpr KindSet kOfObjectives = kOptimised & ~(kMemmBit | kHiddenChainBit | kJointBit);

}  // namespace

std::span<const OptionRow> method_options() {
  using namespace option;
  static const auto kRows = with_common({
      common(kOptimised),
      words("objective", "OBJECTIVE=likelihood", "What to minimise; see below")
          .upfront()
          .of(kOptimised | kLogicBit | kHmmBit)
          .at_first("likelihood"),
      words("optimizer", "OPTIMIZER", "How; see below").upfront(),
      words("cost", "NUMBER=1|FILE",
            "What a mistake costs (softmax-margin, max-margin, passive-aggressive, arow): a "
            "number, or a file of lines GOLD PREDICTED COST")
          .or_file()
          .of(kOfObjectives),
      whole("block", "N=3", "composite: labels in a block")
          .of(kChainBit | kPoolBit | kErrorCorrectingBit | kSegmentBit,
              "--objective composite is of chains and segments")
          .from(1),
      words("pieces", "PIECES=factors",
            "piecewise: factors; observations: a transition or clique with its observations; of "
            "graphs, also of composite: blocks of the spec, or a template, whose cliques are the "
            "pieces")
          .of(kChainBit | kGraphBit, "--objective piecewise has other pieces there"),
      number("l1", "NUMBER=0", "Weight of |w|_1").upfront().at_first("0"),
      number("l2", "NUMBER=1, of perceptron and the like 0", "Weight of |w|_2^2 / 2")
          .upfront()
          .of(kOptimised | kBoosted | kLogicBit),
      file("prior", "MODEL",
           "The penalty is of the distance from this model's weights, where training starts")
          .of(kChains | kSegmentBit | kGraphBit),
      file("variances", "FILE",
           "Lines PATTERN VARIANCE: weights of features whose name fits are penalised by "
           "l2 / VARIANCE")
          .of(kChains | kSegmentBit | kGraphBit),
      whole("max-iterations", "N=1000, of perceptron and the like 100",
            "Stop after so many, or so many passes")
          .upfront()
          .of(kOptimised | kLogicBit),
      number("tolerance", "CHANGE=1e-5, with --l1 5e-6, boosted 0, mixture 1e-9",
             "Stop when the objective's relative change over --window falls below; 0: never")
          .of(kOptimised | kBoosted | kNaiveBayesBit | kHmmBit | kBayesNetBit | kMixtureBit),
      whole("window", "N=10", "Iterations over which --tolerance is measured").from(1),
      number("gradient-tolerance", "NUMBER=1e-5",
             "Stop when |gradient| falls below this times max(1, |w|)"),
      number("gap", "GAP=1e-4",
             "Dual optimizers: stop at this duality gap, relative to the objective")
          .of(kOfObjectives),
      number("target", "OBJECTIVE", "Stop once the objective is this low (benchmarks)")
          .of_any_sign(),
      whole("history", "N=12, of owlqn and with millions of weights 6",
            "Pairs of vectors L-BFGS keeps")
          .between(1, LbfgsOptions::kMaxHistory),
      whole("sgd-passes", "N", "sgd-lbfgs: passes of SGD before L-BFGS"),
      number("step", "NUMBER", "The first step; by default tried out on some sequences"),
      choice("schedule", "SCHEDULE=bottou, without --l2 inverse",
             {"bottou", "inverse", "inverse_sqrt", "constant"},
             "sgd, averaged-sgd, async-sgd: how steps shrink: bottou, inverse, inverse_sqrt or "
             "constant (--decay in each pass)"),
      number("decay", "NUMBER=0.9", "With --schedule constant: factor of the step in each pass"),
      whole("batch", "N=1, of smd 8", "Sequences a step; threads share those of a step").from(1),
      whole("average-from", "PASS=2", "averaged-sgd: the first pass to average").from(1),
      number("aggressiveness", "C=1", "pa-1, pa-2, mira: the larger the bolder").of(kOfObjectives),
      whole("best", "K=5", "mira: labellings of a sequence to get right at once")
          .of(kOfObjectives & ~(kSegmentBit | kGraphBit))
          .between(1, MiraOptions::kMaxBest),
      number("variance", "NUMBER=1", "arow: of every weight at first")
          .of(kOfObjectives & ~kGraphBit),
      number("gamma", "NUMBER=1", "arow: the larger, the smaller the steps")
          .of(kOfObjectives & ~kGraphBit),
      words("kernel", "KERNEL",
            "smo: linear, poly:DEGREE[:SCALE[:OFFSET]] or rbf:GAMMA, of the attributes of a "
            "position")
          .of(kOfObjectives & kOfChains),
      choice("precision", "PRECISION=auto", {"auto", "single", "double"},
             "single or double, of scores and recursions of optimizers that see all the data at "
             "once, others are in double; auto: double for less than 20,000 positions")
          .of(kOptimised & ~kGraphBit)
          .at_first("auto"),
  });
  return kRows;
}

std::span<const OptionRow> run_options() {
  using namespace option;
  constexpr KindSet kOfEm = kHmmBit | kNaiveBayesBit | kBayesNetBit;
  constexpr KindSet kKept = kEveryKind & ~kLogicBit;
  static const auto kRows = std::to_array<OptionRow>({
      words("holdout", "FILE|FRACTION",
            "A labelled file (of --model graph a database), or a fraction of the data (of its "
            "instances) to set aside, for a score as training goes on")
          .upfront()
          .or_file()
          .of(kOfChains | kSegmentBit | kBoosted | kBayesNetBit | kHmmBit | kNaiveBayesBit |
              kJointBit | kGraphBit),
      words("group-by", "MARKER|COLUMN|KEY|blank-lines",
            "A fraction of --holdout divides no group: a document that begins with this cell "
            "(-DOCSTART-), the same value of a column (columns: its number from 0, csv: its name) "
            "or of a key of JSON lines, or what blank lines part")
          .of(kOfChains | kSegmentBit | kBoosted | kHmmBit | kNaiveBayesBit | kJointBit)
          .beside("holdout")
          .outside(),
      flag("contiguous",
           "A fraction of --holdout is the end of the data, or the last groups, and not drawn")
          .of(kOfChains | kSegmentBit | kBoosted | kHmmBit | kNaiveBayesBit | kJointBit)
          .beside("holdout")
          .outside(),
      whole("early-stop", "N=0",
            "Stop after N iterations without a better hold-out score, and keep the best "
            "weights; 0: off")
          .upfront()
          .of(kChains | kSegmentBit | kHiddenChainBit | kBoosted | kJointBit | kOfEm | kGraphBit,
              "its iterations have no hold-out score")
          .at_first("0"),
      file("init", "MODEL", "Start from this model: its weights, features and labels are kept")
          .upfront()
          .of(kChains | kSegmentBit | kNaiveBayesBit | kBayesNetBit | kGraphBit | kJointBit)
          .outside(),
      file("checkpoint", "FOLDER",
           "Keep the state of the training in this folder, to go on from after a crash")
          .upfront()
          .written_as("the checkpoint ")
          .of(kKept),
      flag("resume", "Go on from the --checkpoint, to the very model of a training without a break")
          .upfront()
          .of(kKept),
      number("checkpoint-interval", "SECONDS=30",
             "Seconds between two states that are kept; 0: every iteration")
          .of(kKept)
          .at_first("30")
          .beside("checkpoint"),
      file("log", "FILE", "Write one JSON object a line to this file")
          .upfront()
          .written_as("the log ")
          .outside(),
  });
  return kRows;
}

std::span<const OptionRow> common_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      whole("threads", "N=1", "Threads to use; 0: one per processor. Results do not depend on it")
          .upfront()
          .at_first("1")
          .between(0, 1024),
      whole("seed", "N=1",
            "Seed of whatever is drawn at random; every verb and kind of model has it, also those "
            "that draw nothing")
          .upfront()
          .at_first("1"),
      flag("quiet", "No progress and no notes on stderr; warnings and errors come all the same")
          .upfront()
          .outside(),
  });
  return kRows;
}

}  // namespace croft
