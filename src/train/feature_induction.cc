#include "croft/train/feature_induction.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft {
namespace {

using Has = std::function<bool(std::span<const std::uint32_t>, Label)>;

// The best candidates, of which there may be at most so many.
class BestCandidates {
 public:
  BestCandidates(std::size_t most, double least) : most_(most), least_(least) {}

  // A gain that is not above this is of no use.
  double least() const { return least_; }
  void raise_least(double least) { least_ = std::max(least_, least); }
  void add(const FeatureCandidate& candidate) {
    list_.push_back(candidate);
    if (list_.size() >= 2 * most_ + 64) shrink();
  }
  void add(const BestCandidates& other) {
    for (const FeatureCandidate& each : other.list_) add(each);
  }
  void clear() { list_.clear(); }
  void shrink() {
    if (list_.size() <= most_) return;
    std::nth_element(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(most_ - 1),
                     list_.end(), better);
    list_.resize(most_);
    raise_least(list_[most_ - 1].gain.gain);
  }
  std::vector<FeatureCandidate> take() {
    shrink();
    std::ranges::sort(list_, better);
    return std::move(list_);
  }

 private:
  std::size_t most_;
  double least_;
  std::vector<FeatureCandidate> list_;
};

// Where something holds: indices into GainData::places, increasing, with its value there.
struct Posting {
  std::uint32_t place;
  double value;
};
using Postings = std::vector<Posting>;

// The attributes that are often enough at the places, by rank: the rarest first, so that what is
// extended is short.
class RankedPlaces {
 public:
  RankedPlaces(const GainData& data, const std::vector<bool>& is_test, std::size_t min_count);

  struct Item {
    std::uint32_t rank;
    double value;
  };
  std::size_t ranks() const { return attribute_.size(); }
  std::uint32_t attribute(std::size_t rank) const { return attribute_[rank]; }
  // Of a place: those with a higher rank.
  std::span<const Item> after(std::uint32_t place, std::uint32_t rank) const {
    const auto begin = item_.begin() + static_cast<std::ptrdiff_t>(begin_[place]);
    const auto end = item_.begin() + static_cast<std::ptrdiff_t>(begin_[place + 1]);
    return {std::upper_bound(begin, end, rank,
                             [](std::uint32_t r, const Item& item) { return r < item.rank; }),
            end};
  }
  Postings postings(std::size_t rank) const {
    return {posting_.begin() + static_cast<std::ptrdiff_t>(first_[rank]),
            posting_.begin() + static_cast<std::ptrdiff_t>(first_[rank + 1])};
  }

 private:
  void append_items(const GainData& data, std::uint32_t position,
                    const std::vector<std::uint32_t>& rank_of);
  std::vector<std::uint32_t> attribute_;  // by rank
  std::vector<std::uint64_t> begin_{0};   // [places + 1] into item_
  std::vector<Item> item_;
  std::vector<std::uint64_t> first_;  // [ranks + 1] into posting_
  std::vector<Posting> posting_;
};

RankedPlaces::RankedPlaces(const GainData& data, const std::vector<bool>& is_test,
                           std::size_t min_count) {
  std::vector<std::uint32_t> count(is_test.size()), rank_of(is_test.size(), kUnknown);
  for (const std::uint32_t p : data.places) {
    for (std::uint64_t k = data.atoms.begin[p]; k < data.atoms.begin[p + 1]; ++k) {
      ++count[data.atoms.id[k]];
    }
  }
  for (std::uint32_t a = 0; a < is_test.size(); ++a) {
    if (is_test[a] && count[a] >= min_count) attribute_.push_back(a);
  }
  std::ranges::stable_sort(attribute_, {}, [&](std::uint32_t a) { return count[a]; });
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) rank_of[attribute_[rank]] = rank;
  for (const std::uint32_t p : data.places) append_items(data, p, rank_of);
  first_.assign(ranks() + 1, 0);
  for (const Item& item : item_) ++first_[item.rank + 1];
  for (std::size_t rank = 0; rank < ranks(); ++rank) first_[rank + 1] += first_[rank];
  posting_.resize(item_.size());
  std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t place = 0; place + 1 < begin_.size(); ++place) {
    for (std::uint64_t k = begin_[place]; k < begin_[place + 1]; ++k) {
      posting_[next[item_[k].rank]++] = {place, item_[k].value};
    }
  }
}

// An attribute that comes twice counts once, with the sum of its values (features/conjunctions.h).
void RankedPlaces::append_items(const GainData& data, std::uint32_t position,
                                const std::vector<std::uint32_t>& rank_of) {
  const AttributeLists& atoms = data.atoms;
  const auto first = static_cast<std::ptrdiff_t>(item_.size());
  for (std::uint64_t k = atoms.begin[position]; k < atoms.begin[position + 1]; ++k) {
    const std::uint32_t rank = rank_of[atoms.id[k]];
    if (rank != kUnknown) item_.push_back({rank, atoms.value.empty() ? 1.0 : atoms.value[k]});
  }
  std::stable_sort(item_.begin() + first, item_.end(),
                   [](const Item& a, const Item& b) { return a.rank < b.rank; });
  auto to = item_.begin() + first;
  for (auto from = to; from != item_.end();) {
    Item sum = *from++;
    for (; from != item_.end() && from->rank == sum.rank; ++from) sum.value += from->value;
    if (sum.value != 0) *to++ = sum;
  }
  item_.erase(to, item_.end());
  begin_.push_back(item_.size());
}

// The candidates that begin with one attribute: itself, and with every one of higher rank.
class CandidateSearch {
 public:
  CandidateSearch(const GainData& data, const RankedPlaces& places, const Has& has,
                  const Regulariser& regulariser, const InductionOptions& options)
      : data_(data), places_(places), has_(has), regulariser_(regulariser), options_(options) {}

  struct Worker {
    explicit Worker(const BestCandidates& empty) : best(empty) {}
    BestCandidates best;
    std::vector<double> excess;  // [L]
    std::vector<GainPlace> gain_places;
    std::vector<std::uint32_t> parts;  // ranks
    std::vector<std::uint32_t> count;  // [ranks] 0
  };

  void run(std::uint32_t rank, Worker& own) const {
    own.count.resize(places_.ranks());
    own.parts.assign(1, rank);
    extend(places_.postings(rank), own);
  }

 private:
  void extend(const Postings& postings, Worker& own) const;
  void evaluate(const Postings& postings, Worker& own) const;
  FeatureCandidate candidate(const Worker& own) const;

  const GainData& data_;
  const RankedPlaces& places_;
  const Has& has_;
  const Regulariser& regulariser_;
  const InductionOptions& options_;
};

// own.parts holds at the postings; its extensions by one more come after it.
void CandidateSearch::extend(const Postings& postings, Worker& own) const {
  evaluate(postings, own);
  if (own.parts.size() == options_.size) return;
  const std::uint32_t last = own.parts.back();
  std::vector<std::uint32_t> next;
  for (const Posting& at : postings) {
    for (const RankedPlaces::Item& item : places_.after(at.place, last)) {
      if (++own.count[item.rank] == options_.min_count) next.push_back(item.rank);
    }
  }
  std::ranges::sort(next);
  // count becomes the place of each extension's list, counted from 1.
  std::vector<Postings> lists(next.size());
  for (std::size_t k = 0; k < next.size(); ++k) lists[k].reserve(own.count[next[k]]);
  for (const Posting& at : postings) {
    for (const RankedPlaces::Item& item : places_.after(at.place, last)) own.count[item.rank] = 0;
  }
  for (std::size_t k = 0; k < next.size(); ++k) {
    own.count[next[k]] = static_cast<std::uint32_t>(k) + 1;
  }
  for (const Posting& at : postings) {
    for (const RankedPlaces::Item& item : places_.after(at.place, last)) {
      const std::uint32_t k = own.count[item.rank];
      if (k > 0) lists[k - 1].push_back({at.place, at.value * item.value});
    }
  }
  for (const std::uint32_t rank : next) own.count[rank] = 0;
  for (std::size_t k = 0; k < next.size(); ++k) {
    own.parts.push_back(next[k]);
    extend(lists[k], own);
    own.parts.pop_back();
    lists[k] = {};
  }
}

FeatureCandidate CandidateSearch::candidate(const Worker& own) const {
  FeatureCandidate made;
  for (const std::uint32_t rank : own.parts) {
    const std::uint32_t a = places_.attribute(rank);
    std::uint32_t at = made.parts++;
    for (; at > 0 && made.part[at - 1] > a; --at) made.part[at] = made.part[at - 1];
    made.part[at] = a;
  }
  return made;
}

// All labels of the conjunction own.parts.
void CandidateSearch::evaluate(const Postings& postings, Worker& own) const {
  const std::size_t labels = data_.probability.columns();
  own.excess.assign(labels, 0.0);
  for (const Posting& at : postings) {
    const std::uint32_t p = data_.places[at.place];
    const double share = data_.weight[at.place] * at.value;
    const float* row = data_.probability.row(p);
    for (std::size_t j = 0; j < labels; ++j) own.excess[j] -= share * double{row[j]};
    own.excess[data_.label[p]] += share;
  }
  std::uint64_t hash = 0;
  bool hashed = false;
  for (Label j = 0; j < labels; ++j) {
    if (!(gain_bound(own.excess[j], regulariser_) > own.best.least())) continue;
    own.gain_places.clear();
    for (const Posting& at : postings) {
      const std::uint32_t p = data_.places[at.place];
      own.gain_places.push_back(
          {double{data_.probability(p, j)}, at.value, data_.weight[at.place], data_.label[p] == j});
    }
    const FeatureGain gain = best_gain(own.gain_places, regulariser_);
    if (!(gain.gain > own.best.least())) continue;
    FeatureCandidate made = candidate(own);
    if (has_(made.attributes(), j)) continue;
    for (std::size_t k = 0; !hashed && k < postings.size(); ++k) {
      hash += hash_of_place(data_.places[postings[k].place], postings[k].value);
    }
    hashed = true;
    made.label = j;
    made.gain = gain;
    made.places = hash;
    own.best.add(made);
  }
}

}  // namespace

std::uint64_t hash_of_place(std::uint32_t position, double value) {
  return Random(std::bit_cast<std::uint64_t>(value) + position).next();
}

bool better(const FeatureCandidate& a, const FeatureCandidate& b) {
  if (a.gain.gain != b.gain.gain) return a.gain.gain > b.gain.gain;
  if (a.parts != b.parts) return a.parts < b.parts;
  if (a.part != b.part) return a.part < b.part;
  return a.label < b.label;
}

void InductionOptions::validate() const {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw UsageError(what);
  };
  require(size >= 1 && size <= kMostParts,
          fmt::format("--induce-size {} is not 1 to {}", size, kMostParts));
  require(size > 1 || from_nothing,
          "--induce-size 1 finds single attributes, which have features already: take 2, or "
          "--induce-from nothing");
  require(batch >= 1 && rounds >= 1 && iterations >= 1 && min_count >= 1,
          "--induce-batch, --induce-rounds, --induce-iterations and --induce-count are at least 1");
  require(min_gain >= 0 && std::isfinite(min_gain),
          fmt::format("--induce-gain {} is not a finite number of 0 or more", min_gain));
}

std::vector<FeatureCandidate> find_candidates(const GainData& data,
                                              const std::vector<bool>& is_test, const Has& has,
                                              const Regulariser& regulariser,
                                              const InductionOptions& options, std::size_t most,
                                              ThreadPool& pool) {
  // What the best so far gain is known to the tasks of the next wave: so it depends on no thread.
  constexpr std::size_t kTasksPerWave = 64;
  const RankedPlaces places(data, is_test, options.min_count);
  const CandidateSearch search(data, places, has, regulariser, options);
  BestCandidates best(2 * most, options.min_gain);
  std::vector<CandidateSearch::Worker> workers(pool.threads(), CandidateSearch::Worker(best));
  // From the most frequent on, whose gains are the largest: soon little else comes near.
  for (std::size_t done = 0; done < places.ranks(); done += kTasksPerWave) {
    best.shrink();
    const BestCandidates empty(2 * most, best.least());
    pool.run_ordered(
        std::min(kTasksPerWave, places.ranks() - done),
        [&](std::size_t task, std::size_t worker) {
          workers[worker].best = empty;
          search.run(static_cast<std::uint32_t>(places.ranks() - 1 - done - task), workers[worker]);
        },
        [&](std::size_t, std::size_t worker) { best.add(workers[worker].best); });
  }
  std::vector<FeatureCandidate> found = best.take();
  std::vector<std::pair<std::uint64_t, Label>> seen;
  std::erase_if(found, [&](const FeatureCandidate& each) {
    const std::pair key{each.places, each.label};
    const auto at = std::ranges::lower_bound(seen, key);
    const bool again = at != seen.end() && *at == key;
    if (!again) seen.insert(at, key);
    return again;
  });
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace croft
