#include "cli/files/named_files.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/file_checks.h"

namespace croft::cli {
namespace {

struct Written {
  const OptionRow* option;
  std::string path;
};

struct NamedFiles {
  std::vector<std::string> read;
  std::vector<Written> written;

  void add_read(const std::string& name) {
    if (name == "-") return read.push_back("/dev/stdin");
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
      out.add_read(argument);
      continue;
    }
    if (sign == argument.npos) continue;
    const OptionRow* const row = values.find(std::string_view(argument).substr(2, sign - 2));
    const std::string value = argument.substr(sign + 1);
    if (row == nullptr) continue;
    if (row->written && value != "-") {
      out.written.push_back({row, value});
    } else if (row->type == OptionType::file || row->may_be_file) {
      out.add_read(value);
    }
  }
  return out;
}

// A result that grows the file that it is made of has no end.
void check_standard_output(const std::vector<std::string>& read) {
  std::error_code none;
  const std::filesystem::path out = std::filesystem::canonical("/dev/stdout", none);
  if (none || !std::filesystem::is_regular_file(out, none)) return;
  for (const std::string& input : read) {
    if (!same_file(input, out.string())) continue;
    throw UsageError("standard output is the input ", input, "; send it to another file");
  }
}

}  // namespace

void check_named_files(const OptionValues& values) {
  const NamedFiles files = named_files(values);
  check_standard_output(files.read);
  for (auto a = files.written.begin(); a != files.written.end(); ++a) {
    check_not_read(files.read, a->option->name, a->path, a->option->noun);
    for (auto b = files.written.begin(); b != a; ++b) {
      check_written({{b->option->name, b->path}, {a->option->name, a->path}});
    }
  }
}

}  // namespace croft::cli
