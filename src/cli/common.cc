#include "cli/common.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstring>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"
#include "data/parse_number.h"

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

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  const auto read = [=](std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, fault] = std::from_chars(text.data(), end, value);
    if (text.empty() || fault != std::errc() || rest != end || value < low || value > high) {
      return fmt::format("{} is not a whole number from {} to {}", in_quotes(text), low, high);
    }
    text = std::to_string(value);
    return std::string();
  };
  return CLI::Validator(read, "");
}

CLI::Validator finite_number(double low) {
  const auto read = [=](std::string& text) {
    double value = 0;
    if (parse_number(text, value) == NumberKind::finite && value >= low) return std::string();
    const bool any = low == std::numeric_limits<double>::lowest();
    return fmt::format("{} is not a finite number{}", in_quotes(text),
                       any ? "" : fmt::format(" from {} on", low));
  };
  return CLI::Validator(read, "");
}

CLI::Validator separator() {
  const auto read = [](std::string& text) {
    const bool fits = text.size() == 1 && text[0] > ' ' && text[0] < 0x7F && text[0] != '?';
    return fits ? std::string()
                : in_quotes(text) + " is not one ASCII character other than a blank and ?";
  };
  return CLI::Validator(read, "");
}

double read_memory(const std::string& text) {
  const std::size_t unit = text.find_first_not_of("0123456789.");
  const std::string suffix = unit == text.npos ? "" : text.substr(unit);
  const std::size_t place = std::string_view("KMGT").find(suffix);
  const std::size_t power = suffix.empty() ? 0 : suffix.size() == 1 && place < 4 ? place + 1 : 9;
  double value = 0;
  try {
    std::size_t used = 0;
    value = std::stod(text.substr(0, unit), &used);
    if (used == text.substr(0, unit).size() && power <= 4 && value > 0) {
      return std::ldexp(value, static_cast<int>(10 * power));
    }
  } catch (const std::exception&) {
  }
  throw UsageError("--memory " + in_quotes(text) +
                   " is not a size; give a number with K, M, G or T, such as 4G");
}

void refuse_flag_values(CLI::App& verb) {
  for (CLI::Option* option : verb.get_options()) {
    const auto& names = option->get_lnames();
    if (names.empty() || option->get_items_expected_max() > 0) continue;
    const bool passed_on = option->get_group().empty();  // by search, to train
    if (!passed_on && option->get_flag_value(names[0], "") == "true") {
      option->disable_flag_override();
    }
  }
}

void add_common(CLI::App& verb, CommonOptions& options) {
  verb.add_option("--threads", options.threads,
                  "Threads to use; 0: one per processor. Results do not depend on it")
      ->transform(whole_number(0, 1024))
      ->capture_default_str();
  verb.add_option("--seed", options.seed,
                  "Seed of whatever is drawn at random; every verb and kind of model has it, "
                  "also those that draw nothing")
      ->transform(whole_number())
      ->capture_default_str();
}

void write_result(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_write();
}

void flush_result() {
  if (std::fflush(stdout) != 0) fail_write();
}

void write_json(const Json& document) {
  write_result(document.dump(2, InvalidUtf8::replace) + "\n");
}

}  // namespace croft::cli
