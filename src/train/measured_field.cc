#include "croft/train/measured_field.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/shared_sums.h"
#include "croft/optimize/lbfgs.h"
#include "croft/optimize/regulariser.h"

namespace croft {
namespace {

SumOracleMaker sums_of(const GraphProblem& p) {
  const GraphInferenceSettings& s = p.inference;
  switch (p.objective) {
    case GraphObjectiveKind::likelihood:
      return s.memory ? exact_sums(*s.memory) : exact_sums();
    case GraphObjectiveKind::bethe: {
      BeliefPropagationOptions options;
      if (s.max_iterations) options.max_iterations = *s.max_iterations;
      if (s.damping) options.damping = *s.damping;
      return bethe_sums(options);
    }
    case GraphObjectiveKind::mean_field: {
      MeanFieldOptions options;
      if (s.max_iterations) options.max_iterations = *s.max_iterations;
      return mean_field_sums(options);
    }
    default:
      break;
  }
  throw UsageError(
      "EM of measurements goes with --objective likelihood, bethe or mean-field, which sum over "
      "what is hidden; " +
      std::string(info(p.objective).name) + " does not");
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

class MeasuredFieldEm final : public Optimizer {
 public:
  MeasuredFieldEm(const GraphProblem& problem, const GraphEmOptions& options, MeasuredField& field,
                  std::span<double> w)
      : problem_(problem),
        options_(options),
        field_(field),
        w_(w),
        gradient_(w.size()),
        derivative_(problem.instances.size()),
        f_(problem.schema, problem.rows, problem.layout, problem.instances, problem.pool,
           objectives()) {
    expectation_step();
  }

  const Iteration& now() const override { return now_; }

  bool iterate() override {
    const std::vector<double> before(w_.begin(), w_.end());
    const std::vector<LabelMixtures> densities = field_.densities_;
    const Iteration kept = now_;
    step_densities();  // by the gamma of the last E step, as the field's counts are
    LbfgsOptions inner;
    inner.history = problem_.settings.history;
    inner.stop.max_iterations = options_.m_iterations;
    inner.stop.tolerance = 0;
    inner.stop.gradient_tolerance = problem_.stop.gradient_tolerance * 0.1;
    const auto minimise = problem_.method == Method::owlqn ? owlqn : lbfgs;
    evaluations_ +=
        minimise(f_, problem_.regulariser, w_, inner, problem_.pool, {}, nullptr).evaluations;
    expectation_step();
    now_.number = kept.number + 1;
    if (now_.objective < kept.objective) return true;
    // Neither could gain more than rounding takes.
    std::ranges::copy(before, w_.begin());
    field_.densities_ = densities;
    now_ = kept;
    now_.evaluations = evaluations_;
    return false;
  }

  void archive(StateArchive&) override {
    throw UsageError("EM of measurements keeps no checkpoints");
  }

 private:
  GraphObjectiveMaker objectives() {
    std::unordered_map<const FactorGraph*, std::size_t> number;
    for (std::size_t n = 0; n < problem_.instances.size(); ++n) {
      number[&problem_.instances[n].graph] = n;
    }
    // Free sums of samples of one field are the same for all; those given measurements never are.
    const SumOracleMaker make = sums_of(problem_);
    return [this, number = std::move(number), make, shared = shared_sums(make)](
               const FactorGraph& graph, std::span<const State> known) {
      const std::size_t n = number.at(&graph);
      const auto of_field = [&](const FactorGraph& which) -> std::unique_ptr<SumOracle> {
        if (&which != &graph) return make(which);  // of what is hidden, given the rest
        return std::make_unique<FieldSums>(graph, field_.fields_[n], shared);
      };
      return std::make_unique<MeasuredObjective>(
          std::make_unique<ExpectedLikelihood>(graph, known, expect_, of_field), derivative_[n]);
    };
  }

  void score_measurements() {
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

  void step_densities() {
    for (std::size_t m = 0; m < field_.measurements_.size(); ++m) {
      const Measurements& rows = field_.measurements_[m];
      const double floor = variance_floor({rows.x, rows.dimension}, rows.options.variance_floor);
      std::vector<double> weight(rows.variable.size());
      for (State y = 0; y < field_.densities_[m].of_label.size(); ++y) {
        for (std::size_t i = 0; i < weight.size(); ++i) {
          const auto [n, potential] = field_.place_[m][i];
          const std::uint64_t first = problem_.instances[n].graph.potential(potential).first;
          weight[i] = std::max(0.0, -derivative_[n][first + y]);
        }
        GaussianMixture& mixture = field_.densities_[m].of_label[y];
        mixture = em_step({rows.x, rows.dimension, weight}, floor, mixture, problem_.pool);
      }
    }
  }

  // F at w and the densities, and from here on Q.
  void expectation_step() {
    score_measurements();
    expect_ = true;
    const double data_term = f_.evaluate(w_, gradient_);
    expect_ = false;
    ++evaluations_;
    const Regulariser& r = problem_.regulariser;
    const std::span<const double> w(w_);
    add_l2_gradient(r, w, gradient_);
    if (r.l1 > 0) pseudo_gradient(r, 0, w, gradient_, gradient_);
    const auto norm = [](std::span<const double> v) {
      double sum = 0;
      for (const double each : v) sum += each * each;
      return std::sqrt(sum);
    };
    now_.objective = data_term + penalty(r, penalised_absolute(r, 0, w), penalised_square(r, 0, w));
    now_.gradient_norm = norm(gradient_);
    now_.weight_norm = norm(w);
    now_.active =
        static_cast<std::size_t>(std::ranges::count_if(w, [](double x) { return x != 0; }));
    now_.evaluations = evaluations_;
    now_.step = 1;
    now_.w = w_;
  }

  const GraphProblem& problem_;
  const GraphEmOptions& options_;
  MeasuredField& field_;
  std::span<double> w_;
  std::vector<double> gradient_;
  std::vector<std::vector<double>> derivative_;  // [instances][numbers] of Q at the last evaluation
  bool expect_ = true;
  GraphFunction f_;
  Iteration now_;
  std::size_t evaluations_ = 0;
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

std::size_t MeasuredField::hidden() const {
  std::size_t count = 0;
  for (const GraphInstance& each : instances_) {
    count += static_cast<std::size_t>(std::ranges::count(each.known, kUnobserved));
  }
  return count;
}

GraphTrainResult MeasuredField::run(const GraphTrainOptions& options,
                                    const TrainingCallback& callback) {
  options.validate();
  if (!options.em) throw UsageError("EM of measurements needs --em-iterations");
  options.em->validate();
  if (options.checkpoints != nullptr) {
    throw UsageError("EM of measurements keeps no checkpoints; leave out --checkpoint");
  }
  if (options.init || options.variances) {
    throw UsageError(
        "EM of measurements starts at random, with one penalty: leave out --init, --prior and "
        "--variances");
  }
  std::vector<std::size_t> features;
  for (const StringTable& each : features_) features.push_back(each.size());
  layout_ = make_graph_layout(data_.schema(), data_.rows(), instances_, features,
                              {.features = options.features, .min_count = options.min_count});
  if (layout_.dimension() == 0) {
    throw Error("no feature is left to train; lower --min-count, or give more data");
  }
  add_measurements();
  ThreadPool pool(options.threads);
  const GraphProblem problem{.schema = data_.schema(),
                             .rows = data_.rows(),
                             .layout = layout_,
                             .instances = instances_,
                             .pool = pool,
                             .objective = options.objective,
                             .inference = options.inference,
                             .method = options.chosen_method(),
                             .settings = options.settings,
                             .regulariser = options.regulariser,
                             .stop = options.stop,
                             .seed = options.seed};
  check_graph_choice(problem);
  if (problem.method != Method::lbfgs && problem.method != Method::owlqn) {
    throw UsageError("--em-iterations: M steps are by --optimizer lbfgs or owlqn, not by " +
                     std::string(info(problem.method).name));
  }
  GraphTrainResult result;
  result.method = problem.method;
  std::vector<LabelMixtures> best;
  bool stopped = false;
  for (std::size_t start = 0; start < options.starts && !stopped; ++start) {
    std::vector<double> w(layout_.dimension());
    Random random(options.seed + start);
    for (double& each : w) each = options.start_deviation * random.normal();
    densities_.clear();
    for (const Measurements& rows : measurements_) {
      const std::uint32_t domain = data_.domain(rows.variable.front());
      std::vector<State> label;
      for (const std::uint32_t v : rows.variable) label.push_back(data_.known(v));
      GaussianMixtureOptions each = rows.options;
      each.seed += start;
      densities_.push_back(start_label_mixtures(rows.x, rows.dimension, label,
                                                data_.schema().domains[domain].labels, each, pool));
    }
    MeasuredFieldEm em(problem, *options.em, *this, w);
    const IterationCallback watch = [&](const Iteration& now) {
      return !callback || callback({now, options.stop.max_iterations, std::nullopt});
    };
    const OptimizeResult found = minimize(em, problem.stop, watch);
    stopped = found.reason == StopReason::stopped;
    result.objectives.push_back(found.objective);
    if (start > 0 && !(found.objective < result.optimization.objective)) continue;
    result.optimization = found;
    result.kept_start = start;
    weights_ = std::move(w);
    best = densities_;
  }
  densities_ = std::move(best);
  result.dimension = layout_.dimension();
  result.active =
      static_cast<std::size_t>(std::ranges::count_if(weights_, [](double w) { return w != 0; }));
  return result;
}

ContainerWriter MeasuredField::model(const nlohmann::json& source,
                                     const nlohmann::json& training) const {
  GraphModelParts parts;
  parts.schema = &data_.schema();
  parts.layout = &layout_;
  parts.features = features_;
  parts.weights = weights_;
  parts.source = &source;
  parts.training = &training;
  return make_graph_model(parts);
}

}  // namespace croft
