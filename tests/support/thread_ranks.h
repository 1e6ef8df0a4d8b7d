// Threads that take the part of processes: what is shared out over ranks, tested in one program.
#pragma once
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "croft/core/ranks.h"

namespace croft {

// Where the ranks of one group meet.
class RankTable {
 public:
  explicit RankTable(std::size_t size) : slots(size), meet(static_cast<std::ptrdiff_t>(size)) {}
  std::vector<std::vector<std::string>> slots;  // [sender] one for all, or one for each
  std::barrier<> meet;
};

class ThreadRank final : public Ranks {
 public:
  ThreadRank(RankTable& table, std::size_t rank) : table_(table), rank_(rank) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return table_.slots.size(); }
  void sum(std::span<double> numbers) override {
    const std::size_t bytes = numbers.size_bytes();
    const auto all = gather({reinterpret_cast<const char*>(numbers.data()), bytes});
    for (double& each : numbers) each = 0;
    for (std::size_t r = size(); r-- > 0;) {  // not in the order of ranks
      const auto* from = reinterpret_cast<const double*>(all[r].data());
      for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] += from[k];
    }
  }
  std::vector<std::string> gather(std::string_view bytes) override {
    std::vector<std::string> all;
    meet({std::string(bytes)}, [&] {
      for (const auto& slot : table_.slots) all.push_back(slot[0]);
    });
    return all;
  }
  void hand_to_first(std::string_view bytes, const Take& take) override {
    const std::vector<std::string> all = gather(bytes);
    for (std::size_t r = 0; first() && r < size(); ++r) take(all[r]);
  }
  void broadcast(std::string& bytes) override {
    meet({bytes}, [&] { bytes = table_.slots[0][0]; });
  }
  std::vector<std::string> exchange(const std::vector<std::string>& to) override {
    std::vector<std::string> from;
    meet(to, [&] {
      for (const auto& slot : table_.slots) from.push_back(slot[rank_]);
    });
    return from;
  }

 private:
  template <class Read>
  void meet(std::vector<std::string> mine, const Read& read) {
    table_.slots[rank_] = std::move(mine);
    table_.meet.arrive_and_wait();
    read();
    table_.meet.arrive_and_wait();
  }
  RankTable& table_;
  std::size_t rank_;
};

// body(ranks) on each of `size` threads; then throws what the first of them threw.
inline void for_ranks(std::size_t size, const std::function<void(Ranks&)>& body) {
  RankTable table(size);
  std::vector<std::exception_ptr> errors(size);
  {
    std::vector<std::jthread> threads;
    for (std::size_t r = 0; r < size; ++r) {
      threads.emplace_back([&, r] {
        ThreadRank rank(table, r);
        try {
          body(rank);
        } catch (...) {
          errors[r] = std::current_exception();
          table.meet.arrive_and_drop();
        }
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace croft
