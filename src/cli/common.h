// What the verbs of the command line share.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace croft {
class Json;
}

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
void add_explain(Program& program);
void add_convert(Program& program);
void add_stack(Program& program);
void add_infer(Program& program);
void add_maximum_entropy(Program& program);
void add_calibrate(Program& program);
void add_search(Program& program);
void add_cluster(Program& program);

// A flag without values of its own takes none: --boundaries=3 is an error, not --boundaries.
void refuse_flag_values(CLI::App& verb);

// --threads, --seed: every verb has them, so that scripts can set them everywhere.
struct CommonOptions {
  std::size_t threads = 1;
  std::uint64_t seed = 1;
};
void add_common(CLI::App& verb, CommonOptions& options);

// What every option that takes a number is given, as ->transform(…): decimal digits in a range, and
// nothing else.  CLI11 alone reads -1 as 2^64 - 1 where the number has no sign, and 010 as 8.
CLI::Validator whole_number(std::uint64_t low = 0,
                            std::uint64_t high = std::numeric_limits<std::uint64_t>::max());
CLI::Validator finite_number(double low = std::numeric_limits<double>::lowest());
// A size as --memory has it: a number, then nothing, K, M, G or T (powers of 1024).  Throws
// UsageError.
double read_memory(const std::string& text);
// What may stand between the labels of a set: one ASCII character other than a blank and ?.
CLI::Validator separator();

// An option whose value is one of the names in `choices`.
template <class T>
CLI::Option* add_choice(CLI::App& verb, const std::string& option, T& value,
                        const std::map<std::string, T>& choices, const std::string& description) {
  return verb
      .add_option_function<std::string>(
          option, [&value, choices](const std::string& name) { value = choices.at(name); },
          description)
      ->check(CLI::IsMember(choices));
}

// --format of a verb that reads a model's data: empty, the model's own.
inline void add_model_format(CLI::App& verb, std::string& format) {
  verb.add_option("--format", format,
                  "How DATA is written: for a model of columns, columns or spans (JSON lines); "
                  "otherwise as the model has it; without: as it was trained")
      ->check(CLI::IsMember({"columns", "spans", "attributes", "text", "svmlight", "csv"}))
      ->option_text("FORMAT");
}

// The first Ctrl-C (SIGINT, SIGTERM) sets croft::interruption; a second one ends the process at
// once.
void handle_interrupts();

// Whoever reads the results has seen enough (`croft ... | head`): the program ends without a word.
struct ReaderLeft {};

// Results go to stdout through these; a failed write (a full disk) is an error, a closed pipe
// throws ReaderLeft.
void write_result(std::string_view text);
void flush_result();
void write_json(const Json& document);

}  // namespace croft::cli
