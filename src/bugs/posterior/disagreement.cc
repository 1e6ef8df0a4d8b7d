#include "bugs/posterior/disagreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bugs/posterior/diagnostics.h"
#include "croft/core/error.h"

namespace croft::bugs {
namespace {

// Between chains that agree it is nearer to 1, whatever they draw, and one of four chains that is
// elsewhere has 1.5.
constexpr double kDisagrees = 1.2;

// Draws beyond it, of chains that disagree, have no posterior that they would come to.
constexpr double kEndless = 1e12;

double largest(const Trace& trace) {
  double most = 0;
  for (const std::vector<double>& draws : trace.chains)
    for (const double x : draws) most = std::max(most, std::fabs(x));
  return most;
}

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

// No chain moves, and they do not stand at one value.
bool stands_still(const Trace& trace) {
  bool differ = false;
  for (const std::vector<double>& draws : trace.chains) {
    const auto moves = [&](double x) { return x != draws[0]; };  // NaN does
    if (draws.size() < 2 || std::ranges::any_of(draws, moves)) return false;
    differ = differ || draws[0] != trace.chains[0][0];
  }
  return differ;
}

// The first few, and how many more there are.
//   text_of : (element) -> text
std::string some_of(const auto& found, const auto& text_of) {
  constexpr std::size_t kNamed = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(found.size(), kNamed); ++k) {
    text += (k == 0 ? "" : ", ") + text_of(found[k]);
  }
  if (found.size() > kNamed) text += fmt::format(" and {} more", found.size() - kNamed);
  return text;
}

}  // namespace

std::vector<std::string> disagreement(const std::vector<Trace>& traces) {
  constexpr std::size_t kShortest = 100;
  std::vector<std::pair<double, const Trace*>> found;
  std::vector<const Trace*> still;
  for (const Trace& trace : traces) {
    if (stands_still(trace)) {
      still.push_back(&trace);
    } else if (!trace.chains.empty() && trace.chains[0].size() >= kShortest) {
      const double r_hat = r_hat_of(trace);
      if (r_hat > kDisagrees) found.emplace_back(r_hat, &trace);
    }
  }
  std::vector<std::string> out;
  if (!still.empty()) {
    out.push_back(
        "no chain moves, and they stand at different values of " +
        some_of(still, [](const Trace* each) { return in_quotes(each->name); }) +
        fmt::format(": {} is {} by chain; its errors and effective samples are not known, and its "
                    "mean says only where the chains began; write certain relations between "
                    "unobserved nodes as less than certain, or leave such nodes out",
                    in_quotes(still[0]->name), means_of(*still[0])));
  }
  if (found.empty()) return out;
  std::ranges::stable_sort(found, std::ranges::greater{},
                           [](const auto& each) { return each.first; });
  std::string text = "the chains disagree about ";
  text += some_of(found, [](const auto& each) {
    return fmt::format("{} (R-hat {:.3f})", in_quotes(each.second->name), each.first);
  });
  const auto endless = std::ranges::find_if(
      found, [](const auto& each) { return largest(*each.second) > kEndless; });
  const Trace& told = *(endless == found.end() ? found[0] : *endless).second;
  text += fmt::format(": \"{}\" has the means {} by chain; what the table says of them is wrong; ",
                      told.name, means_of(told));
  text += endless == found.end()
              ? "give initial values, or take a longer burn-in"
              : fmt::format(
                    "its draws go as far as {:.1e}: the posterior seems to be improper, or "
                    "to have no mean; give proper priors",
                    largest(told));
  out.push_back(std::move(text));
  return out;
}

}  // namespace croft::bugs
