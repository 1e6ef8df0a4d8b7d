// Any bytes as segment templates: an InputError that names the file, or templates that look at
// columns that they say, and read again as themselves.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "features/segment_template.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_segment_template {

CROFT_FUZZ_TARGET(fuzz_segment_template) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto templates = croft::SegmentTemplates::parse(text, "fuzz");
    require(templates.text() == text, "another text");
    for (const croft::SegmentTemplate& one : templates.templates()) {
      require(!one.parts.empty(), "a template of nothing");
      for (const croft::SegmentPart& part : one.parts) {
        using Kind = croft::SegmentPart::Kind;
        const bool joined = part.kind == Kind::joined || part.is_set();
        require(!joined || part.joined < templates.joined().size(), "words that are none");
        for (std::size_t k = 1; k < part.bins.size(); ++k) {
          require(part.bins[k - 1] < part.bins[k], "ranges in no order");
        }
      }
    }
    const auto again = croft::SegmentTemplates::parse(templates.text(), "again");
    require(again.templates().size() == templates.templates().size(), "templates lost");
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
  }
  return 0;
}

}  // namespace fuzz_segment_template
