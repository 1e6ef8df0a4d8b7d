// What the training of a hidden Markov model is asked for.
#pragma once
#include <functional>

#include <optional>
#include <string>
#include <vector>

#include "app/train/train_request.h"
#include "train/kinds/hmm_training.h"

namespace croft {
class Json;

struct HmmRequest {
  std::vector<std::string> data;        // at least one; "-" is standard input
  std::vector<std::string> unlabelled;  // more of it, whose labels, if any, are not looked at
  std::string output;
  InputFormat format = InputFormat::columns;  // or attributes
  std::optional<PartialLabels> partial;
  std::string weights;  // file: the weight of each sequence of `data`, in order; empty: all 1
  std::string holdout;  // a file, or a fraction in (0, 1) of the sequences: compared with the model
  // With options.states, and without `partial`, columns have no label: all are observed.
  HmmOptions options;
};

// How columns become attributes: column c is the track `Uc`.
ExtractionConfig hmm_extraction(InputFormat format, std::size_t columns);

// The options that a training record of this kind tells of, to train in the same way again; the
// seed, too, but no threads.
HmmOptions hmm_options(const Json& training);

}  // namespace croft
