// Numbers that are either a view of a mapped file or owned; copies share what is owned.
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace croft {

template <class T>
class SharedArray {
 public:
  SharedArray() = default;
  explicit SharedArray(std::span<const T> view) : view_(view) {}  // which must outlive this
  explicit SharedArray(std::vector<T> numbers)
      : owned_(std::make_shared<const std::vector<T>>(std::move(numbers))), view_(*owned_) {}
  // One that owns its numbers.
  SharedArray owning() const {
    return owned_ ? *this : SharedArray(std::vector<T>(view_.begin(), view_.end()));
  }
  std::span<const T> view() const { return view_; }
  std::size_t size() const { return view_.size(); }
  const T& operator[](std::size_t k) const { return view_[k]; }

 private:
  std::shared_ptr<const std::vector<T>> owned_;
  std::span<const T> view_;
};

}  // namespace croft
