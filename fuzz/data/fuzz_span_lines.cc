// Any bytes as lines of tokens and spans: an InputError, or sequences that read back equal when
// written again.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "data/span_lines.h"
#include "support/require.h"
#include "support/target.h"
#include "support/written_again.h"

namespace fuzz_span_lines {

namespace {

void check(const std::optional<std::vector<croft::LabelledSpan>>& spans, std::size_t length) {
  if (!spans) return;
  std::size_t free_from = 0;
  for (const croft::LabelledSpan& span : *spans) {
    require(span.begin >= free_from && span.begin < span.end && span.end <= length,
            "a span that overlaps, is empty or ends behind the tokens");
    free_from = span.end;
  }
}

// One cell a token is read, or as many as the first one has.
std::string rewritten(std::string_view text, bool one_cell) {
  croft::SpanReader reader(croft::LineReader(text, "fuzz"), one_cell ? 1 : 0);
  croft::SpanSequence one;
  std::string out;
  std::size_t last_line = 0;
  while (reader.next(one)) {
    require(one.line_number > last_line, "lines out of order");
    last_line = one.line_number;
    require(one.cells.size() == one.length() * one.columns, "a token without all of its cells");
    require(!one_cell || one.length() == 0 || one.columns == 1, "more cells than expected");
    for (const std::string& cell : one.cells) {
      require(!cell.empty() && cell.find('\0') == cell.npos, "a cell that should not be");
    }
    check(one.spans, one.length());
    check(one.gold, one.length());
    out += croft::span_line(one);
  }
  return out;
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_span_lines) {
  croft::fuzz::expect_same_again(data, size, rewritten);
  return 0;
}

}  // namespace fuzz_span_lines
