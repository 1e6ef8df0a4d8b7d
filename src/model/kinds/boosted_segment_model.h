// A trained segment model whose scores are sums of regression trees: boosted-segment.
// docs/math/boosting.md section 7, docs/format.md "Boosted models".
#pragma once
#include <memory>

#include "model/kinds/boosted_model.h"
#include "model/kinds/segment_model.h"

namespace croft {

class BoostedSegmentModel final : public SegmentModel {
 public:
  // As SegmentModel and BoostedModel.
  static std::shared_ptr<const BoostedSegmentModel> open(const std::filesystem::path& path);
  explicit BoostedSegmentModel(Container container);

  // F of (TB.8), of positions and column labels.
  void score(const TextSequence& sequence, Scratch& scratch,
             ChainScores<float>& out) const override;
  void score(const TextSequence& sequence, Scratch& scratch,
             ChainScores<double>& out) const override;

  const TreeScorer& scorer() const { return scorer_; }
  std::size_t rounds() const { return rounds_; }

 private:
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
