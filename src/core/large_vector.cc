#include "core/large_vector.h"

#include <sys/mman.h>

#include <new>

namespace croft {
namespace {

constexpr std::size_t kPage = std::size_t{1} << 21;

}  // namespace

void* allocate_large(std::size_t bytes) {
  void* memory = ::operator new (bytes, std::align_val_t{kPage});
#ifdef MADV_HUGEPAGE
  ::madvise(memory, bytes / kPage * kPage, MADV_HUGEPAGE);  // a refusal does no harm
#endif
  return memory;
}

void free_large(void* memory) { ::operator delete (memory, std::align_val_t{kPage}); }

}  // namespace croft
