// Max-margin training with kernels in the place of node features, by the dual.
// docs/math/dual_optimisation.md section 7.
//
// The scores are (D.22) of model/kernel_scorer.h, with the coefficients of the dual variables as
// they are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "model/kernel_scorer.h"
#include "train/dual/chain_dual.h"

namespace croft {

// Rows of K over all positions of the training data, the latest used ones in memory.
class KernelRowCache {
 public:
  // Keeps references.  bytes: of all rows; eight at least are kept.
  KernelRowCache(const KernelProducts& products, const AttributeLists& lists, std::size_t bytes);
  static constexpr std::size_t kTogether = 8;
  // K(x_p, .) for each p; at most kTogether, each once.  Valid until the next call.
  std::span<const float* const> rows(std::span<const std::uint64_t> positions);

 private:
  std::size_t take_slot(std::uint64_t position);
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  const KernelProducts& products_;
  const AttributeLists& lists_;
  std::size_t slots_;
  std::vector<AlignedVector<float>> row_;                    // [slots used]
  std::list<std::pair<std::uint64_t, std::uint32_t>> used_;  // position and slot, the latest first
  std::vector<std::list<std::pair<std::uint64_t, std::uint32_t>>::iterator> at_;  // [P]
  std::vector<bool> cached_;                                                      // [P]
  std::vector<const float*> found_;
};

struct KernelDualOptions {
  Kernel kernel{};
  std::size_t cache_bytes = std::size_t{1} << 30;  // of rows of the kernel
  ChainDualOptions dual{.parts = ChainParts::by_position};
};

// The scores of all positions are kept, and brought up to date when the oracle turns to another
// sequence: what happens within one costs only the kernel of its positions with each other.
// Memory: 16 bytes a position and label, the cache, and 4 bytes a position and attribute (dense) or
// 8 an occurrence.
class KernelDualProblem final : public ChainDual {
 public:
  // Node attributes are vectors by their ids, whether the layout has weights for them or not.
  KernelDualProblem(const ChainData& data, const ChainLayout& layout,
                    const KernelDualOptions& options);
  std::span<const double> weights() const override { return {}; }
  void reset() override;
  void archive(StateArchive& state) override;
  KernelExpansion expansion() const;

 protected:
  void add_node_scores(std::size_t n, std::span<double> state) override;
  double aim_nodes(std::size_t n, std::span<const double> state, double least) override;
  void move_nodes(double scale) override;
  double extra_squared_norm() override;

 private:
  void turn_to(std::size_t n);
  void settle();
  void set_block();

  const Kernel kernel_;
  KernelProducts products_;
  KernelRowCache cache_;
  Matrix<double> coefficients_;  // [P][L]
  Matrix<double> scores_;        // [L][P], but for what the current sequence waits with

  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
  std::size_t current_ = kNobody;  // sequence
  bool has_block_ = false;
  Matrix<double> block_;                 // [T][T] the kernel of its positions
  std::vector<double> state_, waiting_;  // [T][L] its scores; its coefficients' change since
  std::vector<double> aimed_, moved_;    // [T][L] the direction, and what it does to the scores
};

}  // namespace croft
