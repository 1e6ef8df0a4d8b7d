// The edges of a Bayesian network from cases, as a training has them: what is asked, what is told.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "croft/data/graph_file.h"
#include "train/networks/learn_structure.h"
#include "train/observer.h"

namespace croft {

struct LearnNetRequest {
  std::optional<ShapeOptions> shape;  // without: the structure is given
  bool from_given = false;            // hill climbing starts from the edges that are there
  std::size_t bootstrap = 0;          // samples of the cases for the confidence of edges
  std::string edges;                  // the file of these; may be empty
};

struct LearntNet {
  Parents parents;
  std::vector<EdgeConfidence> confidence;  // with bootstrap
  Fields further;                          // score, edges, tests
  std::string text;                        // the same for people
};

// Cases with a value that is not known are left out.  Throws UsageError and Error as learn_shape().
//   start : of hill climbing; may be empty
LearntNet learn_net(const GraphFile& variables, const std::vector<std::vector<State>>& rows,
                    const LearnNetRequest& request, const Parents& start, TrainObserver& observer);

// The same variables with these parents, tables uniform.  Throws Error for a table of more than 1e8
// numbers.
GraphFile with_parents(const GraphFile& variables, const Parents& parents);

// CSV: from, to, confidence, direction, learnt (yes, reversed or no).
std::string edges_csv(const GraphNames& names, const LearntNet& net);

}  // namespace croft
