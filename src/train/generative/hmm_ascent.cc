#include "train/generative/hmm_ascent.h"

#include "croft/optimize/lbfgs.h"

namespace croft {
namespace {

constexpr Regulariser kNone{};  // the priors are in the function

}  // namespace

HmmAscent::HmmAscent(HmmCriterion& criterion, const HmmParameters& start, ThreadPool& pool)
    : criterion_(criterion), start_(start), pool_(pool) {}

void HmmAscent::begin(std::size_t) {
  w_ = criterion_.start(start_);
  method_ = make_lbfgs(criterion_, kNone, w_, {}, pool_);
}

void HmmAscent::maximise() { method_->iterate(); }

EmValue HmmAscent::expect() {
  const double objective = method_->now().objective;
  return {objective, criterion_.penalty(w_) - objective};
}

void HmmAscent::archive(StateArchive& state) {
  if (method_ == nullptr) begin(0);
  method_->archive(state);
}

}  // namespace croft
