#include "app/label/spans.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace croft {
namespace {

// p(y_{t-1} = i, y_t = j | x), read from the tables where the scaled path left them.
class Pairs {
 public:
  Pairs(const ChainPosterior<double>& posterior, std::vector<double>& window)
      : posterior_(posterior),
        window_(window),
        tied_(*posterior.scores.transitions),
        scaled_(posterior.work.path != ChainPath::log_domain) {}

  double operator()(std::size_t t, Label i, Label j) const {
    if (scaled_ && !posterior_.scores.has_overlay(t)) {
      const auto& work = posterior_.work;
      return work.alpha(t - 1, i) * tied_.factor(i, j) * work.suffix(t, j);
    }
    const std::array<std::span<const Label>, 2> lists{std::span(&i, 1), std::span(&j, 1)};
    return window_probability<double>(posterior_, t - 1, lists, window_);
  }

 private:
  const ChainPosterior<double>& posterior_;
  std::vector<double>& window_;
  const TransitionScores<double>& tied_;
  const bool scaled_;
};

}  // namespace

ChunkEdges::ChunkEdges(std::span<const std::string> names, ChunkScheme scheme,
                       std::span<const Label> label_of)
    : scheme_(scheme), label_of_(label_of.begin(), label_of.end()) {
  const std::size_t labels = names.size();
  states_of_.resize(labels);
  no_start_.resize(labels);
  continue_.resize(labels);
  std::vector<ChunkLabel> spelled;
  std::map<std::string_view, std::uint32_t> number;
  for (const std::string& name : names) {
    spelled.push_back(read_chunk_label(name, scheme));
    const auto next = static_cast<std::uint32_t>(number.size());
    type_.push_back(number.emplace(spelled.back().type, next).first->second);
    starts_first_.push_back(chunk_starts(ChunkLabel{}, spelled.back()));
  }
  starters_.resize(number.size());
  const std::size_t states = label_of_.empty() ? labels : label_of_.size();
  for (Label s = 0; s < states; ++s) states_of_[label(s)].push_back(s);
  for (Label j = 0; j < labels; ++j) {
    bool any_start = starts_first_[j];
    for (Label i = 0; i < labels; ++i) {
      const bool starts = chunk_starts(spelled[i], spelled[j]);
      const bool ends = chunk_ends(spelled[i], spelled[j]);
      any_start = any_start || starts;
      const auto append = [&](const States& from, States& to) {
        to.insert(to.end(), from.begin(), from.end());
      };
      if (!starts) append(states_of_[i], no_start_[j]);
      if (!starts && !ends) append(states_of_[j], continue_[i]);
    }
    if (any_start) starters_[type_[j]].push_back(j);
  }
}

// The sums over what starts a chunk, and over what does not go on with it, are taken as
// differences: what is left out is a handful of states of the same type.
double ChunkEdges::probability(const ChainPosterior<double>& posterior, std::size_t begin,
                               std::size_t end, Label first, Scratch& scratch) const {
  const std::size_t states = posterior.scores.labels(), stride = posterior.scores.state.stride();
  auto& [now, next, live, reached, window] = scratch;
  now.resize(states, 0.0);
  next.resize(states, 0.0);
  live.clear();
  const Pairs pair(posterior, window);
  const auto marginal = [&](std::size_t t, Label s) { return posterior.state[t * stride + s]; };

  for (const Label j : starters_[type_[first]]) {
    for (const Label s : states_of_[j]) {
      double p = begin > 0 || starts_first_[j] ? marginal(begin, s) : 0;
      for (const Label i : no_start_[j]) p -= begin > 0 && p > 0 ? pair(begin, i, s) : 0;
      if (!(p > 0)) continue;
      now[s] = p;
      live.push_back(s);
    }
  }
  for (std::size_t t = begin + 1; t < end; ++t) {
    reached.clear();
    for (const Label i : live) {
      const double all = marginal(t - 1, i), mine = std::exchange(now[i], 0.0);
      if (!(all > 0)) continue;
      for (const Label j : continue_[label(i)]) {
        const double p = mine / all * pair(t, i, j);
        if (p > 0 && next[j] == 0) reached.push_back(j);
        next[j] += p;
      }
    }
    std::swap(now, next);
    std::swap(live, reached);
  }
  double sum = 0;
  for (const Label i : live) {
    const double p = std::exchange(now[i], 0.0), all = marginal(end - 1, i);
    double goes_on = 0;
    if (end < posterior.scores.length()) {
      for (const Label j : continue_[label(i)]) goes_on += pair(end, i, j);
    }
    if (goes_on < all) sum += p * (1 - goes_on / all);
  }
  return std::min(sum, 1.0);
}

}  // namespace croft
