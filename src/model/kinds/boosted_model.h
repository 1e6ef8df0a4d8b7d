// A trained model whose scores are sums of regression trees: boosted-chain, boosted-maxent.
// docs/math/boosting.md, docs/format.md, "Boosted models".
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/kinds/segment_model.h"
#include "model/kinds/sequence_model.h"
#include "model/kinds/tree_scorer.h"

namespace croft {

inline constexpr std::string_view kBoostedChain = "boosted-chain",
                                  kBoostedMaxent = "boosted-maxent",
                                  kBoostedSegment = "boosted-segment";
inline bool is_boosted(std::string_view kind) {
  return kind == kBoostedChain || kind == kBoostedMaxent || kind == kBoostedSegment;
}

class BoostedModel final : public SequenceModel, public OpensFile<BoostedModel> {
 public:
  // Maps the file; the trees are looked through, in a time linear in them.  Throws Error as
  // Container::open, for a model of another kind, and for trees that are damaged.
  explicit BoostedModel(Container container);

  bool has_overlays() const override { return trees().has_pairs(); }

  const TreeScorer& scorer() const { return scorer_; }
  // Those that some tree tests.
  std::size_t attributes() const { return scorer_.attributes(); }
  std::string attribute(std::uint32_t id) const { return scorer_.attribute(id); }
  std::span<const double> base() const { return scorer_.base(); }  // [L]
  const TreeEnsemble& trees() const { return scorer_.trees(); }
  std::size_t rounds() const { return rounds_; }

 private:
  // (TB.1); TreeScorer::score() says what it costs.
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<float>& out) const override;
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<double>& out) const override;
  TreeScorer scorer_;
  std::size_t rounds_ = 0;
};

// What a model file is made from.
struct BoostedParts : TreeParts {
  std::string_view kind;
  std::vector<std::string> labels;
  const ExtractionConfig* extraction = nullptr;
  std::size_t rounds = 0;
  const Json* training = nullptr;
};
// The sections of the file; only attributes that a tree tests are in it.
ContainerWriter make_boosted_model(const BoostedParts& parts);

// A trained segment model whose scores are sums of regression trees: boosted-segment.
// docs/math/boosting.md section 7, docs/format.md "Boosted models".
class BoostedSegmentModel final : public SegmentModel, public OpensFile<BoostedSegmentModel> {
 public:
  using OpensFile<BoostedSegmentModel>::open;
  // As SegmentModel and BoostedModel.
  explicit BoostedSegmentModel(Container container);

  const TreeScorer& scorer() const { return scorer_; }
  std::size_t rounds() const { return rounds_; }

 private:
  // F of (TB.8), of positions and column labels.
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<float>& out) const override;
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<double>& out) const override;
  // S of (TB.8): a path of each tree of segments for each segment of which templates say something
  // else than of another one.
  void add_segments(const SegmentStrings& strings, double scale, SpanScratch& scratch,
                    SegmentScores<float>& out) const override;
  void add_segments(const SegmentStrings& strings, double scale, SpanScratch& scratch,
                    SegmentScores<double>& out) const override;
  template <class Real>
  void add_segments_in(const SegmentStrings& strings, double scale, SpanScratch& scratch,
                       SegmentScores<Real>& out) const;

  TreeScorer scorer_;
  std::size_t rounds_ = 0;
};

struct BoostedSegmentParts {
  BoostedParts boosted;  // transitions are those of segments
  SegmentFeatureParts segments;
};
ContainerWriter make_boosted_segment_model(const BoostedSegmentParts& parts);

}  // namespace croft
