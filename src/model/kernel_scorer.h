// Kernels in the place of node features.  docs/math/dual_optimisation.md section 7.
//
// The score of a label at a position is not linear in the position's attributes x, but
//   state[t][j] = sum_p coefficient[p][j] K(x_p, x_t)                                        (D.22)
// over the positions p of the training data.  Tied transitions and edge attributes stay linear.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "croft/core/matrix.h"
#include "features/chain_data.h"
#include "model/file/container.h"

namespace croft {

struct SparseTerm;

struct Kernel {
  enum class Type { linear, polynomial, rbf };
  Type type = Type::linear;
  double scale = 1;       // a in (a x.x' + c)^d, > 0
  double offset = 1;      // c >= 0
  unsigned degree = 2;    // d, 1 to 10
  double gamma = 1;       // of exp(-gamma |x - x'|^2), > 0
  void validate() const;  // throws UsageError naming the field and its range
};
// The enumerator's own name: "linear", …
std::string_view kernel_type_name(Kernel::Type type);

// Products of positions with a set of positions, as sparse vectors of their attributes.  Immutable.
class KernelProducts {
 public:
  // lists is kept by reference.
  KernelProducts(const Kernel& kernel, const AttributeLists& lists);
  std::size_t size() const { return lists_.positions(); }
  // out[k][q - first] = K(x of queries[k], x_q) for q of the set from `first`, `count` of them;
  // `from` has the queries' attributes.
  void rows(const AttributeLists& from, std::span<const std::uint64_t> queries, std::size_t first,
            std::size_t count, std::span<float* const> out) const;

 private:
  void sum_tiles(std::span<const std::vector<SparseTerm>> x, std::size_t first, std::size_t count,
                 std::span<float* const> out) const;
  void sum_postings(std::span<const SparseTerm> x, std::size_t first, std::span<float> out) const;
  void apply(float own_norm, std::size_t first, std::span<float> products) const;

  Kernel kernel_;
  const AttributeLists& lists_;
  std::size_t columns_ = 0;
  // For each attribute its value at all positions, or, where that would waste memory, only where it
  // occurs.
  AlignedVector<float> dense_;  // tiles of positions, each [columns][positions of a tile]
  std::vector<std::uint64_t> posting_begin_, posting_end_;  // [columns + 1], [columns]
  std::vector<std::uint32_t> posting_;
  std::vector<float> posting_value_;
  std::vector<float> norm_;  // [size] |x_q|^2
};

// What training with a kernel finds: all that a prediction needs.
struct KernelExpansion {
  Kernel kernel;
  AttributeLists vectors;      // [S] support vectors, by the ids of the training data
  Matrix<float> coefficients;  // [S][L]
  std::vector<double> w;       // in the layout's order; the weights of node rows are 0

  std::size_t support_vectors() const { return vectors.positions(); }
};

// Scores positions against an expansion; make it once for many sequences.
class KernelScorer {
 public:
  explicit KernelScorer(const KernelExpansion& expansion);  // kept by reference
  // state[t][j] (D.22) of positions [first, last).  Cost: S products and S L more for each.
  void score(const AttributeLists& lists, std::uint64_t first, std::uint64_t last,
             Matrix<double>& state) const;

 private:
  const KernelExpansion& expansion_;
  KernelProducts products_;
};

// A kernel in a model file.  docs/format.md section 3.8.

// expansion.w is not in these sections.
//   node : [attributes of the training data] the file's id of each; those of vectors have one
void write_kernel(const KernelExpansion& expansion, std::span<const std::uint32_t> node,
                  ContainerWriter& out);

// The same without w, by the ids of the file; copied out of the map.  Throws Error where the
// sections do not fit together; items with an id that is not below `attributes` are left out.
KernelExpansion read_kernel(const Container& container, std::size_t labels, std::size_t attributes);

}  // namespace croft
