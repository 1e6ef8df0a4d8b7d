#include "sql/logic/labelled_logic.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "core/words/counted.h"
#include "sql/logic/logic_views.h"

namespace croft {
namespace {

class LabelledAtoms final : public LabelledGraph {
 public:
  LabelledAtoms(const LogicSource& source, const std::string& query, double seconds,
                std::size_t threads)
      : network_(read_rules(source)),
        evidence_(read_facts(source, network_)),
        queries_(read_atom_patterns(network_, query)),
        space_(network_, evidence_, open_predicates(network_, evidence_, queries_)),
        ground_(space_, queries_,
                {.reading = usual_reading(source.dialect), .seconds = seconds, .progress = {}}),
        graph_(graph_of(ground_.store(), true)),
        factors_(graph_) {
    InferRequest request;
    request.task = GraphTask::marginals;
    request.seconds = seconds;
    request.threads = threads;
    const InferResult sums = ground_.answer(request).result;
    request.task = GraphTask::map;
    const InferResult best = ground_.answer(request).result;
    world_.assign(best.assignment.begin(), best.assignment.end());
    for (const auto& each : sums.marginals) probability_.push_back(each[1]);
    method_ =
        fmt::format("{}, {}; probabilities by {} ({}), the best world by {} ({})",
                    counted(variables(), "atom"), counted(ground_.store().clauses(), "clause"),
                    sums.method, name_of(sums.kind), best.method, name_of(best.kind));
    for (std::uint32_t v = 0; v < variables(); ++v) {
      numbers_.emplace(name(v), v);
      if (factors_.of(v).size() > factors_.of(busiest_).size()) busiest_ = v;
    }
  }

  std::size_t variables() const override { return ground_.store().atoms(); }
  std::string name(std::size_t v) const override {
    return name_of_atom(ground_, static_cast<std::uint32_t>(v));
  }
  std::optional<std::size_t> find(std::string_view name) const override {
    const auto found = numbers_.find(std::string(name));
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }
  std::size_t busiest() const override { return busiest_; }
  std::string method() const override { return method_; }

  Neighbourhood around(std::size_t v, std::size_t distance, std::size_t most) const override {
    Neighbourhood out;
    const std::vector<Variable> near =
        nearest_variables(graph_, factors_, static_cast<Variable>(v), distance, most,
                          static_cast<Factor>(ground_.store().clauses()));
    std::unordered_map<Variable, std::size_t> number;
    for (const Variable u : near) {
      number.emplace(u, out.nodes.size());
      out.nodes.push_back({.name = name(u),
                           .states = {"false", "true"},
                           .probabilities = {1 - probability_[u], probability_[u]},
                           .label = world_[u]});
    }
    for (const Variable u : near) {
      for (const Factor f : factors_.of(u)) {
        // A block of atoms that exclude each other is no clause.
        if (f < ground_.store().clauses()) add_clause(f, u, number, out.cliques);
      }
    }
    out.why =
        explanation_json(network_, explain_atom(ground_, static_cast<std::uint32_t>(v), world_));
    return out;
  }

 private:
  void add_clause(Factor f, Variable teller,
                  const std::unordered_map<Variable, std::size_t>& number,
                  std::vector<Neighbourhood::Clique>& out) const {
    Neighbourhood::Clique clique;
    const std::size_t mine = number.at(teller);
    bool holds = false;
    for (const std::uint32_t literal : ground_.store().literals(f)) {
      const auto found = number.find(literal / 2);
      if (found == number.end() || found->second < mine) return;
      clique.nodes.push_back(found->second);
      holds = holds || (world_[literal / 2] != 0) != ((literal & 1) != 0);
    }
    clique.name = clause_text(ground_, ground_.store().literals(f));
    clique.score = holds ? 0 : -ground_.store().weight(f);
    for (AtomReason& each : clause_reasons(ground_, f)) {
      clique.parts.push_back({rule_text(network_, each.rule), each.amount});
    }
    out.push_back(std::move(clique));
  }

  LogicNetwork network_;
  LogicEvidence evidence_;
  std::vector<AtomPattern> queries_;
  AtomSpace space_;
  GroundNetwork ground_;
  FactorGraph graph_;
  FactorLists factors_;
  std::vector<std::uint8_t> world_;  // [atoms]
  std::vector<double> probability_;  // [atoms]
  std::unordered_map<std::string, std::size_t> numbers_;
  std::string method_;
  std::uint32_t busiest_ = 0;
};

}  // namespace

std::unique_ptr<LabelledGraph> label_atoms(const LogicSource& source, const std::string& query,
                                           double seconds, std::size_t threads) {
  return std::make_unique<LabelledAtoms>(source, query, seconds, threads);
}

}  // namespace croft
