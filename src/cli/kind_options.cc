#include "cli/kind_options.h"

#include <algorithm>
#include <string>

#include "croft/core/error.h"

namespace croft::cli {
namespace {

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : option.get_lnames().front();
}

// How spans are spelled as labels, whatever the kind.
bool spells_spans(const CLI::App& verb, std::string_view name) {
  if (name != "label-scheme") return false;
  const CLI::Option* format = verb.get_option_no_throw("--format");
  return format != nullptr && format->count() > 0 && format->results().front() == "spans";
}

[[noreturn]] void fail_unused(const std::string& name, std::string_view kind) {
  throw UsageError("--" + name + " has no meaning for --model " + std::string(kind) +
                   "; leave it out");
}

}  // namespace

void refuse_other_options(const CLI::App& verb, std::string_view kind,
                          std::span<const std::string_view> used) {
  for (const CLI::Option* option : verb.get_options()) {
    const std::string name = name_of(*option);
    if (option->count() == 0 || spells_spans(verb, name)) continue;
    if (std::ranges::find(used, name) == used.end()) fail_unused(name, kind);
  }
}

void refuse_options(const CLI::App& verb, std::string_view kind,
                    std::span<const std::string_view> unused) {
  for (const CLI::Option* option : verb.get_options()) {
    const std::string name = name_of(*option);
    if (option->count() == 0 || spells_spans(verb, name)) continue;
    if (std::ranges::find(unused, name) != unused.end()) fail_unused(name, kind);
  }
}

}  // namespace croft::cli
