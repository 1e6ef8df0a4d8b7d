#include "app/label/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <string_view>
#include <utility>

#include "croft/core/error.h"

namespace croft {

namespace {

constexpr std::array<std::pair<ChunkScheme, std::string_view>, 7> kSchemeNames{{
    {ChunkScheme::automatic, "auto"},
    {ChunkScheme::bio, "bio"},
    {ChunkScheme::bio1, "bio1"},
    {ChunkScheme::ioe, "ioe"},
    {ChunkScheme::bioes, "bioes"},
    {ChunkScheme::raw, "raw"},
    {ChunkScheme::none, "none"},
}};

void check_chunks(std::span<const Chunk> chunks, std::size_t length) {
  std::size_t free_from = 0;
  for (const Chunk& chunk : chunks) {
    if (chunk.begin < free_from || chunk.end <= chunk.begin || chunk.end > length) {
      throw Error(fmt::format(
          "chunk [{}, {}) of type {} is empty, overlaps the one before it or ends after "
          "position {}; give chunks in order and without overlap",
          chunk.begin, chunk.end, in_quotes(chunk.type), length));
    }
    free_from = chunk.end;
  }
}

// The tag of position t of a chunk.
//   follows_own_type : the position before the chunk ends another chunk of the same type
char spelled_tag(const Chunk& chunk, std::size_t t, bool follows_own_type, ChunkScheme scheme) {
  const bool first = t == chunk.begin, last = t + 1 == chunk.end;
  switch (scheme) {
    case ChunkScheme::bio:
      return first ? 'B' : 'I';
    case ChunkScheme::bio1:
      return first && follows_own_type ? 'B' : 'I';
    case ChunkScheme::ioe:
      return last ? 'E' : 'I';
    default:
      assert(scheme == ChunkScheme::bioes);
      if (first) return last ? 'S' : 'B';
      return last ? 'E' : 'I';
  }
}

}  // namespace

std::string_view chunk_scheme_name(ChunkScheme scheme) {
  for (const auto& [value, name] : kSchemeNames) {
    if (value == scheme) return name;
  }
  assert(false);
  return "";
}

ChunkScheme chunk_scheme_from_name(std::string_view name) {
  std::string valid;
  for (const auto& [value, known] : kSchemeNames) {
    if (known == name) return value;
    valid += valid.empty() ? "" : ", ";
    valid += known;
  }
  throw UsageError(
      fmt::format("unknown chunk scheme {}; choose one of {}", in_quotes(name), valid));
}

ChunkScheme detect_scheme(std::span<const std::string_view> labels) {
  bool any = false, has_begin = false, has_end = false, only_bioes_has_it = false;
  for (std::string_view label : labels) {
    if (label == "O") continue;
    if (label.size() < 2 || label[1] != '-') return ChunkScheme::none;
    switch (label[0]) {
      case 'B':
        has_begin = true;
        break;
      case 'I':
        break;
      case 'E':
        has_end = true;
        break;
      case 'S':
      case 'U':
      case 'L':
      case 'M':
        only_bioes_has_it = true;
        break;
      default:
        return ChunkScheme::none;
    }
    any = true;
  }
  if (!any) return ChunkScheme::none;
  if (only_bioes_has_it || (has_begin && has_end)) return ChunkScheme::bioes;
  return has_end ? ChunkScheme::ioe : ChunkScheme::bio;
}

std::vector<Chunk> chunks_of(std::span<const std::string_view> labels, ChunkScheme scheme) {
  if (scheme == ChunkScheme::automatic) scheme = detect_scheme(labels);
  std::vector<Chunk> chunks;
  if (scheme == ChunkScheme::none) return chunks;
  bool open = false;  // chunks.back() has not ended yet
  ChunkLabel previous;
  for (std::size_t t = 0; t <= labels.size(); ++t) {
    const ChunkLabel current =
        t < labels.size() ? read_chunk_label(labels[t], scheme) : ChunkLabel{};
    const bool starts = chunk_starts(previous, current);
    if (open && (starts || chunk_ends(previous, current) || t == labels.size())) {
      chunks.back().end = t;
      open = false;
    }
    if (starts) {
      chunks.push_back({t, t, current.type});
      open = true;
    }
    previous = current;
  }
  return chunks;
}

std::vector<std::string> spell_chunks(std::span<const Chunk> chunks, std::size_t length,
                                      ChunkScheme scheme) {
  if (scheme == ChunkScheme::automatic || scheme == ChunkScheme::raw ||
      scheme == ChunkScheme::none) {
    throw UsageError(
        fmt::format("chunks cannot be written in scheme {}; choose one of bio, bio1, ioe, bioes",
                    in_quotes(chunk_scheme_name(scheme))));
  }
  check_chunks(chunks, length);
  std::vector<std::string> labels(length, "O");
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const Chunk& chunk = chunks[c];
    const bool follows_own_type =
        c > 0 && chunks[c - 1].end == chunk.begin && chunks[c - 1].type == chunk.type;
    for (std::size_t t = chunk.begin; t < chunk.end; ++t) {
      labels[t] = spelled_tag(chunk, t, follows_own_type, scheme);
      if (!chunk.type.empty()) labels[t].append("-").append(chunk.type);
    }
  }
  return labels;
}

std::vector<std::string> convert_labels(std::span<const std::string_view> labels, ChunkScheme from,
                                        ChunkScheme to) {
  return spell_chunks(chunks_of(labels, from), labels.size(), to);
}

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
