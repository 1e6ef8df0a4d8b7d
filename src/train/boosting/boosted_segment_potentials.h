// What segment templates say of the segments that sequences may have, as inputs of trees.
//
// Segments of which they say the same have one input: a tree gives them the same value, and their
// gradients add up to its gradient.  So where templates speak of lengths and of known names, the
// T D segments of a sequence come to some D inputs of all data.  docs/math/boosting.md section 7.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "features/chain_data.h"
#include "model/segments/segment_assembly.h"
#include "model/segments/segment_features.h"
#include "model/segments/span_rows.h"
#include "objective/segments/segment_objective.h"
#include "train/boosting/boosted_potentials.h"
#include "train/segments/segment_data.h"

namespace croft {

struct SpanInputs {
  AttributeLists lists;                 // [inputs] what templates say, each once
  std::size_t longest = 0;              // D, of a segment of a label with trees; 0: there is none
  std::vector<std::uint64_t> begin{0};  // [N + 1] into input
  std::vector<std::uint32_t> input;     // [T][D] of each sequence; of segments that fit

  std::size_t size() const { return lists.positions(); }
  // Of a sequence: the input of the segment (s, d) is at s D + d - 1.
  const std::uint32_t* of(std::size_t n) const { return input.data() + begin[n]; }
};

// Numbers inputs in the order in which they come.
class SpanInputsBuilder {
 public:
  explicit SpanInputsBuilder(std::size_t longest) { inputs.longest = longest; }
  // Appends a sequence of `length` positions.
  //   rows, first : its rows, whose attributes are lists first, first + 1, ... of `lists`
  void add(std::size_t length, std::span<const SegmentRow> rows, const AttributeLists& lists,
           std::size_t first);

  SpanInputs inputs;

 private:
  using Set = std::vector<std::pair<std::uint32_t, double>>;
  std::uint32_t number_of(const AttributeLists& lists, std::size_t list);
  std::uint32_t input_of(const SpanRows::Key& key);

  std::map<Set, std::uint32_t> number_;
  std::vector<const Set*> sets_;
  std::unordered_map<SpanRows::Key, std::uint32_t, SpanRows::Hash> input_;
  SpanRows spans_;                         // scratch
  std::vector<std::uint32_t> row_number_;  // scratch
};

// The potentials of a boosted segmentation at every position and segment of the data, and the
// objective's derivatives by them.  docs/math/boosting.md (TB.8), (TB.9).

// theta of sequences: one a thread.
class SegmentPotentialReader {
 public:
  // Both are kept by reference.
  SegmentPotentialReader(const SegmentLabels& labels, const SegmentShape& shape)
      : shape_(shape), assembly_(labels, shape) {}

  // The transitions of segments, -inf where two cannot be told from one.
  static TransitionScores<double> transitions(const SegmentLabels& labels,
                                              const Matrix<double>& transition);

  // Of a sequence whose positions are rows from `first` on; refers to this.
  //   input : of its segments, as SpanInputs::of() has them with segments of `longest`
  const SegmentScores<double>& read(std::size_t length, std::size_t first,
                                    const std::uint32_t* input, std::size_t longest,
                                    const Potentials& potentials,
                                    const TransitionScores<double>& tied);
  // dL/dF from dL/dtheta of what read() returned last: [T][stride] overwritten.
  void spread(const double* d_segment, double* d_position, std::size_t stride);

 private:
  const SegmentShape& shape_;
  SegmentAssembly<double> assembly_;
  SegmentScores<double> scores_;
};

// In double.  Cost of an evaluation: O(T (cells + L^2)) a sequence.
class SegmentPotentialFunction final : public PotentialObjective {
 public:
  // Keeps references.
  //   data  : positions, with the sequences' weights
  //   width : as PotentialGradient has it
  //   drawn : sequences that spans' gradients are summed over; empty: all
  SegmentPotentialFunction(const ChainData& data, const SegmentExamples& examples,
                           const SpanInputs& inputs, std::size_t labels, std::size_t width,
                           const std::vector<bool>& drawn, ThreadPool& pool);
  using PotentialObjective::evaluate;
  // +inf where a sequence has no segmentation that fits what is known of it.
  double evaluate(const Potentials& potentials, PotentialGradient::Part part,
                  PotentialGradient& out) override;

 private:
  struct SpanTerm {
    std::uint64_t at;  // [spans][inputs]
    double g, h;
  };
  struct Worker {
    explicit Worker(const SegmentExamples& examples)
        : reader(examples.labels, examples.shape), likelihood(examples.labels) {}
    SegmentPotentialReader reader;
    SegmentLikelihood<double> likelihood;
    SegmentWorkspace<double> sums;
    Matrix<double> d_segment, mu_segment;      // of a sequence
    Matrix<double> d_position, mu_position;    // likewise
    std::vector<double> transition, expected;  // [L * L] of a block
    std::vector<SpanTerm> terms;               // of a block
    CompensatedSum value;
  };
  void evaluate_sequence(std::size_t n, const Potentials& potentials, PotentialGradient::Part part,
                         Worker& worker, PotentialGradient& out) const;
  void write_states(std::size_t n, const Worker& worker, bool complete,
                    PotentialGradient& out) const;
  void list_spans(std::size_t n, const Potentials& potentials, bool complete, Worker& worker) const;

  const ChainData& data_;
  const SegmentExamples& examples_;
  const SpanInputs& inputs_;
  std::size_t labels_, width_;
  const std::vector<bool>& drawn_;
  ThreadPool& pool_;
  std::vector<std::size_t> block_begin_;  // sequences
  std::vector<double> known_edges_;       // [L * L] of segments, in sequences known in full
  double edges_ = 0;                      // W: weight of all positions but the first ones
  TransitionScores<double> tied_;
  std::vector<Worker> workers_;
};

}  // namespace croft
