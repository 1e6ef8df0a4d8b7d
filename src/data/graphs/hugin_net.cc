#include "core/parse_number.h"
#include "croft/core/error.h"
#include "data/graphs/bif_tokens.h"
#include "data/graphs/network_builder.h"

namespace croft {
namespace {

// Reads a .net file, from the first block to the last.
class NetReader {
 public:
  explicit NetReader(LineReader lines)
      : file_(lines.name()), tokens_(std::move(lines), BifDialect::hugin) {}

  GraphFile read() {
    while (!tokens_.at_end()) read_block();
    return std::move(builder_).finish(file_);
  }

 private:
  void read_block() {
    if (tokens_.is("net")) {
      tokens_.next();
      read_fields([&](const std::string&) { skip_value(); });
    } else if (tokens_.is("potential")) {
      read_potential();
    } else if (tokens_.is("discrete")) {
      tokens_.next();
      if (!tokens_.is("node")) tokens_.fail("node");
      read_node(NodeKind::chance);
    } else if (tokens_.is("node")) {
      read_node(NodeKind::chance);
    } else if (tokens_.is("decision")) {
      read_node(NodeKind::decision);
    } else if (tokens_.is("utility")) {
      read_node(NodeKind::utility);
    } else {
      tokens_.fail("net, node, decision, utility or potential",
                   "continuous nodes, functions and classes are not supported");
    }
  }

  // NAME = VALUE ; of a block, whose values `take` reads.
  template <class Take>
  void read_fields(const Take& take) {
    tokens_.expect('{', "the head of a block");
    while (!tokens_.is('}')) {
      const std::string name = tokens_.take_word("the name of a field or }");
      tokens_.expect('=', "the name of a field");
      take(name);
      tokens_.expect(';', "the value of a field");
    }
    tokens_.next();
  }

  void skip_value() {
    while (!tokens_.is(';')) {
      if (tokens_.at_end() || tokens_.is('}')) tokens_.fail(";");
      tokens_.next();
    }
  }

  void read_node(NodeKind kind) {
    tokens_.next();
    NetworkNode node{.name = {}, .kind = kind};
    node.where = tokens_.location();
    node.name = tokens_.take_word("the name of a node");
    read_fields([&](const std::string& field) {
      if (field == "states" && kind != NodeKind::utility) {
        node.states = read_list();
      } else if (field == "position") {
        node.place = read_place();
      } else {
        skip_value();
      }
    });
    builder_.add(std::move(node));
  }

  std::vector<std::string> read_list() {
    std::vector<std::string> list;
    tokens_.expect('(', "=");
    while (!tokens_.is(')')) list.push_back(tokens_.take_word("the name of a state"));
    tokens_.next();
    return list;
  }

  double read_number() {
    double value = 0;
    if (tokens_.at_end() || tokens_.current().sign ||
        parse_number(tokens_.current().text, value) != NumberKind::finite) {
      tokens_.fail("a number", "tables by expressions are not supported");
    }
    tokens_.next();
    return value;
  }

  GraphPlace read_place() {
    GraphPlace at;
    tokens_.expect('(', "position =");
    at.x = read_number();
    at.y = read_number();
    tokens_.expect(')', "a position");
    return at;
  }

  std::size_t read_known_node() {
    const Location where = tokens_.location();
    return builder_.find(tokens_.take_word("the name of a node"), where);
  }

  void read_potential() {
    tokens_.next();
    tokens_.expect('(', "potential");
    const Location where = tokens_.location();
    const std::size_t node = read_known_node();
    std::vector<std::size_t> parents;
    if (tokens_.is('|')) {
      tokens_.next();
      while (!tokens_.is(')')) parents.push_back(read_known_node());
    }
    tokens_.expect(')', "the nodes of a potential");
    std::optional<std::vector<double>> numbers;
    read_fields([&](const std::string& field) {
      if (field == "data") {
        if (numbers) tokens_.fail("}", "a potential has one table");
        numbers = read_data();
      } else if (field.starts_with("model_")) {
        tokens_.fail("a table of numbers", "tables by expressions are not supported");
      } else {
        skip_value();
      }
    });
    const bool decides = builder_.node(node).kind == NodeKind::decision;
    if (!numbers && !decides) {
      throw InputError(where, "a potential without data", builder_.node(node).name, "");
    }
    if (numbers && decides) {
      throw InputError(where, "a decision has a table", builder_.node(node).name, "");
    }
    builder_.define(node, std::move(parents), numbers.value_or(std::vector<double>{}), where);
  }

  // Numbers within parentheses, which may stand in others: then all numbers are as deep, and all
  // lists of a depth as long.
  std::vector<double> read_data() {
    std::vector<double> numbers;
    std::vector<std::size_t> length, entries;  // by depth: of lists that ended, of the open one
    std::size_t number_depth = 0;
    if (!tokens_.is('(')) tokens_.fail("( after data =");
    do {
      if (tokens_.is('(')) {
        if (!entries.empty()) ++entries.back();
        entries.push_back(0);
        if (entries.size() > kDeepest) tokens_.fail("a number", "lists are too deep");
        if (length.size() < entries.size()) length.push_back(0);
        tokens_.next();
      } else if (tokens_.is(')')) {
        std::size_t& usual = length[entries.size() - 1];
        if (usual == 0) usual = entries.back();
        if (entries.back() == 0 || usual != entries.back()) {
          tokens_.fail("a list as long as those before it");
        }
        entries.pop_back();
        tokens_.next();
      } else {
        if (number_depth == 0) number_depth = entries.size();
        if (number_depth != entries.size()) tokens_.fail("a number as deep as those before it");
        ++entries.back();
        numbers.push_back(read_number());
      }
    } while (!entries.empty());
    return numbers;
  }

  static constexpr std::size_t kDeepest = 64;

  const std::string file_;
  BifTokens tokens_;
  NetworkBuilder builder_;
};

}  // namespace

GraphFile read_net(LineReader lines) { return NetReader(std::move(lines)).read(); }

}  // namespace croft
