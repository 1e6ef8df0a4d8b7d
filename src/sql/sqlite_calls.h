// SQLite's calls as croft makes them: connections that trust no file, errors as exceptions.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace croft {

struct CloseSqlite {
  void operator()(sqlite3* handle) const;
};
using SqliteHandle = std::unique_ptr<sqlite3, CloseSqlite>;

// A connection to a file that may come from anywhere, or to a new database in memory (":memory:"):
// no extension is loaded, no trigger runs, no view calls what has effects, no virtual table but
// those of JSON is read, nobody writes the schema as if it were a table, and no cell is longer than
// 1 MB.
// Throws Error where the file cannot be opened; or where a program was stopped while it wrote into
// it: what is left is rolled back by whoever owns the file, since its journal names other files,
// which SQLite would delete.
enum class SqliteUse { read, write };
SqliteHandle open_sqlite(const std::string& path, SqliteUse use);

std::string quoted_name(std::string_view name);  // "a ""b"""

// Both throw Error: "NAME: SQLite's words".
void execute(sqlite3* database, const std::string& sql, const std::string& name);

// A statement that is run many times, with other values.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql, std::string name);
  void bind_null(std::size_t parameter);  // from 0
  void bind(std::size_t parameter, std::int64_t value);
  void bind(std::size_t parameter, double value);
  void bind(std::size_t parameter, std::string_view text);  // which stays until run()
  void run();
  // One row: its first column as text; empty where there is none.
  std::string text();

 private:
  void check(int status) const;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string name_;
};

}  // namespace croft
