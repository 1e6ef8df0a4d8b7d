// What the supports of a SampleFunction look like, found in one pass over them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/optimize/function.h"

namespace croft {

// body(begin, length, at): a run, and where its numbers stand among those of the support.
template <class Body>
void for_runs(std::span<const Run> runs, const Body& body) {
  std::size_t at = 0;
  for (const Run& run : runs) {
    body(run.begin, run.length, at);
    at += run.length;
  }
}

// Overwrites `out` with what is not 0 of the numbers of these runs.
void set_sparse(std::span<const Run> runs, std::span<const double> numbers, SparseVector& out);

class SampleLayout {
 public:
  explicit SampleLayout(SampleFunction& f);

  std::size_t samples() const { return size_.size(); }
  std::size_t support_size(std::size_t n) const { return size_[n]; }  // coordinates
  std::size_t largest() const { return largest_; }                    // of the supports' sizes
  std::size_t total() const { return total_; }                        // sum of the supports' sizes

  // All coordinates by increasing begin: the runs of the supports, and what lies between them.
  std::span<const Run> runs() const { return runs_; }
  // Samples whose support has runs()[r]; 0 for what no sample depends on.
  std::span<const std::uint32_t> samples_of_run() const { return users_; }

 private:
  void add_gap(std::uint64_t begin, std::uint64_t end);

  std::vector<std::uint32_t> size_, users_;
  std::vector<Run> runs_;
  std::size_t largest_ = 0, total_ = 0;
};

}  // namespace croft
