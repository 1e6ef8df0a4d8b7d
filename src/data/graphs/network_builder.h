// A Bayesian network or an influence diagram, put together from the nodes of a file in any order.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/graph_file.h"

namespace croft {

// Rows of probabilities that their file has rounded.
class RoundedRows {
 public:
  static constexpr double kMost = 0.01;      // of a row's sum from 1
  static constexpr double kUnsaid = 1.1e-6;  // six digits: divided by the sum without a word

  // Divides a row by its sum.  Throws InputError where that is further than kMost from 1.
  void normalise(std::span<double> row, const std::string& variable, const Location& where);
  void add_note(std::vector<Message>& notes) const;  // one about all of them, if there are any

 private:
  std::size_t rows_ = 0;
  double first_sum_ = 1;
  std::string first_variable_;
  Location first_;
};

enum class NodeKind { chance, decision, utility };

struct NetworkNode {
  std::string name;
  NodeKind kind = NodeKind::chance;
  std::vector<std::string> states = {};  // none of a utility
  Location where = {};
  std::optional<GraphPlace> place = {};
};

class NetworkBuilder {
 public:
  // The node's number.  Throws InputError for a name that is there already, for states of one
  // name, and for a chance node or decision without states.
  std::size_t add(NetworkNode node);
  // Throws InputError where there is none.
  std::size_t find(std::string_view name, const Location& where) const;
  bool has(std::string_view name) const { return number_.contains(name); }
  const NetworkNode& node(std::size_t n) const { return nodes_[n].node; }
  void place(std::size_t n, GraphPlace at) { nodes_[n].node.place = at; }

  // Of a chance node probabilities, its own state changing fastest and the first parent's slowest;
  // of a utility its values by joint state of the parents; of a decision no number, and what is
  // known.  Throws InputError for a second definition, for bad parents, for another number of
  // numbers, for a row that does not add up to 1 and for what is no probability or value.
  void define(std::size_t n, std::vector<std::size_t> parents, std::span<const double> numbers,
              const Location& where);
  bool defined(std::size_t n) const { return nodes_[n].defined; }
  RoundedRows& rounded() { return rounded_; }
  // Joint states of nodes, limited by kMostNumbers + 1.
  std::uint64_t joint_states(std::span<const std::size_t> nodes) const;
  static constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 26;  // of a table

  // Throws InputError where a node is not defined, and where there is no variable.
  GraphFile finish(const std::string& file) &&;

 private:
  struct Node {
    NetworkNode node;
    bool defined = false;
    std::vector<std::size_t> parents;
    std::vector<double> numbers;
  };
  void check_numbers(const Node& node, std::span<double> numbers, const Location& where);

  std::vector<Node> nodes_;
  std::map<std::string, std::size_t, std::less<>> number_;
  RoundedRows rounded_;
};

// The numbers of a text, between blanks.  Throws InputError at `where` for what is no number.
std::vector<double> numbers_in(std::string_view text, const Location& where);
// The words of a text, between blanks.
std::vector<std::string> words_in(std::string_view text);
// Throws InputError where a network has a directed cycle, with the names on it.
//   where : of each variable, or of the file alone
void check_acyclic(const GraphFile& net, std::span<const Location> where);

// Of "position = (73, 165)", as JavaBayes writes it; none for other properties.
std::optional<GraphPlace> place_of_property(std::string_view property);

}  // namespace croft
