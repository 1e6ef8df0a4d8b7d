#include "features/label_groups.h"

#include <algorithm>
#include <map>

#include "core/unicode.h"

namespace croft {
namespace {

// Where the characters of a text begin, each with the marks behind it.
std::vector<std::size_t> character_begins(std::string_view text) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter c = decode(text, at);
    const bool mark = c.value != kInvalidByte && character_class(c.value) == CharacterClass::mark;
    if (!mark || begins.empty()) begins.push_back(at);
    at += c.size;
  }
  return begins;
}

}  // namespace

std::string value_of(const LabelFunction& function, std::string_view label,
                     const LabelClasses& classes) {
  switch (function.kind) {
    case LabelFunction::Kind::lower: {
      std::string lower;
      append_lower(label, lower);
      return lower;
    }
    case LabelFunction::Kind::label_class: {
      const auto found = classes.find(std::string(label));
      return std::string(found == classes.end() ? kNoClass : found->second);
    }
    case LabelFunction::Kind::label:
      return std::string(label);
    case LabelFunction::Kind::prefix:
    case LabelFunction::Kind::suffix:
      break;
  }
  const std::vector<std::size_t> begins = character_begins(label);
  if (begins.size() <= function.characters) return std::string(label);
  return std::string(function.kind == LabelFunction::Kind::prefix
                         ? label.substr(0, begins[function.characters])
                         : label.substr(begins[begins.size() - function.characters]));
}

NamedGroups group_labels(std::span<const LabelFunction> functions,
                         std::span<const std::string> labels, const LabelClasses& classes) {
  NamedGroups out;
  const auto is_label = [](const LabelFunction& f) { return f.kind == LabelFunction::Kind::label; };
  if (std::ranges::any_of(functions, is_label)) {  // the finest there is
    out.groups.count = static_cast<std::uint32_t>(labels.size());
    return out;
  }
  std::map<std::vector<std::string>, std::uint32_t> number;
  for (const std::string& label : labels) {
    std::vector<std::string> values;
    for (const LabelFunction& function : functions) {
      values.push_back(value_of(function, label, classes));
    }
    const auto [entry, is_new] = number.emplace(values, out.groups.count);
    out.groups.of.push_back(entry->second);
    if (!is_new) continue;
    ++out.groups.count;
    std::string& name = out.names.emplace_back();
    for (const std::string& value : values) name += (name.empty() ? "" : "|") + value;
  }
  return out;
}

}  // namespace croft
