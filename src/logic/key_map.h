// From 64-bit keys to 32-bit numbers.  Open addressing: at most 3/4 full, 12 bytes a slot.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace croft {

class KeyMap {
 public:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // no key
  static constexpr std::uint32_t kNone = 0xffffffff;         // no number

  std::uint32_t find(std::uint64_t key) const {
    if (keys_.empty()) return kNone;
    const std::size_t slot = slot_of(key);
    return keys_[slot] == key ? values_[slot] : kNone;
  }
  // The key's number, which is `value` where it is new.
  std::uint32_t insert(std::uint64_t key, std::uint32_t value) {
    if (4 * (size_ + 1) > 3 * keys_.size()) grow();
    const std::size_t slot = slot_of(key);
    if (keys_[slot] == kFree) {
      keys_[slot] = key;
      values_[slot] = value;
      ++size_;
    }
    return values_[slot];
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return 12 * keys_.capacity(); }

 private:
  std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = keys_.size() - 1;
    std::size_t slot = (key * 0x9e3779b97f4a7c15) >> 20 & mask;
    while (keys_[slot] != kFree && keys_[slot] != key) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    std::vector<std::uint64_t> keys(keys_.empty() ? 16 : 2 * keys_.size(), kFree);
    std::vector<std::uint32_t> values(keys.size());
    keys_.swap(keys);
    values_.swap(values);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == kFree) continue;
      const std::size_t slot = slot_of(keys[i]);
      keys_[slot] = keys[i];
      values_[slot] = values[i];
    }
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> values_;
  std::size_t size_ = 0;
};

}  // namespace croft
