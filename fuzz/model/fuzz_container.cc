// Any bytes as a model file: an Error, or a container whose sections lie inside it.
// An input that begins with 'r' has its checksums put right first, so that what comes after them is
// reached; with any other byte the rest is taken as it is.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "model/file/container.h"
#include "support/container_repair.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_container {

namespace {

void ask(const croft::Container& container) {
  std::uint64_t sum = 0, end = 0;
  for (const auto& entry : container.entries()) {
    require(container.has(entry.name), "a section that is not there");
    require(entry.offset >= end && entry.offset % 64 == 0, "a section out of its place");
    end = entry.offset + entry.size;
    require(end <= container.file_size(), "a section beyond the end");
    const auto bytes = container.section(entry.name);
    require(bytes.size() == entry.size, "another size");
    for (const std::byte b : bytes) sum += static_cast<std::uint64_t>(b);  // reads all of it
    try {
      for (const float number : container.numbers<float>(entry.name)) sum += number > 0 ? 1 : 0;
    } catch (const croft::Error&) {
      require(entry.size % sizeof(float) != 0, "numbers refused without a reason");
    }
  }
  require(sum <= 256 * container.file_size(), "an impossible sum");
  container.verify();
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_container) {
  if (size == 0) return 0;
  std::vector<std::byte> bytes(size - 1);
  std::transform(data + 1, data + size, bytes.begin(), [](std::uint8_t b) { return std::byte{b}; });
  if (data[0] == 'r') croft::fuzz::repair_checksums(bytes);
  try {
    ask(croft::Container::from_bytes(std::move(bytes), "fuzz.croft"));
  } catch (const croft::Error&) {
  }
  return 0;
}

}  // namespace fuzz_container
