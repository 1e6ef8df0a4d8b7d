// Weights as arithmetic, as pracmln's files have them:  log(0.9/0.1),  logx(0),  -log(4)/2.
#pragma once
#include <optional>

#include "logic/network.h"
#include "logic/token_cursor.h"

namespace croft {

struct WeightExpression {
  double value = 0;         // from -1e9 to 1e9
  std::size_t tokens = 0;   // that it takes
  bool arithmetic = false;  // more than a number with its sign
};

// The arithmetic that begins at the cursor, without a blank but behind a first sign; the cursor
// stays. Empty where nothing of the kind begins there, and where a comparison follows: 1 + 2 = x.
//   network : a predicate or function that is declared there is none of the functions of weights
//   alone   : nothing follows on the line; else a formula does
// Throws InputError for what is meant as a weight and is none: with blanks, functions of other
// names, several arguments, no finite value.
std::optional<WeightExpression> weight_expression(const TokenCursor& at,
                                                  const LogicNetwork& network, bool alone = false);

}  // namespace croft
