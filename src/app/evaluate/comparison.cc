#include "app/evaluate/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "app/evaluate/evaluation.h"
#include "core/json.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft {
namespace {

// Of one labeller: right positions and sequences, chunks that it found, and right ones.
struct Found {
  std::size_t positions = 0, sequences = 0, chunks = 0, right_chunks = 0;
  void add(const Found& other) {
    positions += other.positions;
    sequences += other.sequences;
    chunks += other.chunks;
    right_chunks += other.right_chunks;
  }
};
struct Whole {
  std::size_t positions = 0, sequences = 0, chunks = 0;
  void add(const Whole& other) {
    positions += other.positions;
    sequences += other.sequences;
    chunks += other.chunks;
  }
};

struct Metric {
  const char* name;
  double (*of)(const Found&, const Whole&);
};
constexpr std::array kMetrics = {
    Metric{"accuracy",
           [](const Found& f, const Whole& w) { return ratio(f.positions, w.positions); }},
    Metric{"sequence_accuracy",
           [](const Found& f, const Whole& w) { return ratio(f.sequences, w.sequences); }},
    Metric{"chunk_precision",
           [](const Found& f, const Whole&) { return ratio(f.right_chunks, f.chunks); }},
    Metric{"chunk_recall",
           [](const Found& f, const Whole& w) { return ratio(f.right_chunks, w.chunks); }},
    Metric{"chunk_f1", [](const Found& f, const Whole& w) {
             return ratio(2 * f.right_chunks, f.chunks + w.chunks);
           }}};
constexpr std::size_t kWithoutChunks = 2;  // the first metrics

// The number below which a part q of the sorted list lies, between two where q says so.
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = at - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

std::size_t matching(const std::vector<Chunk>& a, const std::vector<Chunk>& b) {
  std::size_t count = 0, k = 0;
  for (const Chunk& each : a) {
    while (k < b.size() && b[k].begin < each.begin) ++k;
    count += k < b.size() && b[k] == each ? 1 : 0;
  }
  return count;
}

}  // namespace

struct Comparison::Counts {
  Whole whole;
  Found found[2];
};

Comparison::Comparison(const ComparisonOptions& options) : options_(options) {
  if (options.draws == 0) throw UsageError("--draws must be at least 1");
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw UsageError("--confidence must be between 0 and 1, such as 0.95");
  }
}

std::uint32_t Comparison::id_of(std::string_view label) {
  const auto [at, is_new] =
      ids_.try_emplace(std::string(label), static_cast<std::uint32_t>(labels_.size()));
  if (is_new) labels_.emplace_back(label);
  return at->second;
}

void Comparison::add(std::span<const std::string_view> gold,
                     std::span<const std::string_view> first,
                     std::span<const std::string_view> second) {
  if (first.size() != gold.size() || second.size() != gold.size()) {
    throw Error("a sequence of ", gold.size(), " labels has ", first.size(), " and ", second.size(),
                " predicted ones");
  }
  const std::size_t number = added_++;
  if (gold.empty()) return;
  for (std::size_t t = 0; t < gold.size(); ++t) {
    gold_.push_back(id_of(gold[t]));
    labelled_[0].push_back(id_of(first[t]));
    labelled_[1].push_back(id_of(second[t]));
  }
  end_.push_back(gold_.size());
  number_.push_back(number);
}

// What each sequence adds to the sums that metrics are made of.
std::vector<Comparison::Counts> Comparison::counts() const {
  std::vector<std::string_view> names(labels_.begin(), labels_.end());
  const ChunkScheme scheme =
      options_.scheme == ChunkScheme::automatic ? detect_scheme(names) : options_.scheme;
  std::vector<Counts> all(end_.size());
  std::vector<std::string_view> labels;
  const auto chunks = [&](const std::vector<std::uint32_t>& ids, std::size_t begin,
                          std::size_t end) {
    labels.clear();
    for (std::size_t k = begin; k < end; ++k) labels.push_back(labels_[ids[k]]);
    return chunks_of(labels, scheme);
  };
  for (std::size_t n = 0; n < end_.size(); ++n) {
    const std::size_t begin = n == 0 ? 0 : end_[n - 1], end = end_[n];
    Counts& own = all[n];
    const std::vector<Chunk> gold =
        scheme == ChunkScheme::none ? std::vector<Chunk>() : chunks(gold_, begin, end);
    own.whole = {end - begin, 1, gold.size()};
    for (const std::size_t which : {0, 1}) {
      Found& found = own.found[which];
      for (std::size_t k = begin; k < end; ++k) {
        found.positions += labelled_[which][k] == gold_[k] ? 1 : 0;
      }
      found.sequences = found.positions == end - begin ? 1 : 0;
      if (scheme == ChunkScheme::none) continue;
      const std::vector<Chunk> predicted = chunks(labelled_[which], begin, end);
      found.chunks = predicted.size();
      found.right_chunks = matching(gold, predicted);
    }
  }
  return all;
}

namespace {

using Differences = std::vector<std::vector<double>>;  // [metrics][draws]

template <class Counts>
Differences bootstrap(const std::vector<Counts>& all, std::size_t metrics, std::size_t draws,
                      std::uint64_t seed) {
  Random random(seed);
  Differences out(metrics);
  for (std::size_t d = 0; d < draws; ++d) {
    Whole whole;
    Found found[2];
    for (std::size_t n = 0; n < all.size(); ++n) {
      const Counts& drawn = all[random.below(all.size())];
      whole.add(drawn.whole);
      for (const std::size_t which : {0, 1}) found[which].add(drawn.found[which]);
    }
    for (std::size_t m = 0; m < metrics; ++m) {
      out[m].push_back(kMetrics[m].of(found[1], whole) - kMetrics[m].of(found[0], whole));
    }
  }
  for (std::vector<double>& each : out) std::ranges::sort(each);
  return out;
}

// How often the difference by lot is as large as the one seen, either way.
template <class Counts>
std::vector<std::size_t> randomise(const std::vector<Counts>& all, const Whole& whole,
                                   std::span<const double> seen, std::size_t draws,
                                   std::uint64_t seed) {
  constexpr double kSame = 1e-12;  // a difference that rounding alone makes smaller
  Random random(seed);
  std::vector<std::size_t> count(seen.size());
  for (std::size_t d = 0; d < draws; ++d) {
    Found found[2];
    std::uint64_t lots = 0;
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (n % 64 == 0) lots = random.next();
      const std::size_t first = lots & 1;
      lots >>= 1;
      found[first].add(all[n].found[0]);
      found[1 - first].add(all[n].found[1]);
    }
    for (std::size_t m = 0; m < seen.size(); ++m) {
      const double by_lot = kMetrics[m].of(found[1], whole) - kMetrics[m].of(found[0], whole);
      count[m] += std::abs(by_lot) >= std::abs(seen[m]) - kSame ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

ComparisonSummary Comparison::summary() const {
  if (end_.empty()) throw Error("there is no labelled sequence to compare on");
  const std::vector<Counts> all = counts();
  Whole whole;
  Found found[2];
  for (const Counts& each : all) {
    whole.add(each.whole);
    for (const std::size_t which : {0, 1}) found[which].add(each.found[which]);
  }
  const bool chunks = whole.chunks + found[0].chunks + found[1].chunks > 0;
  const std::size_t metrics = chunks ? kMetrics.size() : kWithoutChunks;
  ComparisonSummary out{.sequences = all.size(), .positions = whole.positions};
  for (std::size_t k = 0; k < gold_.size(); ++k) {
    if (labelled_[0][k] == labelled_[1][k]) continue;
    ++out.differing;
    out.first_only += labelled_[0][k] == gold_[k] ? 1 : 0;
    out.second_only += labelled_[1][k] == gold_[k] ? 1 : 0;
  }
  std::vector<double> seen;
  for (std::size_t m = 0; m < metrics; ++m) {
    const double first = kMetrics[m].of(found[0], whole), second = kMetrics[m].of(found[1], whole);
    out.metrics.push_back({.name = kMetrics[m].name, .first = first, .second = second});
    seen.push_back(second - first);
  }
  Random seeds(options_.seed);
  const Differences drawn = bootstrap(all, metrics, options_.draws, seeds.next());
  const auto as_large = randomise(all, whole, seen, options_.draws, seeds.next());
  const double tail = (1 - options_.confidence) / 2;
  for (std::size_t m = 0; m < metrics; ++m) {
    out.metrics[m].low = quantile(drawn[m], tail);
    out.metrics[m].high = quantile(drawn[m], 1 - tail);
    out.metrics[m].p =
        static_cast<double>(1 + as_large[m]) / static_cast<double>(1 + options_.draws);
  }
  for (std::size_t n = 0; n < all.size(); ++n) {
    ComparedSequence one{.number = number_[n],
                         .first_right = all[n].found[0].positions,
                         .second_right = all[n].found[1].positions};
    for (std::size_t k = n == 0 ? 0 : end_[n - 1]; k < end_[n]; ++k) {
      one.differing += labelled_[0][k] != labelled_[1][k] ? 1 : 0;
    }
    if (one.differing > 0) out.most.push_back(one);
  }
  std::ranges::stable_sort(out.most, std::ranges::greater{}, &ComparedSequence::differing);
  if (out.most.size() > options_.shown) out.most.resize(options_.shown);
  return out;
}

std::string format_comparison(const ComparisonSummary& s, std::string_view first,
                              std::string_view second, double confidence) {
  std::string out = fmt::format("first   {}\nsecond  {}\n\n{:<20}{:>10}{:>10}{:>12}{:>22}{:>10}\n",
                                first, second, "", "first", "second", "difference",
                                fmt::format("{:g} % interval", 100 * confidence), "p");
  for (const ComparedMetric& each : s.metrics) {
    std::string name = each.name;
    std::ranges::replace(name, '_', ' ');
    out += fmt::format("{:<20}{:>10.2f}{:>10.2f}{:>+12.2f}{:>22}{:>10.4f}\n", name,
                       100 * each.first, 100 * each.second, 100 * each.difference(),
                       fmt::format("[{:+.2f}, {:+.2f}]", 100 * each.low, 100 * each.high), each.p);
  }
  const std::size_t neither = s.differing - s.first_only - s.second_only;
  out += fmt::format(
      "\n{}, {}; {} differ: {} where the first alone is right, {} where "
      "the "
      "second alone is, {} where neither is\n",
      counted(s.sequences, "sequence"), counted(s.positions, "label"),
      counted(s.differing, "label"), s.first_only, s.second_only, neither);
  return out;
}

Json to_json(const ComparisonSummary& s) {
  Json metrics = Json::object(KeyOrder::as_written), most = Json::array();
  for (const ComparedMetric& each : s.metrics) {
    metrics[each.name] = {
        {"first", each.first}, {"second", each.second}, {"difference", each.difference()},
        {"low", each.low},     {"high", each.high},     {"p", each.p}};
  }
  for (const ComparedSequence& each : s.most) {
    most.push_back(Json{{"sequence", each.number},
                        {"differing", each.differing},
                        {"first_right", each.first_right},
                        {"second_right", each.second_right}});
  }
  return {{"sequences", s.sequences},
          {"positions", s.positions},
          {"differing", s.differing},
          {"first_only", s.first_only},
          {"second_only", s.second_only},
          {"metrics", metrics},
          {"most", most}};
}

}  // namespace croft
