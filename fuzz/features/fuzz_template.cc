// Any bytes as a template and as rows: an InputError that names the file, or templates that expand
// at every position, and one past the last, to strings that keep what both languages promise.
//
// The input is a byte that chooses the language, the template up to a NUL byte, and the rows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "features/template.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_template {

namespace {

constexpr std::size_t kLongest = 2048;  // a text of regular expressions alone takes long to compile

croft::ColumnSequence rows_of(std::string_view text) {
  croft::ColumnSequence rows;
  while (!text.empty() && rows.rows() < 20) {
    const std::size_t end = text.find('\n');
    rows.append_row(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return rows;
}

std::size_t fewest_columns(const croft::ColumnSequence& rows) {
  std::size_t fewest = rows.rows() == 0 ? 0 : rows.columns(0);
  for (std::size_t t = 1; t < rows.rows(); ++t) fewest = std::min(fewest, rows.columns(t));
  return fewest;
}

void expand_all(const croft::TemplateSet& set, const croft::ColumnSequence& rows) {
  std::string out, again;
  for (std::size_t k = 0; k < set.size(); ++k) {
    const std::string& line = set.line(k);
    const bool wapiti = set.language() != croft::TemplateLanguage::crfpp;
    const char kind = wapiti && line[0] != '*' ? static_cast<char>(line[0] | 0x20) : line[0];
    require(set.on_nodes(k) || set.on_edges(k), "a template for nothing");
    for (std::size_t t = 0; t <= rows.rows(); ++t) {
      out = again = "kept";
      set.expand(k, rows, t, out);
      set.expand(k, rows, t, again);
      require(out == again && out.starts_with("kept"), "another expansion the second time");
      require(out[4] == kind, "a string that does not start with its kind");
      if (set.is_constant(k)) require(out.substr(5) == line.substr(1), "a constant that is not");
    }
  }
}

void run(std::string_view data) {
  if (data.empty() || data.size() > kLongest) return;
  const auto language =
      static_cast<croft::TemplateLanguage>(static_cast<unsigned char>(data[0]) % 4);
  data.remove_prefix(1);
  const std::string_view text = data.substr(0, data.find('\0'));
  data.remove_prefix(std::min(text.size() + 1, data.size()));
  const croft::ColumnSequence rows = rows_of(data);
  try {
    const croft::TemplateSet set = croft::TemplateSet::parse(text, "fuzz", language);
    require(set.size() > 0 && set.text() == text, "templates lost");
    set.check_columns(fewest_columns(rows));
    expand_all(set, rows);
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_template) {
  run({reinterpret_cast<const char*>(data), size});
  return 0;
}

}  // namespace fuzz_template
