// An option, described once: what the command line, Python, the refusals, the defaults, the help
// and the tables of the documents are made of.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "croft/core/message.h"

namespace croft {

// What an option takes.
enum class OptionType {
  flag,    // nothing; or, where the row is valued(), a value after an =
  whole,   // a whole number from `low` to `high`
  number,  // a finite number from `low` to `high`
  choice,  // one of `choices`
  words,   // any text
  file,    // the name of a file or folder
  size,    // of memory: a number, then nothing, K, M, G or T (powers of 1024)
  letter,  // one ASCII character other than a blank and ?: it stands between labels of a set
};

// Kinds of model, as bits (train/options/training_options.h).
using KindSet = std::uint32_t;
inline constexpr KindSet kEveryKind = ~KindSet{0};

// A value, and how other programs call it.
struct OtherName {
  std::string_view other, name;
};

struct OptionRow {
  std::string_view name;  // without dashes; Python has _ for -
  OptionType type = OptionType::words;
  std::string_view shown{};  // how help writes the value and its default: "N=10"; flags: empty
  std::string_view help{};
  std::string_view initial{};  // the value where none is given, as text; empty: the use decides
  KindSet kinds = kEveryKind;  // those it has a meaning for
  Message why{};               // why it has none for the others; empty: there is no more to say
  double low = 0, high = 0;    // of numbers; high 0: no limit
  bool any_sign = false;       // of numbers: no limits at all
  std::vector<std::string_view> choices{};
  std::span<const OtherName> other_names{};  // of choices, for messages
  std::string_view bare{};      // of a flag that takes a value: that where none follows
  std::string_view group{};     // of help
  std::string_view needs{};     // another option, without which this one is an error
  std::string_view excludes{};  // another option that may not stand beside it
  std::string_view alias{};     // another spelling; on the command line alone
  char letter = 0;              // of one dash
  bool several = false;         // may be given several times: the values are a list
  bool in_a_row = false;        // of several: may follow one name
  bool required = false;
  bool positional = false;   // words without a name
  bool front_end = false;    // of files and streams: the command line alone has it
  bool written = false;      // of files: where something goes; all others are read
  std::string_view noun{};   // of those: what would need another name, for messages: "the model "
  bool may_be_file = false;  // of words: some of them name a file, which is read
  bool hidden = false;       // help does not list it
  bool first = false;        // among the few that a short help has (Verb::kinds)

  // A row is written as a sentence: whole("rare", "N", "Values …").of(kHmmBit).between(0, 64).
  OptionRow of(KindSet set, Message reason = {}) const {
    return with([&](OptionRow& r) { r.kinds = set, r.why = std::move(reason); });
  }
  // Of flags; no values: any text is one.
  OptionRow valued(std::vector<std::string_view> values, std::string_view without) const {
    return with([&](OptionRow& r) { r.choices = std::move(values), r.bare = without; });
  }
  OptionRow elsewhere(std::span<const OtherName> names) const {
    return with([&](OptionRow& r) { r.other_names = names; });
  }
  OptionRow at_first(std::string_view value) const {
    return with([&](OptionRow& r) { r.initial = value; });
  }
  OptionRow from(double least) const {
    return with([&](OptionRow& r) { r.low = least; });
  }
  OptionRow between(double least, double most) const {
    return with([&](OptionRow& r) { r.low = least, r.high = most; });
  }
  OptionRow of_any_sign() const {
    return with([](OptionRow& r) { r.any_sign = true; });
  }
  OptionRow in(std::string_view heading) const {
    return with([&](OptionRow& r) { r.group = heading; });
  }
  OptionRow beside(std::string_view other) const {
    return with([&](OptionRow& r) { r.needs = other; });
  }
  OptionRow without(std::string_view other) const {
    return with([&](OptionRow& r) { r.excludes = other; });
  }
  OptionRow or_called(std::string_view other) const {
    return with([&](OptionRow& r) { r.alias = other; });
  }
  OptionRow short_as(char c) const {
    return with([&](OptionRow& r) { r.letter = c; });
  }
  OptionRow repeated() const {
    return with([](OptionRow& r) { r.several = true; });
  }
  OptionRow listed() const {
    return with([](OptionRow& r) { r.several = r.in_a_row = true; });
  }
  OptionRow needed() const {
    return with([](OptionRow& r) { r.required = true; });
  }
  OptionRow unnamed() const {
    return with([](OptionRow& r) { r.positional = true; });
  }
  OptionRow written_as(std::string_view what) const {
    return with([&](OptionRow& r) { r.written = true, r.noun = what; });
  }
  OptionRow or_file() const {
    return with([](OptionRow& r) { r.may_be_file = true; });
  }
  OptionRow upfront() const {
    return with([](OptionRow& r) { r.first = true; });
  }
  OptionRow outside() const {
    return with([](OptionRow& r) { r.front_end = true; });
  }

 private:
  template <class Change>
  OptionRow with(const Change& change) const {
    OptionRow row = *this;
    change(row);
    return row;
  }
};

// The rows of each type, as they begin.
namespace option {
inline OptionRow row(std::string_view name, OptionType type, std::string_view shown,
                     std::string_view help) {
  OptionRow made;
  made.name = name, made.type = type, made.shown = shown, made.help = help;
  return made;
}
inline OptionRow flag(std::string_view name, std::string_view help) {
  return row(name, OptionType::flag, {}, help);
}
inline OptionRow whole(std::string_view name, std::string_view shown, std::string_view help) {
  return row(name, OptionType::whole, shown, help);
}
inline OptionRow number(std::string_view name, std::string_view shown, std::string_view help) {
  return row(name, OptionType::number, shown, help);
}
inline OptionRow words(std::string_view name, std::string_view shown, std::string_view help) {
  return row(name, OptionType::words, shown, help);
}
inline OptionRow file(std::string_view name, std::string_view shown, std::string_view help) {
  return row(name, OptionType::file, shown, help);
}
inline OptionRow size(std::string_view name, std::string_view shown, std::string_view help) {
  return row(name, OptionType::size, shown, help);
}
inline OptionRow letter(std::string_view name, std::string_view shown, std::string_view help) {
  return row(name, OptionType::letter, shown, help);
}
inline OptionRow choice(std::string_view name, std::string_view shown,
                        std::vector<std::string_view> choices, std::string_view help) {
  OptionRow made = row(name, OptionType::choice, shown, help);
  made.choices = std::move(choices);
  return made;
}
}  // namespace option

}  // namespace croft
