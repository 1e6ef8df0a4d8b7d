#include "core/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace croft {
namespace {

double limit_of_group() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  double bytes = 0;
  return file >> bytes ? bytes : 0;  // "max" is no number
}

}  // namespace

double usable_memory() {
  double bytes =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  rlimit own{};
  if (::getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY) {
    bytes = std::min(bytes, static_cast<double>(own.rlim_cur));
  }
  if (const double group = limit_of_group(); group > 0) bytes = std::min(bytes, group);
  return bytes / 2;
}

}  // namespace croft
