#include "app/inspect/inspect_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/inspect/inspect_parts.h"
#include "app/label/sequence_source.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "train/kinds/chain_training.h"
#include "train/kinds/joint_training.h"

namespace croft {
namespace {

// What a feature is of, for programs and for people.
struct FeatureName {
  Json names;
  std::string text;
};

// A feature's numbers, which are sums over the data.
struct Comparison {
  double weight = 0, empirical = 0, expected = 0;
  double pull = 0;  // of the penalty: l2 w + l1 sign(w); 0 without a condition
  // |empirical - expected - pull|; where w = 0 and l1 > 0, what |empirical - expected| has above
  // l1. Without a condition |empirical - expected|.
  double violation = 0;
  double difference() const { return empirical - expected; }
};

// An objective that is as recorded up to so much, relatively, is that of the same data: the weights
// of the file are in single precision.
constexpr double kSameObjective = 1e-4;

Json training_record(const SequenceModel& model) {
  const Json& meta = model.meta();
  return meta.contains("training") && meta["training"].is_object() ? meta["training"]
                                                                   : Json::object();
}

template <class T>
T recorded(const Json& record, const char* name, const T& otherwise) {
  const Json* const at = record.get_if(name);
  if (at == nullptr) return otherwise;
  const bool fits = std::is_same_v<T, std::string> ? at->is_string()
                    : std::is_integral_v<T>        ? at->is_number_unsigned()
                                                   : at->is_number();
  return fits ? at->get<T>() : otherwise;
}

void check_model(const ChainModel& model) {
  if (model.vote() == nullptr && model.kernel() == nullptr) return;
  throw UsageError(model.container().name() +
                   ": a vote or a kernel is not one vector of weights, whose features could be "
                   "compared with data");
}

// How the features were chosen, so that those of the training data are found again.
TrainOptions training_options(const Json& record, std::size_t threads) {
  TrainOptions options;
  options.features = recorded<std::string>(record, "features", "observed") == "all"
                         ? FeatureSet::all
                         : FeatureSet::observed;
  options.min_count = std::max<std::size_t>(1, recorded<std::size_t>(record, "min_count", 1));
  options.regulariser = {.l1 = recorded(record, "l1", 0.0), .l2 = recorded(record, "l2", 0.0)};
  options.threads = threads;
  return options;
}

TrainOptions training_options(const ChainModel& model, const Json& record, std::size_t threads) {
  TrainOptions options = training_options(record, threads);
  options.kind = chain_kind(model.kind());
  options.objective = options.kind == ChainKind::memm ? Objective::local : Objective::likelihood;
  options.order = model.order();
  if (model.order() > 1) {
    options.histories = recorded<std::string>(record, "histories", "seen") == "allowed"
                            ? HistorySet::allowed
                            : HistorySet::seen;
  }
  if (recorded<std::string>(record, "class_weights", "") == "balanced") {
    options.label_weights.emplace();
  }
  options.precision = Precision::twice;
  return options;
}

// Why the weights need not meet (ME.2); empty where they should.
std::string why_no_condition(const Json& record) {
  if (record.empty()) return "the model has no training record: it was converted or imported";
  const std::string objective = recorded<std::string>(record, "objective", "");
  if (objective != "likelihood" && objective != "local") {
    return Message("the model was trained by --objective ", objective, ", not by the likelihood")
        .text();
  }
  if (record.contains("prior")) {
    return "the model was trained with --prior, whose mean the record does not hold";
  }
  if (record.contains("variances")) {
    return "the model was trained with --variances, which the record does not hold";
  }
  if (record.contains("shared_transitions") || record.contains("dropped_transitions")) {
    return "transitions share weights (--transition-groups), which groups the record does not hold";
  }
  if (record.contains("partial_positions")) {
    return "the model was trained with labels that were known in part";
  }
  if (recorded<std::string>(record, "class_weights", "") == "file") {
    return "the model was trained with --class-weights from a file, which the record does not hold";
  }
  if (!record.contains("l1") || !record.contains("l2")) return "the record names no penalty";
  return "";
}

// add(text, name of the file)
template <class Add>
void read_data(const ConstraintRequest& request, const SequenceModel& model, const Add& add) {
  std::set<std::string, std::less<>> labels;
  for (Label y = 0; y < model.labels(); ++y) labels.insert(model.label(y));
  for (const std::string& path : request.data) {
    SequenceSource source(path, model, Labels::required);
    for_each_sequence(source, [&](InputSequence& sequence) {
      const TextSequence& text = sequence.text;
      for (std::size_t t = 0; t < text.length(); ++t) {
        if (labels.contains(text.labels.item(t))) continue;
        throw InputError({source.name(), text.first_line},
                         "a label in the sequence from here on that the model does not have",
                         text.labels.item(t), "compare a model with data of its labels");
      }
      add(text, source.name());
    });
  }
}

std::size_t row_of(const RowLayout& rows, std::uint64_t k) {
  return static_cast<std::size_t>(std::ranges::upper_bound(rows.begin, k) - rows.begin.begin()) - 1;
}

// What the features of a chain are of: `kind` as write_weights() has it.
class FeatureNames {
 public:
  explicit FeatureNames(const FeatureExpectations& found) : found_(found) {}

  FeatureName operator()(std::uint64_t k) const {
    const ChainLayout& layout = *found_.layout;
    if (k < layout.node.begin.front()) return pair("transition", layout.tied, found_.names.tied, k);
    if (k < layout.edge.begin.front()) return node(k);
    if (k < layout.first_gram()) return pair("edge", layout.edge, found_.names.edge, k);
    std::vector<LabelOrEnd> labels;
    for (const Label y : layout.histories->grams[k - layout.first_gram()]) {
      labels.push_back(label(y));
    }
    return name("gram", "", labels);
  }

 private:
  LabelOrEnd label(std::size_t y) const {
    return {LabelOrEnd::Kind::label, std::string(found_.names.labels[y])};
  }
  FeatureName pair(const char* kind, const RowLayout& rows,
                   const std::vector<std::string_view>& names, std::uint64_t k) const {
    const std::size_t r = row_of(rows, k), labels = found_.layout->labels;
    const std::uint32_t cell = rows.cell_of(r, k - rows.begin[r]);
    return name(kind, names[r], {label(cell / labels), label(cell % labels)});
  }
  // Those of START and STOP are edges whose other end is known.
  FeatureName node(std::uint64_t k) const {
    const RowLayout& rows = found_.layout->node;
    const std::size_t r = row_of(rows, k);
    const LabelOrEnd own = label(rows.cell_of(r, k - rows.begin[r]));
    Boundary boundary;
    std::string_view attribute;
    if (!parse_boundary_name(found_.names.node[r], boundary, attribute)) {
      return name("node", found_.names.node[r], {own});
    }
    if (boundary == Boundary::start) {
      return name("node", attribute, {{LabelOrEnd::Kind::start, ""}, own});
    }
    return name("node", attribute, {own, {LabelOrEnd::Kind::stop, ""}});
  }
  // attribute : empty: a transition without a template, or a gram
  static FeatureName name(std::string_view kind, std::string_view attribute,
                          const std::vector<LabelOrEnd>& labels) {
    std::string text;
    Json list = Json::array();
    for (const LabelOrEnd& each : labels) {
      text += (text.empty() ? "" : " → ") + shown(each);
      if (each.kind == LabelOrEnd::Kind::label) {
        list.push_back(each.label);
      } else {
        list.push_back({{"boundary", each.kind == LabelOrEnd::Kind::start ? "start" : "stop"}});
      }
    }
    if (!attribute.empty()) text = (labels.size() == 1 ? " → " : ": ") + text;
    return {{{"kind", kind}, {"attribute", attribute}, {"labels", std::move(list)}},
            escaped(attribute) + text};
  }

  const FeatureExpectations& found_;
};

// The weights' places of the intercept, where it was not penalised.
Run free_weights(const FeatureExpectations& found, const Json& record) {
  if (recorded<std::string>(record, "intercept", "") != "unpenalised") return {0, 0};
  const auto name = std::ranges::find(found.names.node, kIntercept);
  if (name == found.names.node.end()) return {0, 0};
  const auto row = static_cast<std::size_t>(name - found.names.node.begin());
  const RowLayout& rows = found.layout->node;
  return {rows.begin[row], static_cast<std::uint32_t>(rows.length(row))};
}

// F with the recorded penalty.
double objective(const FeatureExpectations& found, const Regulariser& r) {
  double absolute = 0, squared = 0;
  for (std::size_t k = 0; k < found.weight.size(); ++k) {
    if (r.is_free(k)) continue;
    absolute += std::abs(found.weight[k]);
    squared += found.weight[k] * found.weight[k];
  }
  return found.loss + r.l1 * absolute + 0.5 * r.l2 * squared;
}

Comparison compared(const FeatureExpectations& found, const std::optional<Regulariser>& condition,
                    std::uint64_t k) {
  Comparison c{
      .weight = found.weight[k], .empirical = found.empirical[k], .expected = found.expected[k]};
  c.violation = std::abs(c.difference());
  if (!condition) return c;
  const double l1 = condition->is_free(k) ? 0 : condition->l1;
  if (c.weight == 0) {
    c.violation = std::max(0.0, c.violation - l1);
  } else {
    c.pull = condition->l2_of(k) * c.weight + std::copysign(l1, c.weight);
    c.violation = std::abs(c.difference() - c.pull);
  }
  return c;
}

std::string condition_text(const Regulariser& r) {
  if (r.l1 == 0 && r.l2 == 0) return "empirical = model";
  std::string pull;
  if (r.l2 > 0) pull = fmt::format("{:.6g} w", r.l2);
  if (r.l1 > 0) pull += fmt::format("{}{:.6g} sign(w)", pull.empty() ? "" : " + ", r.l1);
  std::string text = "empirical - model = " + pull;
  if (r.l1 > 0) text += fmt::format(", and at most {:.6g} where w = 0", r.l1);
  if (r.free.length > 0) text += "; of the intercept 0";
  return text;
}

struct Condition {
  std::optional<Regulariser> penalty;  // whose optimum the weights are said to be
  std::string why_none;
  // Whether there are as many sequences, positions and features as in the training record, and the
  // objective is the one in it: then features of weight 0 are compared, too.
  bool training_data = false;
};

template <class Training>
Condition condition_of(const FeatureExpectations& found, const Training& training,
                       const Json& record, const Regulariser& penalty) {
  Condition out{{}, why_no_condition(record)};
  const double value = recorded(record, "objective_value", 0.0);
  const double weight = recorded(record, "total_weight", training.total_weight());
  out.training_data = recorded<std::size_t>(record, "sequences", 0) == training.sequences() &&
                      recorded<std::size_t>(record, "positions", 0) == training.positions() &&
                      recorded<std::size_t>(record, "weights", 0) == found.weight.size() &&
                      (!out.why_none.empty() || std::abs(objective(found, penalty) - value) <=
                                                    kSameObjective * std::max(1.0, value));
  if (!out.training_data && out.why_none.empty()) {
    out.why_none = std::abs(weight - training.total_weight()) > kSameObjective * weight
                       ? "the weights of the training's sequences (--weights), which the "
                         "record does not hold, are not those of this data"
                       : "this is not the data that the model was trained on, or its "
                         "sequences had other weights there";
  }
  if (out.why_none.empty()) out.penalty = penalty;
  return out;
}

void add_condition(const Condition& condition, double largest, View& view) {
  view.json["training_data"] = condition.training_data;
  view.json["condition"] = nullptr;
  if (condition.penalty) {
    view.line("condition", condition_text(*condition.penalty));
    view.json["condition"] = {{"l1", condition.penalty->l1}, {"l2", condition.penalty->l2}};
  } else {
    view.line("condition", "none: " + condition.why_none);
    view.json["no_condition"] = condition.why_none;
  }
  const std::string what = condition.penalty ? "violation" : "difference";
  view.line("largest", fmt::format("{} {:.6g}", what, largest));
  view.json["largest_" + what] = largest;
}

void add_feature(const Comparison& c, const FeatureName& name, bool condition, View& view) {
  Json& entry = view.json["rows"].emplace_back(name.names);
  entry["weight"] = c.weight;
  entry["empirical"] = c.empirical;
  entry["expected"] = c.expected;
  entry["difference"] = c.difference();
  view.text +=
      fmt::format("{:>12.6g} {:>12.6g} {:>+12.5g}", c.empirical, c.expected, c.difference());
  if (condition) {
    entry["penalty"] = c.pull + 0.0;  // 0 rather than -0
    entry["violation"] = c.violation;
    view.text += fmt::format(" {:>+12.5g} {:>12.4g}", c.pull + 0.0, c.violation);
  }
  view.text += "  " + name.text + "\n";
}

// The features with the `most` largest violations; name_of(feature) says what one is of.
template <class Training, class NameOf>
View report_of(const FeatureExpectations& found, const Training& training, const Json& record,
               const Regulariser& penalty, std::size_t most, const NameOf& name_of) {
  const Condition condition = condition_of(found, training, record, penalty);
  std::vector<double> violation(found.weight.size());
  std::vector<std::uint64_t> order;
  for (std::uint64_t k = 0; k < found.weight.size(); ++k) {
    if (!condition.training_data && !found.in_model[k]) continue;
    order.push_back(k);
    violation[k] = compared(found, condition.penalty, k).violation;
  }
  View view;
  view.json["sequences"] = training.sequences();
  view.json["positions"] = training.positions();
  view.line("data", fmt::format("{}, {}{}", counted(training.sequences(), "sequence"),
                                counted(training.positions(), "position"),
                                condition.training_data ? ": those of the training" : ""));
  view.fact("features", order.size());
  view.json["log_loss"] = found.loss;
  view.line("-log p(y|x)", fmt::format("{:.8g}", found.loss));
  add_condition(condition, violation.empty() ? 0 : std::ranges::max(violation), view);
  view.text += fmt::format("\n{:>12} {:>12} {:>12}", "empirical", "model", "difference");
  if (condition.penalty) view.text += fmt::format(" {:>12} {:>12}", "penalty", "violation");
  view.text += "  feature\n";
  view.json["rows"] = Json::array();
  const std::size_t top = std::min(most, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(top),
                            [&](std::uint64_t a, std::uint64_t b) {
                              return violation[a] != violation[b] ? violation[a] > violation[b]
                                                                  : a < b;
                            });
  for (const std::uint64_t k : std::span(order).first(top)) {
    add_feature(compared(found, condition.penalty, k), name_of(k), condition.penalty.has_value(),
                view);
  }
  return view;
}

}  // namespace

View inspect_constraints(std::shared_ptr<const ChainModel> model,
                         const ConstraintRequest& request) {
  check_model(*model);
  const Json record = training_record(*model);
  const TrainOptions options = training_options(*model, record, request.threads);
  ChainTraining training(model->extractor(), model, options.kind);
  read_data(request, *model,
            [&](const TextSequence& text, const std::string& name) { training.add(text, name); });
  const FeatureExpectations found = training.expectations(options);
  Regulariser penalty = options.regulariser;
  penalty.free = free_weights(found, record);
  return report_of(found, training, record, penalty, request.top, FeatureNames(found));
}

View inspect_constraints(const JointModel& model, const ConstraintRequest& request) {
  const Json record = training_record(model);
  const TrainOptions options = training_options(record, request.threads);
  JointTraining training(model);
  read_data(request, model,
            [&](const TextSequence& text, const std::string&) { training.add(text); });
  const FeatureExpectations found = training.expectations(options);
  const auto name_of = [&](std::uint64_t k) -> FeatureName {
    const RowLayout& rows = found.layout->node;
    const std::size_t r = row_of(rows, k);
    const std::uint32_t cell = rows.cell_of(r, k - rows.begin[r]);
    const std::string attribute = JointTemplates::plain_string(found.names.node[r]);
    const std::string_view part = model.templates().part_text(model.parts().part_of(cell));
    const std::string& group = model.group_name(cell);
    return {
        {{"kind", "joint"}, {"attribute", attribute}, {"part", part}, {"group", group}},
        escaped(attribute) + " * " + escaped(part) + (group.empty() ? "" : ": " + escaped(group))};
  };
  return report_of(found, training, record, options.regulariser, request.top, name_of);
}

}  // namespace croft
