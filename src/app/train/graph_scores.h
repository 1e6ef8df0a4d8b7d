// How predicted labels of a hold-out do, for general CRFs.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "features/clique_data.h"
#include "train/training_watch.h"

namespace croft {

struct TrueLabel {
  std::string_view label;      // lives as long as the data
  std::uint32_t sequence = 0;  // of its domain and instance, for chunks to end at
};
// Of a variable, by its number in the data; none: it is not held out, or has no label.
using TrueLabels = std::function<std::optional<TrueLabel>(std::uint32_t variable)>;

// The labels that the data itself holds out, each in one sequence with those of its domain and
// instance.
TrueLabels held_out_labels(const CliqueData& data);

class GraphScores {
 public:
  // Keeps the data by reference.  Throws Error where no variable has a label.
  GraphScores(const CliqueData& data, const TrueLabels& truth);

  // Accuracy over the variables with a label, and chunk F1 where all of these are chunk labels.
  //   labels : [variables of the data]; kUnobserved: none was found
  HoldoutScore operator()(std::span<const State> labels) const;

 private:
  struct Sequence {
    std::vector<std::uint32_t> variable;
    std::vector<std::string_view> label;
  };
  const CliqueData& data_;
  std::vector<Sequence> sequences_;
};

}  // namespace croft
