// A list of strings of any bytes as a section: u32 count, u32 end of each, then the bytes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/file/container.h"

namespace croft {

inline constexpr std::string_view kDamaged =
    " is damaged; restore the file from a copy or train again";

std::vector<std::byte> pack_strings(const std::vector<std::string>& strings);
// Throws Error where the section is damaged.
std::vector<std::string> unpack_strings(const Container& container, const std::string& name);

}  // namespace croft
