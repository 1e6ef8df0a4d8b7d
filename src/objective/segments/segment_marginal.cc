// The marginal likelihood of column labels.  docs/math/segments.md section 9.
#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "inference/segments/segment_covariance.h"
#include "inference/segments/segment_posterior.h"
#include "objective/segments/segment_objective.h"
#include "objective/segments/segment_terms.h"
#include "structure/copy_scores.h"

namespace croft {
namespace {

constexpr double kSmallestP = 1e-25;  // of p: below it the scaled tables may have lost it
constexpr double kDifference = 1e-3;  // of p: below it a sum of differences has lost digits

}  // namespace

// One sequence, in double.
template <class Real>
struct SegmentMarginalLikelihood<Real>::Pass {
  TransitionScores<double> transitions;
  SegmentScores<double> scores, clamped;
  SegmentCovariance posterior;
  SegmentLogWorkspace log_work;
  Matrix<double> columns;  // [T][columns] marginals of column labels
  Matrix<double> reward;   // [T][columns] what a column label adds to S - E S, (SM.23)
  Matrix<double> value;    // [T][cells] the same of a segment
  Matrix<double> d_segment, d_overlay;
  std::vector<double> d_edge;
  std::vector<std::size_t> hopeless;  // positions whose gold is too improbable for the tables
  std::vector<Label> known;

  std::size_t length() const { return scores.length(); }
  std::size_t labels() const { return scores.labels(); }

  // p of the column labels that gold knows at t, by its segments.
  double probability(const SegmentLabels& names, const Gold& gold, std::size_t t) const {
    double p = 0;
    for (const Label c : gold.labels(t)) {
      p += c < columns.columns() ? columns(t, c) : 0;
    }
    if (p >= kDifference) return p;
    p = 0;
    const SegmentShape& shape = *scores.shape;
    for (Label y = 0; y < labels(); ++y) {
      for (std::size_t s = t + 1 > shape.longest(y) ? t + 1 - shape.longest(y) : 0; s <= t; ++s) {
        for (std::size_t d = t - s + 1; d <= std::min(shape.longest(y), length() - s); ++d) {
          if (gold.allows(t, names.column(y, t - s, d)))
            p += posterior.segments()(s, shape.cell(y, d));
        }
      }
    }
    return p;
  }

  // value[t][cell] = sum of rewards over its positions: added up, never subtracted.
  void set_values(const SegmentLabels& names) {
    const SegmentShape& shape = *scores.shape;
    value.reshape(length(), shape.cells());
    for (std::size_t t = 0; t < length(); ++t) {
      for (Label y = 0; y < labels(); ++y) {
        double* to = value.row(t) + shape.first[y];
        to[0] = reward(t, names.single_of(y));
        double sum = reward(t, names.first[y]);
        for (std::size_t d = 2; d <= std::min(shape.longest(y), length() - t); ++d) {
          if (d > 2) sum += reward(t + d - 2, names.inside[y]);
          to[d - 1] = sum + reward(t + d - 1, names.last_of(y));
        }
      }
    }
  }

  // Positions one by one: log p, and scale (mu given gold there - mu) to the derivatives.
  bool clamp(const SegmentLabels& names, const Gold& gold, double scale, CompensatedSum& loss) {
    Matrix<double> given(length(), scores.segment.columns()),
        overlay(scores.overlay.rows(), labels());
    std::vector<double> edge(labels() * labels());
    for (const std::size_t t : hopeless) {
      copy_tables(scores, clamped);
      clamped.transitions = scores.transitions;
      known.assign(length(), kAnyLabel);
      known[t] = gold.known[t];
      restrict_to(names, Gold(known, gold.sets), clamped);
      std::ranges::fill(edge, 0.0);
      const double log_z =
          log_domain_marginals(clamped, 1, log_work, {given.row(0), overlay.row(0), edge.data()});
      if (log_z == -kInf) return false;
      loss.add(-difference(log_work.log_z, posterior.log_z()));
      const auto add = [scale](const double* a, const double* b, std::size_t count, double* to) {
        for (std::size_t k = 0; k < count; ++k) to[k] += scale * (a[k] - b[k]);
      };
      add(given.row(0), posterior.segments().row(0), length() * given.stride(), d_segment.row(0));
      add(overlay.row(0), posterior.overlays().row(0), overlay.rows() * overlay.stride(),
          d_overlay.row(0));
      add(edge.data(), posterior.edges().data(), edge.size(), d_edge.data());
    }
    return true;
  }
};

template <class Real>
double SegmentMarginalLikelihood<Real>::operator()(const SegmentScores<Real>& scores,
                                                   const SegmentGold& gold, double weight,
                                                   const SegmentGradient<Real>& out) {
  if (!pass_) pass_ = std::make_shared<Pass>();
  Pass& pass = *pass_;
  const std::size_t length = scores.length(), labels = scores.labels();
  if (length == 0) return 0;
  pass.transitions = convert<double>(*scores.transitions);
  copy_tables(scores, pass.scores);
  pass.scores.transitions = &pass.transitions;
  if (pass.posterior.read(pass.scores) == -kInf) return kInf;
  const bool scaled = pass.posterior.scaled();
  slow_ += !scaled;
  std::vector<Label> spelt(length);
  if (gold.is_complete) spell(labels_, gold.segments, spelt);
  const Gold known = gold.is_complete ? Gold(spelt) : gold.columns;

  std::size_t columns = 0;
  for (Label y = 0; y < labels; ++y) {
    for (const Label c :
         {labels_.first[y], labels_.inside[y], labels_.last_of(y), labels_.single_of(y)}) {
      if (c != SegmentLabels::kNone) columns = std::max(columns, std::size_t{c} + 1);
    }
  }
  column_marginals(*scores.shape, labels_, pass.posterior.segments(), columns, pass.columns);
  pass.reward.assign(length, columns, 0.0);
  pass.hopeless.clear();
  CompensatedSum loss;
  for (std::size_t t = 0; t < length; ++t) {
    if (known.is_any(t)) continue;
    const double p = scaled ? pass.probability(labels_, known, t) : 0;
    if (p < kSmallestP) {
      pass.hopeless.push_back(t);
      continue;
    }
    loss.add(-std::log(p));
    std::ranges::fill(pass.reward[t], -1.0);
    for (const Label c : known.labels(t)) {
      if (c < columns) pass.reward(t, c) += 1 / p;
    }
  }
  pass.d_segment.assign(length, scores.segment.columns(), 0.0);
  pass.d_overlay.assign(scores.overlay.rows(), labels, 0.0);
  pass.d_edge.assign(labels * labels, 0.0);
  if (scaled) {
    pass.set_values(labels_);
    pass.posterior({.segment = pass.value}, -weight,
                   {pass.d_segment.row(0), pass.d_overlay.row(0), pass.d_edge.data()});
  }
  if (!pass.clamp(labels_, known, -weight, loss)) return kInf;

  const auto narrow = [](const Matrix<double>& from, Real* to) {
    std::transform(from.row(0), from.row(0) + from.rows() * from.stride(), to,
                   [](double v) { return static_cast<Real>(v); });
  };
  narrow(pass.d_segment, out.segment);
  if (out.overlay != nullptr) narrow(pass.d_overlay, out.overlay);
  for (std::size_t k = 0; k < labels * labels && out.transition != nullptr; ++k) {
    out.transition[k] += pass.d_edge[k];
  }
  return weight * loss.value();
}

template class SegmentMarginalLikelihood<float>;
template class SegmentMarginalLikelihood<double>;

}  // namespace croft
