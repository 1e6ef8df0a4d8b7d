// The files of src/serve/page, which are compiled in (CMakeLists.txt).
#pragma once
#include <span>
#include <string_view>

namespace croft::serve {

struct PageFile {
  std::string_view path, type, content;
};
std::span<const PageFile> page_files();

}  // namespace croft::serve
