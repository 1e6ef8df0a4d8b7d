#include "train/segments/segment_self_training.h"

#include <algorithm>

#include "croft/inference/segment_sum.h"
#include "inference/segments/segment_posterior.h"
#include "model/linear_scorer.h"
#include "structure/copy_scores.h"
#include "train/segments/segment_rows_objective.h"

namespace croft {
namespace {

// One thread's work: the sure labels of a sequence.
class SureLabels {
 public:
  SureLabels(const SegmentExamples& examples, double confidence)
      : examples_(examples), confidence_(confidence), reader_(examples) {}

  void find(const LinearScorer<double>& scorer, const ChainData& data, std::size_t n,
            std::size_t columns, std::span<Label> out) {
    scorer.score(data, n, rows_);
    const SegmentScores<double>& theta = reader_.read(n, rows_);
    mu_.reshape(theta.length(), theta.segment.columns());
    overlay_.reshape(theta.overlay.rows(), theta.labels());
    std::ranges::fill(out, kAnyLabel);
    if (marginals(theta, 1, work_, {mu_.row(0), overlay_.row(0), nullptr}) ==
        SegmentScores<double>::kForbidden) {
      return;
    }
    column_marginals(examples_.shape, examples_.labels, mu_, columns, column_);
    for (std::size_t t = 0; t < out.size(); ++t) {
      out[t] = sure_label(std::as_const(column_)[t].first(columns), confidence_);
    }
    // Each is sure by itself; together they may be of no segmentation.
    copy_tables(theta, restricted_);
    restricted_.transitions = theta.transitions;
    restrict_to(examples_.labels, Gold(out), restricted_);
    if (log_partition(restricted_, work_) == SegmentScores<double>::kForbidden) {
      std::ranges::fill(out, kAnyLabel);
    }
  }

 private:
  const SegmentExamples& examples_;
  double confidence_;
  ChainScores<double> rows_;
  SegmentRowReader<double> reader_;
  SegmentWorkspace<double> work_;
  SegmentScores<double> restricted_;
  Matrix<double> mu_, overlay_, column_;
};

}  // namespace

std::vector<Label> SelfTrainedSegments::sure_labels(SeenAttributes seen,
                                                    std::span<const double> w) {
  const SegmentExamples& examples = other_.examples;
  const ChainData data = seen_of(other_.data, options_.view, seen);
  LinearScorer<double> scorer(layout_);
  scorer.set_weights(w, pool_);
  std::vector<SureLabels> workers(pool_.threads(), SureLabels(examples, options_.confidence));
  std::vector<Label> out(examples.known.size(), kAnyLabel);
  std::size_t columns = 0;
  for (Label y = 0; y < examples.labels.labels(); ++y) {
    for (const Label c : {examples.labels.first[y], examples.labels.inside[y],
                          examples.labels.last_of(y), examples.labels.single_of(y)}) {
      if (c != SegmentLabels::kNone) columns = std::max(columns, std::size_t{c} + 1);
    }
  }
  pool_.run(examples.sequences(), [&](std::size_t n, std::size_t worker) {
    workers[worker].find(scorer, data, n, columns,
                         std::span(out).subspan(examples.position_begin[n], examples.length(n)));
  });
  return out;
}

OptimizeResult SelfTrainedSegments::train(SeenAttributes seen, std::span<const Label> labels,
                                          std::span<double> w) {
  ChainData data = seen_of(labelled_.data, options_.view, seen);
  SegmentExamples examples = labelled_.examples;
  std::vector<std::size_t> which;
  for (std::size_t n = 0; n < other_.examples.sequences() && !labels.empty(); ++n) {
    const std::span<const Label> of =
        labels.subspan(other_.examples.position_begin[n], other_.examples.length(n));
    if (!std::ranges::any_of(of, is_one_label)) continue;
    examples.append(other_.examples, n, of);
    which.push_back(n);
  }
  append_some(seen_of(other_.data, options_.view, seen), which, data);
  for (std::size_t n = labelled_.data.sequences(); n < data.sequences(); ++n) {
    data.label[data.sequence_begin[n]] = static_cast<Label>(n);
  }
  return train_(data, examples, seen, w);
}

}  // namespace croft
