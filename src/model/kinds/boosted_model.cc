#include "model/kinds/boosted_model.h"

#include <array>

#include "core/json.h"

namespace croft {
namespace {

constexpr std::array<std::string_view, 2> kBoostedKinds = {kBoostedChain, kBoostedMaxent};

}  // namespace

std::shared_ptr<const BoostedModel> BoostedModel::open(const std::filesystem::path& path) {
  return std::make_shared<const BoostedModel>(Container::open(path));
}

BoostedModel::BoostedModel(Container container)
    : SequenceModel(std::move(container), kBoostedKinds, {}),
      scorer_(container_, labels(), false),
      rounds_(read_rounds(*this)) {
  if (labels_are_independent()) {
    if (trees().has_pairs()) fail_damaged("trees.roots");
    return;
  }
  TransitionScores<double> transitions;
  transitions.assign(read_tree_transitions(container_, labels()));
  set_transitions(std::move(transitions));
}

void BoostedModel::score(const TextSequence& sequence, Scratch& scratch,
                         ChainScores<float>& out) const {
  out.reset(sequence.length(), transitions<float>());
  scorer_.score(sequence, container_.name(), scratch, out);
}
void BoostedModel::score(const TextSequence& sequence, Scratch& scratch,
                         ChainScores<double>& out) const {
  out.reset(sequence.length(), transitions<double>());
  scorer_.score(sequence, container_.name(), scratch, out);
}

ContainerWriter make_boosted_model(const BoostedParts& parts) {
  ContainerWriter out;
  write_common_sections(parts.kind, *parts.extraction, parts.labels, *parts.training,
                        {{"rounds", parts.rounds}}, out);
  write_trees(parts, false, out);
  return out;
}

}  // namespace croft
