// Rules, forbidden states, shared cells and given weights of a template, from TOML.
#include <array>
#include <cmath>
#include <limits>

#include "sql/spec_toml.h"

namespace croft {
namespace {

class RulesParser {
 public:
  RulesParser(const toml::table& in, const SpecToml& toml, const std::string& owner,
              TemplateSpec& t)
      : in_(in), toml_(toml), owner_(owner), t_(t) {}

  void parse() {
    read_counting();
    if (const toml::node* share = in_.get("share")) read_share(*share);
    if (const toml::node* forbid = in_.get("forbid")) read_forbid(*forbid);
    if (const toml::node* weights = in_.get("weights")) read_weights(*weights);
    if (in_.contains("penalty") || t_.interaction == InteractionKind::known) read_penalty();
    check_lists();
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& problem,
                         std::string_view remedy = {}) const {
    const toml::node* found = in_.get(key);
    toml_.fail(found != nullptr ? *found : static_cast<const toml::node&>(in_),
               owner_ + ": " + problem, remedy);
  }
  std::string quoted(const std::string& key) const { return owner_ + ": '" + key + "'"; }
  std::string interaction() const {
    return "interaction = \"" + std::string(name_of(t_.interaction)) + "\"";
  }

  std::uint64_t whole(const toml::node& node, const std::string& key) const {
    constexpr std::int64_t kMost = 1'000'000'000;
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < 0 || *value > kMost) {
      toml_.fail(node, quoted(key) + " is no whole number from 0 to 10^9");
    }
    return static_cast<std::uint64_t>(*value);
  }

  void read_counting() {
    const bool counts = counts_variables(t_.interaction);
    const bool has_from = t_.interaction == InteractionKind::count;
    for (const auto& [key, fits] :
         {std::pair("states", counts), {"from", has_from}, {"k", has_threshold(t_.interaction)}}) {
      if (in_.contains(key) && !fits) {
        fail(key, "'" + std::string(key) + "' has no meaning with " + interaction());
      }
    }
    if (!counts) return;
    const toml::node* states = in_.get("states");
    if (states == nullptr) {
      fail("interaction", interaction() + " needs 'states'",
           "list the labels that count: states = [\"yes\"]");
    }
    read_states(*states);
    if (const toml::node* k = in_.get("k")) t_.k = whole(*k, "k");
    if (!has_from) return;
    const toml::node* from = in_.get("from");
    const std::string_view remedy = "list the counts where weights begin: from = [0, 1, 2, 5]";
    if (from == nullptr) fail("interaction", interaction() + " needs 'from'", remedy);
    if (!from->is_array()) fail("from", "'from' is no list", remedy);
    for (const toml::node& each : *from->as_array()) t_.from.push_back(whole(each, "from"));
    if (t_.from.empty() || t_.from[0] != 0 ||
        std::ranges::adjacent_find(t_.from, std::greater_equal()) != t_.from.end()) {
      fail("from", "'from' does not increase from 0", remedy);
    }
  }

  // states = ["yes"], of all variables; or [["yes"], ["high", "low"]], of each.
  void read_states(const toml::node& node) {
    const bool nested =
        node.is_array() && !node.as_array()->empty() && (*node.as_array())[0].is_array();
    if (nested) {
      t_.states = toml_.label_lists(node, quoted("states"));
      if (t_.states.size() != t_.variables.size()) {
        fail("states", "'states' has a list for each of the variables, or one for all");
      }
    } else {
      const std::vector<std::string> all = toml_.names_of(node, quoted("states"));
      if (all.empty()) fail("states", "'states' is empty");
      t_.states.assign(t_.variables.size(), all);
    }
  }

  void read_share(const toml::node& node) {
    if (!node.is_array() || node.as_array()->empty()) {
      fail("share", "'share' is no list", "write [[[\"A\", \"B\"], [\"B\", \"A\"]], …]");
    }
    for (const toml::node& group : *node.as_array()) {
      t_.share.push_back(toml_.joint_states(group, quoted("share"), t_.variables.size()));
    }
  }

  // A list of joint states, or a query that returns them.
  void read_forbid(const toml::node& node) {
    if (counts_variables(t_.interaction) || t_.interaction == InteractionKind::known) {
      fail("forbid", "'forbid' has no meaning with " + interaction(),
           "write a template of its own for it");
    }
    if (node.is_string()) {
      t_.forbid_query = query(node, "forbid");
    } else {
      t_.forbid = toml_.joint_states(node, quoted("forbid"), t_.variables.size());
    }
  }

  QueryText query(const toml::node& node, const std::string& key) const {
    return {toml_.text_of(node, quoted(key)), t_.query.name, node.source().begin.line,
            owner_ + ", " + key};
  }

  // weights = [["(bias)", "A", "B", 1.5], …]: a feature, the labels of its cell, the weight.
  void read_weights(const toml::node& node) {
    constexpr std::string_view kRemedy = "write [[\"(bias)\", \"A\", \"B\", 1.5], …]";
    if (node.is_string()) {
      t_.weights_query = query(node, "weights");
      return;
    }
    if (!node.is_array() || node.as_array()->empty())
      fail("weights", "'weights' is no list", kRemedy);
    for (const toml::node& each : *node.as_array()) {
      const toml::array* row = each.as_array();
      if (row == nullptr || row->size() < 2) {
        toml_.fail(each, quoted("weights") + ": a weight is a feature, labels and a number",
                   kRemedy);
      }
      WeightSpec& weight = t_.weights.emplace_back();
      for (std::size_t k = 0; k + 1 < row->size(); ++k) {
        const bool count = k > 0 && (*row)[k].is_integer();
        std::string text = count
                               ? std::to_string(whole((*row)[k], "weights"))
                               : toml_.text_of((*row)[k], quoted("weights") + ": one of the names");
        if (k == 0) {
          weight.feature = std::move(text);
        } else {
          weight.cell.push_back(std::move(text));
        }
      }
      weight.weight = toml_.number_of(row->back(), quoted("weights") + ": the last of each");
      if (!std::isfinite(weight.weight)) fail("weights", "a weight is not finite");
    }
  }

  // No weights are trained then, so that nothing may stand for features.
  void read_penalty() {
    t_.penalty = std::numeric_limits<double>::infinity();
    if (const toml::node* found = in_.get("penalty")) {
      t_.penalty = toml_.number_of(*found, quoted("penalty"));
      if (!(*t_.penalty > 0)) fail("penalty", "'penalty' is not above 0", "inf forbids");
    }
    constexpr std::array<std::string_view, 9> kWithout = {"bias",  "standardise", "categorical",
                                                          "tie",   "key",         "features",
                                                          "cells", "share",       "weights"};
    const std::string what = in_.contains("penalty") ? "'penalty'" : "interaction = \"known\"";
    for (const std::string_view each : kWithout) {
      if (!in_.contains(each)) continue;
      fail(std::string(each), "'" + std::string(each) + "' beside " + what,
           "a constraint has no weights and no features");
    }
    const bool rule = counts_variables(t_.interaction) && t_.interaction != InteractionKind::count;
    const bool forbids = in_.contains("forbid") && t_.interaction == InteractionKind::table;
    if (!rule && !forbids && t_.interaction != InteractionKind::known) {
      fail("penalty", "'penalty' is of what 'forbid' lists, or of a rule such as \"at-most\"",
           "give forbid = [[\"A\", \"B\"], …] or another interaction");
    }
    t_.bias = false;
  }

  void check_lists() const {
    if (t_.lists.empty()) return;
    if (!counts_variables(t_.interaction)) {
      fail("variables", "a list of variables with " + interaction(),
           "lists go with count, at-most, at-least, exactly, exactly-one, and, or, implies");
    }
    if (t_.tie == WeightTie::none) {
      fail("tie", "tie = \"none\" with a list of variables", "tie by a column");
    }
    if (!t_.features.empty() && t_.key.empty()) {
      fail("features", "features of a list of variables need a key",
           "name a column that tells cliques apart: key = \"…\"");
    }
  }

  const toml::table& in_;
  const SpecToml& toml_;
  const std::string& owner_;
  TemplateSpec& t_;
};

}  // namespace

void read_template_rules(const toml::table& in, const SpecToml& toml, const std::string& owner,
                         TemplateSpec& t) {
  RulesParser(in, toml, owner, t).parse();
}

}  // namespace croft
