// What a query may do and take.  A spec, a model with its spec and a database may come from
// anywhere: their queries read, and do nothing else, within limits.
#pragma once
#include <chrono>
#include <cstddef>
#include <string>

#include "core/option_values.h"
#include "sql/sqlite_calls.h"

namespace croft {

struct QueryLimits {
  double seconds = 600;                       // of SQLite's work for a query
  std::size_t memory = std::size_t{4} << 30;  // bytes: SQLite's for a query; a query's result
};
// --query-seconds, --query-memory.
QueryLimits query_limits(const OptionValues& values);

// Stands between SQLite and the queries of one connection, of which one runs at a time: it refuses
// what does more than read, and stops what takes more than the limits or is interrupted.
class QueryGuard {
 public:
  // From here on the connection only reads.  It must not outlive the guard.
  QueryGuard(sqlite3* connection, const QueryLimits& limits);
  QueryGuard(const QueryGuard&) = delete;
  QueryGuard& operator=(const QueryGuard&) = delete;

  // What a query has taken so far.
  struct Use {
    double seconds = 0;
    std::size_t bytes = 0;  // of its result
  };
  // SQLite works for a query between the two; end() adds to `use`.
  void begin(const Use& use);
  void end(Use& use);

  struct Reason {
    std::string problem, remedy;
  };
  // Which limit a query has reached; a problem without text where it has not.
  Reason limit(const Use& use) const;
  // Why a query was refused; likewise.
  //   not_authorised : so SQLite calls it
  Reason refusal(const Use& use, bool not_authorised) const;

 private:
  using Clock = std::chrono::steady_clock;
  static int authorize(void* guard, int action, const char* first, const char* second, const char*,
                       const char*);
  static int progress(void* guard);

  QueryLimits limits_;
  SqliteHandle functions_;
  Clock::time_point began_, deadline_;
  std::size_t parts_ = 0;          // of the text, views taken apart
  std::size_t memory_before_ = 0;  // SQLite's, as the query began
  bool too_long_ = false, too_much_memory_ = false;
  std::string refused_function_;
};

}  // namespace croft
