// One inference for many equal graphs: samples of one Markov random field have the same log Z.
//
// A template without inputs gives every instance the same graph with the same numbers; only what
// is known differs, and enters by counts.  The sums of such graphs are taken once for each setting
// of the numbers, by the first that asks.
#pragma once
#include "inference/graph/oracles/sum_oracle.h"

namespace croft {

// As `make`, with the same results to the last bit: what `make` makes must depend on the graph
// alone.  Graphs of the same shape share the last sums; of those whose numbers keep differing each
// soon goes its own way.  The maker may be called, and the oracles used, by several threads.
// Memory: for each shape its description, and twice its numbers.
SumOracleMaker shared_sums(SumOracleMaker make);

}  // namespace croft
