// Forests of variables drawn exactly given all others.  Internal to gibbs.h.
//
//   m_v(x_p) = sum_{x_v} exp(theta_v + theta_vp) prod_{children} m_c(x_v)               (GS.4)
//
// from the leaves to the roots, where theta are the scores given what is outside; then from the
// roots each state is drawn given that of the parent.  Hamze & de Freitas (2004);
// docs/math/graph_sampling.md section 4.
#pragma once
#include <span>
#include <vector>

#include "inference/graph/sampling/gibbs_plan.h"

namespace croft {

// Sites of which no two are joined by two ways of factors.
class GibbsForest {
 public:
  // parents before children.  The parents are those of `members`.
  struct Member {
    Site site;
    std::uint32_t parent;           // its place among the members; kRoot
    std::vector<Factor> own;        // of no other member
    std::vector<Factor> to_parent;  // of it and its parent
  };
  static constexpr std::uint32_t kRoot = 0xffffffff;
  explicit GibbsForest(std::vector<Member> members) : members_(std::move(members)) {}

  struct Scratch {
    std::vector<std::size_t> begin;
    std::vector<double> local, edge, row;  // local: [members][states]
  };
  // uniform() in [0, 1)
  template <class Uniform>
  void draw(const GibbsPlan& plan, std::span<State> x, Scratch& scratch,
            const Uniform& uniform) const;

 private:
  void collect(const GibbsPlan& plan, std::span<State> x, Scratch& scratch) const;

  std::vector<Member> members_;
};

// The sites in forests: each takes whom it can, in an order drawn by `seed`, the next the others.
std::vector<GibbsForest> cut_into_forests(const GibbsPlan& plan, std::uint64_t seed);
// Two sites that share a factor, all such; sites that share none with any other alone.
std::vector<GibbsForest> all_pairs(const GibbsPlan& plan);
// Whether the whole graph is a forest of pairs.
bool is_forest(const GibbsPlan& plan);

template <class Uniform>
void GibbsForest::draw(const GibbsPlan& plan, std::span<State> x, Scratch& scratch,
                       const Uniform& uniform) const {
  collect(plan, x, scratch);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Member& member = members_[m];
    const std::size_t states = plan.states(member.site);
    const auto local = scratch.local.begin() + static_cast<std::ptrdiff_t>(scratch.begin[m]);
    scratch.row.assign(local, local + static_cast<std::ptrdiff_t>(states));
    // The parent has its state, so that what joins both is a score of this one.
    for (const Factor f : member.to_parent) {
      plan.scores->add(f, member.site, states, x, scratch.row.data());
    }
    x[member.site] = static_cast<State>(draw_by_scores(scratch.row, plan.temperature, uniform()));
  }
}

}  // namespace croft
