// The table of a clique as a product of tables over some of its variables, summed over the rest.
// Internal to inference/.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph_kernels.h"

namespace croft {

// Numbers exp(offset) values, or exp(offset + values) where they would not fit a double.
struct Table {
  AlignedVector<double> values;
  bool logarithms = false;
  double offset = 0;
  double lowest =
      0;  // logarithm of the smallest number that is not 0, relative to the largest, <= 0

  // Brings the largest to 1 (to 0) and sets the rest; false where all numbers are 0.
  bool normalise();
  double log_value(std::size_t k) const;  // without the offset
};

// From log-scores.
Table table_of_scores(std::vector<double> scores);

// Counts joint states that have been gone through, and asks a callback now and then whether to go
// on.
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
  //   variables : in the order of the table;  watch : told of what is gone through, or nullptr
  CliqueTable(const FactorGraph& graph, std::span<const Variable> variables,
              Watch* watch = nullptr);

  // A table over some of the variables, in the order of the clique.
  void add_input(std::span<const Variable> variables, const Table& table);
  // What the product is summed to, over some of the variables, in the order of the clique.
  void add_output(std::span<const Variable> variables, Table& table);

  // Sets the outputs: the product summed over the variables that they do not have, or its largest
  // number; normalised, with the inputs' offsets in theirs.  False where all is 0.  Once.
  bool sum();
  bool maximise();

 private:
  struct View {
    const Table* table;
    Table* out;
    std::size_t size = 1;
    std::vector<std::uint64_t> stride;  // of the outer variables
    BlockView block;
    bool outer = false;  // has no variable of the block
    std::uint64_t at = 0;
  };
  View view_of(std::span<const Variable> variables) const;
  bool fits_linear() const;
  double offset() const;
  // visit(block) for each block of the product.
  template <class Visit>
  void for_blocks(bool logarithms, const Visit& visit);
  void take_logarithms();
  void find_largest();
  bool sum_logarithms();
  bool next();  // the outer variables' next joint state
  bool finish();

  std::vector<Variable> variables_;
  Watch* watch_;
  std::vector<std::uint32_t> states_;
  std::size_t outer_ = 0;  // variables before the block
  std::size_t block_size_ = 1;
  std::vector<View> inputs_, outputs_;
  std::vector<State> at_;  // of the outer variables
  AlignedVector<double> block_;
  std::vector<Table> converted_;  // inputs as logarithms, where the others are
};

}  // namespace croft
