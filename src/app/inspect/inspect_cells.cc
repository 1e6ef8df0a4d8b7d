#include "app/inspect/inspect_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "app/inspect/inspect.h"
#include "core/json.h"

namespace croft {

std::vector<CellWeight> cell_weights(const FeatureTable& table, std::size_t cells) {
  std::vector<CellWeight> all;
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    const WeightRow row = table.row(id);
    if (row.size() == 0) continue;
    const std::string name = table.name(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row.cell(k) < cells) all.push_back({name, row.cell(k), row.weight(k)});
    }
  }
  std::ranges::sort(all, [](const CellWeight& a, const CellWeight& b) {
    return std::tie(a.attribute, a.cell) < std::tie(b.attribute, b.cell);
  });
  return all;
}

std::vector<std::vector<CellWeight>> by_cell(const FeatureTable& table, std::size_t cells) {
  std::vector<std::vector<CellWeight>> all(cells);
  for (CellWeight& each : cell_weights(table, cells)) all[each.cell].push_back(std::move(each));
  return all;
}

std::vector<CellWeight> strongest(std::vector<CellWeight> weights, float sign, std::size_t n) {
  std::erase_if(weights, [&](const CellWeight& w) { return !(sign * w.weight > 0); });
  std::ranges::stable_sort(weights, std::ranges::greater{},
                           [&](const CellWeight& w) { return sign * w.weight; });
  if (weights.size() > n) weights.resize(n);
  return weights;
}

std::string attribute_of(const CellWeight& weight) { return escaped(weight.attribute); }

void append_strongest(std::string& out, const std::vector<CellWeight>& weights, std::size_t n,
                      const CellName& name) {
  for (const float sign : {1.0f, -1.0f}) {
    for (const CellWeight& w : strongest(weights, sign, n)) {
      out += fmt::format("  {:>10.5f}  {}\n", w.weight, name(w));
    }
  }
}

Json strongest_json(const std::vector<CellWeight>& weights, std::size_t n) {
  const auto list = [&](float sign) {
    Json out = Json::array();
    for (const CellWeight& w : strongest(weights, sign, n)) {
      out.push_back({{"attribute", w.attribute}, {"weight", w.weight}});
    }
    return out;
  };
  return {{"largest", list(1)}, {"smallest", list(-1)}};
}

void LinePieces::add(std::string_view line) {
  lines_ += line;
  if (lines_.size() > (1 << 16)) finish();
}

void LinePieces::finish() {
  if (!lines_.empty()) write_(lines_);
  lines_.clear();
}

}  // namespace croft
