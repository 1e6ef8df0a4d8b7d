#include "app/train/train_files.h"

#include <algorithm>

#include "app/label/tag_files.h"
#include "app/train/feature_kit_file.h"
#include "app/train/file_shares.h"
#include "core/json.h"
#include "core/parse_number.h"
#include "croft/core/error.h"
#include "data/settings/constraint_file.h"
#include "data/settings/field_files.h"

namespace croft {

TransitionGroups transition_groups(const TransitionGroupFile& file, const LabelNames& names) {
  const auto find = [&](const std::string& pattern, std::size_t line) {
    std::vector<Label> found = names.matching(pattern);
    if (!found.empty()) return found;
    throw InputError({file.name, line}, "no label of the training data is, or matches,", pattern,
                     names.some());
  };
  TransitionGroups groups(names.size());
  std::unordered_map<std::string, std::uint32_t> number;
  for (const TransitionGroupRule& rule : file.rules) {
    std::uint32_t group = TransitionGroups::kNone;
    if (rule.group) {
      group = number.emplace(*rule.group, static_cast<std::uint32_t>(number.size())).first->second;
    }
    const std::vector<Label> from = find(rule.from, rule.line), to = find(rule.to, rule.line);
    for (const Label i : from) {
      for (const Label j : to) groups.of[i * names.size() + j] = group;
    }
  }
  return groups;
}

namespace {

using Names = std::span<const std::string_view>;

void set_cost(const std::string& cost, TrainOptions& options) {
  if (const auto number = cost_number(cost)) {
    options.cost = [=](Names names) { return hamming_cost(names.size(), *number); };
    return;
  }
  LineReader lines(cost);
  options.cost = [file = read_cost_file(lines)](Names names) { return label_cost(file, names); };
}

void set_constraint(const std::string& constrain, TrainOptions& options) {
  using Labels = std::span<const std::string>;
  if (constrain == "bio") {
    options.constraint = [](Labels names) { return bio_constraint(names); };
  } else if (constrain == "bioes") {
    options.constraint = [](Labels names) { return bioes_constraint(names); };
  } else {
    LineReader lines = constraint_lines(constrain);
    options.constraint = [text = text_of(lines), name = lines.name()](Labels names) {
      return read_constraint(LineReader(text, name), names);
    };
  }
}

}  // namespace

std::optional<double> cost_number(const std::string& cost) {
  double value = 0;
  const NumberKind kind = parse_number(cost, value);
  if (kind == NumberKind::not_a_number) return std::nullopt;
  if (kind == NumberKind::not_finite || value < 0) {
    throw UsageError("--cost ", cost,
                     " is not a finite number of 0 or more; a file of this name is ./", cost);
  }
  return value;
}

bool names_a_scheme(const std::string& constrain) {
  return constrain == "bio" || constrain == "bioes";
}

std::vector<std::string> input_files(const TrainRequest& request) {
  std::vector<std::string> files = request.data;
  const auto add = [&](const std::string& path) {
    if (!path.empty()) files.push_back(path);
  };
  add(request.template_path);
  if (!request.kit.empty()) {
    for (const std::string& file : feature_kit_files(request.kit)) add(file);
  }
  if (request.stop_words != "english") add(request.stop_words);
  add(request.holdout);
  add(request.weights);
  if (request.class_weights != "balanced") add(request.class_weights);
  if (!cost_number(request.cost)) add(request.cost);
  if (!names_a_scheme(request.constrain)) add(request.constrain);
  add(request.transition_groups);
  add(request.variances);
  add(request.expectations);
  for (const std::string& path : request.unlabelled) add(path);
  return files;
}

bool DistributedMethods::has(const MethodInfo& method, Objective objective) const {
  const bool can = method.distributed == Distributed::function ||
                   (data && method.distributed == Distributed::parts);
  return can && goes_with(method.method, objective, structure);
}

Method DistributedMethods::by_default(Objective objective, const Regulariser& regulariser) const {
  const auto suits = [&](const MethodInfo& method) {
    return has(method, objective) && (method.l1 || regulariser.l1 == 0);
  };
  const Method usual = info(objective, structure).by_default;
  if (suits(info(usual))) return usual;
  for (const MethodInfo& each : method_table()) {
    if (suits(each)) return each.method;
  }
  throw UsageError("--objective ", name_of(objective),
                   " has no optimizer for several processes; start croft without mpirun");
}

void DistributedMethods::check(Method method, Objective objective) const {
  if (has(info(method), objective)) return;
  std::vector<Method> able;
  for (const MethodInfo& each : method_table()) {
    if (has(each, objective)) able.push_back(each.method);
  }
  throw UsageError("--optimizer ", info(method).name, " is for one process alone",
                   data ? Message("") : Message(" where each has all of the data"),
                   "; with several take one of ", names_of(able));
}

void check_distributed(const TrainRequest& request) {
  const auto refuse = [](const Message& what) {
    throw UsageError(what,
                     " is for one process alone; start croft without mpirun, or leave it out");
  };
  const std::vector<std::string> files =
      input_files(request);  // the data, and what is read beside it
  for (std::size_t k = request.data.size(); k < files.size(); ++k) {
    if (files[k] == "-") refuse("standard input beside the data");
  }
  require_files(request.data);
  const Method method = *request.options.method;
  if ((method == Method::dual_ascent || method == Method::averaged_perceptron) &&
      !request.checkpoint.empty()) {
    throw UsageError(
        "this method keeps a state in each of several processes, and so has no checkpoint; "
        "leave out --checkpoint, or take --optimizer lbfgs");
  }
}

std::optional<LabelWeights> read_label_weights(const std::string& class_weights) {
  if (class_weights.empty()) return std::nullopt;
  if (class_weights == "balanced") return LabelWeights{};
  LineReader lines(class_weights);
  return LabelWeights{read_label_weight_file(lines)};
}

void add_class_weights(const std::string& class_weights, Json& record) {
  if (class_weights.empty()) return;
  record["class_weights"] = class_weights == "balanced" ? "balanced" : "file";
}

void add_unlabelled(const UnlabelledOptions& options, Json sizes,
                    const std::optional<SelfTrainingReport>& self_training, Json& record) {
  if (!options.any()) return;
  Json& of = record["unlabelled"] = std::move(sizes);
  if (options.entropy > 0) of["entropy"] = options.entropy;
  if (options.expectations || options.from_labelled > 0) {
    of["expectations"] = options.expectations ? Json("file") : Json(options.from_labelled);
    of["expectations_weight"] = options.expectations_weight;
  }
  if (!self_training) return;
  of["confidence"] = options.confidence;
  of["rounds"] = self_training->rounds;
  of["positions"] = self_training->positions;
  if (!options.view.empty()) of["view"] = options.view;
}

void check_class_weights(const TrainRequest& request) {
  if (request.class_weights.empty() || !request.partial) return;
  throw UsageError(
      "--class-weights weighs an example by its label, and with --partial it may have several; "
      "leave out one of them");
}

VariancesOf read_variances(const std::string& path) {
  if (path.empty()) return {};
  LineReader lines(path);
  return [file = read_variance_file(lines)](Names names) { return variances_of(file, names); };
}

std::optional<ExpectationFile> read_expectations(const std::string& path) {
  if (path.empty()) return std::nullopt;
  LineReader lines(path);
  return read_expectation_file(lines);
}

TrainOptions read_options(const TrainRequest& request) {
  TrainOptions options = request.options;
  if (!request.cost.empty()) set_cost(request.cost, options);
  options.label_weights = read_label_weights(request.class_weights);
  if (!request.variances.empty()) options.variances = read_variances(request.variances);
  options.unlabelled.expectations = read_expectations(request.expectations);
  if (!request.constrain.empty()) set_constraint(request.constrain, options);
  if (!request.transition_groups.empty()) {
    LineReader lines(request.transition_groups);
    options.transition_groups =
        [file = read_transition_group_file(lines)](std::span<const std::string> names) {
          return transition_groups(file, LabelNames({names.begin(), names.end()}));
        };
  }
  return options;
}

std::vector<double> read_sequence_weights(const std::string& path) {
  constexpr double kLargest = 1e15;  // as in the data
  LineReader lines(path);
  std::vector<double> weights = read_weight_file(lines);
  const auto large = std::ranges::find_if(weights, [](double weight) { return weight > kLargest; });
  if (large == weights.end()) return weights;
  throw InputError({lines.name(), static_cast<std::size_t>(large - weights.begin()) + 1},
                   "a weight of more than 1e15", "", "scale all weights down");
}

}  // namespace croft
