#include "core/option_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/parse_number.h"
#include "core/words/closest_name.h"

namespace croft {
namespace {

// 1000000, not 1e+06.
std::string number_text(double value) {
  char text[32];
  const bool whole = std::trunc(value) == value && std::abs(value) < 1e15;
  const auto end = whole ? std::to_chars(text, text + sizeof text, static_cast<long long>(value))
                         : std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::string range_text(const OptionRow& row) {
  if (row.any_sign) return "";
  if (row.high == 0) return " from " + number_text(row.low) + " on";
  return " from " + number_text(row.low) + " to " + number_text(row.high);
}

bool in_range(const OptionRow& row, double value) {
  return row.any_sign || (value >= row.low && (row.high == 0 || value <= row.high));
}

// Decimal digits and nothing else; none: it is no such number.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, value);
  if (text.empty() || fault != std::errc() || rest != end) return std::nullopt;
  return value;
}

// Of memory, in bytes, of which none is so large that a count of them overflows.
constexpr double kMostBytes = 1ull << 60;
std::optional<double> size_in_bytes(std::string_view text) {
  const std::size_t unit = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view suffix = text.substr(unit);
  const std::size_t place = std::string_view("KMGT").find(suffix);  // 0 of an empty one, too
  double value = 0;
  if (suffix.size() > 1 || place == suffix.npos ||
      parse_number(text.substr(0, unit), value) != NumberKind::finite || value <= 0) {
    return std::nullopt;
  }
  const double bytes = std::ldexp(value, suffix.empty() ? 0 : static_cast<int>(10 * (place + 1)));
  return bytes <= kMostBytes ? std::optional(bytes) : std::nullopt;
}

bool is_separator(std::string_view text) {
  return text.size() == 1 && text[0] > ' ' && text[0] < 0x7F && text[0] != '?';
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string list;
  for (const std::string_view name : names) {
    const bool word = name.find_first_of(",;") == name.npos;
    list += (list.empty() ? "" : ", ") + (word ? std::string(name) : in_quotes(name));
  }
  return list;
}

// The choice that is meant, as far as that can be said.
std::string suggestion(const OptionRow& row, std::string_view text) {
  const auto found = std::ranges::find(row.other_names, text, &OtherName::other);
  if (found != row.other_names.end()) {
    const auto name = std::ranges::find(row.choices, found->name);
    if (name != row.choices.end()) return did_you_mean(*name, {*name});
  }
  return did_you_mean(text, row.choices);
}

// Why it is none; empty: it is one.
std::string value_problem(const OptionRow& row, std::string_view text) {
  double number = 0;
  switch (row.type) {
    case OptionType::whole: {
      const auto value = whole_number(text);
      if (value && in_range(row, static_cast<double>(*value))) return "";
      return " is not a whole number" + range_text(row);
    }
    case OptionType::number:
      if (parse_number(text, number) == NumberKind::finite && in_range(row, number)) return "";
      return " is not a finite number" + range_text(row);
    case OptionType::size:
      if (size_in_bytes(text)) return "";
      return " is not a size up to 1048576T; give a number with K, M, G or T, such as 4G";
    case OptionType::letter:
      return is_separator(text) ? "" : " is not one ASCII character other than a blank and ?";
    case OptionType::flag:
    case OptionType::choice:
      if (row.choices.empty() || std::ranges::find(row.choices, text) != row.choices.end()) {
        return "";
      }
      return " is none of " + listed(row.choices) + suggestion(row, text);
    case OptionType::words:
    case OptionType::file:
      return "";
  }
  return "";
}

void check_value(const OptionRow& row, std::string_view text) {
  if (row.type == OptionType::flag && row.bare.empty()) return;
  // Of a shell variable that is not set; it would be as if the option were not there.
  if (text.empty()) {
    throw OptionError(row, ": its value is empty; give one, or leave out the option");
  }
  const std::string problem = value_problem(row, text);
  if (!problem.empty()) throw OptionError(row, {": ", in_quotes(text), problem});
}

}  // namespace

Message named(const OptionRow& row) {
  return row.positional ? Message(row.name) : Message::option(row.name);
}

OptionError::OptionError(const OptionRow& row, const Message& problem)
    : UsageError(named(row), problem) {}

OptionValues::OptionValues(std::vector<std::span<const OptionRow>> tables)
    : tables_(std::move(tables)) {
  for (const std::span<const OptionRow> table : tables_) {
    for (const OptionRow& row : table) slots_.push_back({&row, {}});
  }
}

const OptionRow* OptionValues::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      slots_, [&](const Slot& each) { return each.row->name == name || each.row->alias == name; });
  return found == slots_.end() ? nullptr : found->row;
}

const OptionRow& OptionValues::row(std::string_view name) const { return *at(name).row; }

std::size_t OptionValues::index(std::string_view name) const {
  const auto found =
      std::ranges::find(slots_, name, [](const Slot& each) { return each.row->name; });
  assert(found != slots_.end());
  return static_cast<std::size_t>(found - slots_.begin());
}

const OptionValues::Slot& OptionValues::slot(std::string_view name) const {
  const Slot& own = at(name);
  own.read = true;
  return own;
}

void OptionValues::set(std::string_view name, std::string_view text) {
  Slot& own = slots_[index(name)];
  const OptionRow& row = *own.row;
  if (text.empty() && row.type == OptionType::flag) text = row.bare;
  check_value(row, text);
  if (row.type == OptionType::flag) own.values.clear();  // the last one counts
  if (!row.several && !own.values.empty()) {
    throw OptionError(row, " is given twice; leave out one");
  }
  own.values.emplace_back(text);
}

void OptionValues::set_argument(std::string_view argument) {
  if (!argument.starts_with("--")) {
    const auto at =
        std::ranges::find_if(slots_, [](const Slot& each) { return each.row->positional; });
    assert(at != slots_.end());
    return set(at->row->name, argument);
  }
  const std::size_t equals = argument.find('=');
  const std::string_view name = argument.substr(2, equals - 2);
  const OptionRow* known = find(name);
  if (known == nullptr) throw UsageError("unknown option " + in_quotes("--" + std::string(name)));
  set(known->name, equals == argument.npos ? std::string_view() : argument.substr(equals + 1));
}

std::vector<std::string> OptionValues::arguments() const {
  std::vector<std::string> all;
  for (const Slot& each : slots_) {
    const OptionRow& row = *each.row;
    for (const std::string& value : each.values) {
      if (row.positional) {
        all.push_back(value);
      } else {
        all.push_back("--" + std::string(row.name) + (value.empty() ? "" : "=" + value));
      }
    }
  }
  return all;
}

void OptionValues::check_company() const {
  for (const Slot& each : slots_) {
    const OptionRow& row = *each.row;
    if (each.values.empty()) continue;
    if (!row.needs.empty() && at(row.needs).values.empty()) {
      throw OptionError(row, {" goes with ", Message::option(row.needs), "; give it, too"});
    }
    if (!row.excludes.empty() && !at(row.excludes).values.empty()) {
      throw OptionError(row,
                        {" does not go with ", Message::option(row.excludes), "; leave out one"});
    }
  }
}

void OptionValues::check_required() const {
  for (const Slot& each : slots_) {
    if (each.row->required && each.values.empty()) throw OptionError(*each.row, " is required");
  }
}

bool OptionValues::has_value(std::string_view name) const {
  const Slot& own = slot(name);
  return !own.values.empty() || !own.row->initial.empty();
}

std::string_view OptionValues::text(std::string_view name) const {
  const Slot& own = slot(name);
  return own.values.empty() ? own.row->initial : std::string_view(own.values.back());
}

const std::vector<std::string>& OptionValues::list(std::string_view name) const {
  return slot(name).values;
}

std::size_t OptionValues::choice(std::string_view name) const {
  const auto& choices = row(name).choices;
  return static_cast<std::size_t>(std::ranges::find(choices, text(name)) - choices.begin());
}

void OptionValues::read(std::string_view name, bool& out) const {
  assert(row(name).type == OptionType::flag);
  if (given(name)) out = true;
}

void OptionValues::read(std::string_view name, std::size_t& out) const {
  assert(row(name).type == OptionType::whole);
  if (has_value(name)) out = *whole_number(text(name));
}

void OptionValues::read(std::string_view name, double& out) const {
  const OptionType type = row(name).type;
  assert(type == OptionType::number || type == OptionType::size);
  if (!has_value(name)) return;
  if (type == OptionType::size) {
    out = *size_in_bytes(text(name));
  } else {
    parse_number(text(name), out);
  }
}

void OptionValues::read(std::string_view name, std::string& out) const {
  if (has_value(name)) out = text(name);
}

void OptionValues::read(std::string_view name, std::vector<std::string>& out) const {
  if (given(name)) {
    out = list(name);
  } else if (has_value(name)) {
    out = {std::string(text(name))};
  }
}

std::vector<std::string_view> OptionValues::unread() const {
  std::vector<std::string_view> names;
  for (const Slot& each : slots_) {
    if (!each.read) names.push_back(each.row->name);
  }
  return names;
}

}  // namespace croft
