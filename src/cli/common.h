// What the verbs of the command line share.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "core/option_values.h"
#include "croft/core/message.h"

namespace croft {
class Json;
}

namespace croft::cli {

enum ExitStatus { kDone = 0, kBadInput = 1, kWrongUsage = 2, kInterrupted = 130 };

// --threads, --seed: every verb has them and --quiet, so that scripts can set them everywhere.
struct CommonOptions {
  std::size_t threads = 1;
  std::uint64_t seed = 1;
};
CommonOptions common_of(const OptionValues& values);

// The first Ctrl-C (SIGINT, SIGTERM) sets croft::interruption; a second one ends the process at
// once.
void handle_interrupts();

// Whoever reads the results has seen enough (`croft ... | head`): the program ends without a word.
struct ReaderLeft {};

// Under --quiet a note, which says what was done or how, is not printed; a warning is.
void set_quiet(bool quiet);
void note(std::string_view line);  // on stderr

// "croft: warning: …" on stderr.
void warn_of(const std::vector<Message>& warnings);

// Results go to stdout through these; a failed write (a full disk) is an error, a closed pipe
// throws ReaderLeft.
void write_result(std::string_view text);
void flush_result();
// Until it is destroyed, results go into a file, which is there once they are committed.
class ResultFile {
 public:
  ResultFile() = default;
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;
  void open(const std::string& path);  // without: results go to stdout
  void commit();

 private:
  std::unique_ptr<AtomicFile> file_;
};
void write_json(const Json& document);
// One of the two, which is made then.
template <class MakeJson, class MakeText>
void write_answer(bool json, const MakeJson& make_json, const MakeText& make_text) {
  if (json) {
    write_json(make_json());
  } else {
    write_result(make_text());
  }
}

}  // namespace croft::cli
