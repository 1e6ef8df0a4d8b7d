// What infer() shares with the table of its methods.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "croft/app/infer.h"

namespace croft {

// Which methods `auto` tries, the first one first, where the junction tree is too large.
std::span<const std::string_view> auto_fallbacks(GraphTask task);

// "1.5 GB": 1 GB is 2^30 bytes.
std::string memory_text(double bytes);

}  // namespace croft
