// From TOML to a GraphSpec.
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <set>

#include "croft/core/error.h"
#include "croft/data/line_reader.h"
#include "data/settings/toml_keys.h"
#include "sql/database.h"
#include "sql/graph_spec.h"
#include "sql/spec_toml.h"
#include "sql/tables/grmm_templates.h"

namespace croft {
namespace {

class SpecParser : private SpecToml {
 public:
  SpecParser(const toml::table& root, const std::string& name) : SpecToml(name), root_(root) {
    spec_.name = name;
  }

  GraphSpec parse() {
    constexpr std::array<std::string_view, 4> kKeys = {"variables", "templates", "labels",
                                                       "blocks"};
    check_keys(root_, kKeys, "the file");
    if (const toml::node* labels = root_.get("labels")) read_labels(*labels);
    for_each_table(root_, "variables", [&](const toml::table& t) { read_variables(t); });
    for_each_table(root_, "templates", [&](const toml::table& t) { read_template(t); });
    for_each_table(root_, "blocks", [&](const toml::table& t) { read_blocks(t); });
    if (spec_.variables.empty()) {
      fail(root_, "no [[variables]]", "name a query that returns the variables' ids");
    }
    if (spec_.templates.empty()) {
      fail(root_, "no [[templates]]", "name a query that returns cliques of variables");
    }
    check_domains();
    return std::move(spec_);
  }

 private:
  void read_labels(const toml::node& node) {
    if (!node.is_table()) fail(node, "'labels' is no table", "write [labels], then DOMAIN = [...]");
    for (const auto& [key, value] : *node.as_table()) {
      DomainLabels listed{std::string(key.str()), {}};
      const std::string what = "labels of '" + listed.domain + "'";
      if (const auto count = value.value_exact<std::int64_t>()) {
        if (*count < 1 || *count > 65536) fail(value, what + ": not from 1 to 65536");
        for (std::int64_t k = 1; k <= *count; ++k) listed.labels.push_back(std::to_string(k));
      } else {
        listed.labels = names_of(value, what);
      }
      if (listed.labels.empty()) fail(value, what + ": there is none");
      spec_.labels.push_back(std::move(listed));
    }
  }

  void read_variables(const toml::table& in) {
    constexpr std::array<std::string_view, 2> kKeys = {"domain", "query"};
    check_keys(in, kKeys, "variables");
    VariableSpec variables;
    variables.domain = optional_text(in, "domain", "variables");
    variables.query = query_of(
        in, variables.domain.empty() ? "variables" : "variables of '" + variables.domain + "'");
    spec_.variables.push_back(std::move(variables));
  }

  void read_blocks(const toml::table& in) {
    constexpr std::array<std::string_view, 3> kKeys = {"name", "domain", "query"};
    BlockSpec blocks;
    blocks.name = required_text(in, "name", "blocks");
    const std::string owner = "blocks '" + blocks.name + "'";
    check_keys(in, kKeys, owner);
    const auto is_taken = [&](const auto& all, auto name_of) {
      return std::ranges::find(all, blocks.name, name_of) != all.end();
    };
    if (blocks.name == "factors" || blocks.name == "observations" ||
        is_taken(spec_.templates, &TemplateSpec::name) ||
        is_taken(spec_.blocks, &BlockSpec::name)) {
      fail(in, owner + ": the name has another meaning for objectives",
           "no template and no other blocks may have it, and it is neither factors nor "
           "observations");
    }
    blocks.domain = optional_text(in, "domain", owner);
    blocks.query = query_of(in, owner);
    spec_.blocks.push_back(std::move(blocks));
  }

  void read_template(const toml::table& in) {
    constexpr std::array<std::string_view, 19> kKeys = {
        "name",        "variables",   "query",  "interaction", "cells",   "bias",   "tie",
        "standardise", "categorical", "key",    "features",    "mixture", "states", "k",
        "from",        "share",       "forbid", "penalty",     "weights"};
    TemplateSpec t;
    t.name = required_text(in, "name", "a template");
    const std::string owner = "template '" + t.name + "'";
    check_keys(in, kKeys, owner);
    for (const TemplateSpec& other : spec_.templates) {
      if (other.name == t.name) fail(in, owner + ": there is one of this name already");
    }
    const toml::node* variables = in.get("variables");
    if (variables == nullptr) {
      fail(in, owner + ": 'variables' is missing",
           "list the domains of a clique's variables, such as [\"tag\", \"tag\"]");
    }
    read_domains(*variables, owner, t);
    t.query = query_of(in, owner);
    if (const toml::node* mixture = in.get("mixture")) {
      read_mixture(in, *mixture, owner, t);
      spec_.templates.push_back(std::move(t));
      return;
    }
    read_interaction(in, owner, t);
    if (const toml::node* bias = in.get("bias")) t.bias = flag(*bias, owner + ": 'bias'");
    read_columns(in, owner, t);
    for_each_table(in, "features", [&](const toml::table& each) {
      constexpr std::array<std::string_view, 1> kQuery = {"query"};
      check_keys(each, kQuery, owner + ", features");
      t.features.push_back(query_of(each, owner + ", features"));
    });
    read_template_rules(in, *this, owner, t);
    if (!t.key.empty() && t.features.empty()) {
      fail(*in.get("key"), owner + ": 'key' is for [[templates.features]], and there are none");
    }
    spec_.templates.push_back(std::move(t));
  }

  // variables = ["tag", ["page"]]: of a list there may be any number in a clique.
  void read_domains(const toml::node& node, const std::string& owner, TemplateSpec& t) const {
    const std::string what = owner + ": 'variables'";
    if (!node.is_array()) fail(node, what + " is no list of texts", "write [\"a\", \"b\"]");
    bool any = false;
    for (const toml::node& each : *node.as_array()) {
      t.lists.push_back(each.is_array());
      any = any || each.is_array();
      if (!each.is_array()) {
        t.variables.push_back(text_of(each, "one of " + what));
        continue;
      }
      const std::vector<std::string> one = texts_of(each, "a list of " + what);
      if (one.size() != 1) fail(each, what + ": a list is of one domain", "write [[\"page\"]]");
      t.variables.push_back(one[0]);
    }
    if (!any) t.lists.clear();
    if (t.variables.empty()) fail(node, owner + ": no variables");
  }

  // mixture = { components = 3, covariance = "full" }
  void read_mixture(const toml::table& in, const toml::node& node, const std::string& owner,
                    TemplateSpec& t) const {
    constexpr std::array<std::string_view, 4> kWith = {"name", "variables", "query", "mixture"};
    for (const auto& [key, value] : in) {
      if (std::ranges::find(kWith, key.str()) != kWith.end()) continue;
      fail(value, owner + ": '" + std::string(key.str()) + "' beside 'mixture'",
           "scores are densities of the query's columns, and no weights are trained");
    }
    if (t.variables.size() != 1)
      fail(node, owner + ": a mixture is of one variable's measurements");
    if (!node.is_table()) fail(node, owner + ": 'mixture' is no table", "write { components = 3 }");
    const toml::table& table = *node.as_table();
    constexpr std::array<std::string_view, 5> kKeys = {"components", "covariance", "variance-floor",
                                                       "generative", "seed"};
    check_keys(table, kKeys, owner + ", mixture");
    MixtureSpec& mixture = t.mixture.emplace();
    GaussianMixtureOptions& o = mixture.options;
    const auto whole = [&](std::string_view key, std::int64_t least, auto& to) {
      const toml::node* found = table.get(key);
      if (found == nullptr) return;
      const auto value = found->value_exact<std::int64_t>();
      if (!value || *value < least || *value > 1'000'000'000) {
        fail(*found, owner + ": '" + std::string(key) + "' is no whole number of " +
                         std::to_string(least) + " or more");
      }
      to = static_cast<std::remove_reference_t<decltype(to)>>(*value);
    };
    whole("components", 1, o.components);
    whole("seed", 0, o.seed);
    if (const toml::node* found = table.get("generative")) {
      mixture.generative = flag(*found, owner + ": 'generative'");
    }
    if (const toml::node* found = table.get("variance-floor")) {
      const auto value = found->value<double>();
      if (!value) fail(*found, owner + ": 'variance-floor' is no number");
      o.variance_floor = *value;
    }
    try {
      const std::string kind = optional_text(table, "covariance", owner);
      if (!kind.empty()) o.covariance = covariance_named(kind);
      o.validate();
    } catch (const UsageError& error) {
      fail(node, owner + ": " + error.what());
    }
  }

  void read_interaction(const toml::table& in, const std::string& owner, TemplateSpec& t) const {
    const std::string kind = optional_text(in, "interaction", owner);
    if (!kind.empty()) {
      try {
        t.interaction = interaction_kind(kind);
      } catch (const UsageError& error) {
        fail(*in.get("interaction"), owner + ": " + error.what());
      }
    }
    const toml::node* cells = in.get("cells");
    const bool list = t.interaction == InteractionKind::listed;
    if (list != (cells != nullptr)) {
      fail(cells != nullptr ? *cells : static_cast<const toml::node&>(in),
           owner + (list ? ": 'cells' are missing" : ": 'cells' without interaction = \"list\""),
           "cells = [[\"A\", \"B\"], …]: the labels of the variables of each");
    }
    if (cells == nullptr) return;
    if (!cells->is_array()) fail(*cells, owner + ": 'cells' is no list");
    for (const toml::node& each : *cells->as_array()) {
      t.cells.push_back(texts_of(each, owner + ": 'cells'"));
      if (t.cells.back().size() != t.variables.size()) {
        fail(each, owner + ": a cell has a label for each of the " +
                       std::to_string(t.variables.size()) + " variables");
      }
    }
    if (t.cells.empty()) fail(*cells, owner + ": no cells");
  }

  void read_columns(const toml::table& in, const std::string& owner, TemplateSpec& t) const {
    if (const toml::node* found = in.get("standardise")) {
      if (found->is_boolean()) {
        t.standardise_all = flag(*found, owner);
      } else {
        t.standardise = names_of(*found, owner + ": 'standardise'");
      }
    }
    if (const toml::node* found = in.get("categorical")) {
      t.categorical = names_of(*found, owner + ": 'categorical'");
    }
    for (const std::string& each : t.categorical) {
      if (std::ranges::find(t.standardise, each) != t.standardise.end()) {
        fail(*in.get("standardise"), owner + ": a categorical column has no mean", {}, each);
      }
    }
    const std::string tie = optional_text(in, "tie", owner);
    if (tie == "none") {
      t.tie = WeightTie::none;
    } else if (!tie.empty() && tie != "all") {
      t.tie = WeightTie::column;
      t.tie_column = tie;
    }
    t.key = optional_text(in, "key", owner);
  }

  // What templates and labels speak of must be there, where the spec says what is.
  void check_domains() const {
    const bool open = std::ranges::any_of(spec_.variables,
                                          [](const VariableSpec& v) { return v.domain.empty(); });
    if (open) return;  // domains are in the data
    std::vector<std::string_view> known;
    for (const VariableSpec& each : spec_.variables) {
      if (std::ranges::find(known, each.domain) == known.end()) known.push_back(each.domain);
    }
    const auto check = [&](const std::string& domain, const std::string& owner, std::size_t line) {
      if (std::ranges::find(known, domain) != known.end()) return;
      throw InputError({spec_.name, line}, owner + ": there are no variables of the domain", domain,
                       "there are those of " + joined_names(known));
    };
    for (const TemplateSpec& t : spec_.templates) {
      for (const std::string& each : t.variables) {
        check(each, "template '" + t.name + "'", t.query.line);
      }
    }
    for (const BlockSpec& each : spec_.blocks) {
      if (!each.domain.empty()) check(each.domain, each.query.owner, each.query.line);
    }
    for (const DomainLabels& each : spec_.labels) {
      check(each.domain, "labels", root_.get("labels")->source().begin.line);
    }
  }

  const toml::table& root_;
  GraphSpec spec_;
};

}  // namespace

GraphSpec GraphSpec::parse(std::string_view text, const std::string& name) {
  if (is_grmm_templates(text)) return parse_grmm_templates(text, name);
  try {
    check_toml_keys(text, name);
    const toml::table root = toml::parse(text, std::string_view(name));
    return SpecParser(root, name).parse();
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InputError({name, at.line, at.column}, "no TOML: " + on_one_line(error.description()), "",
                     "docs/graphs_from_tables.md has an example");
  }
}

GraphSpec GraphSpec::read(const std::string& path) {
  LineReader lines(path);
  std::string text;
  for (std::string_view line; lines.next(line);) text.append(line).append("\n");
  return parse(text, lines.name());
}

}  // namespace croft
