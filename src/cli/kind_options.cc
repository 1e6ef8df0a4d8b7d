#include "cli/kind_options.h"

#include <algorithm>
#include <string>

#include "croft/core/error.h"

namespace croft::cli {
namespace {

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : option.get_lnames().front();
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
    if (option->count() > 0 && std::ranges::find(used, name) == used.end()) fail_unused(name, kind);
  }
}

void refuse_options(const CLI::App& verb, std::string_view kind,
                    std::span<const std::string_view> unused) {
  for (const CLI::Option* option : verb.get_options()) {
    const std::string name = name_of(*option);
    if (option->count() > 0 && std::ranges::find(unused, name) != unused.end()) {
      fail_unused(name, kind);
    }
  }
}

}  // namespace croft::cli
