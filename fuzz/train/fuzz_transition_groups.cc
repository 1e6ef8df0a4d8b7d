// Any bytes as a file of transition groups: an InputError with its file, or rules that read back
// equal when written again, and that give every pair of labels one group or none.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/train/train_files.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_transition_groups {

namespace {

croft::TransitionGroupFile read(std::string_view text) {
  croft::LineReader lines(text, "fuzz");
  return croft::read_transition_group_file(lines);
}

std::string written(const croft::TransitionGroupFile& file) {
  std::string out =
      "\n";  // a label may begin with what at the start of a file is a byte order mark
  for (const croft::TransitionGroupRule& rule : file.rules) {
    require(!rule.from.empty() && !rule.to.empty(), "an empty label");
    out += rule.from + "\t" + rule.to + "\t" + rule.group.value_or("-");
    out += "\r\n";  // a group may end in a carriage return, which before \n would be the line's end
  }
  return out;
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_transition_groups) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const croft::TransitionGroupFile file = read(text);
    const std::string once = written(file);
    require(written(read(once)) == once, "not the same again");
    const croft::LabelNames names({"A", "B-X", "*", ""});
    const croft::TransitionGroups groups = croft::transition_groups(file, names);
    require(groups.of.size() == names.size() * names.size(), "a pair without an answer");
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
  }
  return 0;
}

}  // namespace fuzz_transition_groups
