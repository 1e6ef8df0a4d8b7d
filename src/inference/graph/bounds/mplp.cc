#include "inference/graph/bounds/mplp.h"

#include <algorithm>

#include "inference/graph/bounds/bound_descent.h"

namespace croft {
namespace {

class AllStars {
 public:
  explicit AllStars(Reparametrisation& scores) : scores_(scores), update_(scores) {}

  double operator()(std::vector<State>* states) {
    for (Reparametrisation::Term t = 0; t < scores_.terms(); ++t) update_(t);
    if (states != nullptr) read_beliefs(scores_, *states);
    // After its update a term has nothing left to add, until others change its messages: none do.
    CompensatedSum bound(scores_.constant());
    for (Variable v = 0; v < scores_.graph().variables(); ++v) {
      bound.add(std::ranges::max(scores_.belief(v)));
    }
    return bound.value();
  }

 private:
  Reparametrisation& scores_;
  StarUpdate update_;
};

}  // namespace

void MplpOptions::validate() const { check_descent("mplp", *this); }

MapResult mplp(const FactorGraph& graph, const MplpOptions& options,
               const GraphCallback& callback) {
  return descend_bound<AllStars>(graph, options, callback);
}

}  // namespace croft
