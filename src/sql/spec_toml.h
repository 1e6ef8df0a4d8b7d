// Values of a declaration in TOML, read by type: what is another, an InputError says where and what
// to write.  Internal to the parser of GraphSpec.
#pragma once
#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "sql/graph_spec.h"

namespace croft {

inline std::string joined_names(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view each : names) list += (list.empty() ? "" : ", ") + std::string(each);
  return list;
}

class SpecToml {
 public:
  explicit SpecToml(std::string name) : name_(std::move(name)) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& problem,
                         std::string_view remedy = {}, std::string_view text = {}) const {
    const toml::source_position at = node.source().begin;
    throw InputError({name_, at.line, at.column}, problem, text, remedy);
  }

  void check_keys(const toml::table& table, std::span<const std::string_view> keys,
                  const std::string& owner) const {
    for (const auto& [key, value] : table) {
      if (std::ranges::find(keys, key.str()) != keys.end()) continue;
      const toml::source_position at = key.source().begin;
      throw InputError({name_, at.line, at.column}, owner + ": there is no such key", key.str(),
                       "there are " + joined_names(keys));
    }
  }

  template <class Visit>
  void for_each_table(const toml::table& in, std::string_view key, const Visit& visit) const {
    const toml::node* found = in.get(key);
    if (found == nullptr) return;
    const std::string remedy = "begin each with a line [[" + std::string(key) + "]]";
    if (!found->is_array()) fail(*found, "'" + std::string(key) + "' is no list of tables", remedy);
    for (const toml::node& each : *found->as_array()) {
      if (!each.is_table()) fail(each, "'" + std::string(key) + "' is no list of tables", remedy);
      visit(*each.as_table());
    }
  }

  std::string text_of(const toml::node& node, const std::string& what) const {
    const auto value = node.value_exact<std::string>();
    if (!value) fail(node, what + " is no text", "write it in quotes");
    if (value->find('\0') != std::string::npos) fail(node, what + " has a NUL byte");
    return *value;
  }

  std::string optional_text(const toml::table& in, std::string_view key,
                            const std::string& owner) const {
    const toml::node* found = in.get(key);
    if (found == nullptr) return {};
    std::string text = text_of(*found, owner + ": '" + std::string(key) + "'");
    if (text.empty()) fail(*found, owner + ": '" + std::string(key) + "' is empty");
    return text;
  }

  std::string required_text(const toml::table& in, std::string_view key,
                            const std::string& owner) const {
    std::string text = optional_text(in, key, owner);
    if (text.empty()) fail(in, owner + ": '" + std::string(key) + "' is missing");
    return text;
  }

  std::vector<std::string> texts_of(const toml::node& node, const std::string& what) const {
    if (!node.is_array()) fail(node, what + " is no list of texts", "write [\"a\", \"b\"]");
    std::vector<std::string> texts;
    for (const toml::node& each : *node.as_array())
      texts.push_back(text_of(each, "one of " + what));
    return texts;
  }

  std::vector<std::string> names_of(const toml::node& node, const std::string& what) const {
    std::vector<std::string> names = texts_of(node, what);
    std::set<std::string_view> seen;
    for (const std::string& each : names) {
      if (!seen.insert(each).second) fail(node, what + " names the same twice", {}, each);
    }
    return names;
  }

  bool flag(const toml::node& node, const std::string& what) const {
    const auto value = node.value_exact<bool>();
    if (!value) fail(node, what + " is neither true nor false");
    return *value;
  }

  QueryText query_of(const toml::table& in, const std::string& owner) const {
    const std::string text = required_text(in, "query", owner);
    return {text, name_, in.get("query")->source().begin.line, owner};
  }

  // A number, 2 or 2.0.
  double number_of(const toml::node& node, const std::string& what) const {
    const auto value = node.value<double>();
    if (!value || node.is_boolean() || !node.is_number()) fail(node, what + " is no number");
    return *value;
  }

  // Lists of texts: [["A", "B"], ["C"]].
  LabelLists label_lists(const toml::node& node, const std::string& what) const {
    if (!node.is_array()) fail(node, what + " is no list", "write [[\"A\", \"B\"], …]");
    LabelLists lists;
    for (const toml::node& each : *node.as_array()) lists.push_back(texts_of(each, what));
    if (lists.empty()) fail(node, what + " is empty");
    return lists;
  }

  // The same, each with a label for each of the variables.
  LabelLists joint_states(const toml::node& node, const std::string& what,
                          std::size_t variables) const {
    LabelLists lists = label_lists(node, what);
    for (std::size_t k = 0; k < lists.size(); ++k) {
      if (lists[k].size() == variables) continue;
      fail((*node.as_array())[k],
           what + " has a label for each of the " + std::to_string(variables) + " variables");
    }
    return lists;
  }

 private:
  std::string name_;
};

// The keys of a template that make rules of it: what counts, what is forbidden or costs, what
// shares a weight, and weights that are given.
//   t : what the template is otherwise
void read_template_rules(const toml::table& in, const SpecToml& toml, const std::string& owner,
                         TemplateSpec& t);

}  // namespace croft
