#include "croft/inference/gibbs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "croft/core/error.h"
#include "croft/inference/junction_tree.h"
#include "inference/graph/allowed_assignment.h"
#include "inference/graph/sampling/gibbs_chain.h"
#include "inference/graph/sampling/stuck_variables.h"

namespace croft {
namespace {

constexpr double kBatchNumbers = 1 << 24;  // counts that all batches of all chains may take
constexpr std::size_t kRounds = 4;         // ways to cut the graph into forests, in turn
constexpr double kStepUpdates = 1 << 24;   // of sites, between two calls of `progress`
// A first assignment is drawn exactly where that is cheap.
constexpr std::size_t kExactVariables = 5000;
constexpr double kExactStates = 26;  // log2 of the joint states of all cliques
constexpr double kExactBytes = 1 << 28;
constexpr double kConverged = 1.01;
// Standard errors are tried with so many batches of a chain, too.  These must be 20 times as long
// as what lies between two independent samples, or they are too small.
constexpr std::size_t kLongBatches = 8;
constexpr double kEffectiveOfChain = 20 * kLongBatches;

// Starts of all chains; empty ones: any states will do.
std::vector<std::vector<State>> find_starts(const FactorGraph& graph, const GibbsOptions& options) {
  std::vector<std::vector<State>> starts(options.chains);
  const auto forbids = [&](PotentialId id) {
    return graph.potential(id).kind == PotentialKind::parity ||
           std::ranges::count(graph.numbers(id), -std::numeric_limits<double>::infinity()) > 0;
  };
  bool any = false;
  for (PotentialId id = 0; id < graph.potentials() && !any; ++id) any = forbids(id);
  if (!any) return starts;
  const auto fail = [] {
    throw Error(
        "no assignment is allowed: the factors' zeros (and the evidence) contradict each other, "
        "and there is nothing to draw");
  };
  Random random(Random(options.seed ^ 0x5eedu).next());
  if (graph.variables() <= kExactVariables) {
    try {
      EliminationOptions search{.rules = {EliminationRule::min_fill}, .restarts = 1};
      search.most_log2_states = kExactStates;
      search.progress = until_interrupted();
      const EliminationOrder order = find_elimination_order(graph, search);
      JunctionTree tree(graph, order, search.progress);
      if (order.log2_total <= kExactStates && tree.bytes() <= kExactBytes) {
        if (std::isinf(tree.log_partition())) fail();
        return tree.samples(options.chains, random);
      }
    } catch (const TooWide&) {  // then by a search
    }
  }
  for (auto& start : starts) {
    AllowedAssignment found = find_allowed(graph, random);
    if (found.outcome == AllowedSearch::none) fail();
    if (found.outcome == AllowedSearch::given_up) {
      throw Error(
          "no allowed assignment to start from was found in time, and there may be none; exact "
          "methods can tell");
    }
    start = std::move(found.states);
  }
  return starts;
}

class Sampling {
 public:
  Sampling(const FactorGraph& graph, const GibbsOptions& options)
      : options_(options), plan_(graph, options.temperature), pool_(options.threads) {
    if (options.blocks == GibbsBlocks::pairs) rounds_.push_back(all_pairs(plan_));
    exact_ = options.blocks == GibbsBlocks::trees && is_forest(plan_);
    for (std::size_t r = 0; options.blocks == GibbsBlocks::trees && r < (exact_ ? 1 : kRounds);
         ++r) {
      rounds_.push_back(cut_into_forests(plan_, options.seed + r));
    }
    const auto starts = find_starts(graph, options);
    for (std::size_t c = 0; c < options.chains; ++c) {
      chains_.push_back({GibbsChain(plan_, rounds_, options, c, starts[c]), {}, {}, {}});
    }
    const auto numbers = static_cast<double>(count_begins(plan_).back() * options.chains + 1);
    most_batches_ =
        2 * static_cast<std::size_t>(std::clamp(kBatchNumbers / numbers / 2, 8.0, 32.0));
    const auto updates = static_cast<double>(plan_.sites() * options.thin * options.chains + 1);
    step_ = static_cast<std::size_t>(std::max(1.0, kStepUpdates / updates));
  }

  GibbsResult run(const GraphCallback& progress) {
    kept_ = options_.sweeps / options_.thin;
    for (std::size_t left = options_.burn_in; left > 0 && !stopped_;) {
      left -= advance(std::min(left, step_), false);
      tell(progress);
    }
    while (kept_done_ < kept_ && !stopped_) {
      const std::size_t left = kept_ - kept_done_;
      in_batch_ += advance(std::min({left, step_, batch_ - in_batch_}), true);
      if (in_batch_ == batch_) end_batch();
      tell(progress);
    }
    if (chains_[0].batches.size() < 2) {
      throw Error("stopped after " + std::to_string(sweeps_) +
                  " sweeps, before there was anything to tell errors from");
    }
    return result();
  }

 private:
  using Counts = std::vector<std::uint32_t>;
  struct Record {
    GibbsChain chain;
    std::vector<Counts> batches;  // of equal length
    Counts last;                  // of the batch that is under way
    std::vector<std::vector<State>> samples;
  };

  void tell(const GraphCallback& progress) {
    if (!progress) return;
    GraphProgress now;
    now.iteration = sweeps_;
    stopped_ = !progress(now) && kept_done_ < kept_;
  }

  // Several chains: a thread each.  One: threads share its colours.  Returns `sweeps`.
  std::size_t advance(std::size_t sweeps, bool counted) {
    const std::size_t thin = counted ? options_.thin : 1;
    const auto go = [&](std::size_t c, ThreadPool* pool) {
      for (std::size_t n = 0; n < sweeps; ++n) {
        chains_[c].chain.sweep(thin, counted, pool);
        if (counted) keep(c, kept_done_ + n);
      }
    };
    if (chains_.size() == 1) {
      go(0, &pool_);
    } else {
      pool_.run(chains_.size(), [&](std::size_t c, std::size_t) { go(c, nullptr); });
    }
    sweeps_ += sweeps * thin;
    if (counted) kept_done_ += sweeps;
    return sweeps;
  }

  // The samples of a chain are as far apart as they can be.
  void keep(std::size_t c, std::size_t sweep) {
    const std::size_t count =
        options_.samples / chains_.size() + (c < options_.samples % chains_.size() ? 1 : 0);
    auto& samples = chains_[c].samples;
    if (samples.size() < count && sweep + 1 >= (samples.size() + 1) * kept_ / count) {
      samples.push_back(chains_[c].chain.assignment());
    }
  }

  // Batches begin short, and whenever there are too many two become one: so there are enough of
  // them whenever it is stopped.
  void end_batch() {
    for (Record& each : chains_) each.batches.push_back(each.chain.take_counts());
    in_batch_ = 0;
    if (chains_[0].batches.size() < most_batches_ || kept_done_ == kept_) return;
    for (Record& each : chains_) {
      for (std::size_t b = 0; b < most_batches_ / 2; ++b) {
        Counts& sum = each.batches[2 * b];
        const Counts& next = each.batches[2 * b + 1];
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += next[k];
        if (b > 0) each.batches[b] = std::move(sum);
      }
      each.batches.resize(most_batches_ / 2);
    }
    batch_ *= 2;
  }

  GibbsResult result() {
    GibbsResult out;
    for (Record& each : chains_) {
      each.last = each.chain.take_counts();
      out.samples.insert(out.samples.end(), each.samples.begin(), each.samples.end());
    }
    out.possibly_reducible = plan_.zeros && !exact_;
    out.convergence.iterations = sweeps_;
    fill(out);
    if (!exact_) mark_stuck(plan_.graph, options_.temperature, out);
    return out;
  }

  void fill(GibbsResult& out) const {
    const std::vector<std::size_t> begin = count_begins(plan_);
    double worst = 1, short_variance = 0, long_variance = 0;
    out.effective_samples = static_cast<double>(kept_done_ * chains_.size());
    for (Variable v = 0; v < plan_.graph.variables(); ++v) {
      const Site s = plan_.site_of[v];
      std::vector<double>& p = out.marginals.emplace_back(plan_.graph.states(v), 0.0);
      std::vector<double>& error = out.standard_errors.emplace_back(p.size(), 0.0);
      if (s == SiteScores::kNoSite) {
        p[0] = 1;
        continue;
      }
      const bool two = p.size() == 2;
      for (std::size_t k = begin[s]; k < begin[s + 1]; ++k) {
        const Summary found = summary(k);
        const std::size_t state = k - begin[s] + (two ? 1 : 0);
        p[state] = found.mean;
        error[state] = std::sqrt(found.variance);
        if (found.variance > 0) {
          out.effective_samples =
              std::min(out.effective_samples, found.mean * (1 - found.mean) / found.variance);
        }
        worst = std::max(worst, found.r_hat);
        short_variance += found.variance;
        long_variance += found.long_variance;
      }
      if (!two) continue;
      p[0] = 1 - p[1];
      error[0] = error[1];
    }
    // Of all states together, since that of one is too uncertain.
    const double larger = short_variance > 0 ? std::max(1.0, long_variance / short_variance) : 1;
    out.effective_samples /= larger;
    for (std::vector<double>& errors : out.standard_errors) {
      for (double& error : errors) error *= std::sqrt(larger);
    }
    out.convergence.residual = worst - 1;
    const double enough = kEffectiveOfChain * static_cast<double>(chains_.size());
    out.convergence.converged = !stopped_ && worst <= kConverged && out.effective_samples >= enough;
  }

  // Of the indicator of a state: its share, the variance of that (GS.5), also by longer batches,
  // and R-hat (GS.6).
  struct Summary {
    double mean = 0, variance = 0, long_variance = 0, r_hat = 1;
  };
  // (GS.5) with so many batches in a row as one.
  double variance_by(std::size_t k, std::size_t in_row) const {
    const std::size_t groups = chains_[0].batches.size() / in_row;
    double sum = 0, square = 0;
    for (const Record& each : chains_) {
      for (std::size_t g = 0; g < groups; ++g) {
        double count = 0;
        for (std::size_t b = 0; b < in_row; ++b) count += each.batches[g * in_row + b][k];
        const double mean = count / static_cast<double>(batch_ * in_row);
        sum += mean;
        square += mean * mean;
      }
    }
    const auto parts = static_cast<double>(groups * chains_.size());
    const double mean = sum / parts;
    return std::max(0.0, square / parts - mean * mean) / (parts - 1);
  }
  Summary summary(std::size_t k) const {
    const std::size_t batches = chains_[0].batches.size(), in_half = batches / 2;
    const auto half_batches = static_cast<double>(in_half);
    const auto length = static_cast<double>(batch_);
    double total = 0, half_sum = 0, half_square = 0;
    for (const Record& each : chains_) {
      double half[2] = {};
      for (std::size_t b = 0; b < batches; ++b) {
        const double count = each.batches[b][k], mean = count / length;
        total += count;
        if (b < in_half) half[0] += mean;
        if (b >= batches - in_half) half[1] += mean;
      }
      total += each.last[k];
      for (double mean : half) {
        mean /= half_batches;
        half_sum += mean;
        half_square += mean * mean;
      }
    }
    Summary out{.mean = total / static_cast<double>(kept_done_ * chains_.size())};
    out.variance = variance_by(k, 1);
    out.long_variance = variance_by(k, std::max<std::size_t>(1, batches / kLongBatches));
    const auto halves = static_cast<double>(2 * chains_.size());
    const double n = length * half_batches;
    const double middle = half_sum / halves;
    const double between =
        std::max(0.0, half_square / halves - middle * middle) * halves / (halves - 1);
    const double within = (half_sum - half_square) / halves * n / std::max(1.0, n - 1);
    if (within > 0) {
      out.r_hat = std::sqrt((n - 1) / n + between / within);
    } else if (between > 1e-20) {
      out.r_hat = std::numeric_limits<double>::infinity();
    }
    return out;
  }

  GibbsOptions options_;
  GibbsPlan plan_;
  ThreadPool pool_;
  std::vector<std::vector<GibbsForest>> rounds_;
  bool exact_ = false;  // every sweep draws from p itself
  std::vector<Record> chains_;
  std::size_t step_ = 1;                  // sweeps between two looks at the clock
  std::size_t most_batches_ = 2;          // even
  std::size_t batch_ = 1, in_batch_ = 0;  // counted sweeps
  std::size_t kept_ = 0, kept_done_ = 0, sweeps_ = 0;
  bool stopped_ = false;
};

template <class Choice>
Choice choose(std::string_view name, std::string_view what,
              std::initializer_list<std::pair<std::string_view, Choice>> choices) {
  std::string names;
  for (const auto& [each, choice] : choices) {
    if (each == name) return choice;
    names += (names.empty() ? "" : ", ") + std::string(each);
  }
  throw UsageError(std::string(what) + " " + in_quotes(name) + " is none of " + names);
}

}  // namespace

GibbsScan gibbs_scan(std::string_view name) {
  return choose<GibbsScan>(name, "scan",
                           {{"coloured", GibbsScan::coloured},
                            {"sequential", GibbsScan::sequential},
                            {"random", GibbsScan::random}});
}

GibbsBlocks gibbs_blocks(std::string_view name) {
  return choose<GibbsBlocks>(
      name, "blocks",
      {{"none", GibbsBlocks::none}, {"pairs", GibbsBlocks::pairs}, {"trees", GibbsBlocks::trees}});
}

void GibbsOptions::validate() const {
  const auto fail = [](const std::string& what) { throw UsageError("Gibbs sampling: " + what); };
  if (chains < 1) fail("there must be at least 1 chain");
  if (thin < 1) fail("thin must be at least 1: of so many sweeps one is counted");
  if (sweeps / thin < 2) fail("at least 2 sweeps must be counted: more sweeps, or a smaller thin");
  if (sweeps / thin > 0xffffffffu) fail("at most 2^32 - 1 sweeps can be counted");
  if (!(temperature > 0 && std::isfinite(temperature))) fail("the temperature must be above 0");
  if (samples / chains + (samples % chains > 0 ? 1 : 0) > sweeps / thin) {
    throw UsageError("Gibbs sampling: ", samples,
                     " samples are more than the sweeps that are counted, ", sweeps / thin,
                     " in each of ", chains,
                     " chains; give more sweeps (--max-iterations), or ask for fewer samples");
  }
}

GibbsResult gibbs(const FactorGraph& graph, const GibbsOptions& options,
                  const GraphCallback& progress) {
  options.validate();
  return Sampling(graph, options).run(progress);
}

}  // namespace croft
