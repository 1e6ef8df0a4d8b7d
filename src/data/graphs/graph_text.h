// What the readers and writers of graphs share.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include "data/graphs/token_reader.h"

namespace croft {

// What a count of variables, states or factors may promise at most.
inline constexpr std::uint64_t kMostVariables = 0xfffffffe;

// A weight >= 0 as a log-score.
inline double read_weight(TokenReader& words) {
  const double weight = words.number("a weight of a table");
  if (!(weight >= 0) || std::isinf(weight)) {
    words.fail("a weight of a table must be a finite number >= 0", words.text(),
               "tables of natural logarithms are format lg (--format lg)");
  }
  return std::log(weight);
}

// The shortest text that gives back the same double.
inline void append_number(std::string& out, double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out.append(text, end);
}

}  // namespace croft
