// Which unlabelled sequences are worth a person's labels: those of which a model is least sure.
//
//   margin  : 1 - (p(y1 | x) - p(y2 | x)) of the two most probable labellings          in [0, 1]
//   entropy : of the labellings, - sum_y p(y | x) log p(y | x), in nats                 >= 0
//   errors  : how many labels of the labelling are wrong, to be expected:
//             sum_t (1 - p(y_t | x))                                                    >= 0
//
// margin asks for sequences where two answers compete, whatever their length; entropy and errors
// grow with the length, so they find sequences of which much can be learnt at once.
#pragma once
#include <atomic>
#include <cstddef>
#include <string_view>
#include <vector>

#include "app/label/sequence_source.h"
#include "app/label/tagger.h"
#include "core/json.h"

namespace croft {

enum class Uncertainty { margin, entropy, errors };
inline constexpr std::string_view kUncertainties[] = {"margin", "entropy", "errors"};

// Of a tagging with suggest_questions(); the most that there is for a sequence without a labelling.
double uncertainty_of(const Tagging& tagging, Uncertainty by);
TagOptions suggest_questions(Uncertainty by);

struct Suggestion {
  double score = 0;
  std::size_t sequence = 0;  // its number in the data, from 0
  // {"labels", "line", "rows" or "text", "score", "sequence"}: as it is written.
  Json json;
};

// The `most` least sure ones, the least sure first; equal ones as they come.  Throws UsageError for
// a model without probabilities, InputError for bad data.  `stop`: looked at between sequences;
// set, what has been read is all there is.  Memory: that of the answer.
std::vector<Suggestion> suggest(const TagPlan& plan, SequenceSource& source, Uncertainty by,
                                std::size_t most, const std::atomic<bool>& stop);

}  // namespace croft
