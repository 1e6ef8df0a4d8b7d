// Why a state of a variable of a graph: which cliques and features speak for it, and which for
// another one.
//
//   score(y) - score(y') = sum of the differences of the reasons,    y' = y but for y'_v
//
// Exact, as app/explain/explain.h is for a chain: only the factors of v change.  docs/explain.md.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "app/explain/labelled_graph.h"
#include "app/explain/reasons.h"
#include "model/kinds/graph_model.h"

namespace croft {

struct ExplainedVariable : Explained {
  Variable variable = 0;  // in the instance
  State label = 0;
  double probability = 0;      // p(y_v = label | x, what is known)
  std::optional<State> other;  // none: it has but one state
  double other_probability = 0;
};

// Of an instance that the model has scored.
class GraphExplainer {
 public:
  // Keeps all by reference.
  //   labels : [variables] the labelling that is explained
  GraphExplainer(const GraphModel& model, const CliqueData& data, const GraphInstance& instance,
                 std::span<const State> labels);

  // Of options: top, and against, a state of the variable; where it is the variable's own, and
  // without one, the most probable of the others.
  //   marginals : of the variable, [states]
  // Cost: the features of the variable's cliques.
  ExplainedVariable explain(Variable v, std::span<const double> marginals,
                            const ExplainOptions& options);

  // As text, and in the view's JSON: label, probability, other, other_probability, difference,
  // reasons (kind, template, feature, value, the clique's variables and their labels) and rest.
  //   name : what variables are called
  View shown(const ExplainedVariable& one, const std::function<std::string(Variable)>& name) const;

  // Of a factor with the labels that are explained: its template, its score, and the features that
  // weigh there.  `nodes` is left empty.
  Neighbourhood::Clique clique(Factor f) const;

 private:
  void add_factor(Factor f, ExplainedVariable& out);
  std::uint32_t cell_of(Factor f, const Interaction& interaction,
                        std::span<const State> states) const;
  const CliqueTemplate& template_of(Factor f) const;
  const std::string& label_name(Variable v, State state) const;

  const GraphModel& model_;
  const CliqueData& data_;
  const GraphInstance& instance_;
  std::span<const State> labels_;
  FactorLists factors_;
  std::vector<State> here_, there_;  // of a factor's scope
};

}  // namespace croft
