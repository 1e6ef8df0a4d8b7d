#include "sql/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "croft/core/interrupt.h"
#include "sql/csv_tables.h"

namespace croft {

namespace {

// A spec, and a model with its spec, may come from anywhere: queries read, and do nothing else.
int allow_reading(void*, int action, const char*, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

int stop_where_interrupted(void*) { return interruption ? 1 : 0; }

// A writer that was killed leaves its journal, by which the database becomes what it was before:
// for that SQLite has to write, which no connection for reading does.
void roll_back_left_change(sqlite3* reading, const std::string& path) {
  sqlite3_exec(reading, "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr);
  if (sqlite3_extended_errcode(reading) != SQLITE_READONLY_ROLLBACK) return;
  sqlite3* writing = nullptr;
  if (sqlite3_open_v2(path.c_str(), &writing, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
    sqlite3_exec(writing, "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr);
  }
  sqlite3_close(writing);
}

bool equal_letters(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         sqlite3_strnicmp(a.data(), b.data(), static_cast<int>(a.size())) == 0;
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }
void Query::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(sqlite3* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

bool Database::is_sqlite(const std::string& path) {
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

Database Database::open(const std::vector<std::string>& paths) {
  if (paths.empty()) throw UsageError("--database is missing: a file of SQLite, or CSV files");
  const auto sqlite = static_cast<std::size_t>(std::ranges::count_if(paths, is_sqlite));
  if (sqlite > 0 && paths.size() > 1) {
    throw UsageError("--database takes one file of SQLite, or any number of CSV files");
  }
  sqlite3* opened = nullptr;
  const std::string place = sqlite > 0 ? paths[0] : ":memory:";
  const int flags = sqlite > 0 ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int status = sqlite3_open_v2(place.c_str(), &opened, flags, nullptr);
  std::string name;
  for (const std::string& path : paths) name += (name.empty() ? "" : ", ") + path;
  Database database(opened, std::move(name));
  if (status != SQLITE_OK) {
    throw Error(database.name_ + ": cannot open the database: " + sqlite3_errmsg(opened));
  }
  sqlite3_busy_timeout(opened, 10'000);
  if (sqlite == 0) {
    import_csv(paths, opened);
  } else {
    roll_back_left_change(opened, place);
  }
  sqlite3_set_authorizer(opened, allow_reading, nullptr);
  sqlite3_progress_handler(opened, 100'000, stop_where_interrupted, nullptr);
  return database;
}

Query::Query(const Database& database, const QueryText& text) : database_(database), text_(text) {
  sqlite3* handle = database.handle_.get();
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  if (text.text.find('\0') != std::string::npos) fail("a NUL byte");
  const int status = sqlite3_prepare_v2(handle, text.text.c_str(), -1, &statement, &rest);
  statement_.reset(statement);
  if (status == SQLITE_AUTH) {
    fail(std::string("it does more than read (") + sqlite3_errmsg(handle) + ")",
         "a query is one select");
  }
  if (status != SQLITE_OK) fail_sqlite();
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
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) {
    ++row_;
    return true;
  }
  if (status == SQLITE_DONE) return false;
  if (status == SQLITE_INTERRUPT)
    throw Interrupted(database_.name_ + ": interrupted while reading");
  fail_sqlite();
}

void Query::reset() {
  sqlite3_reset(statement_.get());
  row_ = 0;
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
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), k))};
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
  fail("SQLite says: " + on_one_line(sqlite3_errmsg(database_.handle_.get())) + " (" +
       database_.name_ + ")");
}

}  // namespace croft
