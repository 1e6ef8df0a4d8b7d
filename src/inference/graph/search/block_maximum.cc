#include "inference/graph/search/block_maximum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/infinity.h"

namespace croft {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kChunk = 256;  // joint states of a table that are summed at a time
constexpr double kRounding = 1e-12;
constexpr double kQuestion = 1 << 18;  // joint states between questions: a millisecond

}  // namespace

BlockMaximum::BlockMaximum(const FactorGraph& graph, const FactorLists& lists)
    : graph_(graph), lists_(lists), place_(graph.variables(), kNowhere) {}

BlockMaximum::Outcome BlockMaximum::run(std::span<const Variable> block, double temperature,
                                        double memory, Random& random,
                                        const std::function<bool()>& goes_on, std::span<State> x) {
  block_ = block;
  temperature_ = temperature;
  const bool fits = plan(block, memory);
  for (const Variable v : block) place_[v] = kNowhere;
  if (!fits) return Outcome::none;
  for (std::uint32_t f = 0; f < factors_.size(); ++f) fill(f, factors_[f], x);
  for (Place k = 0; k < block.size(); ++k) {
    if (!eliminate(k, goes_on)) return Outcome::stopped;
  }
  for (Place k = 0; k < block.size(); ++k) {
    const std::uint32_t m = message_[k];
    if (functions_[m].width == 0 && values_[functions_[m].values] == -kInf) return Outcome::none;
  }
  const double before = around(x);
  at_.assign(block.size(), 0);
  for (std::size_t k = 0; k < block.size(); ++k) at_[k] = x[block[k]];
  for (std::size_t k = block.size(); k-- > 0;) choose(static_cast<Place>(k), random, x);
  const double after = around(x);
  rise_ = after > before + kRounding * std::abs(before) ? after - before : 0;
  if (temperature == 0 && after < before) {  // by rounding
    for (std::size_t k = 0; k < block.size(); ++k) x[block[k]] = at_[k];
  }
  return Outcome::done;
}

std::uint32_t BlockMaximum::add_function(std::span<const Place> scope) {
  Function f{static_cast<std::uint32_t>(scopes_.size()), static_cast<std::uint32_t>(scope.size()),
             kNowhere, 0, 1};
  scopes_.insert(scopes_.end(), scope.begin(), scope.end());
  double joint = 1;
  for (const Place k : scope) joint *= static_cast<double>(graph_.states(block_[k]));
  f.joint = joint < 0x1p62 ? static_cast<std::uint64_t>(joint) : std::uint64_t{1} << 62;
  const auto id = static_cast<std::uint32_t>(functions_.size());
  if (!scope.empty()) f.next = std::exchange(bucket_[scope.front()], id);
  functions_.push_back(f);
  return id;
}

// Which functions there are, and where their values go.
bool BlockMaximum::plan(std::span<const Variable> block, double memory) {
  factors_.clear();
  functions_.clear();
  scopes_.clear();
  bucket_.assign(block.size(), kNowhere);
  message_.assign(block.size(), kNowhere);
  for (Place k = 0; k < block.size(); ++k) place_[block[k]] = k;
  for (Place k = 0; k < block.size(); ++k) {
    for (const Factor f : lists_.of(block[k])) {
      union_.clear();
      for (const Variable u : graph_.scope(f)) {
        if (place_[u] != kNowhere) union_.push_back(place_[u]);
      }
      std::ranges::sort(union_);
      if (union_.front() != k) continue;
      factors_.push_back(f);
      add_function(union_);
    }
  }
  for (Place k = 0; k < block.size(); ++k) {
    union_.clear();
    for (std::uint32_t f = bucket_[k]; f != kNowhere; f = functions_[f].next) {
      const auto scope = scope_of(functions_[f]);
      union_.insert(union_.end(), scope.begin() + 1, scope.end());
    }
    std::ranges::sort(union_);
    const auto rest = std::ranges::unique(union_);
    union_.erase(rest.begin(), rest.end());
    message_[k] = add_function(union_);
  }
  double total = 0;
  for (Function& f : functions_) {
    f.values = static_cast<std::size_t>(total);
    total += static_cast<double>(f.joint);
    if (total * sizeof(double) > memory) return false;
  }
  if (values_.size() < static_cast<std::size_t>(total))
    values_.resize(static_cast<std::size_t>(total));
  return true;
}

// The factor's scores, with the variables outside the block as in x.
void BlockMaximum::fill(std::uint32_t function, Factor f, std::span<const State> x) {
  const auto places = scope_of(functions_[function]);
  const auto scope = graph_.scope(f);
  at_.clear();
  for (const Variable v : scope) at_.push_back(x[v]);
  union_.clear();  // where each place is in the factor's scope
  for (const Place k : places) {
    const auto at = std::ranges::find(scope, block_[k]) - scope.begin();
    union_.push_back(static_cast<Place>(at));
    at_[union_.back()] = 0;
  }
  double* out = values_.data() + functions_[function].values;
  for (std::uint64_t joint = 0; joint < functions_[function].joint; ++joint) {
    out[joint] = graph_.score_of(f, at_);
    for (const Place at : union_) {
      if (++at_[at] < graph_.states(scope[at])) break;
      at_[at] = 0;
    }
  }
}

// The message of k: for each joint state of its neighbours that are left, the best or the sum over
// its states.
bool BlockMaximum::eliminate(Place k, const std::function<bool()>& goes_on) {
  const Function message = functions_[message_[k]];
  const auto scope = scope_of(message);
  const std::size_t states = graph_.states(block_[k]);
  std::size_t chunk = 1, digits = 0;
  while (digits < scope.size()) {
    const std::size_t n = graph_.states(block_[scope[digits]]);
    if (digits > 0 && chunk * n > kChunk) break;
    chunk *= n;
    ++digits;
  }
  add_rows(k, chunk);
  std::vector<State>& at = at_;
  at.assign(scope.size(), 0);
  sums_.resize(chunk * states);
  double* out = values_.data() + message.values;
  for (std::uint64_t done = 0; done < message.joint; done += chunk, out += chunk) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (std::size_t r = 0; r < used_; ++r) {
      const Row& row = rows_[r];
      for (std::size_t j = 0; j < chunk; ++j) {
        const double* from = row.base + row.offsets[j];
        double* to = sums_.data() + j * states;
        for (std::size_t s = 0; s < states; ++s) to[s] += from[s];
      }
    }
    reduce(states, chunk, out);
    for (std::size_t d = digits; d < scope.size(); ++d) {
      const bool carries = ++at[d] == graph_.states(block_[scope[d]]);
      for (std::size_t r = 0; r < used_; ++r) {
        rows_[r].base += rows_[r].strides[d];
        if (carries) rows_[r].base -= rows_[r].strides[d] * at[d];
      }
      if (!carries) break;
      at[d] = 0;
    }
  }
  const double joint = static_cast<double>(message.joint * states);
  work_ += joint;
  since_ += joint;
  if (since_ < kQuestion) return true;
  since_ = 0;
  return goes_on();
}

// The functions of the bucket, and how they change with the message's places.
void BlockMaximum::add_rows(Place k, std::size_t chunk) {
  const auto scope = scope_of(functions_[message_[k]]);
  used_ = 0;
  for (std::uint32_t id = bucket_[k]; id != kNowhere; id = functions_[id].next) {
    if (used_ == rows_.size()) rows_.emplace_back();
    Row& row = rows_[used_++];
    const Function& f = functions_[id];
    row.base = values_.data() + f.values;
    row.strides.assign(scope.size(), 0);
    std::size_t stride = 1;
    for (std::size_t i = 0, d = 0; i < f.width; ++i) {
      const Place place = scopes_[f.scope + i];
      if (i > 0) {
        while (scope[d] != place) ++d;
        row.strides[d] = stride;
      }
      stride *= graph_.states(block_[place]);
    }
    row.offsets.assign(1, 0);
    for (std::size_t d = 0; row.offsets.size() < chunk; ++d) {
      const std::size_t have = row.offsets.size(), n = graph_.states(block_[scope[d]]);
      for (std::size_t s = 1; s < n; ++s) {
        for (std::size_t j = 0; j < have; ++j) {
          row.offsets.push_back(row.offsets[j] + s * row.strides[d]);
        }
      }
    }
  }
}

void BlockMaximum::reduce(std::size_t states, std::size_t chunk, double* out) const {
  for (std::size_t j = 0; j < chunk; ++j) {
    const double* from = sums_.data() + j * states;
    const double most = *std::max_element(from, from + states);
    out[j] = most;
    if (temperature_ == 0 || most == -kInf) continue;
    double sum = 0;
    for (std::size_t s = 0; s < states; ++s) sum += std::exp((from[s] - most) / temperature_);
    out[j] = most + temperature_ * std::log(sum);
  }
}

// The state of k, those after it chosen.
void BlockMaximum::choose(Place k, Random& random, std::span<State> x) {
  const std::size_t states = graph_.states(block_[k]);
  sums_.assign(states, 0.0);
  for (std::uint32_t id = bucket_[k]; id != kNowhere; id = functions_[id].next) {
    const Function& f = functions_[id];
    std::size_t index = f.values, stride = states;
    for (std::size_t i = 1; i < f.width; ++i) {
      const Variable u = block_[scopes_[f.scope + i]];
      index += stride * x[u];
      stride *= graph_.states(u);
    }
    for (std::size_t s = 0; s < states; ++s) sums_[s] += values_[index + s];
  }
  const double most = *std::ranges::max_element(sums_);
  double total = 0;
  for (double& each : sums_) {
    each = temperature_ > 0 ? std::exp((each - most) / temperature_) : (each == most ? 1.0 : 0.0);
    total += each;
  }
  double left = random.uniform() * total;
  State s = 0;
  while (s + 1 < states && (sums_[s] == 0 || left >= sums_[s])) left -= sums_[s++];
  while (sums_[s] == 0) --s;  // by rounding
  x[block_[k]] = s;
}

double BlockMaximum::around(std::span<const State> x) const {
  double sum = 0;
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    std::size_t index = functions_[f].values, stride = 1;
    for (const Place k : scope_of(functions_[f])) {
      index += stride * x[block_[k]];
      stride *= graph_.states(block_[k]);
    }
    sum += values_[index];
  }
  return sum;
}

}  // namespace croft
