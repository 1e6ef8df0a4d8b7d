// Which unlabelled sequences are worth a person's labels: those of which a model is least sure, or
// several models disagree.  docs/math/unlabelled.md section 5.
//
//   margin  : 1 - (p(y1 | x) - p(y2 | x)) of the two most probable labellings          in [0, 1]
//   entropy : of the labellings, - sum_y p(y | x) log p(y | x), in nats                 >= 0
//   errors  : how many labels of the labelling are wrong, to be expected:
//             sum_t (1 - p(y_t | x))                                                    >= 0
// Of a committee of C models (Settles & Craven 2008), means over positions, in nats:
//   vote-entropy : of the votes for a position's label, by the models' labellings     (U.8)
//   divergence   : of the models' marginals from their mean, Kullback and Leibler's   (U.9)
//
// margin asks for sequences where two answers compete, whatever their length; entropy and errors
// grow with the length, so they find sequences of which much can be learnt at once.
//
// Any of them may be weighed by how much a sequence is like the others, so that what is only
// strange does not come first: times its density to the power of beta                 (U.10)
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/label/sequence_source.h"
#include "app/label/tagger.h"
#include "core/json.h"

namespace croft {

enum class Uncertainty { margin, entropy, errors, vote_entropy, divergence };
inline constexpr std::string_view kUncertainties[] = {"margin", "entropy", "errors", "vote-entropy",
                                                      "divergence"};
constexpr bool of_committee(Uncertainty by) {
  return by == Uncertainty::vote_entropy || by == Uncertainty::divergence;
}

// Of a tagging with suggest_questions(), by one model; the most that there is for a sequence
// without a labelling.
double uncertainty_of(const Tagging& tagging, Uncertainty by);
TagOptions suggest_questions(Uncertainty by);

// The mean cosine of each of N sequences with the N - 1 others, in [0, 1] where values are not
// negative; 1 where there is no other.  A sequence is the sums of its attributes' values, by name.
// Cost: O(all attributes), as sum_m cos(n, m) = <u_n, sum_m u_m> for vectors u of length 1; memory
// likewise, 8 bytes for each that differs within a sequence.
class Density {
 public:
  void add(const TextSequence& sequence);
  std::vector<double> means() const;  // [N], in their order

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<std::pair<std::uint32_t, float>> items_;  // of all sequences, unit vectors
  std::vector<std::size_t> end_;                        // of each
};

// A model of a committee, and the data as it reads it.
struct CommitteeMember {
  const TagPlan* plan;
  SequenceStream* source;
};

struct SuggestOptions {
  Uncertainty by = Uncertainty::margin;
  std::size_t most = 10;
  double density = 0;  // beta; 0: does not count

  // Throws UsageError for a measure that is not of so many models, and a beta below 0.
  void validate(std::size_t models) const;
};

struct Suggestion {
  double score = 0;
  std::size_t sequence = 0;  // its number in the data, from 0
  // {"labels", "line", "rows" or "text", "score", "sequence"}, with a density that, too: as it is
  // written.  The labels are the first model's.  Of data that is in no file there is no line.
  Json json;
};

// The `most` ones that come first, equal ones as they come.  Throws UsageError as
// SuggestOptions::validate() and for a model without probabilities, InputError for bad data and
// where the models do not read the same sequences of it.  `stop`: looked at between sequences; set,
// what has been read is all there is.  Memory: that of the answer; with a density that of all
// sequences.
std::vector<Suggestion> suggest(std::span<const CommitteeMember> models,
                                const SuggestOptions& options, const std::atomic<bool>& stop);
std::vector<Suggestion> suggest(const TagPlan& plan, SequenceStream& source, Uncertainty by,
                                std::size_t most, const std::atomic<bool>& stop);

}  // namespace croft
