// Groups of labels by what they are called: by suffix, by prefix, in lower case, by class.
//
// The y-parts of joint templates; docs/templates.md, "Joint templates".
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/settings/label_class_file.h"
#include "structure/label_parts.h"

namespace croft {

// A function of a label.
struct LabelFunction {
  enum class Kind { label, prefix, suffix, lower, label_class };
  Kind kind = Kind::label;
  std::size_t characters = 0;  // of prefix and suffix, >= 1
  auto operator<=>(const LabelFunction&) const = default;
};

inline constexpr std::string_view kNoClass = "(none)";  // of a label without one

// What it says of a label.  A character is a code point with the marks that follow it; a label with
// fewer has all of it.
//   classes : of labels, for Kind::label_class
std::string value_of(const LabelFunction& function, std::string_view label,
                     const LabelClasses& classes);

struct NamedGroups {
  LabelGroups groups;
  std::vector<std::string> names;  // [groups]; empty where each label is a group of its own
};

// Labels with the same values of all functions are a group, named by these with | in between;
// groups are numbered in the order of the labels.  No function: one group, with an empty name.
NamedGroups group_labels(std::span<const LabelFunction> functions,
                         std::span<const std::string> labels, const LabelClasses& classes);

}  // namespace croft
