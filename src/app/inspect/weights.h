// The weights of a model: all of them as lines, and the strongest of a group.  Internal to app/.
#pragma once
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/view.h"
#include "croft/core/interrupt.h"
#include "model/feature_table.h"

namespace croft {

// visit(name, cell, weight) of each weight of a table, by the ids of the file.
template <class Visit>
void for_each_weight(const FeatureTable& table, const Visit& visit) {
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    const WeightRow row = table.row(id);
    if (row.size() == 0) continue;
    const std::string name = table.name(id);
    for (std::size_t k = 0; k < row.size(); ++k) visit(name, row.cell(k), row.weight(k));
  }
}

// The names of a table in one store, and its ids in the order of the names' bytes.
class SortedNames {
 public:
  explicit SortedNames(const FeatureTable& table);
  const std::vector<std::uint32_t>& order() const { return order_; }
  std::string_view name(std::uint32_t id) const {
    const std::size_t begin = id == 0 ? 0 : end_[id - 1];
    return std::string_view(bytes_).substr(begin, end_[id] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> end_;
  std::vector<std::uint32_t> order_;
};

// The same by the names' bytes, then by cell, with the names escaped().  Memory: the names of the
// table and 12 bytes for each.
template <class Visit>
void for_each_sorted(const FeatureTable& table, const Visit& visit) {
  const SortedNames names(table);
  for (const std::uint32_t id : names.order()) {
    const std::string name = escaped(names.name(id));
    const WeightRow row = table.row(id);
    for (std::size_t k = 0; k < row.size(); ++k) visit(name, row.cell(k), row.weight(k));
  }
}

// Collects lines, and hands them on in pieces of some 64 KiB.
class LineWriter {
 public:
  explicit LineWriter(const WriteText& write) : write_(write) {}
  LineWriter& operator<<(std::string_view text) {
    lines_ += text;
    return *this;
  }
  // The fewest digits that give it back, as a float where it is one.
  LineWriter& operator<<(double number) {
    char digits[32];
    const auto single = static_cast<float>(number);
    const auto end = double{single} == number
                         ? std::to_chars(digits, digits + sizeof digits, single).ptr
                         : std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  // fmt's format, and the end of the line.
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(lines_), format, std::forward<T>(values)...);
    end_line();
  }
  void end_line() {
    lines_ += '\n';
    if (lines_.size() >= (1 << 16)) finish();
  }
  void finish() {
    if (interruption) throw Interrupted("interrupted");
    if (!lines_.empty()) write_(lines_);
    lines_.clear();
  }

 private:
  const WriteText& write_;
  std::string lines_;
};

// The lines "transition", "node" and "edge" of a model whose tables have cells of labels and of
// pairs of them.
//   labels : escaped()
void write_chain(const FeatureTable& transitions, const FeatureTable& node,
                 const FeatureTable& edge, std::span<const std::string> labels, LineWriter& out);

// --- the strongest

struct RankedWeight {
  std::vector<std::string> order;  // decides between equal weights
  Json names;                      // an object: what it belongs to
  std::string text;                // the same, for people
  double weight = 0;
};
using RankedWeights = std::vector<RankedWeight>;

// Of a cell, when equal weights are in the order of attributes, then of cells.
std::vector<std::string> cell_order(std::string_view attribute, std::uint32_t cell);
// Of one name, or of two with an arrow between.
RankedWeight of_name(std::string_view key, const std::string& name);
RankedWeight of_pair(std::vector<std::string> order, const std::string& from,
                     const std::string& to);

// Of a stream of weights the n largest above 0, and the n smallest below.
class Ranking {
 public:
  explicit Ranking(std::size_t n) : n_(n) {}

  // make(): a RankedWeight, asked for where the weight is not plainly out of the running.
  template <class Make>
  void offer(double weight, const Make& make) {
    if (n_ == 0 || !(weight > 0 || weight < 0)) return;
    RankedWeights& heap = weight > 0 ? largest_ : smallest_;
    if (heap.size() == n_ && std::abs(heap.front().weight) > std::abs(weight)) return;
    RankedWeight made = make();
    made.weight = weight;
    insert(std::move(made), heap);
  }
  RankedWeights largest() const { return sorted(largest_); }    // the largest first
  RankedWeights smallest() const { return sorted(smallest_); }  // the smallest first

 private:
  void insert(RankedWeight weight, RankedWeights& heap) const;
  static RankedWeights sorted(RankedWeights heap);

  std::size_t n_;
  RankedWeights largest_, smallest_;  // the weakest on top
};

// Adds a line for each to the text and returns a list of their names, with their weights by `key`.
//   format : of the weight, then of the text
Json show(View& view, const RankedWeights& weights, std::string_view format = "  {:>10.5f}  {}\n",
          std::string_view key = "weight");
// {"largest": [...], "smallest": [...]}
Json show(View& view, const Ranking& ranking);

}  // namespace croft
