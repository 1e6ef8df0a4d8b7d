// What a model is asked about a sequence, and what it answers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/inference/chain_k_best.h"
#include "croft/structure/chain.h"

namespace croft {

enum class Decode {
  viterbi,   // the most probable labelling
  marginal,  // each position's most probable label
  risk,      // the fewest errors to be expected, among the labellings that are allowed
  labelling  // of a model with hidden states, of which viterbi is the best path: the most probable
             // labelling, by a search
};

// Of hundreds of labels most pairs are all but impossible.
inline constexpr double kSmallestEdge = 1e-6;

// More than so many labellings of one sequence are asked for by mistake: each takes its bytes.
inline constexpr std::size_t kMostLabellings = 1'000'000;

// What to answer about a sequence, besides its labelling.
struct TagOptions {
  bool probability = false;      // of the labelling; with partial labels, of what they say as well
  bool score = false;            // of the labelling, the sum of its weights
  bool marginals = false;        // p(y_t = j | x) of every position and label
  bool edges = false;            // p(y_{t-1} = i, y_t = j | x), those from smallest_edge on
  bool spans = false;            // of the labelling's chunks
  bool entropy = false;          // of p(y | x)
  bool expected_counts = false;  // of labels, and of pairs of neighbours from smallest_edge on
  std::size_t k_best = 0;        // so many of the most probable labellings, kMostLabellings at most
  std::size_t samples = 0;       // so many draws from p(y | x), likewise
  std::uint64_t seed = 1;        // of the samples, with the sequence's index
  double smallest_edge = kSmallestEdge;
};

// What became of the rules and constraints of a sequence.
struct TagOutcome {
  bool found = true;      // a labelling that is allowed
  bool exact = true;      // it is the best one; or, with found == false, there is none
  bool by_model = false;  // with found == false: nothing but the model's own zeros forbids them all
  double gap = 0;         // an allowed labelling has at most this much more score (nats)
  std::size_t drawn = 0;  // work of a search, in the unit of the limit
};

struct SpanProbability {
  std::size_t begin, end;  // positions [begin, end)
  std::string_view type;   // of the chunk; a view into a label of the plan
  double probability;      // that exactly this chunk is there
};

// At t, from the label at t - 1; or, in expected counts, at any t (which is 0).
struct EdgeProbability {
  std::size_t t;
  Label from, to;
  double value;
};

// p(y | x) is normalised over the labellings that the constraint, the partial labels and the rules
// allow, as far as these are in the chain; rules that are searched for are not.
struct Tagging {
  TagOutcome outcome;          // all below is empty or 0 unless outcome.found
  std::vector<Label> y;        // [T] the labelling
  double log_probability = 0;  // log p(y | x), with .probability or any question to p
  double log_partition = 0;    // log Z, likewise
  double score = 0;            // log p + log Z, likewise
  double log_partial = 0;      // log p(what partial labels say | x), with .probability
  Matrix<double> marginals;    // [T][L], likewise, unless only .probability, .k_best, .samples
  std::vector<ScoredLabelling> k_best;       // of labels; log p = score - log_partition
  std::vector<std::vector<Label>> samples;   // [samples][T]
  std::vector<SpanProbability> spans;        // in the order of the sequence
  std::vector<EdgeProbability> edges;        // by t, from, to
  std::vector<EdgeProbability> edge_counts;  // by from, to
  std::vector<double> label_counts;          // [L] expected
  double entropy = 0;                        // nats
};

}  // namespace croft
