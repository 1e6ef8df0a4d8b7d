// A Bayesian network from files to a file: a network (BIF, or UAI's BAYES) whose tables are to be
// fitted, or none where its edges are learnt, too; tables of cases; the fitted network.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/train/learn_net.h"
#include "app/train/trainer.h"
#include "croft/core/random.h"
#include "croft/data/graph_file.h"
#include "data/settings/state_rows.h"
#include "train/generative/bayes_net.h"

namespace croft {

struct BayesNetRequest {
  std::vector<std::string> data;  // at least one; "-" is standard input
  // The network whose variables and parents are taken; where edges are learnt: variables and
  // states, or empty.
  std::string structure;
  LearnNetRequest learn;
  std::string output;  // .bif or .uai
  // EM starts from this network's tables, hill climbing from its edges; empty: from the data.
  std::string init;
  std::string holdout;           // a file or a fraction to measure the result on; may be empty
  CheckpointRequest checkpoint;  // of EM
  StateRowsOptions rows;
  BayesNetOptions options;         // early_stop needs `holdout`
  std::vector<std::string> of_em;  // options that were given and are of EM alone, for messages
};

// From files, or of a program's cases: begin(), then add(), in the place of open() and
// read_files().
class BayesNetTrainer final : public Trainer {
 public:
  // Throws UsageError for options out of range.
  explicit BayesNetTrainer(BayesNetRequest request);
  TrainFiles files() const override;
  CheckpointRequest checkpoint() const override { return asked_.checkpoint; }
  StoppingRule stopping() const override {
    return {.max_iterations = asked_.options.em_iterations, .tolerance = 0};
  }
  void open() override;
  void read_files(TrainObserver& observer) override;
  // Takes its shape, and its tables to start from; where edges are learnt, its variables, and with
  // `from_given` its edges to start from.
  void begin(GraphFile net);
  void add(std::span<const State> row);  // some of them are held out, where a fraction is to be
  DataSummary summary() const override;
  TrainOutcome run(TrainObserver& observer, CheckpointFolder* checkpoints) override;
  void write() override;
  const GraphFile& network() const { return net_; }                   // after run(): fitted
  const std::optional<LearntNet>& learnt() const { return learnt_; }  // likewise

 private:
  struct Measured;
  void hold_out(std::span<const State> row) { held_out_.emplace_back(row.begin(), row.end()); }
  Measured measure(const FactorGraph& tables) const;
  void watch_holdout(BayesNetOptions& options) const;
  void read_training_files();
  void learn_edges(TrainObserver& observer, TrainOutcome& outcome);

  BayesNetRequest asked_;
  GraphFile net_;
  std::optional<BayesNetTraining> training_;
  std::vector<std::vector<State>> rows_;  // where edges are learnt
  Parents start_;                         // of hill climbing
  std::optional<LearntNet> learnt_;
  std::optional<double> share_;  // to hold out
  Random random_;
  std::vector<std::vector<State>> held_out_;
};

}  // namespace croft
