// Every sequence of labels of a length, for tests that ask of each one whether it obeys.
#pragma once
#include <functional>
#include <vector>

#include "croft/structure/chain.h"

namespace croft::testing_support {

inline void for_each_sequence(std::size_t labels, std::size_t length,
                              const std::function<void(const std::vector<Label>&)>& visit) {
  std::vector<Label> y(length, 0);
  for (;;) {
    visit(y);
    std::size_t t = 0;
    while (t < length && ++y[t] == labels) y[t++] = 0;
    if (t == length) return;
  }
}

}  // namespace croft::testing_support
