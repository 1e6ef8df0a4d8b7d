#include "cli/help/option_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "croft/app/infer.h"
#include "sql/logic/logic_methods.h"
#include "train/methods/methods.h"
#include "train/methods/objectives.h"

namespace croft::cli {

const OptionRow& help_row() {
  static const OptionRow kRow =
      option::flag("help", "Print this help message and exit").short_as('h');
  return kRow;
}

const OptionRow& version_row() {
  static const OptionRow kRow =
      option::flag("version", "Display program version information and exit");
  return kRow;
}

void for_listed_options(const Verb& verb, const std::function<void(const OptionRow&)>& visit) {
  visit(help_row());
  for (const std::span<const OptionRow> table : verb.options()) {
    for (const OptionRow& row : table) {
      if (!row.hidden) visit(row);
    }
  }
}

bool takes_value(const OptionRow& row) { return row.type != OptionType::flag; }

std::string_view argument_name(const OptionRow& row) {
  return row.positional ? row.name : std::string_view();
}

std::vector<std::string> names_of(const OptionRow& row) {
  std::vector<std::string> names;
  if (row.positional) return names;
  if (row.letter != 0) names.push_back(std::string("-") + row.letter);
  names.push_back("--" + std::string(row.name));
  if (!row.alias.empty()) names.push_back("--" + std::string(row.alias));
  return names;
}

std::string shown_value(const OptionRow& row) {
  if (takes_value(row) && row.shown.empty() && row.several) return "...";
  if (takes_value(row) || row.choices.empty()) return std::string(row.shown);
  return fmt::format("[={}]", fmt::join(row.choices, "|"));
}

std::string usage_of(const Verb& verb) {
  std::string usage = fmt::format("croft {} [OPTIONS]", verb.name);
  for_listed_options(verb, [&](const OptionRow& row) {
    if (argument_name(row).empty()) return;
    const std::string name = std::string(argument_name(row)) + (row.several ? "..." : "");
    usage += row.required ? " " + name : " [" + name + "]";
  });
  return usage;
}

// --- Values

namespace {

using Names = std::vector<std::string_view>;

Names methods_for(std::optional<GraphTask> task) {
  Names names{"auto"};
  for (const InferMethod& each : infer_methods()) {
    const bool answers = !task || std::ranges::find(each.tasks, *task) != each.tasks.end();
    if (answers) names.push_back(each.name);
  }
  return names;
}

Names logic_method_names() {
  Names names = methods_for(std::nullopt);
  for (const LogicMethod& each : logic_methods()) names.push_back(each.row.name);
  return names;
}

Names objective_names() {
  Names names;
  for (const Structure structure : {Structure::chain, Structure::graph}) {
    for (const ObjectiveInfo& each : objective_table(structure)) {
      if (std::ranges::find(names, each.name) == names.end()) names.push_back(each.name);
    }
  }
  return names;
}

Names optimizer_names() {
  Names names;
  for (const MethodInfo& each : method_table()) names.push_back(each.name);
  return names;
}

// Options that take any words, of which some are names that stand in no `shown`.
struct NamedValues {
  std::string_view option, verb;  // empty: of any
  Names names;
  bool files = false;
};
const std::vector<NamedValues>& named_values() {
  static const std::vector<NamedValues> kRows = {
      {"objective", "", objective_names()},
      {"optimizer", "", optimizer_names()},
      {"tokenizer", "", {"words", "blanks", "characters"}},
      {"constrain", "", {"bio", "bioes"}, true},
      {"prior-probabilities", "", {"learnt", "uniform"}, true},
      {"experts", "", {"all", "position", "labels"}},
      {"code", "", {"one-vs-rest", "all-pairs", "random", "minimum-loss"}, true},
      {"kernel", "", {"linear"}},
      {"pieces", "", {"factors", "observations"}},
      {"label-scheme", "convert", {"auto", "bio", "bio1", "ioe", "bioes", "raw"}},
      {"search",
       "train",
       {"auto", "junction-tree", "max-product", "trw-s", "graph-cut", "alpha-expansion"}},
      {"search", "", methods_for(GraphTask::map)},
      {"method", "infer", methods_for(std::nullopt)},
      {"method", "logic", logic_method_names()},
      {"method", "", methods_for(GraphTask::marginals)},
  };
  return kRows;
}

// The words of FILE|labelled[:N], NUMBER=1 or METHOD=auto that stand for themselves.
void add_shown(std::string_view shown, OfferedValues& offered) {
  constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyz-";
  while (!shown.empty()) {
    const std::string_view each = shown.substr(0, shown.find('|'));
    shown.remove_prefix(std::min(each.size() + 1, shown.size()));
    const std::string_view word = each.substr(0, each.find('['));
    const std::string_view value = word.substr(word.find('=') + 1);  // all of it without one
    if (word.starts_with("FILE")) offered.files = true;
    if (!value.empty() && value.find_first_not_of(kOfNames) == value.npos) {
      offered.names.push_back(value);
    }
  }
}

}  // namespace

OfferedValues offered_values(const Verb& verb, const OptionRow& row) {
  if (!row.choices.empty()) return {row.choices, false};
  OfferedValues offered;
  offered.files = row.type == OptionType::file;
  if (row.type != OptionType::words && row.type != OptionType::file) return offered;
  for (const NamedValues& each : named_values()) {
    if (each.option != row.name || (!each.verb.empty() && each.verb != verb.name)) continue;
    return {each.names, each.files};
  }
  add_shown(row.shown, offered);
  return offered;
}

std::string brief(std::string_view help) {
  constexpr std::size_t kLongest = 80;  // bytes
  std::size_t end = 0;
  for (int open = 0; end < help.size(); ++end) {
    const char c = help[end];
    open += (c == '(') - (c == ')');
    if (open == 0 && (c == '\n' || help.substr(end).starts_with(". "))) break;
  }
  if (end <= kLongest) return std::string(help.substr(0, end));
  std::string out(help.substr(0, help.rfind(' ', kLongest)));
  out.resize(out.find_last_not_of(" ,:;(") + 1);
  return out + " …";
}

}  // namespace croft::cli
