#include "sql/logic/ground_watch.h"

#include "croft/core/interrupt.h"

namespace croft {

bool GroundWatch::is_stopped() const {
  return interruption.load() || (options_.go_on && !options_.go_on());
}

bool GroundWatch::must_end() const { return is_stopped() || time_is_over(); }

void GroundWatch::end() const {
  if (is_stopped()) throw Interrupted("grounding was interrupted");
  throw Error("grounding took longer than --time allows: ", store_.clauses(), " clauses after ",
              rule_, " of ", rules_, " rules; raise it, or leave out rules or constants");
}

void GroundWatch::check() const {
  if (must_end()) end();
  if (options_.memory > 0 && static_cast<double>(store_.bytes()) > options_.memory) {
    throw Error("the ground clauses take more than --memory allows: ", store_.clauses(),
                " clauses after ", rule_, " of ", rules_,
                " rules; raise it, or leave out rules or constants");
  }
  if (steps_ % (64 * kBetweenChecks) == 0 && steps_ > 0) report();
}

WatchedRows::WatchedRows(sqlite3* database, const std::string& sql, const GroundWatch& watch)
    : database_(database), watch_(watch) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    throw Error("the grounding's join: ", std::string(sqlite3_errmsg(database)), ": ", sql);
  }
  statement_.reset(statement);
}

bool WatchedRows::next() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_INTERRUPT) watch_.end();
  if (status != SQLITE_ROW && status != SQLITE_DONE) {
    throw Error("the grounding's join: ", std::string(sqlite3_errmsg(database_)));
  }
  return status == SQLITE_ROW;
}

}  // namespace croft
