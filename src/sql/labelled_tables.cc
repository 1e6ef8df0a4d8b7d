#include "sql/labelled_tables.h"

#include <fmt/format.h>

#include <utility>

#include "app/explain/explain_graph.h"
#include "sql/row_ids.h"

namespace croft {
namespace {

class LabelledTables final : public LabelledGraph {
 public:
  LabelledTables(std::shared_ptr<const GraphModel> model, GraphTables tables, GraphLabels labels)
      : model_(std::move(model)),
        tables_(std::move(tables)),
        labels_(std::move(labels)),
        place_(tables_.data().variables()) {
    std::size_t most = 0;  // cliques of a variable
    for (std::uint32_t n = 0; n < labels_.instances.size(); ++n) {
      const auto& variables = labels_.instances[n].variable;
      const FactorLists factors(labels_.instances[n].graph);
      for (Variable k = 0; k < variables.size(); ++k) {
        place_[variables[k]] = {n, k};
        if (factors.of(k).size() <= most) continue;
        most = factors.of(k).size();
        busiest_ = variables[k];
      }
    }
  }

  std::size_t variables() const override { return place_.size(); }
  std::string name(std::size_t v) const override {
    const auto variable = static_cast<std::uint32_t>(v);
    const std::string id = tables_.variables().id(variable);
    return domains().size() == 1 ? id : domain(variable).name + ":" + id;
  }
  std::optional<std::size_t> find(std::string_view name) const override {
    for (std::uint32_t d = 0; d < domains().size(); ++d) {
      std::string_view id = name;
      if (domains().size() > 1) {
        const std::string begin = domains()[d].name + ":";
        if (!name.starts_with(begin)) continue;
        id.remove_prefix(begin.size());
      }
      const std::uint32_t v = tables_.variables().find(d, row_id(id));
      if (v != kUnknown) return v;
    }
    return std::nullopt;
  }
  std::size_t busiest() const override { return busiest_; }
  std::string method() const override {
    std::string out = fmt::format("{} instance{}", labels_.instances.size(),
                                  labels_.instances.size() == 1 ? "" : "s");
    if (labels_.estimated > 0) {
      out += fmt::format("; probabilities are estimates in {}", labels_.estimated);
    }
    if (labels_.not_converged > 0) {
      out += fmt::format("; not converged in {}", labels_.not_converged);
    }
    if (labels_.not_proved > 0) {
      out += fmt::format("; the labelling may not be the best in {}", labels_.not_proved);
    }
    return out;
  }

  Neighbourhood around(std::size_t v, std::size_t distance, std::size_t most) const override {
    const auto [n, centre] = place_[v];
    const GraphInstance& instance = labels_.instances[n];
    const FactorLists factors(instance.graph);
    std::vector<State> labels;
    for (const std::uint32_t u : instance.variable) labels.push_back(labels_.label[u]);
    GraphExplainer explainer(*model_, tables_.data(), instance, labels);
    Neighbourhood out;
    std::vector<std::size_t> number(instance.graph.variables(), kNone);
    const std::vector<Variable> near =
        nearest_variables(instance.graph, factors, centre, distance, most);
    for (const Variable u : near) {
      number[u] = out.nodes.size();
      out.nodes.push_back(node(instance.variable[u]));
    }
    for (const Variable u : near) {
      for (const Factor f : factors.of(u)) {
        if (auto found = clique(explainer, instance.graph, f, u, number)) {
          out.cliques.push_back(std::move(*found));
        }
      }
    }
    const ExplainOptions options{.top = 20};
    const ExplainedVariable why =
        explainer.explain(centre, labels_.marginals_of(instance.variable[centre]), options);
    out.why = explainer.shown(why, [&](Variable u) { return name(instance.variable[u]); }).json;
    return out;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Place {
    std::uint32_t instance = 0;
    Variable variable = 0;
  };
  const std::vector<Domain>& domains() const { return tables_.schema().domains; }
  const Domain& domain(std::uint32_t v) const { return domains()[tables_.data().domain(v)]; }

  Neighbourhood::Node node(std::uint32_t v) const {
    const auto marginals = labels_.marginals_of(v);
    return {.name = name(v),
            .states = domain(v).labels,
            .probabilities = {marginals.begin(), marginals.end()},
            .label = labels_.label[v],
            .known = tables_.data().known(v) != kUnobserved};
  }
  // None where a variable is not shown, or where another of its variables tells it.
  static std::optional<Neighbourhood::Clique> clique(const GraphExplainer& explainer,
                                                     const FactorGraph& graph, Factor f,
                                                     Variable teller,
                                                     const std::vector<std::size_t>& number) {
    std::vector<std::size_t> nodes;
    for (const Variable u : graph.scope(f)) {
      if (number[u] == kNone || number[u] < number[teller]) return std::nullopt;
      nodes.push_back(number[u]);
    }
    Neighbourhood::Clique out = explainer.clique(f);
    out.nodes = std::move(nodes);
    return out;
  }

  std::shared_ptr<const GraphModel> model_;
  GraphTables tables_;
  GraphLabels labels_;
  std::vector<Place> place_;  // [variables]
  std::size_t busiest_ = 0;
};

}  // namespace

std::unique_ptr<LabelledGraph> label_tables(std::shared_ptr<const GraphModel> model,
                                            const std::vector<std::string>& databases,
                                            bool use_known, std::size_t threads) {
  GraphSpec spec = reading(model->container(), "meta", [&] {
    return graph_spec_from(model->source(), model->container().name());
  });
  const Database database = Database::open(databases, {});
  GraphTables tables = GraphTables::read(database, std::move(spec), *model,
                                         use_known ? LabelUse::known : LabelUse::ignored);
  GraphLabelOptions options;
  options.keep_marginals = options.keep_instances = true;
  options.threads = threads;
  GraphLabels labels = label_graph(*model, tables.data(), options);
  return std::make_unique<LabelledTables>(std::move(model), std::move(tables), std::move(labels));
}

}  // namespace croft
