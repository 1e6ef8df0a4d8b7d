// Any bytes as a feature kit, and as the rows that it computes features of: what is before the
// first line of "---" is the kit, the rest is both every file that it names and the data.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/train/feature_kit_file.h"
#include "croft/core/error.h"
#include "features/kit/feature_kit.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_feature_kit {

namespace {

// The same bytes as a kit of texts, and the rest as a text.
void ask_of_texts(std::string_view kit_text, std::string_view rest) {
  auto kit = croft::parse_feature_kit(
      kit_text, "fuzz", [&](const std::string&) { return croft::LineReader(rest, "resource"); },
      croft::Tokenizer(croft::kit_words({})));
  croft::KitScratch scratch;
  std::vector<croft::KitFeatureFit> fit(kit->features().size());
  kit = kit->for_texts({})->bind(croft::InputFormat::text, 0, nullptr);
  kit->start(rest, scratch);
  kit->visit_known(scratch, [&](std::size_t k, std::uint32_t id) { fit[k].known = {id}; });
  kit = kit->fitted(fit)->bind(croft::InputFormat::text, 0, nullptr);
  croft::StringLists out;
  kit->start(rest, scratch);
  kit->expand(0, scratch, out);
  for (std::size_t k = 0; k < out.items(); ++k) {
    require(!out.item(k).empty(), "an attribute without a name");
  }
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
  kit = kit->fitted(std::vector<croft::KitFeatureFit>(kit->features().size()));
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

CROFT_FUZZ_TARGET(fuzz_feature_kit) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    ask(text);
  } catch (const croft::Error&) {
  }
  try {
    const std::size_t end = std::min(text.find("\n---\n"), text.size());
    ask_of_texts(text.substr(0, end), end == text.size() ? "" : text.substr(end + 5));
  } catch (const croft::Error&) {
  }
  return 0;
}

}  // namespace fuzz_feature_kit
