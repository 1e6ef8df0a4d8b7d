// What the verbs of the command line share.
#pragma once
#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace croft::cli {

enum ExitStatus { kDone = 0, kBadInput = 1, kWrongUsage = 2, kInterrupted = 130 };

// Each verb adds itself; its callback sets `status`.
struct Program {
  CLI::App app;
  int status = kDone;
};
void add_train(Program& program);
void add_predict(Program& program);
void add_evaluate(Program& program);
void add_inspect(Program& program);

// --threads, --seed: every verb has them, so that scripts can set them everywhere.
struct CommonOptions {
  std::size_t threads = 1;
  std::uint64_t seed = 1;
};
void add_common(CLI::App& verb, CommonOptions& options);

// Set by the first Ctrl-C (SIGINT, SIGTERM); a second one ends the process at once.
extern std::atomic<bool> interrupted;
void handle_interrupts();

// Results go to stdout through these; a failed write (full disk, closed pipe) is an error.
void write_result(std::string_view text);
void flush_result();
void write_json(const nlohmann::json& document);

}  // namespace croft::cli
