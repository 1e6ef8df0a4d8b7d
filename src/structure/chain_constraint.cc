#include "croft/structure/chain_constraint.h"

#include <algorithm>
#include <string_view>

#include "croft/core/error.h"
#include "croft/structure/chunk_label.h"

namespace croft {
namespace {

// What a label says in the scheme BIOES, of which BIO is a part.
struct SpelledLabel {
  char tag;  // B, I, E, S; O for all else
  std::string_view type;
  bool continues() const { return tag == 'I' || tag == 'E'; }
  bool goes_on() const { return tag == 'B' || tag == 'I'; }
};

std::vector<SpelledLabel> spell(std::span<const std::string> names, std::string_view tags) {
  std::vector<SpelledLabel> spelled;
  for (const std::string& name : names) {
    const ChunkLabel label = read_chunk_label(name, ChunkScheme::bio);
    char tag = 'O';
    if (label.tag_text.size() == 1 && tags.find(label.tag_text[0]) != tags.npos) {
      tag = label.tag_text[0];
      if (tag == 'L') tag = 'E';
      if (tag == 'U') tag = 'S';
      if (tag == 'M') tag = 'I';
    }
    spelled.push_back({tag, label.type});
  }
  return spelled;
}

// "the labels are A, B, C, ...": some of them, for a message.
std::string some_labels(std::span<const std::string> names) {
  constexpr std::size_t kShown = 10;
  std::string text = "the labels are ";
  for (std::size_t k = 0; k < std::min(names.size(), kShown); ++k) {
    text.append(k == 0 ? "" : ", ").append(in_quotes(names[k], 30));
  }
  if (names.size() > kShown) {
    text += " and " + std::to_string(names.size() - kShown) + " more";
  }
  return names.empty() ? "there is no label" : text;
}

// A label that only the scheme BIOES has, or none.
std::optional<std::string> bioes_label(std::span<const std::string> names) {
  for (const std::string& name : names) {
    const bool prefixed = name.size() >= 2 && name[1] == '-';
    if (prefixed && std::string_view("ESLUM").find(name[0]) != std::string_view::npos) return name;
  }
  return std::nullopt;
}

// `closed`: a chunk must reach its end, E; otherwise it may stop anywhere.
ChainConstraint chunk_constraint(const std::vector<SpelledLabel>& spelled, bool closed) {
  ChainConstraint constraint(spelled.size());
  for (Label j = 0; j < spelled.size(); ++j) {
    constraint.start[j] = !spelled[j].continues();
    constraint.end[j] = !closed || !spelled[j].goes_on();
    for (Label i = 0; i < spelled.size(); ++i) {
      const bool joined = spelled[i].goes_on() && spelled[j].continues();
      if (joined) {
        constraint.set_edge(i, j, spelled[i].type == spelled[j].type);
      } else {
        constraint.set_edge(i, j, !spelled[j].continues() && !(closed && spelled[i].goes_on()));
      }
    }
  }
  return constraint;
}

template <class Real>
struct EdgeScores {
  std::vector<Edge> edges;
  std::vector<Real> log;
  void add(Label i, Label j, Real value) {
    edges.push_back({i, j});
    log.push_back(value);
  }
};

// The listed edges of a sparse table.
template <class Real, class Visit>
void for_each_listed(const TransitionScores<Real>& scores, const Visit& visit) {
  const EdgeLists<Real>& lists = scores.leaving();
  for (Label i = 0; i < scores.labels(); ++i) {
    for (std::uint32_t k = lists.begin[i]; k < lists.begin[i + 1]; ++k) {
      visit(i, lists.other[k], lists.log[k], lists.cell[k]);
    }
  }
}

}  // namespace

ChainConstraint bio_constraint(std::span<const std::string> names) {
  if (const auto other = bioes_label(names)) {
    throw Error("the constraint bio does not fit label " + in_quotes(*other) + ": use bioes");
  }
  const auto spelled = spell(names, "BI");
  if (std::none_of(spelled.begin(), spelled.end(), [](const auto& s) { return s.tag == 'B'; })) {
    throw Error("the constraint bio needs labels such as B-X that start a chunk; " +
                some_labels(names));
  }
  return chunk_constraint(spelled, false);
}

ChainConstraint bioes_constraint(std::span<const std::string> names) {
  const auto spelled = spell(names, "BIESLUM");
  const auto closes = [](const auto& s) { return s.tag == 'E' || s.tag == 'S'; };
  if (std::none_of(spelled.begin(), spelled.end(), closes)) {
    throw Error(
        "the constraint bioes needs labels such as E-X or S-X (L-X, U-X) that end a chunk; " +
        some_labels(names));
  }
  return chunk_constraint(spelled, true);
}

std::optional<ConstraintBreak> check(const ChainConstraint& constraint, std::span<const Label> y) {
  using Kind = ConstraintBreak::Kind;
  for (std::size_t t = 0; t < y.size(); ++t) {
    if (t == 0 && !constraint.start[y[t]]) return ConstraintBreak{t, Kind::start};
    if (t > 0 && !constraint.allows(y[t - 1], y[t])) return ConstraintBreak{t, Kind::edge};
    if (t + 1 == y.size() && !constraint.end[y[t]]) return ConstraintBreak{t, Kind::end};
  }
  return std::nullopt;
}

std::string describe(const ConstraintBreak& fault, std::span<const Label> y,
                     std::span<const std::string> names) {
  const std::string label = in_quotes(names[y[fault.position]]);
  switch (fault.kind) {
    case ConstraintBreak::Kind::start:
      return label + " may not start a sequence";
    case ConstraintBreak::Kind::end:
      return label + " may not end a sequence";
    default:
      return label + " may not follow " + in_quotes(names[y[fault.position - 1]]);
  }
}

template <class Real>
TransitionScores<Real> only_edges(std::size_t labels, std::span<const Edge> edges,
                                  std::span<const Real> log) {
  if (edges.size() > labels * labels / kListedShare) return only_edges_dense(labels, edges, log);
  TransitionScores<Real> scores;
  scores.assign(labels, Background::forbidden, edges, log);
  return scores;
}

template <class Real>
TransitionScores<Real> only_edges_dense(std::size_t labels, std::span<const Edge> edges,
                                        std::span<const Real> log) {
  Matrix<Real> table(labels, labels, TransitionScores<Real>::kForbidden);
  for (std::size_t k = 0; k < edges.size(); ++k) table(edges[k].from, edges[k].to) = log[k];
  TransitionScores<Real> scores;
  scores.assign(std::move(table));
  return scores;
}

template <class Real>
TransitionScores<Real> masked(const TransitionScores<Real>& scores,
                              const ChainConstraint& constraint) {
  const auto& edge = constraint.edge;
  if (std::all_of(edge.begin(), edge.end(), [](bool allowed) { return allowed; })) return scores;
  const auto labels = static_cast<Label>(scores.labels());
  if (!scores.sparse()) {
    Matrix<Real> table(labels, labels);
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) {
        table(i, j) =
            constraint.allows(i, j) ? scores.log()(i, j) : TransitionScores<Real>::kForbidden;
      }
    }
    TransitionScores<Real> result;
    result.assign(std::move(table));
    return result;
  }
  EdgeScores<Real> left;
  if (scores.background() == Background::forbidden) {
    for_each_listed(scores, [&](Label i, Label j, Real log, std::uint32_t) {
      if (constraint.allows(i, j)) left.add(i, j, log);
    });
    TransitionScores<Real> result;
    result.assign(labels, Background::forbidden, left.edges, std::span<const Real>(left.log));
    return result;
  }
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      if (constraint.allows(i, j)) left.add(i, j, scores.at(i, j));
    }
  }
  return only_edges<Real>(labels, left.edges, left.log);
}

template <class Real>
void add_cells(const TransitionScores<Real>& from, std::span<const double> derivative,
               const TransitionScores<Real>& to, std::span<double> out) {
  const auto add = [&](Label i, Label j, std::uint32_t cell) {
    const std::uint32_t target = to.cell(i, j);
    if (target != TransitionScores<Real>::kNoCell) out[target] += derivative[cell];
  };
  if (from.sparse()) {
    for_each_listed(from, [&](Label i, Label j, Real, std::uint32_t cell) { add(i, j, cell); });
    return;
  }
  for (Label i = 0; i < from.labels(); ++i) {
    for (Label j = 0; j < from.labels(); ++j) add(i, j, from.cell(i, j));
  }
}

template <class Real>
void apply(const ChainConstraint& constraint, ChainScores<Real>& scores) {
  if (scores.length() == 0) return;
  const auto forbid = [&](const std::vector<bool>& allowed, std::size_t t) {
    for (Label j = 0; j < scores.labels(); ++j) {
      if (!allowed[j]) scores.state(t, j) = ChainScores<Real>::kForbidden;
    }
  };
  forbid(constraint.start, 0);
  forbid(constraint.end, scores.length() - 1);
}

#define CROFT_INSTANTIATE(Real)                                                                  \
  template TransitionScores<Real> only_edges(std::size_t, std::span<const Edge>,                 \
                                             std::span<const Real>);                             \
  template TransitionScores<Real> only_edges_dense(std::size_t, std::span<const Edge>,           \
                                                   std::span<const Real>);                       \
  template TransitionScores<Real> masked(const TransitionScores<Real>&, const ChainConstraint&); \
  template void add_cells(const TransitionScores<Real>&, std::span<const double>,                \
                          const TransitionScores<Real>&, std::span<double>);                     \
  template void apply(const ChainConstraint&, ChainScores<Real>&);
CROFT_INSTANTIATE(float)
CROFT_INSTANTIATE(double)
#undef CROFT_INSTANTIATE

}  // namespace croft
