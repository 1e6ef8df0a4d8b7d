// The image of a vocabulary.  docs/format.md section 2.1 is the contract; in short:
//
//   header | symbol table | buckets | padding to 8 | directory
//   bucket    : fingerprint[n] | length[n] | codes of string 0, 1, ... n - 1
//   directory : (u32 where the bucket begins, u32 the id of its first string), and a last such pair
//
// Ids rank the strings by hash, and a string's bucket grows with its hash: so a bucket's strings
// have consecutive ids, and neither ids nor the number of strings in a bucket are stored.
#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include "croft/core/error.h"
#include "features/bytes.h"
#include "features/substring_codes.h"
#include "features/vocabulary.h"

namespace croft {
namespace {

constexpr std::uint32_t kLayout = 1;
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kDataBegin = kHeaderBytes + kSymbolTableBytes;
constexpr std::size_t kEntryBytes = 8;      // of the directory
constexpr std::size_t kStringsABucket = 8;  // one register of fingerprints, two cache lines in all
constexpr std::uint8_t kLong = 255;         // this length: the true one, u32, precedes the codes
// More gives less than 0.2 % of the size, and symbols cost 0.3 seconds a megabyte.
constexpr std::size_t kSampleBytes = 1 << 18, kQuickSampleBytes = 1 << 13;
constexpr std::size_t kSampledPrefix = 1024;  // of one string

std::size_t bucket_of(std::uint64_t hash, std::uint32_t buckets) {
  return (hash >> 32) * std::uint64_t{buckets} >> 32;
}

std::uint8_t fingerprint(std::uint64_t hash) { return static_cast<std::uint8_t>(hash); }

// Codes of the k-th string of a bucket.  `lengths` is followed by `size - lengths` more bytes of
// the bucket; loads of eight bytes may pass its end, never the image's (the directory follows).
std::span<const std::byte> codes_of(const std::byte* lengths, const std::byte* codes,
                                    const std::byte* end, std::size_t k) {
  const auto available = static_cast<std::size_t>(end - codes);
  std::size_t begin = 0;
  std::uint64_t longs = 0;
  for (std::size_t j = 0; j < k; j += 8) {
    const std::uint64_t eight = load<std::uint64_t>(lengths + j) & low_bytes(k - j);
    begin += sum_bytes(eight);
    longs |= equal_bytes(eight, kLong);
  }
  const auto long_size = [&](std::size_t at) -> std::size_t {
    return at + 4 <= available ? load<std::uint32_t>(codes + at) : available;
  };
  if (longs != 0) {  // rare: walk
    begin = 0;
    for (std::size_t j = 0; j < k && begin <= available; ++j) {
      const auto length = static_cast<std::size_t>(lengths[j]);
      begin += length == kLong ? 4 + long_size(begin) : length;
    }
  }
  auto length = static_cast<std::size_t>(lengths[k]);
  if (length == kLong) {
    length = long_size(begin);
    begin += 4;
  }
  if (begin > available || length > available - begin) return {};
  return {codes + begin, length};
}

}  // namespace

struct CompactVocabulary::Bucket {
  std::uint32_t first, count;  // ids [first, first + count)
  const std::byte* begin;      // fingerprints, lengths, codes
  const std::byte* end;
  const std::byte* lengths() const { return begin + count; }
  const std::byte* codes() const { return begin + 2 * std::size_t{count}; }
};

CompactVocabulary::CompactVocabulary(std::span<const std::byte> image) {
  const auto fail = [](const std::string& what) {
    throw Error("the vocabulary is damaged: " + what);
  };
  if (image.size() < kDataBegin + kEntryBytes) {
    fail(std::to_string(image.size()) + " bytes are too few");
  }
  const std::byte* header = image.data();
  const auto layout = load<std::uint32_t>(header);
  if (layout != kLayout) {
    throw Error("the vocabulary has layout " + std::to_string(layout) +
                ", this Croft reads layout " + std::to_string(kLayout) + "; use a newer Croft");
  }
  const auto strings = load<std::uint32_t>(header + 4), buckets = load<std::uint32_t>(header + 8);
  const auto data_size = load<std::uint64_t>(header + 16);
  if (strings == kUnknown) fail("4294967295 strings are too many");
  if (buckets == 0) fail("no buckets");
  if (data_size > std::numeric_limits<std::uint32_t>::max()) fail("more than 4 GiB of buckets");
  const std::uint64_t directory = kDataBegin + (data_size + 7) / 8 * 8;
  const std::uint64_t promised = directory + kEntryBytes * (std::uint64_t{buckets} + 1);
  if (promised != image.size()) {
    fail(std::to_string(image.size()) + " bytes where its header promises " +
         std::to_string(promised));
  }
  if (!SymbolTable(header + kHeaderBytes).valid()) fail("a symbol's length is not 1 to 16");
  symbols_ = header + kHeaderBytes;
  data_ = header + kDataBegin;
  directory_ = header + directory;
  data_size_ = data_size;
  buckets_ = buckets;
  size_ = strings;
}

// False when the directory contradicts itself or the sizes.
inline bool CompactVocabulary::read_bucket(std::size_t index, Bucket& bucket) const {
  const std::byte* entry = directory_ + kEntryBytes * index;
  const auto begin = load<std::uint32_t>(entry), first = load<std::uint32_t>(entry + 4);
  const auto end = load<std::uint32_t>(entry + 8), last = load<std::uint32_t>(entry + 12);
  if (first > last || last > size_ || begin > end || end > data_size_) return false;
  bucket = {first, last - first, data_ + begin, data_ + end};
  return 2 * std::uint64_t{bucket.count} <= end - begin;
}

std::uint32_t CompactVocabulary::find(std::string_view text, std::uint64_t hash) const {
  Bucket bucket;
  if (size_ == 0 || !read_bucket(bucket_of(hash, buckets_), bucket)) return kUnknown;
  const SymbolTable symbols(symbols_);
  for (std::size_t j = 0; j < bucket.count; j += 8) {
    std::uint64_t equal = equal_bytes(load<std::uint64_t>(bucket.begin + j), fingerprint(hash)) &
                          low_bytes(bucket.count - j);
    for (; equal != 0; equal &= equal - 1) {
      const std::size_t k = j + static_cast<std::size_t>(std::countr_zero(equal)) / 8;
      const auto codes = codes_of(bucket.lengths(), bucket.codes(), bucket.end, k);
      if (symbols.spells(codes, text)) return bucket.first + static_cast<std::uint32_t>(k);
    }
  }
  return kUnknown;
}

void CompactVocabulary::prefetch(std::uint64_t hash) const {
  if (size_ == 0) return;
  const auto begin = load<std::uint32_t>(directory_ + kEntryBytes * bucket_of(hash, buckets_));
  if (begin > data_size_) return;
  const std::byte* bucket = data_ + begin;
  __builtin_prefetch(bucket);
  if (data_size_ - begin > 64) __builtin_prefetch(bucket + 64);
}

std::string CompactVocabulary::string(std::uint32_t id) const {
  assert(id < size_);
  // The last bucket that begins at or before id; a damaged directory ends the search somewhere.
  std::size_t low = 0, high = buckets_;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    const bool left = load<std::uint32_t>(directory_ + kEntryBytes * middle + 4) > id;
    (left ? high : low) = middle;
  }
  Bucket bucket;
  std::string text;
  if (!read_bucket(low, bucket) || id < bucket.first || id - bucket.first >= bucket.count)
    return text;
  const auto codes = codes_of(bucket.lengths(), bucket.codes(), bucket.end, id - bucket.first);
  SymbolTable(symbols_).decode(codes, text);
  return text;
}

namespace {

struct Key {
  std::uint64_t hash;
  std::uint32_t index;  // among the strings given
};

// The keys in the order of their ids.
std::vector<Key> ranked(const std::vector<std::string_view>& strings) {
  std::vector<Key> keys(strings.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    keys[k] = {hash_string(strings[k]), static_cast<std::uint32_t>(k)};
  }
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    return a.hash != b.hash ? a.hash < b.hash : strings[a.index] < strings[b.index];
  });
  return keys;
}

// A coder trained on the first strings by hash: as good as random ones, and the same every time.
SubstringCoder trained(const std::vector<std::string_view>& strings, const std::vector<Key>& keys,
                       std::size_t most) {
  std::vector<std::string_view> sample;
  std::size_t bytes = 0;
  for (const Key& key : keys) {
    if (bytes >= most) break;
    sample.push_back(strings[key.index].substr(0, kSampledPrefix));
    bytes += sample.back().size();
  }
  return SubstringCoder::train(sample);
}

}  // namespace

CompactVocabulary::Built CompactVocabulary::build(const std::vector<std::string_view>& strings,
                                                  Coding coding) {
  if (strings.size() >= kUnknown) throw Error("more than 4294967294 strings in a vocabulary");
  const std::vector<Key> keys = ranked(strings);
  const bool quick = coding == Coding::quick;
  SubstringCoder coder = trained(strings, keys, quick ? kQuickSampleBytes : kSampleBytes);
  const auto buckets =
      static_cast<std::uint32_t>(std::max<std::size_t>(1, keys.size() / kStringsABucket));

  Built built;
  built.id.resize(keys.size());
  std::vector<std::byte>& image = built.image;
  image.resize(kHeaderBytes);
  coder.write(image);
  std::vector<std::byte> directory;
  std::vector<std::byte> lengths, codes;
  std::vector<std::uint8_t> code;
  std::size_t next = 0;
  const auto add_entry = [&] {
    const std::uint64_t begin = image.size() - kDataBegin;
    if (begin > std::numeric_limits<std::uint32_t>::max()) {
      throw Error("a vocabulary of ", keys.size(),
                  " strings exceeds 4 GiB; leave out rare attributes (--min-count)");
    }
    append(directory, static_cast<std::uint32_t>(begin));
    append(directory, static_cast<std::uint32_t>(next));
  };
  for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) {
    add_entry();
    lengths.clear();
    codes.clear();
    for (; next < keys.size() && bucket_of(keys[next].hash, buckets) == bucket; ++next) {
      const Key& key = keys[next];
      // Names that a damaged model file gave may be the same.
      if (next > 0 && strings[keys[next - 1].index] == strings[key.index]) {
        throw Error("the name " + in_quotes(strings[key.index]) +
                    " is there twice; the file that it comes from is damaged");
      }
      built.id[key.index] = static_cast<std::uint32_t>(next);
      code.clear();
      if (quick) {
        coder.encode_greedily(strings[key.index], code);
      } else {
        coder.encode(strings[key.index], code);
      }
      image.push_back(static_cast<std::byte>(fingerprint(key.hash)));
      const bool is_long = code.size() >= kLong;
      lengths.push_back(static_cast<std::byte>(is_long ? kLong : code.size()));
      if (is_long) append(codes, static_cast<std::uint32_t>(code.size()));
      const auto* begin = reinterpret_cast<const std::byte*>(code.data());
      codes.insert(codes.end(), begin, begin + code.size());
    }
    image.insert(image.end(), lengths.begin(), lengths.end());
    image.insert(image.end(), codes.begin(), codes.end());
  }
  add_entry();
  store(image.data(), kLayout);
  store(image.data() + 4, static_cast<std::uint32_t>(keys.size()));
  store(image.data() + 8, buckets);
  store(image.data() + 16, std::uint64_t{image.size() - kDataBegin});
  image.resize((image.size() + 7) / 8 * 8);
  image.insert(image.end(), directory.begin(), directory.end());
  return built;
}

}  // namespace croft
