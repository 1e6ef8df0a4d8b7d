#include "sql/label_graph.h"

#include <algorithm>

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
  InstanceLabeller(const GraphModel& model, const CliqueRows& rows,
                   const GraphLabelOptions& options, GraphLabels& out)
      : model_(model), rows_(rows), options_(options), out_(out) {
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

  Worth label(GraphInstance& instance, std::vector<double>& scratch) const {
    model_.score(rows_, instance, scratch);
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
      for (const std::vector<double>& of_variable : marginals.marginals) {
        labels.push_back(
            static_cast<State>(std::ranges::max_element(of_variable) - of_variable.begin()));
      }
      keep(instance, labels, marginals);
    }
    return worth;
  }

 private:
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
  const CliqueRows& rows_;
  const GraphLabelOptions& options_;
  GraphLabels& out_;
  InferRequest request_;
};

}  // namespace

GraphLabels label_graph(const GraphModel& model, CliqueData& data, const GraphLabelOptions& options,
                        const std::function<void(std::size_t)>& progress) {
  GraphLabels out;
  out.label.assign(data.variables(), 0);
  if (options.probabilities || options.decode == GraphDecode::marginal) {
    out.probability.assign(data.variables(), 0);
    if (options.keep_marginals) {
      out.begin.assign(1, 0);
      for (std::uint32_t v = 0; v < data.variables(); ++v) {
        out.begin.push_back(out.begin.back() +
                            model.schema().domains[data.domain(v)].labels.size());
      }
      out.marginals.assign(out.begin.back(), 0);
    }
  }
  std::vector<GraphInstance> instances = data.unroll();
  ThreadPool pool(options.threads);
  const InstanceLabeller labeller(model, data.rows(), options, out);
  std::vector<std::vector<double>> scratch(pool.threads());
  std::vector<InstanceLabeller::Worth> worth(instances.size());
  pool.run_ordered(
      instances.size(),
      [&](std::size_t n, std::size_t worker) {
        if (interruption) throw Interrupted("interrupted while labelling");
        try {
          worth[n] = labeller.label(instances[n], scratch[worker]);
        } catch (const Interrupted&) {
          throw;
        } catch (const UsageError&) {  // of a method, whatever the instance
          throw;
        } catch (const Error& error) {
          if (has_constraints(model.schema())) check_constraints(data, instances[n]);
          throw Error("instance ", in_quotes(data.group_name(instances[n].variable.front())), ": ",
                      error.message());
        }
        instances[n] = {};
      },
      [&](std::size_t n, std::size_t) {
        out.estimated += worth[n].estimated ? 1 : 0;
        out.not_converged += worth[n].converged ? 0 : 1;
        out.not_proved += worth[n].proved ? 0 : 1;
        if (progress) progress(n + 1);
      });
  return out;
}

}  // namespace croft
