// Strings to numbers: a growing table while training, a mapped read-only one in a model file.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace croft {

inline constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

// 64-bit hash of a string (XXH3): equal on every machine.
std::uint64_t hash_string(std::string_view text);

// Numbers strings in order of first appearance.  Open addressing; strings in one flat store.
// Memory: the strings' bytes, and 15 to 20 bytes a string (plus what a growing std::vector spares).
class StringTable {
 public:
  // The string's number, new or not.  Throws Error for a string of 256 MiB or more, and for more
  // than 2^32 - 2 strings.
  std::uint32_t insert(std::string_view text) { return insert(text, hash_string(text)); }
  std::uint32_t insert(std::string_view text, std::uint64_t hash);
  std::uint32_t find(std::string_view text) const { return find(text, hash_string(text)); }
  std::uint32_t find(std::string_view text, std::uint64_t hash) const;  // kUnknown if absent
  // Brings the slot of a later find or insert closer: worth its while for all strings of a
  // sentence.
  void prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home(fingerprint(hash))]);
  }
  std::size_t size() const { return end_.size(); }
  std::string_view operator[](std::uint32_t id) const;  // valid until the next insert
  std::vector<std::string_view> strings() const;        // all, by number; likewise

 private:
  struct Slot {
    std::uint32_t fingerprint, id;  // id == kUnknown: free
  };
  static std::uint32_t fingerprint(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32);
  }
  // Grows with the fingerprint, so that a larger table is filled nearly in order.
  std::size_t home(std::uint32_t print) const { return print * std::uint64_t{slots_.size()} >> 32; }
  void grow();
  std::uint64_t end(std::uint32_t id) const;

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> end_;          // of each string in bytes_, its lower 32 bits
  std::vector<std::uint64_t> block_begin_;  // of every 16th string in bytes_, in full
  std::vector<char> bytes_;
};

// The compact, read-only form: a hash of the strings in buckets, with each string's bytes coded by
// a table of frequent substrings, so that a key is verified and takes about a third of its length.
// Works on bytes that it does not own and does not trust: a damaged image gives a wrong answer or
// kUnknown, never a read outside it.  docs/format.md section 2.1 has the layout.
// Threads: no hidden state; share it.
class CompactVocabulary {
 public:
  CompactVocabulary() = default;  // no strings
  // Checks the header and the sizes, in a time that does not grow with the image; throws Error
  // saying what is wrong.  The image must outlive this.
  explicit CompactVocabulary(std::span<const std::byte> image);

  std::size_t size() const { return size_; }
  // The string's id, below size(), or kUnknown.
  std::uint32_t find(std::string_view text) const { return find(text, hash_string(text)); }
  std::uint32_t find(std::string_view text, std::uint64_t hash) const;
  // Brings what a later find reads closer; hash and prefetch all strings of a sentence, then find
  // them.
  void prefetch(std::uint64_t hash) const;
  // The string of an id (id < size()); slower than find: for inspection.
  std::string string(std::uint32_t id) const;

  // The image for distinct strings, and the id that each string gets in it: its rank by (hash,
  // bytes), so that no id needs to be stored.  The image depends on the set of strings only. Throws
  // Error when it would exceed 4 GiB.  About 1 microsecond a string.
  struct Built;
  enum class Coding {
    smallest,
    quick  // a quarter of the time, some percent larger
  };
  static Built build(const std::vector<std::string_view>& strings,
                     Coding coding = Coding::smallest);

 private:
  struct Bucket;
  bool read_bucket(std::size_t index, Bucket& bucket) const;

  const std::byte* symbols_ = nullptr;    // the table of frequent substrings
  const std::byte* data_ = nullptr;       // [data_size_] the buckets, one after another
  const std::byte* directory_ = nullptr;  // [buckets_ + 1] where each bucket and its ids begin
  std::uint64_t data_size_ = 0;
  std::uint32_t buckets_ = 0, size_ = 0;
};

struct CompactVocabulary::Built {
  std::vector<std::byte> image;
  std::vector<std::uint32_t> id;  // id[k] of strings[k]
};

}  // namespace croft
