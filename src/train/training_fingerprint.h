// A number for all that decides what a training does, but for when it stops: a checkpoint is of the
// training whose number it has.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "train/chain_holdout.h"
#include "train/chain_methods.h"
#include "train/checkpoint.h"
#include "train/functions/active_set.h"

namespace croft {

// The names of a layout's rows, and of its labels.
struct ChainNames {
  std::vector<std::string_view> labels;
  std::vector<std::string_view> tied, node, edge;  // [rows]
};

// By row of a layout, of which renumbering says where the table's names went.
std::vector<std::string_view> row_names(const StringTable& table,
                                        const std::vector<std::uint32_t>& new_id,
                                        const RowLayout& layout);
// For trainings whose number is made in another way.
void add_to(Fingerprint& print, const StringTable& names);
void add_to(Fingerprint& print, const StringLists& lists);
void add_to(Fingerprint& print, const ChainData& data);

struct TrainingFingerprint {
  const ChainProblem& problem;
  const ChainNames& names;
  const std::optional<PartialLabels>& partial;  // how the labels of what is held out are read
  std::size_t early_stop = 0;
  std::span<const FeatureWeight> start{};        // weights that training starts from
  const ActiveSetOptions* active_set = nullptr;  // null: all features are trained at once
  const ChainHoldout* holdout = nullptr;         // encoded; null: none

  // Cost: a pass over all of it, at the speed of memory.
  std::uint64_t value() const;
};

}  // namespace croft
