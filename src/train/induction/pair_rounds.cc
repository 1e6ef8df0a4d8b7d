// Candidates with pairs of labels: found at the edges in error, measured at all edges.
#include <algorithm>

#include "train/induction/candidate_walk.h"
#include "train/induction/feature_pairs.h"
#include "train/induction/feature_rounds.h"

namespace croft {
namespace {

// Pairs of labels of a lower probability are not listed where candidates are searched.
constexpr double kLeastPair = 1e-3;
// Sequences of a task.
constexpr std::size_t kSequencesAtOnce = 64;

// Appends the likelier pairs of an edge.
void append_pairs(const Matrix<double>& p, EdgePlaces& edges) {
  const std::size_t labels = p.columns();
  for (std::uint32_t c = 0; c < labels * labels; ++c) {
    const double each = p(c / labels, c % labels);
    if (each < kLeastPair) continue;
    edges.cell.push_back(c);
    edges.probability.push_back(static_cast<float>(each));
  }
  edges.begin.push_back(edges.cell.size());
}

void append_edges(const EdgePlaces& part, EdgePlaces& edges) {
  const std::uint64_t before = edges.cell.size();
  edges.cell.insert(edges.cell.end(), part.cell.begin(), part.cell.end());
  edges.probability.insert(edges.probability.end(), part.probability.begin(),
                           part.probability.end());
  for (std::size_t k = 1; k < part.begin.size(); ++k) {
    edges.begin.push_back(before + part.begin[k]);
  }
}

}  // namespace

// The edges that a position in error is at an end of.
std::vector<std::uint32_t> FeatureRoundsTraining::edges_of(
    const std::vector<std::uint32_t>& errors) const {
  std::vector<std::uint32_t> edges;
  std::size_t n = 0;
  for (const std::uint32_t p : errors) {
    while (whole_.sequence_begin[n + 1] <= p) ++n;
    if (p > whole_.sequence_begin[n] && (edges.empty() || edges.back() != p)) edges.push_back(p);
    if (p + 1 < whole_.sequence_begin[n + 1]) edges.push_back(p + 1);
  }
  return edges;
}

// What the model says of these edges.
EdgePlaces FeatureRoundsTraining::edge_places(const EdgeProbabilities& model, Places drawn) const {
  const auto before = [&](std::size_t n) {  // how many are of sequences before n
    return static_cast<std::size_t>(
        std::ranges::lower_bound(drawn.position, whole_.sequence_begin[n]) -
        drawn.position.begin());
  };
  struct Worker {
    EdgeProbabilities::Scratch scratch;
    EdgePlaces part;
  };
  std::vector<Worker> workers(pool_.threads());
  EdgePlaces edges;
  pool_.run_ordered(
      (whole_.sequences() + kSequencesAtOnce - 1) / kSequencesAtOnce,
      [&](std::size_t task, std::size_t worker) {
        auto& [scratch, part] = workers[worker];
        part = {};
        const std::size_t end = std::min(whole_.sequences(), (task + 1) * kSequencesAtOnce);
        for (std::size_t n = task * kSequencesAtOnce; n < end; ++n) {
          const std::size_t first = before(n);
          model.visit(
              n, std::span(drawn.position).subspan(first, before(n + 1) - first), scratch,
              [&part = part](std::size_t, const Matrix<double>& p) { append_pairs(p, part); });
        }
      },
      [&](std::size_t, std::size_t worker) { append_edges(workers[worker].part, edges); });
  for (const std::uint32_t p : drawn.position) edges.gold.push_back(gold_pair(p));
  edges.position = std::move(drawn.position);
  edges.weight = std::move(drawn.weight);
  return edges;
}

std::uint32_t FeatureRoundsTraining::gold_pair(std::uint64_t p) const {
  return static_cast<std::uint32_t>(whole_.label[p - 1] * t_.labels() + whole_.label[p]);
}

std::vector<FeatureCandidate> FeatureRoundsTraining::pair_candidates(
    const std::vector<std::uint32_t>& errors, std::size_t most) {
  const EdgeProbabilities model(t_.encoder_.data, t_.layout_, t_.weights_, pool_);
  std::vector<FeatureCandidate> found = find_pair_candidates(
      whole_.node, edge_places(model, draw(edges_of(errors))), t_.labels(), is_test_,
      [&](const FeatureCandidate& each) { return has(each); }, o_.regulariser, *o_.rounds.induction,
      most, pool_);
  measure_pairs(model, found);
  return found;
}

// One thread's part of measure_pairs().
struct FeatureRoundsTraining::PairMeasure {
  struct Found {
    std::uint32_t candidate;
    GainPlace place;
    std::uint64_t hash;
  };
  const EdgeProbabilities& model;
  const std::vector<FeatureCandidate>& candidates;
  const ConjunctionIndex& index;
  const std::vector<std::vector<std::uint32_t>>& of_conjunction;  // candidates
  EdgeProbabilities::Scratch scratch{};
  ConjunctionIndex::Scratch index_scratch{};
  std::vector<ConjunctionIndex::Hit> hits{};
  std::vector<std::uint32_t> positions{};                     // of a sequence, with a hit
  std::vector<std::vector<ConjunctionIndex::Hit>> hits_at{};  // of each of them
  std::vector<Found> found{};
};

// Appends what candidates have at the edges of sequence n; probabilities are computed where one
// holds.
void FeatureRoundsTraining::measure_edges(std::size_t n, PairMeasure& own) const {
  own.positions.clear();
  own.hits_at.clear();
  for (std::uint64_t p = whole_.sequence_begin[n] + 1; p < whole_.sequence_begin[n + 1]; ++p) {
    find_hits(own.index, p, own.index_scratch, own.hits);
    if (own.hits.empty()) continue;
    own.positions.push_back(static_cast<std::uint32_t>(p));
    own.hits_at.push_back(own.hits);
  }
  own.model.visit(n, own.positions, own.scratch, [&](std::size_t k, const Matrix<double>& p) {
    const std::uint32_t gold = gold_pair(own.positions[k]);
    for (const ConjunctionIndex::Hit& hit : own.hits_at[k]) {
      for (const std::uint32_t c : own.of_conjunction[hit.conjunction]) {
        const FeatureCandidate& each = own.candidates[c];
        own.found.push_back({c,
                             {std::clamp(p(each.from, each.label), 0.0, 1.0), hit.value,
                              whole_.sequence_weight(n), gold == pair_of(each)},
                             hash_of_place(own.positions[k], hit.value)});
      }
    }
  });
}

// As measure(), at all edges.
void FeatureRoundsTraining::measure_pairs(const EdgeProbabilities& model,
                                          std::vector<FeatureCandidate>& found) const {
  std::vector<std::uint32_t> number;
  const ConjunctionIndex index = index_of(found, number);
  std::vector<std::vector<std::uint32_t>> of_conjunction(index.size());
  for (std::uint32_t k = 0; k < found.size(); ++k) of_conjunction[number[k]].push_back(k);
  std::vector<PairMeasure> workers;
  for (std::size_t k = 0; k < pool_.threads(); ++k) {
    workers.push_back({model, found, index, of_conjunction});
  }
  std::vector<std::vector<GainPlace>> gain_places(found.size());
  for (FeatureCandidate& each : found) each.places = 0;
  pool_.run_ordered((whole_.sequences() + kSequencesAtOnce - 1) / kSequencesAtOnce,
                    [&](std::size_t task, std::size_t worker) {
                      workers[worker].found.clear();
                      const std::size_t end =
                          std::min(whole_.sequences(), (task + 1) * kSequencesAtOnce);
                      for (std::size_t n = task * kSequencesAtOnce; n < end; ++n)
                        measure_edges(n, workers[worker]);
                    },
                    [&](std::size_t, std::size_t worker) {
                      for (const PairMeasure::Found& each : workers[worker].found) {
                        gain_places[each.candidate].push_back(each.place);
                        found[each.candidate].places += each.hash;
                      }
                    });
  pool_.run(found.size(), [&](std::size_t k, std::size_t) {
    found[k].gain = best_gain(gain_places[k], o_.regulariser);
    if (whole_.node.value.empty()) shorten(found[k], gain_places[k].size(), edge_count_);
  });
}

}  // namespace croft
