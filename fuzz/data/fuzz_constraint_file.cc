// Any bytes as a constraint file: an InputError that names the file, or a constraint that leaves a
// start and an end, the same for the rules in reverse order.
//
// The input is the names of labels, one a line, up to an empty line, and the rules.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "data/settings/constraint_file.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_constraint_file {

namespace {

constexpr std::size_t kLongest = 4096;  // bytes: matching costs rules times labels
constexpr std::size_t kMostLabels = 24;

std::string_view cut_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

std::string reversed_lines(std::string_view text) {
  std::string reversed;
  while (!text.empty()) reversed = std::string(cut_line(text)) + "\n" + reversed;
  return reversed;
}

croft::ChainConstraint read(std::string_view text, const std::vector<std::string>& names) {
  return croft::read_constraint(croft::LineReader(text, "fuzz"), names);
}

void run(std::string_view data) {
  if (data.size() > kLongest) return;
  std::vector<std::string> names;
  while (!data.empty() && names.size() < kMostLabels) {
    const std::string_view name = cut_line(data);
    if (name.empty()) break;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }
  try {
    const croft::ChainConstraint constraint = read(data, names);
    const auto any = [](const std::vector<bool>& bits) {
      return std::find(bits.begin(), bits.end(), true) != bits.end();
    };
    require(constraint.labels == names.size(), "another number of labels");
    require(any(constraint.start) && any(constraint.end), "no start or no end");
    // A byte order mark counts at the start of a file alone, and a carriage return ends any line.
    if (data.find('\xEF') != data.npos || data.find('\r') != data.npos) return;
    require(read(reversed_lines(data), names) == constraint, "the order of rules matters");
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_constraint_file) {
  run({reinterpret_cast<const char*>(data), size});
  return 0;
}

}  // namespace fuzz_constraint_file
