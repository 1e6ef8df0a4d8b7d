// The conjunctions that hold at enough of some places, each looked at once, and the best candidates
// kept: what find_candidates() and find_pair_candidates() share.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "train/induction/feature_induction.h"

namespace croft {

// Where something holds: indices into the places, increasing, with its value there.
struct Posting {
  std::uint32_t place;
  double value;
};
using PostingList = std::vector<Posting>;

// The best candidates, of which there may be at most so many.
class BestCandidates {
 public:
  BestCandidates(std::size_t most, double least) : most_(most), least_(least) {}

  // A gain that is not above this is of no use.
  double least() const { return least_; }
  void add(const FeatureCandidate& candidate);
  void add(const BestCandidates& other);
  void shrink();
  std::vector<FeatureCandidate> take();  // better ones first

 private:
  std::size_t most_;
  double least_;
  std::vector<FeatureCandidate> list_;
};

// Looks at all labels (or pairs of labels) of one conjunction.  One a thread.
class CandidateJudge {
 public:
  virtual ~CandidateJudge() = default;
  // `made` names the attributes; what gains more than best.least() is to be added to `best`.
  virtual void judge(const FeatureCandidate& made, const PostingList& postings,
                     BestCandidates& best) = 0;
};

// The `most` best candidates, better ones first; of those that hold at the same places with the
// same labels the first alone.
//   places : positions of `atoms`, increasing
// Conjunctions are walked depth first, from the rarest of their attributes to the most frequent
// one.
std::vector<FeatureCandidate> walk_candidates(
    const AttributeLists& atoms, std::span<const std::uint32_t> places,
    const std::vector<bool>& is_test, const InductionOptions& options, std::size_t most,
    ThreadPool& pool, const std::function<std::unique_ptr<CandidateJudge>()>& make_judge);

// Of candidates with the same places and labels the first alone is kept.
void drop_repeated(std::vector<FeatureCandidate>& candidates);

// The conjunctions of candidates, each once, and which one is each candidate's.
ConjunctionIndex index_of(const std::vector<FeatureCandidate>& candidates,
                          std::vector<std::uint32_t>& number);

// A conjunction that holds wherever one of its parts does is that part.
//   places : how many the conjunction has;  count : how many each attribute has
void shorten(FeatureCandidate& candidate, std::size_t places,
             const std::vector<std::uint32_t>& count);

}  // namespace croft
