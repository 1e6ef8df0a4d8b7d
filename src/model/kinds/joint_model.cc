#include "model/kinds/joint_model.h"

#include <algorithm>
#include <array>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/chain_sections.h"
#include "model/file/container.h"

namespace croft {
namespace {

constexpr std::array<std::string_view, 1> kJointKinds = {JointModel::kKind};

bool has_groups(const LabelPartRule& rule) {
  return std::ranges::none_of(
      rule.functions, [](const LabelFunction& f) { return f.kind == LabelFunction::Kind::label; });
}

JointTemplates read_templates(const Container& container) {
  try {
    return JointTemplates::parse(container.text("joint.template"), container.name());
  } catch (const InputError&) {
    container.fail_section("joint.template");
  }
}

}  // namespace

JointModel::JointModel(Container container)
    : SequenceModel(std::move(container), kJointKinds, {}), templates_(read_templates(container_)) {
  if (extractor().config().template_text != templates_.extraction())
    container_.fail_section("template", "it does not follow from joint.template");
  for (Label y = 0; y < labels(); ++y) label_names_.push_back(label(y));
  for (Label y = 0; y < labels(); ++y) label_number_.emplace(label_names_[y], y);
  read_groups();
  table_ = FeatureTable(container_, "joint", parts_.cells());
  triggers_ = TriggerFinder(templates_.triggers());
  for (const Trigger& trigger : templates_.triggers()) {
    trigger_row_.push_back(table_.names().find(trigger.attribute));
  }
}

void JointModel::read_groups() {
  const std::span<const std::uint32_t> groups = container_.numbers<std::uint32_t>("joint.groups");
  const std::vector<std::string> names = unpack_strings(container_, "joint.group_names");
  std::vector<LabelPart> parts;
  std::size_t at = 0, name = 0;
  for (const LabelPartRule& rule : templates_.parts()) {
    LabelPart& part = parts.emplace_back();
    part.window = rule.window;
    part.negated = rule.negated;
    std::vector<std::string>& part_names = group_names_.emplace_back();
    if (!has_groups(rule)) {
      part.groups.count = static_cast<std::uint32_t>(labels());
      continue;
    }
    if (groups.size() - at < labels()) container_.fail_section("joint.groups");
    const auto of = groups.subspan(at, labels());
    at += labels();
    const std::size_t last = std::ranges::max(of);
    if (last >= labels() || last >= names.size() - name) container_.fail_section("joint.groups");
    part.groups.of.assign(of.begin(), of.end());
    part.groups.count = static_cast<std::uint32_t>(last + 1);
    part_names.assign(names.begin() + static_cast<std::ptrdiff_t>(name),
                      names.begin() + static_cast<std::ptrdiff_t>(name + last + 1));
    name += last + 1;
  }
  if (at != groups.size()) container_.fail_section("joint.groups");
  if (name != names.size()) container_.fail_section("joint.group_names");
  parts_ = LabelParts(labels(), std::move(parts));
  // Without transitions: nothing grows with L^2.
  TransitionScores<double> none;
  none.assign(labels(), Background::zero, {}, {});
  set_transitions(std::move(none), "labels");
}

const std::string& JointModel::group_name(std::uint32_t cell) const {
  const std::size_t part = parts_.part_of(cell);
  const std::vector<std::string>& names = group_names_[part];
  return (names.empty() ? label_names_ : names)[cell - parts_.first(part)];
}

Label JointModel::label_named(std::string_view name) const {
  const auto found = label_number_.find(name);
  return found == label_number_.end() ? kNoLabel : found->second;
}

template <class Real>
void JointModel::score_in(const TextSequence& sequence, Scratch& scratch,
                          ChainScores<Real>& out) const {
  constexpr std::size_t kAhead = 8;  // rows whose weights are on their way
  const StringLists& node = sequence.node;
  const std::size_t length = sequence.length(), tracks = templates_.tracks();
  out.reset(length, transitions<Real>());
  table_.find(node, scratch.node);
  const auto& places = scratch.node.places;
  // The last items of a list are the tracks' cells.
  std::vector<Label> present(length * tracks);
  std::vector<std::string_view> cells(length * tracks);
  for (std::size_t t = 0; t < length; ++t) {
    if (node.list_end(t) - node.list_begin(t) != templates_.size() + tracks) {
      throw Error(container_.name() + ": a sequence without the strings of its joint templates");
    }
    for (std::size_t k = 0; k < tracks; ++k) {
      const std::string_view cell =
          JointTemplates::cell_of(node.item(node.list_end(t) - tracks + k));
      cells[t * tracks + k] = cell;
      present[t * tracks + k] = label_named(cell);
    }
  }
  WindowLists windows;
  windows.windows = templates_.windows().size();
  WindowFinder().append(templates_.windows(), present, tracks, labels(), windows);
  std::vector<TriggerFinder::Firing> firings;
  triggers_.find(cells, tracks, firings);
  auto firing = firings.begin();
  std::vector<Real> cell(parts_.cells());
  for (std::size_t t = 0; t < length; ++t) {
    std::ranges::fill(cell, Real{0});
    for (std::size_t k = node.list_begin(t); k < node.list_end(t) - tracks; ++k) {
      if (k + kAhead < places.size()) table_.prefetch(places[k + kAhead]);
      table_.visit(places[k], [&](std::uint32_t c, float weight) { cell[c] += Real{weight}; });
    }
    for (; firing != firings.end() && firing->position == t; ++firing) {
      const std::uint32_t id = trigger_row_[firing->trigger];
      if (id == kUnknown) continue;
      const WeightRow row = table_.row(id);
      for (std::size_t k = 0; k < row.size(); ++k) {
        cell[row.cell(k)] += static_cast<Real>(row.weight(k));
      }
    }
    parts_.spread(cell.data(), windows, t, out.state.row(t));
  }
}

void JointModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                             ChainScores<float>& out) const {
  score_in(sequence, scratch, out);
}
void JointModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                             ChainScores<double>& out) const {
  score_in(sequence, scratch, out);
}

ContainerWriter make_joint_model(const JointModelParts& from) {
  ContainerWriter out;
  write_common_sections(JointModel::kKind, *from.extraction, from.labels, *from.training,
                        Json::object(), out);
  using Kind = ContainerWriter::Kind;
  out.add("joint.template", from.templates->text(), Kind::small);
  std::vector<std::uint32_t> groups;
  std::vector<std::string> names;
  for (std::size_t b = 0; b < from.parts->size(); ++b) {
    const std::vector<std::uint32_t>& of = (*from.parts)[b].groups.of;
    groups.insert(groups.end(), of.begin(), of.end());
    const std::vector<std::string>& part_names = (*from.group_names)[b];
    names.insert(names.end(), part_names.begin(), part_names.end());
  }
  out.add_numbers("joint.groups", groups, Kind::small);
  out.add("joint.group_names", pack_strings(names), Kind::small);
  write_feature_table(named_rows(*from.layout, from.names, from.weights), from.parts->cells(),
                      "joint", out);
  return out;
}

}  // namespace croft
