// Milliseconds to open a model file, the median of 21 times: model_load_bench MODEL
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "croft/core/error.h"
#include "model/kinds/chain_model.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: model_load_bench MODEL\n");
    return 2;
  }
  std::vector<double> milliseconds;
  try {
    for (int repeat = 0; repeat < 21; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      const auto model = croft::ChainModel::open(argv[1]);
      const std::chrono::duration<double, std::milli> taken =
          std::chrono::steady_clock::now() - start;
      milliseconds.push_back(taken.count());
    }
  } catch (const croft::Error& error) {
    std::fprintf(stderr, "model_load_bench: %s\n", error.what());
    return 1;
  }
  std::nth_element(milliseconds.begin(), milliseconds.begin() + 10, milliseconds.end());
  std::printf("%.3f ms\n", milliseconds[10]);
}
