#include "model/kinds/sequence_model.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_set>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/file/container.h"
#include "model/file/extraction_record.h"
#include "model/file/kit_record.h"
#include "model/kinds/model_file.h"
#include "model/score_numbers.h"

namespace croft {
namespace {

// The model's labels, of a file that is of one of the kinds and has no other required section.
std::vector<std::string> read_labels(const Container& container, const std::string& kind,
                                     std::span<const std::string_view> kinds,
                                     std::span<const std::string_view> required) {
  if (std::ranges::find(kinds, kind) == kinds.end()) {
    throw Error(container.name() + ": this is a model of kind " + in_quotes(kind) + ", and a " +
                std::string(kinds.front()) + " was expected");
  }
  std::vector<std::string_view> known(required.begin(), required.end());
  known.push_back("calibration");
  known.push_back(kKitSection);
  known.push_back("conjunctions");
  known.push_back(kDocumentsSection);
  container.refuse_required_but(known);
  std::vector<std::string> labels = unpack_strings(container, "labels");
  if (labels.empty()) container.fail_section("labels", "there are none");
  const std::unordered_set<std::string_view> distinct(labels.begin(), labels.end());
  if (distinct.size() < labels.size()) container.fail_section("labels", "one is there twice");
  return labels;
}

// The model of a first pass in the container of another; null: it has none.  It is of columns, and
// has no first pass itself, so that no file is deeper than two.
std::shared_ptr<const SequenceModel> read_first_pass(const Container& container,
                                                     const ExtractionConfig& config) {
  if (!config.documents) return nullptr;
  Container inner = Container::inside(config.documents->model, container.name() + " (first pass)");
  if (inner.has(kDocumentsSection)) container.fail_section("documents.model");
  auto model = read_model(std::move(inner));
  const ExtractionConfig& read = model->extractor().config();
  if (read.format != config.format || read.columns != config.columns ||
      read.more_columns != config.more_columns || !model->has_probabilities()) {
    container.fail_section("documents.model", "its model reads other data");
  }
  return model;
}

// 0 for every edge; a table only where it is small.
template <class Real>
TransitionScores<Real> free_transitions(std::size_t labels) {
  constexpr std::size_t kManyLabels = 256;
  TransitionScores<Real> transitions;
  if (labels < kManyLabels) {
    transitions.assign(Matrix<Real>(labels, labels, Real{0}));
  } else {
    transitions.assign(labels, Background::zero, {}, {});
  }
  return transitions;
}

}  // namespace

SequenceModel::SequenceModel(Container container, std::span<const std::string_view> kinds,
                             std::span<const std::string_view> required)
    : StoredModel(std::move(container)),
      labels_(read_labels(container_, kind(), kinds, required)),
      extractor_(reading(container_, "meta",
                         [this] { return Extractor(read_extraction(container_, meta())); })),
      first_pass_(read_first_pass(container_, extractor_.config())),
      calibrator_(read_calibration(container_, labels_.size(), labels_are_independent())),
      transitions_float_(free_transitions<float>(labels_.size())),
      transitions_double_(free_transitions<double>(labels_.size())) {}

void SequenceModel::set_transitions(TransitionScores<double> transitions,
                                    std::string_view section) {
  transitions_double_ = std::move(transitions);
  transitions_float_ = convert<float>(transitions_double_);
  if (are_scores(transitions_double_, least_score<double>(may_forbid())) &&
      are_scores(transitions_float_, least_score<float>(may_forbid()))) {
    return;
  }
  container_.fail_section(
      section, "scores of transitions are no finite numbers, or too large to be added up");
}

void SequenceModel::make_scores(const TextSequence&, const ReadSequence&, Scratch&,
                                ChainScores<float>&) const {
  throw std::logic_error("this kind of model scores strings");
}
void SequenceModel::make_scores(const TextSequence&, const ReadSequence&, Scratch&,
                                ChainScores<double>&) const {
  throw std::logic_error("this kind of model scores strings");
}

template <class Real>
void SequenceModel::require_numbers(const TextSequence& sequence, const ChainScores<Real>& scores,
                                    bool may_forbid) const {
  const Real least = least_score<Real>(may_forbid);
  if (are_scores(scores.state, least) && are_scores(scores.overlay, least)) return;
  std::size_t t = 0;
  while (t < scores.length() && are_scores<Real>(scores.state[t], least)) ++t;
  fail_numbers(sequence, t < scores.length() ? "position " + std::to_string(t) : "its edges");
}

void SequenceModel::fail_numbers(const TextSequence& sequence, const std::string& of) const {
  const std::string where = sequence.first_line == 0
                                ? std::string()
                                : " of the sequence at line " + std::to_string(sequence.first_line);
  throw Error(
      container_.name(), ": the scores of ", of, where,
      " are no finite numbers, or too large to be added up: its values are too large, or the "
      "weights are wrong; croft inspect --verify tells whether the file is damaged");
}

template void SequenceModel::require_numbers(const TextSequence&, const ChainScores<float>&,
                                             bool) const;
template void SequenceModel::require_numbers(const TextSequence&, const ChainScores<double>&,
                                             bool) const;

void write_common_sections(std::string_view kind, const ExtractionConfig& extraction,
                           const std::vector<std::string>& labels, const Json& training,
                           const Json& more, ContainerWriter& out) {
  Json meta = {
      {"kind", kind}, {"extraction", extraction_record(extraction)}, {"training", training}};
  meta.update(more);
  out.add("meta", meta.dump(1, InvalidUtf8::replace));
  out.add("labels", pack_strings(labels), ContainerWriter::Kind::small);
  write_extraction_sections(extraction, out);
}

}  // namespace croft
