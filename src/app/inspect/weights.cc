#include "app/inspect/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace croft {
namespace {

bool before(const RankedWeight& a, const RankedWeight& b) {
  return a.weight != b.weight ? std::abs(a.weight) > std::abs(b.weight) : a.order < b.order;
}

// Of a float the shortest decimal that gives it back, as a double: 0.1 rather than
// 0.10000000149011612.
double shortest(double number) {
  const auto single = static_cast<float>(number);
  if (double{single} != number) return number;
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), single).ptr;
  std::from_chars(digits.begin(), end, number);
  return number;
}

}  // namespace

SortedNames::SortedNames(const FeatureTable& table) : order_(table.size()) {
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    bytes_ += table.name(id);
    end_.push_back(bytes_.size());
  }
  std::iota(order_.begin(), order_.end(), 0u);
  // A damaged table can hold a name twice.
  std::ranges::sort(order_, [this](std::uint32_t a, std::uint32_t b) {
    const int order = name(a).compare(name(b));
    return order != 0 ? order < 0 : a < b;
  });
}

void write_chain(const FeatureTable& transitions, const FeatureTable& node,
                 const FeatureTable& edge, std::span<const std::string> labels, LineWriter& out) {
  const auto add = [&](std::string_view part, const FeatureTable& table, bool pairs) {
    for_each_sorted(table, [&](const std::string& name, std::uint32_t cell, double weight) {
      out << part << "\t" << name << "\t";
      if (pairs) out << labels[cell / labels.size()] << "\t";
      out << labels[cell % labels.size()] << "\t" << weight;
      out.end_line();
    });
  };
  add("transition", transitions, true);
  add("node", node, false);
  add("edge", edge, true);
}

std::vector<std::string> cell_order(std::string_view attribute, std::uint32_t cell) {
  return {std::string(attribute), fmt::format("{:010}", cell)};
}

RankedWeight of_name(std::string_view key, const std::string& name) {
  return {{name}, {{key, name}}, escaped(name)};
}

RankedWeight of_pair(std::vector<std::string> order, const std::string& from,
                     const std::string& to) {
  return {std::move(order), {{"from", from}, {"to", to}}, escaped(from) + " -> " + escaped(to)};
}

void Ranking::insert(RankedWeight weight, RankedWeights& heap) const {
  if (interruption) throw Interrupted("interrupted");
  heap.push_back(std::move(weight));
  std::ranges::push_heap(heap, before);
  if (heap.size() <= n_) return;
  std::ranges::pop_heap(heap, before);
  heap.pop_back();
}

RankedWeights Ranking::sorted(RankedWeights heap) {
  std::ranges::sort_heap(heap, before);
  return heap;
}

Json show(View& view, const RankedWeights& weights, std::string_view format, std::string_view key) {
  Json list = Json::array();
  for (const RankedWeight& each : weights) {
    if (interruption) throw Interrupted("interrupted");
    view.text += fmt::format(fmt::runtime(format), each.weight, each.text);
    list.emplace_back(each.names)[key] = shortest(each.weight);
  }
  return list;
}

Json show(View& view, const Ranking& ranking) {
  Json largest = show(view, ranking.largest());
  return {{"largest", std::move(largest)}, {"smallest", show(view, ranking.smallest())}};
}

}  // namespace croft
