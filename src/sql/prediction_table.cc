#include "sql/prediction_table.h"

#include <sqlite3.h>

#include <array>

#include "croft/core/error.h"
#include "sql/sqlite_calls.h"

namespace croft {
namespace {

// Stays in the database's schema, as text of the statement that made the table.
constexpr std::string_view kMark = "/* made by croft predict */";

void check_table(sqlite3* database, const PredictionTable& to, const std::string& table) {
  Statement query(
      database,
      "SELECT type || ' ' || coalesce(sql, '') FROM sqlite_master WHERE lower(name) = lower(?)",
      to.path);
  query.bind(0, std::string_view(table));
  const std::string found = query.text();
  if (found.empty()) return;
  if (!found.starts_with("table ")) {
    throw UsageError("--table ", table, ": ", to.path,
                     " has something else of this name; give another one");
  }
  if (to.overwrite || found.find(kMark) != std::string::npos) return;
  throw UsageError(
      "--table ", table, ": ", to.path,
      " has a table of this name that croft did not make; give another name, or --overwrite");
}

std::string marginal_table(const PredictionTable& to) { return to.table + "_marginals"; }

void check_tables(sqlite3* database, const PredictionTable& to) {
  check_table(database, to, to.table);
  if (to.marginals) check_table(database, to, marginal_table(to));
}

// The id has the type that it has where it comes from, and stands first in the key: SQLite looks it
// up by the index in a join, which it cannot where types differ.
std::string columns_of(const GraphTables& tables, bool marginals) {
  constexpr std::array<const char*, 3> kTypes = {" INTEGER", " TEXT", ""};
  const bool one_domain = tables.schema().domains.size() == 1;
  return std::string(" domain TEXT, id") +
         kTypes[static_cast<std::size_t>(tables.variables().id_type())] +
         ", label TEXT, probability REAL, PRIMARY KEY(id" + (one_domain ? "" : ", domain") +
         (marginals ? ", label" : "") + ")";
}

void create(sqlite3* database, const PredictionTable& to, const std::string& table,
            const std::string& columns) {
  execute(database, "DROP TABLE IF EXISTS " + quoted_name(table), to.path);
  execute(database, "CREATE TABLE " + quoted_name(table) + "(" + std::string(kMark) + columns + ")",
          to.path);
}

void bind_id(Statement& insert, const RowId& id) {
  if (id.is_text) {
    insert.bind(1, id.text);
  } else {
    insert.bind(1, id.number);
  }
}

void fill(sqlite3* database, const PredictionTable& to, const GraphTables& tables,
          const GraphLabels& labels) {
  Statement insert(database, "INSERT INTO " + quoted_name(to.table) + " VALUES(?, ?, ?, ?)",
                   to.path);
  for (std::uint32_t v = 0; v < tables.variables().size(); ++v) {
    const Domain& domain = tables.schema().domains[tables.data().domain(v)];
    insert.bind(0, std::string_view(domain.name));
    bind_id(insert, tables.variables().row_id(v));
    insert.bind(2, std::string_view(domain.labels[labels.label[v]]));
    if (labels.probability.empty()) {
      insert.bind_null(3);
    } else {
      insert.bind(3, labels.probability[v]);
    }
    insert.run();
  }
}

void fill_marginals(sqlite3* database, const PredictionTable& to, const GraphTables& tables,
                    const GraphLabels& labels) {
  Statement insert(
      database, "INSERT INTO " + quoted_name(marginal_table(to)) + " VALUES(?, ?, ?, ?)", to.path);
  for (std::uint32_t v = 0; v < tables.variables().size(); ++v) {
    const Domain& domain = tables.schema().domains[tables.data().domain(v)];
    const auto marginals = labels.marginals_of(v);
    insert.bind(0, std::string_view(domain.name));
    bind_id(insert, tables.variables().row_id(v));
    for (std::size_t k = 0; k < marginals.size(); ++k) {
      insert.bind(2, std::string_view(domain.labels[k]));
      insert.bind(3, marginals[k]);
      insert.run();
    }
  }
}

}  // namespace

void check_prediction_table(const PredictionTable& to) {
  if (!Database::is_sqlite(to.path)) {
    throw UsageError("--table writes into a database of SQLite, and ", to.path, " is none");
  }
  const SqliteHandle handle = open_sqlite(to.path, SqliteUse::write);
  if (sqlite3_db_readonly(handle.get(), "main") == 1) {
    throw Error(to.path, ": the database cannot be written; leave out --table for standard output");
  }
  check_tables(handle.get(), to);
  // Tried, and rolled back when the handle closes: what SQLite refuses (a name of its own, a
  // database that somebody writes) is known before the work, not after it.
  execute(handle.get(), "BEGIN IMMEDIATE", to.path);
  for (const std::string& table : {to.table, marginal_table(to)}) {
    execute(handle.get(), "CREATE TABLE IF NOT EXISTS " + quoted_name(table) + "(id)", to.path);
    if (!to.marginals) break;
  }
}

void write_prediction_table(const PredictionTable& to, const GraphTables& tables,
                            const GraphLabels& labels) {
  const SqliteHandle handle = open_sqlite(to.path, SqliteUse::write);
  execute(handle.get(), "BEGIN IMMEDIATE", to.path);
  check_tables(handle.get(), to);  // somebody else may have been quicker
  create(handle.get(), to, to.table, columns_of(tables, false));
  fill(handle.get(), to, tables, labels);
  if (to.marginals) {
    create(handle.get(), to, marginal_table(to), columns_of(tables, true));
    fill_marginals(handle.get(), to, tables, labels);
  }
  execute(handle.get(), "COMMIT", to.path);  // without it the transaction is rolled back
}

}  // namespace croft
