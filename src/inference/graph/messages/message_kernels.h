// Products of messages of many states, as scaled numbers.  Internal to inference/.
#pragma once
#include <cstddef>

namespace croft {

inline constexpr std::size_t kManyStates = 6;  // below, the call costs more than the work

// out[x] = own[x] times messages[slot][x] of all slots but `skip`.
void product_of_messages(const double* own, const double* messages, std::size_t slots,
                         std::size_t skip, std::size_t states, double* out);
// Divides by the largest number, which it returns, unless that is 0; sets `low` where one is below
// `smallest` then, and not 0.
double scale_message(double* numbers, std::size_t states, double smallest, bool& low);
// max |a[x] - b[x]|
double largest_difference(const double* a, const double* b, std::size_t states);

}  // namespace croft
