#include "optimize/batch/curvature_history.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/vector_math.h"

namespace croft {
namespace {

// A pair is kept where the cosine of s and y exceeds this (O.8).  On a quadratic of condition
// number c the cosine is at least about 2 / sqrt(c): a smaller one than this is rounding, not
// curvature.
constexpr double kMinCosine = 1e-10;

}  // namespace

CurvatureHistory::CurvatureHistory(std::size_t dimension, std::size_t pairs, std::size_t mapped,
                                   Ranks& partners)
    : dimension_(dimension),
      pairs_(pairs),
      mapped_(mapped),
      own_(partners, dimension, kShared),
      basis_(2 * pairs),
      gram_(2 * pairs, 2 * pairs + 1, 0.0),
      coefficients_(2 * pairs + 1) {}

void CurvatureHistory::archive(StateArchive& state) {
  state(size_, next_);
  for (AlignedVector<float>& vector : basis_) archive_part(state, vector);
  for (std::size_t r = 0; r < gram_.rows(); ++r) state(gram_[r]);
  state(last_length_);
}

// Whole vectors, whoever has which part of them, so that any number of processes goes on from them.
void CurvatureHistory::archive_part(StateArchive& state, AlignedVector<float>& own) {
  if (own_.all()) return state(own);
  AlignedVector<float> whole;
  if (!state.reading()) {
    if (!own.empty()) {
      whole.resize(dimension_);
      std::ranges::copy(own, whole.begin() + static_cast<std::ptrdiff_t>(own_.begin));
      join_blocks(own_, whole);
    }
    return state(whole);
  }
  state(whole);
  own.clear();
  if (whole.size() == dimension_) {
    const float* first = whole.data();
    own.assign(first + own_.begin, first + own_.end);
  }
}

bool CurvatureHistory::push(ThreadPool& pool, const PairSource& pair, const VectorSource& vector) {
  if (size_ == pairs_) --size_;  // the oldest pair sits in slot next_, which the new one takes
  basis_[s_of(next_)].resize(own_.length() + mapped_);
  basis_[y_of(next_)].resize(own_.length() + mapped_);

  std::vector<std::size_t> slots;  // whose vectors enter the products: those kept, and the new one
  for (std::size_t i = 0; i < size_; ++i) slots.push_back(slot(i));
  slots.push_back(next_);
  std::vector<double> products(slots.size() * 6);  // [slot][s or y][new s, new y, v]
  take_products(pool, pair, vector, slots, products);

  const std::size_t s = s_of(next_), y = y_of(next_), v = 2 * pairs_;
  const double* product = products.data();
  for (const std::size_t other : slots) {
    for (const std::size_t row : {s_of(other), y_of(other)}) {
      gram_(row, s) = gram_(s, row) = product[0];
      gram_(row, y) = gram_(y, row) = product[1];
      gram_(row, v) = product[2];
      product += 3;
    }
  }
  const double length = std::sqrt(gram_(s, s));
  if (std::isfinite(length) && length > 0) last_length_ = length;
  if (!(gram_(s, y) > kMinCosine * std::sqrt(gram_(s, s) * gram_(y, y)))) return false;
  next_ = (next_ + 1) % pairs_;
  ++size_;
  return true;
}

void CurvatureHistory::store_pair(ThreadPool& pool, const PairSource& pair) {
  const std::span<float> s(basis_[s_of(next_)]), y(basis_[y_of(next_)]);
  for_blocks(pool, s.size(), [&](std::size_t from, std::size_t to) {
    for_chunks(from, to, [&](std::size_t begin, std::size_t end) {
      pair(begin, s.subspan(begin, end - begin), y.subspan(begin, end - begin));
    });
  });
}

// products += those of coordinates [first, first + size) of the basis with the coordinates of the
// new pair and of v that begin at `image`.
void CurvatureHistory::add_products(ThreadPool& pool, const VectorSource& vector, std::size_t first,
                                    std::size_t size, std::size_t image,
                                    std::span<const std::size_t> slots,
                                    std::span<double> products) {
  const auto block = [&](std::size_t from, std::size_t to, std::span<double> sums) {
    std::array<double, kVectorChunk> v_storage;
    for_chunks(from, to, [&](std::size_t begin, std::size_t end) {
      const auto chunk = [&](AlignedVector<float>& all, std::size_t offset) {
        return std::span(all).subspan(offset + begin, end - begin);
      };
      const std::span<float> s = chunk(basis_[s_of(next_)], image);
      const std::span<float> y = chunk(basis_[y_of(next_)], image);
      const std::span<double> v = std::span(v_storage).first(end - begin);
      vector(image + begin, v);
      std::size_t at = 0;
      for (const std::size_t other : slots) {
        for (const std::size_t row : {s_of(other), y_of(other)}) {
          for (const double product : dots(s, y, v, chunk(basis_[row], first))) {
            sums[at++] += product;
          }
        }
      }
    });
  };
  std::vector<double> sums(products.size());
  sum_blocks(pool, size, sums, block);
  for (std::size_t k = 0; k < sums.size(); ++k) products[k] += sums[k];
}

void CurvatureHistory::take_products(ThreadPool& pool, const PairSource& pair,
                                     const VectorSource& vector, std::span<const std::size_t> slots,
                                     std::span<double> products) {
  if (mapped_ > 0) {
    store_pair(pool, pair);
    add_products(pool, vector, 0, mapped_, dimension_, slots, products);
    add_products(pool, vector, mapped_, dimension_ - mapped_, mapped_, slots, products);
    return;
  }
  const auto block = [&](std::size_t from, std::size_t to, std::span<double> sums) {
    std::array<double, kVectorChunk> v_storage;
    for_chunks(from, to, [&](std::size_t begin, std::size_t end) {
      const auto chunk = [&](AlignedVector<float>& kept) {
        return std::span(kept).subspan(begin - own_.begin, end - begin);
      };
      const std::span<float> s = chunk(basis_[s_of(next_)]), y = chunk(basis_[y_of(next_)]);
      const std::span<double> v = std::span(v_storage).first(end - begin);
      pair(begin, s, y);
      vector(begin, v);
      std::size_t at = 0;
      for (const std::size_t other : slots) {
        for (const std::size_t row : {s_of(other), y_of(other)}) {
          for (const double product : dots(s, y, v, chunk(basis_[row]))) sums[at++] += product;
        }
      }
    });
  };
  sum_blocks(pool, own_, products, block);
}

// The two-loop recursion (O.5); q and r live in `coefficients_`, which says how much of each s_i,
// each y_i and v they hold.
void CurvatureHistory::solve(double scale_when_empty) {
  const std::size_t v = 2 * pairs_;
  std::fill(coefficients_.begin(), coefficients_.end(), 0.0);
  coefficients_[v] = 1;  // q = v
  const auto product_with = [&](std::size_t row) {
    double sum = coefficients_[v] * gram_(row, v);
    for (std::size_t i = 0; i < size_; ++i) {
      const std::size_t s = s_of(slot(i)), y = y_of(slot(i));
      sum += coefficients_[s] * gram_(row, s) + coefficients_[y] * gram_(row, y);
    }
    return sum;
  };
  std::vector<double> alpha(size_);
  for (std::size_t i = size_; i-- > 0;) {  // from the newest pair to the oldest
    const std::size_t s = s_of(slot(i)), y = y_of(slot(i));
    alpha[i] = product_with(s) / gram_(s, y);  // s_i.q / s_i.y_i
    coefficients_[y] -= alpha[i];              // q -= alpha_i y_i
  }
  double scale = scale_when_empty;
  if (size_ > 0) {
    const std::size_t s = s_of(slot(size_ - 1)), y = y_of(slot(size_ - 1));
    scale = gram_(s, y) / gram_(y, y);  // (O.6)
  }
  for (double& c : coefficients_) c *= scale;  // r = gamma q
  for (std::size_t i = 0; i < size_; ++i) {
    const std::size_t s = s_of(slot(i)), y = y_of(slot(i));
    const double beta = product_with(y) / gram_(s, y);  // y_i.r / s_i.y_i
    coefficients_[s] += alpha[i] - beta;                // r += (alpha_i - beta_i) s_i
  }
}

void CurvatureHistory::multiply(std::size_t begin, std::span<const double> v,
                                std::span<double> out) const {
  const double scale = coefficients_.back();
  for (std::size_t i = 0; i < v.size(); ++i) out[i] = scale * v[i];
  const auto part = [&](std::size_t row) { return basis_[row].data() + (begin - own_.begin); };
  std::size_t i = 0;
  for (; i + 2 <= size_; i += 2) {
    const std::array rows = {s_of(slot(i)), y_of(slot(i)), s_of(slot(i + 1)), y_of(slot(i + 1))};
    axpy({coefficients_[rows[0]], coefficients_[rows[1]], coefficients_[rows[2]],
          coefficients_[rows[3]]},
         {part(rows[0]), part(rows[1]), part(rows[2]), part(rows[3])}, out);
  }
  for (; i < size_; ++i) {
    for (const std::size_t row : {s_of(slot(i)), y_of(slot(i))}) {
      axpy(coefficients_[row], std::span(basis_[row]).subspan(begin - own_.begin, v.size()), out);
    }
  }
}

}  // namespace croft
