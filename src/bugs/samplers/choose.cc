// Which sampler draws what: by structure, the best that fits.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bugs/distributions.h"
#include "bugs/sampler.h"
#include "bugs/samplers/adaptive_metropolis.h"
#include "bugs/samplers/deviation_scale.h"
#include "bugs/samplers/linear_block.h"
#include "bugs/samplers/product_scale.h"
#include "bugs/samplers/single_site.h"
#include "bugs/samplers/sum_block.h"

namespace croft::bugs {
namespace {

SamplerPointer single_sampler(const ModelGraph& graph, NodeId id) {
  constexpr SamplerPointer (*kMakers[])(const ModelGraph&, NodeId) = {make_conjugate_gamma,
                                                                      make_conjugate_beta,
                                                                      make_conjugate_dirichlet,
                                                                      make_conjugate_wishart,
                                                                      make_finite,
                                                                      make_discrete_slice,
                                                                      make_slice,
                                                                      make_array_slice};
  for (const auto maker : kMakers) {
    if (SamplerPointer sampler = maker(graph, id)) return sampler;
  }
  throw InputError(graph.where(id), "no sampler draws this node where data depends on it",
                   graph.name(id), "observe it, or take away the data that depends on it");
}

using NodeList = std::vector<NodeId>;

// Nodes of one array: theta[1], theta[2], ...
std::vector<NodeList> arrays_of(const ModelGraph& graph, const NodeList& nodes) {
  std::map<std::string_view, std::size_t> places;
  std::vector<NodeList> arrays;
  for (const NodeId id : nodes) {
    const std::string_view name = graph.name(id);
    const auto [it, is_new] = places.emplace(name.substr(0, name.find('[')), arrays.size());
    if (is_new) arrays.emplace_back();
    arrays[it->second].push_back(id);
  }
  return arrays;
}

NodeList joined(const NodeList& a, const NodeList& b) {
  NodeList both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// Whether one set holds a child of the other, or both have a child.
bool touch(const ModelGraph& graph, const NodeList& a, const NodeList& b) {
  const NodeList near_a = joined(a, graph.children_of(a)), near_b = joined(b, graph.children_of(b));
  NodeList common;
  std::set_intersection(near_a.begin(), near_a.end(), near_b.begin(), near_b.end(),
                        std::back_inserter(common));
  return !common.empty();
}

bool share_a_child(const ModelGraph& graph, const NodeList& a, const NodeList& b) {
  const NodeList of_a = graph.children_of(a), of_b = graph.children_of(b);
  return std::ranges::any_of(
      of_a, [&](NodeId c) { return std::binary_search(of_b.begin(), of_b.end(), c); });
}

// Blocks of arrays that see their children through linear forms, as large as they can be; an array
// may stand in several (of beta * theta[i] - alpha: {theta, alpha} and {beta, alpha}).
std::vector<SamplerPointer> linear_blocks(const ModelGraph& graph, const NodeList& candidates,
                                          std::set<NodeId>& drawn) {
  std::vector<SamplerPointer> blocks;
  const std::vector<NodeList> arrays = arrays_of(graph, candidates);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (drawn.contains(arrays[k][0])) continue;
    NodeList block = arrays[k];
    SamplerPointer sampler = make_linear_block(graph, block);
    if (sampler == nullptr) {  // its nodes may fit each by itself
      for (const NodeId id : arrays[k]) {
        end_if_interrupted();
        if (SamplerPointer one = make_linear_block(graph, {&id, 1})) {
          drawn.insert(id);
          blocks.push_back(std::move(one));
        }
      }
      continue;
    }
    for (bool grew = true; grew;) {
      grew = false;
      for (const NodeList& other : arrays) {
        end_if_interrupted();
        if (std::binary_search(block.begin(), block.end(), other[0])) continue;
        if (!touch(graph, block, other)) continue;
        const NodeList both = joined(block, other);
        if (SamplerPointer larger = make_linear_block(graph, both)) {
          sampler = std::move(larger);
          block = both;
          grew = true;
        }
      }
    }
    drawn.insert(block.begin(), block.end());
    blocks.push_back(std::move(sampler));
  }
  return blocks;
}

// Finite nodes with those that they are tied to: parents, children, and what shares a child.
class FiniteBlocks {
 public:
  FiniteBlocks(const ModelGraph& graph, const NodeList& nodes) : graph_(graph) {
    for (const NodeId id : nodes) {
      end_if_interrupted();
      if (make_finite(graph, id) == nullptr) continue;
      finite_.insert(id);
      for (const NodeId child : graph.children(id)) parents_[child].push_back(id);
    }
  }

  // A node, and what is tied to it and not drawn yet, as long as all joint states can be gone
  // through.
  NodeList block_of(NodeId id, const std::set<NodeId>& drawn) const {
    NodeList block = {id};
    if (!finite_.contains(id)) return block;
    NodeList reached = block;
    for (std::size_t k = 0; k < reached.size(); ++k) {
      end_if_interrupted();
      for (const NodeId other : tied_to(reached[k])) {
        if (drawn.contains(other) || std::ranges::find(reached, other) != reached.end()) continue;
        const NodeList both = joined(block, {other});
        if (make_finite_block(graph_, both) == nullptr) return block;
        block = both;
        reached.push_back(other);
      }
    }
    return block;
  }

 private:
  NodeList tied_to(NodeId id) const {
    NodeList out;
    const auto add_parents_of = [&](NodeId child) {
      if (const auto found = parents_.find(child); found != parents_.end()) {
        out.insert(out.end(), found->second.begin(), found->second.end());
      }
    };
    add_parents_of(id);
    for (const NodeId child : graph_.children(id)) {
      if (finite_.contains(child)) out.push_back(child);
      add_parents_of(child);
    }
    return out;
  }

  const ModelGraph& graph_;
  std::set<NodeId> finite_;
  std::map<NodeId, NodeList> parents_;  // finite ones, of a child
};

// Finite nodes that choose coefficients of a linear block, such as a change point: given the block
// they hardly move, so they are drawn with it, too.
std::vector<SamplerPointer> finite_with_blocks(const ModelGraph& graph, const NodeList& nodes,
                                               const std::vector<SamplerPointer>& samplers) {
  double work = 2e5;  // products for an iteration: less than a millisecond
  std::vector<SamplerPointer> moves;
  for (const SamplerPointer& sampler : samplers) {
    if (!has_normal_prior(graph, sampler->nodes()[0])) continue;
    NodeList block(sampler->nodes().begin(), sampler->nodes().end());
    std::ranges::sort(block);
    const NodeList near = joined(block, graph.children_of(block));
    for (const NodeId id : nodes) {
      end_if_interrupted();
      if (SamplerPointer move = make_finite_with_block(graph, id, block, near, &work))
        moves.push_back(std::move(move));
    }
  }
  return moves;
}

// Nodes that are drawn by slices and that no scale moves, with all that the same data tie to them:
// moved together, too.
std::vector<SamplerPointer> joint_moves(const ModelGraph& graph, const NodeList& all,
                                        const std::vector<SamplerPointer>& samplers,
                                        const std::set<NodeId>& scaled) {
  constexpr std::size_t kMost = 12;  // nodes of a block: more of them move little at once
  const std::vector<NodeList> arrays = arrays_of(graph, all);
  std::map<NodeId, std::size_t> array_of;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    for (const NodeId id : arrays[k]) array_of.emplace(id, k);
  }
  std::vector<SamplerPointer> moves;
  std::set<NodeId> taken = scaled;
  for (const SamplerPointer& sampler : samplers) {
    end_if_interrupted();
    if (sampler->name() != "slice" || taken.contains(sampler->nodes()[0])) continue;
    const NodeId seed = sampler->nodes()[0];
    NodeList block = arrays[array_of.at(seed)];
    if (block.size() > kMost) continue;
    for (const NodeList& other : arrays) {
      if (other.size() > kMost) continue;
      const NodeList both = joined(block, other);
      if (both.size() > kMost || both == block || !share_a_child(graph, block, other)) continue;
      if (make_adaptive_metropolis(graph, both) != nullptr) block = both;
    }
    if (SamplerPointer move = make_adaptive_metropolis(graph, block)) {
      taken.insert(block.begin(), block.end());
      moves.push_back(std::move(move));
    }
  }
  return moves;
}

// Chooses samplers for nodes between which there is no cut.
std::vector<SamplerPointer> choose_among(const ModelGraph& graph, const NodeList& all) {
  std::vector<SamplerPointer> censored;
  NodeList candidates, others;
  for (const NodeId id : all) {
    end_if_interrupted();
    if (SamplerPointer sampler = make_censored(graph, id)) {
      censored.push_back(std::move(sampler));
    } else {
      (has_normal_prior(graph, id) ? candidates : others).push_back(id);
    }
  }
  std::set<NodeId> drawn;
  std::vector<SamplerPointer> samplers = linear_blocks(graph, candidates, drawn);
  for (const NodeId id : candidates) {
    end_if_interrupted();
    if (!drawn.contains(id)) samplers.push_back(single_sampler(graph, id));
  }
  const FiniteBlocks finite(graph, others);
  std::set<NodeId> done;
  for (const NodeId id : others) {
    end_if_interrupted();
    if (done.contains(id)) continue;
    const NodeList block = finite.block_of(id, done);
    SamplerPointer joint = make_finite_block(graph, block);
    samplers.push_back(joint != nullptr ? std::move(joint) : single_sampler(graph, id));
    done.insert(block.begin(), block.end());
  }
  for (SamplerPointer& move : finite_with_blocks(graph, others, samplers))
    samplers.push_back(std::move(move));
  std::set<NodeId> scaled;
  for (const NodeId id : others) {  // of sigma * b[i]
    end_if_interrupted();
    if (scaled.contains(id)) continue;
    if (SamplerPointer move = make_product_scale(graph, id, scaled))
      samplers.push_back(std::move(move));
  }
  for (const NodeId id : candidates) {
    end_if_interrupted();
    if (scaled.contains(id)) continue;
    const Node& node = graph.node(id);  // one that cannot change its sign is the scale
    if (node.lower == kNothing) continue;
    if (SamplerPointer move = make_product_scale(graph, id, scaled))
      samplers.push_back(std::move(move));
  }
  for (const NodeId id : others) {  // of nodes that no block moves with their precision
    end_if_interrupted();
    const auto children = graph.children(id);
    const bool in_block =
        std::any_of(children.begin(), children.end(), [&](NodeId c) { return drawn.contains(c); });
    if (in_block) continue;
    if (SamplerPointer move = make_deviation_scale(graph, id)) samplers.push_back(std::move(move));
  }
  for (SamplerPointer& move : joint_moves(graph, all, samplers, scaled))
    samplers.push_back(std::move(move));
  for (const NodeList& array : arrays_of(graph, others)) {
    if (SamplerPointer move = make_relabel(graph, array)) samplers.push_back(std::move(move));
  }
  // What is censored is summed out for its parents, so it is drawn when they stand.
  for (SamplerPointer& sampler : censored) samplers.push_back(std::move(sampler));
  return samplers;
}

// By node, how many cuts stand before it, one after the other.
std::vector<std::size_t> stages_of(const ModelGraph& graph) {
  std::vector<std::size_t> of_slot(graph.slots(), 0), of_node(graph.nodes(), 0);
  for (Slot s = 0; s < graph.slots(); ++s) {
    if (const OperationId o = graph.operation_of(s); o != kNothing) {
      for (const Slot a : graph.arguments(graph.operation(o)))
        of_slot[s] = std::max(of_slot[s], of_slot[a]);
    } else if (const NodeId id = graph.node_of(s); id != kNothing) {
      const Node& node = graph.node(id);
      std::size_t& stage = of_node[id];
      for (const Parameter& p : graph.parameters(node))
        for (const Slot a : graph.slots_of(p)) stage = std::max(stage, of_slot[a]);
      for (const Slot a : {node.lower, node.upper})
        if (a != kNothing) stage = std::max(stage, of_slot[a]);
      if (s == node.first && node.distribution == DistributionId::copied) ++stage;
      of_slot[s] = stage;
    }
  }
  return of_node;
}

}  // namespace

std::vector<std::unique_ptr<Sampler>> choose_samplers(const ModelGraph& graph) {
  // Each stage is drawn given copies of what the stages before it are now.
  const std::vector<std::size_t> stages = stages_of(graph);
  std::vector<SumGroup> sums = sum_groups(graph);
  std::set<NodeId> tied;
  for (const SumGroup& group : sums) tied.insert(group.nodes.begin(), group.nodes.end());
  std::vector<SamplerPointer> samplers;
  const std::size_t last = stages.empty() ? 0 : *std::ranges::max_element(stages);
  for (std::size_t stage = 0; stage <= last; ++stage) {
    NodeList nodes;
    for (const NodeId id : graph.sampled()) {
      if (stages[id] != stage || tied.contains(id)) continue;
      if (graph.node(id).distribution == DistributionId::copied) {
        samplers.push_back(make_copy(graph, id));
      } else {
        nodes.push_back(id);
      }
    }
    for (SumGroup& group : sums) {
      if (!group.nodes.empty() && stages[group.nodes.back()] == stage)
        samplers.push_back(make_sum_block(graph, std::exchange(group, {})));
    }
    for (SamplerPointer& sampler : choose_among(graph, nodes))
      samplers.push_back(std::move(sampler));
  }
  return samplers;
}

}  // namespace croft::bugs
