#include "croft/data/graph_file.h"

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "croft/core/error.h"
#include "data/graphs/network_builder.h"
#include "data/graphs/token_reader.h"

namespace croft {
namespace {

enum class Numbers { weights, logarithms };

constexpr double kLargestLogarithm = 1e300;  // what a FactorGraph takes

double read_logarithm(TokenReader& words) {
  const double score = words.number("a logarithm of a table");
  if (std::isnan(score) || score > kLargestLogarithm ||
      (score < -kLargestLogarithm && !std::isinf(score))) {
    words.fail("a logarithm of a table must be -inf or a number, 1e300 in size at most",
               words.text(), "");
  }
  return score;
}

// Marks the variables of one scope after the other, to find one that is there twice.
class ScopeReader {
 public:
  explicit ScopeReader(std::size_t variables) : last_(variables, 0) {}

  std::vector<Variable> read(TokenReader& words) {
    const std::size_t variables = last_.size();
    const std::uint64_t size = words.count("the number of variables of a factor", variables);
    std::vector<Variable> scope;
    ++scopes_;
    for (std::uint64_t k = 0; k < size; ++k) {
      const auto v =
          static_cast<Variable>(words.count("a variable of a factor (from 0)", variables - 1));
      if (last_[v] == scopes_) words.fail("a factor has a variable twice", words.text(), "");
      last_[v] = scopes_;
      scope.push_back(v);
    }
    return scope;
  }

 private:
  std::vector<std::uint64_t> last_;  // [variables] the scope that it was in last, from 1
  std::uint64_t scopes_ = 0;
};

// Throws unless `size` is the number of joint states of the scope.
void check_size(const TokenReader& words, const FactorGraph& graph,
                const std::vector<Variable>& scope, std::uint64_t size) {
  std::uint64_t joint = 1;
  for (const Variable v : scope) {
    joint *= graph.states(v);  // neither is above 2^32
    if (joint > size) break;
  }
  if (joint == size) return;
  words.fail("a table has another number of weights than its scope has joint states", words.text(),
             "factor " + std::to_string(graph.factors()) + " does");
}

// Competitions write networks with what was observed taken out of their tables: what is written
// counts, and the first row that adds up to something else is said.
class UnevenRows {
 public:
  void see(const std::vector<Variable>& scope, std::size_t states, std::span<const double> scores) {
    for (std::size_t begin = 0; !said_ && begin < scores.size(); begin += states) {
      double sum = 0;
      for (const double each : scores.subspan(begin, states)) sum += std::exp(each);
      if (std::abs(sum - 1) > RoundedRows::kUnsaid) said_ = std::pair(scope.back(), sum);
    }
  }
  void add_note(const std::string& file, std::vector<Message>& notes) const {
    if (!said_) return;
    std::string sum;
    append_number(sum, said_->second);
    notes.push_back({file, ": probabilities of variable ", said_->first, " add up to ", sum,
                     "; in this format numbers are taken as they are, so that they weigh others"});
  }

 private:
  std::optional<std::pair<Variable, double>> said_;
};

GraphFile read(LineReader lines, Numbers numbers) {
  const Location whole{lines.name()};
  TokenReader words(std::move(lines));
  GraphFile file;
  const std::string_view kind = words.word("MARKOV or BAYES");
  if (kind != "MARKOV" && kind != "BAYES") {
    words.fail("a graph in UAI's format begins with MARKOV or BAYES", kind,
               "other formats of graphs are fg and bif (--format)");
  }
  file.directed = kind == "BAYES";
  FactorGraph& graph = file.graph;
  const std::uint64_t variables = words.count("the number of variables", kMostVariables);
  for (std::uint64_t v = 0; v < variables; ++v) {
    const std::uint64_t states = words.count("the number of states of a variable", kMostVariables);
    if (states == 0) words.fail("a variable has at least one state", "0", "");
    graph.add_variable(states);
  }
  const std::uint64_t factors = words.count("the number of factors", kMostVariables);
  ScopeReader reader(graph.variables());
  std::vector<std::vector<Variable>> scopes;
  for (std::uint64_t f = 0; f < factors; ++f) {
    scopes.push_back(reader.read(words));
    if (file.directed && scopes.back().empty()) {
      words.fail("a factor of a directed graph has no variable", words.text(), "");
    }
  }
  UnevenRows uneven;
  std::vector<double> scores;
  for (const std::vector<Variable>& scope : scopes) {
    const std::uint64_t size =
        words.count("the number of weights of a table", std::numeric_limits<std::uint32_t>::max());
    check_size(words, graph, scope, size);
    scores.clear();
    for (std::uint64_t k = 0; k < size; ++k) {
      scores.push_back(numbers == Numbers::weights ? read_weight(words) : read_logarithm(words));
    }
    if (file.directed) uneven.see(scope, graph.states(scope.back()), scores);
    graph.add_factor(scope, graph.add_table(scores));
  }
  uneven.add_note(whole.file, file.notes);
  words.finish("the last table");
  if (file.directed) check_acyclic(file, std::span(&whole, 1));
  return file;
}

void append_score(std::string& out, double score, Numbers numbers) {
  if (numbers == Numbers::logarithms) {
    if (std::isinf(score)) {
      out += "-inf";
    } else {
      append_number(out, score);
    }
    return;
  }
  const double weight = std::exp(score);
  if (std::isinf(weight) || (weight == 0 && !std::isinf(score))) {
    std::string text;
    append_number(text, score);
    throw Error("a score of " + text +
                " has no weight that a double can be; write the graph in "
                "format lg, which has logarithms");
  }
  append_number(out, weight);
}

std::string write(const GraphFile& file, Numbers numbers) {
  const FactorGraph& graph = file.graph;
  if (!file.decisions.empty() || !file.utilities.empty()) {
    throw UsageError("UAI has no decisions and no utilities, and this network has some");
  }
  std::string out = file.directed ? "BAYES\n" : "MARKOV\n";
  out += std::to_string(graph.variables()) + "\n";
  for (Variable v = 0; v < graph.variables(); ++v) {
    out += (v > 0 ? " " : "") + std::to_string(graph.states(v));
  }
  out += "\n" + std::to_string(graph.factors()) + "\n";
  for (Factor f = 0; f < graph.factors(); ++f) {
    out += std::to_string(graph.scope(f).size());
    for (const Variable v : graph.scope(f)) out += " " + std::to_string(v);
    out += "\n";
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    const std::vector<double> scores = graph.table(f);
    out += "\n" + std::to_string(scores.size()) + "\n";
    for (const double score : scores) {
      out += " ";
      append_score(out, score, numbers);
    }
    out += "\n";
  }
  return out;
}

}  // namespace

GraphFile read_uai(LineReader lines) { return read(std::move(lines), Numbers::weights); }
GraphFile read_lg(LineReader lines) { return read(std::move(lines), Numbers::logarithms); }

std::string write_uai(const GraphFile& file) { return write(file, Numbers::weights); }
std::string write_lg(const GraphFile& file) { return write(file, Numbers::logarithms); }

Evidence read_uai_evidence(LineReader lines, const FactorGraph& graph) {
  TokenReader words(std::move(lines));
  Evidence evidence(graph.variables(), kUnobserved);
  std::vector<std::uint64_t> numbers;
  std::vector<Location> where;
  std::string_view word;
  while (words.next(word)) {
    std::uint64_t value = 0;
    for (const char c : word) {
      if (c < '0' || c > '9' || value > kMostVariables) {
        words.fail("evidence is made of whole numbers", word, "");
      }
      value = 10 * value + static_cast<std::uint64_t>(c - '0');
    }
    numbers.push_back(value);
    where.push_back(words.location());
  }
  std::size_t at = 0;
  if (numbers.empty()) {
    throw InputError(words.location(), "there is no evidence in the file", "",
                     "write 0 where nothing is observed, or leave out --evidence");
  }
  if (numbers.size() == 1 && numbers[0] == 0) return evidence;
  // One sample's count, before that of its pairs: then the lengths tell the two dialects apart.
  const auto pairs_from = [&](std::size_t first) {
    return first < numbers.size() && numbers.size() - first == 2 * numbers[first] + 1;
  };
  if (!pairs_from(0)) {
    if (numbers[0] > 1 && pairs_from(1)) {
      throw InputError(where[0], "evidence of more than one sample", std::to_string(numbers[0]),
                       "give one at a time");
    }
    if (numbers[0] != 1 || !pairs_from(1)) {
      throw InputError(where[0],
                       "evidence is the number of observed variables, then each with its state",
                       std::to_string(numbers[0]), "");
    }
    at = 1;
  }
  for (++at; at < numbers.size(); at += 2) {
    if (numbers[at] >= graph.variables()) {
      throw InputError(where[at], "there is no such variable", std::to_string(numbers[at]),
                       "they are numbered from 0");
    }
    const auto v = static_cast<Variable>(numbers[at]);
    if (numbers[at + 1] >= graph.states(v)) {
      throw InputError(
          where[at + 1],
          "variable " + std::to_string(v) + " has " + std::to_string(graph.states(v)) + " states",
          std::to_string(numbers[at + 1]), "they are numbered from 0");
    }
    if (evidence[v] != kUnobserved) {
      throw InputError(where[at], "a variable is observed twice", std::to_string(v), "");
    }
    evidence[v] = static_cast<State>(numbers[at + 1]);
  }
  return evidence;
}

}  // namespace croft
