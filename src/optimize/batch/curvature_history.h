// The last m pairs (s, y) of a quasi-Newton method, and the product H v with the matrix they imply.
//
// H approximates the inverse Hessian; it is never formed.  The two-loop recursion (O.5) only ever
// combines the vectors s_i, y_i and v, so it runs here on their coefficients: a matrix of dot
// products, (2m) x (2m + 1), stands for the long vectors (O.7).  A new pair costs one pass over
// memory, a product one more; the recursion done on the vectors themselves would cost 4m.
#pragma once
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/matrix.h"
#include "croft/core/parallel.h"
#include "croft/core/state_archive.h"
#include "croft/optimize/optimizer.h"

namespace croft {

class CurvatureHistory {
 public:
  // From so many coordinates on, partners keep a part of each pair.
  static constexpr std::size_t kShared = std::size_t{1} << 20;
  // pairs >= 1.  Memory: 2 floats a pair and coordinate, taken when the pair is first used; of many
  // coordinates each partner has a part.
  //   mapped : of the first so many coordinates u the inner product is u'K v, and vectors go on
  //            behind the dimension with as many of K u (B.33)
  //   partners : processes that do the same to the same vectors; none where something is mapped
  CurvatureHistory(std::size_t dimension, std::size_t pairs, std::size_t mapped = 0,
                   Ranks& partners = no_other_ranks());
  // The coordinates that pairs are kept of: the sources of push() are called for these, and
  // multiply() knows these.
  const OwnBlocks& own() const { return own_; }

  std::size_t size() const { return size_; }  // pairs in use
  void clear() { size_ = 0; }
  // All that solve() and push() depend on.  Partners call it together.
  void archive(StateArchive& state);

  // Writes coordinates [begin, begin + s.size()) of the new pair s = w' - w, y = g' - g.
  using PairSource = std::function<void(std::size_t begin, std::span<float> s, std::span<float> y)>;
  // Writes coordinates [begin, begin + v.size()) of the vector that H will be multiplied with.
  using VectorSource = std::function<void(std::size_t begin, std::span<double> v)>;

  // Takes the dot products that solve() needs, of the new pair and of v, with every pair.
  // Drops the oldest pair when full.  Leaves the new pair out, and returns false, where the
  // function did not curve upwards along s (O.8).  Both sources are called once for each chunk,
  // pair first; where nothing is mapped, a chunk's pair just before its vector.
  bool push(ThreadPool& pool, const PairSource& pair, const VectorSource& vector);

  // Length of the last move pushed, |s|, kept or not; 1 before there was any.
  double last_length() const { return last_length_; }

  // The coefficients of  H v  for the v of the last push: (O.5) in the coordinates (O.7).
  //   scale_when_empty : H = scale_when_empty * identity while there are no pairs
  void solve(double scale_when_empty);

  // out = (H v)[begin, begin + v.size()), after solve; v is that part of the whole vector.
  void multiply(std::size_t begin, std::span<const double> v, std::span<double> out) const;

 private:
  // Vector r of the basis: s of slot r for r < m, y of slot r - m from there.
  std::size_t s_of(std::size_t slot) const { return slot; }
  std::size_t y_of(std::size_t slot) const { return pairs_ + slot; }
  std::size_t slot(std::size_t age_order) const {  // 0 is the oldest pair
    return (next_ + pairs_ - size_ + age_order) % pairs_;
  }
  void archive_part(StateArchive& state, AlignedVector<float>& own);
  void store_pair(ThreadPool& pool, const PairSource& pair);
  void take_products(ThreadPool& pool, const PairSource& pair, const VectorSource& vector,
                     std::span<const std::size_t> slots, std::span<double> products);
  void add_products(ThreadPool& pool, const VectorSource& vector, std::size_t first,
                    std::size_t size, std::size_t image, std::span<const std::size_t> slots,
                    std::span<double> products);

  std::size_t dimension_, pairs_, mapped_;
  OwnBlocks own_;
  std::size_t size_ = 0, next_ = 0;          // the newest pair sits in the slot before next_
  std::vector<AlignedVector<float>> basis_;  // [2m][own coordinates + mapped]
  Matrix<double> gram_;                      // [2m][2m + 1]; the last column is for v
  std::vector<double> coefficients_;         // [2m + 1], of H v
  double last_length_ = 1;
};

// A method whose directions come from a history.
class QuasiNewton : public Optimizer {
 public:
  const Iteration& now() const final { return now_; }
  std::size_t evaluations() const final { return evaluations_; }
  // From one iterate to the next; false where F falls along no direction, not even the steepest.
  bool iterate() override {
    for (;;) {
      const bool steepest = history_.size() == 0;
      history_.solve(history_.last_length() / now_.gradient_norm);
      const double slope = set_direction();
      if (std::isfinite(slope) && slope < 0 && search(slope)) return true;
      if (steepest) return false;
      history_.clear();
    }
  }

 protected:
  explicit QuasiNewton(CurvatureHistory history) : history_(std::move(history)) {}
  virtual double set_direction() = 0;  // by the history; returns its slope
  // Moves along the direction and learns from the move; false, with w back where it was, where
  // there is no step to take.
  virtual bool search(double slope) = 0;

  CurvatureHistory history_;
  Iteration now_;
  std::size_t evaluations_ = 0;
};

}  // namespace croft
