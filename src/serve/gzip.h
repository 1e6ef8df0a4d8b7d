// Bodies in gzip's format.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace croft::serve {

std::string gzipped(std::string_view bytes);
// None where the bytes are not in the format; the first most + 1 bytes of what is longer than
// `most`.
std::optional<std::string> gunzipped(std::string_view bytes, std::size_t most);

}  // namespace croft::serve
