#include "croft/data/graph_file.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/infinity.h"
#include "data/graphs/token_reader.h"

namespace croft {
namespace {

// States of a variable at most.  A table lists what is not 0, so that a short file can promise any
// number, and every method keeps numbers for each state.
constexpr std::uint64_t kMostStates = std::uint64_t{1} << 22;

struct Entry {
  std::uint64_t joint;  // the last variable changes fastest, as in a FactorGraph
  double score;
};

struct FactorText {
  std::vector<std::uint64_t> labels;
  std::vector<Entry> entries;
  std::uint64_t joint_states;
};

class Reader {
 public:
  explicit Reader(LineReader lines) : words_(std::move(lines), '#') {}

  GraphFile read() {
    const std::uint64_t factors = words_.count("the number of factors", kMostVariables);
    std::vector<FactorText> texts;
    for (std::uint64_t f = 0; f < factors; ++f) texts.push_back(read_factor());
    words_.finish("the last factor");
    GraphFile file;
    std::map<std::uint64_t, Variable> number;  // of a label
    for (const auto& [label, states] : states_) number[label] = file.graph.add_variable(states);
    if (!number.empty() && number.rbegin()->first != number.size() - 1) {
      for (const auto& [label, v] : number) file.names.variables.push_back(std::to_string(label));
    }
    for (const FactorText& text : texts) add(text, number, file.graph);
    return file;
  }

 private:
  FactorText read_factor() {
    FactorText text;
    const std::uint64_t size = words_.count("the number of variables of a factor", kMostVariables);
    std::set<std::uint64_t> known;
    for (std::uint64_t k = 0; k < size; ++k) {
      const std::uint64_t label =
          words_.count("the label of a variable", std::numeric_limits<std::uint64_t>::max());
      if (!known.insert(label).second) {
        words_.fail("a factor has a variable twice", words_.text(), "");
      }
      text.labels.push_back(label);
    }
    std::vector<std::uint64_t> states;
    text.joint_states = 1;
    for (const std::uint64_t label : text.labels) {
      states.push_back(read_states(label));
      if (text.joint_states > (std::uint64_t{1} << 62) / states.back()) {
        words_.fail("a factor has 2^62 joint states or more", words_.text(), "");
      }
      text.joint_states *= states.back();
    }
    const std::uint64_t listed =
        words_.count("the number of entries of a table", text.joint_states);
    for (std::uint64_t k = 0; k < listed; ++k) text.entries.push_back(read_entry(text, states));
    std::ranges::sort(text.entries, {}, &Entry::joint);
    const auto twice = std::ranges::adjacent_find(text.entries, {}, &Entry::joint);
    if (twice != text.entries.end()) {
      words_.fail("a table has an entry twice, in the factor that ends here", words_.text(), "");
    }
    return text;
  }

  std::uint64_t read_states(std::uint64_t label) {
    const std::uint64_t states = words_.count("the number of states of a variable", kMostStates);
    if (states == 0) words_.fail("a variable has at least one state", "0", "");
    const auto [known, is_new] = states_.emplace(label, states);
    if (!is_new && known->second != states) {
      words_.fail("variable " + std::to_string(label) + " had " + std::to_string(known->second) +
                      " states before",
                  words_.text(), "");
    }
    return states;
  }

  Entry read_entry(const FactorText& text, const std::vector<std::uint64_t>& states) {
    std::uint64_t rest =
        words_.count("the joint state of an entry (from 0)", text.joint_states - 1);
    std::uint64_t joint = 0, stride = text.joint_states;
    for (const std::uint64_t each : states) {
      stride /= each;
      joint += rest % each * stride;
      rest /= each;
    }
    return {joint, read_weight(words_)};
  }

  // As a table where that is not much larger than what the file lists.
  static void add(const FactorText& text, const std::map<std::uint64_t, Variable>& number,
                  FactorGraph& graph) {
    std::vector<Variable> scope;
    for (const std::uint64_t label : text.labels) scope.push_back(number.at(label));
    if (text.joint_states / 4 <= text.entries.size()) {
      std::vector<double> scores(text.joint_states, -kInf);
      for (const Entry& entry : text.entries) scores[entry.joint] = entry.score;
      graph.add_factor(scope, graph.add_table(scores));
      return;
    }
    std::vector<std::uint64_t> listed;
    std::vector<double> scores;
    for (const Entry& entry : text.entries) {
      listed.push_back(entry.joint);
      scores.push_back(entry.score);
    }
    graph.add_factor(scope, graph.add_sparse(listed, scores, -kInf));
  }

  TokenReader words_;
  std::map<std::uint64_t, std::uint64_t> states_;  // of a label
};

}  // namespace

GraphFile read_fg(LineReader lines) { return Reader(std::move(lines)).read(); }

}  // namespace croft
