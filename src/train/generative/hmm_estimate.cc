#include "train/generative/hmm_estimate.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"

namespace croft {
namespace {

// log(part / whole); what was never counted is impossible.
double log_share(double part, double whole) {
  return part > 0 ? std::min(0.0, std::log(part) - std::log(whole)) : kMinusInfinity;
}

void estimate_transitions(const HmmCounts& counts, const HmmSmoothing& smoothing,
                          HmmParameters& p) {
  const std::size_t labels = p.labels;
  const double a = smoothing.transition;
  double starts = 0;
  for (const double count : counts.start) starts += count + a;
  for (std::size_t j = 0; j < labels; ++j) p.start[j] = log_share(counts.start[j] + a, starts);
  p.end.assign(smoothing.end ? labels : 0, kMinusInfinity);
  for (std::size_t i = 0; i < labels; ++i) {
    double whole = smoothing.end ? counts.end[i] + a : 0;
    for (const double count : counts.transition[i]) whole += count + a;
    for (std::size_t j = 0; j < labels; ++j) {
      p.transition(i, j) = log_share(counts.transition(i, j) + a, whole);
    }
    if (smoothing.end) p.end[i] = log_share(counts.end[i] + a, whole);
  }
}

std::vector<double> values_of_tracks(const HmmLayout& layout) {
  std::vector<double> values(layout.tracks.size());
  for (const std::uint32_t k : layout.track) ++values[k];
  return values;
}

// stand_ins: [K][L] how many values stand in for unknown ones; empty: none.
void estimate_emissions(const HmmLayout& layout, const HmmCounts& counts, double a,
                        const Matrix<double>& stand_ins, HmmParameters& p) {
  Matrix<double> whole = emission_totals(layout, counts);
  const std::vector<double> values = values_of_tracks(layout);
  for (std::size_t k = 0; k < layout.tracks.size(); ++k) {
    for (std::size_t j = 0; j < layout.labels; ++j) {
      const double extra = stand_ins.rows() > 0 ? stand_ins(k, j) : 0;
      whole(k, j) += extra + a * (values[k] + 1);
      p.unlisted(k, j) = log_share(a, whole(k, j));
      p.unknown(k, j) = log_share(extra + a, whole(k, j));
    }
  }
  layout.for_each_cell(
      [&](auto c, auto k, auto j) { p.log[c] = log_share(counts.emission[c] + a, whole(k, j)); });
}

// The values of a track that stand in for unknown ones, and the share of each label in each.
struct RareValues {
  std::vector<std::uint32_t> value;
  Matrix<double> share;  // [values][L], rows sum to 1
};

RareValues find_rare(const HmmLayout& layout, const HmmCounts& counts, std::size_t track,
                     std::size_t most) {
  RareValues rare;
  for (std::uint32_t v = 0; v < layout.values(); ++v) {
    if (layout.track[v] == track && layout.occurrences[v] <= most) rare.value.push_back(v);
  }
  rare.share.assign(rare.value.size(), layout.labels, 0.0);
  for (std::size_t r = 0; r < rare.value.size(); ++r) {
    const std::uint64_t begin = layout.begin[rare.value[r]], end = layout.begin[rare.value[r] + 1];
    double total = 0;
    for (std::uint64_t c = begin; c < end; ++c) total += counts.emission[c];
    for (std::uint64_t c = begin; c < end && total > 0; ++c) {
      rare.share(r, layout.cell[c]) = counts.emission[c] / total;
    }
  }
  return rare;
}

// The suffixes that two rare values or more share, as a tree: a suffix comes before the longer ones
// that end in it.
class SuffixTree {
 public:
  SuffixTree(const RareValues& rare, const HmmParameters& p, std::size_t letters) {
    std::unordered_map<std::string, std::size_t> types;  // that end in a suffix
    std::vector<std::size_t> begins;
    for (const std::uint32_t v : rare.value) {
      suffix_begins(p.value[v], letters, begins);
      for (const std::size_t begin : begins) ++types[p.value[v].substr(begin)];
    }
    add_class("", 0);
    class_of_.resize(rare.value.size());
    for (std::size_t r = 0; r < rare.value.size(); ++r) {
      const std::string& value = p.value[rare.value[r]];
      suffix_begins(value, letters, begins);
      for (const std::size_t begin : begins) {
        const std::string text = value.substr(begin);
        if (types[text] < 2) break;
        const auto known = number_.find(text);
        class_of_[r] = known != number_.end() ? known->second : add_class(text, class_of_[r]);
      }
    }
  }

  std::size_t size() const { return text_.size(); }
  const std::string& text(std::size_t s) const { return text_[s]; }
  std::size_t parent(std::size_t s) const { return parent_[s]; }  // the next shorter one
  // The longest suffix that rare value r shares with another.
  std::size_t class_of(std::size_t r) const { return class_of_[r]; }

 private:
  std::size_t add_class(const std::string& text, std::size_t parent) {
    number_.emplace(text, text_.size());
    text_.push_back(text);
    parent_.push_back(parent);
    return text_.size() - 1;
  }
  std::unordered_map<std::string, std::size_t> number_;
  std::vector<std::string> text_;
  std::vector<std::size_t> parent_, class_of_;
};

// Standard deviation of the labels' shares: how far a suffix listens to the shorter one (Brants
// 2000).
double brants_theta(std::span<const double> share) {
  if (share.size() < 2) return 0;
  const double mean = 1.0 / static_cast<double>(share.size());
  double sum = 0;
  for (const double s : share) sum += (s - mean) * (s - mean);
  return std::sqrt(sum / static_cast<double>(share.size() - 1));
}

// p(label | suffix) for every suffix (HM.8): [S][L].
Matrix<double> labels_given_suffix(const SuffixTree& tree, const RareValues& rare, double a) {
  const std::size_t labels = rare.share.columns();
  Matrix<double> sum(tree.size(), labels, 0.0);
  for (std::size_t r = 0; r < rare.value.size(); ++r) {
    for (std::size_t s = tree.class_of(r);; s = tree.parent(s)) {
      for (std::size_t j = 0; j < labels; ++j) sum(s, j) += rare.share(r, j);
      if (s == 0) break;
    }
  }
  const auto normalise = [&](std::span<double> row) {
    double total = 0;
    for (const double x : row) total += x;
    for (double& x : row) x = total > 0 ? x / total : 1.0 / static_cast<double>(row.size());
  };
  for (double& x : sum[0]) x += a;
  normalise(sum[0]);
  const double theta = brants_theta(sum[0]);
  for (std::size_t s = 1; s < tree.size(); ++s) {
    normalise(sum[s]);
    for (std::size_t j = 0; j < labels; ++j) {
      sum(s, j) = (sum(s, j) + theta * sum(tree.parent(s), j)) / (1 + theta);
    }
  }
  return sum;
}

// The probability of each class of unknown values: how many rare values would be of it if they were
// unknown themselves, and one more.
std::vector<double> class_shares(const SuffixTree& tree, const RareValues& rare) {
  std::vector<double> share(tree.size(), 1.0);
  for (std::size_t r = 0; r < rare.value.size(); ++r) ++share[tree.class_of(r)];
  for (double& x : share) x /= static_cast<double>(rare.value.size() + tree.size());
  return share;
}

// Appends the classes of a track: p(unknown, of class s | label) = p(unknown | label) times
// p(label | s) p(s), normalised over s (HM.9).
void add_suffixes(const RareValues& rare, const UnknownValues& unknown, double a, std::size_t track,
                  std::vector<std::vector<double>>& logs, HmmParameters& p) {
  const SuffixTree tree(rare, p, unknown.suffix);
  const Matrix<double> given = labels_given_suffix(tree, rare, a);
  const std::vector<double> share = class_shares(tree, rare);
  std::vector<double> total(p.labels);
  for (std::size_t s = 0; s < tree.size(); ++s) {
    for (std::size_t j = 0; j < p.labels; ++j) total[j] += given(s, j) * share[s];
  }
  const std::string& first = p.value[rare.value.front()];
  const std::string name = first.substr(0, first.size() - value_of(first).size());
  for (std::size_t s = 0; s < tree.size(); ++s) {
    p.suffix.push_back(name + tree.text(s));
    std::vector<double>& log = logs.emplace_back(p.labels);
    for (std::size_t j = 0; j < p.labels; ++j) {
      // A label that no rare value has says nothing of suffixes.
      const double of_class =
          total[j] > 0 ? log_share(given(s, j) * share[s], total[j]) : std::log(share[s]);
      log[j] = p.unknown(track, j) + of_class;
    }
  }
}

}  // namespace

HmmParameters hmm_shape(const HmmLayout& layout, const StringTable& names) {
  HmmParameters p;
  p.labels = layout.labels;
  p.start.assign(p.labels, kMinusInfinity);
  p.transition.assign(p.labels, p.labels, kMinusInfinity);
  p.tracks = layout.tracks;
  p.unlisted.assign(p.tracks.size(), p.labels, kMinusInfinity);
  p.unknown = p.unlisted;
  for (std::uint32_t v = 0; v < layout.values(); ++v) p.value.emplace_back(names[v]);
  p.track = layout.track;
  p.begin = layout.begin;
  p.cell = layout.cell;
  p.log.assign(p.cell.size(), kMinusInfinity);
  return p;
}

void estimate_hmm(const HmmLayout& layout, const HmmCounts& counts, const HmmSmoothing& smoothing,
                  HmmParameters& p) {
  estimate_transitions(counts, smoothing, p);
  estimate_emissions(layout, counts, smoothing.emission, {}, p);
}

void estimate_hmm(const HmmLayout& layout, const HmmCounts& counts, const HmmSmoothing& smoothing,
                  const UnknownValues& unknown, HmmParameters& p) {
  estimate_transitions(counts, smoothing, p);
  std::vector<RareValues> rare;
  Matrix<double> stand_ins(layout.tracks.size(), layout.labels, 0.0);
  for (std::size_t k = 0; k < layout.tracks.size(); ++k) {
    rare.push_back(find_rare(layout, counts, k, unknown.rare));
    for (std::size_t r = 0; r < rare[k].value.size(); ++r) {
      for (std::size_t j = 0; j < layout.labels; ++j) stand_ins(k, j) += rare[k].share(r, j);
    }
  }
  estimate_emissions(layout, counts, smoothing.emission, stand_ins, p);
  p.suffix.clear();
  p.suffix_letters = unknown.suffix;
  std::vector<std::vector<double>> logs;
  for (std::size_t k = 0; unknown.suffix > 0 && k < rare.size(); ++k) {
    if (!rare[k].value.empty()) add_suffixes(rare[k], unknown, smoothing.emission, k, logs, p);
  }
  p.suffix_log.reshape(logs.size(), p.labels);
  for (std::size_t s = 0; s < logs.size(); ++s) std::ranges::copy(logs[s], p.suffix_log.row(s));
}

double log_prior(const HmmLayout& layout, const HmmSmoothing& smoothing, const HmmParameters& p) {
  CompensatedSum sum;
  const auto add = [&](double a, double log) {
    if (a > 0) sum.add(a * log);
  };
  for (const double log : p.start) add(smoothing.transition, log);
  for (const double log : p.end) add(smoothing.transition, log);
  for (std::size_t i = 0; i < p.labels; ++i) {
    for (const double log : p.transition[i]) add(smoothing.transition, log);
  }
  for (const double log : p.log) add(smoothing.emission, log);
  Matrix<double> unlisted(p.tracks.size(), p.labels, 0.0);  // values without a cell
  const std::vector<double> values = values_of_tracks(layout);
  for (std::size_t k = 0; k < p.tracks.size(); ++k) std::ranges::fill(unlisted[k], values[k]);
  layout.for_each_cell([&](auto, auto k, auto j) { --unlisted(k, j); });
  for (std::size_t k = 0; k < p.tracks.size(); ++k) {
    for (std::size_t j = 0; j < p.labels; ++j) {
      add(smoothing.emission * unlisted(k, j), p.unlisted(k, j));
      add(smoothing.emission, p.unknown(k, j));
    }
  }
  return sum.value();
}

double log_joint(const HmmLayout& layout, const HmmCounts& counts, const HmmParameters& p) {
  CompensatedSum sum;
  const auto add = [&](double count, double log) {
    if (count > 0) sum.add(count * log);
  };
  for (std::size_t i = 0; i < p.labels; ++i) {
    add(counts.start[i], p.start[i]);
    if (!p.end.empty()) add(counts.end[i], p.end[i]);
    for (std::size_t j = 0; j < p.labels; ++j) add(counts.transition(i, j), p.transition(i, j));
  }
  for (std::size_t c = 0; c < layout.cell.size(); ++c) add(counts.emission[c], p.log[c]);
  return sum.value();
}

}  // namespace croft
