#include "data/settings/label_class_file.h"

#include "data/plain_text.h"
#include "data/settings/fields.h"

namespace croft {

LabelClasses read_label_class_file(LineReader& lines) {
  constexpr std::string_view kRemedy = "write a label and its class between TABs or spaces";
  LabelClasses classes;
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    require_plain_text(line, lines);
    const std::vector<std::string_view> fields = split_fields(line);
    if (fields.size() != 2 || fields[0].empty() || fields[1].empty()) {
      throw InputError(lines.location(), "a line that is not LABEL CLASS", line, kRemedy);
    }
    const auto [entry, is_new] = classes.emplace(fields[0], fields[1]);
    if (!is_new) {
      throw InputError(lines.location(), "a label that has a class already", fields[0],
                       "give it one class: delete one of the lines");
    }
  }
  if (classes.empty()) throw InputError({lines.name()}, "no line", "", kRemedy);
  return classes;
}

}  // namespace croft
