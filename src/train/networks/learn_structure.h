// The shape of a Bayesian network from cases whose values are all known: by score, or by tests of
// independence.  docs/math/structure_learning.md.
//
//   const LearntShape found = learn_shape(cases, {.method = ShapeMethod::exact});
//   found.parents
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "structure/equivalence.h"
#include "train/networks/family_scores.h"

namespace croft {

enum class ShapeMethod { hill_climbing, exact, pc };
std::string_view name_of(ShapeMethod method);
std::string_view name_of(ShapeScore score);

struct ShapeOptions {
  ShapeMethod method = ShapeMethod::hill_climbing;
  ShapeScoreOptions score{};                 // of the first two
  std::optional<std::size_t> max_parents{};  // of pc: of variables that a test is given
  std::size_t tabu = 10;    // of hill climbing: steps for which a changed edge stays as it is, and
                            // steps without a better shape before it ends
  std::size_t starts = 10;  // of hill climbing, >= 1: the others from the best one, shaken
  double significance = .01;  // of pc: p-values above it are independence
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // 0: one for each processor; changes no result

  void validate() const;  // throws UsageError naming the option
};

struct ShapeProgress {
  std::size_t start = 0, step = 0;  // pc: the number of variables that tests are given
  double score = 0;                 // pc: edges that are left
};
using ShapeCallback = std::function<bool(const ShapeProgress&)>;  // false: stop, keep the best

struct LearntShape {
  Parents parents;
  PartlyDirected equivalents{0};  // its class; of pc: what the tests say
  double score = 0;               // of the parents
  std::size_t steps = 0;          // of all climbs
  std::size_t tests = 0;          // of pc
  // Of pc: colliders that contradict each other, and whether the parents go against the tests.
  std::size_t contradictions = 0;
  bool consistent = true;
  bool stopped = false;
};

// Throws UsageError for bad options, and for more variables than `exact` can have; Error without
// cases.
//   start : parents that hill climbing begins with; empty: none
LearntShape learn_shape(const CaseTable& cases, const ShapeOptions& options,
                        const Parents& start = {}, const ShapeCallback& callback = {});

// How often a sample of the cases has an edge.
struct EdgeConfidence {
  Variable from, to;  // the direction that is more frequent
  double confidence;  // share of the samples with an edge between them
  double direction;   // share of these in which it goes from -> to; a line counts for a half
};
// In falling order of confidence; pairs that no sample has an edge for are left out.
std::vector<EdgeConfidence> bootstrap_edges(const CaseTable& cases, const ShapeOptions& options,
                                            std::size_t samples, const Parents& start = {},
                                            const std::function<bool(std::size_t)>& callback = {});

// --- What it is made of ---------------------------------------------------------------------

LearntShape climb(FamilyScores& scores, const ShapeOptions& options, const Parents& start,
                  const ShapeCallback& callback);

inline constexpr std::size_t kMostExactVariables = 20;
inline constexpr double kMostNumbers = 1e8;  // of a variable's table
LearntShape best_shape(const CaseTable& cases, const ShapeOptions& options);

// A test of u and v given others.
struct IndependenceTest {
  virtual ~IndependenceTest() = default;
  // The p-value.  Called from several threads at a time.
  virtual double p_value(Variable u, Variable v, std::span<const Variable> given) const = 0;
};
// (SL.5) with as many degrees of freedom as the margins leave.
class G2Test final : public IndependenceTest {
 public:
  explicit G2Test(const CaseTable& cases) : cases_(cases) {}
  double p_value(Variable u, Variable v, std::span<const Variable> given) const override;

 private:
  const CaseTable& cases_;
};
LearntShape learn_by_tests(std::size_t variables, const IndependenceTest& test,
                           const ShapeOptions& options, const ShapeCallback& callback = {});

}  // namespace croft
