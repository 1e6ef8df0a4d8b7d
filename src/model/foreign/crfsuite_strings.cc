#include "model/foreign/crfsuite_strings.h"

#include <array>
#include <bit>
#include <cstring>

namespace croft {
namespace {

constexpr std::uint32_t kStringsByteOrder = 0x62445371;
constexpr std::size_t kStringsHeader = 24, kHashTables = 256,
                      kFirstRecord = kStringsHeader + 8 * kHashTables;

// A table of strings, read.
class CrfsuiteStrings {
 public:
  CrfsuiteStrings(const ForeignBytes& bytes, std::string_view what)
      : table_(bytes.part(0, bytes.u32(4, kList), kList)), what_(what) {}

  std::vector<std::string> read(std::size_t count) {
    if (table_.piece(0, 4, kList) != "CQDB" || table_.u32(12, kList) != kStringsByteOrder) {
      fail("no table of " + std::string(what_) + "s begins", 0);
    }
    const std::uint64_t known = table_.u32(16, kList), list = table_.u32(20, kList);
    if (known < count) fail("the list of " + std::string(what_) + "s is too short", 16);
    table_.piece(list, 4 * known, kList);
    std::vector<std::string> strings;
    strings.reserve(count);
    steps_left_ = kMostStepsEach * (count + 1);
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t at = table_.u32(list + 4 * k, kList);
      if (table_.u32(at, kRecord) != k) fail(this_one(k) + " has another number", at);
      const std::string_view string = string_at(at);
      bytes += string.size();
      if (bytes > table_.size()) fail(this_one(k) + " overlaps others", at);
      if (!finds(string, at)) fail(this_one(k) + " is not in its hash table", at);
      strings.emplace_back(string);
    }
    return strings;
  }

 private:
  std::string this_one(std::size_t k) const { return std::string(what_) + " " + std::to_string(k); }
  [[noreturn]] void fail(const std::string& what, std::uint64_t at) const { table_.fail(what, at); }

  std::string_view string_at(std::uint64_t record) const {
    const std::uint32_t length = table_.u32(record + 4, kRecord);
    const std::string_view string = table_.piece(record + 8, length, kRecord);
    if (length == 0 || string.find('\0') != length - 1)
      fail("a string does not end in NUL", record);
    return string.substr(0, length - 1);
  }

  // Whether the hash tables lead from the string to its record.
  bool finds(std::string_view string, std::uint32_t record) {
    const std::uint32_t hash = jenkins_hash({string.data(), string.size() + 1});
    const std::uint64_t head = kStringsHeader + 8 * std::uint64_t{hash % kHashTables};
    const std::uint32_t begin = table_.u32(head, kHashTable),
                        slots = table_.u32(head + 4, kHashTable);
    const ForeignBytes table = table_.part(begin, 8 * std::uint64_t{slots}, kHashTable);
    std::uint64_t slot = slots == 0 ? 0 : (hash >> 8) % slots;
    for (std::uint32_t step = 0; step < slots; ++step) {
      if (steps_left_-- == 0) fail("a hash table of strings is full", begin);
      const std::uint32_t other = table.u32(8 * slot + 4, kHashTable);
      if (other == 0) return false;
      if (table.u32(8 * slot, kHashTable) == hash) {
        if (other == record) return true;
        if (string_at(other) == string) return false;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
    return false;
  }

  // What lies outside, for messages.
  static constexpr std::string_view kList = "the list of strings",
                                    kHashTable = "a hash table of strings", kRecord = "a string";
  // A table is half empty, so a string is found after a step or two.
  static constexpr std::uint64_t kMostStepsEach = 64;

  ForeignBytes table_;
  std::string_view what_;
  std::uint64_t steps_left_ = 0;
};

}  // namespace

std::uint32_t jenkins_hash(std::string_view bytes) {
  const auto word = [](const char* at, std::size_t size) {
    std::array<char, 4> four{};
    std::memcpy(four.data(), at, size);
    return std::bit_cast<std::uint32_t>(four);
  };
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size()), b = a, c = a;
  if (bytes.empty()) return c;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left > 12; at += 12, left -= 12) {
    a += word(at, 4);
    b += word(at + 4, 4);
    c += word(at + 8, 4);
    const auto mix = [](std::uint32_t& x, std::uint32_t& y, std::uint32_t z, int turn) {
      x = (x - y) ^ std::rotl(y, turn);
      y += z;
    };
    mix(a, c, b, 4);
    mix(b, a, c, 6);
    mix(c, b, a, 8);
    mix(a, c, b, 16);
    mix(b, a, c, 19);
    mix(c, b, a, 4);
  }
  const auto rest = [&](std::size_t begin) {
    return begin >= left ? 0 : word(at + begin, left - begin < 4 ? left - begin : 4);
  };
  a += rest(0);
  b += rest(4);
  c += rest(8);
  const auto finish = [](std::uint32_t& x, std::uint32_t y, int turn) {
    x = (x ^ y) - std::rotl(y, turn);
  };
  finish(c, b, 14);
  finish(a, c, 11);
  finish(b, a, 25);
  finish(c, b, 16);
  finish(a, c, 4);
  finish(b, a, 14);
  finish(c, b, 24);
  return c;
}

std::vector<std::string> read_crfsuite_strings(const ForeignBytes& bytes, std::size_t count,
                                               std::string_view what) {
  return CrfsuiteStrings(bytes, what).read(count);
}

void append_crfsuite_strings(std::span<const std::string> strings, std::string& out) {
  const std::size_t begin = out.size();
  out += "CQDB";
  out.resize(begin + kFirstRecord);
  const auto here = [&] { return static_cast<std::uint32_t>(out.size() - begin); };
  struct Slot {
    std::uint32_t hash = 0, record = 0;
  };
  std::array<std::vector<Slot>, kHashTables> found;  // in the order of the strings
  std::vector<std::uint32_t> records;
  for (const std::string& string : strings) {
    const std::uint32_t hash = jenkins_hash({string.c_str(), string.size() + 1});
    records.push_back(here());
    found[hash % kHashTables].push_back({hash, records.back()});
    append_number(static_cast<std::uint32_t>(records.size() - 1), out);
    append_number(static_cast<std::uint32_t>(string.size() + 1), out);
    out.append(string.c_str(), string.size() + 1);
  }
  for (std::size_t t = 0; t < kHashTables; ++t) {
    if (found[t].empty()) continue;
    std::vector<Slot> slots(2 * found[t].size());
    store_number(here(), begin + kStringsHeader + 8 * t, out);
    store_number(static_cast<std::uint32_t>(slots.size()), begin + kStringsHeader + 8 * t + 4, out);
    for (const Slot& each : found[t]) {
      std::size_t slot = (each.hash >> 8) % slots.size();
      while (slots[slot].record != 0) slot = (slot + 1) % slots.size();
      slots[slot] = each;
    }
    for (const Slot& each : slots) {
      append_number(each.hash, out);
      append_number(each.record, out);
    }
  }
  store_number(kStringsByteOrder, begin + 12, out);
  store_number(static_cast<std::uint32_t>(records.size()), begin + 16, out);
  store_number(here(), begin + 20, out);
  for (const std::uint32_t record : records) append_number(record, out);
  store_number(here(), begin + 4, out);
}

}  // namespace croft
