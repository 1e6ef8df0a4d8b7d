#define XXH_INLINE_ALL
#include <xxhash.h>

#include "croft/core/error.h"
#include "features/vocabulary.h"

namespace croft {
namespace {

constexpr std::size_t kBlock = 16;  // strings between two full positions
constexpr std::size_t kLongest = (std::size_t{1} << 32) / kBlock;  // a block ends below 2^32

}  // namespace

std::uint64_t hash_string(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

std::uint64_t StringTable::end(std::uint32_t id) const {
  const std::uint64_t begin = block_begin_[id / kBlock];
  return begin + static_cast<std::uint32_t>(end_[id] - static_cast<std::uint32_t>(begin));
}

std::string_view StringTable::operator[](std::uint32_t id) const {
  const std::uint64_t begin = id % kBlock == 0 ? block_begin_[id / kBlock] : end(id - 1);
  return {bytes_.data() + begin, static_cast<std::size_t>(end(id) - begin)};
}

std::uint32_t StringTable::find(std::string_view text, std::uint64_t hash) const {
  if (slots_.empty()) return kUnknown;
  const std::uint32_t print = fingerprint(hash);
  for (std::size_t at = home(print);; at = at + 1 == slots_.size() ? 0 : at + 1) {
    const Slot slot = slots_[at];
    if (slot.id == kUnknown) return kUnknown;
    if (slot.fingerprint == print && (*this)[slot.id] == text) return slot.id;
  }
}

std::uint32_t StringTable::insert(std::string_view text, std::uint64_t hash) {
  const std::uint32_t found = find(text, hash);
  if (found != kUnknown) return found;
  if (text.size() >= kLongest) {
    throw Error("a string of " + std::to_string(text.size()) + " bytes, " + in_quotes(text, 40) +
                ": at most 256 MiB are allowed; is a line end missing?");
  }
  if (size() + 1 >= kUnknown) throw Error("more than 4294967294 distinct strings");
  if (4 * (size() + 1) > 3 * slots_.size()) grow();
  const auto id = static_cast<std::uint32_t>(size());
  if (id % kBlock == 0) block_begin_.push_back(bytes_.size());
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  end_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  std::size_t at = home(fingerprint(hash));
  while (slots_[at].id != kUnknown) at = at + 1 == slots_.size() ? 0 : at + 1;
  slots_[at] = {fingerprint(hash), id};
  return id;
}

// Half as many slots again: between half and three quarters of them are taken.
void StringTable::grow() {
  std::vector<Slot> old(slots_.size() + slots_.size() / 2 + 16, Slot{0, kUnknown});
  old.swap(slots_);
  for (const Slot slot : old) {
    if (slot.id == kUnknown) continue;
    std::size_t at = home(slot.fingerprint);
    while (slots_[at].id != kUnknown) at = at + 1 == slots_.size() ? 0 : at + 1;
    slots_[at] = slot;
  }
}

std::vector<std::string_view> StringTable::strings() const {
  std::vector<std::string_view> all;
  all.reserve(size());
  for (std::uint32_t id = 0; id < size(); ++id) all.push_back((*this)[id]);
  return all;
}

}  // namespace croft
