// What a training is told in files other than data and templates.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/label/label_names.h"
#include "app/train/train_request.h"
#include "data/settings/field_files.h"
#include "model/chain_layout.h"
#include "train/graph/graph_prior.h"
#include "train/kinds/chain_training.h"

namespace croft {

// Whether `cost` is a number (and which) rather than a file.  Throws UsageError for one below 0.
std::optional<double> cost_number(const std::string& cost);

// Whether `constrain` is a constraint by name, rather than a file.
bool names_a_scheme(const std::string& constrain);

// "linear", "poly:3", "rbf:0.01": see TrainRequest.  Throws UsageError.
Kernel parse_kernel(const std::string& text);

// Of the file of --variances; empty: none.
VariancesOf read_variances(const std::string& path);

// Throws UsageError for an objective, an optimizer and settings that do not go together, or would
// be ignored.
//   request : with its defaults
void check_method(const TrainRequest& request);

// Nothing without a name.
std::optional<ExpectationFile> read_expectations(const std::string& path);
// The request's options with cost, constraint and groups of transitions.  All files are read here;
// what they say of labels is looked up once these are known.
TrainOptions read_options(const TrainRequest& request);

// "balanced", or a file; empty: nothing.  Throws InputError as read_label_weight_file().
std::optional<LabelWeights> read_label_weights(const std::string& class_weights);

// What a training record says of them, where there are any.
void add_class_weights(const std::string& class_weights, Json& record);
// What was made of data without labels; nothing where there is none.
//   sizes : an object, of the data
void add_unlabelled(const UnlabelledOptions& options, Json sizes,
                    const std::optional<SelfTrainingReport>& self_training, Json& record);

// The model to start from, null where the request names none.  Throws UsageError for one that reads
// its data in another format.
template <class Model>
std::shared_ptr<const Model> open_start(const TrainRequest& request) {
  const std::string& path = request.start();
  if (path.empty()) return nullptr;
  auto start = Model::read(path);
  const InputFormat format = start->extractor().config().format;
  if (format == request.format) return start;
  throw UsageError(path, ": a model of --format ", format_name(format),
                   " cannot go on with --format ", format_name(request.format));
}

// Throws UsageError for options of a request that contradict each other, or that nothing would take
// notice of.
//   request : with its defaults
void check_request(const TrainRequest& request);

void check_early_stop(const TrainRequest& request);  // likewise
void check_reading(const TrainRequest& request);     // of templates, texts and tables
// The methods by which several processes train together: what they share out.
//   data : each has a part of the data; otherwise all have all of it
struct DistributedMethods {
  Structure structure = Structure::chain;
  bool data = true;
  // What is taken where nobody named one.  Throws UsageError where the objective has none.
  Method by_default(Objective objective, const Regulariser& regulariser) const;
  // Throws UsageError for a method that is none of these.
  void check(Method method, Objective objective) const;

 private:
  bool has(const MethodInfo& method, Objective objective) const;
};
// Throws UsageError for what several processes cannot do, whatever they share out.
void check_distributed(const TrainRequest& request);

// The hold-out as a fraction, when it is one.  Throws UsageError for one that is not in (0, 1).
std::optional<double> holdout_fraction(const std::string& holdout);
// Throws Error where that fraction of `all` has left nothing in the hold-out.
//   what : what is counted: "sequences", "rows"
void require_holdout(const std::string& holdout, std::size_t held_out, std::size_t all,
                     std::string_view what);

// [sequences] which of them a fraction holds out: so many of the groups, at least one and not all;
// drawn, or where the request says so the last ones.  Empty without groups.  Throws Error where
// there is but one.
std::vector<bool> held_out_groups(const std::vector<std::size_t>& group, double fraction,
                                  const TrainRequest& request);

// Hands all sequences of `input` on: what is held out, by a fraction or as a file of its own, to
// `hold_out`, the rest to `keep`.  Throws as `input`, and Error where a fraction holds out nothing,
// or what is held out has no label to compare with.
void split_data(const TrainRequest& request, TrainingInput& input, const TrainingInput::Visit& keep,
                const std::function<void(const TextSequence&)>& hold_out);

// Those of the sequences.  Throws InputError as read_weight_file(), and for a weight above 1e15.
std::vector<double> read_sequence_weights(const std::string& path);

// Groups of transitions, from a file and the names of the labels.
// Every pair of labels gets what the last line says that matches it.  Throws InputError (file,
// line, text, remedy) for a label or pattern that no label matches.  Cost O(L^2 lines) at worst.
TransitionGroups transition_groups(const TransitionGroupFile& file, const LabelNames& names);

// How predictions do on a hold-out, whose labels may be known in part.

// Of a sequence that is held out: how many positions have one label.  Throws InputError (file,
// line) for a set of labels that is none.
std::size_t count_single_labels(const TextSequence& text, std::string_view file,
                                const PartialLabels& how);

// Token accuracy over all positions that have one label; chunk F1 over the sequences that are
// labelled in full, where there are any.
//   holdout   : the labels of hold-out sequence n
//   predicted : of all hold-out sequences of the training
//   how       : that labels may be known in part; without it each item is one label
using HoldoutText = std::function<const TextSequence&(std::size_t n)>;
HoldoutScore score_holdout(const HoldoutText& holdout,
                           const std::vector<std::vector<std::string_view>>& predicted,
                           const std::optional<PartialLabels>& how);

}  // namespace croft
