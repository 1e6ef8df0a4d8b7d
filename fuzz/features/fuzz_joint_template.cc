// Any bytes as joint templates: an InputError that names the file, or templates whose extraction is
// a template, and whose parts cover every label of some.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "features/joint_template.h"
#include "features/template.h"

namespace {

constexpr std::size_t kLongest = 2048;  // a text of regular expressions alone takes long to compile

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void look_at(const croft::JointTemplates& joint) {
  const auto plain =
      croft::TemplateSet::parse(joint.extraction(), "made", croft::TemplateLanguage::wapiti);
  require(plain.size() == joint.size() + joint.tracks(), "templates lost");
  const std::vector<std::string> labels = {"the", "The", "running", "e\xCC\x81", "\xFF", ""};
  std::vector<std::vector<std::string>> names;
  const croft::LabelParts parts = joint.make_parts(labels, {{"the", "DET"}}, names);
  require(parts.size() == joint.parts().size() && parts.size() <= joint.size(), "parts lost");
  for (std::size_t b = 0; b < parts.size(); ++b) {
    const auto count = parts.first(b + 1) - parts.first(b);
    require(names[b].empty() ? count == labels.size() : count == names[b].size(), "names lost");
    for (croft::Label y = 0; y < labels.size(); ++y) {
      const std::uint32_t cell = parts.cell(b, y);
      require(cell >= parts.first(b) && cell < parts.first(b + 1), "a cell of another part");
      require(parts.part_of(cell) == b, "another part");
    }
    if (parts[b].window != croft::LabelPart::kEverywhere) {
      require(parts[b].window < joint.windows().size(), "a window that is none");
      require(joint.windows()[parts[b].window].track < joint.tracks(), "a track that is none");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kLongest) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto joint = croft::JointTemplates::parse(text, "fuzz");
    require(joint.text() == text, "another text");
    look_at(joint);
  } catch (const croft::InputError& error) {
    require(error.where().file == "fuzz", "an error without its file");
  }
  return 0;
}
