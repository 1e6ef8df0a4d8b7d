// Any bytes as a feature kit, and as the rows that it computes features of: what is before the
// first line of "---" is the kit, the rest is both every file that it names and the data.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/train/feature_kit_file.h"
#include "croft/core/error.h"
#include "features/kit/feature_kit.h"

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void ask(std::string_view text) {
  const std::size_t end = std::min(text.find("\n---\n"), text.size());
  std::string_view rest = end == text.size() ? "" : text.substr(end + 5);
  auto kit = croft::parse_feature_kit(text.substr(0, end), "fuzz", [&](const std::string&) {
    return croft::LineReader(rest, "resource");
  });
  require(!kit->features().empty(), "a kit without features");
  croft::ColumnSequence rows;
  while (!rest.empty() && rows.rows() < 100) {
    const std::size_t line_end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, line_end);
    rest.remove_prefix(std::min(line_end + 1, rest.size()));
    rows.append_cell(line.substr(0, line.find('\t')));
    rows.append_cell(line.substr(std::min(line.find('\t'), line.size())));
    rows.end_row();
  }
  kit = kit->fitted(std::vector<croft::NumberScaling>(kit->features().size()));
  const auto bound = kit->bind(croft::InputFormat::columns, 2, nullptr);
  croft::KitScratch scratch;
  bound->start(rows, scratch, "fuzz");
  croft::StringLists out;
  for (std::size_t t = 0; t < rows.rows(); ++t) bound->expand(t, scratch, out);
  for (std::size_t k = 0; k < out.items(); ++k) {
    require(!out.item(k).empty(), "an attribute without a name");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    ask({reinterpret_cast<const char*>(data), size});
  } catch (const croft::Error&) {
  }
  return 0;
}
