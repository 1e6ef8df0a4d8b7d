// Sum-product messages where every factor on a cycle is a positive table of two variables with two
// states: most grids.  Internal to message_engine.h.
//
// With B_v the product of all that enters v, what enters a factor from v is B_v / m, m being its
// own message to v; relative to its largest number that is (B_v(0) m(1), B_v(1) m(0)): no division,
// and no product of all others.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "inference/graph/messages/factor_messages.h"
#include "inference/graph/messages/message_layout.h"

namespace croft {

class BinaryMessages {
 public:
  // None where a factor of the core is another, a number is 0, or products might not fit a double.
  //   factors  : [factors] with scaled numbers
  //   messages : [layout.numbers()], of which the variables' own are read
  static std::optional<BinaryMessages> make(const MessageLayout& layout,
                                            std::span<const FactorView> factors,
                                            std::span<const double> messages);

  // All factors of the core send once, in order or all at once; returns the largest change of a
  // number.
  double sweep(std::span<double> messages);
  double send_all(std::span<double> messages);

 private:
  struct Pair {
    std::uint32_t variable[2];  // of the core, by their place in block_
    std::uint32_t message[2];   // places of the messages to them
    const double* table;        // [2][2]
  };
  struct Block {
    std::uint32_t first = 0, count = 0;  // a variable's numbers: [count][2]
  };
  template <bool kInOrder>
  double send(std::span<double> messages);

  std::vector<Pair> pairs_;
  std::vector<Block> block_;
  std::vector<double> product_;  // [variables of the core][2]
  std::deque<std::array<double, 4>> made_;
};

}  // namespace croft
