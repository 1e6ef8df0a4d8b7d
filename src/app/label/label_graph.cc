#include "app/label/label_graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "croft/app/infer.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/parallel.h"
#include "train/graph/constraint_check.h"

namespace croft {
namespace {

bool takes(const std::string& method, bool InferOptions::*option) {
  const auto known = infer_methods();
  const auto at = std::ranges::find(known, method, &InferMethod::name);
  return at == known.end() || at->uses.*option;  // `auto` passes it on
}

class InstanceLabeller {
 public:
  InstanceLabeller(const GraphModel& model, const CliqueData& data,
                   const GraphLabelOptions& options, GraphLabels& out)
      : model_(model), data_(data), options_(options), out_(out) {
    const auto check = [&](bool given, bool InferOptions::*use, const Message& what,
                           const Message& instead) {
      if (!given || takes(options.method, use) || takes(options.search, use)) return;
      throw UsageError(what, " means nothing to ", options.method, " and ", options.search,
                       ": leave it out, or choose ", instead);
    };
    check(options.memory.has_value(), &InferOptions::memory, "--memory", "an exact method");
    check(options.max_iterations.has_value(), &InferOptions::max_iterations,
          "--inference-iterations", "a method that iterates");
    request_.seed = options.seed;
  }

  struct Worth {
    bool estimated = false, converged = true, proved = true;
  };

  // Of each variable that `gold` knows, given all others that it knows.
  //   gold : [variables of the instance] the state, kUnobserved
  Worth label_given_others(GraphInstance& instance, std::span<const State> gold,
                           std::vector<double>& scratch) const {
    model_.score(data_.rows(), instance, scratch);
    const FactorLists factors(instance.graph);
    Worth worth;
    for (Variable v = 0; v < gold.size(); ++v) {
      const std::uint32_t out = instance.variable[v];
      if (wanted_[out] == 0) continue;
      GraphInstance around = neighbourhood(instance, factors, v, gold);
      const InferResult found = answer(around, GraphTask::marginals, options_.method);
      worth.estimated = worth.estimated || found.kind != ResultKind::exact;
      worth.converged = worth.converged && found.converged;
      const std::vector<double>& p = found.marginals.front();
      out_.label[out] = choose(out, p);
      out_.probability[out] = p[out_.label[out]];
      std::ranges::copy(p, out_.marginals.begin() + static_cast<std::ptrdiff_t>(out_.begin[out]));
    }
    return worth;
  }
  // Which variables of the data are to be labelled so.
  void want(std::vector<std::uint8_t> variables) { wanted_ = std::move(variables); }

  Worth label(GraphInstance& instance, std::vector<double>& scratch) const {
    model_.score(data_.rows(), instance, scratch);
    Worth worth;
    InferResult marginals;
    if (options_.probabilities || options_.decode == GraphDecode::marginal) {
      marginals = answer(instance, GraphTask::marginals, options_.method);
      worth.estimated = marginals.kind != ResultKind::exact;
      worth.converged = marginals.converged;
    }
    if (options_.decode == GraphDecode::best) {
      const InferResult best = answer(instance, GraphTask::map, options_.search);
      worth.proved = best.kind == ResultKind::exact;
      worth.converged = worth.converged && best.converged;
      keep(instance, best.assignment, marginals);
    } else {
      std::vector<State> labels;
      for (std::size_t k = 0; k < marginals.marginals.size(); ++k) {
        labels.push_back(choose(instance.variable[k], marginals.marginals[k]));
      }
      keep(instance, labels, marginals);
    }
    return worth;
  }

 private:
  // v, first, the variables without a known state that it reaches through such ones, and the known
  // ones beside them.
  static GraphInstance neighbourhood(const GraphInstance& whole, const FactorLists& factors,
                                     Variable v, std::span<const State> known) {
    GraphInstance out;
    std::unordered_map<Variable, Variable> number;
    std::vector<Variable> open;
    const auto add = [&](Variable u) {
      const auto [at, is_new] = number.try_emplace(u, static_cast<Variable>(number.size()));
      if (!is_new) return at->second;
      out.graph.add_variable(whole.graph.states(u));
      out.known.push_back(u == v ? kUnobserved : known[u]);
      if (out.known.back() == kUnobserved) open.push_back(u);
      return at->second;
    };
    add(v);
    std::unordered_set<Factor> seen;
    std::vector<Variable> scope;
    while (!open.empty()) {
      const Variable u = open.back();
      open.pop_back();
      for (const Factor f : factors.of(u)) {
        if (!seen.insert(f).second) continue;
        scope.clear();
        for (const Variable each : whole.graph.scope(f)) scope.push_back(add(each));
        out.graph.add_factor(scope, out.graph.add_copy(whole.graph, whole.graph.potential_of(f)));
      }
    }
    return out;
  }

  State choose(std::uint32_t v, std::span<const double> p) const {
    if (!options_.decisions.empty()) return options_.decisions[data_.domain(v)].choose(p);
    return static_cast<State>(std::ranges::max_element(p) - p.begin());
  }

  InferResult answer(const GraphInstance& instance, GraphTask task,
                     const std::string& method) const {
    InferRequest request = request_;
    request.task = task;
    request.method = method;
    if (takes(method, &InferOptions::memory)) request.memory = options_.memory.value_or(0);
    if (takes(method, &InferOptions::max_iterations)) {
      request.max_iterations = options_.max_iterations;
    }
    const InferCalls calls{.plan = {},
                           .progress = [](const GraphProgress&) { return !interruption.load(); }};
    // Where nothing is known the graph stays as it is: searches that go by the order of factors
    // find what they find in training.
    const bool any = std::ranges::any_of(instance.known, [](State s) { return s != kUnobserved; });
    InferResult result = infer(
        instance.graph, any ? std::span<const State>(instance.known) : std::span<const State>(),
        request, calls);
    if (interruption) throw Interrupted("interrupted while labelling");
    return result;
  }

  void keep(const GraphInstance& instance, const std::vector<State>& labels,
            const InferResult& found) const {
    for (std::size_t k = 0; k < labels.size(); ++k) {
      const std::uint32_t v = instance.variable[k];
      out_.label[v] = labels[k];
      if (found.marginals.empty()) continue;
      out_.probability[v] = found.marginals[k][labels[k]];
      if (options_.keep_marginals) {
        std::ranges::copy(found.marginals[k],
                          out_.marginals.begin() + static_cast<std::ptrdiff_t>(out_.begin[v]));
      }
    }
  }

  const GraphModel& model_;
  const CliqueData& data_;
  const GraphLabelOptions& options_;
  GraphLabels& out_;
  InferRequest request_;
  std::vector<std::uint8_t> wanted_;
};

// `label` of each instance, side by side.
using LabelInstance =
    std::function<InstanceLabeller::Worth(GraphInstance&, std::vector<double>& scratch)>;
void label_all(const GraphModel& model, const CliqueData& data,
               std::vector<GraphInstance>& instances, const GraphLabelOptions& options,
               const LabelInstance& label, const std::function<void(std::size_t)>& progress,
               GraphLabels& out) {
  ThreadPool pool(options.threads);
  std::vector<std::vector<double>> scratch(pool.threads());
  std::vector<InstanceLabeller::Worth> worth(instances.size());
  pool.run_ordered(
      instances.size(),
      [&](std::size_t n, std::size_t worker) {
        if (interruption) throw Interrupted("interrupted while labelling");
        try {
          worth[n] = label(instances[n], scratch[worker]);
        } catch (const Interrupted&) {
          throw;
        } catch (const UsageError&) {  // of a method, whatever the instance
          throw;
        } catch (const Error& error) {
          if (has_constraints(model.schema())) check_constraints(data, instances[n]);
          throw Error("instance ", in_quotes(data.group_name(instances[n].variable.front())), ": ",
                      error.message());
        }
        if (!options.keep_instances) instances[n] = {};
      },
      [&](std::size_t n, std::size_t) {
        out.estimated += worth[n].estimated ? 1 : 0;
        out.not_converged += worth[n].converged ? 0 : 1;
        out.not_proved += worth[n].proved ? 0 : 1;
        if (progress) progress(n + 1);
      });
}

void make_room(const GraphModel& model, const CliqueData& data, bool marginals, GraphLabels& out) {
  out.probability.assign(data.variables(), 0);
  if (!marginals) return;
  out.begin.assign(1, 0);
  for (std::uint32_t v = 0; v < data.variables(); ++v) {
    out.begin.push_back(out.begin.back() + model.schema().domains[data.domain(v)].labels.size());
  }
  out.marginals.assign(out.begin.back(), 0);
}

}  // namespace

void GraphLabelOptions::decide(const ChoiceRequest& request, const CliqueSchema& schema) {
  if (request.empty()) return;
  std::vector<std::vector<std::string>> labels;
  for (const Domain& each : schema.domains) labels.push_back(each.labels);
  decisions = label_choosers(request, labels);
  decode = GraphDecode::marginal;
}

GraphLabels label_graph(const GraphModel& model, CliqueData& data, const GraphLabelOptions& options,
                        const std::function<void(std::size_t)>& progress) {
  GraphLabels out;
  out.label.assign(data.variables(), 0);
  if (options.probabilities || options.decode == GraphDecode::marginal) {
    make_room(model, data, options.keep_marginals, out);
  }
  std::vector<GraphInstance> instances = data.unroll();
  if (options.held_out_alone) {
    std::erase_if(instances, [&](const auto& each) { return !data.held_out(each.variable[0]); });
  }
  const InstanceLabeller labeller(model, data, options, out);
  label_all(
      model, data, instances, options,
      [&](GraphInstance& instance, std::vector<double>& scratch) {
        return labeller.label(instance, scratch);
      },
      progress, out);
  if (options.keep_instances) out.instances = std::move(instances);
  return out;
}

GraphLabels label_given_others(const GraphModel& model, CliqueData& data, const GoldLabels& gold,
                               const GraphLabelOptions& options,
                               const std::function<void(std::size_t)>& progress) {
  GraphLabels out;
  out.label.assign(data.variables(), 0);
  make_room(model, data, true, out);
  std::vector<GraphInstance> instances = data.unroll();
  InstanceLabeller labeller(model, data, options, out);
  std::vector<std::uint8_t> wanted(data.variables());
  for (std::uint32_t v = 0; v < data.variables(); ++v) {
    wanted[v] = gold.state[v] == kUnobserved ? 0 : 1;
  }
  labeller.want(std::move(wanted));
  label_all(
      model, data, instances, options,
      [&](GraphInstance& instance, std::vector<double>& scratch) {
        std::vector<State> others;
        for (const std::uint32_t v : instance.variable) {
          const bool there = gold.state[v] < model.schema().domains[data.domain(v)].labels.size();
          others.push_back(there ? gold.state[v] : kUnobserved);
        }
        return labeller.label_given_others(instance, others, scratch);
      },
      progress, out);
  return out;
}

}  // namespace croft
