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

template <class T>
std::span<T> numbers(const py::buffer& array, bool writable = false) {
  const py::buffer_info info = array.request(writable);
  if (info.itemsize != sizeof(T) || info.ndim < 1 ||
      (info.size > 0 && PyBuffer_IsContiguous(info.view(), 'C') == 0)) {
    throw py::value_error("a contiguous array of 8-byte numbers was expected");
  }
  return {static_cast<T*>(info.ptr), static_cast<std::size_t>(info.size)};
}

inline void require_shape(bool fits) {
  if (!fits) throw py::value_error("an array of another shape was expected");
}

// Weights of rows; None: empty.
inline std::span<const double> row_weights(const py::object& weight) {
  if (weight.is_none()) return {};
  return numbers<const double>(weight.cast<py::buffer>());
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
  const std::span<double> all = numbers<double>(scores, true);
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
  std::span<const double> value;
  std::span<const std::int64_t> column, begin;  // empty: dense

  std::size_t rows() const {
    return begin.empty() ? (columns == 0 ? 0 : value.size() / columns) : begin.size() - 1;
  }
  // visit(column, value) for each number of a row that is not left out.
  template <class Visit>
  void for_each(std::size_t row, const Visit& visit) const {
    if (begin.empty()) {
      for (std::size_t d = 0; d < columns; ++d) visit(d, value[row * columns + d]);
      return;
    }
    for (auto k = static_cast<std::size_t>(begin[row]);
         k < static_cast<std::size_t>(begin[row + 1]); ++k) {
      visit(static_cast<std::size_t>(column[k]), value[k]);
    }
  }
};

// Throws ValueError for arrays that are none of a matrix of so many rows and columns.
inline MatrixRows matrix_of(std::size_t rows, std::size_t columns, const py::buffer& value,
                            const py::object& column, const py::object& begin) {
  MatrixRows matrix{columns, numbers<const double>(value), {}, {}};
  if (column.is_none()) {
    require_shape(matrix.value.size() == rows * columns);
    return matrix;
  }
  matrix.column = numbers<const std::int64_t>(column.cast<py::buffer>());
  matrix.begin = numbers<const std::int64_t>(begin.cast<py::buffer>());
  if (matrix.begin.size() != rows + 1) {
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
