#include "app/train/train_bayes_net.h"

#include <cmath>

#include "app/file_checks.h"
#include "core/atomic_file.h"
#include "croft/core/error.h"
#include "croft/data/bif.h"
#include "croft/data/uai.h"

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
  std::vector<std::string> inputs = r.data;
  inputs.insert(inputs.end(), {r.init, r.holdout});
  // The structure may be replaced by itself with new tables: it is read first.
  check_files(inputs, r.output);
}

GraphFile read_network(const std::string& path) {
  GraphFile net = read_graph(path);
  if (!net.directed) {
    throw UsageError(path + " is no Bayesian network: it must be BIF, or UAI's BAYES");
  }
  try {
    check_directed(net.graph, [&](Variable v) { return in_quotes(variable_name(net.names, v)); });
  } catch (const UsageError& error) {
    throw UsageError(path + ": " + error.what());
  }
  return net;
}

// The tables of `init`, in the order of the structure's factors.
void take_tables(const std::string& path, GraphFile& net) {
  const GraphFile init = read_network(path);
  const auto fail = [&](const std::string& what) {
    throw UsageError("--init " + path + " is another network than the structure: " + what);
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

BayesNetReport::Holdout measure(const BayesNetRequest& r, const GraphFile& net) {
  BayesNetReport::Holdout holdout;
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

}  // namespace

BayesNetReport train_bayes_net(const BayesNetRequest& r, const BayesNetWatcher& watcher) {
  check_request(r);
  // Created and removed: what forbids writing the network is known before the work, not after it.
  AtomicFile{r.output};
  GraphFile net = read_network(r.structure);
  if (!r.init.empty()) take_tables(r.init, net);
  BayesNetTraining training(net.graph);
  for (const std::string& path : r.data) {
    read_state_rows(LineReader(path), net, r.rows, [&](auto row) { training.add(row); });
  }
  const BayesNetData& data = training.data();
  if (watcher.data_read) watcher.data_read({data.rows(), net.graph.variables(), data.missing()});
  BayesNetOptions options = r.options;
  options.from_tables = !r.init.empty();
  BayesNetReport report;
  report.fit = training.run(options, watcher.iteration);
  report.rows = data.rows();
  report.missing = data.missing();
  net.graph = with_own_tables(training.graph());
  if (!r.holdout.empty()) report.holdout = measure(r, net);
  AtomicFile file(r.output);
  file.write(ends_in(r.output, ".bif") ? write_bif(net) : write_uai(net));
  file.commit();
  return report;
}

}  // namespace croft
