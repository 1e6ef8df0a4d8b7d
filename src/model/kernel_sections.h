// A kernel in a model file.  docs/format.md section 3.8.
#pragma once
#include <span>

#include "model/file/container.h"
#include "model/kernel_scorer.h"

namespace croft {

// expansion.w is not in these sections.
//   node : [attributes of the training data] the file's id of each; those of vectors have one
void write_kernel(const KernelExpansion& expansion, std::span<const std::uint32_t> node,
                  ContainerWriter& out);

// The same without w, by the ids of the file; copied out of the map.  Throws Error where the
// sections do not fit together; items with an id that is not below `attributes` are left out.
KernelExpansion read_kernel(const Container& container, std::size_t labels, std::size_t attributes);

}  // namespace croft
