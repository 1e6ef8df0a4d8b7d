// Any bytes as rows of sparse numbers: an InputError, or sequences that read back equal when
// written again, and that have every value of the input.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "data/svmlight.h"
#include "support/require.h"
#include "support/target.h"
#include "support/written_again.h"

namespace fuzz_svmlight {

namespace {

void append_number(double value, std::string& out) {
  char text[64];
  const auto [end, fault] = std::to_chars(text, text + sizeof text, value);
  out.append(text, end);
}

// Fields NAME:VALUE outside of comments, qid:N among them.
std::size_t fields_of(std::string_view text) {
  croft::LineReader lines(text, "fuzz");
  std::size_t count = 0;
  for (std::string_view line; lines.next(line);) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with('#')) continue;
    const std::string_view first = line.substr(0, line.find_first_of(" \t"));
    // A # in a label belongs to it.
    if (first.substr(0, first.find('#')).find(':') == first.npos) line.remove_prefix(first.size());
    count += static_cast<std::size_t>(std::ranges::count(line.substr(0, line.find('#')), ':'));
  }
  return count;
}

// The input with each sequence under a number of its own, where it has groups.
std::string rewritten(std::string_view text, bool allow_unlabelled) {
  croft::SvmlightReader reader(croft::LineReader(text, "fuzz"), allow_unlabelled);
  croft::TextSequence sequence;
  std::string out = "#\n";  // a label may begin like a byte order mark
  std::size_t fields = 0;
  for (std::size_t n = 0; reader.next(sequence); ++n) {
    require(sequence.length() > 0 && sequence.first_line > 0, "a sequence without rows");
    require(allow_unlabelled || sequence.has_labels(), "a sequence without labels");
    require(reader.has_groups() || sequence.length() == 1, "a sequence of rows without a qid");
    for (std::size_t t = 0; t < sequence.length(); ++t) {
      if (sequence.has_labels()) out.append(sequence.labels.item(t)) += ' ';
      fields += sequence.node.list_end(t) - sequence.node.list_begin(t);
      fields += reader.has_groups() ? 1 : 0;
      if (reader.has_groups()) out += "qid:" + std::to_string(n) + " ";
      for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
        require(std::isfinite(sequence.node.value(k)), "a value that is not finite");
        out.append(sequence.node.item(k)) += ':';
        append_number(sequence.node.value(k), out);
        out += ' ';
      }
      out += '\n';
    }
  }
  require(fields == fields_of(text), "a value is lost");
  return out;
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_svmlight) {
  croft::fuzz::expect_same_again(data, size, rewritten);
  return 0;
}

}  // namespace fuzz_svmlight
