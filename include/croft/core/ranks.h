// Processes that work together, each on its share of the data.
//
// All of them run the same program.  What is computed from all of the data is put together here,
// and comes out the same on each; so each takes the same decisions, and no other part of the
// program knows of more than one process.  Every call but rank() and size() is made by all
// processes, in the same order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace croft {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual std::size_t rank() const = 0;  // of this process, in [0, size())
  virtual std::size_t size() const = 0;
  // The bytes that went from process to process by sums and gather(), which every pass needs, and
  // the seconds that this one spent with that and with waiting for the others.
  struct Traffic {
    double seconds = 0;
    std::uint64_t bytes = 0;
  };
  virtual Traffic traffic() const { return {}; }
  bool first() const { return rank() == 0; }
  bool alone() const { return size() == 1; }

  // Overwrites each number with its sum over the processes, added in any order: the numbers are
  // such that no addition rounds (core/exact_sum.h).  The spans are equally long.
  virtual void sum(std::span<double> numbers) = 0;
  // The bytes of each process, in the order of ranks, on all of them.
  virtual std::vector<std::string> gather(std::string_view bytes) = 0;
  // On the first process: take() is called with the bytes of each, in the order of ranks, while
  // those of one are in memory.  Elsewhere it is not called.
  using Take = std::function<void(std::string_view bytes)>;
  virtual void hand_to_first(std::string_view bytes, const Take& take) = 0;
  // The first process's bytes, on all.
  virtual void broadcast(std::string& bytes) = 0;
  // to[r] goes to process r; what comes back is in the order of those that sent it.
  virtual std::vector<std::string> exchange(const std::vector<std::string>& to) = 0;
};

// One process by itself.
Ranks& no_other_ranks();

// Runs what each process does with its share.  Where it throws on some, the error of the first of
// these is thrown on all: nobody waits for a process that has given up.  Requires that `work` makes
// no call to `ranks`.
void run_together(Ranks& ranks, const std::function<void()>& work);

// Shorthands.
std::uint64_t sum_of_all(Ranks& ranks, std::uint64_t number);
bool any_of_all(Ranks& ranks, bool here);
double largest_of_all(Ranks& ranks, double number);
// The lists of all processes one after the other.
std::vector<double> lists_of_all(Ranks& ranks, std::span<const double> list);
// The sum of the numbers of the processes before this one.
std::uint64_t sum_of_earlier(Ranks& ranks, std::uint64_t number);

}  // namespace croft
