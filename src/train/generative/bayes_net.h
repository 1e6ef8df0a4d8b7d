// The tables of a Bayesian network from data: by counting where all values are known, by EM where
// some are missing.  docs/math/latent_and_generative_graphs.md section 4.
//
//   p(b | a) = (M[a, b] + alpha) / (M[a] + alpha B)                                        (LG.7)
//
//   BayesNetTraining training(net);       // factor f: p(last variable of its scope | the others)
//   for (…) training.add(row);            // [variables]; kUnobserved: missing
//   const BayesNetResult result = training.run(options);
//   const FactorGraph& fitted = training.graph();
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "croft/core/parallel.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph/oracles/sum_oracle.h"
#include "structure/picked_graph.h"
#include "train/course/em.h"

namespace croft {

// Throws UsageError unless factor f is p(last variable of its scope | the others) for one f of
// each variable, without directed cycles.  The message calls variables by name_of.
void check_directed(const FactorGraph& graph,
                    const std::function<std::string(Variable)>& name_of = {});

// The same network with dense tables, a factor's own each, all probabilities those of `graph`.
FactorGraph with_own_tables(const FactorGraph& graph);

// Rows of data, and their likelihood under a network whose tables change.  Of rows without missing
// values only counts are kept; connected missing variables that have the same known neighbours are
// summed out once (LG.8).
class BayesNetData {
 public:
  // Keeps the graph by reference: as of with_own_tables(); its numbers may change.
  explicit BayesNetData(const FactorGraph& graph);
  // Throws UsageError for a row that does not fit the graph, Error where summing out its missing
  // variables would take more than 8 GB.
  void add(std::span<const State> row);

  std::size_t rows() const { return rows_; }
  std::size_t missing() const { return missing_; }     // values
  std::size_t parts() const { return parts_.size(); }  // of missing variables, that are different
  bool knows(Factor f) const { return known_families_[f] > 0; }
  // M of (LG.7) of the rows that know all variables of a factor.  [numbers]
  std::span<const double> known_counts() const { return counts_; }

  // (LG.8) in nats; -inf where a row is impossible.  Overwrites `counts` [numbers] with expected
  // counts, unless a row is impossible.  The same bits for any number of threads.
  double evaluate(ThreadPool& pool, std::vector<double>& counts);
  void add_to(Fingerprint& print) const;

 private:
  struct Part {  // of missing variables
    PickedGraph rest;
    std::unique_ptr<SumOracle> sums;
    double rows = 0;
  };
  void add_parts(std::span<const State> row);

  const FactorGraph& graph_;
  FactorLists lists_;
  std::vector<double> counts_;
  std::vector<std::size_t> known_families_;  // [factors] rows that know all of a factor's variables
  std::vector<std::unique_ptr<Part>> parts_;
  std::unordered_map<std::string, std::size_t> part_of_;  // by what is known around it
  std::size_t rows_ = 0, missing_ = 0;
};

struct BayesNetOptions {
  double smoothing = 0;             // alpha, >= 0: added to each count
  std::size_t em_iterations = 100;  // >= 1, at most so many where values are missing
  double tolerance = 1e-6;          // EM stops where the objective gains less, relative to itself
  std::size_t starts = 1;           // of EM, >= 1; the best is kept
  bool from_tables = false;         // EM starts from the network's own tables, once
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // 0: one for each processor
  // Of EM: steps without a better score of the tables as they are then before stopping; 0: never.
  std::size_t early_stop = 0;
  std::uint64_t holdout = 0;  // a number for what is held out
  std::function<HoldoutScore(const FactorGraph& tables)> score{};
  CheckpointFolder* checkpoints = nullptr;

  void validate() const;  // throws UsageError naming the option
};

struct BayesNetResult : EmResult {
  std::size_t parameters = 0;  // free ones
  std::size_t unseen = 0;      // rows of tables that no data speaks of: uniform, without smoothing
};

class BayesNetTraining {
 public:
  // Takes the shape, and the tables as a start.  Throws as check_directed().
  explicit BayesNetTraining(const FactorGraph& net);
  BayesNetTraining(const BayesNetTraining&) = delete;
  BayesNetTraining& operator=(const BayesNetTraining&) = delete;
  void add(std::span<const State> row) { data_.add(row); }  // throws as BayesNetData::add
  const BayesNetData& data() const { return data_; }

  // Throws UsageError for bad options and for options of EM where nothing is missing, Error without
  // rows, and where EM's start gives a row probability 0.
  BayesNetResult run(const BayesNetOptions& options, const EmCallback& callback = {});

  const FactorGraph& graph() const { return graph_; }  // after run()

 private:
  class Em;
  void start_at(const BayesNetOptions& options, std::size_t start);
  std::uint64_t fingerprint(const BayesNetOptions& options) const;
  std::size_t estimate(std::span<const double> counts, double smoothing);
  double log_prior(double smoothing) const;

  FactorGraph graph_;
  const std::vector<double> given_;  // the tables it came with
  BayesNetData data_;
};

}  // namespace croft
