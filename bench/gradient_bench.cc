// Seconds for one evaluation of a chain's training objective and its gradient, without an
// optimiser:
//   gradient_bench DATA.attributes observed|all THREADS
// Prints the median of 15 evaluations, ns for a position and label pair, and the value as a check.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/simd.h"
#include "croft/core/error.h"
#include "croft/objective/likelihood.h"
#include "data/attributes.h"
#include "train/functions/chain_batch_function.h"

namespace {

using namespace croft;

int run(const std::string& path, bool all, std::size_t threads) {
  ChainEncoder encoder;
  AttributesReader reader{LineReader(path)};
  for (TextSequence sequence; reader.next(sequence);) encoder.add(sequence);
  Renumbering renumbering;
  const std::size_t labels = encoder.label_names.size();
  const ChainLayout layout =
      make_chain_layout(encoder.data, labels, encoder.node_names.size(), encoder.edge_names.size(),
                        {.features = all ? FeatureSet::all : FeatureSet::observed}, renumbering);
  ThreadPool pool(threads);
  ChainBatchFunction<float> f(encoder.data, layout, pool);
  std::vector<double> w(f.dimension()), gradient(f.dimension()), seconds;
  double value = f.evaluate(w, gradient);
  // At w = 0 every labelling is as likely: f = P log L.
  const double expected = static_cast<double>(encoder.data.positions()) * std::log(labels);
  if (std::abs(value - expected) > 1e-6 * expected) {
    std::fprintf(stderr, "wrong answer: %.6f, not %.6f\n", value, expected);
    return 1;
  }
  for (std::size_t k = 0; k < w.size(); ++k) w[k] = -1e-4 * gradient[k];
  for (int repeat = 0; repeat < 15; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    value = f.evaluate(w, gradient);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + 7, seconds.end());
  const double pairs = static_cast<double>(encoder.data.positions() * labels * labels);
  std::printf("%.5f s, %.3f ns/(T L^2), %zu weights, %s, value %.3f\n", seconds[7],
              seconds[7] / pairs * 1e9, f.dimension(), simd_target().c_str(), value);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: gradient_bench DATA.attributes observed|all THREADS\n");
    return 2;
  }
  try {
    apply_simd_environment();
    return run(argv[1], std::string(argv[2]) == "all", std::strtoul(argv[3], nullptr, 10));
  } catch (const Error& error) {
    std::fprintf(stderr, "gradient_bench: %s\n", error.what());
    return 1;
  }
}
