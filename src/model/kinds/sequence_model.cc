#include "model/kinds/sequence_model.h"

#include <algorithm>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/file/container.h"
#include "model/file/extraction_record.h"
#include "model/file/kit_record.h"

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
  container.refuse_required_but(known);
  return unpack_strings(container, "labels");
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
      extractor_(read_extraction(container_, meta())),
      calibrator_(read_calibration(container_, labels_.size(), labels_are_independent())),
      transitions_float_(free_transitions<float>(labels_.size())),
      transitions_double_(free_transitions<double>(labels_.size())) {}

void SequenceModel::set_transitions(TransitionScores<double> transitions) {
  transitions_double_ = std::move(transitions);
  transitions_float_ = convert<float>(transitions_double_);
}

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
