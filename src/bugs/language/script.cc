#include "bugs/language/script.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>

namespace croft::bugs {
namespace {

struct Word {
  std::string text;
  bool quoted = false;
  std::size_t line = 0, column = 0;
};
using Command = std::vector<Word>;

// Commands end with their line, and after a ; too.  Words are separated by blanks and commas;
// brackets and parentheses keep what is in them together.
class CommandReader {
 public:
  explicit CommandReader(LineReader& lines) : lines_(lines) {}

  std::vector<Command> read() {
    std::string_view line;
    while (lines_.next(line)) {
      read_line(line);
      end_command();
    }
    if (in_comment_) {
      throw InputError(opened_, "this comment has no end", "", "write */ where it ends");
    }
    return std::move(out_);
  }

 private:
  void end_command() {
    if (!command_.empty()) out_.push_back(std::exchange(command_, {}));
  }

  void read_line(std::string_view line) {
    std::size_t i = 0;
    while (i < line.size()) {
      if (in_comment_) {
        const std::size_t end = line.find("*/", i);
        if (end == line.npos) return;
        in_comment_ = false;
        i = end + 2;
      } else if (line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == ',') {
        ++i;
      } else if (line[i] == '#') {
        return;
      } else if (line[i] == ';') {
        end_command();
        ++i;
      } else if (line.substr(i).starts_with("/*")) {
        in_comment_ = true;
        opened_ = lines_.location(i + 1);
        i += 2;
      } else if (line[i] == '"' || line[i] == '\'') {
        i = quoted(line, i);
      } else {
        i = word(line, i);
      }
    }
  }

  std::size_t quoted(std::string_view line, std::size_t i) {
    const std::size_t end = line.find(line[i], i + 1);
    if (end == line.npos) {
      throw InputError(lines_.location(i + 1), "a quote without its end on this line",
                       line.substr(i), "write the second one");
    }
    push(line.substr(i + 1, end - i - 1), i, true);
    return end + 1;
  }

  std::size_t word(std::string_view line, std::size_t begin) {
    std::size_t i = begin;
    int open = 0;
    for (; i < line.size(); ++i) {
      if (line[i] == '(' || line[i] == '[') ++open;
      if ((line[i] == ')' || line[i] == ']') && open > 0) --open;
      if (line.substr(i).starts_with("/*") || line[i] == '#') break;
      if (open == 0 && (line[i] == ' ' || line[i] == '\t' || line[i] == ',' || line[i] == ';')) {
        break;
      }
    }
    push(line.substr(begin, i - begin), begin, false);
    return i;
  }

  void push(std::string_view text, std::size_t at, bool is_quoted) {
    command_.push_back({std::string(text), is_quoted, lines_.line_number(), at + 1});
  }

  LineReader& lines_;
  Command command_;
  std::vector<Command> out_;
  bool in_comment_ = false;
  Location opened_;
};

// What stands in parentheses behind a name: of thin(10) the 10.
std::optional<std::string> argument_of(const Word& word, std::string_view name) {
  std::string_view text = word.text;
  if (word.quoted || !text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  const std::size_t first = text.find_first_not_of(" \"'"), last = text.find_last_not_of(" \"'");
  return first == text.npos ? std::string() : std::string(text.substr(first, last - first + 1));
}

class ScriptParser {
 public:
  explicit ScriptParser(std::string file) : file_(std::move(file)) {
    out_.options.burn_in = out_.options.samples = 0;
    out_.options.chains = 1;
  }

  Script parse(const std::vector<Command>& commands) {
    for (const Command& each : commands) {
      if (!run(each)) break;
    }
    if (out_.program.empty()) {
      throw InputError({file_}, "a script without a model", "", "write: model in FILE");
    }
    if (out_.options.monitors.empty()) {
      throw InputError({file_}, "a script without a monitor", "",
                       "name what is to be kept: monitor alpha");
    }
    if (out_.options.samples == 0) {
      throw InputError({file_}, "a script without an update after its monitors", "",
                       "write: update 1000");
    }
    for (ScriptCoda& each : out_.coda) {
      if (each.samples == out_.options.samples) each.samples.reset();
    }
    for (const Script::Inits& each : out_.inits) {
      if (each.chain.value_or(1) > out_.options.chains) {
        throw InputError({file_}, "initial values of a chain that is not there",
                         std::to_string(*each.chain), "");
      }
    }
    return std::move(out_);
  }

 private:
  // false: the script ends here.
  bool run(const Command& command) {
    const std::string& verb = command[0].text;
    if (verb == "exit") return false;
    if (verb == "model") {
      if (!out_.program.empty()) fail(command[0], "a second model", "write a script for each");
      out_.program = file_of(command);
    } else if (verb == "data") {
      out_.data.push_back(file_of(command));
    } else if (verb == "parameters" || verb == "inits") {
      read_inits(command);
    } else if (verb == "compile") {
      compile(command);
    } else if (verb == "update" || verb == "adapt") {
      update(command);
    } else if (verb == "monitor" || verb == "monitors") {
      monitor(command);
    } else if (verb == "coda") {
      coda(command);
    } else if (verb == "samplers") {
      if (command.size() != 3 || command[1].text != "to") {
        fail(command[0], "samplers to FILE is expected here", "");
      }
      out_.samplers.push_back(command[2].text);
    } else if (verb == "load" || verb == "unload") {
      load(command);
    } else if (verb != "initialize" && verb != "initialise") {
      fail(command[0], "this is no command of a script that croft knows",
           "commands are model, data, inits, parameters, compile, initialize, adapt, update, "
           "monitor, coda, samplers, load, unload, exit");
    }
    return true;
  }

  // … in FILE
  const std::string& file_of(const Command& command) {
    if (command.size() < 3 || command[1].text != "in") {
      fail(command[0], "a file is expected here", Message(command[0].text, " in FILE"));
    }
    return command[2].text;
  }

  void read_inits(const Command& command) {
    Script::Inits inits{.file = file_of(command), .chain = {}};
    for (std::size_t k = 3; k < command.size(); ++k) {
      const auto chain = argument_of(command[k], "chain");
      if (!chain) fail(command[k], "chain(NUMBER) is expected here", "");
      inits.chain = whole(command[k], *chain, 1);
    }
    out_.inits.push_back(std::move(inits));
  }

  void compile(const Command& command) {
    for (std::size_t k = 1; k < command.size(); ++k) {
      const auto chains = argument_of(command[k], "nchains");
      if (!chains) fail(command[k], "nchains(NUMBER) is expected here", "");
      out_.options.chains = whole(command[k], *chains, 1);
    }
  }

  // update N [by M]: M is how often JAGS shows progress.
  void update(const Command& command) {
    if (command.size() < 2) fail(command[0], "a number of iterations is expected here", "");
    const std::size_t count = whole(command[1], command[1].text, 0);
    for (std::size_t k = 2; k < command.size(); ++k) {
      if (argument_of(command[k], "by")) continue;
      if (command[k].text != "by" || k + 1 >= command.size()) {
        fail(command[k], "this cannot follow a number of iterations", "");
      }
      whole(command[k + 1], command[k + 1].text, 1);
      ++k;
    }
    const bool adapts = command[0].text == "adapt";
    if (adapts && out_.options.samples > 0) {
      out_.warnings.push_back(file_ + ":" + std::to_string(command[0].line) +
                              ": adapt behind an update that is kept changes nothing: the samplers "
                              "adapt before it");
      return;
    }
    std::size_t& sum =
        adapts || out_.options.monitors.empty() ? out_.options.burn_in : out_.options.samples;
    if (count > kMostIterations - sum) fail(command[1], "too many iterations", "");
    sum += count;
  }

  // [set] NAME[, thin(K)][, type(trace)]
  void monitor(const Command& command) {
    std::size_t k = 1;
    if (command.size() > 2 && command[1].text == "set") ++k;
    if (command.size() > 2 && command[1].text == "to") {
      fail(command[1], "monitors go to files by coda here", "write: coda *");
    }
    if (command.size() > 1 && command[1].text == "clear") {
      fail(command[1], "a monitor that is taken away", "leave out it and its monitor");
    }
    if (k >= command.size()) fail(command[0], "the name of a node is expected here", "");
    if (out_.options.samples > 0) {
      fail(command[k], "a monitor behind an update of others",
           "name all monitors before the first update that is kept");
    }
    MonitorRequest request{.name = command[k].text,
                           .where = {file_, command[k].line, command[k].column}};
    request.name.erase(std::remove(request.name.begin(), request.name.end(), ' '),
                       request.name.end());
    for (++k; k < command.size(); ++k) {
      if (const auto thin = argument_of(command[k], "thin")) {
        request.thin = whole(command[k], *thin, 1);
      } else if (const auto type = argument_of(command[k], "type")) {
        if (*type != "trace") {
          fail(command[k], "only traces are monitored",
               "leave it out: summaries, DIC and pD come of every run");
        }
      } else {
        fail(command[k], "thin(NUMBER) is expected here", "");
      }
    }
    out_.options.monitors.push_back(std::move(request));
  }

  void coda(const Command& command) {
    if (command.size() < 2) fail(command[0], "a name or * is expected here", "write: coda *");
    ScriptCoda request{.name = command[1].text, .stem = "CODA", .samples = out_.options.samples};
    for (std::size_t k = 2; k < command.size(); ++k) {
      const auto stem = argument_of(command[k], "stem");
      if (!stem) fail(command[k], "stem(NAME) is expected here", "");
      request.stem = *stem;
    }
    out_.coda.push_back(std::move(request));
  }

  void load(const Command& command) {
    if (command.size() != 2) fail(command[0], "the name of a module is expected here", "");
    static constexpr std::array<std::string_view, 6> kKnown = {"basemod", "bugs",    "dic",
                                                               "glm",     "lecuyer", "mix"};
    const std::string& module = command[1].text;
    if (std::find(kKnown.begin(), kKnown.end(), module) == kKnown.end()) {
      fail(command[1], "this module of JAGS is not known here", "leave the line out");
    }
    // What bugs, basemod and dic have is always there.
    if (module == "glm" || module == "lecuyer" || module == "mix") {
      out_.warnings.push_back(file_ + ":" + std::to_string(command[0].line) + ": " +
                              command[0].text + " " + module +
                              " changes nothing: croft chooses its own samplers");
    }
  }

  std::size_t whole(const Word& word, std::string_view text, std::size_t least) const {
    std::size_t value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() || value < least ||
        value > kMostIterations) {
      fail(word, Message("a whole number from ", least, " on is expected here"), "");
    }
    return value;
  }

  [[noreturn]] void fail(const Word& word, const Message& problem, const Message& remedy) const {
    throw InputError({file_, word.line, word.column}, problem, word.text, remedy);
  }

  static constexpr std::size_t kMostIterations = 1'000'000'000'000;
  const std::string file_;
  Script out_;
};

}  // namespace

Script parse_script(LineReader lines) {
  const std::string name = lines.name();
  return ScriptParser(name).parse(CommandReader(lines).read());
}

Script read_script(const std::string& path) {
  Script out = parse_script(LineReader(path));
  const auto beside = [&](std::string& name) {
    const std::filesystem::path file(name);
    if (file.is_relative() && path != "-") {
      name = (std::filesystem::path(path).parent_path() / file).lexically_normal().string();
    }
  };
  beside(out.program);
  for (std::string& each : out.data) beside(each);
  for (Script::Inits& each : out.inits) beside(each.file);
  return out;
}

}  // namespace croft::bugs
