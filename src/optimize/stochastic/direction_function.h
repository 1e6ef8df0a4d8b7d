// A direction without a value, by samples: contrastive divergence, SampleRank.
//
// What is drawn stands in the place of a gradient, but of no function that could be evaluated: so
// this is no BatchFunction, and a line search on it does not compile.
#pragma once
#include <cstddef>
#include <span>

#include "croft/core/random.h"
#include "croft/core/state_archive.h"
#include "croft/optimize/function.h"

namespace croft {

class DirectionFunction {
 public:
  virtual ~DirectionFunction() = default;
  virtual std::size_t dimension() const = 0;
  virtual std::size_t samples() const = 0;  // n counts from 0
  virtual std::size_t workers() const = 0;  // of the calls below may be under way at once
  // As SampleFunction::support().
  virtual std::span<const Run> support(std::size_t n, std::size_t worker) = 0;
  struct Drawn {
    double figure = 0;    // of how wrong w is about n, for the log: whatever the method knows
    bool active = false;  // false: the direction is 0, and has not been written
  };
  // The direction of sample n at w, of which only the support is read: w - eta * direction is to
  // be better.  Written as the numbers of the support's runs, one after the other.
  //   random : all that chance decides; what is kept between calls belongs to n alone
  virtual Drawn draw(std::size_t n, std::span<const double> w, Random& random,
                     std::span<double> direction, std::size_t worker) = 0;
  virtual void archive(StateArchive&) {}  // what is kept between calls
};

}  // namespace croft
