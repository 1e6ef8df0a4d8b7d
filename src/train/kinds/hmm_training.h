// The training of a hidden Markov model: by counting where every label is known, by Baum-Welch
// where some are not, by L-BFGS for other objectives than the likelihood.
// docs/math/hidden_markov.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/chain_data.h"
#include "features/extraction.h"
#include "model/file/container.h"
#include "train/course/em.h"
#include "train/encoded_training.h"
#include "train/generative/hmm_criterion.h"
#include "train/generative/hmm_estimate.h"

namespace croft {
class Json;

// So many find a good optimum more often than not; one alone does in about half of the cases.
inline constexpr std::size_t kRandomStarts = 5;

struct HmmOptions {
  HmmSmoothing smoothing;
  UnknownValues unknown;
  HmmCriterionOptions criterion{};
  std::size_t states = 0;  // labels in all, those of the data first; 0: those of the data
  // Of Baum-Welch, where there are labels to be found out, and of L-BFGS.
  std::size_t em_iterations =
      100;                  // at most; 0: the start is estimated from what is known, no more
  double tolerance = 1e-5;  // stop where the objective gains less, relative to itself
  // Random ones, of which the best is kept; 0: kRandomStarts where no label is known, otherwise 1.
  std::size_t starts = 0;
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // 0: one per processor
  // Processes that count other parts of the data, without Baum-Welch; or that train on the same
  // data together.
  Ranks *ranks = &no_other_ranks(), *helpers = &no_other_ranks();
  EarlyStop early_stop{};  // of Baum-Welch, as is:
  CheckpointFolder* checkpoints = nullptr;

  void validate() const;  // throws UsageError naming the option
};

struct HmmResult : EmResult {  // without EM: of log p(x, y) under the model
  std::size_t parameters = 0;  // probabilities that are kept, those of suffixes not counted
};

// Feed sequences, then run.
class HmmTraining : public EncodedTraining {
 public:
  explicit HmmTraining(const Extractor& extractor) : extractor_(extractor) {}

  // From here on labels may be sets, or any (features/chain_data.h).
  void read_partial_labels(const PartialLabels& how) override { partial_ = how; }
  // Both throw as ChainEncoder::add, and InputError for a value below 0.
  // One without labels as add_unlabelled() has it.
  void add(const TextSequence& sequence, std::string_view file = {}) override;
  void add_unlabelled(TextSequence sequence, std::string_view file = {}) override;

  void share_out(Ranks& ranks) override { agree(ranks); }
  std::size_t attributes() const override { return encoder_.node_names.size(); }
  const std::vector<std::string>& label_names() const { return labels_; }  // after run()

  // Throws UsageError for bad options, and where nothing is labelled and no number of states given;
  // Error when there is no sequence.  The same result for any number of threads.
  HmmResult run(const HmmOptions& options, const EmCallback& callback = {});

  // After run().
  const HmmParameters& parameters() const { return parameters_; }
  ContainerWriter model(const Json& training) const;

 private:
  class BaumWelch;
  EmResult estimate(const HmmLayout& layout, const HmmOptions& options, ThreadPool& pool,
                    const EmCallback& callback);
  EmResult ascend(const HmmLayout& layout, const HmmOptions& options, ThreadPool& pool,
                  const EmCallback& callback);
  EmResult run_steps(EmSteps& steps, const HmmOptions& options, const EmCallback& callback,
                     const std::function<void()>& finish);
  void check_values(const TextSequence& sequence, std::string_view file) const;
  void name_states(std::size_t states);
  void start_at(const HmmLayout& layout, const HmmOptions& options, std::size_t start,
                HmmParameters& p) const;
  std::uint64_t fingerprint(const HmmOptions& options) const;

  const Extractor& extractor_;
  std::optional<PartialLabels> partial_;
  std::vector<std::string> labels_;
  HmmParameters parameters_;
};

}  // namespace croft
