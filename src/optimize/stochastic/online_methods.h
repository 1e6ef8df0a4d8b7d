// Online methods: where a sample is wrong, w moves.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "croft/core/ranks.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"

namespace croft {

// The perceptron: where a sample is wrong, w moves by its gradient.
//
//   w <- w - g_n(w)   where f_n is active                                                   (SG.20)
//
// Rosenblatt (1958); Freund & Schapire (1999); Collins (2002).  What is called "voted" in the
// literature is three things, which have three names here.
// docs/math/stochastic_optimisation.md section 9
enum class PerceptronKind {
  plain,        // the last w
  averaged,     // the average of w after each sample of max_iterations passes (Collins)
  pass_average  // all updates of a pass at the same w, and then their average as one step
};
// The enumerator's own name: "plain", …
std::string_view perceptron_kind_name(PerceptronKind kind);

// The rules that apply to online methods: up to 100 passes, or until one changes nothing.  An
// average has the passes that this leaves out, too: it does not depend on where a run stops.
inline StoppingRule online_stopping_rule() {
  return {.max_iterations = 100, .tolerance = 0, .gradient_tolerance = 0};
}

struct PerceptronOptions {
  PerceptronKind kind = PerceptronKind::averaged;
  double step = 1;  // > 0: factor of all updates
  std::uint64_t seed = 1;
  StoppingRule stop = online_stopping_rule();
  // Processes that have other samples: after each pass the weights become the means of theirs.
  Ranks* ranks = &no_other_ranks();
  void validate() const;  // throws UsageError naming the field and its range
};

// Learns from w (in and out); an iteration is a pass, in an order drawn from the seed.
// Iteration::objective is the sum of the losses that the pass met, each at the w of its moment;
// gradient_norm the root of the sum of |update|^2 over the pass, so that it is 0, and the run
// converged, where every sample was right.  Iteration 0 is a pass that leaves w alone.  With
// pass_average there is one update in a pass, and f.evaluate makes it.
// Throws UsageError where l1 or l2 is not 0 (a perceptron minimises no penalty), w.size() is not
// f.dimension() or f has no samples.
// Memory beside w: 1.5 doubles a weight; averaged 3.5, pass_average 2.
OptimizeResult perceptron(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                          const PerceptronOptions& options, const IterationCallback& callback = {},
                          Checkpointer* checkpoints = nullptr);

// All the weights that a run of the plain perceptron went through, for a vote among them.
struct VotedPerceptron {
  std::vector<double> start;            // [dimension] w before the first update
  std::vector<std::size_t> update_end;  // [K] update k: these of the next two, from update k - 1's
  std::vector<std::uint64_t> coordinate;
  std::vector<double> change;  // of w[coordinate], not 0
  // [K + 1] votes of the start and of w after each update: samples at whose end it was there.
  std::vector<std::uint64_t> votes;

  std::size_t updates() const { return update_end.size(); }
  // visit(w, votes) for all that have votes, in order.  w is scratch: [dimension]
  template <class Visit>
  void replay(std::span<double> w, const Visit& visit) const {
    std::copy(start.begin(), start.end(), w.begin());
    std::size_t at = 0;
    for (std::size_t k = 0;; ++k) {
      if (votes[k] > 0) visit(std::span<const double>(w), votes[k]);
      if (k == updates()) return;
      for (; at < update_end[k]; ++at) w[coordinate[at]] += change[at];
    }
  }
  void archive(StateArchive& state);
};

// As the plain perceptron, and overwrites `result` with what it went through; w is the last of
// that. options.kind must be plain.  Memory: 16 bytes for each number of an update that is not 0.
OptimizeResult voted_perceptron(SampleFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const PerceptronOptions& options,
                                VotedPerceptron& result, const IterationCallback& callback = {},
                                Checkpointer* checkpoints = nullptr);

// Passive-aggressive learning: the smallest change of w that makes a sample right by its margin.
//
//   w <- w - tau g,   tau = l / |g|^2,   min(C, l / |g|^2)   or   l / (|g|^2 + 1/(2C))     (SG.23)
//
// where l = f_n(w) > 0, the hinge with its cost.  And MIRA: the same for the k labellings that rank
// first.  Crammer, Dekel, Keshet, Shalev-Shwartz & Singer (2006); McDonald, Crammer & Pereira
// (2005).  docs/math/stochastic_optimisation.md section 10
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
  bool average = true;        // w is the average of the weights after each sample, as averaged
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

// AROW, adaptive regularisation of weights: a Gaussian over each weight narrows where it was used.
//
//   beta = 1 / (g' S g + gamma),  w <- w - beta l S g,  1/S_i <- 1/S_i + g_i^2 / gamma      (SG.26)
//
// where l = f_n(w) > 0 and S is diagonal.  Crammer, Kulesza & Dredze (2009).
// docs/math/stochastic_optimisation.md section 11
struct ArowOptions {
  double variance = 1;  // of every weight at first, > 0
  double gamma = 1;     // r: > 0, the larger the smaller the steps
  std::uint64_t seed = 1;
  StoppingRule stop = online_stopping_rule();
  void validate() const;  // throws UsageError naming the field and its range
};

// Learns from w (in and out), as perceptron() does, and reports and throws as it.  Iteration::step
// is the last beta l of the pass.  Memory beside w: 2.5 doubles a weight.
OptimizeResult arow(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const ArowOptions& options, const IterationCallback& callback = {},
                    Checkpointer* checkpoints = nullptr);

}  // namespace croft
