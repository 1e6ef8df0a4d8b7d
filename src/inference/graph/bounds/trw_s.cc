#include "croft/inference/trw_s.h"

#include "inference/graph/bounds/bound_descent.h"

namespace croft {
namespace {

class ThereAndBack {
 public:
  explicit ThereAndBack(Reparametrisation& scores) : passes_(scores) {}

  double operator()(std::vector<State>* states) {
    passes_.forward(states);
    passes_.backward();
    return passes_.bound();
  }

 private:
  SequentialPasses passes_;
};

}  // namespace

void TrwSOptions::validate() const { check_descent("trw-s", *this); }

MapResult trw_s(const FactorGraph& graph, const TrwSOptions& options,
                const GraphCallback& callback) {
  return descend_bound<ThereAndBack>(graph, options, callback);
}

}  // namespace croft
