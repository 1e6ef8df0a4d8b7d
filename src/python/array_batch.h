// numpy's arrays as batches of sequences: where each position of each sequence lies.
//
// Arrays come through the buffer protocol, so that the extension is built without numpy and fits
// any version of it.  Numbers are read and written where they lie, whatever the strides.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "python/read/objects.h"

namespace croft::python {

// single : [T, ...]              one sequence
// flat   : [sum of T_n, ...]     one after the other
// padded : [N, width, ...]       each in the first positions of a row of its own
// list   : N arrays [T_n, ...]
enum class BatchKind { single, flat, padded, list };

// The positions of a batch, the same for every array of a call.
class BatchLayout {
 public:
  BatchLayout(const std::string& kind, const std::vector<std::int64_t>& lengths, std::size_t width);

  BatchKind kind() const { return kind_; }
  std::size_t size() const { return length_.size(); }
  std::size_t length(std::size_t n) const { return length_[n]; }
  const std::vector<std::uint32_t>& lengths() const { return length_; }
  std::size_t first(std::size_t n) const { return first_[n]; }  // positions before n
  // What an array with the axes `tail` at each position must be; n matters for lists alone.
  std::vector<std::size_t> shape(std::size_t n, const std::vector<std::size_t>& tail) const;
  // As the user would write it: "state[3, 17, 2]", of a list "state[3][17, 2]".
  std::string place(const std::string& name, std::size_t n, std::size_t t,
                    std::initializer_list<std::size_t> tail) const;
  // "sequence 3: " where there are several.
  std::string sequence(std::size_t n) const {
    return kind_ == BatchKind::single ? "" : fmt::format("sequence {}: ", n);
  }

 private:
  BatchKind kind_;
  std::size_t width_;
  std::vector<std::uint32_t> length_;  // [N]
  std::vector<std::size_t> first_;     // [N]
};

inline BatchLayout::BatchLayout(const std::string& kind, const std::vector<std::int64_t>& lengths,
                                std::size_t width)
    : kind_(kind == "single"   ? BatchKind::single
            : kind == "flat"   ? BatchKind::flat
            : kind == "padded" ? BatchKind::padded
                               : BatchKind::list),
      width_(width) {
  std::size_t total = 0;
  for (const std::int64_t length : lengths) {
    const bool fits = length >= 0 && length <= std::int64_t{0xFFFFFFFF} &&
                      (kind_ == BatchKind::list || static_cast<std::size_t>(length) <= width_);
    if (!fits) {
      throw pybind11::value_error(fmt::format("lengths[{}] is {}", length_.size(), length));
    }
    first_.push_back(total);
    length_.push_back(static_cast<std::uint32_t>(length));
    total += static_cast<std::size_t>(length);
  }
  const bool rows_are_positions = kind_ == BatchKind::single || kind_ == BatchKind::flat;
  if (rows_are_positions && total != width_) {
    throw pybind11::value_error(
        fmt::format("lengths add up to {}, and state has {} positions", total, width_));
  }
}

inline std::vector<std::size_t> BatchLayout::shape(std::size_t n,
                                                   const std::vector<std::size_t>& tail) const {
  std::vector<std::size_t> shape;
  if (kind_ == BatchKind::padded) shape.push_back(size());
  shape.push_back(kind_ == BatchKind::list ? length(n) : width_);
  shape.insert(shape.end(), tail.begin(), tail.end());
  return shape;
}

inline std::string BatchLayout::place(const std::string& name, std::size_t n, std::size_t t,
                                      std::initializer_list<std::size_t> tail) const {
  std::vector<std::size_t> index;
  if (kind_ == BatchKind::padded) index.push_back(n);
  index.push_back(kind_ == BatchKind::flat ? first(n) + t : t);
  index.insert(index.end(), tail.begin(), tail.end());
  const std::string item = kind_ == BatchKind::list ? fmt::format("[{}]", n) : "";
  return fmt::format("{}{}[{}]", name, item, fmt::join(index, ", "));
}

// One sequence's part of an array; strides in numbers.
template <class T>
struct Slice {
  T* data;                      // of position 0
  std::ptrdiff_t position;      // from t to t + 1
  std::ptrdiff_t step[2] = {};  // along the axes behind
  T* at(std::size_t t) const { return data + static_cast<std::ptrdiff_t>(t) * position; }
};

// One array, of the shape and type that were expected; a ValueError with `name` otherwise.
template <class T>
pybind11::buffer_info array_of(const pybind11::handle& value, const std::string& name,
                               const std::vector<std::size_t>& shape) {
  if (!pybind11::isinstance<pybind11::buffer>(value)) {
    throw pybind11::value_error(name + " is " + a_type(value.ptr()) +
                                ", and an array was expected");
  }
  auto info = pybind11::reinterpret_borrow<pybind11::buffer>(value).request(!std::is_const_v<T>);
  const std::vector<std::size_t> found(info.shape.begin(), info.shape.end());
  if (found != shape) {
    throw pybind11::value_error(fmt::format("{} has shape [{}], and [{}] was expected", name,
                                            fmt::join(found, ", "), fmt::join(shape, ", ")));
  }
  bool fits = pybind11::detail::compare_buffer_info<std::remove_const_t<T>>::compare(info);
  for (const std::ptrdiff_t stride : info.strides) {
    fits = fits && stride % static_cast<std::ptrdiff_t>(sizeof(T)) == 0;
  }
  if (!fits) {
    throw pybind11::value_error(fmt::format("{} holds numbers of type '{}' at strides of {} bytes",
                                            name, info.format, fmt::join(info.strides, ", ")));
  }
  return info;
}

// An array, or a list of arrays, of a batch.  Memory belongs to Python, and stays while this lives.
// Make and destroy it with the interpreter's lock; read and write it without.
template <class T>
class BatchArray {
 public:
  // tail: the axes behind the positions, two at most.
  BatchArray(const BatchLayout& layout, const std::string& name, const pybind11::object& value,
             const std::vector<std::size_t>& tail)
      : layout_(&layout), name_(name) {
    if (layout.kind() != BatchKind::list) {
      infos_.push_back(array_of<T>(value, name, layout.shape(0, tail)));
      return;
    }
    if (!pybind11::isinstance<pybind11::list>(value) || pybind11::len(value) != layout.size()) {
      throw pybind11::value_error(
          fmt::format("{} must be a list of {} arrays, as state is", name, layout.size()));
    }
    infos_.reserve(layout.size());
    for (const pybind11::handle& item : value) {
      const std::size_t n = infos_.size();
      infos_.push_back(array_of<T>(item, fmt::format("{}[{}]", name, n), layout.shape(n, tail)));
    }
  }

  const std::string& name() const { return name_; }
  Slice<T> operator[](std::size_t n) const {
    const bool list = layout_->kind() == BatchKind::list;
    const pybind11::buffer_info& info = infos_[list ? n : 0];
    const auto stride = [&](std::size_t axis) {
      return axis < info.strides.size() ? info.strides[axis] / std::ptrdiff_t{sizeof(T)} : 0;
    };
    const std::size_t axis = layout_->kind() == BatchKind::padded ? 1 : 0;
    std::ptrdiff_t offset = 0;
    if (axis == 1) offset = static_cast<std::ptrdiff_t>(n) * stride(0);
    if (layout_->kind() == BatchKind::flat) {
      offset = static_cast<std::ptrdiff_t>(layout_->first(n)) * stride(0);
    }
    return {static_cast<T*>(info.ptr) + offset, stride(axis), {stride(axis + 1), stride(axis + 2)}};
  }

 private:
  const BatchLayout* layout_;
  std::string name_;
  std::vector<pybind11::buffer_info> infos_;  // one, or one a sequence
};

}  // namespace croft::python
