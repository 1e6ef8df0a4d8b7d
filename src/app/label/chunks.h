// Labels of a sequence as chunks (phrases, entities, fields), and chunks as labels.
//
// Where a chunk starts and ends is decided from two neighbouring labels, as structure/chunk_label.h
// says.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/inference/chain_posterior.h"
#include "croft/structure/chunk_label.h"

namespace croft {

// "auto", "bio", "bio1", "ioe", "bioes", "raw", "none".
std::string_view chunk_scheme_name(ChunkScheme scheme);
// Throws UsageError, with the valid names, for any other name.
ChunkScheme chunk_scheme_from_name(std::string_view name);

// bio, ioe or bioes where each label is O or begins with one of their letters and a hyphen, and not
// all are O; else none.  bio also for bio1, which is read alike; never raw.
//   labels : distinct or not, in any order
ChunkScheme detect_scheme(std::span<const std::string_view> labels);

// Positions [begin, end), and the type: a view into one of the labels it was read from.
struct Chunk {
  std::size_t begin = 0, end = 0;
  std::string_view type;
  bool operator==(const Chunk&) const = default;
};

// The chunks of one sequence, in order, without overlap.  automatic: detected from these labels;
// none: no chunks.  Where a tag unknown to all schemes starts a chunk inside another, the earlier
// one ends there.
std::vector<Chunk> chunks_of(std::span<const std::string_view> labels,
                             ChunkScheme scheme = ChunkScheme::automatic);

// The labels of a sequence of `length` positions that has these chunks: the inverse of chunks_of.
//   chunks : in order, not empty, without overlap, within the length; else throws Error
//   scheme : bio, bio1, ioe or bioes; else throws UsageError (raw cannot write a longer chunk)
std::vector<std::string> spell_chunks(std::span<const Chunk> chunks, std::size_t length,
                                      ChunkScheme scheme);

// spell_chunks(chunks_of(labels, from), labels.size(), to).  A sequence that `from` would not write
// comes out as a valid one with the same chunks.
std::vector<std::string> convert_labels(std::span<const std::string_view> labels, ChunkScheme from,
                                        ChunkScheme to);

// How probable a predicted chunk is: that it starts here, continues, and ends here.
//
// A chunk is what chunks_of() makes of a labelling: where it starts, goes on and ends is decided by
// two neighbouring labels.  docs/math/chain_queries.md section 8 has the sums (Q.9).

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
