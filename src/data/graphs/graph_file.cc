#include "croft/data/graph_file.h"

#include <algorithm>
#include <charconv>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::string_view kFormats = "uai, lg, fg, bif";

std::optional<GraphFormat> format_named(std::string_view name) {
  if (name == "uai") return GraphFormat::uai;
  if (name == "lg") return GraphFormat::lg;
  if (name == "fg") return GraphFormat::fg;
  if (name == "bif") return GraphFormat::bif;
  return {};
}

std::optional<GraphFormat> format_of_extension(std::string_view path) {
  const std::size_t dot = path.find_last_of("./");
  if (dot == path.npos || path[dot] == '/') return {};
  std::string extension(path.substr(dot + 1));
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return format_named(extension);
}

// By the first word that is no comment; LG begins as UAI does.
std::optional<GraphFormat> format_of_content(std::string_view text) {
  std::size_t at = 0;
  for (;;) {
    at = text.find_first_not_of(" \t\r\n\f\v", at);
    if (at == text.npos) return {};
    const std::string_view rest = text.substr(at);
    if (rest[0] == '#') return GraphFormat::fg;
    if (rest[0] >= '0' && rest[0] <= '9') return GraphFormat::fg;
    if (rest.starts_with("MARKOV") || rest.starts_with("BAYES")) return GraphFormat::uai;
    for (const std::string_view begin : {"network", "variable", "probability", "//", "/*"}) {
      if (rest.starts_with(begin)) return GraphFormat::bif;
    }
    return {};
  }
}

bool read_number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<State> state_of(const GraphFile& file, Variable v, std::string_view text) {
  if (!file.names.states.empty()) {
    const auto& names = file.names.states[v];
    const auto at = std::ranges::find(names, text);
    if (at != names.end()) return static_cast<State>(at - names.begin());
  }
  std::uint64_t number = 0;
  if (read_number(text, number) && number < file.graph.states(v)) return static_cast<State>(number);
  return {};
}

std::optional<Variable> variable_of(const GraphFile& file, std::string_view text) {
  const auto& names = file.names.variables;
  const auto at = std::ranges::find(names, text);
  if (at != names.end()) return static_cast<Variable>(at - names.begin());
  std::uint64_t number = 0;
  // A name that is another number must not be taken for one.
  if (names.empty() && read_number(text, number) && number < file.graph.variables()) {
    return static_cast<Variable>(number);
  }
  return {};
}

std::string some_of(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t k = 0; k < names.size() && k < 8; ++k) list += (k > 0 ? ", " : "") + names[k];
  return list + (names.size() > 8 ? ", …" : "");
}

}  // namespace

std::string variable_name(const GraphNames& names, Variable v) {
  return names.variables.empty() ? std::to_string(v) : names.variables[v];
}

std::string state_name(const GraphNames& names, Variable v, State s) {
  return names.states.empty() ? std::to_string(s) : names.states[v][s];
}

GraphFormat graph_format(std::string_view name) {
  if (const auto format = format_named(name)) return *format;
  throw UsageError("no format of graphs: " + in_quotes(name) + "; there are " +
                   std::string(kFormats));
}

GraphFile read_graph(LineReader lines, GraphFormat format) {
  switch (format) {
    case GraphFormat::uai:
      return read_uai(std::move(lines));
    case GraphFormat::lg:
      return read_lg(std::move(lines));
    case GraphFormat::fg:
      return read_fg(std::move(lines));
    case GraphFormat::bif:
      break;
  }
  return read_bif(std::move(lines));
}

GraphFile read_graph(const std::string& path, std::optional<GraphFormat> format) {
  if (!format) format = format_of_extension(path);
  LineReader lines(path);
  if (format) return read_graph(std::move(lines), *format);
  std::string text;
  std::string_view line;
  while (lines.next(line)) text.append(line).append("\n");
  format = format_of_content(text);
  if (!format) {
    throw InputError({lines.name(), 1}, "this begins as no format of graphs does",
                     std::string_view(text).substr(0, text.find('\n')),
                     Message("--format names it: ", kFormats));
  }
  return read_graph(LineReader(text, lines.name()), *format);
}

Variable find_variable(const GraphFile& file, std::string_view text) {
  if (const auto v = variable_of(file, text)) return *v;
  throw UsageError(
      "there is no variable " + in_quotes(text) + "; " +
      (file.names.variables.empty()
           ? "there are " + std::to_string(file.graph.variables()) + ", numbered from 0"
           : "there are " + some_of(file.names.variables)));
}

// Names may have an = in them: the first place that makes the left side a variable counts.
void observe(const GraphFile& file, std::string_view text, Evidence& evidence) {
  std::size_t equal = text.find('=');
  if (equal == text.npos) {
    throw UsageError("an observation is VARIABLE=STATE, not " + in_quotes(text));
  }
  for (std::size_t at = equal; at != text.npos; at = text.find('=', at + 1)) {
    if (!variable_of(file, text.substr(0, at))) continue;
    equal = at;
    break;
  }
  const Variable v = find_variable(file, text.substr(0, equal));
  const std::string_view wanted = text.substr(equal + 1);
  const std::optional<State> state = state_of(file, v, wanted);
  if (!state) {
    throw UsageError("variable " + in_quotes(text.substr(0, equal)) + " has no state " +
                     in_quotes(wanted) + "; it has " +
                     (file.names.states.empty()
                          ? std::to_string(file.graph.states(v)) + ", numbered from 0"
                          : some_of(file.names.states[v])));
  }
  evidence.resize(file.graph.variables(), kUnobserved);
  if (evidence[v] != kUnobserved && evidence[v] != *state) {
    throw UsageError("variable " + in_quotes(text.substr(0, equal)) +
                     " is observed in two states: " + state_name(file.names, v, evidence[v]) +
                     " and " + std::string(wanted));
  }
  evidence[v] = *state;
}

}  // namespace croft
