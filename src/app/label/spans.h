// How probable a predicted chunk is: that it starts here, continues, and ends here.
//
// A chunk is what chunks_of() makes of a labelling: where it starts, goes on and ends is decided by
// two neighbouring labels.  docs/math/chain_queries.md section 8 has the sums (Q.9).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "croft/inference/chain_posterior.h"
#include "croft/structure/chunk_label.h"

namespace croft {

// For each label: the type of chunk it may start, and which states go on with a chunk before and
// after it.  Immutable; share it between threads.
class ChunkEdges {
 public:
  //   scheme   : neither automatic nor none
  //   label_of : the label of each state of the chain; empty: the states are the labels
  // Cost O(L times the number of states).
  ChunkEdges(std::span<const std::string> names, ChunkScheme scheme,
             std::span<const Label> label_of);

  ChunkScheme scheme() const { return scheme_; }

  struct Scratch {                     // grows, never shrinks
    std::vector<double> now, next;     // [states]
    std::vector<Label> live, reached;  // states with a value in `now`, in `next`
    std::vector<double> window;
  };
  // p(the labelling has exactly this chunk | x): positions [begin, end), within the sequence, of
  // the type of `first`, a label that may start it.  Cost: the length of the chunk times the pairs
  // of states inside one.  The error is some 1e-15.
  double probability(const ChainPosterior<double>& posterior, std::size_t begin, std::size_t end,
                     Label first, Scratch& scratch) const;

 private:
  using States = std::vector<Label>;
  Label label(Label state) const { return label_of_.empty() ? state : label_of_[state]; }

  ChunkScheme scheme_;
  std::vector<Label> label_of_;
  std::vector<std::uint32_t> type_;  // [L] number of the type
  std::vector<States> starters_;     // [types] labels that can start a chunk of the type
  std::vector<bool> starts_first_;   // [L] starts a chunk at position 0
  std::vector<States> states_of_;    // [L] states that stand for the label
  std::vector<States> no_start_;     // [L] states after which the label does not start a chunk
  std::vector<States> continue_;     // [L] states that go on with a chunk after the label
};

}  // namespace croft
