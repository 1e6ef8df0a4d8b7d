// The .croft container: a header, a table of named sections, checksums.  docs/format.md section 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mapped_file.h"
#include "croft/core/error.h"

namespace croft {

// Collects sections and writes them as one file, atomically.  The bytes depend on the sections
// alone. A section's name has 1 to 32 bytes and occurs once (a bug otherwise).
class ContainerWriter {
 public:
  // small: verified whenever the file is opened; bulk: verified on request (inspect --verify);
  // required: small, and whoever does not know it misunderstands the others, so must refuse the
  // file.
  enum class Kind { small, bulk, required };
  void add(std::string name, std::vector<std::byte> bytes, Kind kind);
  void add(std::string name, std::string_view text, Kind kind = Kind::small);
  template <class T>
  void add_numbers(std::string name, const std::vector<T>& numbers, Kind kind) {
    const auto bytes = std::as_bytes(std::span(numbers));
    add(std::move(name), std::vector<std::byte>(bytes.begin(), bytes.end()), kind);
  }
  void write(const std::filesystem::path& path) const;  // temporary, sync, rename
  std::vector<std::byte> bytes() const;                 // the same bytes, in memory

 private:
  struct Section {
    std::string name;
    std::vector<std::byte> bytes;
    Kind kind;
  };
  template <class Sink>
  void emit(const Sink& sink) const;
  std::vector<Section> sections_;
};

// Opens a container by mapping it: header, section table and small sections are verified, in a time
// that does not grow with the bulk; of a file of at most 1 MB everything is.  Throws Error saying
// what is wrong and where (not a Croft file, newer version, truncated at byte N of M, checksum of
// section X), and what to do. Sections that the caller does not ask for are ignored: a newer minor
// version may have added them; of the required ones the caller says which it knows.
class Container {
 public:
  static Container open(const std::filesystem::path& path);
  static Container open(MappedFile file, std::string name);
  // `name` stands for the path in messages, here and above.
  static Container from_bytes(std::vector<std::byte> bytes, std::string name);

  // A container in the memory of another one, which must outlive it.
  static Container inside(std::span<const std::byte> bytes, std::string name);

  bool has(std::string_view section) const;
  std::span<const std::byte> section(std::string_view name) const;  // throws Error if absent
  std::string_view text(std::string_view name) const;               // likewise
  // The section as numbers; throws Error when it is absent, its length is not a multiple of a
  // number's, or it is misaligned.
  template <class T>
  std::span<const T> numbers(std::string_view name) const {
    const auto bytes = checked(name, sizeof(T), alignof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  // Throws InputError: a section that is there is not what it must be.
  //   what : is wrong with it; empty: nothing is said of that
  [[noreturn]] void fail_section(std::string_view section, const std::string& what = {}) const;
  // Throws Error when a required section is none of these.
  void refuse_required_but(std::span<const std::string_view> known) const;
  // Reads the whole file: every section's checksum, and the zeros between sections.  Throws Error
  // naming the first that fails.
  void verify() const;
  // Throws Error where somebody has changed the file since it was opened.
  void check_unchanged() const { file_.check_unchanged(); }
  const std::string& name() const { return name_; }

  struct Entry {
    std::string name;
    std::uint64_t offset, size, checksum;
    bool bulk, required;
  };
  const std::vector<Entry>& entries() const { return entries_; }  // in the order of the file
  std::size_t file_size() const { return converted_from_ > 0 ? converted_from_ : bytes_.size(); }
  // Of the file of another program that this was made of; such a file has no checksums.
  void set_converted_from(std::size_t bytes) { converted_from_ = bytes; }
  bool is_converted() const { return converted_from_ > 0; }
  std::span<const std::byte> bytes() const { return bytes_; }  // the whole file

 private:
  Container() = default;
  std::span<const std::byte> checked(std::string_view name, std::size_t size,
                                     std::size_t alignment) const;
  const Entry* find(std::string_view name) const;
  std::span<const std::byte> bytes_of(const Entry& entry) const;
  void parse();
  void check_magic() const;
  void check_header() const;
  void read_table();
  void check_section(const Entry& entry) const;
  [[noreturn]] void fail(const std::string& what) const;          // Error "NAME: WHAT"
  [[noreturn]] void fail_damaged(const std::string& what) const;  // and what to do about it

  std::string name_;
  MappedFile file_;
  std::vector<std::byte> memory_;
  std::span<const std::byte> bytes_;
  std::vector<Entry> entries_;
  std::size_t converted_from_ = 0;  // bytes
};

// A list of strings of any bytes as a section: u32 count, u32 end of each, then the bytes.
std::vector<std::byte> pack_strings(const std::vector<std::string>& strings);
// Throws Error where the section is damaged.
std::vector<std::string> unpack_strings(const Container& container, const std::string& name);

// What make() reads of a section; its errors are of that section, unless they name the file.
template <class Make>
auto reading(const Container& container, std::string_view section, const Make& make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    if (std::string_view(error.what()).starts_with(container.name())) throw;
    container.fail_section(section, error.what());
  }
}

// A section as a table of its own, a view of it; what is wrong with it is said with the file and
// the section.
template <class Table>
Table open_table(const Container& container, const std::string& section) {
  const std::span<const std::byte> bytes = container.section(section);
  try {
    return Table(bytes);
  } catch (const Error& error) {
    throw Error(container.name() + ": section " + in_quotes(section) + ": " + error.what() +
                "; restore the file from a copy or train again");
  }
}

}  // namespace croft
