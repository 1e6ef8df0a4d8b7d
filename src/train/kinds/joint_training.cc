#include "train/kinds/joint_training.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/json.h"
#include "croft/core/error.h"
#include "optimize/batch/iterative_scaling.h"
#include "train/course/watched_run.h"
#include "train/functions/chain_batch_function.h"

namespace croft {
namespace {

const LabelClasses& no_classes() {
  static const LabelClasses none;
  return none;
}

// The occurrences of a pair of an attribute and a cell, in one number that sorts by attribute.
constexpr std::uint64_t pair_of(std::uint32_t attribute, std::uint32_t cell) {
  return std::uint64_t{attribute} << 32 | cell;
}

std::optional<std::uint64_t> feature_of(const RowLayout& rows, std::size_t row,
                                        std::uint32_t cell) {
  const std::uint64_t begin = rows.begin[row];
  std::size_t low = 0, high = rows.length(row);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    (rows.cell_of(row, middle) < cell ? low = middle + 1 : high = middle);
  }
  if (low == rows.length(row) || rows.cell_of(row, low) != cell) return std::nullopt;
  return begin + low;
}

// The likelihood, its expected counts and the empirical ones, for iterative scaling: all positions
// are one group, since each has one string of every template, so that their totals hardly differ.
class JointExpectations final : public ExpectationFunction {
 public:
  JointExpectations(std::unique_ptr<BatchFunction> f, std::vector<double> empirical, double total)
      : f_(std::move(f)), empirical_(std::move(empirical)) {
    counts_.total = {total};
    counts_.begin.resize(empirical_.size() + 1);
    std::iota(counts_.begin.begin(), counts_.begin.end(), std::uint64_t{0});
    counts_.group.assign(empirical_.size(), 0);
    counts_.expected.assign(empirical_.size(), 0.0);
  }

  std::size_t dimension() const override { return empirical_.size(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    const double value = f_->evaluate(w, gradient);
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      counts_.expected[k] = std::max(0.0, gradient[k] + empirical_[k]);
    }
    return value;
  }
  std::span<const double> empirical() const override { return empirical_; }
  const ExpectedCounts& expected() const override { return counts_; }

 private:
  std::unique_ptr<BatchFunction> f_;
  std::vector<double> empirical_;  // [dimension]
  ExpectedCounts counts_;
};

}  // namespace

JointTraining::JointTraining(const Extractor& extractor, const JointTemplates& templates,
                             const LabelClasses& classes, const JointModel* init)
    : extractor_(extractor),
      templates_(templates),
      classes_(classes),
      init_(init),
      triggers_(templates.triggers()) {
  if (init_ != nullptr) keep_names_of(*init_);
}

JointTraining::JointTraining(const JointModel& model)
    : extractor_(model.extractor()),
      templates_(model.templates()),
      classes_(no_classes()),
      init_(&model),
      fixed_(true),
      triggers_(templates_.triggers()) {
  keep_names_of(model);
}

// Labels first, so that a label of the model keeps its number.
void JointTraining::keep_names_of(const JointModel& model) {
  const JointTemplates& known = model.templates();
  for (std::size_t b = 0; b < known.parts().size(); ++b) {
    const std::optional<std::size_t> here = templates_.find_part(known, b);
    if (!here) {
      throw UsageError("the model to start from has templates with the part ",
                       in_quotes(known.part_text(b)),
                       " of the label, and the joint templates have no such line; add one, or "
                       "train from nothing");
    }
    part_of_model_.push_back(*here);
  }
  for (Label y = 0; y < model.labels(); ++y) label_names_.insert(model.label(y));
  for (std::uint32_t id = 0; id < model.table().size(); ++id) {
    const WeightRow row = model.table().row(id);
    if (row.size() == 0) continue;
    const std::size_t part = part_of_model_[model.parts().part_of(row.cell(0))];
    names_.insert(JointTemplates::with_part(model.table().name(id), part));
    part_of_.push_back(static_cast<std::uint32_t>(part));
  }
}

double JointTraining::total_weight() const {
  if (data_.weight.empty()) return static_cast<double>(positions());
  return std::accumulate(data_.weight.begin(), data_.weight.end(), 0.0);
}

// Of the position that is being read.
void JointTraining::add_attribute(std::string_view name, std::size_t part) {
  const std::uint32_t id = names_.insert(name);
  if (id == part_of_.size()) part_of_.push_back(static_cast<std::uint32_t>(part));
  data_.node.id.push_back(id);
}

void JointTraining::add(const TextSequence& sequence, std::string_view) {
  const std::size_t length = sequence.length(), tracks = templates_.tracks();
  if (length == 0) return;
  if (positions() + length >= kLabelSetBit || names_.size() >= kUnknown - 1) {
    throw Error(
        "the data has more than 2,147,483,647 positions, or too many attributes; train on "
        "a part of it");
  }
  const StringLists& node = sequence.node;
  const auto append_weight = [&] {
    if (sequence.weight != 1 && data_.weight.empty()) data_.weight.assign(data_.sequences(), 1.0);
    if (sequence.weight != 1 || !data_.weight.empty()) data_.weight.push_back(sequence.weight);
  };
  std::vector<std::string_view> cells;  // [T][tracks]
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t k = 0; k < tracks; ++k) {
      cells.push_back(
          JointTemplates::cell_of(node.item(node.list_begin(t) + templates_.size() + k)));
      cells_.push_back(cell_names_.insert(cells.back()));
    }
  }
  std::vector<TriggerFinder::Firing> firings;
  triggers_.find(cells, tracks, firings);
  auto firing = firings.begin();
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t k = 0; k < templates_.size(); ++k) {
      add_attribute(node.item(node.list_begin(t) + k), templates_.part_of(k));
    }
    for (; firing != firings.end() && firing->position == t; ++firing) {
      const Trigger& trigger = templates_.triggers()[firing->trigger];
      add_attribute(trigger.attribute, trigger.part);
    }
    examples_.label.push_back(label_names_.insert(sequence.labels.item(t)));
    append_weight();
    data_.node.begin.push_back(data_.node.id.size());
    data_.first_line.push_back(static_cast<std::uint32_t>(sequence.line_of(t)));
    data_.label.push_back(static_cast<Label>(data_.label.size()));
    data_.sequence_begin.push_back(data_.label.size());
  }
  text_begin_.push_back(data_.label.size());
  ++sequences_;
}

Method JointTraining::method(const TrainOptions& options) const { return choice(options).method; }

MethodChoice JointTraining::choice(const TrainOptions& options) const {
  if (options.objective != Objective::likelihood) {
    throw UsageError(
        "--objective ", info(options.objective).name,
        " knows no joint features, which are trained by their likelihood; leave it out");
  }
  MethodChoice choice = options.choice(init_ != nullptr, positions());
  choice.structure = Structure::joint;
  choice.weighted = std::ranges::any_of(data_.weight, [](double w) { return w != 1; });
  check_choice(choice);
  return choice;
}

Precision JointTraining::precision(const TrainOptions& options) const {
  return has_precision(method(options)) ? options.chosen_precision(positions()) : Precision::twice;
}

// Labels that have a class and do not occur are as good as any: the classes of a tag set may be
// wider than one training set.  Where none occurs, the file is of other labels.
void JointTraining::check_classes() const {
  if (!templates_.uses_classes() || classes_.empty() || labels() == 0) return;
  const auto occurs = [&](const auto& entry) { return label_names_.find(entry.first) != kUnknown; };
  if (std::ranges::any_of(classes_, occurs)) return;
  throw Error("--label-classes has a class for labels such as ",
              in_quotes(std::ranges::min_element(classes_)->first),
              ", and the data has none of these, but labels such as ", in_quotes(label_names_[0]),
              "; name the file of the classes of this data's labels");
}

// The labels' groups, and what stands in the windows of each position.
void JointTraining::find_examples() {
  labels_.clear();
  for (std::uint32_t y = 0; y < label_names_.size(); ++y) labels_.emplace_back(label_names_[y]);
  examples_.parts =
      fixed_ ? init_->parts() : templates_.make_parts(labels_, classes_, group_names_);
  std::vector<Label> label_of(cell_names_.size());
  for (std::uint32_t c = 0; c < label_of.size(); ++c) {
    label_of[c] = label_names_.find(cell_names_[c]);
    if (label_of[c] == kUnknown) label_of[c] = kNoLabel;
  }
  const std::size_t tracks = templates_.tracks();
  std::vector<Label> present(cells_.size());
  for (std::size_t k = 0; k < cells_.size(); ++k) present[k] = label_of[cells_[k]];
  examples_.windows.clear();
  examples_.windows.windows = templates_.windows().size();
  WindowFinder finder;
  for (std::size_t n = 0; n < sequences_; ++n) {
    finder.append(templates_.windows(),
                  std::span(present).subspan(text_begin_[n] * tracks,
                                             (text_begin_[n + 1] - text_begin_[n]) * tracks),
                  tracks, labels(), examples_.windows);
  }
}

// All features that are to have a weight, in the numbering of names_: those that the options ask
// for, and those of the model, if there is one.
ChainLayout JointTraining::candidates(const TrainOptions& options) const {
  const LabelParts& parts = examples_.parts;
  ChainLayout layout;
  layout.labels = parts.cells();
  layout.node.cells = parts.cells();
  layout.edge.cells = layout.tied.cells = layout.labels * layout.labels;
  const std::vector<std::uint64_t> observed =
      options.features == FeatureSet::all ? std::vector<std::uint64_t>{} : observed_pairs();
  std::vector<std::size_t> count(attributes());
  for (const std::uint32_t a : data_.node.id) ++count[a];
  auto next = observed.begin();
  std::vector<std::uint64_t> kept;
  for_weights_of_model(
      [&](std::uint32_t a, std::uint32_t cell, double) { kept.push_back(pair_of(a, cell)); });
  std::ranges::sort(kept);
  auto next_kept = kept.begin();
  std::vector<std::uint32_t> cells;
  for (std::uint32_t a = 0; a < attributes(); ++a) {
    cells.clear();
    if (options.features == FeatureSet::all && count[a] >= options.min_count) {
      cells.resize(parts.first(part_of_[a] + 1) - parts.first(part_of_[a]));
      std::iota(cells.begin(), cells.end(), parts.first(part_of_[a]));
    }
    while (next != observed.end() && *next >> 32 == a) {
      const auto last =
          std::find_if(next, observed.end(), [&](auto pair) { return pair != *next; });
      if (static_cast<std::size_t>(last - next) >= options.min_count) {
        cells.push_back(static_cast<std::uint32_t>(*next));
      }
      next = last;
    }
    const std::size_t chosen = cells.size();
    for (; next_kept != kept.end() && *next_kept >> 32 == a; ++next_kept) {
      cells.push_back(static_cast<std::uint32_t>(*next_kept));
    }
    if (cells.size() > chosen) {
      std::ranges::sort(cells);
      cells.erase(std::ranges::unique(cells).begin(), cells.end());
    }
    layout.node.cell.insert(layout.node.cell.end(), cells.begin(), cells.end());
    layout.node.begin.push_back(layout.node.cell.size());
  }
  layout.edge.begin.assign(1, layout.node.begin.back());
  return layout;
}

// Of an attribute and a cell, as often as they occur together, in order.
std::vector<std::uint64_t> JointTraining::observed_pairs() const {
  const LabelParts& parts = examples_.parts;
  std::vector<std::uint64_t> pairs;
  for (std::size_t p = 0; p < positions(); ++p) {
    const Label y = examples_.label[p];
    for (std::uint64_t k = data_.node.begin[p]; k < data_.node.begin[p + 1]; ++k) {
      const std::uint32_t a = data_.node.id[k];
      if (!parts.holds(part_of_[a], y, examples_.windows, p)) continue;
      pairs.push_back(pair_of(a, parts.cell(part_of_[a], y)));
    }
  }
  std::ranges::sort(pairs);
  return pairs;
}

// [cells of the model] here: that of the group with the same name.
std::vector<std::uint32_t> JointTraining::cells_of_model() const {
  std::vector<std::uint32_t> cells(init_->parts().cells());
  std::iota(cells.begin(), cells.end(), std::uint32_t{0});
  if (fixed_) return cells;
  for (std::size_t b = 0; b < part_of_model_.size(); ++b) {
    const std::size_t part = part_of_model_[b];
    const std::vector<std::string>& names = group_names_[part];
    const std::vector<std::string>& all = names.empty() ? labels_ : names;
    std::unordered_map<std::string_view, std::uint32_t> number;
    for (std::uint32_t g = 0; g < all.size(); ++g) number.emplace(all[g], g);
    for (std::uint32_t c = init_->parts().first(b); c < init_->parts().first(b + 1); ++c) {
      const auto found = number.find(init_->group_name(c));
      if (found == number.end()) {
        throw UsageError("the model to start from has the class ", in_quotes(init_->group_name(c)),
                         " of labels, and --label-classes gives it to no label; name the classes "
                         "that it was trained with, or more");
      }
      cells[c] = examples_.parts.first(part) + found->second;
    }
  }
  return cells;
}

// visit(attribute, cell, weight) of each weight of the model to start from, if there is one.
template <class Visit>
void JointTraining::for_weights_of_model(Visit visit) const {
  if (init_ == nullptr) return;
  const std::vector<std::uint32_t> here = cells_of_model();
  for (std::uint32_t id = 0; id < init_->table().size(); ++id) {
    const WeightRow row = init_->table().row(id);
    if (row.size() == 0) continue;
    const std::size_t part = part_of_model_[init_->parts().part_of(row.cell(0))];
    const std::uint32_t a = names_.find(JointTemplates::with_part(init_->table().name(id), part));
    for (std::size_t k = 0; k < row.size(); ++k) visit(a, here[row.cell(k)], row.weight(k));
  }
}

// By increasing feature; after lay_out().
std::vector<FeatureWeight> JointTraining::initial_weights() const {
  std::vector<std::uint32_t> row_of(attributes(), kUnknown);
  for (std::uint32_t row = 0; row < row_name_.size(); ++row) row_of[row_name_[row]] = row;
  std::vector<FeatureWeight> weights;
  for_weights_of_model([&](std::uint32_t a, std::uint32_t cell, double weight) {
    weights.push_back({*feature_of(layout_.node, row_of[a], cell), weight});
  });
  std::ranges::sort(weights, {}, &FeatureWeight::feature);
  return weights;
}

void JointTraining::lay_out(const TrainOptions& options) {
  check_classes();
  find_examples();
  const ChainLayout all = candidates(options);
  std::vector<std::uint64_t> every(all.dimension());
  std::iota(every.begin(), every.end(), std::uint64_t{0});
  FeatureSelection chosen = select_features(all, every);
  layout_ = std::move(chosen.layout);
  const std::vector<std::uint32_t>& new_id = chosen.renumbering.node;
  row_name_.resize(layout_.node.rows());
  for (std::uint32_t a = 0; a < new_id.size(); ++a) {
    if (new_id[a] != kUnknown) row_name_[new_id[a]] = a;
  }
  renumber_lists(new_id, layout_.node_classes, data_.node);
  weights_.assign(layout_.dimension(), 0.0);
}

TrainResult JointTraining::run(const TrainOptions& options, const TrainingCallback& callback,
                               const EarlyStop& stop) {
  options.validate();
  const Method method = choice(options).method;
  if (sequences() == 0) throw Error("there is no sequence to train on");
  lay_out(options);
  if (layout_.dimension() == 0) {
    throw Error("no feature is left to train; lower --min-count, or give more data");
  }
  const std::vector<FeatureWeight> start = initial_weights();
  for (const FeatureWeight& each : start) weights_[each.feature] = each.weight;
  ThreadPool pool(options.threads, no_other_ranks(), *options.helpers);
  const ObjectiveMaker<double> twice = [this] {
    return std::make_unique<JointLikelihood<double>>(examples_);
  };
  const ObjectiveMakers own{
      .single = [this] { return std::make_unique<JointLikelihood<float>>(examples_); },
      .twice = twice,
      .expectations = [&]() -> std::unique_ptr<ExpectationFunction> {
        return std::make_unique<JointExpectations>(
            std::make_unique<ChainBatchFunction<double>>(data_, layout_, pool, twice), empirical(),
            largest_total());
      }};
  ChainProblem problem = problem_of(options, data_, layout_, pool);
  problem.twice = options.chosen_precision(positions()) == Precision::twice;
  problem.method = method;
  problem.own_objective = &own;
  problem.show_weights = stop.after > 0;
  if (options.checkpoints != nullptr) {
    options.checkpoints->set_fingerprint(fingerprint(options, problem, start, stop.holdout));
  }
  TrainResult result;
  WatchedRun run{.max_iterations = options.stop.max_iterations,
                 .early_stop = stop.after,
                 .callback = callback,
                 .checkpoints = options.checkpoints};
  if (stop.score) run.score = [&](auto w) { return stop.score(model(Json::object(), w)); };
  run_watched(run, problem, weights_, result);
  return result;
}

// Labels and templates are in it by the names of cells and attributes.
std::uint64_t JointTraining::fingerprint(const TrainOptions& options, const ChainProblem& problem,
                                         std::span<const FeatureWeight> start,
                                         std::uint64_t holdout) const {
  ChainNames names;
  for (const std::string& label : labels_) names.labels.push_back(label);
  for (const auto& group : group_names_) {
    names.labels.insert(names.labels.end(), group.begin(), group.end());
  }
  for (std::uint32_t row = 0; row < layout_.node.rows(); ++row) {
    names.node.push_back(attribute(row));
  }
  std::string gold;
  for (const Label y : examples_.label) gold += std::to_string(y) + " ";
  names.labels.push_back(gold);
  const std::string held_out = std::to_string(holdout);
  names.labels.push_back(held_out);
  return TrainingFingerprint{.problem = problem,
                             .names = names,
                             .partial = std::nullopt,
                             .early_stop = options.early_stop,
                             .start = start}
      .value();
}

// sum_n q_n f_k(x_n, y_n)
std::vector<double> JointTraining::empirical() const {
  std::vector<double> sum(layout_.dimension());
  const LabelParts& parts = examples_.parts;
  for (std::size_t p = 0; p < positions(); ++p) {
    const Label y = examples_.label[p];
    for (std::uint64_t k = data_.node.begin[p]; k < data_.node.begin[p + 1]; ++k) {
      const std::uint32_t row = data_.node.id[k];
      const std::uint32_t part = part_of_[row_name_[row]];
      if (!parts.holds(part, y, examples_.windows, p)) continue;
      if (const auto feature = feature_of(layout_.node, row, parts.cell(part, y))) {
        sum[*feature] += data_.weight.empty() ? 1.0 : data_.weight[p];
      }
    }
  }
  return sum;
}

// The most features that a position has with any label.
double JointTraining::largest_total() const {
  std::vector<double> of_cell(examples_.parts.cells()), of_label(labels());
  double largest = 1;
  for (std::size_t p = 0; p < positions(); ++p) {
    std::ranges::fill(of_cell, 0.0);
    std::ranges::fill(of_label, 0.0);
    for (std::uint64_t k = data_.node.begin[p]; k < data_.node.begin[p + 1]; ++k) {
      const std::uint32_t row = data_.node.id[k];
      for (std::size_t c = 0; c < layout_.node.length(row); ++c) {
        ++of_cell[layout_.node.cell_of(row, c)];
      }
    }
    examples_.parts.spread(of_cell.data(), examples_.windows, p, of_label.data());
    largest = std::max(largest, *std::ranges::max_element(of_label));
  }
  return largest;
}

FeatureExpectations JointTraining::expectations(const TrainOptions& options) {
  if (init_ == nullptr) throw UsageError("expectations are those of a model: there is none");
  if (sequences() == 0) throw Error("there is no sequence to compare the model with");
  lay_out(options);
  if (layout_.dimension() == 0) {
    throw Error("neither the model nor the data has any feature to compare");
  }
  FeatureExpectations result{.layout = &layout_,
                             .names = {},
                             .weight = std::vector<double>(layout_.dimension()),
                             .in_model = std::vector<bool>(layout_.dimension()),
                             .empirical = empirical(),
                             .expected = std::vector<double>(layout_.dimension())};
  for (std::uint32_t row = 0; row < layout_.node.rows(); ++row) {
    result.names.node.push_back(attribute(row));
    const std::uint32_t id = init_->table().names().find(attribute(row));
    if (id == kUnknown) continue;
    const WeightRow weights = init_->table().row(id);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const auto feature = feature_of(layout_.node, row, weights.cell(k));
      result.weight[*feature] = weights.weight(k);
      result.in_model[*feature] = true;
    }
  }
  ThreadPool pool(options.threads);
  ChainBatchFunction<double> likelihood(data_, layout_, pool, [this] {
    return std::make_unique<JointLikelihood<double>>(examples_);
  });
  result.loss = likelihood.evaluate(result.weight, result.expected);
  for (std::size_t k = 0; k < layout_.dimension(); ++k) result.expected[k] += result.empirical[k];
  return result;
}

ContainerWriter JointTraining::model(const Json& training, std::span<const double> weights) const {
  JointModelParts parts;
  parts.labels = labels_;
  parts.extraction = &extractor_.config();
  parts.templates = &templates_;
  parts.parts = &examples_.parts;
  parts.group_names = &group_names_;
  parts.layout = &layout_.node;
  for (std::uint32_t row = 0; row < layout_.node.rows(); ++row) {
    parts.names.push_back(attribute(row));
  }
  parts.weights = weights;
  parts.training = &training;
  return make_joint_model(parts);
}

}  // namespace croft
