#include "croft/data/graph_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

#include "core/parse_number.h"
#include "croft/core/error.h"

namespace croft {
namespace {

// The one table of formats.
struct FormatRow {
  GraphFormat format;
  std::string_view name;       // also the extension of its files
  std::string_view extension;  // another one, if any
  bool network;                // of Bayesian networks, which other models are not taken for
  GraphFile (*read)(LineReader lines);
};
constexpr FormatRow kFormats[] = {
    {GraphFormat::uai, "uai", "", true, read_uai},
    {GraphFormat::lg, "lg", "", false, read_lg},
    {GraphFormat::fg, "fg", "", false, read_fg},
    {GraphFormat::bif, "bif", "", true, read_bif},
    {GraphFormat::xmlbif, "xmlbif", "", true, read_xmlbif},
    {GraphFormat::net, "net", "hugin", true, read_net},
    {GraphFormat::xdsl, "xdsl", "", true, read_xdsl},
};

const FormatRow& row_of(GraphFormat format) {
  return *std::ranges::find(kFormats, format, &FormatRow::format);
}

std::optional<GraphFormat> format_of_extension(std::string_view path) {
  const std::size_t dot = path.find_last_of("./");
  if (dot == path.npos || path[dot] == '/') return {};
  std::string extension(path.substr(dot + 1));
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  for (const FormatRow& each : kFormats) {
    if (extension == each.name || (extension == each.extension && !extension.empty())) {
      return each.format;
    }
  }
  return {};
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// By the element at the root of a document of XML, whatever comes before it.
std::optional<GraphFormat> format_of_xml(std::string_view text) {
  const std::size_t smile = text.find("<smile"), bif = text.find("<BIF");
  if (smile == text.npos && bif == text.npos) return {};
  return smile < bif ? GraphFormat::xdsl : GraphFormat::xmlbif;
}

// By the first word that is no comment; LG begins as UAI does.
std::optional<GraphFormat> format_of_content(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t\r\n\f\v");
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at);
  if (rest[0] == '#' || (rest[0] >= '0' && rest[0] <= '9')) return GraphFormat::fg;
  if (rest[0] == '<') return format_of_xml(rest);
  if (rest[0] == '%') return GraphFormat::net;
  if (rest.starts_with("//") || rest.starts_with("/*")) return GraphFormat::bif;
  const auto end = std::ranges::find_if_not(rest, is_letter);
  const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  if (word == "MARKOV" || word == "BAYES") return GraphFormat::uai;
  for (const std::string_view begin : {"network", "variable", "probability"}) {
    if (word == begin) return GraphFormat::bif;
  }
  for (const std::string_view begin : {"net", "node", "discrete", "decision", "utility"}) {
    if (word == begin) return GraphFormat::net;
  }
  return {};
}

bool read_number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
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

std::string_view graph_formats() {
  static const std::string list = [] {
    std::string names;
    for (const FormatRow& each : kFormats) {
      names.append(names.empty() ? "" : ", ").append(each.name);
    }
    return names;
  }();
  return list;
}

GraphFormat graph_format(std::string_view name) {
  const auto at = std::ranges::find(kFormats, name, &FormatRow::name);
  if (at != std::end(kFormats)) return at->format;
  throw UsageError("no format of graphs: ", in_quotes(name), "; there are ", graph_formats());
}

GraphFile read_graph(LineReader lines, GraphFormat format) {
  return row_of(format).read(std::move(lines));
}

bool is_network_file(const std::string& path) {
  if (const auto format = format_of_extension(path)) return row_of(*format).network;
  constexpr std::size_t kEnough = 1 << 16;  // bytes
  std::ifstream file(path, std::ios::binary);
  std::string text(kEnough, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  const auto format = format_of_content(text);
  return format && row_of(*format).network;
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
                     Message("--format names it: ", graph_formats()));
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

std::optional<State> find_state(const GraphFile& file, Variable v, std::string_view text) {
  if (!file.names.states.empty()) {
    const auto& names = file.names.states[v];
    const auto at = std::ranges::find(names, text);
    if (at != names.end()) return static_cast<State>(at - names.begin());
  }
  std::uint64_t number = 0;
  if (read_number(text, number) && number < file.graph.states(v)) return static_cast<State>(number);
  return {};
}

namespace {

// Names may have an = in them: the first place that makes the left side a variable counts.
std::size_t equal_sign(const GraphFile& file, std::string_view text) {
  const std::size_t first = text.find('=');
  if (first == text.npos) {
    throw UsageError("an observation is VARIABLE=STATE, not " + in_quotes(text));
  }
  for (std::size_t at = first; at != text.npos; at = text.find('=', at + 1)) {
    if (variable_of(file, text.substr(0, at))) return at;
  }
  return first;
}

}  // namespace

void observe(const GraphFile& file, std::string_view text, Evidence& evidence) {
  const std::size_t equal = equal_sign(file, text);
  const Variable v = find_variable(file, text.substr(0, equal));
  const std::string_view wanted = text.substr(equal + 1);
  const std::optional<State> state = find_state(file, v, wanted);
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

std::optional<SoftFinding> soft_finding(const GraphFile& file, std::string_view text) {
  const std::size_t equal = equal_sign(file, text);
  const Variable v = find_variable(file, text.substr(0, equal));
  const std::string_view wanted = text.substr(equal + 1);
  if (wanted.find(':') == wanted.npos || find_state(file, v, wanted)) return {};
  return soft_finding_of(file, v, wanted);
}

SoftFinding soft_finding_of(const GraphFile& file, Variable v, std::string_view likelihoods) {
  SoftFinding finding{v, {}};
  double largest = 0;
  for (std::size_t begin = 0; begin <= likelihoods.size();) {
    const std::size_t end = std::min(likelihoods.find(':', begin), likelihoods.size());
    double value = 0;
    const std::string_view number = likelihoods.substr(begin, end - begin);
    if (parse_number(number, value) != NumberKind::finite || value < 0) {
      throw UsageError(
          "likelihoods of ", in_quotes(variable_name(file.names, v)),
          " are numbers >= 0, as in 0.3:0.7, and no state is called so: ", in_quotes(likelihoods));
    }
    largest = std::max(largest, value);
    finding.likelihoods.push_back(value);
    begin = end + 1;
  }
  if (finding.likelihoods.size() != file.graph.states(v)) {
    throw UsageError("variable ", in_quotes(variable_name(file.names, v)), " has ",
                     file.graph.states(v), " states, and ", in_quotes(likelihoods), " has ",
                     finding.likelihoods.size(), " likelihoods");
  }
  if (largest == 0) throw UsageError("all likelihoods are 0 in ", in_quotes(likelihoods));
  return finding;
}

FactorGraph with_findings(const FactorGraph& graph, const std::vector<SoftFinding>& findings) {
  FactorGraph out = graph;
  for (const SoftFinding& each : findings) {
    std::vector<double> scores;
    for (const double likelihood : each.likelihoods) scores.push_back(std::log(likelihood));
    out.add_factor({each.variable}, out.add_table(scores));
  }
  return out;
}

}  // namespace croft
