#include "sql/template_schema.h"

#include <algorithm>

#include "croft/core/error.h"
#include "sql/row_ids.h"

namespace croft {
namespace {

bool are_numbers(const std::vector<std::string>& labels) {
  return std::ranges::all_of(labels, [](const std::string& each) {
    return !each.empty() && each.find_first_not_of("+-.0123456789eE") == std::string::npos;
  });
}

void sort_unique(std::vector<std::uint64_t>& states) {
  std::ranges::sort(states);
  const auto same = std::ranges::unique(states);
  states.erase(same.begin(), same.end());
}

class TemplateMaker {
 public:
  TemplateMaker(const Database& database, const GraphSpec& spec, const TemplateSpec& t,
                std::span<const Domain> domains)
      : database_(database), spec_(spec), t_(t), domains_(domains), made_{t.name, {}, {}} {}

  CliqueTemplate make() {
    for (const std::string& each : t_.variables) {
      const auto found = std::ranges::find(domains_, each, &Domain::name);
      made_.domain.push_back(static_cast<std::uint32_t>(found - domains_.begin()));
      labels_.emplace_back(found->labels);
      parts_.states.push_back(static_cast<std::uint32_t>(found->labels.size()));
      check_order(*found);
    }
    made_.lists = t_.lists;
    made_.penalty = t_.penalty;
    made_.scores = t_.mixture || t_.penalty || t_.has_given_weights();
    set_parts();
    try {
      made_.interaction = make_interaction(std::move(parts_));
    } catch (const UsageError& error) {
      fail(error.what());
    }
    set_weights();
    try {
      made_.check();
    } catch (const UsageError& error) {
      fail(error.what());
    }
    return std::move(made_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem, std::string_view text = {},
                         std::string_view remedy = {}) const {
    throw InputError({t_.query.name, t_.query.line}, "template '" + t_.name + "': " + problem, text,
                     remedy);
  }

  void check_order(const Domain& domain) const {
    if (t_.interaction != InteractionKind::ordinal || spec_.listed(domain.name) != nullptr ||
        are_numbers(domain.labels)) {
      return;
    }
    fail("the labels of '" + domain.name +
             "' are no numbers, and an ordinal interaction needs their order",
         "", "list them in order: [labels], then " + domain.name + " = [\"A\", \"B\"]");
  }

  void set_parts() {
    parts_.kind = t_.interaction;
    parts_.listed = joint_states(t_.cells, "a cell");
    if (std::ranges::adjacent_find(parts_.listed) != parts_.listed.end()) fail("a cell twice");
    std::vector<std::uint64_t> forbidden = joint_states(t_.forbid, "a forbidden state");
    if (t_.forbid_query) forbidden = queried_states(*t_.forbid_query);
    sort_unique(forbidden);
    const bool constraint = t_.penalty && (!t_.forbid.empty() || t_.forbid_query);
    if (constraint && forbidden.empty()) {
      fail("the query under 'forbid' returns no row, so that nothing costs the penalty", {},
           "leave the template out, or let the query return joint states");
    }
    if (constraint) parts_.kind = InteractionKind::listed;
    (constraint ? parts_.listed : parts_.forbidden) = std::move(forbidden);
    for (const LabelLists& group : t_.share) {
      parts_.shared.push_back(joint_states(group, "a cell that shares a weight"));
    }
    if (counts_variables(t_.interaction)) set_rule();
  }

  void set_rule() {
    parts_.rule.from = t_.from;
    parts_.rule.k = t_.k.value_or(1);
    parts_.rule.broken = t_.penalty.has_value();
    for (std::size_t place = 0; place < t_.states.size(); ++place) {
      auto& counts = parts_.rule.counts.emplace_back(labels_[place].size(), std::uint8_t{0});
      for (const std::string& label : t_.states[place]) {
        counts[state_of(place, label, "'states' name")] = 1;
      }
    }
  }

  State state_of(std::size_t place, const std::string& label, const std::string& what) const {
    const auto found = std::ranges::find(labels_[place], label);
    if (found != labels_[place].end()) {
      return static_cast<State>(found - labels_[place].begin());
    }
    fail(what + (what.ends_with("name") ? " a label" : " has a label") + " that is none of '" +
             t_.variables[place] + "'",
         label, "labels are those of the data, or listed under [labels]");
  }

  // Increasing.
  std::vector<std::uint64_t> joint_states(const LabelLists& lists, const std::string& what) const {
    std::vector<std::uint64_t> states;
    for (const std::vector<std::string>& each : lists) {
      std::uint64_t joint = 0;
      for (std::size_t k = 0; k < each.size(); ++k) {
        joint = joint * labels_[k].size() + state_of(k, each[k], what);
      }
      states.push_back(joint);
    }
    std::ranges::sort(states);
    return states;
  }

  std::vector<std::uint64_t> queried_states(const QueryText& text) const {
    Query query(database_, text);
    if (query.columns() != labels_.size()) {
      query.fail("it has " + std::to_string(query.columns()) + " columns",
                 "they are the labels of the template's " + std::to_string(labels_.size()) +
                     " variables, a row for each joint state");
    }
    std::vector<std::uint64_t> states;
    while (query.next()) {
      std::uint64_t joint = 0;
      for (std::size_t k = 0; k < labels_.size(); ++k) {
        if (query.is_null(k)) query.fail_row("a label is NULL", "leave such rows out");
        const auto found = std::ranges::find(labels_[k], query.text(k));
        if (found == labels_[k].end()) {
          query.fail_row(in_quotes(query.text(k)) + " is no label of '" + t_.variables[k] + "'",
                         "labels are those of the data, or listed under [labels]");
        }
        joint = joint * labels_[k].size() + static_cast<std::uint64_t>(found - labels_[k].begin());
      }
      states.push_back(joint);
    }
    return states;
  }

  void set_weights() {
    for (const WeightSpec& each : t_.weights) {
      try {
        made_.given.push_back(
            {each.feature, made_.interaction.cell_named(each.cell, labels_), each.weight});
      } catch (const UsageError& error) {
        fail("the weight of " + in_quotes(each.feature) + ": " + error.what());
      }
    }
    if (!t_.weights_query) return;
    Query query(database_, *t_.weights_query);
    const std::size_t last = query.columns() - 1;
    if (last == 0) {
      query.fail("one column", "they are a feature, the labels of its cell, and the weight");
    }
    while (query.next()) {
      std::vector<std::string> cell;
      for (std::size_t k = 0; k <= last; ++k) {
        if (query.is_null(k)) query.fail_row("a cell is NULL", "leave such rows out");
        if (k > 0 && k < last) cell.emplace_back(query.text(k));
      }
      const CellType type = query.type(last);
      if (type != CellType::integer && type != CellType::real) {
        query.fail_row("the weight " + in_quotes(query.text(last)) + " is no number");
      }
      try {
        made_.given.push_back({std::string(query.text(0)),
                               made_.interaction.cell_named(cell, labels_),
                               finite_in(query, last)});
      } catch (const UsageError& error) {
        query.fail_row(error.what());
      }
    }
  }

  const Database& database_;
  const GraphSpec& spec_;
  const TemplateSpec& t_;
  std::span<const Domain> domains_;
  CliqueTemplate made_;
  InteractionParts parts_;
  std::vector<std::span<const std::string>> labels_;  // [places]
};

}  // namespace

CliqueTemplate make_template(const Database& database, const GraphSpec& spec,
                             const TemplateSpec& clique_template, std::span<const Domain> domains) {
  return TemplateMaker(database, spec, clique_template, domains).make();
}

}  // namespace croft
