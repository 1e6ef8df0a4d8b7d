// The marginal likelihood of column labels.  docs/math/segments.md section 9.
#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "inference/segments/segment_log_domain.h"
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
  SegmentWorkspace<double> work;
  SegmentLogWorkspace log_work;
  Matrix<double> mu, mu_overlay;  // marginals
  std::vector<double> mu_edge;    // [L L]
  Matrix<double> columns;         // [T][columns] marginals of column labels
  Matrix<double> reward;          // [T][columns] what a column label adds to S - E S, (SM.23)
  Matrix<double> value;           // [T][cells] the same of a segment
  Matrix<double> before, entry;   // [T + 1][L], [T][L] E of S before, given the boundary  (SM.24)
  Matrix<double> after, exit;     // [T + 1][L], [T][L] of S behind; exit: times p / begin
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
          if (gold.allows(t, names.column(y, t - s, d))) p += mu(s, shape.cell(y, d));
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

  // E[S before | a segment with this cell begins at t].
  double entry_of(std::size_t t, Label y, std::size_t cell) const {
    const std::size_t k = t > 0 ? overlay_at(scores, t, cell) : kNoSegmentOverlay;
    if (k == kNoSegmentOverlay) return entry(t, y);
    double mean = 0;
    for (Label i = 0; i < labels(); ++i) mean += work.overlay_share(k, i) * before(t, i);
    return mean;
  }

  void forward() {
    const SegmentShape& shape = *scores.shape;
    const Matrix<double>& factor = scores.transitions->factors();
    before.assign(length() + 1, labels(), 0.0);
    entry.assign(length(), labels(), 0.0);
    for (std::size_t t = 0; t < length(); ++t) {
      for (Label y = 0; y < labels() && t > 0; ++y) {
        if (!(work.begin(t, y) > 0)) continue;
        double sum = 0;
        for (Label i = 0; i < labels(); ++i) {
          sum += work.end(t, i) * factor(i, y) * before(t, i);
        }
        entry(t, y) = sum / work.begin(t, y);
      }
      for (Label y = 0; y < labels(); ++y) {  // to the boundaries where these segments end
        for (std::size_t d = 1; d <= std::min(shape.longest(y), length() - t); ++d) {
          const std::size_t cell = shape.cell(y, d);
          const double weight = work.begin(t, y) * work.unit(t, y) * work.weight(t, cell);
          if (weight == 0 || !(work.end(t + d, y) > 0)) continue;
          const double share =
              std::ldexp(weight, work.exponent[t] - work.exponent[t + d]) / work.end(t + d, y);
          before(t + d, y) += share * (entry_of(t, y, cell) + value(t, cell));
        }
      }
    }
  }

  void backward(double scale) {
    const SegmentShape& shape = *scores.shape;
    const Matrix<double>& factor = scores.transitions->factors();
    after.assign(length() + 1, labels(), 0.0);
    exit.assign(length(), labels(), 0.0);
    d_edge.assign(labels() * labels(), 0.0);
    d_segment.assign(length(), shape.cells(), 0.0);
    d_overlay.assign(scores.overlay.rows(), labels(), 0.0);
    double mean = 0, total = 0;  // E S, 0 but for rounding
    for (Label y = 0; y < labels(); ++y) {
      mean += work.end(length(), y) * before(length(), y);
      total += work.end(length(), y);
    }
    mean /= total;
    std::vector<double> reached(labels()), sum(labels());
    for (std::size_t t = length(); t-- > 0;) {
      std::ranges::fill(reached, 0.0);
      std::ranges::fill(sum, 0.0);
      for (Label y = 0; y < labels(); ++y) {
        double share = 0;
        for (std::size_t d = 1; d <= std::min(shape.longest(y), length() - t); ++d) {
          const std::size_t cell = shape.cell(y, d);
          const double p = mu(t, cell);
          if (p == 0) continue;
          const double behind = value(t, cell) + after(t + d, y);
          d_segment(t, cell) = scale * p * (entry_of(t, y, cell) + behind - mean);
          const std::size_t k = t > 0 ? overlay_at(scores, t, cell) : kNoSegmentOverlay;
          if (k == kNoSegmentOverlay) {
            share += p * behind;
            continue;
          }
          for (Label i = 0; i < labels(); ++i) {
            const double part = p * work.overlay_share(k, i);
            if (part == 0) continue;
            const double change = scale * part * (before(t, i) + behind - mean);
            d_overlay(k, i) = change;
            d_edge[i * labels() + y] += change;
            reached[i] += part / work.end(t, i);
            sum[i] += part / work.end(t, i) * behind;
          }
        }
        if (work.begin(t, y) > 0) exit(t, y) = share / work.begin(t, y);
      }
      if (t == 0) break;
      for (Label i = 0; i < labels(); ++i) {
        for (Label y = 0; y < labels(); ++y) {
          const double f = factor(i, y), share = work.share(t, y);
          reached[i] += f * share;
          sum[i] += f * exit(t, y);
          d_edge[i * labels() + y] +=
              scale * work.end(t, i) * f * (share * (before(t, i) - mean) + exit(t, y));
        }
        if (reached[i] > 0) after(t, i) = sum[i] / reached[i];
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
      loss.add(-difference(log_work.log_z, work.log_z));
      const auto add = [scale](const double* a, const double* b, std::size_t count, double* to) {
        for (std::size_t k = 0; k < count; ++k) to[k] += scale * (a[k] - b[k]);
      };
      add(given.row(0), mu.row(0), length() * mu.stride(), d_segment.row(0));
      add(overlay.row(0), mu_overlay.row(0), overlay.rows() * overlay.stride(), d_overlay.row(0));
      add(edge.data(), mu_edge.data(), edge.size(), d_edge.data());
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
  pass.mu.reshape(length, scores.segment.columns());
  pass.mu_overlay.reshape(scores.overlay.rows(), labels);
  pass.mu_edge.assign(labels * labels, 0.0);
  if (marginals(pass.scores, 1, pass.work,
                {pass.mu.row(0), pass.mu_overlay.row(0), pass.mu_edge.data()}) == -kInf) {
    return kInf;
  }
  const bool scaled = pass.work.path == ChainPath::scaled;
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
  column_marginals(*scores.shape, labels_, pass.mu, columns, pass.columns);
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
  if (scaled) {
    pass.set_values(labels_);
    pass.forward();
    pass.backward(-weight);
  } else {
    pass.d_segment.assign(length, scores.segment.columns(), 0.0);
    pass.d_overlay.assign(scores.overlay.rows(), labels, 0.0);
    pass.d_edge.assign(labels * labels, 0.0);
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
