#include "croft/train/joint_training.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "croft/core/error.h"
#include "croft/model/joint_model.h"

namespace croft {
namespace {

// Those that see a function and its gradient, of all examples or of one.
constexpr std::array kMethods = {
    Method::sgd_lbfgs, Method::lbfgs,    Method::owlqn,        Method::steepest_descent,
    Method::cg,        Method::mixed_cg, Method::bfgs,         Method::preconditioned_cg,
    Method::newton,    Method::sgd,      Method::averaged_sgd, Method::truncated_newton,
    Method::adagrad,   Method::smd,      Method::adagrad_rda,  Method::sag,
    Method::async_sgd};

// The occurrences of a pair of an attribute and a cell, in one number that sorts by attribute.
constexpr std::uint64_t pair_of(std::uint32_t attribute, std::uint32_t cell) {
  return std::uint64_t{attribute} << 32 | cell;
}

}  // namespace

JointTraining::JointTraining(const Extractor& extractor, const JointTemplates& templates,
                             const LabelClasses& classes)
    : extractor_(extractor), templates_(templates), classes_(classes) {}

void JointTraining::add(const TextSequence& sequence) {
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
  for (std::size_t t = 0; t < length; ++t) {
    const std::size_t first = node.list_begin(t);
    for (std::size_t k = 0; k < templates_.size(); ++k) {
      const std::uint32_t id = names_.insert(node.item(first + k));
      if (id == part_of_.size()) {
        part_of_.push_back(static_cast<std::uint32_t>(templates_.part_of(k)));
      }
      data_.node.id.push_back(id);
    }
    for (std::size_t k = 0; k < tracks; ++k) {
      const std::string_view cell = node.item(first + templates_.size() + k);
      cells_.push_back(cell_names_.insert(cell.substr(JointTemplates::kCellPrefix.size())));
    }
    examples_.label.push_back(label_names_.insert(sequence.labels.item(t)));
    append_weight();
    data_.node.begin.push_back(data_.node.id.size());
    data_.first_line.push_back(
        static_cast<std::uint32_t>(sequence.first_line == 0 ? 0 : sequence.first_line + t));
    data_.label.push_back(static_cast<Label>(data_.label.size()));
    data_.sequence_begin.push_back(data_.label.size());
  }
  text_begin_.push_back(data_.label.size());
  ++sequences_;
}

Method JointTraining::method(const TrainOptions& options) const {
  if (options.objective != Objective::likelihood) {
    throw UsageError("--objective " + std::string(info(options.objective).name) +
                     " knows no joint features, which are trained by their likelihood; leave it "
                     "out");
  }
  const Method chosen = options.chosen_method(false, positions());
  if (std::ranges::find(kMethods, chosen) != kMethods.end()) return chosen;
  std::string names;
  for (const Method each : kMethods) {
    names += (names.empty() ? "" : ", ") + std::string(info(each).name);
  }
  throw UsageError("--optimizer " + std::string(info(chosen).name) +
                   " knows no joint features; with --joint-template there are " + names);
}

Precision JointTraining::precision(const TrainOptions& options) const {
  return has_precision(method(options)) ? options.chosen_precision(positions()) : Precision::twice;
}

// The labels' groups, and what stands in the windows of each position.
void JointTraining::find_examples() {
  labels_.clear();
  for (std::uint32_t y = 0; y < label_names_.size(); ++y) labels_.emplace_back(label_names_[y]);
  examples_.parts = templates_.make_parts(labels_, classes_, group_names_);
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

// All features that are to have a weight, in the numbering of names_.
ChainLayout JointTraining::candidates(const TrainOptions& options) const {
  const LabelParts& parts = examples_.parts;
  ChainLayout layout;
  layout.labels = parts.cells();
  layout.node.cells = parts.cells();
  layout.edge.cells = layout.tied.cells = layout.labels * layout.labels;
  std::vector<std::uint64_t>& begin = layout.node.begin;
  std::vector<std::uint32_t>& cell = layout.node.cell;
  if (options.features == FeatureSet::all) {
    std::vector<std::size_t> count(attributes());
    for (const std::uint32_t a : data_.node.id) ++count[a];
    for (std::uint32_t a = 0; a < attributes(); ++a) {
      const std::uint32_t first = parts.first(part_of_[a]);
      if (count[a] >= options.min_count) {
        for (std::uint32_t c = first; c < parts.first(part_of_[a] + 1); ++c) cell.push_back(c);
      }
      begin.push_back(cell.size());
    }
  } else {
    std::vector<std::uint64_t> pairs;
    for (std::size_t p = 0; p < positions(); ++p) {
      for (std::uint64_t k = data_.node.begin[p]; k < data_.node.begin[p + 1]; ++k) {
        const std::uint32_t a = data_.node.id[k];
        const Label y = examples_.label[p];
        if (!parts.holds(part_of_[a], y, examples_.windows, p)) continue;
        pairs.push_back(pair_of(a, parts.cell(part_of_[a], y)));
      }
    }
    std::ranges::sort(pairs);
    auto next = pairs.begin();
    for (std::uint32_t a = 0; a < attributes(); ++a) {
      while (next != pairs.end() && *next >> 32 == a) {
        const auto last = std::find_if(next, pairs.end(), [&](auto pair) { return pair != *next; });
        if (static_cast<std::size_t>(last - next) >= options.min_count) {
          cell.push_back(static_cast<std::uint32_t>(*next));
        }
        next = last;
      }
      begin.push_back(cell.size());
    }
  }
  layout.edge.begin.assign(1, begin.back());
  return layout;
}

void JointTraining::lay_out(const TrainOptions& options) {
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

TrainResult JointTraining::run(const TrainOptions& options, const TrainingCallback& callback) {
  options.validate();
  MethodChoice choice = options.choice(false, positions());
  choice.method = method(options);
  choice.weighted = std::ranges::any_of(data_.weight, [](double w) { return w != 1; });
  check_choice(choice);
  if (sequences() == 0) throw Error("there is no sequence to train on");
  lay_out(options);
  if (layout_.dimension() == 0) {
    throw Error("no feature is left to train; lower --min-count, or give more data");
  }
  const ObjectiveMakers own{
      .single = [this] { return std::make_unique<JointLikelihood<float>>(examples_); },
      .twice = [this] { return std::make_unique<JointLikelihood<double>>(examples_); }};
  ThreadPool pool(options.threads);
  ChainProblem problem{.data = data_, .layout = layout_, .pool = pool};
  problem.twice = options.chosen_precision(positions()) == Precision::twice;
  problem.method = choice.method;
  problem.settings = options.settings;
  problem.regulariser = options.regulariser;
  problem.stop = options.stop;
  problem.seed = options.seed;
  problem.own_objective = &own;
  TrainingWatch watch(options.stop.max_iterations, 0, callback);
  ChainFindings findings;
  TrainResult result;
  result.optimization = train_chain(
      problem, weights_,
      [&](const Iteration& now) { return watch.see(now, std::nullopt, nullptr); }, nullptr,
      findings);
  result.dimension = layout_.dimension();
  result.active =
      static_cast<std::size_t>(std::ranges::count_if(weights_, [](double w) { return w != 0; }));
  return result;
}

ContainerWriter JointTraining::model(const nlohmann::json& training) const {
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
  parts.weights = weights_;
  parts.training = &training;
  return make_joint_model(parts);
}

}  // namespace croft
