// The likelihood of a chain by enumeration, with a constraint and with transitions that share
// weights.
#pragma once
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "support/all_sequences.h"
#include "support/naive_features.h"

namespace croft::testing_support {

// What a weight vector means, without the lists of a layout: the place of each feature in w.
class NaiveWeights {
 public:
  NaiveWeights(const ChainLayout& layout, const Renumbering& renumbering,
               const TransitionGroups* groups)
      : labels_(layout.labels), groups_(groups) {
    for (const auto& [feature, place] : feature_positions(layout, renumbering)) {
      if (feature.kind == FeatureKind::tied && group_of(feature) < TransitionGroups::kNone) {
        of_group_[{feature.attribute, group_of(feature)}] = place;
      } else {
        of_feature_[feature] = place;
      }
    }
  }
  std::optional<std::uint64_t> place(const Feature& feature) const {
    if (feature.kind == FeatureKind::tied && group_of(feature) < TransitionGroups::kNone) {
      const auto at = of_group_.find({feature.attribute, group_of(feature)});
      return at == of_group_.end() ? std::nullopt : std::optional(at->second);
    }
    const auto at = of_feature_.find(feature);
    return at == of_feature_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  std::uint32_t group_of(const Feature& feature) const {
    if (groups_ == nullptr) return TransitionGroups::kOwn;
    return groups_->of[feature.from * labels_ + feature.to];
  }
  std::size_t labels_;
  const TransitionGroups* groups_;
  std::map<Feature, std::uint64_t> of_feature_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> of_group_;
};

struct NaiveEvaluation {
  double value = 0;
  std::vector<double> gradient;
};

// sum of weight (log sum over allowed y - log sum over allowed y that fit) of exp score, and d/dw.
//   constraint : null: everything is allowed
inline NaiveEvaluation naive_likelihood(const PlainData& plain, const ChainData& data,
                                        const ChainLayout& layout, const NaiveWeights& weights,
                                        const ChainConstraint* constraint,
                                        const std::vector<double>& w) {
  NaiveEvaluation out{0, std::vector<double>(w.size())};
  for (std::size_t n = 0; n < plain.size(); ++n) {
    const PlainSequence& x = plain[n];
    const Gold gold = data.gold(n);
    struct Candidate {
      std::vector<Label> y;
      long double factor;
      bool fits = true;
    };
    std::vector<Candidate> allowed;
    long double z = 0, z_fitting = 0;  // scores of a few units: nothing overflows
    for_each_sequence(layout.labels, x.label.size(), [&](const std::vector<Label>& y) {
      if (constraint != nullptr && check(*constraint, y)) return;
      long double score = 0;
      for_each_fired(x, y, layout.tied.rows(), [&](const Feature& feature, double v) {
        if (const auto k = weights.place(feature)) score += static_cast<long double>(v) * w[*k];
      });
      Candidate each{y, std::exp(score)};
      for (std::size_t t = 0; t < y.size(); ++t) each.fits = each.fits && gold.allows(t, y[t]);
      z += each.factor;
      if (each.fits) z_fitting += each.factor;
      allowed.push_back(std::move(each));
    });
    for (const Candidate& each : allowed) {
      const long double p = each.factor / z - (each.fits ? each.factor / z_fitting : 0);
      for_each_fired(x, each.y, layout.tied.rows(), [&](const Feature& feature, double v) {
        if (const auto k = weights.place(feature)) {
          out.gradient[*k] += static_cast<double>(x.weight * p * v);
        }
      });
    }
    out.value += static_cast<double>(x.weight * (std::log(z) - std::log(z_fitting)));
  }
  return out;
}

}  // namespace croft::testing_support
