// Bayesian networks: their tables, and their edges where these are learnt.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "app/file_checks.h"
#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "core/files.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "croft/data/graph_file.h"
#include "data/settings/state_table.h"
#include "train/course/report.h"

namespace croft {
namespace {

bool ends_in(const std::string& path, std::string_view extension) {
  return path.size() > extension.size() && path.ends_with(extension);
}

void check_request(const BayesNetRequest& r) {
  if (r.structure.empty() && !r.learn.shape) {
    throw UsageError(
        "--model bayes-net needs --structure, a network whose parents are taken, or "
        "--learn-structure");
  }
  if (!ends_in(r.output, ".bif") && !ends_in(r.output, ".uai")) {
    throw UsageError("-o " + r.output + " ends in neither .bif nor .uai, the formats of a network");
  }
  check_written({{"output", r.output}, {"edges", r.learn.edges}});
  std::vector<std::string> inputs = r.data;
  inputs.insert(inputs.end(), {r.structure, r.init, r.holdout});
  if (!r.learn.edges.empty()) check_not_read(inputs, "edges", r.learn.edges);
}

GraphFile read_network(const std::string& path) {
  GraphFile net = read_graph(path);
  if (!net.directed) {
    throw UsageError(path + " is no Bayesian network: it must be BIF, or UAI's BAYES");
  }
  try {
    check_directed(net.graph, [&](Variable v) { return in_quotes(variable_name(net.names, v)); });
  } catch (const UsageError& error) {
    throw UsageError(path, ": ", error.message());
  }
  return net;
}

// Fails unless `init` has the same variables and states.
template <class Fail>
void check_variables(const GraphFile& init, const GraphFile& net, const Fail& fail) {
  if (init.names.variables != net.names.variables || init.names.states != net.names.states) {
    fail("it has other variables or states, or the same in another order");
  }
  if (init.graph.variables() != net.graph.variables()) fail("it has another number of variables");
  for (Variable v = 0; v < net.graph.variables(); ++v) {
    if (init.graph.states(v) != net.graph.states(v)) fail("a variable has other states");
  }
}

// The parents in `init`, whose variables may stand in another order.
Parents parents_by_name(const std::string& path, const GraphFile& net) {
  const GraphFile init = read_network(path);
  const Parents given = parents_of(init.graph);
  Parents parents(net.graph.variables());
  for (Variable v = 0; v < given.size(); ++v) {
    std::vector<Variable>& to = parents[find_variable(net, variable_name(init.names, v))];
    for (const Variable u : given[v]) {
      to.push_back(find_variable(net, variable_name(init.names, u)));
    }
    std::ranges::sort(to);
  }
  return parents;
}

// The tables of `init`, in the order of the structure's factors.
void take_tables(const std::string& path, GraphFile& net) {
  const GraphFile init = read_network(path);
  const auto fail = [&](const std::string& what) {
    throw UsageError("--init ", path, " is another network than the structure: ", what);
  };
  check_variables(init, net, fail);
  FactorGraph with_tables;
  for (Variable v = 0; v < net.graph.variables(); ++v) {
    with_tables.add_variable(net.graph.states(v));
  }
  std::vector<Factor> of(net.graph.variables());
  for (Factor f = 0; f < init.graph.factors(); ++f) of[init.graph.scope(f).back()] = f;
  for (Factor f = 0; f < net.graph.factors(); ++f) {
    const auto scope = net.graph.scope(f);
    const Factor other = of[scope.back()];
    if (!std::ranges::equal(scope, init.graph.scope(other))) {
      fail(in_quotes(variable_name(net.names, scope.back())) + " has other parents");
    }
    with_tables.add_factor(scope, with_tables.add_table(init.graph.table(other)));
  }
  net.graph = std::move(with_tables);
}

}  // namespace

struct BayesNetTrainer::Measured {
  std::size_t rows = 0, impossible = 0;  // rows of probability 0
  double log_likelihood = 0;             // of the others

  double a_row() const { return log_likelihood / static_cast<double>(rows - impossible); }
  std::string text() const {
    std::string text =
        fmt::format("held out: {}, log-likelihood {:.4f}", counted(rows, "row"), log_likelihood);
    if (rows > impossible) text += fmt::format(", {:.6f} a row", a_row());
    if (impossible > 0) {
      text += Message("; ", counted(impossible, "row"),
                      impossible == 1 ? Message(" more has") : Message(" more have"),
                      " probability 0 (--smoothing)")
                  .text();
    }
    return text;
  }
};

BayesNetTrainer::BayesNetTrainer(BayesNetRequest request)
    : asked_(std::move(request)),
      share_(holdout_fraction(asked_.holdout)),
      random_(asked_.options.seed) {
  asked_.options.validate();
  if (asked_.options.early_stop > 0 && asked_.holdout.empty()) {
    throw UsageError("--early-stop needs --holdout, to see when to stop");
  }
}

TrainFiles BayesNetTrainer::files() const {
  TrainFiles files{asked_.data, asked_.output};
  files.inputs.insert(files.inputs.end(), {asked_.structure, asked_.init, asked_.holdout});
  return files;
}

void BayesNetTrainer::open() {
  if (asked_.structure.empty()) return;  // the data has the variables
  GraphFile net = read_network(asked_.structure);
  if (asked_.learn.shape) {
    if (net.names.states.empty()) {
      throw UsageError("--structure ", asked_.structure,
                       " has no names of states, and a structure is learnt of names: give BIF");
    }
  } else if (!asked_.init.empty()) {
    take_tables(asked_.init, net);
    asked_.options.from_tables = true;
  }
  begin(std::move(net));
}

void BayesNetTrainer::begin(GraphFile net) {
  net_ = std::move(net);
  if (!asked_.learn.shape) {
    training_.emplace(net_.graph);
  } else if (!asked_.init.empty()) {
    start_ = parents_by_name(asked_.init, net_);
  } else if (asked_.learn.from_given) {
    start_ = parents_of(net_.graph);
  }
}

void BayesNetTrainer::add(std::span<const State> row) {
  if (share_ && random_.uniform() < *share_) return hold_out(row);
  if (asked_.learn.shape) {
    rows_.emplace_back(row.begin(), row.end());
  } else {
    training_->add(row);
  }
}

void BayesNetTrainer::read_training_files() {
  if (!asked_.learn.shape || !asked_.structure.empty()) {
    for (const std::string& path : asked_.data) {
      read_state_rows(LineReader(path), net_, asked_.rows, [&](auto row) { add(row); });
    }
    return;
  }
  StateTableReader reader(asked_.rows);
  for (const std::string& path : asked_.data) reader.read(LineReader(path));
  const StateTable table = std::move(reader).table();
  begin(table.unconnected());
  for (const auto& row : table.rows) add(row);
}

void BayesNetTrainer::read_files(TrainObserver&) {
  read_training_files();
  if (asked_.holdout.empty() || share_) return;
  read_state_rows(LineReader(asked_.holdout), net_, asked_.rows, [&](auto row) { hold_out(row); });
}

DataSummary BayesNetTrainer::summary() const {
  std::size_t rows = rows_.size(), missing = 0;
  for (const auto& row : rows_) {
    missing += static_cast<std::size_t>(std::ranges::count(row, kUnobserved));
  }
  if (training_) rows = training_->data().rows(), missing = training_->data().missing();
  DataSummary summary{
      counted(rows, "row") + ", " + counted(net_.graph.variables(), "variable"),
      {{"rows", rows}, {"variables", std::size_t{net_.graph.variables()}}, {"missing", missing}}};
  if (missing > 0) {
    summary.text +=
        fmt::format("; {} {} missing", counted(missing, "value"), missing == 1 ? "is" : "are");
  }
  return summary;
}

void BayesNetTrainer::learn_edges(TrainObserver& observer, TrainOutcome& outcome) {
  learnt_ = learn_net(net_, rows_, asked_.learn, start_, observer);
  net_ = with_parents(net_, learnt_->parents);
  training_.emplace(net_.graph);
  for (const auto& row : rows_) training_->add(row);
  outcome.tail += "\n" + learnt_->text;
  outcome.further = learnt_->further;
}

BayesNetTrainer::Measured BayesNetTrainer::measure(const FactorGraph& tables) const {
  Measured holdout{.rows = held_out_.size()};
  ThreadPool pool(1);
  std::vector<double> counts;
  for (const std::vector<State>& row : held_out_) {
    BayesNetData one(tables);
    one.add(row);
    const double log_p = one.evaluate(pool, counts);
    if (std::isfinite(log_p)) {
      holdout.log_likelihood += log_p;
    } else {
      ++holdout.impossible;
    }
  }
  return holdout;
}

// Early stopping takes no tables that make a row impossible for better ones.
void BayesNetTrainer::watch_holdout(BayesNetOptions& options) const {
  if (options.early_stop == 0) return;
  Fingerprint rows;
  for (const std::vector<State>& row : held_out_) rows.add(row);
  options.holdout = rows.value();
  options.score = [this](const FactorGraph& tables) {
    const Measured now = measure(tables);
    const double never = -std::numeric_limits<double>::infinity();
    return HoldoutScore{.chunk_f1 = {}, .log_likelihood = now.impossible > 0 ? never : now.a_row()};
  };
}

TrainOutcome BayesNetTrainer::run(TrainObserver& observer, CheckpointFolder* checkpoints) {
  TrainOutcome learnt;
  if (asked_.learn.shape) learn_edges(observer, learnt);
  const BayesNetData& data = training_->data();
  if (share_) require_holdout(asked_.holdout, held_out_.size(), data.rows(), "rows");
  if (data.missing() == 0 && !asked_.of_em.empty()) {
    throw UsageError(Message::option(asked_.of_em.front()),
                     " is of EM, and no value is missing: leave it out");
  }
  BayesNetOptions options = asked_.options;
  if (data.missing() == 0) options.starts = 1;  // those that were given are of hill climbing
  options.checkpoints = checkpoints;
  watch_holdout(options);
  const BayesNetResult fit = training_->run(options, [&](const EmProgress& now) {
    return observer.iteration(em_step(now, options.em_iterations, options.starts));
  });
  net_.graph = with_own_tables(training_->graph());
  TrainOutcome outcome = em_outcome(fit, observer.stopped());
  outcome.tail += learnt.tail;
  std::ranges::move(learnt.further, std::back_inserter(outcome.further));
  outcome.further.insert(outcome.further.end(), {{"log_likelihood", fit.log_likelihood},
                                                 {"parameters", fit.parameters, Shown::program},
                                                 {"unseen_rows", fit.unseen, Shown::program}});
  outcome.tail +=
      fmt::format("\nlog-likelihood {:.4f}, {:.6f} a row; {} free parameters", fit.log_likelihood,
                  fit.log_likelihood / static_cast<double>(data.rows()), fit.parameters);
  if (fit.unseen > 0) {
    outcome.tail += fit.unseen == 1 ? "\n1 row of tables has no data: it is uniform"
                                    : fmt::format("\n{} of tables have no data: they are uniform",
                                                  counted(fit.unseen, "row"));
  }
  if (held_out_.empty()) return outcome;
  const Measured held_out = measure(net_.graph);
  outcome.tail += "\n" + held_out.text();
  const double never = -std::numeric_limits<double>::infinity();
  outcome.further.push_back({"holdout_log_likelihood",
                             held_out.impossible > 0 ? never : held_out.log_likelihood,
                             Shown::program});
  return outcome;
}

void BayesNetTrainer::write() {
  AtomicFile file(asked_.output);
  file.write(ends_in(asked_.output, ".bif") ? write_bif(net_) : write_uai(net_));
  if (!asked_.learn.edges.empty()) {
    AtomicFile edges(asked_.learn.edges);
    edges.write(edges_csv(net_.names, *learnt_));
    edges.commit();
  }
  file.commit();
}

std::unique_ptr<Trainer> make_trainer(const BayesNetRequest& request) {
  check_request(request);
  return std::make_unique<BayesNetTrainer>(request);
}

}  // namespace croft
