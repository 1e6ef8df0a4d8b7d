// Flat, aligned, padded tables of numbers: what the SIMD kernels read and write.
#pragma once
#include <cstddef>
#include <new>
#include <span>
#include <vector>

namespace croft {

// Rows are padded to a multiple of this many numbers, for every SIMD target alike.
inline constexpr std::size_t kLanePadding = 8;
inline constexpr std::size_t kAlignment = 64;  // bytes: a cache line, an AVX-512 register

constexpr std::size_t padded(std::size_t n) {
  return (n + kLanePadding - 1) / kLanePadding * kLanePadding;
}

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kAlignment}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{kAlignment}); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// rows x columns numbers, row-major, each row padded to stride() = padded(columns).
// What the padding holds is stated by whoever fills it (0 for probabilities, -inf for log-scores).
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns, T value = T{}) { assign(rows, columns, value); }

  // Sets the shape and every number, padding included, to `value`.
  void assign(std::size_t rows, std::size_t columns, T value) {
    set_shape(rows, columns);
    data_.assign(rows_ * stride_, value);
  }
  // Sets the shape; keeps the storage when it is large enough, and leaves the numbers undefined.
  void reshape(std::size_t rows, std::size_t columns) {
    set_shape(rows, columns);
    if (data_.size() < rows_ * stride_) data_.resize(rows_ * stride_);
  }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t stride() const { return stride_; }
  T* row(std::size_t r) { return data_.data() + r * stride_; }
  const T* row(std::size_t r) const { return data_.data() + r * stride_; }
  std::span<T> operator[](std::size_t r) { return {row(r), columns_}; }
  std::span<const T> operator[](std::size_t r) const { return {row(r), columns_}; }
  T& operator()(std::size_t r, std::size_t c) { return row(r)[c]; }
  const T& operator()(std::size_t r, std::size_t c) const { return row(r)[c]; }

 private:
  void set_shape(std::size_t rows, std::size_t columns) {
    rows_ = rows;
    columns_ = columns;
    stride_ = padded(columns);
  }
  std::size_t rows_ = 0, columns_ = 0, stride_ = 0;
  AlignedVector<T> data_;
};

}  // namespace croft
