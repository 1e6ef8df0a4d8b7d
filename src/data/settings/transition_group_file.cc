#include "data/settings/transition_group_file.h"

#include "data/settings/fields.h"

namespace croft {

TransitionGroupFile read_transition_group_file(LineReader& lines) {
  constexpr std::string_view kRemedy =
      "write two labels and the name of a group between TABs or spaces; * is any text, the group - "
      "no weight";
  TransitionGroupFile file{lines.name(), {}};
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    const std::vector<std::string_view> fields = split_fields(line);
    if (fields.size() != 3 || fields[0].empty() || fields[1].empty() || fields[2].empty()) {
      throw InputError(lines.location(), "a line that is not FROM TO GROUP", line, kRemedy);
    }
    TransitionGroupRule rule{std::string(fields[0]), std::string(fields[1]), std::nullopt,
                             lines.line_number()};
    if (fields[2] != "-") rule.group = fields[2];
    file.rules.push_back(std::move(rule));
  }
  if (file.rules.empty()) throw InputError({file.name}, "no line", "", kRemedy);
  return file;
}

}  // namespace croft
