#include "croft/core/ranks.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft {
namespace {

class OneRank final : public Ranks {
 public:
  std::size_t rank() const override { return 0; }
  std::size_t size() const override { return 1; }
  void sum(std::span<double>) override {}
  std::vector<std::string> gather(std::string_view bytes) override { return {std::string(bytes)}; }
  void hand_to_first(std::string_view bytes, const Take& take) override { take(bytes); }
  void broadcast(std::string&) override {}
  std::vector<std::string> exchange(const std::vector<std::string>& to) override { return to; }
};

// What a process has to say of its work: nothing, or the kind of its error and the message.
constexpr char kUsage = 'u', kInterrupted = 'i', kOther = 'e';

std::string outcome_of(const std::function<void()>& work, std::size_t rank) {
  try {
    work();
    return {};
  } catch (const UsageError& e) {
    return kUsage + std::string(e.what());
  } catch (const Interrupted& e) {
    return kInterrupted + std::string(e.what());
  } catch (const Error& e) {
    return kOther + std::string(e.what());
  } catch (const std::bad_alloc&) {
    return kOther + ("out of memory on process " + std::to_string(rank));
  } catch (const std::exception& e) {
    return kOther + std::string(e.what());
  }
}

template <class Number>
std::string bytes_of(const Number& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}
template <class Number>
Number number_of(const std::string& bytes) {
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

}  // namespace

Ranks& no_other_ranks() {
  static OneRank one;
  return one;
}

void run_together(Ranks& ranks, const std::function<void()>& work) {
  if (ranks.alone()) return work();
  for (const std::string& outcome : ranks.gather(outcome_of(work, ranks.rank()))) {
    if (outcome.empty()) continue;
    const std::string message = outcome.substr(1);
    if (outcome[0] == kUsage) throw UsageError(message);
    if (outcome[0] == kInterrupted) throw Interrupted(message);
    throw Error(message);
  }
}

std::uint64_t sum_of_all(Ranks& ranks, std::uint64_t number) {
  double halves[2] = {static_cast<double>(number >> 32), static_cast<double>(number & 0xFFFFFFFF)};
  ranks.sum(halves);
  return (static_cast<std::uint64_t>(halves[0]) << 32) + static_cast<std::uint64_t>(halves[1]);
}

bool any_of_all(Ranks& ranks, bool here) { return sum_of_all(ranks, here ? 1 : 0) > 0; }

double largest_of_all(Ranks& ranks, double number) {
  for (const std::string& each : ranks.gather(bytes_of(number))) {
    number = std::max(number, number_of<double>(each));
  }
  return number;
}

std::vector<double> lists_of_all(Ranks& ranks, std::span<const double> list) {
  if (ranks.alone()) return {list.begin(), list.end()};
  std::vector<double> all;
  for (const std::string& each :
       ranks.gather({reinterpret_cast<const char*>(list.data()), list.size_bytes()})) {
    const std::size_t before = all.size();
    all.resize(before + each.size() / sizeof(double));
    if (!each.empty()) std::memcpy(all.data() + before, each.data(), each.size());
  }
  return all;
}

std::uint64_t sum_of_earlier(Ranks& ranks, std::uint64_t number) {
  const std::vector<std::string> all = ranks.gather(bytes_of(number));
  std::uint64_t before = 0;
  for (std::size_t r = 0; r < ranks.rank(); ++r) before += number_of<std::uint64_t>(all[r]);
  return before;
}

}  // namespace croft
