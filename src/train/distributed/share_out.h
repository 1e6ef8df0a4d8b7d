// From what each process has read to what each works on: one numbering of names for all, and whole
// waves of the data.  docs/distributed/math.md section 2.
//
// Processes have read consecutive parts of the data, in the order of their ranks.  What comes out
// does not depend on where one part ends and the next begins.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "croft/core/ranks.h"
#include "features/chain_data.h"

namespace croft {

// Numbers labels, sets of labels and attributes in the order in which all of the data shows them
// first, as one process that reads all of it does.  Afterwards every process has all names.
// Time and memory: those of all names; the first process has those of one other beside them.
void agree_on_names(Ranks& ranks, ChainEncoder& encoder);

// The file of each sequence, for messages.
struct SequenceFiles {
  std::vector<std::uint32_t> file;  // [N] into names
  std::vector<std::string> names;
};

// Hands sequences on to other processes until each has whole waves (train/functions/waves.h), about
// as many positions as the others, in the order of ranks.  After agree_on_names().
//   labels : of the layout that the data is for
// Time: that of the sequences that move.
void share_out_waves(Ranks& ranks, std::size_t labels, ChainData& data, SequenceFiles& files);

// Numbers of all data.
struct DataTotals {
  std::uint64_t sequences = 0, positions = 0, partial_positions = 0;
  double weight = 0;
  bool weighted = false;  // some sequence's weight is not 1
};
DataTotals totals_of(Ranks& ranks, const ChainData& data);
// Of the first sequences of each process's data, none of which weighs more than `most`.
double sum_of_weights(Ranks& ranks, const ChainData& data, std::size_t sequences, double most);

}  // namespace croft
