#include "inference/graph/exact/clique_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft {
namespace {

constexpr std::size_t kBlock = 4096;     // entries: half a first-level cache
constexpr double kLowestProduct = -650;  // exp() of it is a normal double with digits to spare

}  // namespace

bool Table::normalise() {
  if (logarithms) return normalise_logarithms();
  double high = 0, low = 0;
  find_extent(values.data(), values.size(), high, low);
  if (high == 0) return false;
  offset += std::log(high);
  lowest = std::log(low / high);
  if (low / high < std::numeric_limits<double>::min()) {
    logarithms = true;
    lowest = std::log(low) - std::log(high);
    for (double& x : values) x = std::log(x) - std::log(high);
  } else if (high < std::numeric_limits<double>::min() * 4) {  // whose inverse is infinite
    for (double& x : values) x /= high;
  } else if (high != 1) {
    multiply_by(1 / high, values.size(), values.data());
  }
  return true;
}

bool Table::normalise_logarithms() {
  double high = -kInf, low = kInf;
  for (const double x : values) {
    high = std::max(high, x);
    if (x > -kInf) low = std::min(low, x);
  }
  if (high == -kInf) return false;
  offset += high;
  lowest = low - high;
  for (double& x : values) x -= high;
  if (lowest > kLowestProduct) {
    logarithms = false;
    for (double& x : values) x = std::exp(x);
  }
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
  if (all_ == 0) throw Interrupted("stopped while the cost of a junction tree was worked out");
  const int share = static_cast<int>(100 * std::min(1.0, done_ / std::max(all_, 1.0)));
  throw Interrupted("stopped with about " + std::to_string(share) +
                    " % of the joint states gone through, and no number before the end");
}

CliqueTable::CliqueTable(std::vector<std::uint32_t> states, Watch* watch)
    : states_(std::move(states)), watch_(watch), outer_(states_.size()) {
  while (outer_ > 0 && (block_size_ == 1 || block_size_ * states_[outer_ - 1] <= kBlock)) {
    block_size_ *= states_[--outer_];
  }
}

CliqueTable::CliqueTable(const FactorGraph& graph, std::span<const Variable> variables,
                         Watch* watch)
    : CliqueTable(
          [&] {
            std::vector<std::uint32_t> states;
            for (const Variable v : variables) {
              states.push_back(static_cast<std::uint32_t>(graph.states(v)));
            }
            return states;
          }(),
          watch) {
  if (variables.size() > kMostPlaces) {
    throw Error("a clique of " + std::to_string(variables.size()) +
                " variables has too many joint states");
  }
  variables_.assign(variables.begin(), variables.end());
}

PlaceMask CliqueTable::mask_of(std::span<const Variable> variables) const {
  PlaceMask mask = 0;
  std::size_t k = variables.size();
  for (std::size_t c = variables_.size(); c-- > 0;) {
    if (k == 0 || variables[k - 1] != variables_[c]) continue;
    mask |= PlaceMask{1} << c;
    --k;
  }
  return mask;
}

// The table of some of the variables.
CliqueTable CliqueTable::part(PlaceMask places) const {
  std::vector<std::uint32_t> states;
  for (std::size_t c = 0; c < states_.size(); ++c) {
    if (places >> c & 1) states.push_back(states_[c]);
  }
  return {std::move(states), watch_};
}

// The places of `some` in the part of `places`.
PlaceMask CliqueTable::within(PlaceMask places, PlaceMask some) const {
  PlaceMask mask = 0;
  std::size_t k = 0;
  for (std::size_t c = 0; c < states_.size(); ++c) {
    if ((places >> c & 1) == 0) continue;
    if (some >> c & 1) mask |= PlaceMask{1} << k;
    ++k;
  }
  return mask;
}

void CliqueTable::add_input(std::span<const Variable> variables, const Table& table) {
  in_.push_back({mask_of(variables), &table, nullptr});
}

void CliqueTable::add_output(std::span<const Variable> variables, Table& table) {
  out_.push_back({mask_of(variables), nullptr, &table});
}

CliqueTable::View CliqueTable::view_of(PlaceMask places) const {
  View view{.table = nullptr, .out = nullptr, .size = 1, .stride = {}, .block = {}};
  std::vector<std::uint64_t> stride(states_.size(), 0);
  for (std::size_t c = states_.size(); c-- > 0;) {
    if ((places >> c & 1) == 0) continue;
    stride[c] = view.size;
    view.size *= states_[c];
  }
  view.stride.assign(stride.begin(), stride.begin() + static_cast<std::ptrdiff_t>(outer_));
  // The last variables of the block that are all in the table, or all not.
  BlockView& block = view.block;
  std::size_t c = states_.size();
  if (c > outer_) {
    block.same = stride[c - 1] == 0;
    for (; c > outer_ && (stride[c - 1] == 0) == block.same; --c) block.run *= states_[c - 1];
  }
  if (!block.same && block.run < 4) {  // not worth a loop
    c = states_.size();
    block.run = 1;
  }
  // The other variables of the block, the last one first: each repeats what is there, moved on.
  block.offset.assign(1, 0);
  block.offset.reserve(block_size_ / block.run);
  for (std::size_t v = c; v-- > outer_;) {
    const std::size_t count = block.offset.size();
    for (std::uint32_t x = 1; x < states_[v]; ++x) {
      const auto move = static_cast<std::uint32_t>(x * stride[v]);
      for (std::size_t k = 0; k < count; ++k) block.offset.push_back(block.offset[k] + move);
    }
  }
  view.outer = block.same && block.offset.size() == 1;
  return view;
}

// As run() goes about it: joint inputs, each made by a table of its own; the passes; joint outputs,
// each taken apart by a table of its own.
double CliqueTable::joint_numbers(bool logarithms) const {
  std::vector<PlaceMask> in, out;
  for (const Part& each : in_) in.push_back(each.places);
  for (const Part& each : out_) out.push_back(each.places);
  double kept = 0, most = 0;
  for (const TableGroup& group : group_inputs(states_, in)) {
    const double numbers = states_of(states_, group.places);
    if (group.members.size() > 1 || group.places != in[group.members.front()]) {
      CliqueTable product = part(group.places);
      for (const std::size_t k : group.members) {
        product.in_.push_back({within(group.places, in[k]), nullptr, nullptr});
      }
      product.out_.push_back({within(group.places, group.places), nullptr, nullptr});
      kept += numbers;
      most = std::max(most, kept + product.joint_numbers(logarithms));
    }
    if (logarithms) kept += numbers;  // take_logarithms()
  }
  double largest = 0, highest = 0;
  for (TableGroup& group : group_outputs(states_, out)) {
    const double numbers = states_of(states_, group.places);
    if (logarithms) highest += numbers;  // sum_logarithms()
    if (group.places == out[group.members.front()]) {
      group.members.erase(group.members.begin());
    } else {
      kept += numbers;
    }
    if (group.members.empty()) continue;
    CliqueTable parts = part(group.places);
    parts.in_.push_back({within(group.places, group.places), nullptr, nullptr});
    for (const std::size_t k : group.members) {
      parts.out_.push_back({within(group.places, out[k]), nullptr, nullptr});
    }
    largest = std::max(largest, parts.joint_numbers(logarithms));
  }
  return std::max(most, kept + std::max(largest, highest));
}

// The inputs of the passes: products of small ones.  False where one is 0.
bool CliqueTable::join_inputs() {
  std::vector<PlaceMask> places;
  for (const Part& each : in_) places.push_back(each.places);
  for (const TableGroup& group : group_inputs(states_, places)) {
    const Table* table = in_[group.members.front()].in;
    if (group.members.size() > 1 || group.places != places[group.members.front()]) {
      Table& joint = tables_.emplace_back();
      CliqueTable product = part(group.places);
      for (const std::size_t k : group.members) {
        product.in_.push_back({within(group.places, places[k]), in_[k].in, nullptr});
      }
      product.out_.push_back({within(group.places, group.places), nullptr, &joint});
      if (!product.sum()) return false;
      table = &joint;
    }
    inputs_.push_back(view_of(group.places));
    inputs_.back().table = table;
  }
  return true;
}

// The outputs of the passes, and what is to be made of them.
void CliqueTable::set_outputs() {
  std::vector<PlaceMask> places;
  for (const Part& each : out_) places.push_back(each.places);
  for (TableGroup& group : group_outputs(states_, places)) {
    const std::size_t first = group.members.front();
    const bool own = group.places == places[first];
    Table* table = own ? out_[first].out : &tables_.emplace_back();
    outputs_.push_back(view_of(group.places));
    outputs_.back().out = table;
    if (own) group.members.erase(group.members.begin());
    if (group.members.empty()) continue;
    Joint& joint = joint_.emplace_back(Joint{group.places, table, {}});
    for (const std::size_t k : group.members) {
      joint.parts.push_back({within(group.places, places[k]), nullptr, out_[k].out});
    }
  }
}

bool CliqueTable::take_apart(bool largest) {
  for (Joint& joint : joint_) {
    CliqueTable table = part(joint.places);
    table.in_.push_back({within(joint.places, joint.places), joint.table, nullptr});
    table.out_ = std::move(joint.parts);
    if (!table.run(largest)) return false;
  }
  return true;
}

bool CliqueTable::run(bool largest) {
  if (!join_inputs()) return false;
  set_outputs();
  const bool linear = fits_linear();
  if (!linear) take_logarithms();
  if (largest) {
    find_largest(!linear);
  } else if (linear) {
    sum_linear();
  } else {
    sum_logarithms();
  }
  return finish() && take_apart(largest);
}

bool CliqueTable::fits_linear(double range) { return -range > kLowestProduct; }

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

// The product of the inputs at the outer variables' states; nullptr where it is 0 throughout.
const double* CliqueTable::next_block(bool logarithms) {
  double scale = logarithms ? 0 : 1;
  const View* first = nullptr;
  std::size_t in_block = 0;
  for (const View& view : inputs_) {
    if (view.outer) {
      const double x = view.table->values[view.at];
      scale = logarithms ? scale + x : scale * x;
    } else {
      if (first == nullptr || view.block.run > first->block.run) first = &view;
      ++in_block;
    }
  }
  if (scale == (logarithms ? -kInf : 0)) return nullptr;
  if (first == nullptr) {
    std::ranges::fill(block_, scale);
    return block_.data();
  }
  const double* from = first->table->values.data() + first->at;
  const bool whole = first->block.run == block_size_;
  if (whole && in_block == 1 && scale == (logarithms ? 0 : 1)) return from;
  (logarithms ? set_sum : set_product)(first->block, scale, from, block_.data());
  for (const View& view : inputs_) {
    if (view.outer || &view == first) continue;
    (logarithms ? add_block : multiply_block)(view.block, view.table->values.data() + view.at,
                                              block_.data());
  }
  return block_.data();
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
    if (const double* block = next_block(logarithms)) visit(block);
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
  for (View& view : inputs_) {
    if (view.table->logarithms) continue;
    Table& table = tables_.emplace_back(*view.table);
    for (double& x : table.values) x = std::log(x);
    table.logarithms = true;
    view.table = &table;
  }
}

// Sets the outputs to the largest products.
void CliqueTable::find_largest(bool logarithms) {
  for (View& view : outputs_) {
    view.out->values.assign(view.size, logarithms ? -kInf : 0);
    view.out->logarithms = logarithms;
  }
  for_blocks(logarithms, [&](const double* block) {
    for (View& view : outputs_) {
      max_block(view.block, block, view.out->values.data() + view.at);
    }
  });
}

void CliqueTable::sum_linear() {
  for (View& view : outputs_) {
    view.out->values.assign(view.size, 0);
    view.out->logarithms = false;
  }
  for_blocks(false, [&](const double* block) {
    for (View& view : outputs_) {
      sum_block(view.block, block, view.out->values.data() + view.at);
    }
  });
}

// The largest first, then the sum relative to it.
void CliqueTable::sum_logarithms() {
  find_largest(true);
  std::vector<LargeVector<double>> high;
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
    LargeVector<double>& values = outputs_[k].out->values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = values[i] > 0 ? high[k][i] + std::log(values[i]) : -kInf;
    }
  }
}

}  // namespace croft
