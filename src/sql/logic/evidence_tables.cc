#include "sql/logic/evidence_tables.h"

#include <charconv>
#include <string>
#include <system_error>

#include "croft/core/interrupt.h"

namespace croft {
namespace {

const char* const kTablesName = "the grounding's tables";

void end_where_interrupted(std::size_t row) {
  if (row % 4096 == 0 && interruption) throw Interrupted("grounding was interrupted");
}

void fill_domain(sqlite3* database, std::size_t type, const NameTable& constants) {
  const std::string table = "d" + std::to_string(type);
  execute(database, "CREATE TABLE " + table + "(c INTEGER PRIMARY KEY, v)", kTablesName);
  Statement insert(database, "INSERT INTO " + table + " VALUES (?, ?)", kTablesName);
  for (std::uint32_t c = 0; c < constants.size(); ++c) {
    end_where_interrupted(c);
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
                 const TupleTable& tuples, const std::string& last_name, const Last& last) {
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
    end_where_interrupted(i);
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

}  // namespace

SqliteHandle evidence_tables(const AtomSpace& space) {
  SqliteHandle database = open_sqlite(":memory:", SqliteUse::write);
  const LogicNetwork& network = space.network();
  const LogicEvidence& evidence = space.evidence();
  execute(database.get(), "BEGIN", kTablesName);
  for (std::size_t t = 0; t < evidence.types.size(); ++t) {
    fill_domain(database.get(), t, evidence.types[t]);
  }
  for (std::size_t p = 0; p < evidence.predicates.size(); ++p) {
    const LogicFacts& facts = evidence.predicates[p];
    fill_tuples(database.get(), "p" + std::to_string(p), network.predicates[p].types.size(),
                facts.tuples, "truth",
                [&](std::size_t i) { return static_cast<int>(facts.truth[i]); });
  }
  for (std::size_t f = 0; f < evidence.functions.size(); ++f) {
    const FunctionValues& values = evidence.functions[f];
    fill_tuples(database.get(), "f" + std::to_string(f), network.functions[f].types.size(),
                values.tuples, "r", [&](std::size_t i) { return values.value[i]; });
  }
  execute(database.get(), "COMMIT", kTablesName);
  execute(database.get(), "ANALYZE", kTablesName);
  return database;
}

}  // namespace croft
