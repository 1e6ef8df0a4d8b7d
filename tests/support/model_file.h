// Models made of random data and a layout, through a model file; and labellings by definition.
// All numbers are multiples of 1/16, so that sums are exact in single precision, too, and ties are
// ties.
#pragma once
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "model/kinds/chain_model.h"
#include "optimize/stochastic/online_methods.h"
#include "support/all_sequences.h"
#include "support/naive_objective.h"

namespace croft::testing_support {

inline double sixteenths(double x) { return std::round(16 * x) / 16; }

// Data, and a layout of its features without weights.
struct LaidOut {
  PlainData plain;
  ChainData data;
  ChainLayout layout;
  Renumbering renumbering;
};

inline LaidOut laid_out(const DataShape& shape, const LayoutOptions& options, Random& random) {
  LaidOut out;
  out.plain = random_plain_data(shape, random);
  for (PlainSequence& sequence : out.plain) {
    for (auto* lists : {&sequence.node, &sequence.edge}) {
      for (auto& list : *lists) {
        for (Occurrence& each : list) each.value = sixteenths(each.value);
      }
    }
  }
  out.data = to_chain_data(out.plain);
  out.layout = make_chain_layout(out.data, shape.labels, shape.node_attributes,
                                 shape.edge_attributes, options, out.renumbering);
  return out;
}

// `more` may add a vote, or what else the parts have.
template <class More>
ContainerWriter model_file(const LaidOut& data, std::span<const double> w, const More& more) {
  std::vector<std::string> node(data.layout.node.rows()), edge(data.layout.edge.rows());
  const auto name = [](const std::vector<std::uint32_t>& id, const auto& name_of,
                       std::vector<std::string>& names) {
    for (std::uint32_t a = 0; a < id.size(); ++a) {
      if (id[a] != kUnknown) names[id[a]] = name_of(a);
    }
  };
  name(data.renumbering.node, node_name, node);
  name(data.renumbering.edge, edge_name, edge);
  ChainModelParts parts;
  for (Label y = 0; y < data.layout.labels; ++y) parts.labels.push_back(label_name(y));
  ExtractionConfig extraction;
  extraction.format = InputFormat::attributes;
  const Json training = Json::object();
  std::vector<std::string> tied;
  for (std::size_t r = 0; r < data.layout.tied.rows(); ++r) tied.push_back("B" + std::to_string(r));
  parts.tied_names.assign(tied.begin(), tied.end());
  parts.node_names.assign(node.begin(), node.end());
  parts.edge_names.assign(edge.begin(), edge.end());
  parts.extraction = &extraction;
  parts.layout = &data.layout;
  parts.weights = w;
  parts.training = &training;
  more(parts);
  return make_chain_model(parts);
}

inline std::shared_ptr<const ChainModel> opened(const ContainerWriter& file) {
  return std::make_shared<const ChainModel>(Container::from_bytes(file.bytes(), "small.croft"));
}

// A vote of updates + 1 vectors, some without votes, and some updates that take others back.
inline VotedPerceptron random_vote(std::size_t dimension, std::size_t updates, bool from_zero,
                                   Random& random) {
  VotedPerceptron vote;
  vote.start.assign(dimension, 0.0);
  for (double& w : vote.start) {
    if (!from_zero && random.below(2) == 0) w = sixteenths(random.normal());
  }
  vote.votes.push_back(random.below(3));
  for (std::size_t k = 0; k < updates; ++k) {
    const bool takes_back = k > 0 && random.below(4) == 0;
    const std::size_t begin = k < 2 ? 0 : vote.update_end[k - 2];
    const std::size_t changes = random.below(6);
    for (std::size_t c = 0; !takes_back && c < changes; ++c) {
      vote.coordinate.push_back(random.below(dimension));
      vote.change.push_back(random.below(2) == 0 ? 1.0 : -0.5);
    }
    for (std::size_t c = begin; takes_back && c < vote.update_end[k - 1]; ++c) {
      vote.coordinate.push_back(vote.coordinate[c]);
      vote.change.push_back(-vote.change[c]);
    }
    vote.update_end.push_back(vote.change.size());
    vote.votes.push_back(random.below(4));
  }
  if (vote.votes.back() == 0) vote.votes.back() = 1;
  return vote;
}

// Random positions of the data as support vectors, random coefficients and transitions.
inline KernelExpansion random_expansion(const LaidOut& data, const Kernel& kernel, Random& random) {
  KernelExpansion out;
  out.kernel = kernel;
  for (std::uint64_t p = 0; p < data.data.positions(); ++p) {
    if (random.below(2) == 0) append_slice(data.data.node, p, p + 1, out.vectors);
  }
  out.coefficients.assign(out.support_vectors(), data.layout.labels, 0.0f);
  for (std::size_t s = 0; s < out.support_vectors(); ++s) {
    for (float& c : out.coefficients[s]) c = static_cast<float>(random.normal());
  }
  out.w.assign(data.layout.dimension(), 0.0);
  for (std::uint64_t k = 0; k < data.layout.node.begin[0]; ++k) out.w[k] = random.normal();
  for (std::uint64_t k = data.layout.edge.begin[0]; k < out.w.size(); ++k) {
    out.w[k] = random.normal();
  }
  return out;
}

inline ContainerWriter kernel_file(const LaidOut& data, const KernelExpansion& expansion) {
  return model_file(data, expansion.w, [&](ChainModelParts& parts) { parts.kernel = &expansion; });
}

// (C.1) and (H.1) by their definition, without the lists of a layout; -inf where a labelling is not
// made of the layout's histories or breaks its constraint.
class NaiveScore {
 public:
  NaiveScore(const LaidOut& data, const TransitionGroups* groups)
      : data_(data), weights_(data.layout, data.renumbering, groups) {}

  double operator()(const PlainSequence& x, const std::vector<Label>& y,
                    std::span<const double> w) const {
    const ChainLayout& layout = data_.layout;
    double sum = 0;
    for_each_fired(x, y, layout.tied.rows(), [&](const Feature& feature, double value) {
      if (const auto k = weights_.place(feature)) sum += value * w[*k];
    });
    if (layout.constraint && check(*layout.constraint, y)) return kMinusInfinity;
    if (!layout.histories) return sum;
    std::vector<Label> path(y.size());
    if (history_path(*layout.histories, y, path) < y.size()) return kMinusInfinity;
    for (std::size_t g = 0; g < layout.grams(); ++g) {
      const std::span<const Label> gram = layout.histories->grams[g];
      for (std::size_t t = gram.size(); t <= y.size(); ++t) {
        const auto run = std::span(y).subspan(t - gram.size(), gram.size());
        if (std::ranges::equal(run, gram)) sum += w[layout.first_gram() + g];
      }
    }
    return sum;
  }
  static constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

 private:
  const LaidOut& data_;
  NaiveWeights weights_;
};

// The labelling of the largest value, by the rule for ties of docs/format.md; none where all are
// -inf.
template <class Value>
std::optional<std::vector<Label>> best_labelling(std::size_t labels, std::size_t length,
                                                 const Value& value) {
  std::optional<std::vector<Label>> best;
  double highest = -std::numeric_limits<double>::infinity();
  for_each_sequence(labels, length, [&](const std::vector<Label>& y) {
    const double v = value(y);
    if (v == -std::numeric_limits<double>::infinity() || v < highest) return;
    const bool earlier =
        !best || std::lexicographical_compare(y.rbegin(), y.rend(), best->rbegin(), best->rend());
    if (v > highest || earlier) best = y;
    highest = v;
  });
  return best;
}

}  // namespace croft::testing_support
