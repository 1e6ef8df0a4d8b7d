// Any bytes as a file of names: an InputError that names the file, or lists of names.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "data/settings/name_list_file.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_name_lists {

CROFT_FUZZ_TARGET(fuzz_name_lists) {
  croft::LineReader lines({reinterpret_cast<const char*>(data), size}, "fuzz");
  try {
    std::vector<croft::NameList> lists;
    croft::read_name_list_file(lines, "list", lists);
    require(!lists.empty(), "no list");
    for (const croft::NameList& list : lists) {
      require(!list.name.empty() && !list.entries.empty(), "an empty list");
      for (const std::string& entry : list.entries) {
        require(!entry.empty() && entry.front() != ' ' && entry.back() != ' ', "blanks around");
        require(entry.find("  ") == entry.npos && entry.find('\t') == entry.npos, "blanks within");
      }
    }
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
  }
  return 0;
}

}  // namespace fuzz_name_lists
