// Names with a star for any text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace croft {

// * stands for any text, none included; \* is a star, \\ a backslash.
class NamePattern {
 public:
  explicit NamePattern(std::string_view pattern);
  bool matches(std::string_view name) const;

 private:
  std::vector<std::string> pieces_;  // between the stars, without escapes
};

}  // namespace croft
