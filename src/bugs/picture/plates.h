// A BUGS program to look at: its nodes and what they depend on, with a plate around each loop.
//
// Stochastic nodes are ellipses, those that <- defines have a double border, what the data gives is
// grey, and constants are boxes.  An edge goes from each name on the right to the one on the left.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bugs/arrays.h"
#include "bugs/program.h"

namespace croft::bugs {

enum class PlateNodeKind : std::uint8_t { stochastic, defined, constant };

struct PlateNode {
  std::string label;  // Y[i,j]
  std::string text;   // the relation, as it is written
  PlateNodeKind kind = PlateNodeKind::stochastic;
  bool observed = false;  // the data has its name
  std::size_t plate = 0;  // the innermost one
};

struct Plate {
  std::string label;       // i in 1:N
  std::size_t parent = 0;  // plate 0 is the page, and its own parent
};

// What is drawn of model { }.  Relations with one left side are one node, loops over one range one
// plate.  What data { } computes is data.
struct PlateModel {
  std::vector<Plate> plates;
  std::vector<PlateNode> nodes;
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // from, to; each once
};
PlateModel plate_model(const Program& program, const Arrays& data = {});

// A drawing that stands for itself; the same program gives the same bytes.  Throws UsageError for
// more than 300 nodes.
std::string plates_svg(const Program& program, const Arrays& data = {});

}  // namespace croft::bugs
