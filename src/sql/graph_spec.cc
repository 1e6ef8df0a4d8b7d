#include "sql/graph_spec.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/json.h"
#include "croft/core/error.h"

namespace croft {
namespace {

constexpr const char* kTies[] = {"all", "column", "none"};

std::string owner_of_variables(const std::string& domain) {
  return domain.empty() ? "variables" : "variables of '" + domain + "'";
}

// A list of variables is a list of its domain.
Json variables_record(const TemplateSpec& t) {
  Json record = Json::array();
  for (std::size_t k = 0; k < t.variables.size(); ++k) {
    const bool list = !t.lists.empty() && t.lists[k];
    record.push_back(list ? Json(std::vector<std::string>{t.variables[k]}) : Json(t.variables[k]));
  }
  return record;
}

void read_variables(const Json& record, TemplateSpec& t) {
  bool any = false;
  std::vector<bool> lists;
  for (const Json& each : record) {
    lists.push_back(each.is_array());
    any = any || each.is_array();
    t.variables.push_back((each.is_array() ? each.at(0) : each).get<std::string>());
  }
  if (any) t.lists = std::move(lists);
}

template <class T>
Json array_of(const std::vector<T>& values) {
  Json record = Json::array();
  for (const T& each : values) record.push_back(each);
  return record;
}

// What is beside the weights, or in their place.
void add_rules(const TemplateSpec& t, Json& record) {
  if (!t.states.empty()) record["states"] = array_of(t.states);
  if (t.k) record["k"] = *t.k;
  if (!t.from.empty()) record["from"] = t.from;
  for (const LabelLists& group : t.share) record["share"].push_back(array_of(group));
  if (t.forbid_query) record["forbid"] = t.forbid_query->text;
  if (!t.forbid.empty()) record["forbid"] = array_of(t.forbid);
  if (t.penalty) record["penalty"] = std::isinf(*t.penalty) ? Json("infinite") : Json(*t.penalty);
  if (t.weights_query) record["weights"] = t.weights_query->text;
  for (const WeightSpec& each : t.weights) {
    record["weights"].push_back(
        {{"feature", each.feature}, {"cell", each.cell}, {"weight", each.weight}});
  }
}

void read_rules(const Json& record, const std::string& name, TemplateSpec& t) {
  const auto labels = [](const Json& list) {
    LabelLists all;
    for (const Json& each : list) all.push_back(each.get<std::vector<std::string>>());
    return all;
  };
  const auto query = [&](const Json& text, const char* what) {
    return QueryText{text.get<std::string>(), name, 0, "template '" + t.name + "', " + what};
  };
  if (const Json* found = record.get_if("states")) t.states = labels(*found);
  if (const Json* found = record.get_if("k")) t.k = found->get<std::uint64_t>();
  if (const Json* found = record.get_if("from")) t.from = found->get<std::vector<std::uint64_t>>();
  if (const Json* found = record.get_if("share")) {
    for (const Json& group : *found) t.share.push_back(labels(group));
  }
  if (const Json* found = record.get_if("forbid")) {
    if (found->is_string()) {
      t.forbid_query = query(*found, "forbid");
    } else {
      t.forbid = labels(*found);
    }
  }
  if (const Json* found = record.get_if("penalty")) {
    t.penalty = found->is_string() ? std::numeric_limits<double>::infinity() : found->get<double>();
  }
  const Json* const weights = record.get_if("weights");
  if (weights != nullptr && weights->is_string()) {
    t.weights_query = query(*weights, "weights");
  } else if (weights != nullptr) {
    for (const Json& each : *weights) {
      t.weights.push_back({each.at("feature").get<std::string>(),
                           each.at("cell").get<std::vector<std::string>>(),
                           each.at("weight").get<double>()});
    }
  }
}

Json template_record(const TemplateSpec& t) {
  Json record = {{"name", t.name},        {"variables", variables_record(t)},
                 {"query", t.query.text}, {"interaction", name_of(t.interaction)},
                 {"bias", t.bias},        {"tie", kTies[static_cast<std::size_t>(t.tie)]}};
  if (!t.cells.empty()) record["cells"] = array_of(t.cells);
  add_rules(t, record);
  if (t.tie == WeightTie::column) record["tie_column"] = t.tie_column;
  if (!t.key.empty()) record["key"] = t.key;
  for (const QueryText& each : t.features) record["features"].push_back(each.text);
  if (t.standardise_all) record["standardise"] = true;
  if (!t.standardise.empty()) record["standardise"] = t.standardise;
  if (!t.categorical.empty()) record["categorical"] = t.categorical;
  if (t.mixture) {
    const GaussianMixtureOptions& o = t.mixture->options;
    record["mixture"] = {{"components", o.components},
                         {"covariance", name_of(o.covariance)},
                         {"variance_floor", o.variance_floor},
                         {"seed", o.seed},
                         {"generative", t.mixture->generative}};
    if (t.mixture->fitted) record["mixture"]["densities"] = to_json(*t.mixture->fitted);
  }
  if (t.columns) {
    record["columns"] = Json::array();
    for (const FeatureColumn& each : *t.columns) {
      Json column = {{"name", each.name}, {"kind", each.numeric ? "numeric" : "categorical"}};
      if (each.mean != 0 || each.deviation != 1) {
        column["mean"] = each.mean;
        column["deviation"] = each.deviation;
      }
      record["columns"].push_back(std::move(column));
    }
  }
  return record;
}

TemplateSpec template_from(const Json& record, const std::string& name) {
  TemplateSpec t;
  t.name = record.at("name").get<std::string>();
  const std::string owner = "template '" + t.name + "'";
  const auto query = [&](const Json& text) {
    return QueryText{text.get<std::string>(), name, 0, owner};
  };
  read_variables(record.at("variables"), t);
  read_rules(record, name, t);
  t.query = query(record.at("query"));
  t.interaction = interaction_kind(record.at("interaction").get<std::string>());
  t.bias = record.at("bias").get<bool>();
  const std::string tie = record.at("tie").get<std::string>();
  const auto found = std::ranges::find(kTies, tie);
  if (found == std::end(kTies)) throw std::out_of_range("tie");
  t.tie = static_cast<WeightTie>(found - std::begin(kTies));
  if (record.contains("cells")) {
    t.cells = record["cells"].get<std::vector<std::vector<std::string>>>();
  }
  if (t.tie == WeightTie::column) t.tie_column = record.at("tie_column").get<std::string>();
  t.key = record.value("key", std::string());
  if (record.contains("features")) {
    for (const Json& each : record["features"]) t.features.push_back(query(each));
  }
  if (record.contains("standardise")) {
    t.standardise_all = record["standardise"].is_boolean();
    if (!t.standardise_all) t.standardise = record["standardise"].get<std::vector<std::string>>();
  }
  if (record.contains("categorical")) {
    t.categorical = record["categorical"].get<std::vector<std::string>>();
  }
  if (record.contains("mixture")) {
    const Json& from = record["mixture"];
    MixtureSpec& mixture = t.mixture.emplace();
    mixture.options.components = from.at("components").get<std::size_t>();
    mixture.options.covariance = covariance_named(from.at("covariance").get<std::string>());
    mixture.options.variance_floor = from.at("variance_floor").get<double>();
    mixture.options.seed = from.at("seed").get<std::uint64_t>();
    mixture.generative = from.at("generative").get<bool>();
    mixture.fitted = label_mixtures_of(from.at("densities"));
  }
  t.columns.emplace();
  if (record.contains("columns")) {
    for (const Json& each : record["columns"]) {
      t.columns->push_back({each.at("name").get<std::string>(), each.at("kind") == "numeric",
                            each.value("mean", 0.0), each.value("deviation", 1.0)});
    }
  }
  return t;
}

bool same_names(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

// But for what a model has fitted.
bool same_declaration(const MixtureSpec& a, const MixtureSpec& b) {
  const GaussianMixtureOptions &one = a.options, &other = b.options;
  return one.components == other.components && one.covariance == other.covariance &&
         one.variance_floor == other.variance_floor && one.seed == other.seed &&
         a.generative == b.generative;
}

}  // namespace

const DomainLabels* GraphSpec::listed(std::string_view domain) const {
  const auto found = std::ranges::find(labels, domain, &DomainLabels::domain);
  return found == labels.end() ? nullptr : &*found;
}

std::vector<std::string> GraphSpec::domains() const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& domain) {
    if (!domain.empty() && std::ranges::find(names, domain) == names.end()) names.push_back(domain);
  };
  for (const VariableSpec& each : variables) add(each.domain);
  for (const DomainLabels& each : labels) add(each.domain);
  for (const TemplateSpec& t : templates) std::ranges::for_each(t.variables, add);
  return names;
}

Json to_json(const GraphSpec& spec) {
  Json record = {{"variables", Json::array()}, {"templates", Json::array()}};
  for (const VariableSpec& each : spec.variables) {
    record["variables"].push_back({{"domain", each.domain}, {"query", each.query.text}});
  }
  for (const TemplateSpec& each : spec.templates) {
    record["templates"].push_back(template_record(each));
  }
  return record;
}

GraphSpec graph_spec_from(const Json& record, const std::string& name) {
  GraphSpec spec;
  spec.name = name;
  try {
    for (const Json& each : record.at("variables")) {
      const std::string domain = each.at("domain").get<std::string>();
      spec.variables.push_back(
          {domain, {each.at("query").get<std::string>(), name, 0, owner_of_variables(domain)}});
    }
    for (const Json& each : record.at("templates")) {
      spec.templates.push_back(template_from(each, name));
    }
  } catch (const JsonError&) {
    throw Error(name + ": the model does not say by which queries it was made");
  } catch (const std::out_of_range&) {
    throw Error(name + ": the model does not say by which queries it was made");
  } catch (const UsageError&) {
    throw Error(name + ": the model does not say by which queries it was made");
  }
  return spec;
}

GraphSpec with_queries_of(const GraphSpec& model, const GraphSpec& now) {
  const auto fail = [&](const std::string& what) {
    throw UsageError("--spec ", now.name, ": ", what, " than the model of ", model.name,
                     "; only queries may differ");
  };
  GraphSpec spec = model;
  spec.name = now.name;
  spec.variables = now.variables;
  spec.labels = now.labels;
  if (now.templates.size() != model.templates.size()) fail("another number of templates");
  for (std::size_t t = 0; t < model.templates.size(); ++t) {
    const TemplateSpec& a = model.templates[t];
    const TemplateSpec& b = now.templates[t];
    const auto differ = [&](const char* what) {
      fail("the template '" + b.name + "' has " + what);
    };
    if (a.name != b.name) fail("the template '" + b.name + "' has another name");
    if (a.variables != b.variables) differ("other variables");
    if (a.interaction != b.interaction || a.cells != b.cells) differ("another interaction");
    if (a.lists != b.lists) differ("lists of other variables");
    if (a.states != b.states || a.k != b.k || a.from != b.from) differ("another rule");
    if (a.share != b.share) differ("other cells that share a weight");
    if (a.penalty != b.penalty) differ("another penalty");
    // What a query returned in training, the model has.
    const bool queried = a.forbid_query || b.forbid_query;
    if (!queried && a.forbid != b.forbid) differ("other forbidden states");
    if (a.has_given_weights() != b.has_given_weights() ||
        (!a.weights_query && !b.weights_query && a.weights != b.weights)) {
      differ("other given weights");
    }
    if (a.bias != b.bias) differ("another bias");
    if (a.standardise_all != b.standardise_all || !same_names(a.standardise, b.standardise)) {
      differ("other columns under 'standardise'");
    }
    if (!same_names(a.categorical, b.categorical)) differ("other columns under 'categorical'");
    if (a.mixture.has_value() != b.mixture.has_value()) differ("measurements in one of the two");
    if (a.mixture && !same_declaration(*a.mixture, *b.mixture)) differ("another mixture");
    if (a.tie != b.tie || a.tie_column != b.tie_column) differ("another tie");
    spec.templates[t].query = b.query;
    spec.templates[t].key = b.key;
    spec.templates[t].features = b.features;
  }
  return spec;
}

}  // namespace croft
