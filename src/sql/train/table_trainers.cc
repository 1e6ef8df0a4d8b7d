#include "sql/train/table_trainers.h"

#include <array>

#include "sql/logic/logic_trainer.h"
#include "sql/train/train_graph.h"

namespace croft {

std::span<const TrainerRow> table_trainer_rows() {
  static constexpr auto kRows = std::to_array<TrainerRow>({
      {kGraphBit,
       [](const OptionValues& values) { return make_trainer(graph_train_request(values)); }},
      {kLogicBit,
       [](const OptionValues& values) { return make_trainer(logic_train_request(values)); }},
  });
  return kRows;
}

}  // namespace croft
