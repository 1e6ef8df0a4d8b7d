#include "train/encoded_training.h"

#include <algorithm>

#include "croft/core/compensated_sum.h"
#include "train/gold_check.h"

namespace croft {

void SequenceTraining::require_data() const {
  if (sequences() == 0) throw Error("there is no sequence to train on");
  if (labels() > 0) return;
  throw Error("no position of the training data says which label it may have; label some of them");
}

void EncodedTraining::add(const TextSequence& sequence, std::string_view file) {
  note_file(file);
  encoder_.add(sequence, file);
}

void EncodedTraining::note_file(std::string_view file) {
  if (!files_.empty() && files_.back().second == file) return;
  files_.emplace_back(encoder_.data.sequences(), file);
}

const std::string& EncodedTraining::file_of(std::size_t n) const {
  const auto next = std::ranges::upper_bound(files_, n, {}, &decltype(files_)::value_type::first);
  return std::prev(next)->second;
}

std::size_t EncodedTraining::partial_positions() const {
  const auto label = std::span(encoder_.data.label).first(positions());
  return positions() - static_cast<std::size_t>(std::ranges::count_if(label, is_one_label));
}

double EncodedTraining::total_weight() const {
  CompensatedSum sum;
  for (std::size_t n = 0; n < sequences(); ++n) sum.add(encoder_.data.sequence_weight(n));
  return sum.value();
}

std::vector<std::string> EncodedTraining::label_list() const {
  const auto names = encoder_.label_names.strings();
  return {names.begin(), names.end()};
}

bool EncodedTraining::weighted() const {
  return std::ranges::any_of(encoder_.data.weight, [](double w) { return w != 1; });
}

std::shared_ptr<const ChainConstraint> EncodedTraining::checked_constraint(
    const ConstraintMaker& make) const {
  if (!make) return nullptr;
  const std::vector<std::string> names = label_list();
  auto constraint = std::make_shared<const ChainConstraint>(make(names));
  check_gold(*constraint, encoder_.data, names, [&](std::size_t n) { return file_of(n); });
  return constraint;
}

}  // namespace croft
