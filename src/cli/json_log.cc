#include "cli/json_log.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/json.h"
#include "croft/core/error.h"

namespace croft::cli {

JsonLog::JsonLog(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  file_.reset(std::fopen(path_.c_str(), "w"));
  if (!file_) fail();
}

void JsonLog::write(const Json& line) {
  if (!file_) return;
  if (std::fputs((line.dump() + "\n").c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) {
    fail();
  }
}

void JsonLog::fail() const {
  throw Error(path_ + ": cannot write the log: " + std::strerror(errno));
}

}  // namespace croft::cli
