// Any bytes as a network of two slices, then a line % and a table of evidence: errors with a place,
// or probabilities that add up to 1 and a likelihood that is no more than the evidence's largest.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "croft/core/error.h"
#include "croft/inference/slice_filter.h"
#include "data/graphs/slice_file.h"
#include "data/settings/state_rows.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_slices {

namespace {

// So that a run takes no longer than a moment.
bool is_small(const croft::SliceNetwork& net) {
  double states = 1;
  for (croft::Variable v = 0; v < net.next.variables(); ++v) {
    states *= static_cast<double>(net.next.states(v));
  }
  return states < 1e5;
}

void check(const croft::VariableMarginals& marginals) {
  for (const std::vector<double>& p : marginals) {
    double sum = 0;
    for (const double x : p) {
      require(x >= 0 && x <= 1 + 1e-9, "a number that is no probability");
      sum += x;
    }
    require(std::abs(sum - 1) < 1e-9, "probabilities that do not add up to 1");
  }
}

void filter(const croft::SliceFile& file, std::string_view rows_text) {
  constexpr std::size_t kMostRows = 20;
  const croft::GraphFile slice = file.slice();
  croft::StateRowReader rows(croft::LineReader(rows_text, "fuzz"), slice, {});
  croft::SliceFilter filter(file.net, {.history = 2});
  croft::SlicePath path(file.net);
  croft::SliceEvidence evidence;
  std::vector<croft::SoftFinding> soft;
  for (std::size_t t = 0; t < kMostRows && rows.next(evidence.states, &soft); ++t) {
    evidence.likelihoods.clear();
    for (const croft::SoftFinding& each : soft) {
      evidence.likelihoods.emplace_back(each.variable, each.likelihoods);
    }
    const bool possible = filter.advance(evidence);
    require(path.advance(evidence) == possible, "a path where there is no probability");
    if (!possible) continue;
    check(filter.marginals());
    require(path.log_score() <= filter.log_likelihood() + 1e-6, "a path above the sum of all");
  }
  for (const croft::VariableMarginals& each : filter.smoothed()) check(each);
  require(path.best().size() == filter.slices(), "a path of another length");
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_slices) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find("\n%\n");
  if (cut == text.npos) return 0;
  try {
    const croft::GraphFile two = croft::read_bif(croft::LineReader(text.substr(0, cut), "fuzz"));
    const croft::SliceFile file = croft::slice_file(two);
    if (is_small(file.net)) filter(file, text.substr(cut + 3));
  } catch (const croft::Error&) {
  }
  return 0;
}

}  // namespace fuzz_slices
