#include "optimize/stochastic/sample_layout.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace croft {

SampleFunction::Sample SampleFunction::evaluate_sparse(std::size_t n, std::span<const double> w,
                                                       SparseVector& gradient, std::size_t worker) {
  std::size_t size = 0;
  for (const Run& run : support(n, worker)) size += run.length;
  std::vector<double> numbers(size);
  const Sample sample = evaluate_sample(n, w, numbers, worker);
  gradient.clear();
  if (sample.active) set_sparse(support(n, worker), numbers, gradient);
  return sample;
}

void set_sparse(std::span<const Run> runs, std::span<const double> numbers, SparseVector& out) {
  out.clear();
  for_runs(runs, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
    for (std::size_t k = 0; k < length; ++k) {
      if (numbers[at + k] != 0) out.add(begin + k, numbers[at + k]);
    }
  });
}

SampleLayout::SampleLayout(SampleFunction& f) : size_(f.samples()) {
  std::vector<std::uint32_t> length(f.dimension()), users(f.dimension());  // by `begin`
  for (std::size_t n = 0; n < size_.size(); ++n) {
    for (const Run& run : f.support(n, 0)) {
      if (run.length == 0) continue;
      assert(length[run.begin] == 0 || length[run.begin] == run.length);
      length[run.begin] = run.length;
      ++users[run.begin];
      size_[n] += run.length;
    }
    largest_ = std::max<std::size_t>(largest_, size_[n]);
    total_ += size_[n];
  }
  std::uint64_t end = 0;
  for (std::uint64_t begin = 0; begin < length.size(); begin = std::max(begin + 1, end)) {
    if (length[begin] == 0) continue;
    add_gap(end, begin);
    runs_.push_back({begin, length[begin]});
    users_.push_back(users[begin]);
    end = begin + length[begin];
  }
  add_gap(end, length.size());
}

void SampleLayout::add_gap(std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t longest = std::numeric_limits<std::uint32_t>::max();
  for (; begin < end; begin += std::min(longest, end - begin)) {
    runs_.push_back({begin, static_cast<std::uint32_t>(std::min(longest, end - begin))});
    users_.push_back(0);
  }
}

Random random_of_pass(std::uint64_t seed, std::size_t pass) {
  return Random(Random(seed).next() + pass);
}

void draw_order(std::uint64_t seed, std::size_t pass, std::size_t samples,
                std::vector<std::uint32_t>& order) {
  order.resize(samples);
  std::iota(order.begin(), order.end(), 0u);
  Random random = random_of_pass(seed, pass);
  shuffle(order, random);
}

}  // namespace croft
