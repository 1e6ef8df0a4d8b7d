// Passive-aggressive learning: the smallest change of w that makes a sample right by its margin.
//
//   w <- w - tau g,   tau = l / |g|^2,   min(C, l / |g|^2)   or   l / (|g|^2 + 1/(2C))     (SG.23)
//
// where l = f_n(w) > 0, the hinge with its cost.  And MIRA: the same for the k labellings that rank
// first.  Crammer, Dekel, Keshet, Shalev-Shwartz & Singer (2006); McDonald, Crammer & Pereira
// (2005).  docs/math/stochastic_optimisation.md section 10
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"
#include "optimize/stochastic/perceptron.h"

namespace croft {

enum class PassiveAggressiveKind {
  pa,    // the margin, whatever it takes
  pa_1,  // a change of at most C |g|
  pa_2   // a change that costs its square: 1/2C beside |g|^2
};
// "pa", "pa-1", "pa-2"
std::string_view passive_aggressive_kind_name(PassiveAggressiveKind kind);

struct PassiveAggressiveOptions {
  PassiveAggressiveKind kind = PassiveAggressiveKind::pa_1;
  double aggressiveness = 1;  // C > 0; not used by kind pa
  bool average = true;        // w is the average of the weights after each sample
  std::uint64_t seed = 1;
  StoppingRule stop = online_stopping_rule();
  void validate() const;  // throws UsageError naming the field and its range
};

// Learns from w (in and out), as perceptron() does, and reports and throws as it.
// Memory beside w: 1.5 doubles a weight; averaged 3.5.
OptimizeResult passive_aggressive(SampleFunction& f, const Regulariser& regulariser,
                                  std::span<double> w, const PassiveAggressiveOptions& options,
                                  const IterationCallback& callback = {},
                                  Checkpointer* checkpoints = nullptr);

struct MiraOptions {
  static constexpr std::size_t kMaxBest = 1000;
  std::size_t best = 5;       // labellings that a change must get right, 1 to kMaxBest
  double aggressiveness = 1;  // C > 0: the most that one of them can move w by, in |g|
  bool average = true;        // as of PassiveAggressiveOptions
  std::uint64_t seed = 1;
  StoppingRule stop = online_stopping_rule();
  void validate() const;  // throws UsageError naming the field and its range
};

// As passive_aggressive, with the `best` labellings of each sample; with one it is PA-1.
OptimizeResult mira(RankedFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const MiraOptions& options, const IterationCallback& callback = {},
                    Checkpointer* checkpoints = nullptr);

// The change of w in MIRA: w - sum_j alpha_j g_j where alpha minimises (SG.25)
//   1/2 |sum_j alpha_j g_j|^2 - sum_j alpha_j l_j,   0 <= alpha_j <= C,
// by Hildreth's algorithm, coordinate by coordinate until none changes by more than a rounding.
//   products : [k][k] g_i . g_j;  losses : [k] l_j at w;  alpha : [k] overwritten
void solve_mira(std::span<const double> products, std::span<const double> losses,
                double aggressiveness, std::span<double> alpha);

}  // namespace croft
