// What candidates of one label gain over all positions of the data.
#include "train/induction/candidate_walk.h"

#include <algorithm>
#include <tuple>

#include "croft/core/interrupt.h"
#include "train/induction/feature_rounds.h"

namespace croft {
namespace {

struct Place {
  std::uint32_t position;
  double value, weight;
};

}  // namespace

void FeatureRoundsTraining::find_hits(const ConjunctionIndex& index, std::uint64_t position,
                                      ConjunctionIndex::Scratch& scratch,
                                      std::vector<ConjunctionIndex::Hit>& hits) const {
  const AttributeLists& node = whole_.node;
  const std::size_t begin = node.begin[position], length = node.begin[position + 1] - begin;
  hits.clear();
  index.find(
      std::span(node.id).subspan(begin, length),
      node.value.empty() ? std::span<const double>() : std::span(node.value).subspan(begin, length),
      scratch, hits);
}

// Gains and hashes of all places.
void FeatureRoundsTraining::measure(const Matrix<float>& probability,
                                    std::vector<FeatureCandidate>& found) const {
  std::vector<std::uint32_t> number;  // of the attributes, in the index
  const ConjunctionIndex index = index_of(found, number);
  std::vector<std::vector<Place>> places(index.size());
  std::vector<std::uint64_t> hash(index.size());  // of all places
  ConjunctionIndex::Scratch scratch;
  std::vector<ConjunctionIndex::Hit> hits;
  for (std::size_t n = 0; n < whole_.sequences(); ++n) {
    Abandonable::look();
    for (std::uint64_t p = whole_.sequence_begin[n]; p < whole_.sequence_begin[n + 1]; ++p) {
      find_hits(index, p, scratch, hits);
      for (const ConjunctionIndex::Hit& hit : hits) {
        places[hit.conjunction].push_back(
            {static_cast<std::uint32_t>(p), hit.value, whole_.sequence_weight(n)});
        hash[hit.conjunction] += hash_of_place(static_cast<std::uint32_t>(p), hit.value);
      }
    }
  }
  pool_.run(found.size(), [&](std::size_t k, std::size_t) {
    FeatureCandidate& candidate = found[k];
    std::vector<GainPlace> gain_places;
    candidate.places = hash[number[k]];
    for (const Place& at : places[number[k]]) {
      gain_places.push_back({double{probability(at.position, candidate.label)}, at.value, at.weight,
                             whole_.label[at.position] == candidate.label});
    }
    candidate.gain = best_gain(gain_places, o_.regulariser);
    if (whole_.node.value.empty()) shorten(candidate, gain_places.size(), count_);
  });
}

namespace {

// The attributes that are often enough at the places, by rank: the rarest first, so that what is
// extended is short.
class RankedPlaces {
 public:
  RankedPlaces(const AttributeLists& atoms, std::span<const std::uint32_t> places,
               const std::vector<bool>& is_test, std::size_t min_count);

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
  PostingList postings(std::size_t rank) const {
    return {posting_.begin() + static_cast<std::ptrdiff_t>(first_[rank]),
            posting_.begin() + static_cast<std::ptrdiff_t>(first_[rank + 1])};
  }

 private:
  void append_items(const AttributeLists& atoms, std::uint32_t position,
                    const std::vector<std::uint32_t>& rank_of);
  std::vector<std::uint32_t> attribute_;  // by rank
  std::vector<std::uint64_t> begin_{0};   // [places + 1] into item_
  std::vector<Item> item_;
  std::vector<std::uint64_t> first_;  // [ranks + 1] into posting_
  std::vector<Posting> posting_;
};

RankedPlaces::RankedPlaces(const AttributeLists& atoms, std::span<const std::uint32_t> places,
                           const std::vector<bool>& is_test, std::size_t min_count) {
  std::vector<std::uint32_t> count(is_test.size()), rank_of(is_test.size(), kUnknown);
  for (const std::uint32_t p : places) {
    for (std::uint64_t k = atoms.begin[p]; k < atoms.begin[p + 1]; ++k) {
      ++count[atoms.id[k]];
    }
  }
  for (std::uint32_t a = 0; a < is_test.size(); ++a) {
    if (is_test[a] && count[a] >= min_count) attribute_.push_back(a);
  }
  std::ranges::stable_sort(attribute_, {}, [&](std::uint32_t a) { return count[a]; });
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) rank_of[attribute_[rank]] = rank;
  for (const std::uint32_t p : places) append_items(atoms, p, rank_of);
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
void RankedPlaces::append_items(const AttributeLists& atoms, std::uint32_t position,
                                const std::vector<std::uint32_t>& rank_of) {
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
class CandidateWalk {
 public:
  // Made by the thread that asks for the walk: it may end where that thread can do without.
  CandidateWalk(const RankedPlaces& places, const InductionOptions& options)
      : places_(places), options_(options), abandonable_(Abandonable::here()) {}

  struct Worker {
    BestCandidates best;
    std::unique_ptr<CandidateJudge> judge;
    std::vector<std::uint32_t> parts{};  // ranks
    std::vector<std::uint32_t> count{};  // [ranks] 0
  };

  void run(std::uint32_t rank, Worker& own) const {
    own.count.resize(places_.ranks());
    own.parts.assign(1, rank);
    extend(places_.postings(rank), own);
  }

 private:
  void extend(const PostingList& postings, Worker& own) const;
  FeatureCandidate candidate(const Worker& own) const;

  const RankedPlaces& places_;
  const InductionOptions& options_;
  const bool abandonable_;
};

// own.parts holds at the postings; its extensions by one more come after it.
void CandidateWalk::extend(const PostingList& postings, Worker& own) const {
  own.judge->judge(candidate(own), postings, own.best);
  if (own.parts.size() == options_.size || (abandonable_ && interruption)) return;
  const std::uint32_t last = own.parts.back();
  std::vector<std::uint32_t> next;
  for (const Posting& at : postings) {
    for (const RankedPlaces::Item& item : places_.after(at.place, last)) {
      if (++own.count[item.rank] == options_.min_count) next.push_back(item.rank);
    }
  }
  std::ranges::sort(next);
  // count becomes the place of each extension's list, counted from 1.
  std::vector<PostingList> lists(next.size());
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

FeatureCandidate CandidateWalk::candidate(const Worker& own) const {
  FeatureCandidate made;
  for (const std::uint32_t rank : own.parts) {
    const std::uint32_t a = places_.attribute(rank);
    std::uint32_t at = made.parts++;
    for (; at > 0 && made.part[at - 1] > a; --at) made.part[at] = made.part[at - 1];
    made.part[at] = a;
  }
  return made;
}

}  // namespace

void BestCandidates::add(const FeatureCandidate& candidate) {
  list_.push_back(candidate);
  if (list_.size() >= 2 * most_ + 64) shrink();
}

void BestCandidates::add(const BestCandidates& other) {
  for (const FeatureCandidate& each : other.list_) add(each);
}

void BestCandidates::shrink() {
  if (list_.size() <= most_) return;
  std::nth_element(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(most_ - 1),
                   list_.end(), better);
  list_.resize(most_);
  least_ = std::max(least_, list_[most_ - 1].gain.gain);
}

std::vector<FeatureCandidate> BestCandidates::take() {
  shrink();
  std::ranges::sort(list_, better);
  return std::move(list_);
}

void drop_repeated(std::vector<FeatureCandidate>& candidates) {
  std::vector<std::tuple<std::uint64_t, Label, Label>> seen;
  std::erase_if(candidates, [&](const FeatureCandidate& each) {
    const std::tuple key{each.places, each.label, each.from};
    const auto at = std::ranges::lower_bound(seen, key);
    const bool again = at != seen.end() && *at == key;
    if (!again) seen.insert(at, key);
    return again;
  });
}

std::vector<FeatureCandidate> walk_candidates(
    const AttributeLists& atoms, std::span<const std::uint32_t> places,
    const std::vector<bool>& is_test, const InductionOptions& options, std::size_t most,
    ThreadPool& pool, const std::function<std::unique_ptr<CandidateJudge>()>& make_judge) {
  // What the best so far gain is known to the tasks of the next wave: so it depends on no thread.
  constexpr std::size_t kTasksPerWave = 64;
  const RankedPlaces ranked(atoms, places, is_test, options.min_count);
  const CandidateWalk walk(ranked, options);
  BestCandidates best(2 * most, options.min_gain);
  std::vector<CandidateWalk::Worker> workers;
  for (std::size_t k = 0; k < pool.threads(); ++k) workers.push_back({best, make_judge()});
  // From the most frequent on, whose gains are the largest: soon little else comes near.
  for (std::size_t done = 0; done < ranked.ranks(); done += kTasksPerWave) {
    best.shrink();
    const BestCandidates empty(2 * most, best.least());
    Abandonable::look();
    pool.run_ordered(
        std::min(kTasksPerWave, ranked.ranks() - done),
        [&](std::size_t task, std::size_t worker) {
          workers[worker].best = empty;
          walk.run(static_cast<std::uint32_t>(ranked.ranks() - 1 - done - task), workers[worker]);
        },
        [&](std::size_t, std::size_t worker) { best.add(workers[worker].best); });
  }
  Abandonable::look();
  std::vector<FeatureCandidate> found = best.take();
  drop_repeated(found);
  if (found.size() > most) found.resize(most);
  return found;
}

ConjunctionIndex index_of(const std::vector<FeatureCandidate>& found,
                          std::vector<std::uint32_t>& number) {
  ConjunctionIndex index;
  number.resize(found.size());
  std::vector<std::size_t> order(found.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return found[k].part; });
  for (std::size_t n = 0; n < order.size(); ++n) {
    const bool same =
        n > 0 && std::ranges::equal(found[order[n]].attributes(), found[order[n - 1]].attributes());
    number[order[n]] = same ? number[order[n - 1]] : index.add(found[order[n]].attributes());
  }
  index.finish();
  return index;
}

void shorten(FeatureCandidate& candidate, std::size_t places,
             const std::vector<std::uint32_t>& count) {
  for (std::size_t n = 0; candidate.parts > 1 && n < candidate.parts; ++n) {
    if (count[candidate.part[n]] != places) continue;
    candidate.part = {candidate.part[n]};
    candidate.parts = 1;
  }
}

}  // namespace croft
