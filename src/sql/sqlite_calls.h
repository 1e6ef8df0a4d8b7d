// SQLite's calls for what croft itself writes: its errors as exceptions.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace croft {

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
