// What the reports of explain share: names cut to a terminal's width, the table of reasons, their
// numbers as JSON.  Internal.
#pragma once
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/json.h"

namespace croft {

inline constexpr std::size_t kTerminalColumns = 100;

std::size_t characters(std::string_view text);  // of UTF-8
// escaped(), and cut to `limit` characters, the last of which then is an ellipsis.
std::string shown(std::string_view text, std::size_t limit);

// The three numbers of each reason, side by side, and what they belong to.
class ReasonTable {
 public:
  // What is explained, and what it is compared with; writes the heading.
  ReasonTable(std::string_view label, std::string_view other, std::string& out);

  // A reason, or the others in sum; `what` is cut to what is left of the line.
  template <class Numbers>
  void append(const Numbers& numbers, std::string_view what) {
    append_row(number(numbers.difference()), number(numbers.label), number(numbers.other), what);
  }
  void append_sum(double difference) { append_row(number(difference), "", "", "in all"); }

 private:
  static std::string number(double value);
  void append_row(std::string_view difference, std::string_view label, std::string_view other,
                  std::string_view what);

  std::size_t width_;
  std::string& out_;
};

inline Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

template <class Numbers>
Json numbers_json(const Numbers& numbers) {
  return {{"difference", number_or_null(numbers.difference())},
          {"label", number_or_null(numbers.label)},
          {"other", number_or_null(numbers.other)}};
}

}  // namespace croft
