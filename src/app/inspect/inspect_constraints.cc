#include "app/inspect/inspect_constraints.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "app/label/sequence_source.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "train/kinds/chain_training.h"
#include "train/kinds/joint_training.h"

namespace croft {
namespace {

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
  const bool fits = std::is_same_v<T, std::string> ? at->is_string() : at->is_number();
  return fits ? at->get<T>() : otherwise;
}

void check_model(const ChainModel& model) {
  if (model.vote() == nullptr && model.kernel() == nullptr) return;
  throw UsageError(model.container().name() +
                   ": a vote or a kernel is not one vector of weights, whose features could be "
                   "compared with data");
}

// How the features were chosen, so that those of the training data are found again.
TrainOptions training_options(const ChainModel& model, const Json& record, std::size_t threads) {
  TrainOptions options;
  options.kind = chain_kind(model.kind());
  options.objective = options.kind == ChainKind::memm ? Objective::local : Objective::likelihood;
  options.features = recorded<std::string>(record, "features", "observed") == "all"
                         ? FeatureSet::all
                         : FeatureSet::observed;
  options.min_count = std::max<std::size_t>(1, recorded<std::size_t>(record, "min_count", 1));
  options.order = model.order();
  if (model.order() > 1) {
    options.histories = recorded<std::string>(record, "histories", "seen") == "allowed"
                            ? HistorySet::allowed
                            : HistorySet::seen;
  }
  options.regulariser = {.l1 = recorded(record, "l1", 0.0), .l2 = recorded(record, "l2", 0.0)};
  if (recorded<std::string>(record, "class_weights", "") == "balanced") {
    options.label_weights.emplace();
  }
  options.precision = Precision::twice;
  options.threads = threads;
  return options;
}

// The same of joint features.
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
    SequenceSource source(path, model.extractor(), Labels::required, spans_for(model));
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

// What a feature is of.
class FeatureNames {
 public:
  explicit FeatureNames(const FeatureExpectations& found) : found_(found) {}

  void describe(std::uint64_t k, ConstraintRow& row) const {
    const ChainLayout& layout = *found_.layout;
    if (k < layout.node.begin.front()) {
      row.kind = "transition";
      pair(layout.tied, found_.names.tied, k, row);
    } else if (k < layout.edge.begin.front()) {
      row.kind = "node";
      node(k, row);
    } else if (k < layout.first_gram()) {
      row.kind = "edge";
      pair(layout.edge, found_.names.edge, k, row);
    } else {
      row.kind = "gram";
      for (const Label y : layout.histories->grams[k - layout.first_gram()]) {
        row.labels.push_back(label(y));
      }
    }
  }

  static std::size_t row_of(const RowLayout& rows, std::uint64_t k) {
    return static_cast<std::size_t>(std::ranges::upper_bound(rows.begin, k) - rows.begin.begin()) -
           1;
  }

 private:
  LabelOrEnd label(std::size_t y) const {
    return {LabelOrEnd::Kind::label, std::string(found_.names.labels[y])};
  }
  void pair(const RowLayout& rows, const std::vector<std::string_view>& names, std::uint64_t k,
            ConstraintRow& row) const {
    const std::size_t r = row_of(rows, k), labels = found_.layout->labels;
    const std::uint32_t cell = rows.cell_of(r, k - rows.begin[r]);
    row.attribute = names[r];
    row.labels = {label(cell / labels), label(cell % labels)};
  }
  // Those of START and STOP are edges whose other end is known.
  void node(std::uint64_t k, ConstraintRow& row) const {
    const RowLayout& rows = found_.layout->node;
    const std::size_t r = row_of(rows, k);
    row.attribute = found_.names.node[r];
    row.labels = {label(rows.cell_of(r, k - rows.begin[r]))};
    Boundary boundary;
    std::string_view attribute;
    if (!parse_boundary_name(found_.names.node[r], boundary, attribute)) return;
    row.attribute = attribute;
    if (boundary == Boundary::start) {
      row.labels.insert(row.labels.begin(), {LabelOrEnd::Kind::start, ""});
    } else {
      row.labels.push_back({LabelOrEnd::Kind::stop, ""});
    }
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

void set_violation(const std::optional<Regulariser>& condition, std::uint64_t k,
                   ConstraintRow& row) {
  row.violation = std::abs(row.difference());
  if (!condition) return;
  const double l1 = condition->is_free(k) ? 0 : condition->l1;
  if (row.weight == 0) {
    row.violation = std::max(0.0, row.violation - l1);
    return;
  }
  row.pull = condition->l2_of(k) * row.weight + std::copysign(l1, row.weight);
  row.violation = std::abs(row.difference() - row.pull);
}

// describe(feature, row) says what a feature is of.
template <class Training, class Describe>
ConstraintReport report_of(const FeatureExpectations& found, const Training& training,
                           const Json& record, const Regulariser& penalty, std::size_t most,
                           const Describe& describe) {
  ConstraintReport report;
  report.sequences = training.sequences();
  report.positions = training.positions();
  report.loss = found.loss;
  report.no_condition = why_no_condition(record);
  if (report.no_condition.empty()) report.condition = penalty;
  const double value = recorded(record, "objective_value", 0.0);
  const double weight = recorded(record, "total_weight", training.total_weight());
  report.training_data = recorded<std::size_t>(record, "sequences", 0) == report.sequences &&
                         recorded<std::size_t>(record, "positions", 0) == report.positions &&
                         recorded<std::size_t>(record, "weights", 0) == found.weight.size() &&
                         (!report.condition || std::abs(objective(found, penalty) - value) <=
                                                   kSameObjective * std::max(1.0, value));
  if (!report.training_data && report.condition) {
    report.condition.reset();
    report.no_condition = std::abs(weight - training.total_weight()) > kSameObjective * weight
                              ? "the weights of the training's sequences (--weights), which the "
                                "record does not hold, are not those of this data"
                              : "this is not the data that the model was trained on, or its "
                                "sequences had other weights there";
  }

  std::vector<double> violation(found.weight.size());
  std::vector<std::uint64_t> order;
  const auto row_of = [&](std::uint64_t k) {
    ConstraintRow row{
        .weight = found.weight[k], .empirical = found.empirical[k], .expected = found.expected[k]};
    set_violation(report.condition, k, row);
    return row;
  };
  for (std::uint64_t k = 0; k < found.weight.size(); ++k) {
    if (!report.training_data && !found.in_model[k]) continue;
    order.push_back(k);
    violation[k] = row_of(k).violation;
    report.largest_violation = std::max(report.largest_violation, violation[k]);
  }
  report.features = order.size();
  const std::size_t top = std::min(most, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(top),
                            [&](std::uint64_t a, std::uint64_t b) {
                              return violation[a] != violation[b] ? violation[a] > violation[b]
                                                                  : a < b;
                            });
  for (std::size_t n = 0; n < top; ++n) {
    report.rows.push_back(row_of(order[n]));
    describe(order[n], report.rows.back());
  }
  return report;
}

}  // namespace

ConstraintReport inspect_constraints(std::shared_ptr<const ChainModel> model,
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
  const FeatureNames names(found);
  return report_of(found, training, record, penalty, request.top,
                   [&](std::uint64_t k, ConstraintRow& row) { names.describe(k, row); });
}

ConstraintReport inspect_constraints(const JointModel& model, const ConstraintRequest& request) {
  const Json record = training_record(model);
  const TrainOptions options = training_options(record, request.threads);
  JointTraining training(model);
  read_data(request, model,
            [&](const TextSequence& text, const std::string&) { training.add(text); });
  const FeatureExpectations found = training.expectations(options);
  const auto describe = [&](std::uint64_t k, ConstraintRow& row) {
    const RowLayout& rows = found.layout->node;
    const std::size_t r = FeatureNames::row_of(rows, k);
    const std::uint32_t cell = rows.cell_of(r, k - rows.begin[r]);
    row.kind = "joint";
    row.part = model.templates().part_text(model.parts().part_of(cell));
    row.attribute = JointTemplates::plain_string(found.names.node[r]);
    row.group = model.group_name(cell);
  };
  return report_of(found, training, record, options.regulariser, request.top, describe);
}

}  // namespace croft
