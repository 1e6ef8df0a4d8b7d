// Two models on one file: croft compare.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "app/evaluate/comparison.h"
#include "model/kinds/sequence_model.h"

namespace croft {

struct DifferingLabel {
  std::size_t position = 0;               // from 0
  std::string text, gold, first, second;  // text: the word, or the text; empty: of attributes
};

struct DifferingSequence {
  std::size_t sequence = 0, line = 0;  // its number from 0, and where it begins
  std::vector<DifferingLabel> labels;
};

struct ModelComparison {
  ComparisonSummary summary;
  std::vector<DifferingSequence> sequences;  // as summary.most
};

// Labels the file by both, and compares.  Throws InputError for bad data, Error where the two read
// different sequences or gold labels in it.
//   path : a file, as it is read twice
ModelComparison compare_models(const SequenceModel& first, const SequenceModel& second,
                               const std::string& path, const ComparisonOptions& options);

std::string format_differences(const std::vector<DifferingSequence>& sequences);
Json to_json(const ModelComparison& comparison);

}  // namespace croft
