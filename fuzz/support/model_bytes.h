// What the targets for model files share.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "croft/core/error.h"
#include "model/file/container.h"
#include "support/container_repair.h"

namespace croft::fuzz {

inline constexpr std::size_t kMostLabels = 64;  // a table of transitions has their square

inline bool has_many_labels(const Container& container) {
  if (!container.has("labels")) return false;
  const auto head = container.section("labels");
  std::uint32_t labels = 0;
  if (head.size() >= sizeof labels) std::memcpy(&labels, head.data(), sizeof labels);
  return labels > kMostLabels;
}

// ask(container) of the bytes, which may throw Error.  An input that begins with 'r' has its
// checksums put right first; with any other byte the rest is taken as it is.
template <class Ask>
void read_model(const std::uint8_t* data, std::size_t size, const Ask& ask) {
  if (size == 0) return;
  std::vector<std::byte> bytes(size - 1);
  std::transform(data + 1, data + size, bytes.begin(), [](std::uint8_t b) { return std::byte{b}; });
  if (data[0] == 'r') repair_checksums(bytes);
  try {
    Container container = Container::from_bytes(std::move(bytes), "fuzz.croft");
    if (!has_many_labels(container)) ask(std::move(container));
  } catch (const Error&) {
  }
}

}  // namespace croft::fuzz
