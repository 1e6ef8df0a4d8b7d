// Any bytes as labelled texts: an InputError, or texts that read back equal when written again, and
// that have every byte of the input but blanks and line ends.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "data/labelled_text.h"
#include "support/content.h"
#include "support/require.h"
#include "support/target.h"
#include "support/written_again.h"

namespace fuzz_labelled_text {

namespace {

using croft::fuzz::content_of;
using croft::fuzz::without_mark;

std::string rewritten(std::string_view text, bool allow_unlabelled) {
  croft::LabelledTextReader reader(croft::LineReader(text, "fuzz"), allow_unlabelled);
  croft::LabelledText one;
  std::string out;
  std::size_t last_line = 0;
  while (reader.next(one)) {
    require(one.line > last_line, "lines out of order");
    last_line = one.line;
    require(one.label.empty() != reader.labelled(), "a label that should not be, or none");
    require(allow_unlabelled || !one.label.empty(), "a text without a label");
    require(one.text.find_first_of(std::string_view("\0\x01\r\n", 4)) == one.text.npos,
            "a byte that no text has");
    if (out.empty() && reader.labelled()) out = "\n";  // a label may begin like a byte order mark
    out += one.label + "\t" + one.text + "\n";
  }
  require(content_of(out) == content_of(without_mark(text)), "a part of a text or label is lost");
  return out;
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_labelled_text) {
  croft::fuzz::expect_same_again(data, size, rewritten);
  return 0;
}

}  // namespace fuzz_labelled_text
