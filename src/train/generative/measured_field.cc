#include "train/generative/measured_field.h"

#include <algorithm>
#include <unordered_map>

#include "core/json.h"
#include "croft/core/error.h"
#include "inference/graph/oracles/shared_plans.h"
#include "train/course/watched_run.h"
#include "train/graph/graph_em.h"
#include "train/graph/graph_starts.h"

namespace croft {
namespace {

void archive_mixtures(StateArchive& state, std::vector<LabelMixtures>& mixtures) {
  Json records = Json::array();
  for (const LabelMixtures& each : mixtures) records.push_back(to_json(each));
  std::string text = records.dump();  // numbers keep all their digits
  state(text);
  if (!state.reading()) return;
  mixtures.clear();
  for (const Json& each : parse_json(text)) mixtures.push_back(label_mixtures_of(each));
}

// log Z(w) of the field alone, of a graph that has tables of densities behind the field's: its
// numbers are the first of the graph's.
class FieldSums final : public SumOracle {
 public:
  FieldSums(const FactorGraph& whole, FactorGraph& field, const SumOracleMaker& make_sums)
      : whole_(whole), field_(field), sums_(make_sums(field)) {}

  double sums(double scale, std::span<double> out) override {
    const std::size_t count = field_.numbers().size();
    std::ranges::copy(whole_.numbers().first(count), field_.numbers().begin());
    return sums_->sums(scale, out.first(count));
  }
  ResultKind kind() const override { return sums_->kind(); }
  bool converged() const override { return sums_->converged(); }

 private:
  const FactorGraph& whole_;
  FactorGraph& field_;
  std::unique_ptr<SumOracle> sums_;
};

// Q of a field beside densities, which keeps its derivative by their scores: -gamma.
class MeasuredObjective final : public GraphObjective {
 public:
  MeasuredObjective(std::unique_ptr<GraphObjective> inner, std::vector<double>& derivative)
      : inner_(std::move(inner)), derivative_(derivative) {}

  double evaluate(std::span<double> gradient) override {
    const double value = inner_->evaluate(gradient);
    derivative_.assign(gradient.begin(), gradient.end());
    return value;
  }
  bool converged() const override { return inner_->converged(); }

 private:
  std::unique_ptr<GraphObjective> inner_;
  std::vector<double>& derivative_;
};

}  // namespace

class MeasuredDensities final : public EmCompanion {
 public:
  MeasuredDensities(const GraphProblem& problem, MeasuredField& field)
      : problem_(problem), field_(field), derivative_(problem.instances.size()) {}

  GraphObjectiveMaker objectives(const bool& expect) {
    std::unordered_map<const FactorGraph*, std::size_t> number;
    for (std::size_t n = 0; n < problem_.instances.size(); ++n) {
      number[&problem_.instances[n].graph] = n;
    }
    // Free sums of samples of one field are the same for all; those given measurements never are.
    const SumOracleMaker make = em_sums(problem_);
    return [this, &expect, number = std::move(number), make, shared = shared_sums(make)](
               const FactorGraph& graph, std::span<const State> known) {
      const std::size_t n = number.at(&graph);
      const auto of_field = [&](const FactorGraph& which) -> std::unique_ptr<SumOracle> {
        if (&which != &graph) return make(which);  // of what is hidden, given the rest
        return std::make_unique<FieldSums>(graph, field_.fields_[n], shared);
      };
      return std::make_unique<MeasuredObjective>(
          std::make_unique<ExpectedLikelihood>(graph, known, expect, of_field), derivative_[n]);
    };
  }

  void score() override {
    std::vector<double> score;
    for (std::size_t m = 0; m < field_.measurements_.size(); ++m) {
      const Measurements& rows = field_.measurements_[m];
      score.resize(field_.densities_[m].of_label.size());
      for (std::size_t i = 0; i < rows.variable.size(); ++i) {
        field_.densities_[m].scores(std::span(rows.x).subspan(i * rows.dimension, rows.dimension),
                                    score);
        const MeasuredField::Place& at = field_.place_[m][i];
        std::ranges::copy(score,
                          problem_.instances[at.instance].graph.numbers(at.potential).begin());
      }
    }
  }

  void step() override {
    before_ = field_.densities_;
    for (std::size_t m = 0; m < field_.measurements_.size(); ++m) {
      const Measurements& rows = field_.measurements_[m];
      const double floor = variance_floor({rows.x, rows.dimension, field_.weights_of(rows)},
                                          rows.options.variance_floor);
      std::vector<double> weight(rows.variable.size());
      for (State y = 0; y < field_.densities_[m].of_label.size(); ++y) {
        for (std::size_t i = 0; i < weight.size(); ++i) {
          const auto [n, potential] = field_.place_[m][i];
          const std::uint64_t first = problem_.instances[n].graph.potential(potential).first;
          const double times = problem_.instances[n].weight;
          weight[i] = times * std::max(0.0, -derivative_[n][first + y]);
        }
        GaussianMixture& mixture = field_.densities_[m].of_label[y];
        mixture = em_step({rows.x, rows.dimension, weight}, floor, mixture, problem_.pool);
      }
    }
  }

  void undo() override { field_.densities_ = std::move(before_); }
  void archive(StateArchive& state) override { archive_mixtures(state, field_.densities_); }

 private:
  const GraphProblem& problem_;
  MeasuredField& field_;
  std::vector<std::vector<double>> derivative_;  // [instances][numbers] of Q at the last evaluation
  std::vector<LabelMixtures> before_;            // the last step
};

MeasuredField::MeasuredField(CliqueData& data, std::vector<StringTable> features,
                             std::span<const Measurements> measurements)
    : data_(data),
      features_(std::move(features)),
      measurements_(measurements),
      instances_(data.unroll()) {}

void MeasuredField::add_measurements() {
  std::vector<std::pair<std::size_t, Variable>> of(data_.variables());
  for (std::size_t n = 0; n < instances_.size(); ++n) {
    fields_.push_back(instances_[n].graph);
    for (Variable v = 0; v < instances_[n].variable.size(); ++v) {
      of[instances_[n].variable[v]] = {n, v};
    }
  }
  for (const Measurements& rows : measurements_) {
    std::vector<Place>& places = place_.emplace_back();
    for (const std::uint32_t v : rows.variable) {
      const auto [n, local] = of[v];
      FactorGraph& graph = instances_[n].graph;
      const PotentialId table = graph.add_table(std::vector<double>(graph.states(local), 0.0));
      graph.add_factor({local}, table);
      places.push_back({n, table});
    }
  }
}

std::size_t MeasuredField::hidden() const { return count_hidden(instances_); }

GraphTrainResult MeasuredField::run(const GraphTrainOptions& options,
                                    const TrainingCallback& callback) {
  options.validate();
  if (!options.em) throw UsageError("EM of measurements needs --em-iterations");
  options.em->validate();
  if (options.init || options.variances) {
    throw UsageError(
        "EM of measurements starts at random, with one penalty: leave out --init, --prior and "
        "--variances");
  }
  if (options.label_weights) {
    throw UsageError("--class-weights does not go with densities that EM fits; leave it out");
  }
  layout_ = layout_to_train(data_, instances_, features_, options);
  add_measurements();
  ThreadPool pool(options.threads);
  const GraphProblem problem = problem_of(data_, layout_, instances_, pool, options);
  check_em(problem, *options.em);
  GraphTrainResult result;
  result.method = problem.method;
  std::vector<double> w;
  std::vector<LabelMixtures> best;
  WatchedRun run{.max_iterations = problem.stop.max_iterations, .callback = callback};
  const auto train = [&](std::size_t start, Checkpointer* checkpoints, WatchedResult& found) {
    w = random_start(layout_.dimension(), options, start);
    start_densities(start, pool);
    MeasuredDensities densities(problem, *this);
    const auto make = [&](const bool& expect) { return densities.objectives(expect); };
    run.checkpoints = checkpoints;
    run.optimise = [&](std::span<double> at, const IterationCallback& see, Checkpointer* own) {
      GraphEm em(problem, *options.em, at, make, &densities);
      return minimize(em, problem.stop, see, own);
    };
    return run_watched(run, w, found);
  };
  const auto keep = [&] {
    weights_ = w;
    best = densities_;
  };
  const auto kept = [&](StateArchive& state) {
    state(weights_);
    archive_mixtures(state, best);
  };
  best_graph(options, train, keep, kept, result);
  densities_ = std::move(best);
  describe_weights(weights_, result);
  return result;
}

std::vector<double> MeasuredField::weights_of(const Measurements& rows) const {
  std::vector<double> weights;
  if (!data_.has_weights()) return weights;
  for (const std::uint32_t v : rows.variable) weights.push_back(data_.weight(v));
  return weights;
}

void MeasuredField::start_densities(std::size_t start, ThreadPool& pool) {
  densities_.clear();
  for (const Measurements& rows : measurements_) {
    const std::uint32_t domain = data_.domain(rows.variable.front());
    std::vector<State> label;
    for (const std::uint32_t v : rows.variable) label.push_back(data_.known(v));
    GaussianMixtureOptions each = rows.options;
    each.seed += start;
    densities_.push_back(start_label_mixtures(rows.x, rows.dimension, label,
                                              data_.schema().domains[domain].labels, each, pool,
                                              weights_of(rows)));
  }
}

ContainerWriter MeasuredField::model(const Json& source, const Json& training) const {
  return trained_model(data_, layout_, features_, weights_, source, training);
}

}  // namespace croft
