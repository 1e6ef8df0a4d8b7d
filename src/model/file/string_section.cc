#include "model/file/string_section.h"

#include <cstdint>
#include <cstring>
#include <span>

#include "croft/core/error.h"

namespace croft {

std::vector<std::byte> pack_strings(const std::vector<std::string>& strings) {
  std::vector<std::uint32_t> head{static_cast<std::uint32_t>(strings.size())};
  std::string text;
  for (const std::string& s : strings) {
    text += s;
    head.push_back(static_cast<std::uint32_t>(text.size()));
  }
  std::vector<std::byte> bytes(head.size() * sizeof(std::uint32_t) + text.size());
  std::memcpy(bytes.data(), head.data(), head.size() * sizeof(std::uint32_t));
  if (!text.empty()) {
    std::memcpy(bytes.data() + head.size() * sizeof(std::uint32_t), text.data(), text.size());
  }
  return bytes;
}

std::vector<std::string> unpack_strings(const Container& container, const std::string& name) {
  const std::span<const std::byte> bytes = container.section(name);
  const auto fail = [&] {
    throw Error(container.name() + ": section " + name + std::string(kDamaged));
  };
  const auto number = [&](std::size_t k) {
    std::uint32_t value = 0;
    if ((k + 1) * sizeof value > bytes.size()) fail();
    std::memcpy(&value, bytes.data() + k * sizeof value, sizeof value);
    return std::size_t{value};
  };
  const std::size_t count = number(0), head = (count + 1) * sizeof(std::uint32_t);
  if (head > bytes.size()) fail();
  std::vector<std::string> strings;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t end = number(k + 1);
    if (end < begin || end > bytes.size() - head) fail();
    strings.emplace_back(reinterpret_cast<const char*>(bytes.data()) + head + begin, end - begin);
    begin = end;
  }
  return strings;
}

}  // namespace croft
