// Any bytes as a file of names: an InputError that names the file, or lists of names.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "data/settings/name_list_file.h"

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
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
