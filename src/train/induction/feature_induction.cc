#include "train/induction/feature_induction.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "train/induction/candidate_walk.h"

namespace croft {
namespace {

using Has = std::function<bool(std::span<const std::uint32_t>, Label)>;

class LabelJudge final : public CandidateJudge {
 public:
  LabelJudge(const GainData& data, const Has& has, const Regulariser& regulariser)
      : data_(data), has_(has), regulariser_(regulariser) {}
  void judge(const FeatureCandidate& made, const PostingList& postings,
             BestCandidates& best) override;

 private:
  void set_excess(const PostingList& postings);

  const GainData& data_;
  const Has& has_;
  const Regulariser& regulariser_;
  std::vector<double> excess_;  // [L] G'(0) of the data
  std::vector<GainPlace> gain_places_;
};

void LabelJudge::set_excess(const PostingList& postings) {
  const std::size_t labels = data_.probability.columns();
  excess_.assign(labels, 0.0);
  for (const Posting& at : postings) {
    const std::uint32_t p = data_.places[at.place];
    const double share = data_.weight[at.place] * at.value;
    const float* row = data_.probability.row(p);
    for (std::size_t j = 0; j < labels; ++j) excess_[j] -= share * double{row[j]};
    excess_[data_.label[p]] += share;
  }
}

void LabelJudge::judge(const FeatureCandidate& made, const PostingList& postings,
                       BestCandidates& best) {
  set_excess(postings);
  std::uint64_t hash = 0;
  bool hashed = false;
  for (Label j = 0; j < excess_.size(); ++j) {
    if (!(gain_bound(excess_[j], regulariser_) > best.least())) continue;
    gain_places_.clear();
    for (const Posting& at : postings) {
      const std::uint32_t p = data_.places[at.place];
      gain_places_.push_back(
          {double{data_.probability(p, j)}, at.value, data_.weight[at.place], data_.label[p] == j});
    }
    const FeatureGain gain = best_gain(gain_places_, regulariser_);
    if (!(gain.gain > best.least()) || has_(made.attributes(), j)) continue;
    for (std::size_t k = 0; !hashed && k < postings.size(); ++k) {
      hash += hash_of_place(data_.places[postings[k].place], postings[k].value);
    }
    hashed = true;
    FeatureCandidate found = made;
    found.label = j;
    found.gain = gain;
    found.places = hash;
    best.add(found);
  }
}

}  // namespace

std::uint64_t hash_of_place(std::uint32_t position, double value) {
  return Random(std::bit_cast<std::uint64_t>(value) + position).next();
}

bool better(const FeatureCandidate& a, const FeatureCandidate& b) {
  if (a.gain.gain != b.gain.gain) return a.gain.gain > b.gain.gain;
  if (a.parts != b.parts) return a.parts < b.parts;
  if (a.part != b.part) return a.part < b.part;
  if (a.label != b.label) return a.label < b.label;
  return a.from < b.from;
}

void InductionOptions::validate() const {
  const auto require = [](bool holds, const Message& what) {
    if (!holds) throw UsageError(what);
  };
  require(size >= 1 && size <= kMostParts,
          Message("--induce-size ", size, " is not 1 to ", kMostParts));
  require(size > 1 || from_nothing,
          "--induce-size 1 finds single attributes, which have features already: take 2, or "
          "--induce-from nothing");
  require(batch >= 1 && rounds >= 1 && iterations >= 1 && min_count >= 1,
          "--induce-batch, --induce-rounds, --induce-iterations and --induce-count are at least 1");
  require(min_gain >= 0 && std::isfinite(min_gain),
          Message("--induce-gain ", fmt::format("{}", min_gain),
                  " is not a finite number of 0 or more"));
}

std::vector<FeatureCandidate> find_candidates(const GainData& data,
                                              const std::vector<bool>& is_test, const Has& has,
                                              const Regulariser& regulariser,
                                              const InductionOptions& options, std::size_t most,
                                              ThreadPool& pool) {
  return walk_candidates(data.atoms, data.places, is_test, options, most, pool,
                         [&] { return std::make_unique<LabelJudge>(data, has, regulariser); });
}

}  // namespace croft
