#include "data/settings/name_list_file.h"

#include <algorithm>

#include "data/checks.h"

namespace croft {
namespace {

constexpr std::string_view kNamesRemedy =
    "write a name's tokens with spaces between, and behind a TAB, where there are several lists, "
    "the one that it is in";

std::string joined_tokens(std::string_view text) {
  std::string joined;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) {
      if (!joined.empty()) joined += ' ';
      joined += text.substr(begin, end - begin);
    }
    begin = end + 1;
  }
  return joined;
}

}  // namespace

void read_name_list_file(LineReader& lines, const std::string& name, std::vector<NameList>& lists) {
  bool any = false;
  for (std::string_view line; lines.next(line);) {
    require_plain_text(line, lines);
    if (line.find_first_not_of(' ') == line.npos) continue;
    const std::size_t tab = line.find('\t');
    std::string tokens = joined_tokens(line.substr(0, tab));
    if (tokens.empty()) {
      throw InputError(lines.location(), "a line without a name", line, kNamesRemedy);
    }
    std::string list = name;
    if (tab != line.npos) {
      list = line.substr(tab + 1);
      if (list.empty() || list.find_first_of(" \t") != list.npos) {
        throw InputError(lines.location(tab + 2), "what is behind a name's TAB is no list's name",
                         line, kNamesRemedy);
      }
    }
    auto found = std::ranges::find(lists, list, &NameList::name);
    if (found == lists.end()) found = lists.insert(lists.end(), NameList{list, {}});
    found->entries.push_back(std::move(tokens));
    any = true;
  }
  if (!any) throw InputError({lines.name()}, "no name", "", kNamesRemedy);
}

}  // namespace croft
