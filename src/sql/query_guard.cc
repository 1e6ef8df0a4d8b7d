#include "sql/query_guard.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "croft/core/interrupt.h"
#include "sql/bounded_functions.h"

namespace croft {
namespace {

// A view of a view of a view … doubles with each: no honest query has so many parts.
constexpr std::size_t kMaxParts = 20'000;

// In order.  What is missing here calls addresses (fts3_tokenizer), loads code, opens files or
// tells of the connection.
constexpr auto kFunctions = std::to_array<std::string_view>({"->",
                                                             "->>",
                                                             "abs",
                                                             "acos",
                                                             "acosh",
                                                             "asin",
                                                             "asinh",
                                                             "atan",
                                                             "atan2",
                                                             "atanh",
                                                             "avg",
                                                             "ceil",
                                                             "ceiling",
                                                             "char",
                                                             "coalesce",
                                                             "cos",
                                                             "cosh",
                                                             "count",
                                                             "cume_dist",
                                                             "current_date",
                                                             "current_time",
                                                             "current_timestamp",
                                                             "date",
                                                             "datetime",
                                                             "degrees",
                                                             "dense_rank",
                                                             "exp",
                                                             "first_value",
                                                             "floor",
                                                             "format",
                                                             "glob",
                                                             "group_concat",
                                                             "hex",
                                                             "ifnull",
                                                             "iif",
                                                             "instr",
                                                             "json",
                                                             "json_array",
                                                             "json_array_length",
                                                             "json_extract",
                                                             "json_group_array",
                                                             "json_group_object",
                                                             "json_insert",
                                                             "json_object",
                                                             "json_patch",
                                                             "json_quote",
                                                             "json_remove",
                                                             "json_replace",
                                                             "json_set",
                                                             "json_type",
                                                             "json_valid",
                                                             "julianday",
                                                             "lag",
                                                             "last_value",
                                                             "lead",
                                                             "length",
                                                             "like",
                                                             "likelihood",
                                                             "likely",
                                                             "ln",
                                                             "log",
                                                             "log10",
                                                             "log2",
                                                             "lower",
                                                             "ltrim",
                                                             "max",
                                                             "min",
                                                             "mod",
                                                             "nth_value",
                                                             "ntile",
                                                             "nullif",
                                                             "octet_length",
                                                             "percent_rank",
                                                             "pi",
                                                             "pow",
                                                             "power",
                                                             "printf",
                                                             "quote",
                                                             "radians",
                                                             "random",
                                                             "rank",
                                                             "replace",
                                                             "round",
                                                             "row_number",
                                                             "rtrim",
                                                             "sign",
                                                             "sin",
                                                             "sinh",
                                                             "soundex",
                                                             "sqrt",
                                                             "strftime",
                                                             "string_agg",
                                                             "substr",
                                                             "substring",
                                                             "subtype",
                                                             "sum",
                                                             "tan",
                                                             "tanh",
                                                             "time",
                                                             "timediff",
                                                             "total",
                                                             "trim",
                                                             "trunc",
                                                             "typeof",
                                                             "unhex",
                                                             "unicode",
                                                             "unixepoch",
                                                             "unlikely",
                                                             "upper",
                                                             "zeroblob"});
static_assert(std::ranges::is_sorted(kFunctions));

std::size_t memory_used() { return static_cast<std::size_t>(sqlite3_memory_used()); }

}  // namespace

QueryLimits query_limits(const OptionValues& values) {
  QueryLimits limits;
  values.read("query-seconds", limits.seconds);
  double bytes = 0;
  values.read("query-memory", bytes);
  limits.memory = static_cast<std::size_t>(bytes);
  return limits;
}

QueryGuard::QueryGuard(sqlite3* connection, const QueryLimits& limits) : limits_(limits) {
  // Their first use declares them, which is no reading.
  sqlite3_exec(connection, "SELECT 1 FROM json_each('[]'), json_tree('[]')", nullptr, nullptr,
               nullptr);
  functions_ = bound_functions(connection);
  sqlite3_set_authorizer(connection, authorize, this);
  // Often enough that a query of costly steps is stopped in time.
  sqlite3_progress_handler(connection, 100, progress, this);
}

void QueryGuard::begin(const Use& use) {
  began_ = Clock::now();
  const double left = std::min(limits_.seconds - use.seconds, 1e9);
  deadline_ = began_ + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(std::max(left, 0.0)));
  if (use.seconds == 0) {
    parts_ = 0;
    memory_before_ = memory_used();
  }
  too_long_ = too_much_memory_ = false;
  refused_function_.clear();
}

void QueryGuard::end(Use& use) {
  use.seconds += std::chrono::duration<double>(Clock::now() - began_).count();
}

int QueryGuard::authorize(void* pointer, int action, const char*, const char* second, const char*,
                          const char*) {
  QueryGuard& guard = *static_cast<QueryGuard*>(pointer);
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      break;
    case SQLITE_FUNCTION: {
      const std::string_view name = second == nullptr ? "" : second;
      if (std::ranges::binary_search(kFunctions, name)) break;
      guard.refused_function_ = name;
      return SQLITE_DENY;
    }
    default:
      return SQLITE_DENY;
  }
  if (Clock::now() > guard.deadline_) guard.too_long_ = true;
  return ++guard.parts_ > kMaxParts || guard.too_long_ ? SQLITE_DENY : SQLITE_OK;
}

int QueryGuard::progress(void* pointer) {
  QueryGuard& guard = *static_cast<QueryGuard*>(pointer);
  guard.too_long_ = Clock::now() > guard.deadline_;
  guard.too_much_memory_ = memory_used() > guard.memory_before_ + guard.limits_.memory;
  return interruption || guard.too_long_ || guard.too_much_memory_ ? 1 : 0;
}

QueryGuard::Reason QueryGuard::limit(const Use& use) const {
  if (parts_ > kMaxParts) return {"too many parts, with those of its views", "make tables of them"};
  if (too_long_ || use.seconds > limits_.seconds) {
    return {fmt::format("it takes more than {} seconds", limits_.seconds),
            "make it quicker (an index, perhaps), or allow more: --query-seconds"};
  }
  if (too_much_memory_ || use.bytes > limits_.memory) {
    return {fmt::format("it takes more than {} bytes of memory", limits_.memory),
            "make it smaller, or allow more: --query-memory"};
  }
  return {};
}

QueryGuard::Reason QueryGuard::refusal(const Use& use, bool not_authorised) const {
  if (!refused_function_.empty()) {
    return {"the function '" + refused_function_ + "' is none that a query may use",
            "docs/graphs_from_tables.md says which are"};
  }
  Reason reached = limit(use);
  if (!reached.problem.empty() || !not_authorised) return reached;
  return {"it does more than read", "a query is one select"};
}

}  // namespace croft
