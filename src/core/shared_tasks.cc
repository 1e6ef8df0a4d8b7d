#include "core/shared_tasks.h"

#include <algorithm>

namespace croft {

// Those whose costs begin in its part of the sum of all costs.
std::pair<std::size_t, std::size_t> own_tasks(const Ranks& helpers, std::size_t count,
                                              const std::function<double(std::size_t)>& cost) {
  std::vector<double> before(count + 1);
  for (std::size_t k = 0; k < count; ++k) before[k + 1] = before[k] + cost(k);
  const auto from = [&](std::size_t rank) {
    if (rank == helpers.size()) return count;
    const double part = static_cast<double>(rank) / static_cast<double>(helpers.size());
    const auto end = before.begin() + static_cast<std::ptrdiff_t>(count);
    return static_cast<std::size_t>(std::lower_bound(before.begin(), end, part * before[count]) -
                                    before.begin());
  };
  return {from(helpers.rank()), from(helpers.rank() + 1)};
}

void run_shared(ThreadPool& pool, std::size_t count, const std::function<double(std::size_t)>& cost,
                const SharedTask& task, const SharedCommit& commit) {
  Ranks& helpers = pool.helpers();
  std::vector<std::vector<double>> result(pool.threads());
  const auto run = [&](std::size_t first, std::size_t last, const SharedCommit& take) {
    pool.run_ordered(
        last - first,
        [&](std::size_t k, std::size_t worker) {
          result[worker].clear();
          task(first + k, worker, result[worker]);
        },
        [&](std::size_t k, std::size_t worker) { take(first + k, worker, result[worker]); });
  };
  if (helpers.alone()) return run(0, count, commit);
  const auto [first, last] = own_tasks(helpers, count, cost);
  std::vector<double> own;  // the length of each result, and then the result
  run_together(helpers, [&, first = first, last = last] {
    run(first, last, [&](std::size_t, std::size_t, std::span<const double> each) {
      own.push_back(static_cast<double>(each.size()));
      own.insert(own.end(), each.begin(), each.end());
    });
  });
  const std::vector<double> all = lists_of_all(helpers, own);
  std::span<const double> rest(all);
  for (std::size_t k = 0; k < count; ++k) {
    const auto length = static_cast<std::size_t>(rest[0]);
    commit(k, 0, rest.subspan(1, length));
    rest = rest.subspan(1 + length);
  }
}

}  // namespace croft
