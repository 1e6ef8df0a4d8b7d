#include "train/functions/screening.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/linear_kernels.h"

namespace croft {
namespace {

// Sums that are looked at together: enough for many tasks, and few beside the weights.
constexpr std::size_t kSumsAtOnce = std::size_t{1} << 21;  // 16 MB
constexpr std::size_t kAttributesPerTask = 256;

bool more_excess(const Violator& a, const Violator& b) {
  return a.excess != b.excess ? a.excess > b.excess : a.feature < b.feature;
}

// Keeps the `most` with the largest excess: which these are depends on no order of adding.
class LargestViolators {
 public:
  explicit LargestViolators(std::size_t most) : most_(most) {}
  void add(const Violator& v) {
    list_.push_back(v);
    if (list_.size() >= 2 * most_ + 1000) shrink();
  }
  void add(const LargestViolators& other) {
    for (const Violator& v : other.list_) add(v);
  }
  void clear() { list_.clear(); }
  std::size_t most() const { return most_; }
  std::vector<Violator> take() {
    shrink();
    std::ranges::sort(list_, {}, &Violator::feature);
    return std::move(list_);
  }

 private:
  void shrink() {
    if (list_.size() <= most_) return;
    std::nth_element(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(most_), list_.end(),
                     more_excess);
    list_.resize(most_);
  }
  std::size_t most_;
  std::vector<Violator> list_;
};

struct Found {
  explicit Found(std::size_t most) : violators(most) {}
  LargestViolators violators;
  std::size_t violating = 0;
  double largest = 0;

  // A derivative of a candidate outside the subset.  NaN is no violation: training reports it.
  void see(std::uint64_t feature, double excess, double least) {
    if (excess > largest) largest = excess;
    if (!(excess > least)) return;
    ++violating;
    violators.add({feature, excess});
  }
  void add(const Found& other) {
    violators.add(other.violators);
    violating += other.violating;
    largest = std::max(largest, other.largest);
  }
  void clear() {
    violators.clear();
    violating = 0;
    largest = 0;
  }
};

std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> list) {
  std::ranges::sort(list);
  return list;
}

// For each attribute, the sum of |v| times the sequence's weight over its occurrences.
std::vector<double> sum_of_values(const ChainData& data, std::size_t attributes, double most,
                                  Ranks& ranks) {
  std::vector<double> sum(attributes);
  ExactSum exact(most);
  exact.begin_block(most);
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const double weight = data.sequence_weight(n);
    for (std::uint64_t k = data.node.begin[data.sequence_begin[n]];
         k < data.node.begin[data.sequence_begin[n + 1]]; ++k) {
      exact.add(weight * (data.node.value.empty() ? 1 : std::abs(data.node.value[k])),
                sum[data.node.id[k]]);
    }
  }
  ranks.sum(sum);
  return sum;
}

}  // namespace

void renumber(const FeatureSelection& selection, ChainData& data) {
  renumber_lists(selection.renumbering.node, selection.layout.node_classes, data.node);
  if (data.has_edges()) renumber_lists(selection.renumbering.edge, RowClasses(), data.edge);
}

FeatureSubset make_subset(const ChainData& data, const ChainLayout& candidates,
                          std::span<const std::uint64_t> features) {
  FeatureSubset subset{select_features(candidates, features), data};
  renumber(subset.selection, subset.data);
  return subset;
}

struct Screening::Search {
  std::vector<std::uint64_t> member;  // features of the subset, increasing
  Found found;
};

Screening::Screening(const ChainData& data, const ChainLayout& candidates,
                     const ChainFunctionMaker& make, ThreadPool& pool, const Options& options)
    : data_(data), candidates_(candidates), make_(make), pool_(pool), options_(options) {
  const auto cuts = wave_cuts(data.sequence_begin, candidates.labels, data.has_edges());
  limits_ = wave_limits(data, cuts, pool.ranks());
  all_positions_ = sum_of_all(pool.ranks(), data.positions());
  for (std::size_t k = 1; k < cuts.size(); ++k) {
    wave_end_.push_back(static_cast<std::uint32_t>(data.sequence_begin[cuts[k]]));
  }
  std::vector<std::uint32_t> place(data.positions());
  std::iota(place.begin(), place.end(), 0u);
  postings_ = make_postings(data.node, 0, data.positions(), candidates.node.rows(), place);
  const std::vector<double> bound =
      sum_of_values(data, candidates.node.rows(), limits_.all, pool.ranks());
  for (std::uint32_t a = 0; a < bound.size(); ++a) {
    if (bound[a] > options.l1) attribute_.push_back(a);  // (O.21)
  }
}

void Screening::screen_transitions(const FeatureSelection& with_tied,
                                   std::span<const double> gradient, Search& search) const {
  for (std::size_t k = 0; k < with_tied.layout.tied.begin.back(); ++k) {
    const std::uint64_t feature = with_tied.origin[k];
    if (std::ranges::binary_search(search.member, feature)) continue;
    search.found.see(feature, std::abs(gradient[k]) - options_.l1,
                     options_.l1 * options_.tolerance);
  }
}

// sums += those of an attribute over the data of this process, wave by wave.
void Screening::add_sums(std::uint32_t attribute, const Matrix<float>& d_state,
                         const ExactSum& exact, std::vector<double>& wave_sum,
                         std::span<double> sums) const {
  const auto at = std::ranges::lower_bound(postings_.attribute, attribute);
  if (at == postings_.attribute.end() || *at != attribute) return;
  const auto entry = static_cast<std::size_t>(at - postings_.attribute.begin());
  const std::uint64_t end = postings_.begin[entry + 1];
  for (std::uint64_t begin = postings_.begin[entry]; begin < end;) {
    const auto wave_end =
        *std::ranges::upper_bound(wave_end_, postings_.place[begin]);  // places increase
    const auto place = std::span(postings_.place).subspan(begin, end - begin);
    const auto count =
        static_cast<std::size_t>(std::ranges::lower_bound(place, wave_end) - place.begin());
    wave_sum.resize(d_state.stride());
    sum_rows(RowSum<float>{d_state.row(0), d_state.stride(), place.data(),
                           postings_.value.empty() ? nullptr : postings_.value.data() + begin,
                           count, wave_sum.data()});
    exact.add(std::span(wave_sum).first(sums.size()), sums);
    begin += count;
  }
}

// The labels [first, first + d_state.columns()) of some attributes.
void Screening::screen_block(std::span<const std::uint32_t> block, const Matrix<float>& d_state,
                             std::size_t first, Search& search) const {
  const RowLayout& node = candidates_.node;
  const std::size_t columns = d_state.columns(), last = first + columns;
  const double least = options_.l1 * options_.tolerance;
  std::vector<double> sums(block.size() * columns);
  ExactSum exact(limits_.all);
  exact.begin_block(limits_.all);
  std::vector<std::vector<double>> wave_sum(pool_.threads());
  const std::size_t tasks = (block.size() + kAttributesPerTask - 1) / kAttributesPerTask;
  const auto for_task = [&](std::size_t task, const auto& visit) {
    const std::size_t end = std::min(block.size(), (task + 1) * kAttributesPerTask);
    for (std::size_t k = task * kAttributesPerTask; k < end; ++k) {
      visit(block[k], std::span(sums).subspan(k * columns, columns));
    }
  };
  pool_.run(tasks, [&](std::size_t task, std::size_t worker) {
    for_task(task, [&](std::uint32_t a, std::span<double> own) {
      add_sums(a, d_state, exact, wave_sum[worker], own);
    });
  });
  pool_.ranks().sum(sums);
  std::vector<Found> found(pool_.threads(), Found(search.found.violators.most()));
  pool_.run_ordered(
      tasks,
      [&](std::size_t task, std::size_t worker) {
        found[worker].clear();
        auto member =
            std::ranges::lower_bound(search.member, node.begin[block[task * kAttributesPerTask]]);
        for_task(task, [&](std::uint32_t a, std::span<const double> own) {
          for (std::size_t k = 0; k < node.length(a); ++k) {
            const std::size_t label = node.cell_of(a, k);
            if (label < first || label >= last) continue;
            const double excess = std::abs(own[label - first]) - options_.l1;
            if (!(excess > 0)) continue;
            const std::uint64_t feature = node.begin[a] + k;
            while (member != search.member.end() && *member < feature) ++member;
            if (member == search.member.end() || *member != feature) {
              found[worker].see(feature, excess, least);
            }
          }
        });
      },
      [&](std::size_t, std::size_t worker) { search.found.add(found[worker]); });
}

void Screening::screen_nodes(const Matrix<float>& d_state, std::size_t first,
                             Search& search) const {
  const std::size_t at_once = std::max<std::size_t>(1, kSumsAtOnce / d_state.columns());
  for (std::size_t k = 0; k < attribute_.size(); k += at_once) {
    screen_block(std::span(attribute_).subspan(k, std::min(at_once, attribute_.size() - k)),
                 d_state, first, search);
  }
}

// The subset's layout with all candidate transitions, at weights w of the subset.
FeatureSelection Screening::add_transitions(const FeatureSubset& subset, std::span<const double> w,
                                            const Search& search,
                                            std::vector<double>& weights) const {
  std::vector<std::uint64_t> features(candidates_.tied.begin.back());
  std::iota(features.begin(), features.end(), std::uint64_t{0});
  const std::size_t tied = subset.selection.layout.tied.begin.back();
  features.insert(features.end(), search.member.begin() + static_cast<std::ptrdiff_t>(tied),
                  search.member.end());
  FeatureSelection with_tied = select_features(candidates_, features);
  // All else is as in the subset, and so the subset's data will do.
  weights.assign(with_tied.layout.tied.begin.back(), 0.0);
  for (std::size_t k = 0; k < tied; ++k) weights[subset.selection.origin[k]] = w[k];
  weights.insert(weights.end(), w.begin() + static_cast<std::ptrdiff_t>(tied), w.end());
  return with_tied;
}

ScreeningResult Screening::operator()(const FeatureSubset& subset, std::span<const double> w,
                                      std::size_t most) const {
  Search search{sorted(subset.selection.origin), Found(most)};
  std::vector<double> weights;
  const FeatureSelection with_tied = add_transitions(subset, w, search, weights);
  std::vector<double> gradient(weights.size());
  const auto f = make_(subset.data, with_tied.layout);

  ScreeningResult result;
  const std::size_t fit =
      options_.bytes / (sizeof(float) * std::max<std::uint64_t>(1, all_positions_));
  const std::size_t columns = std::max(kLanePadding, fit / kLanePadding * kLanePadding);
  for (std::size_t first = 0; first < candidates_.labels; first += columns) {
    Matrix<float> d_state;
    d_state.reshape(data_.positions(), std::min(columns, candidates_.labels - first));
    f->evaluate(weights, gradient, first, d_state);
    ++result.evaluations;
    if (first == 0) screen_transitions(with_tied, gradient, search);
    screen_nodes(d_state, first, search);
  }
  result.violating = search.found.violating;
  result.largest = search.found.largest;
  result.violators = search.found.violators.take();
  result.gradient.assign(gradient.end() - static_cast<std::ptrdiff_t>(w.size()), gradient.end());
  for (std::size_t k = 0; k < subset.selection.layout.tied.begin.back(); ++k) {
    result.gradient[k] = gradient[subset.selection.origin[k]];
  }
  return result;
}

}  // namespace croft
