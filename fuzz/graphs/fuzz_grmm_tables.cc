// Any bytes as data lines of GRMM: an InputError that names the file, or tables in which every
// sequence is linked from its first position to its last.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "croft/core/error.h"
#include "sql/sqlite_calls.h"
#include "sql/tables/grmm_tables.h"
#include "support/target.h"

namespace fuzz_grmm_tables {

CROFT_FUZZ_TARGET(fuzz_grmm_tables) {
  const croft::SqliteHandle database = croft::open_sqlite(":memory:", croft::SqliteUse::read);
  try {
    std::vector<croft::LineReader> files;
    files.emplace_back(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
    croft::import_grmm(std::move(files), database.get());
  } catch (const croft::InputError& error) {
    if (error.where().file != "fuzz") throw std::logic_error("an error without its file");
    return 0;
  } catch (const croft::Error&) {
    return 0;
  }
  croft::Statement ends(database.get(),
                        "select count(*) from token a left join token b on b.id = a.next and "
                        "b.instance = a.instance where b.id is null",
                        "fuzz");
  croft::Statement instances(database.get(), "select count(distinct instance) from token", "fuzz");
  if (ends.text() != instances.text()) throw std::logic_error("sequences that are not linked");
  return 0;
}

}  // namespace fuzz_grmm_tables
