#include "cli/common.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/files.h"
#include "core/json.h"
#include "core/mapped_file.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

void on_interrupt(int) {
  interruption = true;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

[[noreturn]] void fail_write() {
  if (errno == EPIPE) throw ReaderLeft();
  throw Error(std::string("cannot write the result: ") + std::strerror(errno));
}

}  // namespace

// A write that has begun goes on after the signal (SA_RESTART), so that no result is cut short; the
// wait for input does not (LineReader polls).
void handle_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&action.sa_mask, signal);
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

namespace {
bool is_quiet = false;
}

void set_quiet(bool quiet) { is_quiet = quiet; }

void note(std::string_view line) {
  if (is_quiet) return;
  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

void warn_of(const std::vector<Message>& warnings) {
  for (const Message& each : warnings) {
    std::fprintf(stderr, "croft: warning: %s\n", each.text().c_str());
  }
}

CommonOptions common_of(const OptionValues& values) {
  CommonOptions common;
  values.read("threads", common.threads);
  values.read("seed", common.seed);
  return common;
}

namespace {
AtomicFile* result_file = nullptr;  // where results go; null: standard output
}

void ResultFile::open(const std::string& path) {
  file_ = std::make_unique<AtomicFile>(path);
  result_file = file_.get();
}
void ResultFile::commit() {
  if (file_) file_->commit();
}
ResultFile::~ResultFile() {
  if (file_) result_file = nullptr;
}

void write_result(std::string_view text) {
  check_mapped_files();
  if (result_file != nullptr) return result_file->write(text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_write();
}

void flush_result() {
  if (result_file != nullptr) return;
  if (std::fflush(stdout) != 0) fail_write();
}

void write_json(const Json& document) {
  write_result(document.dump(2, InvalidUtf8::replace) + "\n");
}

}  // namespace croft::cli
