// The table of a clique as a product of tables over some of its variables, summed over the rest.
// Internal to inference/.
#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/large_vector.h"
#include "croft/core/matrix.h"
#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph/exact/clique_groups.h"
#include "inference/graph/exact/graph_kernels.h"

namespace croft {

// Numbers exp(offset) values, or exp(offset + values) where they would not fit a double.
struct Table {
  LargeVector<double> values;
  bool logarithms = false;
  double offset = 0;
  double lowest =
      0;  // logarithm of the smallest number that is not 0, relative to the largest, <= 0

  // Brings the largest to 1 (to 0) and sets the rest; false where all numbers are 0.
  bool normalise();
  double log_value(std::size_t k) const;  // without the offset

 private:
  bool normalise_logarithms();
};

// From log-scores.
Table table_of_scores(std::vector<double> scores);

// Counts joint states that have been gone through, and asks a callback now and then whether to go
// on.  Until begin() they are those that planning counts as.
class Watch {
 public:
  explicit Watch(GraphCallback callback) : callback_(std::move(callback)) {}
  void begin(double all) { all_ = all, done_ = 0, asked_ = 0; }
  // Throws Interrupted where the callback says no.
  void advance(double states) {
    done_ += states;
    if (callback_ && done_ - asked_ >= kEvery) ask();
  }

 private:
  static constexpr double kEvery = 1 << 20;  // a few milliseconds
  void ask();

  GraphCallback callback_;
  double all_ = 0, done_ = 0, asked_ = 0;
};

class CliqueTable {
 public:
  //   variables : in the order of the table, at most 64;  watch : told of what is gone through, or
  //   nullptr
  CliqueTable(const FactorGraph& graph, std::span<const Variable> variables,
              Watch* watch = nullptr);

  // A table over some of the variables, in the order of the clique.
  void add_input(std::span<const Variable> variables, const Table& table);
  // What the product is summed to, over some of the variables, in the order of the clique.
  void add_output(std::span<const Variable> variables, Table& table);

  // Numbers that sum() keeps beside inputs and outputs, at most; with logarithms where some may be
  // needed.
  double joint_numbers(bool logarithms) const;
  // Whether numbers of so many natural logarithms between the smallest and the largest need none.
  static bool fits_linear(double range);

  // Sets the outputs: the product summed over the variables that they do not have, or its largest
  // number; normalised, with the inputs' offsets in theirs.  False where all is 0.  Once.
  bool sum() { return run(false); }
  bool maximise() { return run(true); }

 private:
  // A table that was added.
  struct Part {
    PlaceMask places;
    const Table* in;
    Table* out;
  };
  struct View {
    const Table* table;
    Table* out;
    std::size_t size = 1;
    std::vector<std::uint64_t> stride;  // of the outer variables
    BlockView block;
    bool outer = false;  // has no variable of the block
    std::uint64_t at = 0;
  };
  // Outputs that are sums of one table.
  struct Joint {
    PlaceMask places;
    const Table* table;
    std::vector<Part> parts;
  };
  CliqueTable(std::vector<std::uint32_t> states, Watch* watch);
  PlaceMask mask_of(std::span<const Variable> variables) const;
  CliqueTable part(PlaceMask places) const;
  PlaceMask within(PlaceMask places, PlaceMask part) const;
  View view_of(PlaceMask places) const;

  bool run(bool largest);
  bool join_inputs();
  void set_outputs();
  bool take_apart(bool largest);
  bool fits_linear() const;
  double offset() const;
  // visit(block) for each block of the product.
  template <class Visit>
  void for_blocks(bool logarithms, const Visit& visit);
  const double* next_block(bool logarithms);
  void take_logarithms();
  void find_largest(bool logarithms);
  void sum_linear();
  void sum_logarithms();
  bool next();  // the outer variables' next joint state
  bool finish();

  std::vector<Variable> variables_;  // of those that are not a part of another
  std::vector<std::uint32_t> states_;
  Watch* watch_;
  std::size_t outer_ = 0;  // variables before the block
  std::size_t block_size_ = 1;
  std::vector<Part> in_, out_;          // as they were added
  std::vector<View> inputs_, outputs_;  // what the clique is gone through for
  std::deque<Table> tables_;            // joint ones, and logarithms of inputs
  std::vector<Joint> joint_;
  std::vector<State> at_;  // of the outer variables
  AlignedVector<double> block_;
};

}  // namespace croft
