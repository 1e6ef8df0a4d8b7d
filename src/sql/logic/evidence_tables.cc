#include "sql/logic/evidence_tables.h"

#include <sqlite3.h>

#include <charconv>
#include <string>
#include <system_error>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft {
namespace {

const char* const kTablesName = "the grounding's tables";

void end_in_time(std::size_t row, const GroundWatch* watch) {
  if (row % 4096 != 0) return;
  if (interruption) throw Interrupted("grounding was interrupted");
  if (watch != nullptr && watch->must_end()) watch->end();
}

void fill_domain(sqlite3* database, std::size_t type, const NameTable& constants,
                 const GroundWatch* watch) {
  const std::string table = "d" + std::to_string(type);
  execute(database, "CREATE TABLE " + table + "(c INTEGER PRIMARY KEY, v)", kTablesName);
  Statement insert(database, "INSERT INTO " + table + " VALUES (?, ?)", kTablesName);
  for (std::uint32_t c = 0; c < constants.size(); ++c) {
    end_in_time(c, watch);
    const std::string& name = constants[c];
    std::int64_t number = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
    insert.bind(0, std::int64_t{c});
    if (end.ec == std::errc() && std::to_string(number) == name) {
      insert.bind(1, number);
    } else {
      insert.bind(1, std::string_view(name));
    }
    insert.run();
  }
  execute(database, "CREATE INDEX " + table + "v ON " + table + "(v)", kTablesName);
}

// A table of tuples and one more column.
template <class Last>
void fill_tuples(sqlite3* database, const std::string& table, std::size_t arity,
                 const TupleTable& tuples, const std::string& last_name, const Last& last,
                 const GroundWatch* watch) {
  // Whole numbers, declared as such: else an index does not find what another column holds.
  std::string columns, typed, values;
  for (std::size_t i = 0; i < arity; ++i) {
    columns += (i == 0 ? "a" : ", a") + std::to_string(i);
    typed += "a" + std::to_string(i) + " INTEGER, ";
    values += "?, ";
  }
  const std::string declared = typed + last_name + " INTEGER";
  const std::string key = arity == 0 ? ")" : ", PRIMARY KEY (" + columns + ")) WITHOUT ROWID";
  execute(database, "CREATE TABLE " + table + "(" + declared + key, kTablesName);
  Statement insert(database, "INSERT INTO " + table + " VALUES (" + values + "?)", kTablesName);
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    end_in_time(i, watch);
    for (std::size_t k = 0; k < arity; ++k) insert.bind(k, std::int64_t{tuples[i][k]});
    insert.bind(arity, static_cast<std::int64_t>(last(i)));
    insert.run();
  }
  for (std::size_t i = 1; i < arity; ++i) {
    const std::string number = std::to_string(i);
    execute(database, "CREATE INDEX " + table + "a" + number + " ON " + table + "(a" + number + ")",
            kTablesName);
  }
}

void fill_tables(sqlite3* database, const AtomSpace& space, const GroundWatch* watch) {
  const LogicNetwork& network = space.network();
  const LogicEvidence& evidence = space.evidence();
  execute(database, "BEGIN", kTablesName);
  for (std::size_t t = 0; t < evidence.types.size(); ++t) {
    fill_domain(database, t, evidence.types[t], watch);
  }
  for (std::size_t p = 0; p < evidence.predicates.size(); ++p) {
    const LogicFacts& facts = evidence.predicates[p];
    fill_tuples(
        database, "p" + std::to_string(p), network.predicates[p].types.size(), facts.tuples,
        "truth", [&](std::size_t i) { return static_cast<int>(facts.truth[i]); }, watch);
  }
  for (std::size_t f = 0; f < evidence.functions.size(); ++f) {
    const FunctionValues& values = evidence.functions[f];
    fill_tuples(
        database, "f" + std::to_string(f), network.functions[f].types.size(), values.tuples, "r",
        [&](std::size_t i) { return values.value[i]; }, watch);
  }
  execute(database, "COMMIT", kTablesName);
  execute(database, "ANALYZE", kTablesName);
}

}  // namespace

SqliteHandle evidence_tables(const AtomSpace& space, const GroundWatch* watch) {
  SqliteHandle database = open_sqlite(":memory:", SqliteUse::write);
  if (watch != nullptr) {
    const auto must_end = [](void* of) {
      return static_cast<const GroundWatch*>(of)->must_end() ? 1 : 0;
    };
    sqlite3_progress_handler(database.get(), 100'000, must_end, const_cast<GroundWatch*>(watch));
  }
  try {
    fill_tables(database.get(), space, watch);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {  // of a statement that the watch has ended
    if (watch != nullptr && watch->must_end()) watch->end();
    throw;
  }
  return database;
}

}  // namespace croft
