#include "train/graph/split_terms.h"

#include <algorithm>
#include <limits>

namespace croft {
namespace {

// Cuts one instance, part by part.
class Cutter {
 public:
  Cutter(const CliqueSchema& schema, const CliqueRows& rows, const GraphInstance& whole,
         std::vector<TermPart>& parts)
      : schema_(schema),
        rows_(rows),
        whole_(whole),
        parts_(parts),
        variable_(whole.graph.variables(), kNone),
        factor_(whole.graph.factors(), kNone),
        potential_(whole.row.size(), kNone) {}

  void add(std::span<const Variable> free, std::span<const Factor> factors) {
    if (part_ == nullptr) {
      part_ = &parts_.emplace_back();
      part_->instance.weight = whole_.weight;
    }
    TermShape shape;
    for (const Factor f : factors) shape.factors.push_back(factor(f));
    for (const Variable v : free) shape.free.push_back(variable(v));
    part_->terms.push_back(std::move(shape));
    if (part_->terms.size() == kPartTerms) close();
  }

  void close() {
    part_ = nullptr;
    for (const std::uint32_t v : variables_) variable_[v] = kNone;
    for (const std::uint32_t f : factors_) factor_[f] = kNone;
    for (const std::uint32_t p : potentials_) potential_[p] = kNone;
    variables_.clear();
    factors_.clear();
    potentials_.clear();
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  Variable variable(Variable v) {
    if (variable_[v] != kNone) return variable_[v];
    GraphInstance& to = part_->instance;
    variable_[v] = to.graph.add_variable(whole_.graph.states(v));
    to.variable.push_back(whole_.variable[v]);
    to.known.push_back(whole_.known[v]);
    variables_.push_back(v);
    return variable_[v];
  }

  PotentialId potential(PotentialId p) {
    if (potential_[p] != kNone) return potential_[p];
    GraphInstance& to = part_->instance;
    const std::uint32_t row = whole_.row[p];
    const CliqueTemplate& t = schema_.templates[rows_.template_of(row)];
    potential_[p] = t.interaction.add_potential(to.graph, rows_.sizes(row));
    to.row.push_back(row);
    potentials_.push_back(p);
    return potential_[p];
  }

  Factor factor(Factor f) {
    if (factor_[f] != kNone) return factor_[f];
    scope_.clear();
    for (const Variable v : whole_.graph.scope(f)) scope_.push_back(variable(v));
    const PotentialId p = potential(whole_.graph.potential_of(f));
    factor_[f] = part_->instance.graph.add_factor(scope_, p);
    factors_.push_back(f);
    return factor_[f];
  }

  const CliqueSchema& schema_;
  const CliqueRows& rows_;
  const GraphInstance& whole_;
  std::vector<TermPart>& parts_;
  TermPart* part_ = nullptr;
  // By the whole's numbers, the part's; and which are set.
  std::vector<std::uint32_t> variable_, factor_, potential_;
  std::vector<std::uint32_t> variables_, factors_, potentials_;
  std::vector<Variable> scope_;
};

}  // namespace

std::vector<TermPart> split_terms(const CliqueSchema& schema, const CliqueRows& rows,
                                  std::span<const GraphInstance> instances, const TermsOf& terms,
                                  bool samples) {
  std::vector<TermPart> parts;
  const auto is_large = [&](const GraphInstance& each) {
    return each.row.size() >= kManyPotentials || (samples && each.graph.factors() >= kManySamples);
  };
  if (std::ranges::none_of(instances, is_large)) return parts;
  for (const GraphInstance& each : instances) {
    if (!is_large(each)) {
      parts.push_back({each, {}});
      continue;
    }
    Cutter cutter(schema, rows, each, parts);
    terms(each, [&](auto free, auto factors) { cutter.add(free, factors); });
    cutter.close();
  }
  return parts;
}

}  // namespace croft
