// The labels of a model by name: found, matched by patterns, and listed in messages.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "croft/structure/transitions.h"

namespace croft {

// Lets a map from strings be asked with a view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

class LabelNames {
 public:
  explicit LabelNames(std::vector<std::string> names);  // distinct, by number

  std::size_t size() const { return names_.size(); }
  const std::string& operator[](Label y) const { return names_[y]; }
  std::span<const std::string> all() const { return names_; }

  std::optional<Label> find(std::string_view name) const;
  // The labels that the pattern is the name of, increasing.  A * stands for any text, none
  // included;
  // \* is a star and \\ a backslash, any other backslash stands for itself.
  std::vector<Label> matching(std::string_view pattern) const;

  // "the labels are "A", "B" and 7 more", for the end of a message.
  std::string some() const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, Label, TextHash, std::equal_to<>> numbers_;
};

}  // namespace croft
