// What is wrong with a command line, in our words where CLI11's are hard to understand.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace croft::cli {

inline std::string parse_message(const CLI::ParseError& error) {
  constexpr std::string_view kFlagValue = " was given a disallowed flag override";
  const std::string what = error.what();
  if (!what.ends_with(kFlagValue)) return what;
  return "--" + what.substr(0, what.size() - kFlagValue.size()) + " takes no value";
}

}  // namespace croft::cli
