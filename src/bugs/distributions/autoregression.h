// The intrinsic conditional autoregression of areas, car.normal(adj, weights, num, tau).
//
//   ln p(x) = (n - c)/2 ln tau - tau/2 sum over pairs of neighbours i < j of w_ij (x_i - x_j)^2
//
// up to what depends on neither: n areas, c connected parts.  The numbers of each part have the
// sum 0; an area without a neighbour is 0.  docs/math/bugs_distributions.md.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bugs/distributions.h"

namespace croft::bugs {

// By area, the last area of its connected part.
std::vector<std::uint32_t> parts_of_areas(Numbers adjacent, Numbers counts);

double autoregression_log_density(Numbers x, Parameters parameters, Part part);
void draw_autoregression(Parameters parameters, Random& random, std::span<double> x);
// Neighbours name each other, with the same positive weight.
std::string autoregression_fault(Parameters parameters);

// Takes the mean of each connected part away.
void centre_parts(std::span<const std::uint32_t> part_of, std::span<double> x);

}  // namespace croft::bugs
