// Joint templates: features f(x, y) as a part of x times parts of the label y.
//
//   u02:%x[-2,0]/%x[-1,0]  * %y                      the word, given the two before it
//   u03:%x[-1,0]           * %y[suffix,3]            labels of one suffix share the weight
//   u04:%x[-1,1]           * %y[class] * %y in %x[-20..-1,0]
//   any %x[-50..-1,0] = storm * %y                     the word occurred in the last 50
//
// The x-part is a pattern of Wapiti's language (template.h), or a trigger (trigger_finder.h).
// docs/templates.md, "Joint templates", defines the rest.
#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "data/settings/field_files.h"
#include "features/trigger_finder.h"
#include "structure/label_parts.h"

namespace croft {

// Groups of labels by what they are called: by suffix, by prefix, in lower case, by class.
//
// The y-parts of joint templates; docs/templates.md, "Joint templates".

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

// The parts of y of a template, multiplied.
struct LabelPartRule {
  std::vector<LabelFunction> functions;           // increasing; labels with the same values share
  std::uint32_t window = LabelPart::kEverywhere;  // index of a window
  bool negated = false;
  auto operator<=>(const LabelPartRule&) const = default;
};

class JointTemplates {
 public:
  // Parses a template file; `name` is for messages.  Throws InputError (file, line, column, the
  // line, what to write) for a bad part, for a line for pairs of labels, for a trigger that stands
  // there twice, and when there is none.
  static JointTemplates parse(std::string_view text, const std::string& name);

  const std::string& text() const { return text_; }     // the source, for the model file
  std::size_t size() const { return part_of_.size(); }  // templates with a string of each position
  std::size_t part_of(std::size_t k) const { return part_of_[k]; }
  const std::vector<Trigger>& triggers() const { return triggers_; }  // the other lines
  // The distinct parts of y, and what they look at.  Templates with the same one share the weights
  // of equal strings.
  const std::vector<LabelPartRule>& parts() const { return parts_; }
  std::string_view part_text(std::size_t b) const { return part_texts_[b]; }  // "%y[suffix,3]"
  const std::vector<LabelWindow>& windows() const { return windows_; }
  std::size_t tracks() const { return columns_.size(); }  // of these windows and the triggers'
  bool uses_classes() const;

  // A template of Wapiti's language that makes, in this order, the string of each template but the
  // triggers, with the number of its part in it, and the cell of each track behind kCellPrefix.
  const std::string& extraction() const { return extraction_; }
  static constexpr std::string_view kCellPrefix = "u=";
  // A complaint of a column that the data does not have, at a line of extraction(), again as one of
  // the source's line with the window that looks there; nothing where it is of another line.
  void fail_as_window(const InputError& complaint, const std::string& name) const;
  // A string of a template, or a trigger's attribute, as its line has it: without the number.
  static std::string plain_string(std::string_view attribute);
  // An attribute with another number of its part.
  static std::string with_part(std::string_view attribute, std::size_t part);
  // The part that says what `part` of other templates does; nothing where none does.
  std::optional<std::size_t> find_part(const JointTemplates& other, std::size_t part) const;
  // The cell of a track, of the item that extraction() makes of it.
  static std::string_view cell_of(std::string_view item) { return item.substr(kCellPrefix.size()); }

  // The parts with the groups of these labels; names: [parts] of their groups.
  LabelParts make_parts(std::span<const std::string> labels, const LabelClasses& classes,
                        std::vector<std::vector<std::string>>& names) const;

 private:
  friend class JointLineParser;
  std::string text_, extraction_;
  std::vector<std::size_t> part_of_;
  std::vector<Trigger> triggers_;
  std::set<std::string> trigger_names_;
  std::vector<LabelPartRule> parts_;
  std::vector<std::string> part_texts_;
  std::vector<LabelWindow> windows_;
  std::vector<std::uint32_t> columns_;  // of the tracks
  struct Source {
    Location where;
    std::string line;
  };
  std::vector<Source> column_source_;  // [tracks] the first window of each
  std::size_t lines_ = 0;              // of the source, and of extraction() before the cells
};

}  // namespace croft
