#include "cli/files/named_files.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/file_checks.h"

namespace croft::cli {
namespace {

// Options that write, the same in all verbs but for --output; every other one of a file reads it.
struct WritingOption {
  std::string_view name;
  std::string_view what;  // that would need another name
};
constexpr WritingOption kWriting[] = {
    {"output", ""},
    {"result", ""},
    {"plots", "the plots "},
    {"picture", "the picture "},
    {"plot", "the picture "},
    {"reliability", "the picture "},
    {"confusion-svg", "the picture "},
    {"save", "the graph "},
    {"edges", "the edges "},
    {"checkpoint", "the checkpoint "},
    {"state", ""},
    {"labelled", "the labels "},
    {"log", "the log "},
};

constexpr std::pair<std::string_view, std::string_view> kOutputs[] = {
    {"train", "the model "}, {"stack", "the model "},      {"calibrate", "the model "},
    {"card", "the page "},   {"cluster", "the clusters "}, {"logic", "the network "},
};

std::string_view output_of(std::string_view verb) {
  const auto* const found =
      std::ranges::find(kOutputs, verb, [](const auto& o) { return o.first; });
  return found == std::end(kOutputs) ? "" : found->second;
}

// Options of words that may be the name of a file, which is read.
constexpr std::string_view kPerhapsFiles[] = {"constrain",    "cost",    "class-weights",
                                              "expectations", "holdout", "prior-probabilities",
                                              "stop-words"};

struct Written {
  const WritingOption* option;
  std::string path;
};

struct NamedFiles {
  std::vector<std::string> read;
  std::vector<Written> written;

  void add_read(const std::string& name) {
    read.push_back(name);
    const std::size_t sign = name.find('=');  // NAME=FILE
    if (sign != name.npos) read.push_back(name.substr(sign + 1));
  }
};

NamedFiles named_files(const OptionValues& values) {
  NamedFiles out;
  for (const std::string& argument : values.arguments()) {
    const std::size_t sign = argument.find('=');
    if (!argument.starts_with("--")) {
      if (argument != "-") out.add_read(argument);
      continue;
    }
    if (sign == argument.npos) continue;
    const std::string_view name = std::string_view(argument).substr(2, sign - 2);
    const std::string value = argument.substr(sign + 1);
    const OptionRow* const row = values.find(name);
    const bool is_file = row != nullptr && row->type == OptionType::file;
    if (value == "-" || (!is_file && std::ranges::count(kPerhapsFiles, name) == 0)) continue;
    const auto* const writing = std::ranges::find(kWriting, name, &WritingOption::name);
    if (writing != std::end(kWriting)) {
      out.written.push_back({writing, value});
    } else {
      out.add_read(value);
    }
  }
  std::ranges::stable_sort(out.written, {}, &Written::option);  // as they are listed
  return out;
}

}  // namespace

void check_named_files(std::string_view verb, const OptionValues& values) {
  const NamedFiles files = named_files(values);
  for (auto a = files.written.begin(); a != files.written.end(); ++a) {
    const std::string_view what = a->option->name == "output" ? output_of(verb) : a->option->what;
    check_not_read(files.read, a->option->name, a->path, what);
    for (auto b = files.written.begin(); b != a; ++b) {
      check_written({{b->option->name, b->path}, {a->option->name, a->path}});
    }
  }
}

}  // namespace croft::cli
