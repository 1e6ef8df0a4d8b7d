// Matrices of numpy and scipy, by rows.
//
// Arrays come through the buffer protocol; the package hands on contiguous ones of float64 and
// int64.
#pragma once
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/calibration.h"

namespace croft::python {

namespace py = pybind11;

// The numbers of an array, which keeps its memory while this lives.
template <class T>
class Numbers : public std::span<T> {
 public:
  Numbers() = default;
  explicit Numbers(const py::buffer& array) : info_(array.request(!std::is_const_v<T>)) {
    using Number = std::remove_const_t<T>;
    if (!py::detail::compare_buffer_info<Number>::compare(info_) ||
        (info_.size > 0 && (reinterpret_cast<std::uintptr_t>(info_.ptr) % alignof(T) != 0 ||
                            PyBuffer_IsContiguous(info_.view(), 'C') == 0))) {
      throw py::value_error("a contiguous array of " +
                            std::string(std::is_integral_v<T> ? "int64" : "float64") +
                            " was expected");
    }
    std::span<T>::operator=({static_cast<T*>(info_.ptr), static_cast<std::size_t>(info_.size)});
  }

 private:
  py::buffer_info info_;
};

inline void require_shape(bool fits) {
  if (!fits) throw py::value_error("an array of another shape was expected");
}

// Weights of rows; None: empty.
inline Numbers<const double> row_weights(const py::object& weight) {
  if (weight.is_none()) return {};
  return Numbers<const double>(weight.cast<py::buffer>());
}

// Numbers in a bytearray, which numpy reads in place.
template <class T>
py::bytearray bytearray_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

// In place: scores [N][L] become those whose softmax is the calibrated p(y | x); nothing changes
// without a calibrator.  O(N L).
inline void calibrate_rows(const std::optional<Calibrator>& calibrator, std::size_t labels,
                           const py::buffer& scores) {
  const Numbers<double> all(scores);
  require_shape(labels > 0 && all.size() % labels == 0);
  if (!calibrator) return;
  std::vector<double> scratch;
  for (std::size_t begin = 0; begin < all.size(); begin += labels) {
    const std::span<double> row = all.subspan(begin, labels);
    if (calibrator->by_label()) {
      calibrator->apply(row, scratch);
    } else {
      for (double& score : row) score /= calibrator->temperature;
    }
  }
}

// A matrix by rows: dense [N][D], or the values of CSR with their columns.
struct MatrixRows {
  std::size_t columns = 0;
  Numbers<const double> value;
  Numbers<const std::int64_t> column;
  std::vector<std::int64_t> begin;  // [N + 1]; empty: dense

  std::size_t rows() const {
    return begin.empty() ? (columns == 0 ? 0 : value.size() / columns) : begin.size() - 1;
  }
  // visit(column, value) for each number of a row that is not left out.  Columns are looked at once
  // more: other threads may have written to them.
  template <class Visit>
  void for_each(std::size_t row, const Visit& visit) const {
    if (begin.empty()) {
      for (std::size_t d = 0; d < columns; ++d) visit(d, value[row * columns + d]);
      return;
    }
    for (auto k = static_cast<std::size_t>(begin[row]);
         k < static_cast<std::size_t>(begin[row + 1]); ++k) {
      const auto d = static_cast<std::size_t>(column[k]);
      if (d < columns) visit(d, value[k]);
    }
  }
};

// Throws ValueError for arrays that are none of a matrix of so many rows and columns.
inline MatrixRows matrix_of(std::size_t rows, std::size_t columns, const py::buffer& value,
                            const py::object& column, const py::object& begin) {
  MatrixRows matrix{columns, Numbers<const double>(value), {}, {}};
  if (column.is_none()) {
    const std::size_t count = matrix.value.size();
    require_shape(columns == 0 ? count == 0 : count % columns == 0 && count / columns == rows);
    return matrix;
  }
  matrix.column = Numbers<const std::int64_t>(column.cast<py::buffer>());
  const Numbers<const std::int64_t> begins(begin.cast<py::buffer>());
  matrix.begin.assign(begins.begin(), begins.end());
  if (matrix.begin.empty() || matrix.begin.size() - 1 != rows) {
    throw py::value_error("X.indptr has " + std::to_string(matrix.begin.size()) +
                          " numbers, and X " + std::to_string(rows) +
                          " rows: one more than these is needed");
  }
  std::int64_t last = 0;
  for (const std::int64_t at : matrix.begin) {
    if (at < last || at > std::ssize(matrix.value))
      throw py::value_error("X.indptr is not in order");
    last = at;
  }
  for (const std::int64_t d : matrix.column) {
    if (d < 0 || d >= static_cast<std::int64_t>(columns)) {
      throw py::value_error("X.indices has " + std::to_string(d) + ", and X " +
                            std::to_string(columns) + " columns");
    }
  }
  if (matrix.column.size() != matrix.value.size()) {
    throw py::value_error("X.indices and X.data have different lengths");
  }
  return matrix;
}

}  // namespace croft::python
