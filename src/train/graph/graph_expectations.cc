#include "train/graph/graph_expectations.h"

#include <algorithm>
#include <string>
#include <vector>

#include "croft/core/error.h"
#include "train/graph/graph_starts.h"

namespace croft {
namespace {

constexpr std::string_view kBias = "(bias)";

// Cliques of one variable, whose features have a weight for each of its labels.
bool is_of_labels(const CliqueTemplate& t) {
  if (t.scores || t.domain.size() != 1 || t.has_lists()) return false;
  if (t.interaction.kind() != InteractionKind::table) return false;
  for (State y = 0; y < t.interaction.cells(); ++y) {
    if (t.interaction.cell_of(std::vector{y}) != y) return false;
  }
  return true;
}

StringTable labels_of(const CliqueSchema& schema, std::uint32_t t) {
  StringTable labels;
  for (const std::string& each : schema.domains[schema.templates[t].domain[0]].labels) {
    labels.insert(each);
  }
  return labels;
}

// visit(template, variable, features) for each clique of one variable of these templates.
template <class Visit>
void for_cliques_of_labels(const CliqueData& data, const GraphInstance& instance,
                           const Visit& visit) {
  for (Factor f = 0; f < instance.graph.factors(); ++f) {
    const std::uint32_t row = instance.row[instance.graph.potential_of(f)];
    const std::uint32_t t = data.rows().template_of(row);
    if (!is_of_labels(data.schema().templates[t])) continue;
    visit(t, instance.graph.scope(f)[0], data.rows().features(row));
  }
}

// Of a template's features, what the data without labels has of them.
struct Presence {
  std::vector<bool> there, negative;  // [features]
};

class Expectations {
 public:
  Expectations(const UnlabelledOptions& options, const GraphExpectationData& data)
      : options_(options), data_(data), presence_(data.features.size()) {
    for (std::size_t t = 0; t < presence_.size(); ++t) {
      presence_[t].there.resize(data.features[t].size());
      presence_[t].negative.resize(data.features[t].size());
    }
    std::size_t known = 0;
    for (const GraphInstance& each : data.labelled) known += each.known.size();
    terms_ = terms_without_expectations(options, known - count_hidden(data.labelled),
                                        count_hidden(data.unlabelled));
    for (const GraphInstance& instance : data.unlabelled) find_presence(instance);
  }

  void add_file(const ExpectationFile& file) {
    for (const ExpectationRule& rule : file.rules) {
      const auto [t, id] = found(rule, {file.name, rule.line});
      const AttributeExpectation one =
          expectation_of(rule, file.name, labels_of(data_.data.schema(), t));
      add(t, id, one);
      if (presence_[t].negative[id]) refuse_values(terms_.attribute.back());
    }
  }

  void add_labelled() {
    bool any = false;
    for (std::uint32_t domain = 0; domain < data_.data.schema().domains.size(); ++domain) {
      any = add_labelled(domain) || any;
    }
    if (any) return;
    throw Error(
        "--expectations labelled: no feature of cliques of one variable is both at a known label "
        "and at a variable without one (those with values below 0 do not count); give both the "
        "same features, or a file of expectations");
  }

  UnlabelledTerms take() { return std::move(terms_); }

 private:
  struct Feature {
    std::uint32_t clique_template, id;
  };

  void find_presence(const GraphInstance& instance) {
    for_cliques_of_labels(data_.data, instance, [&](std::uint32_t t, Variable v, auto features) {
      if (instance.known[v] != kUnobserved) return;
      for (const CliqueFeature& each : features) {
        presence_[t].there[each.id] = true;
        if (each.value < 0) presence_[t].negative[each.id] = true;
      }
    });
  }

  bool has_weights(std::uint32_t t, std::uint32_t id) const {
    const RowLayout& rows = data_.layout.templates[t];
    return rows.length(id) == rows.cells;
  }

  Feature found(const ExpectationRule& rule, const Location& where) const {
    const std::string_view name = rule.attribute;
    const auto& templates = data_.data.schema().templates;
    for (std::uint32_t t = 0; t < templates.size(); ++t) {
      const std::string& own = templates[t].name;
      if (!name.starts_with(own) || name.substr(own.size(), 1) != ":") continue;
      if (!is_of_labels(templates[t])) {
        throw InputError(where, "a template that has no weight for each label of one variable",
                         rule.attribute,
                         "expect labels of features of templates with one variable and the "
                         "interaction table");
      }
      const std::uint32_t id = data_.features[t].find(name.substr(own.size() + 1));
      if (id == kUnknown) continue;
      if (!has_weights(t, id)) {
        throw InputError(where, "a feature that has no weight for each label", rule.attribute,
                         "train with --features all, and with --min-count 1 where it is rare");
      }
      if (presence_[t].there[id]) return {t, id};
    }
    throw InputError(where, "a feature that no variable without a label has", rule.attribute,
                     "write TEMPLATE:FEATURE, with features as croft inspect shows them");
  }

  void add(std::uint32_t t, std::uint32_t id, const AttributeExpectation& one) {
    const RowLayout& rows = data_.layout.templates[t];
    add_expectation(one, id, rows.begin[id], rows.cells, terms_);
  }

  // The features of a domain's templates, with those that say most of its labels.
  bool add_labelled(std::uint32_t domain) {
    std::vector<Feature> feature;
    std::vector<std::size_t> first(data_.data.schema().templates.size(), 0);
    std::vector<bool> eligible;
    std::uint32_t bias = kUnknown;
    for (std::uint32_t t = 0; t < first.size(); ++t) {
      const CliqueTemplate& of = data_.data.schema().templates[t];
      first[t] = feature.size();
      if (!is_of_labels(of) || of.domain[0] != domain) continue;
      for (std::uint32_t id = 0; id < data_.features[t].size(); ++id) {
        if (bias == kUnknown && data_.features[t][id] == kBias) {
          bias = static_cast<std::uint32_t>(feature.size());
        }
        feature.push_back({t, id});
        eligible.push_back(presence_[t].there[id] && !presence_[t].negative[id] &&
                           has_weights(t, id));
      }
    }
    const std::size_t labels = data_.data.schema().domains[domain].labels.size();
    LabelCounts counts{std::vector<std::vector<double>>(feature.size()),
                       std::vector<double>(labels)};
    for (const GraphInstance& each : data_.labelled) count_labels(each, domain, first, counts);
    if (std::ranges::all_of(counts.all, [](double n) { return n == 0; })) return false;
    const auto chosen = telling_expectations(counts, options_.from_labelled, bias, eligible);
    for (AttributeExpectation one : chosen) {
      const auto [t, id] = feature[one.attribute];
      one.name = data_.data.schema().templates[t].name + ":" + std::string(data_.features[t][id]);
      add(t, id, one);
    }
    return !chosen.empty();
  }

  // Of an instance's variables of a domain; each counts once where it has a feature.
  //   first : [templates] where their features begin in `counts`
  void count_labels(const GraphInstance& instance, std::uint32_t domain,
                    std::span<const std::size_t> first, LabelCounts& counts) const {
    const auto counted = [&](Variable v) {
      return instance.known[v] != kUnobserved && data_.data.domain(instance.variable[v]) == domain;
    };
    for (Variable v = 0; v < instance.known.size(); ++v) {
      if (counted(v)) ++counts.all[instance.known[v]];
    }
    std::vector<std::pair<std::size_t, Variable>> has;
    for_cliques_of_labels(data_.data, instance, [&](std::uint32_t t, Variable v, auto features) {
      if (!counted(v)) return;
      for (const CliqueFeature& each : features) has.emplace_back(first[t] + each.id, v);
    });
    std::ranges::sort(has);
    const auto same = std::ranges::unique(has);
    has.erase(same.begin(), same.end());
    for (const auto& [a, v] : has) {
      counts.with[a].resize(counts.all.size());
      ++counts.with[a][instance.known[v]];
    }
  }

  const UnlabelledOptions& options_;
  const GraphExpectationData& data_;
  std::vector<Presence> presence_;  // [templates]
  UnlabelledTerms terms_;
};

}  // namespace

UnlabelledTerms graph_terms(const UnlabelledOptions& options, const GraphExpectationData& data) {
  Expectations expectations(options, data);
  if (options.from_labelled > 0) expectations.add_labelled();
  if (options.expectations) expectations.add_file(*options.expectations);
  return expectations.take();
}

}  // namespace croft
