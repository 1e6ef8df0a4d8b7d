// One large graph as many small ones, for objectives that are sums of local terms: threads and
// methods that go by the instance then have work.  docs/math/general_crf.md section 6.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "features/clique_data.h"
#include "objective/graph/local_terms.h"

namespace croft {

// Some terms of an instance, with those of its variables and cliques that they look at: the
// gradient of the instance is the sum of those of its parts.
struct TermPart {
  GraphInstance instance;
  std::vector<TermShape> terms;  // by the part's own variables and factors
};

// With fewer potentials terms are mostly alike, and count once where they are together.
inline constexpr std::size_t kManyPotentials = 4096;
inline constexpr std::size_t kManySamples = 16'384;
inline constexpr std::size_t kPartTerms = 1024;  // of a part; does not depend on the threads

using TermsOf = std::function<void(const GraphInstance& instance, const VisitTerm& visit)>;

// Parts of instances that have kManyPotentials or more; all others are one part each, without
// `terms`.  In the order of the instances, and of their terms.
// Empty where no instance is that large.
//   samples : for a method that goes from sample to sample: an instance is large where it has
//             kManySamples factors or more, however few potentials score them
std::vector<TermPart> split_terms(const CliqueSchema& schema, const CliqueRows& rows,
                                  std::span<const GraphInstance> instances, const TermsOf& terms,
                                  bool samples = false);

}  // namespace croft
