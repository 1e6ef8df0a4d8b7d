#include "data/checks.h"

#include <charconv>
#include <cmath>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr double kLargest = 1e15;

[[noreturn]] void fail_size(double number, std::string_view what, const Location& sequence) {
  char digits[32];
  const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  throw InputError(
      sequence, std::string(what) + " of more than 1e15 in the sequence that begins here",
      {digits, static_cast<std::size_t>(end - digits)}, "scale it down; values near 1 train best");
}

}  // namespace

void fail_no_sequences(const std::string& name) {
  throw InputError({name}, "no data: the input is empty or has only empty lines", "",
                   "check that this is the file that was meant, and that what wrote it succeeded");
}

void require_labels(const TextSequence& sequence, const std::string& name) {
  if (sequence.has_labels()) return;
  throw InputError({name, sequence.first_line}, "a sequence without labels", "",
                   "give every item its label: training cannot use unlabelled data");
}

void require_labels(const ColumnSequence& sequence, const std::string& name) {
  if (sequence.rows() == 0 || sequence.columns(0) >= 2) return;
  const Message hint = other_format_hint(sequence.line(0));
  throw InputError(
      {name, sequence.first_line}, "a row of one column has no label", sequence.line(0),
      hint.empty()
          ? Message("add the label as the last column: training cannot use unlabelled data")
          : hint);
}

void check_value(double value, const Location& sequence) {
  if (std::abs(value) > kLargest) fail_size(value, "an attribute value", sequence);
}

void check_sizes(const TextSequence& sequence, const std::string& file) {
  const Location begin{file, sequence.first_line};
  if (sequence.weight > kLargest) fail_size(sequence.weight, "a weight", begin);
  if (sequence.node.all_values_are_one()) return;
  for (std::size_t k = 0; k < sequence.node.items(); ++k)
    check_value(sequence.node.value(k), begin);
}

std::string not_utf8_warning(const Location& at) {
  return place_of(at) +
         ": a line that is not UTF-8: its words are others than the same ones in UTF-8; convert "
         "the file first, as iconv does (croft check lists such lines)";
}

bool lacks_empty_lines(std::size_t sequences, std::size_t positions) {
  constexpr std::size_t kVeryLong = 10'000, kLongAlone = 1'000;
  return sequences > 0 && positions >= (sequences == 1 ? kLongAlone : kVeryLong * sequences);
}

}  // namespace croft
