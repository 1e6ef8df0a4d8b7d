// Which method and precision a chain's training takes where nobody named them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/vector_math.h"
#include "train/kinds/chain_training.h"
#include "train/methods/limits.h"

namespace croft {
namespace {

MethodLimits limits_of(const TrainOptions& options) {
  return method_limits(options.ranks->alone() && options.helpers->alone());
}

bool asks_for_passes(const TrainOptions& options) {
  const MethodSettings& s = options.settings;
  return s.passes || s.step || s.batch;
}

// |x|^2 / l2, on average over the positions.
double curvature(const TrainOptions& options, const AttributeLists& nodes, std::size_t positions) {
  const double squares =
      nodes.value.empty() ? static_cast<double>(nodes.id.size()) : dot(nodes.value, nodes.value);
  return squares / options.regulariser.l2 /
         static_cast<double>(std::max<std::size_t>(positions, 1));
}

}  // namespace

std::string against_dual(const TrainOptions& options, const AttributeLists& nodes,
                         std::size_t positions) {
  const MethodSettings& s = options.settings;
  if (options.precision != Precision::automatic) return "dual-ascent has a precision of its own";
  if (options.objective != Objective::likelihood) return "dual-ascent is for the likelihood";
  if (options.variances) return "dual-ascent has one penalty for all weights";
  if (options.free_intercept) return "dual-ascent penalises every weight";
  if (options.own_stop) return "dual-ascent ends by its own rule";
  if (s.history || s.step || s.batch || s.passes) {
    return "dual-ascent has no history, steps, batches or passes";
  }
  const double curved = curvature(options, nodes, positions);
  if (!(curved <= limits_of(options).dual_curvature)) {
    return fmt::format("steps of dual-ascent would be short: |x|^2 / l2 is {:.3g} on average",
                       curved);
  }
  return "";
}

std::string common_reason(const TrainOptions& options, Method chosen, std::size_t positions) {
  if (options.regulariser.l1 > 0) return "an L1 penalty needs a method that takes weights to zero";
  if (options.objective != Objective::likelihood) {
    return fmt::format("it is the one for the objective {}", info(options.objective).name);
  }
  if (chosen == Method::lbfgs && positions < kFewPositions) {
    return fmt::format("the data is small: {} positions", positions);
  }
  return "";
}

std::string dual_variables_reason(double bytes, double limit) {
  return fmt::format("its dual variables {} {}", bytes <= limit ? "take" : "would take",
                     bytes_of(bytes, limit));
}

Method ChainTraining::method(const TrainOptions& options) const { return choose(options).method; }

ChosenMethod ChainTraining::choose(const TrainOptions& options) const {
  const Method chosen = options.chosen_method(init_ != nullptr, positions());
  if (options.method || options.rounds.any() || options.unlabelled.any()) return {chosen, ""};
  if (newton_pays(options)) {
    return {Method::truncated_newton, fmt::format("weights of attributes are few: {}",
                                                  encoder_.node_names.size() * labels())};
  }
  if (span_pays(options)) {
    return {Method::span_lbfgs, fmt::format("there are fewer positions, {}, than attributes, {}",
                                            positions(), encoder_.node_names.size())};
  }
  if (scaling_pays(options, chosen)) {
    return {Method::sgd_lbfgs, "values of attributes are of sizes far apart"};
  }
  if (chosen == Method::sgd_lbfgs) {
    const DualCheck dual = dual_check(options);
    const std::size_t attributes = encoder_.node_names.size();
    if (dual.pays && attributes < limits_of(options).dual_attributes) {
      return {Method::lbfgs, fmt::format("there are few attributes: {}", attributes)};
    }
    if (!dual.pays && kind_ == ChainKind::chain && options.order == 1 &&
        options.objective == Objective::likelihood && !asks_for_passes(options) &&
        curvature(options, encoder_.data.node, positions()) < limits_of(options).strong_penalty) {
      return {Method::lbfgs, "the penalty is strong"};
    }
    return {dual.pays ? Method::dual_ascent : chosen, dual.why};
  }
  return {chosen, common_reason(options, chosen, positions())};
}

std::optional<ChainTraining::UnevenValues> ChainTraining::uneven_values() const {
  const AttributeLists& nodes = encoder_.data.node;
  if (nodes.value.empty()) return std::nullopt;
  std::vector<double> squares(encoder_.node_names.size()), count(squares.size());
  for (std::size_t k = 0; k < nodes.id.size(); ++k) {
    squares[nodes.id[k]] += nodes.value[k] * nodes.value[k];
    ++count[nodes.id[k]];
  }
  std::size_t most = squares.size(), least = most;
  for (std::size_t a = 0; a < squares.size(); ++a) {
    if (squares[a] == 0) continue;
    squares[a] = std::sqrt(squares[a] / count[a]);
    if (most == squares.size() || squares[a] > squares[most]) most = a;
    if (least == squares.size() || squares[a] < squares[least]) least = a;
  }
  if (most == squares.size() || squares[most] <= kUneven * squares[least]) return std::nullopt;
  const auto name = [&](std::size_t a) {
    return std::string(encoder_.node_names[static_cast<std::uint32_t>(a)]);
  };
  return UnevenValues{name(most), name(least), squares[most], squares[least]};
}

// True if there are so few weights that second derivatives cost nothing to speak of: columns of a
// table, whose units may be far apart, and then L-BFGS creeps long before it is near.
bool ChainTraining::newton_pays(const TrainOptions& options) const {
  const MethodSettings& s = options.settings;
  const MethodLimits limits = limits_of(options);
  const std::size_t weights = encoder_.node_names.size() * labels();
  const bool chain = kind_ == ChainKind::chain && options.order == 1 && !options.constraint &&
                     !encoder_.data.has_edges();
  const bool few = chain && labels() <= limits.newton_labels;
  if (weights > (few ? limits.newton_weights_of_few_labels : limits.newton_weights)) return false;
  return (kind_ == ChainKind::maxent || (chain && uneven_values())) &&
         options.objective == Objective::likelihood && !options.method && !s.history && !s.step &&
         !s.batch && !s.passes && !s.gap && options.regulariser.l1 == 0 &&
         options.regulariser.l2 > 0 && partial_positions() == 0;
}

// True if L-BFGS would creep, and there are too many weights for second derivatives: the passes of
// SGD before it end in a change of variables by the curvature.
bool ChainTraining::scaling_pays(const TrainOptions& options, Method chosen) const {
  const MethodSettings& s = options.settings;
  return chosen == Method::lbfgs && kind_ == ChainKind::chain && !options.method && !init_ &&
         !s.history && options.objective == Objective::likelihood && options.regulariser.l2 > 0 &&
         !options.free_intercept && uneven_values();
}

// True if there are fewer scores than weights, so that vectors of scores are shorter, and nothing
// is asked for that goes beyond (B.32).
bool ChainTraining::span_pays(const TrainOptions& options) const {
  const MethodSettings& s = options.settings;
  const std::size_t attributes = encoder_.node_names.size();
  const auto bytes = static_cast<double>(attributes * padded(labels()) * sizeof(float));
  return kind_ == ChainKind::maxent && options.objective == Objective::likelihood &&
         !options.method && !init_ && !options.variances && !options.constraint && !s.step &&
         !s.batch && !s.passes && options.regulariser.l1 == 0 && options.regulariser.l2 > 0 &&
         partial_positions() == 0 && 3 * positions() <= attributes &&
         bytes <= limits_of(options).span_weights;
}

// Says whether dual ascent is sooner within 1e-4 of the optimum than L-BFGS: where its variables
// fit, and nothing is asked for that it does not have.  Measured: docs/performance.md.
ChainTraining::DualCheck ChainTraining::dual_check(const TrainOptions& options) const {
  const MethodLimits limits = limits_of(options);
  if (std::string why = against_dual(options, encoder_.data.node, positions()); !why.empty()) {
    return {false, std::move(why)};
  }
  const bool alone = kind_ == ChainKind::maxent || sequences() == positions();
  const std::size_t most = alone ? limits.dual_labels_alone : limits.dual_labels;
  if (labels() > most) {
    return {false, fmt::format("{} labels are more than the {} up to which dual-ascent is faster",
                               labels(), most)};
  }
  if (init_) return {false, "dual-ascent does not start from a model"};
  if (encoder_.data.has_edges()) return {false, "dual-ascent has no attributes of label pairs"};
  if (partial_positions() > 0) return {false, "dual-ascent has no partly labelled sequences"};
  const bool longer = options.order > 1;
  if (longer && (options.histories.value_or(HistorySet::seen) == HistorySet::allowed ||
                 options.constraint || !options.ranks->alone())) {
    return {false,
            "dual-ascent of order 2 or more is for histories that were seen, without a "
            "constraint and in one process"};
  }
  std::size_t tied = tied_names_.empty() ? 0 : labels() * labels();
  if (longer) {
    const auto histories = layout_.histories ? layout_.histories : histories_of(options);
    std::size_t longest = 0;
    const std::vector<std::uint64_t>& begin = encoder_.data.sequence_begin;
    for (std::size_t n = 0; n < sequences(); ++n) {
      longest = std::max<std::size_t>(longest, begin[n + 1] - begin[n]);
    }
    const auto tables = static_cast<double>(5 * longest * histories->size() * sizeof(float));
    if (tables > limits.scratch) {
      return {false,
              "a thread's tables of dual-ascent would take " + bytes_of(tables, limits.scratch)};
    }
    tied += histories->grams.size();
  }
  const std::size_t numbers = 2 * (positions() * padded(labels()) + sequences() * tied);
  const auto bytes =
      static_cast<double>(numbers * (options.constraint ? sizeof(double) : sizeof(float)));
  return {bytes <= limits.dual_variables, dual_variables_reason(bytes, limits.dual_variables)};
}

Precision ChainTraining::precision(const TrainOptions& options) const {
  const Method chosen = method(options);
  if (chosen == Method::span_lbfgs && options.precision == Precision::automatic) {
    return encoder_.data.node.id.size() < limits_of(options).span_occurrences ? Precision::twice
                                                                              : Precision::single;
  }
  return has_precision(chosen) ? options.chosen_precision(positions()) : Precision::twice;
}

}  // namespace croft
