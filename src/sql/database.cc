#include "sql/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "croft/core/interrupt.h"
#include "sql/query_guard.h"
#include "sql/tables/csv_tables.h"
#include "sql/tables/grmm_tables.h"

namespace croft {

namespace {

bool equal_letters(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         sqlite3_strnicmp(a.data(), b.data(), static_cast<int>(a.size())) == 0;
}

}  // namespace

void Query::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(SqliteHandle handle, std::string name, const QueryLimits& limits)
    : guard_(std::make_unique<QueryGuard>(handle.get(), limits)),
      handle_(std::move(handle)),
      name_(std::move(name)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

bool Database::is_sqlite(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_fifo(path, none)) {
    throw Error(path + ": this is a pipe, and tables are read twice; give a file");
  }
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) throw Error(path + ": cannot open: " + std::strerror(errno));
  char bytes[16];
  const std::size_t got = std::fread(bytes, 1, sizeof bytes, file.get());
  if (std::ferror(file.get()) != 0) throw Error(path + ": cannot read: " + std::strerror(errno));
  return std::string_view(bytes, got) == kMagic;
}

Database Database::open(const std::vector<std::string>& paths, const QueryLimits& limits,
                        const Message& option) {
  if (paths.empty()) throw UsageError(option, " is missing: a file of SQLite, or CSV files");
  const auto sqlite = static_cast<std::size_t>(std::ranges::count_if(paths, is_sqlite));
  if (sqlite > 0 && paths.size() > 1) {
    throw UsageError(option, " takes one file of SQLite, or any number of CSV files");
  }
  std::string name;
  for (const std::string& path : paths) name += (name.empty() ? "" : ", ") + path;
  SqliteHandle handle = open_sqlite(sqlite > 0 ? paths[0] : ":memory:", SqliteUse::read);
  if (sqlite == 0 && std::ranges::all_of(paths, is_grmm_data)) {
    std::vector<LineReader> files;
    for (const std::string& path : paths) files.emplace_back(path);
    import_grmm(std::move(files), handle.get());
  } else if (sqlite == 0) {
    import_csv(paths, option, handle.get());
  }
  return {std::move(handle), std::move(name), limits};
}

Query::Query(const Database& database, const QueryText& text) : database_(database), text_(text) {
  sqlite3* handle = database.handle_.get();
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  if (text.text.find('\0') != std::string::npos) fail("a NUL byte");
  database.guard_->begin(use_);
  const int status = sqlite3_prepare_v2(handle, text.text.c_str(), -1, &statement, &rest);
  statement_.reset(statement);
  database.guard_->end(use_);
  if (status != SQLITE_OK) {
    const QueryGuard::Reason refusal = database.guard_->refusal(use_, status == SQLITE_AUTH);
    if (!refusal.problem.empty()) fail(refusal);
    fail_sqlite();
  }
  const int count = statement == nullptr ? 0 : sqlite3_column_count(statement);
  if (count == 0) fail("it has no columns", "a query is one select");
  while (*rest != '\0' && std::strchr(" \t\r\n;", *rest) != nullptr) ++rest;
  if (std::string_view(rest).starts_with("--") || std::string_view(rest).starts_with("/*")) {
    rest = "";  // a comment at the end
  }
  if (*rest != '\0') fail("more than one statement", "a query is one select");
  for (int k = 0; k < count; ++k) names_.emplace_back(sqlite3_column_name(statement, k));
}

Query::Query(Query&&) noexcept = default;
Query::~Query() = default;

std::size_t Query::find(std::string_view column) const {
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (equal_letters(names_[k], column)) return k;
  }
  return kNone;
}

bool Query::next() {
  database_.guard_->begin(use_);
  const int status = sqlite3_step(statement_.get());
  database_.guard_->end(use_);
  if (status == SQLITE_DONE) return false;
  if (interruption) throw Interrupted(database_.name_ + ": interrupted while reading");
  use_.bytes += 16 * columns();
  if (status != SQLITE_ROW || !database_.guard_->limit(use_).problem.empty()) fail_sqlite();
  ++row_;
  return true;
}

void Query::reset() {
  sqlite3_reset(statement_.get());
  row_ = 0;
  use_ = {};
}

CellType Query::type(std::size_t column) const {
  switch (sqlite3_column_type(statement_.get(), static_cast<int>(column))) {
    case SQLITE_NULL:
      return CellType::null;
    case SQLITE_INTEGER:
      return CellType::integer;
    case SQLITE_FLOAT:
      return CellType::real;
    case SQLITE_TEXT:
      return CellType::text;
    default:
      fail_row("a blob in the column " + in_quotes(names_[column]), "cast it to text");
  }
}

std::int64_t Query::integer(std::size_t column) const {
  return sqlite3_column_int64(statement_.get(), static_cast<int>(column));
}

double Query::real(std::size_t column) const {
  return sqlite3_column_double(statement_.get(), static_cast<int>(column));
}

std::string_view Query::text(std::size_t column) const {
  const int k = static_cast<int>(column);
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), k));
  if (bytes == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), k));
  use_.bytes += size;
  return {bytes, size};
}

void Query::fail(const std::string& problem, std::string_view remedy) const {
  const std::string query = in_quotes(on_one_line(text_.text), 200);
  throw InputError({text_.name, text_.line},
                   text_.owner + ": " + problem + ", in the query " + query, "", remedy);
}

void Query::fail_row(const std::string& problem, std::string_view remedy) const {
  fail("row " + std::to_string(row_) + ": " + problem, remedy);
}

void Query::fail_sqlite() const {
  if (interruption) throw Interrupted(database_.name_ + ": interrupted while reading");
  const QueryGuard::Reason limit = database_.guard_->limit(use_);
  if (!limit.problem.empty()) fail(limit);
  sqlite3* const handle = database_.handle_.get();
  const int code = sqlite3_errcode(handle);
  const std::string words = on_one_line(sqlite3_errmsg(handle));
  fail("SQLite says: " + words + " (" + database_.name_ + ")",
       code == SQLITE_CORRUPT || code == SQLITE_NOTADB
           ? "the file is damaged: restore it from a copy"
       : words == "parser stack overflow" ? "nest the query less deep, by a with clause"
                                          : "");
}

}  // namespace croft
