#include "croft/structure/edge_sharing.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace croft {
namespace {

using Numbers = std::vector<std::uint32_t>;

// The class of each line of a table, lines being rows or columns; classes in order of appearance.
template <class Line>
Numbers classes_of(std::size_t labels, const Line& line) {
  std::map<Numbers, std::uint32_t> known;
  Numbers classes(labels), numbers(labels);
  for (std::size_t k = 0; k < labels; ++k) {
    for (std::size_t m = 0; m < labels; ++m) numbers[m] = line(k, m);
    classes[k] = known.try_emplace(numbers, static_cast<std::uint32_t>(known.size())).first->second;
  }
  return classes;
}

EdgeSharing share_by_classes(std::size_t labels, std::span<const std::uint32_t> number) {
  EdgeSharing out;
  out.from =
      classes_of(labels, [&](std::size_t i, std::size_t j) { return number[i * labels + j]; });
  out.to = classes_of(labels, [&](std::size_t j, std::size_t i) { return number[i * labels + j]; });
  out.from_classes = std::ranges::max(out.from) + std::size_t{1};
  out.to_classes = std::ranges::max(out.to) + std::size_t{1};
  out.first.resize(out.from_classes * out.to_classes);
  for (Label i = static_cast<Label>(labels); i-- > 0;) {
    for (Label j = static_cast<Label>(labels); j-- > 0;) {
      out.first[out.from[i] * out.to_classes + out.to[j]] = {i, j};
    }
  }
  return out;
}

// All but the edges of the most common number are listed.
EdgeSharing share_by_list(std::size_t labels, std::span<const std::uint32_t> number) {
  std::unordered_map<std::uint32_t, std::size_t> count;
  for (const std::uint32_t n : number) ++count[n];
  std::uint32_t common = number[0];
  for (const std::uint32_t n : number) {
    if (count[n] > count[common]) common = n;
  }
  EdgeSharing out;
  bool any = false;
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      if (number[i * labels + j] != common) {
        out.listed.push_back({i, j});
      } else if (!any) {
        out.common = {i, j};
        any = true;
      }
    }
  }
  return out;
}

}  // namespace

std::shared_ptr<const EdgeSharing> find_sharing(std::size_t labels,
                                                std::span<const std::uint32_t> number,
                                                std::size_t most) {
  if (labels == 0) return nullptr;
  EdgeSharing best = share_by_classes(labels, number);
  if (EdgeSharing list = share_by_list(labels, number); list.cost() < best.cost()) {
    best = std::move(list);
  }
  if (best.cost() >= most) return nullptr;
  return std::make_shared<const EdgeSharing>(std::move(best));
}

}  // namespace croft
