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

void SequenceTraining::share_out(Ranks& ranks) {
  if (ranks.alone()) return;
  throw UsageError("this kind of model trains in one process; start it without mpirun");
}

void EncodedTraining::agree(Ranks& ranks) {
  if (ranks.alone()) return;
  agree_on_names(ranks, encoder_);
  totals_ = totals_of(ranks, encoder_.data);
}

void EncodedTraining::take_waves(Ranks& ranks, std::size_t labels) {
  if (ranks.alone()) return;
  SequenceFiles files;
  for (const auto& [first, name] : files_) files.names.push_back(name);
  for (std::size_t k = 0; k < files_.size(); ++k) {
    const std::size_t end = k + 1 < files_.size() ? files_[k + 1].first : encoder_.data.sequences();
    files.file.resize(end, static_cast<std::uint32_t>(k));
  }
  share_out_waves(ranks, labels, encoder_.data, files);
  files_.clear();
  for (std::size_t n = 0; n < files.file.size(); ++n) {
    if (n == 0 || files.file[n] != files.file[n - 1]) {
      files_.emplace_back(n, files.names[files.file[n]]);
    }
  }
  totals_ = totals_of(ranks, encoder_.data);
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
  if (totals_) return totals_->partial_positions;
  const auto label = std::span(encoder_.data.label).first(positions());
  return positions() - static_cast<std::size_t>(std::ranges::count_if(label, is_one_label));
}

double EncodedTraining::total_weight() const {
  if (totals_) return totals_->weight;
  double most = 1;
  for (const double w : encoder_.data.weight) most = std::max(most, w);
  return sum_of_weights(no_other_ranks(), encoder_.data, sequences(), most);
}

std::vector<std::string> EncodedTraining::label_list() const {
  const auto names = encoder_.label_names.strings();
  return {names.begin(), names.end()};
}

bool EncodedTraining::weighted() const {
  if (totals_) return totals_->weighted;
  return std::ranges::any_of(encoder_.data.weight, [](double w) { return w != 1; });
}

std::shared_ptr<const ChainConstraint> EncodedTraining::checked_constraint(
    const ConstraintMaker& make, Ranks& ranks) const {
  if (!make) return nullptr;
  const std::vector<std::string> names = label_list();
  auto constraint = std::make_shared<const ChainConstraint>(make(names));
  run_together(ranks, [&] {
    check_gold(*constraint, encoder_.data, names, [&](std::size_t n) { return file_of(n); });
  });
  return constraint;
}

}  // namespace croft
