// The training of a chain with hidden states (latent-dynamic CRF, Morency et al. 2007).
//
//   L(w) = sum_n q_n (log Z(theta_n) - log Z(theta_n restricted to the states of y_n))    (HC.3)
//
// A chain over the states, of whose gold the data says the label alone: data, layout, objective and
// optimisers are those of chains with partial labels.  Training starts at random weights, since at
// 0 all states of a label are alike and stay so.  docs/math/hidden_chain.md.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/extraction.h"
#include "model/kinds/hidden_chain_model.h"
#include "train/kinds/chain_training.h"

namespace croft {

struct HiddenChainOptions {
  std::size_t states = 2;                                      // of each label; >= 1
  std::vector<std::pair<std::string, std::size_t>> states_of;  // of these labels, in its place
  double start_deviation = 0.1;  // of the random weights that training starts from; >= 0
  std::size_t starts = 1;        // of these, of which the best objective is kept; >= 1
  std::optional<std::size_t> em_iterations = {};  // trained by EM, so many E steps at most
  void validate() const;                          // throws UsageError
};

// Feed sequences, then run.
class HiddenChainTraining : public EncodedTraining {
 public:
  explicit HiddenChainTraining(const Extractor& extractor);  // kept by reference

  void add_holdout(TextSequence sequence, std::string_view = {}) override {
    holdout_.add(std::move(sequence));
  }
  void share_out(Ranks& ranks) override { agree(ranks); }
  std::size_t holdout_sequences() const override { return holdout_.sequences(); }
  const TextSequence& holdout(std::size_t n) const override { return holdout_[n]; }

  Method method(const TrainOptions& options) const;
  Precision precision(const TrainOptions& options, const HiddenChainOptions& hidden) const;

  struct Result {
    TrainResult train;
    std::vector<double> objectives;  // of each start
    std::size_t kept_start = 0;
    std::size_t states = 0;
  };
  using Callback = std::function<bool(std::size_t start, const TrainProgress&)>;
  // Trains; of the options, what a hidden chain has no use for must be at its default.  The same
  // seed gives the same bytes for any number of threads.  options.checkpoints keeps the best start
  // so far, and the state of the one that runs; in EM that of each E step.  Throws UsageError for
  // bad options, Error when there is no sequence, label or feature, InputError for labels that
  // break the constraint.
  Result run(const TrainOptions& options, const HiddenChainOptions& hidden,
             const ChainTraining::HoldoutScorer& scorer, const Callback& callback);

  // After run(): the model file's sections.
  ContainerWriter model(const Json& training) const;
  // After run(), for tests.
  std::span<const double> weights() const { return weights_; }
  const ChainLayout& layout() const { return layout_; }
  const ChainData& data() const { return encoder_.data; }  // gold in states
  const HiddenStates& states() const { return states_; }

 private:
  void check(const TrainOptions& options, const HiddenChainOptions& hidden) const;
  void set_states(const HiddenChainOptions& hidden);
  void lay_out(const TrainOptions& options);
  std::uint64_t fingerprint(const TrainOptions& options, const HiddenChainOptions& hidden,
                            const ChainProblem& problem) const;
  std::vector<double> random_start(const TrainOptions& options, const HiddenChainOptions& hidden,
                                   std::size_t start) const;
  std::vector<std::vector<std::string_view>> label_holdout(std::span<const double> w,
                                                           ThreadPool& pool) const;

  const Extractor& extractor_;
  HiddenStates states_;
  std::shared_ptr<const ChainConstraint> constraint_;  // of labels; may be null
  Renumbering renumbering_;
  ChainLayout layout_;
  std::vector<double> weights_;
  ChainHoldout holdout_;
};

}  // namespace croft
