// Shares of states over the sweeps of several chains, and how sure they are.  Internal to
// inference/.
#pragma once
#include <span>
#include <vector>

#include "croft/inference/gibbs.h"
#include "croft/structure/factor_graph.h"

namespace croft {

// (GS.5) and (GS.6) over batches of a length that is known before.
class ShareRecord {
 public:
  ShareRecord(const FactorGraph& graph, std::size_t sweeps, std::size_t chains);

  void add(std::size_t chain, std::span<const State> x);  // of the chains in turn
  // Marginals, errors, R-hat, effective samples.  Throws Error before two batches are full.
  void finish(bool stopped, GibbsResult& result) const;

 private:
  struct Count {
    double total = 0;            // of all sweeps
    std::vector<double> shares;  // of full batches, chain by chain
    std::vector<double> now;     // [chains] in the batches that are not full
  };
  struct Summary {
    double mean = 0, variance = 0, r_hat = 1;
  };
  Summary summary(const Count& count) const;

  std::size_t chains_, batch_;
  std::size_t sweeps_ = 0, in_batch_ = 0, batches_ = 0;  // of the last chain
  std::vector<std::vector<Count>> count_;                // [variables][states]
};

}  // namespace croft
