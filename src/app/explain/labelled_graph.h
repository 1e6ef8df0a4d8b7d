// A graph that is too large to draw: its variables have labels and probabilities once and for all,
// and what is around one of them is shown: its cliques, what they weigh, and why it has its label.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "croft/structure/factor_graph.h"

namespace croft {

struct Neighbourhood {
  struct Node {
    std::string name;
    std::vector<std::string> states;
    std::vector<double> probabilities;  // [states]
    State label = 0;
    bool known = false;
  };
  // What a clique's score is made of.
  struct Part {
    std::string name;
    double weight = 0;  // with the labels that its variables have; infinite: a demand
  };
  struct Clique {
    std::string name;                // of its template, or the clause
    std::vector<std::size_t> nodes;  // by their numbers here
    double score = 0;                // with these labels
    std::vector<Part> parts;
  };
  std::vector<Node> nodes;      // the variable that is asked for, then those that are nearest
  std::vector<Clique> cliques;  // all of whose variables are among them
  Json why;                     // {"label", "probability", "reasons", …}, as croft explain --json
};

// Immutable; share it between threads.
class LabelledGraph {
 public:
  virtual ~LabelledGraph() = default;
  virtual std::size_t variables() const = 0;
  virtual std::string name(std::size_t variable) const = 0;
  virtual std::optional<std::size_t> find(std::string_view name) const = 0;
  virtual std::string method() const = 0;   // that found the labels, and what they are worth
  virtual std::size_t busiest() const = 0;  // the first variable with the most cliques
  // Up to `distance` cliques away, at most `most` variables.
  virtual Neighbourhood around(std::size_t variable, std::size_t distance,
                               std::size_t most) const = 0;
};

// {"variables": [{"name", "states", "probabilities", "label", "known", "x", "y"}], "cliques":
// [{"name", "variables", "score", "parts"}], "why"}.  Neighbours are about 230 apart.
Json to_json(const Neighbourhood& neighbourhood);

}  // namespace croft
