#include "cli/common.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "croft/core/error.h"

namespace croft::cli {

std::atomic<bool> interrupted = false;

namespace {

void on_interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void handle_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

void add_common(CLI::App& verb, CommonOptions& options) {
  verb.add_option("--threads", options.threads,
                  "Threads to use; 0: one per processor. Results do not depend on it")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  verb.add_option("--seed", options.seed, "Seed of whatever is drawn at random")
      ->capture_default_str();
}

void write_result(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw Error(std::string("cannot write the result: ") + std::strerror(errno));
  }
}

void flush_result() {
  if (std::fflush(stdout) != 0) {
    throw Error(std::string("cannot write the result: ") + std::strerror(errno));
  }
}

void write_json(const nlohmann::json& document) {
  write_result(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace croft::cli
