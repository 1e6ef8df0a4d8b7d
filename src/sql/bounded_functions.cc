#include "sql/bounded_functions.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace croft {
namespace {

constexpr std::int64_t kMostWork = 100'000'000;  // bytes times bytes
constexpr int kMostWidth = 10'000;

// Why a call is refused; empty where it is not.
using Check = std::string (*)(sqlite3_value** arguments, int count);

std::string check_product(sqlite3_value** arguments, int count) {
  if (count < 2) return {};
  const std::int64_t first = sqlite3_value_bytes(arguments[0]);
  const std::int64_t second = sqlite3_value_bytes(arguments[1]);
  if (first * second <= kMostWork) return {};
  return fmt::format("texts of {} and {} bytes are too long for it", first, second);
}

std::string check_widths(sqlite3_value** arguments, int count) {
  if (count < 1) return {};
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
  if (bytes == nullptr) return {};
  const std::string_view format(bytes, static_cast<std::size_t>(sqlite3_value_bytes(arguments[0])));
  for (std::size_t k = format.find('%'); k < format.size(); k = format.find('%', k + 1)) {
    int number = 0;
    for (++k; k < format.size() && std::isalpha(static_cast<unsigned char>(format[k])) == 0; ++k) {
      if (format[k] == '%') break;
      if (format[k] == '*') return "a width or precision is a number, not *";
      const bool digit = std::isdigit(static_cast<unsigned char>(format[k])) != 0;
      number = digit ? std::min(number * 10 + (format[k] - '0'), kMostWidth + 1) : 0;
      if (number > kMostWidth) return fmt::format("a width above {}", kMostWidth);
    }
  }
  return {};
}

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

// What a call needs: SQLite's own function, on a connection that has it still.
struct Call {
  sqlite3* plain;
  std::string name;
  Check check;
  int count = -1;  // arguments of the statement
  std::unique_ptr<sqlite3_stmt, Finalize> statement;
};

void fail_call(sqlite3_context* context, const Call& call, const std::string& problem) {
  const std::string message = call.name + ": " + problem;
  sqlite3_result_error(context, message.data(), static_cast<int>(message.size()));
}

void prepare_call(Call& call, int count) {
  std::string sql = "SELECT " + call.name + "(";
  for (int k = 0; k < count; ++k) sql += k == 0 ? "?" : ",?";
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(call.plain, (sql + ")").c_str(), -1, &statement, nullptr);
  call.statement.reset(statement);
  call.count = count;
}

void run_call(sqlite3_context* context, int count, sqlite3_value** arguments) {
  Call& call = *static_cast<Call*>(sqlite3_user_data(context));
  const std::string problem = call.check(arguments, count);
  if (!problem.empty()) return fail_call(context, call, problem);
  if (count != call.count) prepare_call(call, count);
  sqlite3_stmt* statement = call.statement.get();
  for (int k = 0; k < count; ++k) sqlite3_bind_value(statement, k + 1, arguments[k]);
  if (sqlite3_step(statement) == SQLITE_ROW) {
    sqlite3_result_value(context, sqlite3_column_value(statement, 0));
  } else {
    fail_call(context, call, sqlite3_errmsg(call.plain));
  }
  sqlite3_reset(statement);
}

}  // namespace

SqliteHandle bound_functions(sqlite3* connection) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  SqliteHandle plain = open_sqlite(":memory:", SqliteUse::read);
  const auto bound = [&](const char* name, int arguments, Check check) {
    sqlite3_create_function_v2(connection, name, arguments, kFlags,
                               new Call{plain.get(), name, check, -1, nullptr}, run_call, nullptr,
                               nullptr, [](void* call) { delete static_cast<Call*>(call); });
  };
  bound("replace", 3, check_product);
  bound("instr", 2, check_product);
  for (const char* name : {"trim", "ltrim", "rtrim"}) bound(name, 2, check_product);
  bound("json_patch", 2, check_product);
  for (const char* name : {"printf", "format"}) bound(name, -1, check_widths);
  return plain;
}

}  // namespace croft
