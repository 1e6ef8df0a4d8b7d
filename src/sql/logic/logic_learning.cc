#include "sql/logic/logic_learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/infer/infer_methods.h"
#include "croft/core/error.h"
#include "croft/core/parallel.h"
#include "croft/core/random.h"
#include "croft/optimize/lbfgs.h"
#include "logic/hard_conflict.h"
#include "optimize/dual/dual_methods.h"
#include "sql/logic/grounder.h"
#include "sql/logic/learn/clause_objectives.h"
#include "sql/logic/learn/hidden_learning.h"
#include "sql/logic/learn/sampled_learning.h"
#include "sql/logic/rule_plan.h"

namespace croft {
namespace {

constexpr double kFar = 5;      // a weight is tried so far beyond its optimum
constexpr double kFlat = 1e-3;  // a gradient where rounding may end a descent
constexpr double kLarge = 4;    // weights below it are not tried
constexpr std::size_t kMostTried = 64;

struct ObjectiveRow {
  LogicObjective objective;
  std::string_view name, summary;
  std::vector<std::string_view> settings;
};

const std::vector<ObjectiveRow>& objective_rows() {
  using enum LogicObjective;
  static const std::vector<ObjectiveRow> kRows = {
      {pseudo_likelihood,
       "pseudo-likelihood",
       "each atom given all others; L-BFGS, always exact",
       {}},
      {likelihood,
       "likelihood",
       "by the exact gradient of a junction tree, where it fits; with --hidden by EM",
       {}},
      {contrastive_divergence,
       "contrastive-divergence",
       "a few steps of MC-SAT from the data",
       {"steps", "chains", "samples", "rate"}},
      {diagonal_newton,
       "diagonal-newton",
       "means and variances of MC-SAT's draws",
       {"chains", "samples", "most-samples"}},
      {scaled_conjugate_gradient,
       "scaled-conjugate-gradient",
       "the same, with directions that do not undo each other",
       {"chains", "samples", "most-samples"}},
      {perceptron,
       "perceptron",
       "the best world in place of the mean; the mean of the weights on the way",
       {"rate"}},
      {max_margin,
       "max-margin",
       "the world ahead of every other by as many points as they differ in atoms; cutting planes, "
       "with --l2",
       {}},
  };
  return kRows;
}

const ObjectiveRow& objective_row(LogicObjective objective) {
  return *std::ranges::find(objective_rows(), objective, &ObjectiveRow::objective);
}

// The rules with weights that grounding takes for all of them.
LogicNetwork with_unit_weights(LogicNetwork network) {
  for (LogicRule& rule : network.rules) {
    if (!rule.hard) rule.weight = 1;
  }
  return network;
}

LogicEvidence without_facts(LogicEvidence facts, const std::vector<bool>& open) {
  for (std::size_t p = 0; p < open.size(); ++p) {
    if (open[p]) facts.predicates[p] = LogicFacts();
  }
  return facts;
}

std::vector<std::uint8_t> world_of(const ClauseStore& store, const AtomSpace& known) {
  std::vector<std::uint8_t> world(store.atoms());
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    const std::uint64_t key = store.key(a);
    if (key == KeyMap::kFree) {
      throw Error(
          "the clausal form of a rule is too long to learn its weight: write it as several");
    }
    const Truth truth = known.truth(known.predicate_of(key), key);
    world[a] = truth == Truth::unknown ? kUndecided : truth == Truth::yes ? 1 : 0;
  }
  return world;
}

// A rule of its own for each choice of constants of its variables with +.
LogicNetwork with_weights(const LogicNetwork& network, const AtomSpace& space,
                          const LogicUnits& units, const std::vector<double>& weights) {
  LogicNetwork out = network;
  out.rules.clear();
  for (std::size_t r = 0; r < network.rules.size(); ++r) {
    const LogicRule& rule = network.rules[r];
    for (std::uint32_t unit = units.first[r]; unit < units.first[r + 1]; ++unit) {
      std::vector<std::uint32_t> constants(rule.variables.size(), 0);
      std::uint32_t rest = unit - units.first[r];
      for (std::size_t v = rule.variables.size(); v-- > 0;) {
        if (!rule.variables[v].each) continue;
        const auto size = static_cast<std::uint32_t>(space.constants(rule.variables[v].type));
        constants[v] = rest % size;
        rest /= size;
      }
      if (leaves_out(rule, [&](std::uint32_t v) { return constants[v]; })) continue;
      LogicRule own = specialised(space, rule, constants);
      if (!rule.hard) {
        own.weight = weights[unit];
        own.weighted = true;
      }
      out.rules.push_back(std::move(own));
    }
  }
  out.constants = space.evidence().constants;
  return out;
}

class WeightLearner {
 public:
  WeightLearner(const LogicNetwork& network, std::span<const LogicEvidence> facts,
                const std::vector<bool>& open, const LogicLearnOptions& options,
                const IterationCallback& callback)
      : network_(network),
        all_(with_unit_weights(network)),
        open_(open),
        options_(options),
        callback_(callback) {
    if (facts.empty()) throw UsageError("there is no world to learn from");
    for (const LogicEvidence& each : facts) check_known_facts(each);
    check_settings();
    if (options.hidden.size() == open_.size()) {
      for (std::size_t p = 0; p < open_.size(); ++p) open_[p] = open_[p] || options.hidden[p];
    }
    evidence_.reserve(facts.size());
    spaces_.reserve(facts.size());
    for (const LogicEvidence& each : facts) add_world(each);
    has_hidden_ = std::ranges::any_of(worlds_, &LearningWorld::has_hidden);
    start();
  }

  LearnedNetwork learn() {
    using enum LogicObjective;
    const Regulariser regulariser{.l2 = options_.l2};
    regulariser.validate();
    check_hidden();
    switch (options_.objective) {
      case pseudo_likelihood:
      case likelihood:
        has_hidden_ ? by_em() : by_lbfgs(regulariser);
        break;
      case max_margin:
        by_cutting_planes();
        break;
      case perceptron:
        by_samples(SampledMethod::perceptron, 100);
        break;
      case contrastive_divergence:
        by_samples(SampledMethod::contrastive_divergence, 500);
        break;
      case diagonal_newton:
        by_samples(SampledMethod::diagonal_newton, 100);
        break;
      case scaled_conjugate_gradient:
        by_samples(SampledMethod::scaled_gradient, 100);
        break;
    }
    return finished();
  }

 private:
  void check_settings() const {
    const ObjectiveRow& row = objective_row(options_.objective);
    for (const auto& [name, value] : options_.settings) {
      if (std::ranges::find(row.settings, name) != row.settings.end()) continue;
      std::string list;
      for (const std::string_view each : row.settings) {
        list += fmt::format("{}{}", list.empty() ? "" : ", ", each);
      }
      throw UsageError("--learn ", row.name, " has no setting ", in_quotes(name), "; it has ",
                       list.empty() ? "none" : list);
    }
  }

  void check_hidden() const {
    using enum LogicObjective;
    if (!has_hidden_) return;
    for (const LogicObjective each : {pseudo_likelihood, perceptron, max_margin}) {
      if (options_.objective != each) continue;
      throw UsageError("--learn ", name_of(each),
                       " takes worlds without hidden atoms; --hidden is for likelihood, "
                       "contrastive-divergence, diagonal-newton and scaled-conjugate-gradient");
    }
  }

  void add_world(const LogicEvidence& facts) {
    const LogicEvidence& evidence = evidence_.emplace_back(without_facts(facts, open_));
    const AtomSpace& space = spaces_.emplace_back(all_, evidence, open_);
    const std::vector<bool> hidden =
        options_.hidden.empty() ? std::vector<bool>(open_.size(), false) : options_.hidden;
    const AtomSpace known(all_, facts, hidden);
    const LogicUnits units = logic_units(space);
    if (worlds_.empty()) {
      units_ = units;
    } else if (units.first != units_.first) {
      throw UsageError("the worlds have different constants of the types of variables with +");
    }
    ClauseStore store = ground(space, {.reading = options_.reading, .memory = options_.memory});
    std::vector<std::uint8_t> world = world_of(store, known);
    out_.ground_atoms += store.atoms();
    out_.clauses += store.clauses();
    worlds_.push_back({std::move(store), std::move(world)});
  }

  // The weights of the prior, and where learning begins.
  void start() {
    written_.assign(units_.size(), 0);
    fixed_.assign(units_.size(), 0);
    for (std::size_t r = 0; r < network_.rules.size(); ++r) {
      const LogicRule& rule = network_.rules[r];
      if (rule.hard) continue;
      const auto count = units_.first[r + 1] - units_.first[r];
      std::fill_n(written_.begin() + units_.first[r], count, rule.weight);
      std::fill_n(fixed_.begin() + units_.first[r], count, rule.fixed ? 1 : 0);
    }
    mean_.assign(units_.size(), 0);
    for (std::size_t u = 0; u < mean_.size(); ++u) {
      if (options_.prior_as_written || fixed_[u] != 0) mean_[u] = written_[u];
    }
    weights_ = mean_;
  }

  // From equal weights nothing tells hidden atoms apart.
  void shake() {
    Random random(options_.seed);
    for (std::size_t u = 0; u < weights_.size(); ++u) {
      const double by = 0.1 * random.normal();
      if (fixed_[u] == 0) weights_[u] += by;
    }
  }

  std::unique_ptr<BatchFunction> pseudo_likelihood() const {
    std::vector<std::unique_ptr<BatchFunction>> parts;
    for (const LearningWorld& each : worlds_) {
      parts.push_back(clause_pseudo_likelihood(each.store, each.world, units_.size()));
    }
    return std::make_unique<SumOfFunctions>(std::move(parts));
  }

  std::unique_ptr<BatchFunction> likelihood() {
    std::vector<std::unique_ptr<BatchFunction>> parts;
    for (LearningWorld& each : worlds_) {
      check_world(each.store, each.world);
      parts.push_back(std::make_unique<ClauseLikelihood>(
          each.store, false_counts(each.store, each.world, units_.size()), options_.memory));
    }
    return std::make_unique<SumOfFunctions>(std::move(parts));
  }

  void by_lbfgs(const Regulariser& regulariser) {
    const std::unique_ptr<BatchFunction> function =
        options_.objective == LogicObjective::likelihood ? likelihood() : pseudo_likelihood();
    ShiftedFunction shifted(*function, mean_, fixed_);
    LbfgsOptions how;
    how.stop.max_iterations = options_.max_iterations.value_or(1000);
    how.stop.tolerance = 1e-12;
    how.stop.gradient_tolerance = 1e-6;
    ThreadPool pool(1);
    std::vector<double> v(units_.size(), 0);
    out_.result = lbfgs(shifted, regulariser, v, how, pool, callback_);
    if (out_.result.reason == StopReason::no_progress && out_.result.gradient_norm <= kFlat) {
      out_.result.reason = StopReason::converged_gradient;
      out_.result.message =
          fmt::format("the objective is as low as rounding allows, with a gradient of norm {:.3g}",
                      out_.result.gradient_norm);
    }
    for (std::size_t u = 0; u < v.size(); ++u) weights_[u] = mean_[u] + v[u];
    std::vector<double> gradient(units_.size());
    out_.log_likelihood = -function->evaluate(weights_, gradient);
    if (options_.l2 == 0) warn_of_runaways(*function);
  }

  // Where a weight is large and the objective is as low, or lower, far beyond it, there is no
  // optimum: the data never breaks the rule, or never keeps it, where it matters.
  void warn_of_runaways(BatchFunction& function) {
    std::vector<double> gradient(units_.size());
    const double value = function.evaluate(weights_, gradient);
    std::size_t tried = 0;
    for (std::uint32_t u = 0; u < weights_.size() && tried < kMostTried; ++u) {
      if (std::abs(weights_[u]) < kLarge || fixed_[u] != 0) continue;
      ++tried;
      std::vector<double> far = weights_;
      far[u] += far[u] > 0 ? kFar : -kFar;
      if (function.evaluate(far, gradient) > value + 1e-9 * std::max(1., std::abs(value))) continue;
      return warn_of(u);
    }
  }
  void warn_of_large_weights() {
    constexpr double kRunaway = 15;
    for (std::uint32_t u = 0; options_.l2 == 0 && u < weights_.size(); ++u) {
      if (std::abs(weights_[u]) > kRunaway && fixed_[u] == 0) return warn_of(u);
    }
  }
  void warn_of(std::uint32_t unit) {
    const auto after = std::upper_bound(units_.first.begin(), units_.first.end(), unit);
    const LogicRule& rule =
        network_.rules[static_cast<std::size_t>(after - units_.first.begin() - 1)];
    out_.warnings.push_back(Message(
        place_of(rule.where), ": the weight of this rule grows without end, as the data ",
        std::string_view(weights_[unit] > 0 ? "never breaks" : "never keeps"),
        " it where that matters; its value here is where the search ended; give --l2, such as "
        "--l2 0.1: ",
        rule.text));
  }

  void by_em() {
    bool all_zero = true;
    for (std::size_t u = 0; u < written_.size(); ++u) {
      all_zero = all_zero && (written_[u] == 0 || fixed_[u] != 0);
    }
    if (all_zero) {
      shake();
    } else {
      weights_ = written_;
    }
    const HiddenLearned found =
        learn_by_em(worlds_, weights_,
                    {.l2 = options_.l2,
                     .prior_mean = mean_,
                     .fixed = fixed_,
                     .max_iterations = options_.max_iterations.value_or(200),
                     .memory = options_.memory},
                    callback_);
    out_.result = found.result;
    out_.log_likelihood = found.log_likelihood;
    warn_of_large_weights();
  }

  void by_cutting_planes() {
    if (options_.l2 == 0) {
      throw UsageError("--learn max-margin needs --l2 above 0, such as --l2 1");
    }
    std::vector<std::unique_ptr<BatchFunction>> parts;
    bool exact = true;
    for (const LearningWorld& each : worlds_) {
      auto part = std::make_unique<ClauseHinge>(each.store, each.world, units_.size(),
                                                options_.memory, options_.seed);
      exact = exact && part->is_exact();
      parts.push_back(std::move(part));
    }
    SumOfFunctions function(std::move(parts));
    ShiftedFunction shifted(function, mean_, fixed_);
    CuttingPlaneOptions how{.l2 = options_.l2};
    how.stop.max_iterations = options_.max_iterations.value_or(1000);
    how.stop.tolerance = 0;
    how.stop.gradient_tolerance = 0;
    how.stop.gap_tolerance = 1e-6;
    std::vector<double> v(units_.size(), 0);
    out_.result = cutting_planes(shifted, v, how, callback_);
    for (std::size_t u = 0; u < v.size(); ++u) weights_[u] = mean_[u] + v[u];
    if (!exact) {
      out_.warnings.emplace_back(
          "the best worlds are those that max-walk-sat finds, as no junction tree fits; the gap is "
          "only what it has found of the true one");
    }
  }

  void by_samples(SampledMethod method, std::size_t iterations) {
    SampledOptions how;
    how.method = method;
    how.l2 = options_.l2;
    how.prior_mean = mean_;
    how.fixed = fixed_;
    how.max_iterations = options_.max_iterations.value_or(iterations);
    how.memory = options_.memory;
    how.seed = options_.seed;
    how.threads = options_.threads;
    InferRequest request;
    request.settings = options_.settings;
    Settings(request)
        .read("chains", how.chains)
        .read("samples", how.samples)
        .read("most-samples", how.most_samples)
        .read("steps", how.steps)
        .read("rate", how.rate);
    how.most_samples = std::max(how.most_samples, how.samples);
    if (has_hidden_) {
      weights_ = written_;
      shake();
    }
    out_.result = learn_by_samples(worlds_, weights_, how, callback_);
    warn_of_large_weights();
  }

  LearnedNetwork finished() {
    if (!has_hidden_) {
      std::vector<double> gradient(units_.size());
      out_.log_pseudo_likelihood = -pseudo_likelihood()->evaluate(weights_, gradient);
    }
    out_.network = with_weights(network_, spaces_.front(), units_, weights_);
    for (const LogicRule& rule : out_.network.rules) {
      if (!rule.hard) out_.weights.push_back(rule.weight);
    }
    return std::move(out_);
  }

  const LogicNetwork& network_;
  const LogicNetwork all_;
  std::vector<bool> open_;
  const LogicLearnOptions& options_;
  const IterationCallback& callback_;
  std::vector<LogicEvidence> evidence_;  // [worlds]
  std::vector<AtomSpace> spaces_;        // [worlds]
  std::vector<LearningWorld> worlds_;
  LogicUnits units_;
  std::vector<double> written_, mean_, weights_;  // [units]
  std::vector<std::uint8_t> fixed_;               // [units]
  bool has_hidden_ = false;
  LearnedNetwork out_;
};

}  // namespace

std::string_view name_of(LogicObjective objective) { return objective_row(objective).name; }

std::vector<std::string_view> logic_objective_names() {
  std::vector<std::string_view> names;
  for (const ObjectiveRow& each : objective_rows()) names.push_back(each.name);
  return names;
}

LogicObjective logic_objective(std::string_view name) {
  std::string list;
  for (const ObjectiveRow& each : objective_rows()) {
    if (each.name == name) return each.objective;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", each.name);
  }
  throw UsageError("the objective is ", in_quotes(name), "; it is one of ", list);
}

std::string describe_logic_objectives() {
  std::string out;
  for (const ObjectiveRow& each : objective_rows()) {
    std::string settings;
    for (const std::string_view name : each.settings) {
      settings += fmt::format("{}{}=N", settings.empty() ? "; " : ", ", name);
    }
    out += fmt::format("  {}: {}{}\n", each.name, each.summary, settings);
  }
  return out;
}

LearnedNetwork learn_weights(const LogicNetwork& network, std::span<const LogicEvidence> worlds,
                             const std::vector<bool>& open, const LogicLearnOptions& options,
                             const IterationCallback& callback) {
  return WeightLearner(network, worlds, open, options, callback).learn();
}

void share_constants(LogicNetwork& network, std::span<const LogicEvidence> worlds) {
  for (const LogicRule& rule : network.rules) {
    for (const RuleVariable& variable : rule.variables) {
      if (!variable.each) continue;
      for (const LogicEvidence& world : worlds) {
        const NameTable& names = world.types[variable.type];
        for (std::uint32_t c = 0; c < names.size(); ++c)
          network.types[variable.type].insert(names[c]);
      }
    }
  }
}

}  // namespace croft
