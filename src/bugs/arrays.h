// Named arrays of numbers: the data and the initial values of a BUGS model.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace croft::bugs {

// In R's order: the first dimension runs fastest.  A value that is missing (NA) is NaN.
struct Array {
  std::vector<std::size_t> dimensions;  // a scalar has {1}
  std::vector<double> values;
};

using Arrays = std::map<std::string, Array, std::less<>>;

}  // namespace croft::bugs
