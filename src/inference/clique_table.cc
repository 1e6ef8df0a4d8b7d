#include "inference/clique_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "croft/core/interrupt.h"

namespace croft {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::size_t kBlock = 4096;     // entries: half a first-level cache
constexpr double kLowestProduct = -650;  // exp() of it is a normal double with digits to spare

}  // namespace

bool Table::normalise() {
  double high = logarithms ? -kInf : 0, low = kInf;
  for (const double x : values) {
    high = std::max(high, x);
    if (x > (logarithms ? -kInf : 0)) low = std::min(low, x);
  }
  if (high == (logarithms ? -kInf : 0)) return false;
  if (logarithms) {
    offset += high;
    lowest = low - high;
    for (double& x : values) x -= high;
    if (lowest > kLowestProduct) {
      logarithms = false;
      for (double& x : values) x = std::exp(x);
    }
    return true;
  }
  offset += std::log(high);
  lowest = std::log(low / high);
  if (low / high < std::numeric_limits<double>::min()) {
    logarithms = true;
    lowest = std::log(low) - std::log(high);
    for (double& x : values) x = std::log(x) - std::log(high);
    return true;
  }
  for (double& x : values) x /= high;
  return true;
}

double Table::log_value(std::size_t k) const {
  return logarithms ? values[k] : std::log(values[k]);
}

Table table_of_scores(std::vector<double> scores) {
  Table table{.values = {scores.begin(), scores.end()}, .logarithms = true};
  if (!table.normalise()) table.offset = -kInf;
  return table;
}

void Watch::ask() {
  asked_ = done_;
  GraphProgress now;
  now.iteration = static_cast<std::size_t>(done_ / 1e6);
  if (callback_(now)) return;
  const int share = static_cast<int>(100 * std::min(1.0, done_ / std::max(all_, 1.0)));
  throw Interrupted("stopped with about " + std::to_string(share) +
                    " % of the joint states gone through, and no number before the end");
}

CliqueTable::CliqueTable(const FactorGraph& graph, std::span<const Variable> variables,
                         Watch* watch)
    : variables_(variables.begin(), variables.end()), watch_(watch) {
  for (const Variable v : variables) states_.push_back(static_cast<std::uint32_t>(graph.states(v)));
  outer_ = variables_.size();
  while (outer_ > 0 && (block_size_ == 1 || block_size_ * states_[outer_ - 1] <= kBlock)) {
    block_size_ *= states_[--outer_];
  }
}

CliqueTable::View CliqueTable::view_of(std::span<const Variable> variables) const {
  View view{.table = nullptr, .out = nullptr, .size = 1, .stride = {}, .block = {}};
  std::vector<std::uint64_t> stride(variables_.size(), 0);
  std::size_t k = variables.size();
  for (std::size_t c = variables_.size(); c-- > 0;) {
    if (k == 0 || variables[k - 1] != variables_[c]) continue;
    stride[c] = view.size;
    view.size *= states_[c];
    --k;
  }
  view.stride.assign(stride.begin(), stride.begin() + static_cast<std::ptrdiff_t>(outer_));
  // The last variables of the block that are all in the table, or all not.
  BlockView& block = view.block;
  std::size_t c = variables_.size();
  if (c > outer_) {
    block.same = stride[c - 1] == 0;
    for (; c > outer_ && (stride[c - 1] == 0) == block.same; --c) block.run *= states_[c - 1];
  }
  if (!block.same && block.run < 4) {  // not worth a loop
    c = variables_.size();
    block.run = 1;
  }
  const std::size_t runs = block_size_ / block.run;
  block.offset.resize(runs);
  view.outer = block.same && runs == 1;
  for (std::size_t r = 0; r < runs; ++r) {
    std::size_t left = r;
    std::uint64_t offset = 0;
    for (std::size_t v = c; v-- > outer_;) {
      offset += left % states_[v] * stride[v];
      left /= states_[v];
    }
    block.offset[r] = static_cast<std::uint32_t>(offset);
  }
  return view;
}

void CliqueTable::add_input(std::span<const Variable> variables, const Table& table) {
  View view = view_of(variables);
  view.table = &table;
  inputs_.push_back(std::move(view));
}

void CliqueTable::add_output(std::span<const Variable> variables, Table& table) {
  View view = view_of(variables);
  view.out = &table;
  outputs_.push_back(std::move(view));
}

// Whether no product of numbers that are not 0 underflows.
bool CliqueTable::fits_linear() const {
  double lowest = 0;
  for (const View& view : inputs_) {
    if (view.table->logarithms) return false;
    lowest += view.table->lowest;
  }
  return lowest > kLowestProduct;
}

double CliqueTable::offset() const {
  double sum = 0;
  for (const View& view : inputs_) sum += view.table->offset;
  return sum;
}

bool CliqueTable::next() {
  for (std::size_t c = outer_; c-- > 0;) {
    const bool more = ++at_[c] < states_[c];
    const auto back = static_cast<std::uint64_t>(states_[c]) - 1;
    for (auto* views : {&inputs_, &outputs_}) {
      for (View& view : *views) {
        view.at += more ? view.stride[c] : -back * view.stride[c];
      }
    }
    if (more) return true;
    at_[c] = 0;
  }
  return false;
}

template <class Visit>
void CliqueTable::for_blocks(bool logarithms, const Visit& visit) {
  at_.assign(outer_, 0);
  for (auto* views : {&inputs_, &outputs_}) {
    for (View& view : *views) view.at = 0;
  }
  block_.resize(block_size_);
  const auto size = static_cast<double>(block_size_);
  do {
    if (watch_ != nullptr) watch_->advance(size);
    double scale = logarithms ? 0 : 1;
    for (const View& view : inputs_) {
      if (!view.outer) continue;
      const double x = view.table->values[view.at];
      scale = logarithms ? scale + x : scale * x;
    }
    if (scale == (logarithms ? -kInf : 0)) continue;  // nothing in this block
    std::ranges::fill(block_, scale);
    for (const View& view : inputs_) {
      if (view.outer) continue;
      (logarithms ? add_block : multiply_block)(view.block, view.table->values.data() + view.at,
                                                block_.data());
    }
    visit(block_.data());
  } while (next());
}

bool CliqueTable::finish() {
  const double all = offset();
  for (View& view : outputs_) {
    view.out->offset = all;
    if (!view.out->normalise()) return false;
  }
  return true;
}

// From here on the inputs are logarithms.
void CliqueTable::take_logarithms() {
  converted_.reserve(inputs_.size());
  for (View& view : inputs_) {
    if (view.table->logarithms) continue;
    Table& table = converted_.emplace_back(*view.table);
    for (double& x : table.values) x = std::log(x);
    table.logarithms = true;
    view.table = &table;
  }
}

// Sets the outputs to the largest products, as logarithms.
void CliqueTable::find_largest() {
  take_logarithms();
  for (View& view : outputs_) {
    view.out->values.assign(view.size, -kInf);
    view.out->logarithms = true;
  }
  for_blocks(true, [&](const double* block) {
    for (View& view : outputs_) {
      max_block(view.block, block, view.out->values.data() + view.at);
    }
  });
}

bool CliqueTable::maximise() {
  find_largest();
  return finish();
}

bool CliqueTable::sum() {
  if (!fits_linear()) return sum_logarithms();
  for (View& view : outputs_) {
    view.out->values.assign(view.size, 0);
    view.out->logarithms = false;
  }
  for_blocks(false, [&](const double* block) {
    for (View& view : outputs_) {
      sum_block(view.block, block, view.out->values.data() + view.at);
    }
  });
  return finish();
}

// The largest first, then the sum relative to it.
bool CliqueTable::sum_logarithms() {
  find_largest();
  std::vector<AlignedVector<double>> high;
  for (View& view : outputs_) {
    high.push_back(view.out->values);
    view.out->values.assign(view.size, 0);
  }
  for_blocks(true, [&](const double* block) {
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      View& view = outputs_[k];
      exp_sum_block(view.block, block, high[k].data() + view.at, view.out->values.data() + view.at);
    }
  });
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    AlignedVector<double>& values = outputs_[k].out->values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = values[i] > 0 ? high[k][i] + std::log(values[i]) : -kInf;
    }
  }
  return finish();
}

}  // namespace croft
