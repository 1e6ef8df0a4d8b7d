// Which sampler draws what: by structure, the best that fits.
#include <algorithm>

#include "bugs/sampler.h"
#include "bugs/samplers/single_site.h"

namespace croft::bugs {
namespace {

SamplerPointer sampler_of(const ModelGraph& graph, NodeId id) {
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
  throw Error("no sampler draws ", graph.describe(id));
}

}  // namespace

std::vector<std::unique_ptr<Sampler>> choose_samplers(const ModelGraph& graph) {
  std::vector<SamplerPointer> samplers, censored;
  for (const NodeId id : graph.sampled()) {
    if (SamplerPointer sampler = make_censored(graph, id)) {
      censored.push_back(std::move(sampler));
    } else {
      samplers.push_back(sampler_of(graph, id));
    }
  }
  // What is censored is summed out for its parents, so it is drawn when they stand.
  for (SamplerPointer& sampler : censored) samplers.push_back(std::move(sampler));
  return samplers;
}

}  // namespace croft::bugs
