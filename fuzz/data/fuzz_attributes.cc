// Any bytes as attribute lines: an InputError, or sequences that read back equal when written
// again, and that have every field of the input.
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "data/attributes.h"
#include "support/require.h"
#include "support/target.h"
#include "support/written_again.h"

namespace fuzz_attributes {

namespace {

void append_number(double value, std::string& out) {
  char text[64];
  const auto [end, fault] = std::to_chars(text, text + sizeof text, value);
  out.append(text, end);
}

void append_sequence(const croft::TextSequence& sequence, std::string& out) {
  out += "@weight:";
  append_number(sequence.weight, out);
  out += '\n';
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    if (sequence.has_labels()) out += croft::escape_attribute(sequence.labels.item(t));
    out += '\t';
    for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
      require(std::isfinite(sequence.node.value(k)), "a value that is not finite");
      out += croft::escape_attribute(sequence.node.item(k)) + ':';
      append_number(sequence.node.value(k), out);
      out += '\t';
    }
    out += '\n';
  }
  out += '\n';
}

// Labels and attributes: what stands between TABs, but for lines of weights.
std::size_t fields_of(std::string_view text) {
  croft::LineReader lines(text, "fuzz");
  std::size_t count = 0;
  for (std::string_view line; lines.next(line);) {
    if (line.starts_with('@')) continue;
    for (std::size_t k = 0; k < line.size(); ++k) {
      count += line[k] != '\t' && (k == 0 || line[k - 1] == '\t');
    }
  }
  return count;
}

// The input with every weight and value spelt out.
std::string rewritten(std::string_view text, bool allow_unlabelled) {
  croft::AttributesReader reader(croft::LineReader(text, "fuzz"), allow_unlabelled);
  croft::TextSequence sequence;
  std::string out;
  std::size_t fields = 0;
  while (reader.next(sequence)) {
    require(sequence.length() > 0 && sequence.first_line > 0, "a sequence without items");
    require(std::isfinite(sequence.weight) && sequence.weight > 0, "a weight out of range");
    require(allow_unlabelled || sequence.has_labels(), "a sequence without labels");
    require(!sequence.has_labels() || sequence.labels.list_end(0) == sequence.length(),
            "another number of labels than of items");
    fields += sequence.node.items() + (sequence.has_labels() ? sequence.length() : 0);
    append_sequence(sequence, out);
  }
  require(fields == fields_of(text), "a label or an attribute is lost");
  return out;
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_attributes) {
  croft::fuzz::expect_same_again(data, size, rewritten);
  return 0;
}

}  // namespace fuzz_attributes
