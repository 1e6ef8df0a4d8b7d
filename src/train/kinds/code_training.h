// The training of an error-correcting CRF (Cohn, Smith & Osborne 2005): a binary chain for each bit
// of a code, each by itself, many at a time.
//
// Positions whose labels do not care for a bit have either value: they are summed over, as partial
// labels are (C.14).  docs/math/error_correcting.md.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "model/kinds/error_correcting_model.h"
#include "train/encoded_training.h"
#include "train/kinds/chain_expert.h"

namespace croft {

struct CodeOptions {
  // one-vs-rest, all-pairs, random, random:BITS, minimum-loss, minimum-loss:BITS,
  // minimum-loss:BITS:CANDIDATES; `words` in the place of all of them.
  std::string code = "one-vs-rest";
  // A word of bits (0, 1 and -) for every label; empty: `code`.
  std::vector<std::pair<std::string, std::string>> words;
  CodeDecoder decoder = CodeDecoder::product;  // of the model, unless predict names another
  void validate() const;                       // throws UsageError
};

class CodeTraining : public SplitTraining {
 public:
  explicit CodeTraining(const Extractor& extractor);  // kept by reference

  // What is held out: what minimum-loss chooses its columns by; without, the training data.

  struct Result {
    std::size_t bits = 0;                  // of the code
    std::size_t planned = 0, trained = 0;  // chains to be trained, and those that were
    CodeDistance distance;
    double objective = 0;        // summed over the bits of the code
    std::size_t iterations = 0;  // likewise
    std::size_t converged = 0;   // bits
    bool stopped = false;        // early: the code is of the trained bits alone
    std::size_t weights = 0;
  };
  // Called after each bit's training, one at a time, in any order; false: stop.
  using Callback =
      std::function<bool(std::size_t done, std::size_t of, const OptimizeResult& result)>;
  // Asked before each bit and in each iteration, one at a time; true: stop.  A bit that has made an
  // iteration is kept with the weights so far, as other kinds are, and counts as trained; the
  // others are left out of the code.  Throws Interrupted where that leaves two labels with the same
  // word.
  using Stop = std::function<bool()>;
  // options.threads chains at a time, each on one thread: the bytes of the model do not depend on
  // their number.  options.checkpoints keeps the bits that are trained, and the states of those
  // that are being.  Throws UsageError for bad options, Error for one label, no sequence or
  // feature.
  Result run(const TrainOptions& options, const CodeOptions& code, const Callback& callback,
             const Stop& stop = {});

  // After run(): the model file's sections.
  ContainerWriter model(const Json& training) const;
  const LabelCode& code() const { return code_; }

 private:
  ChainEncoder data_of(std::size_t bit) const;
  void make_code(const CodeOptions& options, std::uint64_t seed);
  void read_words(const CodeOptions& options);
  void train_bits(const TrainOptions& options, const CodeOptions& code, const Callback& callback,
                  const Stop& stop, Result& result);
  std::uint64_t fingerprint(const TrainOptions& options, const CodeOptions& code) const;
  void keep_bits(std::span<const std::size_t> bits);
  bool cut_short() const;
  void choose_by_loss(const CodeOptions& options, std::uint64_t seed, std::size_t threads);

  const Extractor& extractor_;
  LabelCode code_;
  CodeDecoder decoder_ = CodeDecoder::product;
  std::vector<ChainExpert> chains_;      // [bits] of labels 0 and 1
  std::vector<OptimizeResult> results_;  // [bits]
};

}  // namespace croft
