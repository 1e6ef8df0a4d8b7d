// Any bytes as a checkpoint: an Error, or a state that is written back byte by byte.
// An input that begins with 'r' is the state alone, under a header that is right, so that what
// comes after it is reached; with any other byte the rest is taken as it is.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "croft/core/state_archive.h"
#include "optimize/stochastic/online_methods.h"
#include "support/require.h"
#include "support/target.h"
#include "train/checkpoint.h"
#include "train/training_watch.h"

namespace fuzz_checkpoint {

namespace {

constexpr std::uint64_t kFingerprint = 0x0123456789abcdef;

// What optimisers and the course of a training are made of.
struct State {
  bool flag = false;
  std::optional<double> number;
  std::vector<double> weights;
  std::vector<float> curvature;
  std::vector<bool> bits;
  std::deque<double> window;
  std::vector<std::vector<std::uint32_t>> lists;
  std::string inner;
  double fixed[4] = {};
  croft::Iteration now;
  croft::TrainingWatch::Best best;
  croft::VotedPerceptron vote;

  void archive(croft::StateArchive& state) {
    state(flag);
    state(number);
    state(weights);
    state(curvature);
    state(bits);
    state(window);
    state(lists);
    state(inner);
    state(std::span<double>(fixed));
    state(now);
    state(best);
    state(vote);
  }
};

void restore(std::string_view bytes) {
  const std::string_view state = croft::checkpoint_state(bytes, kFingerprint, "fuzz");
  State read;
  croft::StateArchive in(state);
  in(read);
  in.finish();
  croft::StateArchive out;
  out(read);
  require(out.bytes() == state, "not what was read");
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_checkpoint) {
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'r') bytes = croft::checkpoint_header(kFingerprint, bytes) + bytes;
  try {
    restore(bytes);
  } catch (const croft::Error&) {
  }
  return 0;
}

}  // namespace fuzz_checkpoint
