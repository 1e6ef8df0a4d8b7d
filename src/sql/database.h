// Tables that are read by SQL: a SQLite database, or CSV files as tables in memory.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "croft/core/message.h"
#include "sql/query_guard.h"
#include "sql/sqlite_calls.h"

namespace croft {

// Blanks and line ends become one blank each; none, and no semicolon, at the end.
inline std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ') || line.ends_with(';')) line.pop_back();
  return line;
}

// One thread at a time.
class Database {
 public:
  // One file of SQLite, or any number of files NAME.csv (comma) and NAME.tsv (tab), which become
  // tables NAME of a database in memory, or data lines of GRMM (grmm_tables.h).  Nothing is ever
  // written: queries can but read.  Throws UsageError for a mixture, two files of the same name, no
  // file; Error for a file that cannot be opened or that a writer left half done, InputError for a
  // bad one.
  //   option : that names the files, for messages
  static Database open(const std::vector<std::string>& paths, const QueryLimits& limits = {},
                       const Message& option = "--database");
  // Whether the file is one of SQLite.  Throws Error where it cannot be opened.
  static bool is_sqlite(const std::string& path);

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  const std::string& name() const { return name_; }  // for messages: its files

 private:
  friend class Query;
  Database(SqliteHandle handle, std::string name, const QueryLimits& limits);
  std::unique_ptr<QueryGuard> guard_;  // outlives the handle
  SqliteHandle handle_;
  std::string name_;
};

// An SQL query, and where it stands.
struct QueryText {
  std::string text;
  std::string name;  // of the file that has it
  std::size_t line = 0;
  std::string owner;  // "template 'next'"
};

enum class CellType { null, integer, real, text };

// The rows of a query, one after the other.
class Query {
 public:
  // Keeps both by reference.  Throws InputError, with SQLite's own words, for a query that is none,
  // that has no columns, that does more than read, or that takes more than the limits.
  Query(const Database& database, const QueryText& text);
  Query(Query&&) noexcept;
  ~Query();

  std::size_t columns() const { return names_.size(); }
  const std::string& name(std::size_t column) const { return names_[column]; }
  const std::vector<std::string>& names() const { return names_; }
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t find(std::string_view column) const;  // kNone; letters of either case

  // The next row; false at the end.  Throws InputError for what SQLite finds at fault and where a
  // limit is reached, Interrupted once `interruption` is set.
  bool next();
  std::size_t row() const { return row_; }  // from 1
  void reset();                             // to before the first row

  // Of the row.  Throws InputError for a blob.
  CellType type(std::size_t column) const;
  bool is_null(std::size_t column) const { return type(column) == CellType::null; }
  std::int64_t integer(std::size_t column) const;
  double real(std::size_t column) const;            // of integers, too
  std::string_view text(std::size_t column) const;  // of numbers, too; valid until next()

  // Throws InputError: "FILE:LINE: OWNER, query: PROBLEM: QUERY; REMEDY".
  [[noreturn]] void fail(const std::string& problem, std::string_view remedy = {}) const;
  // The same with the number of the row.
  [[noreturn]] void fail_row(const std::string& problem, std::string_view remedy = {}) const;

 private:
  [[noreturn]] void fail(const QueryGuard::Reason& why) const { fail(why.problem, why.remedy); }
  [[noreturn]] void fail_sqlite() const;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  const Database& database_;
  const QueryText& text_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::vector<std::string> names_;
  std::size_t row_ = 0;
  mutable QueryGuard::Use use_;
};

}  // namespace croft
