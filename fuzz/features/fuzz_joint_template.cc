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
#include "support/require.h"
#include "support/target.h"

namespace fuzz_joint_template {

namespace {

constexpr std::size_t kLongest = 2048;  // a text of regular expressions alone takes long to compile

// What the finder says of a text, against a search of each window.
void look_for(const croft::JointTemplates& joint) {
  if (joint.triggers().empty()) return;
  const std::size_t tracks = joint.tracks();
  constexpr std::ptrdiff_t kLength = 5;
  std::vector<std::string_view> cells;
  for (std::size_t k = 0; k < kLength * tracks; ++k) {
    cells.push_back(joint.triggers()[k * 7 % joint.triggers().size()].cell);
  }
  std::vector<croft::TriggerFinder::Firing> found, expected;
  croft::TriggerFinder(joint.triggers()).find(cells, tracks, found);
  for (std::ptrdiff_t t = 0; t < kLength; ++t) {
    for (std::uint32_t k = 0; k < joint.triggers().size(); ++k) {
      const auto& [window, cell, part, attribute] = joint.triggers()[k];
      bool holds = false;
      for (std::ptrdiff_t p = 0; p < kLength; ++p) {
        holds = holds ||
                ((!window.from || p - t >= *window.from) && (!window.to || p - t <= *window.to) &&
                 cells[static_cast<std::size_t>(p) * tracks + window.track] == cell);
      }
      if (holds) expected.push_back({static_cast<std::uint32_t>(t), k});
    }
  }
  require(found == expected, "other positions than a search finds");
}

void look_at(const croft::JointTemplates& joint) {
  const auto plain =
      croft::TemplateSet::parse(joint.extraction(), "made", croft::TemplateLanguage::wapiti);
  require(plain.size() == joint.size() + joint.tracks(), "templates lost");
  const std::vector<std::string> labels = {"the", "The", "running", "e\xCC\x81", "\xFF", ""};
  std::vector<std::vector<std::string>> names;
  const croft::LabelParts parts = joint.make_parts(labels, {{"the", "DET"}}, names);
  require(parts.size() == joint.parts().size(), "parts lost");
  require(parts.size() <= joint.size() + joint.triggers().size(), "parts of no template");
  for (const croft::Trigger& trigger : joint.triggers()) {
    require(trigger.window.track < joint.tracks(), "a track that is none");
    require(trigger.part < parts.size() && !trigger.cell.empty(), "a trigger of nothing");
    require(croft::JointTemplates::plain_string(trigger.attribute).ends_with(trigger.cell),
            "a trigger without its string");
  }
  look_for(joint);
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

CROFT_FUZZ_TARGET(fuzz_joint_template) {
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

}  // namespace fuzz_joint_template
