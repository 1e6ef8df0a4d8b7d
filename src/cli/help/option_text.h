// How the options of a verb are written, for help, manual pages and the completions of shells
// alike.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"
#include "core/option_row.h"

namespace croft::cli {

// What no table of a verb has: --help, of the program and of every verb, and --version.
const OptionRow& help_row();
const OptionRow& version_row();

// --help, then those that help lists.
void for_listed_options(const Verb& verb, const std::function<void(const OptionRow&)>& visit);

bool takes_value(const OptionRow& row);  // after a blank; flags that are valued() after = alone
// How the usage calls a word without a name; empty: the option has a name.
std::string_view argument_name(const OptionRow& row);
// "-m", "--model"; none of a word without a name.
std::vector<std::string> names_of(const OptionRow& row);
// The value as the options show it: "N=10"; of flags that are valued() "[=all]".
std::string shown_value(const OptionRow& row);

// "croft compare [OPTIONS] FIRST SECOND DATA".
std::string usage_of(const Verb& verb);

// The values to be offered, and whether files are.
struct OfferedValues {
  std::vector<std::string_view> names;
  bool files = false;
};
OfferedValues offered_values(const Verb& verb, const OptionRow& row);

// The first sentence of a help, or its beginning and an ellipsis where that is long.
std::string brief(std::string_view help);

}  // namespace croft::cli
