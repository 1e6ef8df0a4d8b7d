#include "sql/sqlite_calls.h"

#include <sqlite3.h>

#include "croft/core/error.h"

namespace croft {
namespace {

[[noreturn]] void fail(sqlite3* database, const std::string& name) {
  throw Error(name + ": " + sqlite3_errmsg(database));
}

}  // namespace

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
