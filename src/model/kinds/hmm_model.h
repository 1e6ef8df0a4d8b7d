// A trained hidden Markov model: scores that are log-probabilities, so that log Z is log p(x).
// docs/math/hidden_markov.md, docs/format.md, "The hidden Markov model".
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "features/compact_offsets.h"
#include "features/vocabulary.h"
#include "model/kinds/hmm_parameters.h"
#include "model/kinds/sequence_model.h"

namespace croft {
class Json;

class HmmModel final : public SequenceModel, public OpensFile<HmmModel> {
 public:
  static constexpr std::string_view kKind = "hmm";
  // Maps the file: the cost does not grow with the number of known values.
  explicit HmmModel(Container container);

  // log p(attribute | label) for every label, out: [L].  False, and `out` as it is, where the model
  // does not have its track.
  bool log_emission(std::string_view attribute, std::span<double> out) const;

  // What it was made from; a copy.
  HmmParameters parameters() const;
  std::span<const double> start() const { return start_; }  // [L] log
  std::span<const double> end() const { return end_; }      // [L] log; empty: lengths are given
  const std::vector<std::string>& tracks() const { return tracks_; }
  std::size_t values() const { return names_.size(); }  // that are known
  std::size_t suffixes() const { return suffix_names_.size(); }
  std::size_t suffix_letters() const { return suffix_letters_; }
  // Known value `id` < values(): its attribute, and visit(label, log-probability) for each of its
  // cells; the other labels have unlisted(its track, label).
  std::string value(std::uint32_t id) const { return names_.string(id); }
  template <class Visit>
  void visit_cells(std::uint32_t id, const Visit& visit) const {
    const CompactOffsets::Row place = rows_(id);
    for (std::uint64_t k = place.begin; k < place.begin + place.length; ++k) {
      if (cell_[k] < labels()) visit(Label{cell_[k]}, log_probability(log_[k]));
    }
  }
  double unlisted(std::size_t track, Label y) const { return unlisted_[track * labels() + y]; }
  // Of all unknown values of the track together.
  double unknown(std::size_t track, Label y) const { return unknown_[track * labels() + y]; }

 private:
  // theta of (HM.2).  In double log Z is log p(x), the log-likelihood of the observations; in float
  // each position is shifted to have its largest score at 0, which keeps the digits that tell
  // labels apart.  Attributes of a track that the model does not have count for nothing.
  //   cost: a look-up for each attribute, and L additions
  // Throws Error for an attribute with a value below 0: values count occurrences.
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<float>& out) const override;
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<double>& out) const override;
  // Whatever a damaged file holds is no reason to compute with NaN.
  static double log_probability(double number) { return number <= 0 ? number : 0; }
  std::span<const double> read_logs(std::string_view section, std::size_t count) const;
  void read_emissions();
  bool may_forbid() const override { return true; }
  std::optional<std::size_t> find_track(std::string_view name) const;
  void add_emission(std::string_view attribute, std::uint32_t id, double value,
                    std::span<double> row, std::span<double> out) const;
  bool emission_of(std::string_view attribute, std::uint32_t id, std::span<double> row) const;
  bool unknown_emission(std::string_view attribute, std::span<double> row) const;
  template <class Take>
  void for_each_position(const TextSequence& sequence, Scratch& scratch, const Take& take) const;

  std::span<const double> start_, end_, unlisted_, unknown_, log_, suffix_log_;
  std::vector<std::string> tracks_;
  std::unordered_map<std::string_view, std::size_t> track_number_;  // into tracks_
  CompactVocabulary names_, suffix_names_;
  CompactOffsets rows_;
  std::span<const std::uint32_t> cell_, value_track_;
  std::size_t suffix_letters_ = 0;
};

// The sections of the file; the bytes depend on the arguments alone.
//   training : the record to keep in it
ContainerWriter make_hmm_model(const HmmParameters& parameters,
                               const std::vector<std::string>& labels,
                               const ExtractionConfig& extraction, const Json& training);

}  // namespace croft
