// A vector of numbers for tables of any size.  Internal to the library.
#pragma once
#include <cstddef>
#include <vector>

#include "croft/core/matrix.h"

namespace croft {

// Memory in large pages, where the system has them: a page of 4 KB costs more to come by than to
// fill.
void* allocate_large(std::size_t bytes);
void free_large(void* memory);

template <class T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}
  static constexpr std::size_t kLarge = std::size_t{1} << 21;  // bytes

  T* allocate(std::size_t n) {
    if (n * sizeof(T) >= kLarge) return static_cast<T*>(allocate_large(n * sizeof(T)));
    return AlignedAllocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) {
    if (n * sizeof(T) >= kLarge) return free_large(p);
    AlignedAllocator<T>().deallocate(p, n);
  }
  template <class U>
  bool operator==(const LargeAllocator<U>&) const {
    return true;
  }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace croft
