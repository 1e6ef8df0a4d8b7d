// The labels that those of a graph's variables are compared with: they stand beside the data
// (CliqueData), which does not know them.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "features/clique_data.h"
#include "features/vocabulary.h"

namespace croft {

struct GoldLabels {
  // [variables] the state; the number of the domain's labels and more for a label that the model
  // has not; kUnobserved where there is none.
  std::vector<std::uint32_t> state;
  // [variables] the sequence of its domain and instance that a variable stands in, for chunks to
  // end at; empty: an instance has one of each domain.
  std::vector<std::uint32_t> sequence;
  std::vector<StringTable> others;  // [domains] labels that the model has not

  std::uint32_t sequence_of(std::uint32_t variable) const {
    return sequence.empty() ? 0 : sequence[variable];
  }
  // The number of a label that the model has not.
  std::uint32_t other(const CliqueSchema& schema, std::uint32_t domain, std::string_view label) {
    others.resize(schema.domains.size());
    return static_cast<std::uint32_t>(schema.domains[domain].labels.size()) +
           others[domain].insert(label);
  }
  //   of_state : of a variable of the domain, not kUnobserved
  std::string_view name(const CliqueSchema& schema, std::uint32_t domain,
                        std::uint32_t of_state) const {
    const std::vector<std::string>& labels = schema.domains[domain].labels;
    if (of_state < labels.size()) return labels[of_state];
    return others[domain][static_cast<std::uint32_t>(of_state - labels.size())];
  }
};

}  // namespace croft
