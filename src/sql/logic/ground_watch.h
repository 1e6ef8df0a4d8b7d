// How far a grounding has gone, and whether it may go on.
#pragma once
#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "logic/clause_store.h"
#include "sql/logic/grounder.h"

namespace croft {

class GroundWatch {
 public:
  // Keeps all by reference.
  GroundWatch(const GroundOptions& options, const ClauseStore& store, std::size_t rules)
      : options_(options), store_(store), rules_(rules) {}

  // Before each step of a bounded time: throws Interrupted once `interruption` is set, and Error
  // where memory or time is over.
  void step() {
    if (++steps_ % kBetweenChecks == 0) check();
  }
  void begin_rule(std::size_t rule) {
    rule_ = rule;
    check();
  }
  void report() const {
    if (options_.progress) options_.progress(rule_, rules_, store_.clauses());
  }
  // SQLite asks it in the midst of a join.
  bool must_end() const;
  [[noreturn]] void end() const;  // says why

 private:
  static constexpr std::size_t kBetweenChecks = 4096;
  using Clock = std::chrono::steady_clock;

  void check() const;
  bool is_stopped() const;
  bool time_is_over() const {
    return options_.seconds &&
           std::chrono::duration<double>(Clock::now() - began_).count() > *options_.seconds;
  }

  const GroundOptions& options_;
  const ClauseStore& store_;
  const std::size_t rules_;
  std::size_t rule_ = 0, steps_ = 0;
  Clock::time_point began_ = Clock::now();
};

// Rows of whole numbers.
class WatchedRows {
 public:
  WatchedRows(sqlite3* database, const std::string& sql, const GroundWatch& watch);
  bool next();
  std::int64_t operator[](std::size_t column) const {
    return sqlite3_column_int64(statement_.get(), static_cast<int>(column));
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  sqlite3* database_;
  const GroundWatch& watch_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace croft
