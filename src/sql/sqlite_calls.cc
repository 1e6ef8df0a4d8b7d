#include "sql/sqlite_calls.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft {
namespace {

[[noreturn]] void fail(sqlite3* database, const std::string& name) {
  if (interruption) throw Interrupted(name + ": interrupted while reading");
  throw Error(name + ": " + sqlite3_errmsg(database));
}

void set(sqlite3* database, int option, int value) {
  sqlite3_db_config(database, option, value, nullptr);
}

void trust_nothing(sqlite3* database) {
  set(database, SQLITE_DBCONFIG_DEFENSIVE, 1);
  set(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0);
  set(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0);
  set(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0);
  set(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0);
  set(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 20);
  sqlite3_limit(database, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
  // Other modules (full text, R-trees) trust the bytes of tables that anybody can write.
  const char* const kept[] = {"json_each", "json_tree", nullptr};
  sqlite3_drop_modules(database, const_cast<const char**>(kept));
  // What a query sorts or remembers is memory, which has a limit, and no file.
  sqlite3_exec(database, "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY", nullptr,
               nullptr, nullptr);
}

// A file whose name begins with "file:" is a file, too, and no address.
std::string plain_path(const std::string& path) {
  return path.starts_with("file:") ? "./" + path : path;
}

// Something there that is no file.
bool is_no_file(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

// SQLite would wait for ever for somebody to write into a pipe.  Of a link it takes what stands
// beside the file that the link means.
void refuse_pipes_beside(const std::string& path) {
  std::error_code none;
  const std::string file = std::filesystem::canonical(path, none).string();
  for (const char* end : {"-journal", "-wal", "-shm"}) {
    if (none || !is_no_file(file + end)) continue;
    throw Error(file + end +
                ": this is no file, and SQLite would take it for what a program left of "
                "a change to " +
                path + "; move it away");
  }
}

// Another program has locked the database: 10 seconds long it is tried again.  0: no more.
int wait_for_others(void*, int tried) {
  constexpr std::chrono::milliseconds kPause{50};
  if (interruption || tried * kPause >= std::chrono::seconds(10)) return 0;
  std::this_thread::sleep_for(kPause);
  return 1;
}

SqliteHandle connect(const std::string& path, int flags) {
  refuse_pipes_beside(plain_path(path));
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(plain_path(path).c_str(), &opened, flags, nullptr);
  SqliteHandle handle(opened);
  if (opened == nullptr) throw std::bad_alloc();
  if (status != SQLITE_OK) {
    throw Error(path + ": cannot open the database: " + sqlite3_errmsg(opened));
  }
  sqlite3_busy_handler(opened, wait_for_others, nullptr);
  trust_nothing(opened);
  return handle;
}

// Only a connection that may not write can look without rolling back.
void refuse_left_change(sqlite3* reading, const std::string& path) {
  sqlite3_exec(reading, "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr);
  const int status = sqlite3_extended_errcode(reading);
  if (status != SQLITE_READONLY_ROLLBACK && status != SQLITE_READONLY_RECOVERY) return;
  throw Error(path +
              ": a program was stopped while it wrote into this database; if you trust the file, "
              "open it once with a program that writes, which brings back the state of before: "
              "sqlite3 " +
              path + " .tables");
}

}  // namespace

void CloseSqlite::operator()(sqlite3* handle) const { sqlite3_close(handle); }

SqliteHandle open_sqlite(const std::string& path, SqliteUse use) {
  if (path == ":memory:") return connect(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  SqliteHandle reading = connect(path, SQLITE_OPEN_READONLY);
  refuse_left_change(reading.get(), path);
  return use == SqliteUse::read ? std::move(reading) : connect(path, SQLITE_OPEN_READWRITE);
}

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

void execute(sqlite3* database, const std::string& sql, const std::string& name) {
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(database, name);
  }
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(sqlite3* database, const std::string& sql, std::string name)
    : database_(database), name_(std::move(name)) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr));
  statement_.reset(statement);
}

void Statement::check(int status) const {
  if (status != SQLITE_OK) fail(database_, name_);
}

void Statement::bind_null(std::size_t k) {
  check(sqlite3_bind_null(statement_.get(), static_cast<int>(k) + 1));
}

void Statement::bind(std::size_t k, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), static_cast<int>(k) + 1, value));
}

void Statement::bind(std::size_t k, double value) {
  check(sqlite3_bind_double(statement_.get(), static_cast<int>(k) + 1, value));
}

void Statement::bind(std::size_t k, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), static_cast<int>(k) + 1, text.data(), text.size(),
                            SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::run() {
  const int status = sqlite3_step(statement_.get());
  sqlite3_reset(statement_.get());
  if (status != SQLITE_DONE && status != SQLITE_ROW) fail(database_, name_);
}

std::string Statement::text() {
  const int status = sqlite3_step(statement_.get());
  std::string found;
  if (status == SQLITE_ROW) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), 0));
    if (bytes != nullptr) {
      found.assign(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), 0)));
    }
  } else if (status != SQLITE_DONE) {
    fail(database_, name_);
  }
  sqlite3_reset(statement_.get());
  return found;
}

}  // namespace croft
