// From the options of training to the trainer of the kind that they name.
#pragma once
#include <memory>
#include <span>

#include "app/train/trainer.h"
#include "train/options/training_options.h"

namespace croft {

struct TrainerRow {
  KindSet bit;
  std::unique_ptr<Trainer> (*make)(const OptionValues& values);
};
// Of all kinds but graph, whose tables need SQLite: sql/train_graph.h has its row.
std::span<const TrainerRow> trainer_rows();

// The kind that options name: its bit, that of joint features where they are there, and how
// messages call it.  Throws UsageError where joint features are given to another kind.
struct KindChoice {
  KindSet bit;
  Message shown;
};
KindChoice chosen_kind(const OptionValues& values);

// Throws UsageError for options that have no meaning for the kind or contradict each other.
//   more : of kinds that stand outside of this library
std::unique_ptr<Trainer> make_trainer(const OptionValues& values,
                                      std::span<const TrainerRow> more = {});

}  // namespace croft
