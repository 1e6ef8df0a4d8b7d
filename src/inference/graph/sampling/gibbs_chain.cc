#include "inference/graph/sampling/gibbs_chain.h"

#include <algorithm>

namespace croft {
namespace {

std::uint64_t seed_of(std::uint64_t seed, std::size_t chain, std::size_t part) {
  return Random(Random(Random(seed).next() + chain).next() + part).next();
}

}  // namespace

std::vector<std::size_t> count_begins(const GibbsPlan& plan) {
  std::vector<std::size_t> begin{0};
  for (Site s = 0; s < plan.sites(); ++s) {
    begin.push_back(begin.back() + (plan.states(s) == 2 ? 1 : plan.states(s)));
  }
  return begin;
}

GibbsChain::Bits::Bits(std::uint64_t seed) : streams_(seeded_streams(seed)), buffer_(kBuffer) {}

const std::uint32_t* GibbsChain::Bits::take(std::size_t count) {
  if (at_ + count > kBuffer) {
    fill_random(streams_, buffer_.data(), kBuffer);
    at_ = 0;
  }
  at_ += count;
  return buffer_.data() + at_ - count;
}

double GibbsChain::Bits::uniform() {
  const std::uint32_t* drawn = take(2);
  const std::uint64_t bits = (std::uint64_t{drawn[0]} << 31) | drawn[1];
  return static_cast<double>(bits >> 9) * 0x1p-53;
}

GibbsChain::GibbsChain(const GibbsPlan& plan, const std::vector<std::vector<GibbsForest>>& rounds,
                       const GibbsOptions& options, std::size_t number,
                       std::span<const State> start)
    : plan_(plan),
      rounds_(rounds),
      scan_(options.scan),
      count_begin_(count_begins(plan)),
      x_(plan.sites()),
      counts_(count_begin_.back(), 0),
      random_(seed_of(options.seed, number, plan.blocks.size())) {
  for (Site s = 0; s < plan.sites(); ++s) {
    x_[s] =
        start.empty() ? static_cast<State>(random_.below(plan.states(s))) : start[plan.variable[s]];
  }
  if (!rounds.empty() || scan_ != GibbsScan::coloured) return;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    bits_.emplace_back(seed_of(options.seed, number, b));
  }
}

void GibbsChain::sweep(std::size_t count, bool counted, ThreadPool* pool) {
  for (std::size_t n = 0; n < count; ++n) {
    const bool last = counted && n + 1 == count;
    if (rounds_.empty() && scan_ == GibbsScan::coloured) {
      sweep_colours(last, pool);
      continue;
    }
    rounds_.empty() ? sweep_sites() : sweep_forests();
    ++sweeps_;
    if (!last) continue;
    for (const GibbsRun& run : plan_.runs) count_run(run);
  }
}

void GibbsChain::sweep_colours(bool counted, ThreadPool* pool) {
  const auto& blocks = plan_.blocks;
  for (std::size_t first = 0, end = 0; first < blocks.size(); first = end) {
    while (end < blocks.size() && blocks[end].colour == blocks[first].colour) ++end;
    // The general conditional of a site lends x to its factors: one thread.
    const auto has_table = [&](const GibbsPlan::Block& block) {
      return std::all_of(plan_.runs.begin() + block.first_run, plan_.runs.begin() + block.last_run,
                         [](const GibbsRun& run) { return run.table; });
    };
    if (pool != nullptr && end - first > 1 &&
        std::all_of(blocks.begin() + static_cast<std::ptrdiff_t>(first),
                    blocks.begin() + static_cast<std::ptrdiff_t>(end), has_table)) {
      pool->run(end - first, [&](std::size_t k, std::size_t) {
        update_block(blocks[first + k], bits_[first + k], counted);
      });
      continue;
    }
    for (std::size_t b = first; b < end; ++b) update_block(blocks[b], bits_[b], counted);
  }
}

void GibbsChain::update_block(const GibbsPlan::Block& block, Bits& bits, bool counted) {
  for (std::uint32_t r = block.first_run; r < block.last_run; ++r) {
    const GibbsRun& run = plan_.runs[r];
    if (run.table) {
      update_run(run, plan_.arrays(run), bits.take(run.count), x_.data());
    } else {
      for (Site s = run.first; s < run.first + run.count; ++s) {
        x_[s] = plan_.draw(s, x_, bits.uniform(), scratch_);
      }
    }
    if (counted) count_run(run);
  }
}

void GibbsChain::count_run(const GibbsRun& run) {
  if (run.states == 2) {
    add_states(x_.data() + run.first, run.count, counts_.data() + count_begin_[run.first]);
    return;
  }
  for (Site s = run.first; s < run.first + run.count; ++s) {
    ++counts_[count_begin_[s] + x_[s]];
  }
}

void GibbsChain::update_site(Site s) {
  const GibbsRun& run = plan_.runs[plan_.run_of[s]];
  if (!run.table) {
    x_[s] = plan_.draw(s, x_, random_.uniform(), scratch_);
    return;
  }
  const std::size_t i = s - run.first;
  const RunArrays a = plan_.arrays(run);
  std::uint32_t row = a.table[i];
  for (std::size_t k = 0; k < run.neighbours; ++k) {
    const std::size_t at = run.side_by_side ? a.neighbour[k] + i : a.neighbour[k * run.count + i];
    row += a.stride[k] * x_[at];
  }
  const auto drawn = static_cast<std::uint32_t>(random_.next() >> 33);
  State state = 0;
  for (std::uint32_t k = 0; k + 1 < run.states; ++k)
    state += drawn >= a.thresholds[row + k] ? 1 : 0;
  x_[s] = state;
}

void GibbsChain::sweep_sites() {
  if (scan_ == GibbsScan::random) {
    for (std::size_t n = 0; n < plan_.sites(); ++n) {
      update_site(static_cast<Site>(random_.below(plan_.sites())));
    }
    return;
  }
  for (const Site s : plan_.site_of) {
    if (s != SiteScores::kNoSite) update_site(s);
  }
}

void GibbsChain::sweep_forests() {
  const auto& forests = rounds_[sweeps_ % rounds_.size()];
  const auto uniform = [&] { return random_.uniform(); };
  for (std::size_t n = 0; n < forests.size(); ++n) {
    const std::size_t k = scan_ == GibbsScan::random ? random_.below(forests.size()) : n;
    forests[k].draw(plan_, x_, forest_scratch_, uniform);
  }
}

std::vector<std::uint32_t> GibbsChain::take_counts() {
  std::vector<std::uint32_t> taken(counts_.size(), 0);
  taken.swap(counts_);
  return taken;
}

std::vector<State> GibbsChain::assignment() const {
  std::vector<State> states(plan_.graph.variables(), 0);
  for (Site s = 0; s < plan_.sites(); ++s) states[plan_.variable[s]] = x_[s];
  return states;
}

}  // namespace croft
