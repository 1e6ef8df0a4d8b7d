// A query and any bytes as a database: an Error, or rows; within the limits of time and memory.
// The query ends at the first NUL byte.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "sql/database.h"
#include "support/target.h"

namespace fuzz_sqlite {

namespace {

// One file for all runs of the process, in memory where the system has a place there.
const std::string& path() {
  static const std::string name = [] {
    const char* const folder = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    return std::string(folder) + "/croft-fuzz-sqlite-" + std::to_string(::getpid());
  }();
  static const int once = std::atexit([] { ::unlink(path().c_str()); });
  static_cast<void>(once);
  return name;
}

void read_all(const croft::Database& database, const std::string& text) {
  const croft::QueryText query{text, "fuzz", 1, "query"};
  croft::Query rows(database, query);
  while (rows.next()) {
    for (std::size_t k = 0; k < rows.columns(); ++k) {
      if (rows.type(k) == croft::CellType::text) {
        static_cast<void>(rows.text(k));
      } else {
        static_cast<void>(rows.real(k));
      }
    }
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_sqlite) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  std::ofstream(path(), std::ios::binary | std::ios::trunc)
      << bytes.substr(std::min(end + 1, bytes.size()));
  try {
    const auto database =
        croft::Database::open({path()}, {.seconds = 0.2, .memory = std::size_t{64} << 20});
    for (const std::string& query :
         {std::string(bytes.substr(0, end)), std::string("select * from t"),
          std::string("select name, sql from sqlite_master")}) {
      try {
        read_all(database, query);
      } catch (const croft::InputError&) {
      }
    }
  } catch (const croft::Error&) {
  }
  return 0;
}

}  // namespace fuzz_sqlite
