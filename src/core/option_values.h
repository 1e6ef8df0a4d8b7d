// What was asked for: values of the options of a table (core/option_row.h), checked as they are
// set.
#pragma once
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/option_row.h"
#include "croft/core/error.h"

namespace croft {

// As messages name it.
Message named(const OptionRow& row);

// A value that an option cannot have, or an option that stands in the wrong company.
class OptionError : public UsageError {
 public:
  OptionError(const OptionRow& row, const Message& problem);
};

// Options of one or several tables.  Names are those of rows; another name is a bug.
class OptionValues {
 public:
  explicit OptionValues(std::vector<std::span<const OptionRow>> tables);

  // Takes one more value.  Throws OptionError where the row forbids it: a number out of range, a
  // word that is none of the choices, nothing at all, a second value of what has one.
  void set(std::string_view name, std::string_view text);
  void set_flag(std::string_view name) { set(name, {}); }
  // As an argument of the command line has it: --NAME=VALUE, --FLAG, or a word without a name.
  void set_argument(std::string_view argument);
  // Throw OptionError for options that need another one, or stand beside one that they exclude; and
  // for what has to be given and is not.
  void check_company() const;
  void check_required() const;

  const OptionRow* find(std::string_view name) const;  // null: there is no such row
  const OptionRow& row(std::string_view name) const;
  const std::vector<std::span<const OptionRow>>& tables() const { return tables_; }
  bool given(std::string_view name) const { return !slot(name).values.empty(); }

  // Of a flag without choices: whether it is there.
  bool flag(std::string_view name) const { return given(name); }
  // The last value given, or the row's initial one; empty where there is neither.
  std::string_view text(std::string_view name) const;
  const std::vector<std::string>& list(std::string_view name) const;

  // Write the value, given or initial, to `out`; leave it as it is where there is none.
  void read(std::string_view name, bool& out) const;
  void read(std::string_view name, std::size_t& out) const;
  void read(std::string_view name, double& out) const;  // of sizes: bytes
  void read(std::string_view name, std::string& out) const;
  void read(std::string_view name, std::vector<std::string>& out) const;
  template <class T>
  void read(std::string_view name, std::optional<T>& out) const {
    if (!has_value(name)) return;
    T value{};
    read(name, value);
    out = std::move(value);
  }
  // The same of a choice, whose values stand in the order of the row's names.
  template <class T, class Out>
  void choose(std::string_view name, std::initializer_list<T> values, Out& out) const {
    assert(values.size() == row(name).choices.size());
    if (has_value(name)) out = values.begin()[choice(name)];
  }
  bool has_value(std::string_view name) const;  // given, or initial

  // The options that were given, as arguments that set_argument() takes.
  std::vector<std::string> arguments() const;

  // Rows that nobody has read: options without effect, for tests.
  std::vector<std::string_view> unread() const;

 private:
  struct Slot {
    const OptionRow* row;
    std::vector<std::string> values;
    mutable bool read = false;
  };
  std::size_t index(std::string_view name) const;
  const Slot& at(std::string_view name) const { return slots_[index(name)]; }
  const Slot& slot(std::string_view name) const;  // the same, and somebody has read it
  std::size_t choice(std::string_view name) const;

  std::vector<std::span<const OptionRow>> tables_;
  std::vector<Slot> slots_;
};

}  // namespace croft
