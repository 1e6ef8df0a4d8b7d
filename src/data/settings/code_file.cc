#include "data/settings/code_file.h"

#include <unordered_set>

#include "data/plain_text.h"
#include "data/settings/fields.h"

namespace croft {

std::vector<std::pair<std::string, std::string>> read_code_file(LineReader& lines) {
  constexpr std::string_view kRemedy =
      "write a label and its bits (0, 1 and -) between TABs or spaces";
  std::vector<std::pair<std::string, std::string>> words;
  std::unordered_set<std::string> known;
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    require_plain_text(line, lines);
    const std::vector<std::string_view> fields = split_fields(line);
    if (fields.size() != 2 || fields[0].empty() || fields[1].empty() ||
        fields[1].find_first_not_of("01-") != std::string_view::npos) {
      throw InputError(lines.location(), "a line that is not LABEL BITS", line, kRemedy);
    }
    if (!words.empty() && fields[1].size() != words.front().second.size()) {
      throw InputError(lines.location(),
                       "a word of " + std::to_string(fields[1].size()) +
                           " bits, where others have " +
                           std::to_string(words.front().second.size()),
                       fields[1], "give all labels words of one length");
    }
    if (!known.emplace(fields[0]).second) {
      throw InputError(lines.location(), "a label that has a word already", fields[0],
                       "delete one of the lines");
    }
    words.emplace_back(fields[0], fields[1]);
  }
  if (words.empty()) throw InputError({lines.name()}, "no line", "", kRemedy);
  return words;
}

}  // namespace croft
