// What a hidden Markov model's probabilities are estimated from: how often each start, transition,
// end and emission occurs in labelled data, or is expected to.  docs/math/hidden_markov.md
// section 2.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/core/ranks.h"
#include "features/chain_data.h"

namespace croft {

// Which emissions the data leaves possible, and what is the same for all of its labellings.
struct HmmLayout {
  std::size_t labels = 0;
  std::vector<std::string> tracks;         // [K] names, in order of first appearance
  std::vector<std::uint32_t> track;        // [V] of each attribute of the data
  std::vector<std::uint64_t> occurrences;  // [V] places where it stands, whatever its value there
  std::vector<std::uint64_t> begin{0};     // [V + 1] into cell
  std::vector<std::uint32_t> cell;         // the labels that it may be emitted by, increasing

  std::size_t values() const { return track.size(); }
  // Calls visit(cell, its track, its label) of each in turn.
  template <class Visit>
  void for_each_cell(const Visit& visit) const {
    for (std::size_t v = 0; v < values(); ++v) {
      for (std::uint64_t c = begin[v]; c < begin[v + 1]; ++c) visit(c, track[v], this->cell[c]);
    }
  }
};

// Every label of an attribute's positions, as far as they are known; all where one is not.
//   labels : of the data, or more
// Cost O(occurrences + cells), memory 4 bytes an occurrence on the way.
//   ranks : processes that have other parts of the data: the layout is of all
HmmLayout make_hmm_layout(const ChainData& data, const StringTable& names, std::size_t labels,
                          Ranks& ranks = no_other_ranks());

struct HmmCounts {
  std::vector<double> start, end;  // [L] first and last labels of sequences
  Matrix<double> transition;       // [L][L]
  std::vector<double> emission;    // parallel to HmmLayout::cell

  void reset(const HmmLayout& layout);  // all 0
  void sum(Ranks& ranks);               // over all processes; throws as sum_counts()
  void add(const HmmCounts& others, double times);
};

enum class Counted {
  complete,  // sequences of which every label is known
  known      // what is known of every sequence; of a set each label counts the same part
};

// [K][L] of each track: the counts of its values, added up.
Matrix<double> emission_totals(const HmmLayout& layout, const HmmCounts& counts);

// Adds the counts of the data (HM.3), each times its sequence's weight and, for an emission, the
// attribute's value.  A transition counts where both of its labels are known.
void count_labels(const ChainData& data, const HmmLayout& layout, Counted which, HmmCounts& out);

}  // namespace croft
