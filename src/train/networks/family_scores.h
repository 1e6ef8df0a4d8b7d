// Scores of networks' shapes that are sums over families, and these differences of a function of
// sets:  score(v | P) = g(P + v) - g(P).  docs/math/structure_learning.md section 2.
#pragma once
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "croft/core/parallel.h"
#include "structure/equivalence.h"
#include "train/networks/case_table.h"

namespace croft {

enum class ShapeScore { bic, bdeu };

struct ShapeScoreOptions {
  ShapeScore score = ShapeScore::bic;
  double sample_size = 1;  // of bdeu: the equivalent one, > 0
};

// g of (SL.2) and (SL.3), of counts of joint states.
class SetScore {
 public:
  SetScore(const ShapeScoreOptions& options, std::size_t cases);
  // A set of `joint` joint states in all.  Counts of 0 may be among them.
  double of(std::span<const std::uint32_t> counts, double joint) const;
  double cases() const { return cases_; }

 private:
  ShapeScoreOptions options_;
  double cases_;
  std::vector<double> n_log_n_;  // of small n
};

// Keeps the cases by reference, and what was worked out.
class FamilyScores {
 public:
  FamilyScores(const CaseTable& cases, const ShapeScoreOptions& options, ThreadPool& pool);

  double of(Variable v, std::span<const Variable> parents);  // increasing
  // [variables] The score of v with one parent more; of no meaning for v itself and its parents.
  const std::vector<double>& with_another(Variable v, const std::vector<Variable>& parents);
  double of(const Parents& parents);  // a whole shape

  const CaseTable& cases() const { return cases_; }

 private:
  double set_score(std::span<const Variable> set);
  double family_with(Variable v, const JointCells& parents, double joint, Variable u,
                     std::vector<std::uint32_t>& counts) const;

  const CaseTable& cases_;
  SetScore score_;
  ThreadPool& pool_;
  std::unordered_map<std::string, double> sets_;
  std::unordered_map<std::string, std::vector<double>> additions_;
};

}  // namespace croft
