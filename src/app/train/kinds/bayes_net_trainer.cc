// The tables of Bayesian networks.
#include <fmt/format.h>

#include <cmath>

#include "app/train/make_trainer.h"
#include "core/atomic_file.h"
#include "croft/core/error.h"
#include "croft/data/bif.h"
#include "croft/data/uai.h"
#include "train/course/report.h"

namespace croft {
namespace {

bool ends_in(const std::string& path, std::string_view extension) {
  return path.size() > extension.size() && path.ends_with(extension);
}

void check_request(const BayesNetRequest& r) {
  r.options.validate();
  if (r.structure.empty()) {
    throw UsageError("--model bayes-net needs --structure: a network whose parents are taken");
  }
  if (!ends_in(r.output, ".bif") && !ends_in(r.output, ".uai")) {
    throw UsageError("-o " + r.output + " ends in neither .bif nor .uai, the formats of a network");
  }
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

// The tables of `init`, in the order of the structure's factors.
void take_tables(const std::string& path, GraphFile& net) {
  const GraphFile init = read_network(path);
  const auto fail = [&](const std::string& what) {
    throw UsageError("--init ", path, " is another network than the structure: ", what);
  };
  if (init.names.variables != net.names.variables || init.names.states != net.names.states) {
    fail("it has other variables or states, or the same in another order");
  }
  if (init.graph.variables() != net.graph.variables()) fail("it has another number of variables");
  FactorGraph with_tables;
  for (Variable v = 0; v < net.graph.variables(); ++v) {
    if (init.graph.states(v) != net.graph.states(v)) fail("a variable has other states");
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

struct Measured {
  std::size_t rows = 0, impossible = 0;  // rows of probability 0
  double log_likelihood = 0;             // of the others
};

Measured measure(const BayesNetRequest& r, const GraphFile& net) {
  Measured holdout;
  ThreadPool pool(1);
  std::vector<double> counts;
  const FactorGraph tables = with_own_tables(net.graph);
  holdout.rows = read_state_rows(LineReader(r.holdout), net, r.rows, [&](auto row) {
    BayesNetData one(tables);
    one.add(row);
    const double log_p = one.evaluate(pool, counts);
    if (std::isfinite(log_p)) {
      holdout.log_likelihood += log_p;
    } else {
      ++holdout.impossible;
    }
  });
  return holdout;
}

std::string text_of(const Measured& held_out) {
  const std::size_t possible = held_out.rows - held_out.impossible;
  std::string text = fmt::format("held out: {} rows, log-likelihood {:.4f}", held_out.rows,
                                 held_out.log_likelihood);
  if (possible > 0) {
    text += fmt::format(", {:.6f} a row", held_out.log_likelihood / static_cast<double>(possible));
  }
  if (held_out.impossible > 0) {
    text +=
        Message("; ", held_out.impossible, " rows more have probability 0 (--smoothing)").text();
  }
  return text;
}

class BayesNetTrainer final : public Trainer {
 public:
  explicit BayesNetTrainer(const BayesNetRequest& asked) : asked_(asked) { check_request(asked_); }
  // The structure may be replaced by itself with new tables: it is read first.
  TrainFiles files() const override {
    TrainFiles files{asked_.data, {asked_.structure}, asked_.output};
    files.inputs.insert(files.inputs.end(), {asked_.init, asked_.holdout});
    return files;
  }
  StoppingRule stopping() const override {
    return {.max_iterations = asked_.options.em_iterations, .tolerance = 0};
  }
  void open() override {
    net_ = read_network(asked_.structure);
    if (!asked_.init.empty()) take_tables(asked_.init, net_);
  }
  void read_files(TrainObserver&) override {
    training_.emplace(net_.graph);
    for (const std::string& path : asked_.data) {
      read_state_rows(LineReader(path), net_, asked_.rows, [&](auto row) { training_->add(row); });
    }
  }
  DataSummary summary() const override {
    const BayesNetData& data = training_->data();
    DataSummary summary{fmt::format("{} rows, {} variables", data.rows(), net_.graph.variables()),
                        {{"rows", data.rows()},
                         {"variables", std::size_t{net_.graph.variables()}},
                         {"missing", data.missing()}}};
    if (data.missing() > 0) summary.text += fmt::format("; {} values are missing", data.missing());
    return summary;
  }

  TrainOutcome run(TrainObserver& observer, CheckpointFolder*) override {
    const BayesNetData& data = training_->data();
    if (data.missing() == 0 && !asked_.of_em.empty()) {
      throw UsageError(Message::option(asked_.of_em.front()),
                       " is of EM, and no value is missing: leave it out");
    }
    BayesNetOptions options = asked_.options;
    options.from_tables = !asked_.init.empty();
    const BayesNetResult fit = training_->run(options, [&](const BayesNetProgress& now) {
      return observer.iteration(em_step(now.start, now.iteration, options.em_iterations,
                                        now.objective, now.log_likelihood));
    });
    net_.graph = with_own_tables(training_->graph());
    TrainOutcome outcome =
        em_outcome(fit.iterations, fit.converged, observer.stopped(), fit.objective);
    outcome.further = {{"log_likelihood", fit.log_likelihood}};
    outcome.tail =
        fmt::format("\nlog-likelihood {:.4f}, {:.6f} a row; {} free parameters", fit.log_likelihood,
                    fit.log_likelihood / static_cast<double>(data.rows()), fit.parameters);
    if (fit.unseen > 0) {
      outcome.tail += fmt::format("\n{} rows of tables have no data: they are uniform", fit.unseen);
    }
    if (!asked_.holdout.empty()) outcome.tail += "\n" + text_of(measure(asked_, net_));
    return outcome;
  }
  void write() override {
    AtomicFile file(asked_.output);
    file.write(ends_in(asked_.output, ".bif") ? write_bif(net_) : write_uai(net_));
    file.commit();
  }

 private:
  BayesNetRequest asked_;
  GraphFile net_;
  std::optional<BayesNetTraining> training_;
};

}  // namespace

std::unique_ptr<Trainer> make_trainer(const BayesNetRequest& request) {
  return std::make_unique<BayesNetTrainer>(request);
}

}  // namespace croft
