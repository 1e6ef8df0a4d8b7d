#include "train/induction/feature_pairs.h"

#include <algorithm>

#include "croft/inference/chain_posterior.h"
#include "train/induction/candidate_walk.h"

namespace croft {
namespace {

using HasPair = std::function<bool(const FeatureCandidate&)>;

class PairJudge final : public CandidateJudge {
 public:
  PairJudge(const EdgePlaces& edges, std::size_t labels, const HasPair& has,
            const Regulariser& regulariser)
      : edges_(edges),
        labels_(labels),
        has_(has),
        regulariser_(regulariser),
        excess_(labels * labels, 0.0),
        is_there_(labels * labels, false) {}
  void judge(const FeatureCandidate& made, const PostingList& postings,
             BestCandidates& best) override;

 private:
  void set_excess(const PostingList& postings);
  void add(std::uint32_t cell, double excess);
  void set_gain_places(const PostingList& postings, std::uint32_t cell);

  const EdgePlaces& edges_;
  const std::size_t labels_;
  const HasPair& has_;
  const Regulariser& regulariser_;
  std::vector<double> excess_;        // [L^2] G'(0) of the data, of the cells that are there
  std::vector<bool> is_there_;        // [L^2]
  std::vector<std::uint32_t> cells_;  // those that are
  std::vector<GainPlace> gain_places_;
};

void PairJudge::add(std::uint32_t cell, double excess) {
  if (!is_there_[cell]) cells_.push_back(cell);
  is_there_[cell] = true;
  excess_[cell] += excess;
}

void PairJudge::set_excess(const PostingList& postings) {
  for (const std::uint32_t cell : cells_) {
    excess_[cell] = 0;
    is_there_[cell] = false;
  }
  cells_.clear();
  for (const Posting& at : postings) {
    const double share = edges_.weight[at.place] * at.value;
    for (std::uint64_t k = edges_.begin[at.place]; k < edges_.begin[at.place + 1]; ++k) {
      add(edges_.cell[k], -share * double{edges_.probability[k]});
    }
    add(edges_.gold[at.place], share);
  }
  std::ranges::sort(cells_);
}

void PairJudge::set_gain_places(const PostingList& postings, std::uint32_t cell) {
  gain_places_.clear();
  for (const Posting& at : postings) {
    const auto begin = edges_.cell.begin() + static_cast<std::ptrdiff_t>(edges_.begin[at.place]);
    const auto end = edges_.cell.begin() + static_cast<std::ptrdiff_t>(edges_.begin[at.place + 1]);
    const auto found = std::lower_bound(begin, end, cell);
    const bool listed = found != end && *found == cell;
    const float p =
        listed ? edges_.probability[static_cast<std::size_t>(found - edges_.cell.begin())] : 0.0f;
    gain_places_.push_back(
        {double{p}, at.value, edges_.weight[at.place], edges_.gold[at.place] == cell});
  }
}

void PairJudge::judge(const FeatureCandidate& made, const PostingList& postings,
                      BestCandidates& best) {
  set_excess(postings);
  FeatureCandidate found = made;
  for (const Posting& at : postings) {
    found.places += hash_of_place(edges_.position[at.place], at.value);
  }
  for (const std::uint32_t cell : cells_) {
    if (!(gain_bound(excess_[cell], regulariser_) > best.least())) continue;
    set_gain_places(postings, cell);
    found.gain = best_gain(gain_places_, regulariser_);
    found.from = static_cast<Label>(cell / labels_);
    found.label = static_cast<Label>(cell % labels_);
    if (found.gain.gain > best.least() && !has_(found)) best.add(found);
  }
}

}  // namespace

std::vector<FeatureCandidate> find_pair_candidates(
    const AttributeLists& atoms, const EdgePlaces& edges, std::size_t labels,
    const std::vector<bool>& is_test, const HasPair& has, const Regulariser& regulariser,
    const InductionOptions& options, std::size_t most, ThreadPool& pool) {
  return walk_candidates(atoms, edges.position, is_test, options, most, pool, [&] {
    return std::make_unique<PairJudge>(edges, labels, has, regulariser);
  });
}

EdgeProbabilities::EdgeProbabilities(const ChainData& data, const ChainLayout& layout,
                                     std::span<const double> w, ThreadPool& pool)
    : data_(data), scorer_(layout) {
  scorer_.set_weights(w, pool);
}

void EdgeProbabilities::visit(std::size_t n, std::span<const std::uint32_t> positions,
                              Scratch& scratch, const Visit& visit) const {
  if (positions.empty()) return;
  scorer_.score(data_, n, scratch.scores);
  scratch.state.reshape(scratch.scores.length(), scratch.scores.labels());
  marginals<double>(scratch.scores, 1, scratch.work, {scratch.state.row(0), nullptr, nullptr});
  const ChainPosterior<double> posterior{scratch.scores, scratch.work, scratch.state.row(0)};
  for (std::size_t k = 0; k < positions.size(); ++k) {
    edge_marginals(posterior, positions[k] - data_.sequence_begin[n], scratch.pairs);
    visit(k, scratch.pairs);
  }
}

}  // namespace croft
