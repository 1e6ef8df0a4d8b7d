// docs/format.md section 1 is the contract.
//
//   0 magic | 8 u16 major, u16 minor | 12 u32 sections | 16 u64 file size | 24 zeros
//   48 u64 checksum of the table | 56 u64 checksum of bytes 0 to 55
//   64 the table: for each section  name[32] | u64 offset | u64 size | u64 checksum | u32 flags |
//   u32 0 then the sections, each at a multiple of 64
#include "model/file/container.h"

#include <cstdint>
#include <cstring>
#include <span>

#include "croft/core/error.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <set>
#include <utility>

#include "core/files.h"
#include "croft/core/error.h"
#include "features/bytes.h"

namespace croft {

namespace {

// The line ends and the Ctrl-Z show at once that a file was changed by a transfer as text.
constexpr std::string_view kMagic{"CROFT\r\n\x1A", 8};
// Major 2 has required sections; a file without any is of major 1, which older readers take.
constexpr std::uint16_t kPlainMajor = 1, kMajor = 2, kMinor = 0;
constexpr std::size_t kHeaderBytes = 64, kEntryBytes = 64, kNameBytes = 32, kSectionAlignment = 64;
constexpr std::size_t kTableChecksumAt = 48, kHeaderChecksumAt = 56;
constexpr std::uint32_t kBulk = 1, kRequired = 2;                 // flags
constexpr std::size_t kVerifiedAtOpening = std::size_t{1} << 20;  // bytes: less than 0.1 ms

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr std::uint64_t aligned(std::uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

// What else a file might be, by its first bytes, and what to do with it.
struct Foreign {
  std::string_view begin, what;
};
constexpr std::array kForeign{
    Foreign{"\x1F\x8B", "it is compressed by gzip; decompress it"},
    Foreign{"\xFD"
            "7zXZ",
            "it is compressed by xz; decompress it"},
    Foreign{"PK\x03\x04", "it is a zip archive; unpack it"},
    Foreign{"CROFT", "it was changed by a transfer as text; copy it again as binary"},
};

}  // namespace

void ContainerWriter::add(std::string name, std::vector<std::byte> bytes, Kind kind) {
  assert(!name.empty() && name.size() <= kNameBytes && name.find('\0') == std::string::npos);
  assert(std::none_of(sections_.begin(), sections_.end(),
                      [&](const Section& section) { return section.name == name; }));
  sections_.push_back({std::move(name), std::move(bytes), kind});
}

void ContainerWriter::add(std::string name, std::string_view text, Kind kind) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  add(std::move(name), {begin, begin + text.size()}, kind);
}

// Hands the file's bytes to `sink`, a std::string_view at a time.
template <class Sink>
void ContainerWriter::emit(const Sink& sink) const {
  std::vector<std::byte> head(kHeaderBytes + kEntryBytes * sections_.size());
  std::uint64_t end = head.size();
  for (std::size_t k = 0; k < sections_.size(); ++k) {
    const Section& section = sections_[k];
    std::byte* entry = head.data() + kHeaderBytes + kEntryBytes * k;
    std::memcpy(entry, section.name.data(), section.name.size());
    store(entry + 32, aligned(end));
    store(entry + 40, std::uint64_t{section.bytes.size()});
    store(entry + 48, checksum(section.bytes));
    store(entry + 56, section.kind == Kind::bulk       ? kBulk
                      : section.kind == Kind::required ? kRequired
                                                       : 0);
    end = aligned(end) + section.bytes.size();
  }
  std::memcpy(head.data(), kMagic.data(), kMagic.size());
  const bool required = std::ranges::any_of(
      sections_, [](const Section& section) { return section.kind == Kind::required; });
  store(head.data() + 8, required ? kMajor : kPlainMajor);
  store(head.data() + 10, kMinor);
  store(head.data() + 12, static_cast<std::uint32_t>(sections_.size()));
  store(head.data() + 16, end);
  store(head.data() + kTableChecksumAt, checksum(std::span(head).subspan(kHeaderBytes)));
  store(head.data() + kHeaderChecksumAt, checksum(std::span(head).first(kHeaderChecksumAt)));

  static constexpr char kZeros[kSectionAlignment] = {};
  sink(as_text(head));
  std::uint64_t at = head.size();
  for (const Section& section : sections_) {
    sink({kZeros, static_cast<std::size_t>(aligned(at) - at)});
    sink(as_text(section.bytes));
    at = aligned(at) + section.bytes.size();
  }
}

void ContainerWriter::write(const std::filesystem::path& path) const {
  AtomicFile file(path);
  emit([&](std::string_view bytes) { file.write(bytes); });
  file.commit();
}

std::vector<std::byte> ContainerWriter::bytes() const {
  std::vector<std::byte> all;
  emit([&](std::string_view bytes) {
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    all.insert(all.end(), begin, begin + bytes.size());
  });
  return all;
}

Container Container::open(const std::filesystem::path& path) {
  return open(MappedFile(path), path.string());
}

Container Container::open(MappedFile file, std::string name) {
  Container container;
  container.name_ = std::move(name);
  container.file_ = std::move(file);
  container.bytes_ = container.file_.bytes();
  container.parse();
  return container;
}

Container Container::from_bytes(std::vector<std::byte> bytes, std::string name) {
  Container container;
  container.name_ = std::move(name);
  container.memory_ = std::move(bytes);
  container.bytes_ = container.memory_;
  container.parse();
  return container;
}

Container Container::inside(std::span<const std::byte> bytes, std::string name) {
  Container container;
  container.name_ = std::move(name);
  container.bytes_ = bytes;
  container.parse();
  return container;
}

void Container::fail(const std::string& what) const { throw Error(name_ + ": " + what); }

void Container::fail_damaged(const std::string& what) const {
  fail(what + ": the file is damaged; restore it from a copy or train again");
}

void Container::parse() {
  check_magic();
  check_header();
  read_table();
  if (bytes_.size() <= kVerifiedAtOpening) return verify();
  for (const Entry& entry : entries_) {
    if (!entry.bulk) check_section(entry);
  }
}

void Container::check_magic() const {
  if (bytes_.empty()) fail("not a Croft model: the file is empty");
  const std::string_view begin = as_text(bytes_.first(std::min(bytes_.size(), kMagic.size())));
  if (begin != kMagic.substr(0, begin.size())) {
    std::string message = "not a Croft model: it starts with " + in_quotes(begin);
    for (const Foreign& foreign : kForeign) {
      if (begin.starts_with(foreign.begin.substr(0, kMagic.size()))) {
        fail(message + " (" + std::string(foreign.what) + ")");
      }
    }
    fail(message + "; give a model that croft, CRFsuite, Wapiti or CRF++ wrote");
  }
  if (bytes_.size() < kHeaderBytes) {
    fail("truncated: " + std::to_string(bytes_.size()) + " of at least " +
         std::to_string(kHeaderBytes) + " bytes; copy it again or train again");
  }
}

void Container::check_header() const {
  const std::byte* header = bytes_.data();
  if (load<std::uint64_t>(header + kHeaderChecksumAt) !=
      checksum(bytes_.first(kHeaderChecksumAt))) {
    fail_damaged("checksum of the header is wrong");
  }
  const auto major = load<std::uint16_t>(header + 8), minor = load<std::uint16_t>(header + 10);
  if (major < kPlainMajor || major > kMajor) {
    const std::string versions = " (format " + std::to_string(major) + "." + std::to_string(minor) +
                                 ", this one reads up to " + std::to_string(kMajor) + ".x)";
    fail(major > kMajor ? "written by a newer Croft" + versions + "; use that one"
                        : "written by an older Croft" + versions + "; train again");
  }
  const auto promised = load<std::uint64_t>(header + 16);
  if (bytes_.size() < promised) {
    fail("truncated: " + std::to_string(bytes_.size()) + " of " + std::to_string(promised) +
         " bytes; copy it again or train again");
  }
  if (bytes_.size() > promised) {
    fail_damaged(std::to_string(bytes_.size()) + " bytes where " + std::to_string(promised) +
                 " were written");
  }
}

void Container::read_table() {
  const std::uint64_t sections = load<std::uint32_t>(bytes_.data() + 12);
  const std::uint64_t table_end = kHeaderBytes + kEntryBytes * sections;
  if (table_end > bytes_.size()) fail_damaged("the section table does not fit");
  const auto table = bytes_.subspan(kHeaderBytes, kEntryBytes * sections);
  if (load<std::uint64_t>(bytes_.data() + kTableChecksumAt) != checksum(table)) {
    fail_damaged("checksum of the section table is wrong");
  }
  std::set<std::string> names;
  std::uint64_t end = table_end;
  for (std::size_t k = 0; k < sections; ++k) {
    const std::byte* at = table.data() + kEntryBytes * k;
    const std::string_view name = as_text({at, kNameBytes});
    Entry entry;
    entry.name = name.substr(0, name.find('\0'));
    entry.offset = load<std::uint64_t>(at + 32);
    entry.size = load<std::uint64_t>(at + 40);
    entry.checksum = load<std::uint64_t>(at + 48);
    const auto flags = load<std::uint32_t>(at + 56);
    entry.bulk = (flags & kBulk) != 0;
    entry.required = (flags & kRequired) != 0;
    const std::string section = "section " + in_quotes(entry.name);
    if (entry.name.empty()) fail_damaged("section " + std::to_string(k + 1) + " has no name");
    if (!names.insert(entry.name).second) fail_damaged(section + " occurs twice");
    if (entry.offset % kSectionAlignment != 0 || entry.offset < end ||
        entry.offset > bytes_.size() || entry.size > bytes_.size() - entry.offset) {
      fail_damaged(section + " lies outside its place");
    }
    end = entry.offset + entry.size;
    entries_.push_back(std::move(entry));
  }
}

void Container::check_section(const Entry& entry) const {
  if (checksum(bytes_of(entry)) != entry.checksum) {
    fail_damaged("checksum of section " + in_quotes(entry.name) + " is wrong");
  }
}

void Container::fail_section(std::string_view section, const std::string& what) const {
  throw InputError(
      {name_},
      "section " + std::string(section) + " is damaged" + (what.empty() ? "" : ": " + what), "",
      "restore the file from a copy or train again");
}

void Container::refuse_required_but(std::span<const std::string_view> known) const {
  for (const Entry& entry : entries_) {
    if (entry.required && std::ranges::find(known, entry.name) == known.end()) {
      fail("it needs a Croft that knows its section " + in_quotes(entry.name) +
           "; use the one that wrote it, or a newer one");
    }
  }
}

void Container::verify() const {
  std::uint64_t end = kHeaderBytes + kEntryBytes * entries_.size();
  const auto check_zeros = [&](std::uint64_t stop, const std::string& before) {
    const auto gap = bytes_.subspan(end, stop - end);
    if (std::any_of(gap.begin(), gap.end(), [](std::byte b) { return b != std::byte{0}; })) {
      fail_damaged("the padding before " + before + " is not zero");
    }
  };
  for (const Entry& entry : entries_) {
    check_zeros(entry.offset, "section " + in_quotes(entry.name));
    check_section(entry);
    end = entry.offset + entry.size;
  }
  check_zeros(bytes_.size(), "the end");
}

const Container::Entry* Container::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

std::span<const std::byte> Container::bytes_of(const Entry& entry) const {
  return bytes_.subspan(entry.offset, entry.size);
}

bool Container::has(std::string_view section) const { return find(section) != nullptr; }

std::span<const std::byte> Container::section(std::string_view name) const {
  const Entry* entry = find(name);
  if (entry == nullptr) {
    fail("it has no section " + in_quotes(name) +
         "; read it with the Croft that wrote it, or train again");
  }
  return bytes_of(*entry);
}

std::string_view Container::text(std::string_view name) const { return as_text(section(name)); }

std::span<const std::byte> Container::checked(std::string_view name, std::size_t size,
                                              std::size_t alignment) const {
  const auto bytes = section(name);
  if (bytes.size() % size != 0) {
    fail_damaged("section " + in_quotes(name) + " has " + std::to_string(bytes.size()) +
                 " bytes, not a multiple of " + std::to_string(size));
  }
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment != 0) {
    fail("section " + in_quotes(name) + " does not begin at a multiple of " +
         std::to_string(alignment) + " bytes in memory");
  }
  return bytes;
}

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
  const auto fail = [&] { container.fail_section(name); };
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
