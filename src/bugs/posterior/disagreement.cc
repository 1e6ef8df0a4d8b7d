#include "bugs/posterior/disagreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bugs/posterior/diagnostics.h"

namespace croft::bugs {
namespace {

// Between chains that agree it is nearer to 1, whatever they draw, and one of four chains that is
// elsewhere has 1.5.
constexpr double kDisagrees = 1.2;

// The ranks have a word, too: without a variance, draws that agree differ in their means.
double r_hat_of(const Trace& trace) {
  const double by_means = split_r_hat(trace.chains);
  return by_means > kDisagrees ? std::min(by_means, RankedDraws(trace.chains).r_hat()) : 1;
}

std::string means_of(const Trace& trace) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t c = 0; c < std::min(trace.chains.size(), kShown); ++c) {
    const std::vector<double>& draws = trace.chains[c];
    const double sum = std::accumulate(draws.begin(), draws.end(), 0.0);
    text += fmt::format("{}{:.4g}", c == 0 ? "" : ", ", sum / static_cast<double>(draws.size()));
  }
  return text + (trace.chains.size() > kShown ? ", ..." : "");
}

}  // namespace

std::vector<std::string> disagreement(const std::vector<Trace>& traces) {
  constexpr std::size_t kShortest = 100, kNamed = 5;
  std::vector<std::pair<double, const Trace*>> found;
  for (const Trace& trace : traces) {
    if (trace.chains.empty() || trace.chains[0].size() < kShortest) continue;
    if (const double r_hat = r_hat_of(trace); r_hat > kDisagrees) found.emplace_back(r_hat, &trace);
  }
  if (found.empty()) return {};
  std::ranges::stable_sort(found, std::ranges::greater{},
                           [](const auto& each) { return each.first; });
  std::string text = "the chains disagree about ";
  for (std::size_t k = 0; k < std::min(found.size(), kNamed); ++k) {
    text += fmt::format("{}\"{}\" (R-hat {:.3f})", k == 0 ? "" : ", ", found[k].second->name,
                        found[k].first);
  }
  if (found.size() > kNamed) text += fmt::format(" and {} more", found.size() - kNamed);
  text += fmt::format(
      ": \"{}\" has the means {} by chain; what the table says of them is wrong; "
      "give initial values, or take a longer burn-in",
      found[0].second->name, means_of(*found[0].second));
  return {std::move(text)};
}

}  // namespace croft::bugs
