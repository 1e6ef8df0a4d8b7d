// What the tests of the methods that go from sample to sample begin with: a function, and options
// for a number of passes.
#pragma once
#include <cstddef>
#include <cstdint>

#include "optimize/sample_methods.h"

namespace croft::testing_functions {

// Maximum entropy with 60 sparse attributes and 4 labels.
inline SparseMaxent maxent(std::uint64_t seed, std::size_t samples = 300) {
  Random random(seed);
  return SparseMaxent(SparseRows(samples, 60, 4, random));
}

// So many passes, whatever they come to.
template <class Options>
Options passes(std::size_t count) {
  Options options;
  options.stop = {.max_iterations = count, .tolerance = 0, .gradient_tolerance = 0};
  return options;
}

// Stopped after each of 5 passes and resumed, the method ends at the same bits.
//   minimise : (f, w, options, checkpoints)
template <class Options, class Minimise>
void expect_passes_to_resume(std::uint64_t seed, const Minimise& minimise) {
  const auto run = [&](Vector& w, Checkpointer* checkpoints) {
    SparseMaxent f = maxent(seed);
    return minimise(f, w, passes<Options>(5), checkpoints);
  };
  EXPECT_EQ(expect_resumed_runs_to_agree(Vector(maxent(seed).dimension()), run), 4u);
}

}  // namespace croft::testing_functions
