#include "app/evaluate/calibrate_graph.h"

#include <algorithm>
#include <cmath>

#include "app/label/label_graph.h"
#include "core/infinity.h"
#include "core/json.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "objective/graph/graph_objective.h"

namespace croft {
namespace {

// An instance as the fit sees it: what evidence leaves of it, at temperature 1, and its labels.
class FittedInstance {
 public:
  // Throws Error where no junction tree fits.
  FittedInstance(const GraphInstance& instance, std::span<const State> gold,
                 const SumOracleMaker& sums)
      : weight_(instance.weight), part_(restrict_to_known(instance.graph, instance.known)) {
    for (const Variable v : part_.variable) gold_.push_back(gold[v]);
    const auto numbers = std::as_const(part_.graph).numbers();
    numbers_.assign(numbers.begin(), numbers.end());
    loss_ = std::make_unique<GraphLikelihood>(part_.graph, gold_, sums);
    scratch_.resize(numbers_.size());
  }
  double loss(double inverse) {
    std::ranges::transform(numbers_, part_.graph.numbers().begin(),
                           [&](double s) { return inverse * s; });
    return weight_ * std::max(0.0, loss_->evaluate(scratch_));
  }
  std::size_t labels() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(gold_, [](State s) { return s != kUnobserved; }));
  }

 private:
  double weight_;
  PickedGraph part_;
  std::vector<State> gold_;
  std::vector<double> numbers_, scratch_;
  std::unique_ptr<GraphLikelihood> loss_;
};

class GraphFit {
 public:
  GraphFit(const GraphModel& model, CliqueData& data, const GoldLabels& gold,
           const GraphCalibrateRequest& request, CalibrateReport& report)
      : data_(data), gold_(gold), request_(request), report_(report), pool_(request.threads) {
    std::vector<GraphInstance> instances = data.unroll();
    std::vector<double> scratch;
    fitted_.resize(data.variables());
    for (GraphInstance& each : instances) {
      model.score(data.rows(), each, scratch);
      for (double& number : each.graph.numbers()) number *= model.temperature();
      if (each.weight > 0) add(each);
    }
    if (!all_.empty()) return;
    throw Error(
        "no instance of the data has labels that the model knows and allows; calibrate with data "
        "like that which it was trained on");
  }

  // The sum over all instances, the same for any number of threads.
  double loss(double inverse) {
    CompensatedSum sum;
    std::vector<double> values(pool_.threads());
    pool_.run_ordered(
        all_.size(), [&](std::size_t n, std::size_t w) { values[w] = all_[n]->loss(inverse); },
        [&](std::size_t, std::size_t w) { sum.add(values[w]); });
    return sum.value();
  }
  bool estimated() const { return estimated_; }
  // Whether the variable is one whose label counts.
  bool fitted(std::uint32_t variable) const { return fitted_[variable]; }

 private:
  void add(const GraphInstance& instance) {
    std::vector<State> gold;
    bool unknown = false, any = false;
    for (const std::uint32_t v : instance.variable) {
      const Domain& domain = data_.schema().domains[data_.domain(v)];
      gold.push_back(gold_.state[v]);
      if (gold.back() == kUnobserved) continue;
      unknown = unknown || gold.back() >= domain.labels.size();
      any = true;
    }
    report_.unknown += unknown ? 1 : 0;
    if (unknown || !any) return;
    std::unique_ptr<FittedInstance> made = fitted_instance(instance, gold);
    if (made->loss(1) == kInf) {
      ++report_.impossible;
      return;
    }
    ++report_.sequences;
    report_.positions += made->labels();
    for (std::size_t k = 0; k < gold.size(); ++k) {
      fitted_[instance.variable[k]] = gold[k] != kUnobserved;
    }
    all_.push_back(std::move(made));
  }

  std::unique_ptr<FittedInstance> fitted_instance(const GraphInstance& instance,
                                                  std::span<const State> gold) {
    constexpr double kMemory = 1e9;
    const double memory = request_.memory.value_or(kMemory);
    try {
      return std::make_unique<FittedInstance>(instance, gold, exact_sums(memory));
    } catch (const Error&) {
      estimated_ = true;
      return std::make_unique<FittedInstance>(instance, gold, bethe_sums());
    }
  }

  const CliqueData& data_;
  const GoldLabels& gold_;
  const GraphCalibrateRequest& request_;
  CalibrateReport& report_;
  ThreadPool pool_;
  std::vector<std::unique_ptr<FittedInstance>> all_;
  std::vector<bool> fitted_;  // [variables]
  bool estimated_ = false;
};

// What the probabilities of single labels are worth; the loss is the fit's own.
EvaluationSummary evaluate(const CliqueData& data, const GoldLabels& labelled,
                           const GraphLabels& labels, const GraphFit& fit, double loss,
                           std::size_t positions) {
  Evaluation evaluation;
  for (std::uint32_t v = 0; v < data.variables(); ++v) {
    if (!fit.fitted(v)) continue;
    const std::uint32_t gold = labelled.state[v];
    const std::span<const double> p = labels.marginals_of(v);
    const State predicted = labels.label[v];
    const std::vector<std::string>& names = data.schema().domains[data.domain(v)].labels;
    const std::string_view right[] = {names[gold]}, found[] = {names[predicted]};
    evaluation.add(right, found);
    evaluation.add_probability(std::min(1.0, p[predicted]), gold == predicted);
    double squares = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double difference = p[k] - (k == gold ? 1 : 0);
      squares += difference * difference;
    }
    evaluation.add_brier(squares);
  }
  evaluation.add_log_loss(loss, positions);
  return evaluation.summary();
}

}  // namespace

CalibratedGraph calibrate_graph(const GraphModel& model, CliqueData& data, const GoldLabels& gold,
                                const GraphCalibrateRequest& request, const std::string& name) {
  CalibrateReport report;
  report.sequence = "instance";
  report.position = "variable";
  const CliqueData again = data;  // whose cliques the labelling takes
  GraphFit fit(model, data, gold, request, report);
  report.calibrator.temperature =
      best_temperature([&](double inverse) { return fit.loss(inverse); }, report.positions, "");
  const auto with = [&](double temperature, const Json& record) {
    Calibrator calibrator;
    calibrator.temperature = temperature;
    return with_calibration(model.container(), calibrator, record);
  };
  const auto evaluated = [&](double temperature) {
    const GraphModel probe(Container::from_bytes(with(temperature, Json::object()).bytes(), name));
    GraphLabelOptions options;
    options.keep_marginals = true;
    options.memory = request.memory;
    options.seed = request.seed;
    options.threads = request.threads;
    CliqueData copy = again;
    const GraphLabels labels = label_graph(probe, copy, options);
    return evaluate(data, gold, labels, fit, fit.loss(1 / temperature), report.positions);
  };
  report.before = evaluated(1);
  report.after = evaluated(report.calibrator.temperature);
  if (fit.estimated()) {
    report.warnings.emplace_back(
        "the log-loss of large instances is by belief propagation, an estimate; more --memory "
        "makes it exact where that is enough");
  }
  find_calibration_warnings(report);
  return {report, with(report.calibrator.temperature, calibration_json(report))};
}

}  // namespace croft
