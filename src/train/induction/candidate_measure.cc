// What candidates of one label gain over all positions of the data.
#include "train/induction/candidate_walk.h"
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

}  // namespace croft
