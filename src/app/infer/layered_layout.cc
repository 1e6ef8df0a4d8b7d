#include "app/infer/layered_layout.h"

#include <algorithm>
#include <numeric>

namespace croft {
namespace {

constexpr int kOrderSweeps = 24, kPlaceSweeps = 30;

class Layers {
 public:
  Layers(std::span<const std::pair<std::size_t, std::size_t>> edges, std::span<const double> widths,
         double gap)
      : edges_(edges), width_(widths.begin(), widths.end()), gap_(gap) {}

  bool run() {
    if (!find_layers()) return false;
    add_bends();
    for (std::size_t n = 0; n < layer_.size(); ++n) {
      if (rows_.size() <= layer_[n]) rows_.resize(layer_[n] + 1);
      rows_[layer_[n]].push_back(n);
    }
    order();
    place();
    return true;
  }

  LayoutPoint at(std::size_t n, double step) const {
    return {x_[n], step * static_cast<double>(layer_[n])};
  }
  const std::vector<std::vector<std::size_t>>& bends() const { return bends_; }

 private:
  using Lists = std::vector<std::vector<std::size_t>>;

  // By Kahn's algorithm; false where there is a cycle.
  bool find_layers() {
    const std::size_t n = width_.size();
    layer_.assign(n, 0);
    Lists children(n);
    std::vector<std::size_t> parents(n, 0), ready;
    for (const auto& [from, to] : edges_) {
      children[from].push_back(to);
      ++parents[to];
    }
    for (std::size_t k = 0; k < n; ++k) {
      if (parents[k] == 0) ready.push_back(k);
    }
    for (std::size_t k = 0; k < ready.size(); ++k) {
      for (const std::size_t child : children[ready[k]]) {
        layer_[child] = std::max(layer_[child], layer_[ready[k]] + 1);
        if (--parents[child] == 0) ready.push_back(child);
      }
    }
    if (ready.size() < n) return false;
    for (std::size_t k = n; k-- > 0;) {  // a node without parents comes close to its children
      const std::size_t at = ready[k];
      std::size_t nearest = ~std::size_t{0};
      for (const std::size_t child : children[at]) nearest = std::min(nearest, layer_[child]);
      const bool root = std::ranges::none_of(edges_, [&](const auto& e) { return e.second == at; });
      if (root && nearest != ~std::size_t{0}) layer_[at] = nearest - 1;
    }
    return true;
  }

  void add_bends() {
    bends_.resize(edges_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      std::size_t last = edges_[e].first;
      for (std::size_t l = layer_[last] + 1; l < layer_[edges_[e].second]; ++l) {
        const std::size_t bend = layer_.size();
        layer_.push_back(l);
        width_.push_back(0);
        bends_[e].push_back(bend);
        join(last, bend);
        last = bend;
      }
      join(last, edges_[e].second);
    }
  }
  void join(std::size_t above, std::size_t below) {
    below_.resize(layer_.size());
    above_.resize(layer_.size());
    below_[above].push_back(below);
    above_[below].push_back(above);
  }

  std::vector<std::size_t> ranks() const {
    std::vector<std::size_t> rank(layer_.size(), 0);
    for (const auto& row : rows_) {
      for (std::size_t k = 0; k < row.size(); ++k) rank[row[k]] = k;
    }
    return rank;
  }

  std::size_t crossings() const {
    const std::vector<std::size_t> rank = ranks();
    std::size_t count = 0;
    for (const auto& row : rows_) {
      std::vector<std::pair<std::size_t, std::size_t>> lines;
      for (const std::size_t n : row) {
        for (const std::size_t child : below_[n]) lines.emplace_back(rank[n], rank[child]);
      }
      for (std::size_t i = 0; i < lines.size(); ++i) {
        for (std::size_t j = i + 1; j < lines.size(); ++j) {
          const auto& [a, b] = lines[i];
          const auto& [c, d] = lines[j];
          if ((a < c && b > d) || (a > c && b < d)) ++count;
        }
      }
    }
    return count;
  }

  // A row by the medians of its neighbours in the row before it; what has none stays.
  void sort_row(std::vector<std::size_t>& row, const Lists& neighbours) {
    const std::vector<std::size_t> rank = ranks();
    std::vector<std::pair<double, std::size_t>> keys;
    for (const std::size_t n : row) {
      std::vector<std::size_t> of;
      for (const std::size_t each : neighbours[n]) of.push_back(rank[each]);
      std::ranges::sort(of);
      const std::size_t m = of.size();
      keys.emplace_back(m == 0 ? static_cast<double>(rank[n])
                               : static_cast<double>(of[(m - 1) / 2] + of[m / 2]) / 2,
                        n);
    }
    std::ranges::stable_sort(keys, {}, &std::pair<double, std::size_t>::first);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = keys[k].second;
  }

  void order() {
    below_.resize(layer_.size());
    above_.resize(layer_.size());
    Lists best = rows_;
    std::size_t fewest = crossings();
    for (int sweep = 0; sweep < kOrderSweeps && fewest > 0; ++sweep) {
      if (sweep % 2 == 0) {
        for (std::size_t l = 1; l < rows_.size(); ++l) sort_row(rows_[l], above_);
      } else {
        for (std::size_t l = rows_.size() - 1; l-- > 0;) sort_row(rows_[l], below_);
      }
      const std::size_t now = crossings();
      if (now < fewest) fewest = now, best = rows_;
    }
    rows_ = std::move(best);
  }

  // Centres as near as can be to `wanted`, by least squares, with room between neighbours: the
  // pool of adjacent violators.
  void settle(const std::vector<std::size_t>& row, const std::vector<double>& wanted) {
    struct Pool {
      double sum;
      std::size_t count;
      double mean() const { return sum / static_cast<double>(count); }
    };
    std::vector<double> offset(row.size(), 0);
    for (std::size_t k = 1; k < row.size(); ++k) {
      offset[k] = offset[k - 1] + (width_[row[k - 1]] + width_[row[k]]) / 2 + gap_;
    }
    std::vector<Pool> pools;
    for (std::size_t k = 0; k < row.size(); ++k) {
      pools.push_back({wanted[k] - offset[k], 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        pools[pools.size() - 2].sum += pools.back().sum;
        pools[pools.size() - 2].count += pools.back().count;
        pools.pop_back();
      }
    }
    std::size_t k = 0;
    for (const Pool& each : pools) {
      for (std::size_t i = 0; i < each.count; ++i, ++k) x_[row[k]] = each.mean() + offset[k];
    }
  }

  void place() {
    x_.assign(layer_.size(), 0);
    for (const auto& row : rows_) settle(row, std::vector<double>(row.size(), 0));
    for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
      for (std::size_t k = 0; k < rows_.size(); ++k) {
        const auto& row = rows_[sweep % 2 == 0 ? k : rows_.size() - 1 - k];
        std::vector<double> wanted;
        for (const std::size_t n : row) {
          double sum = 0;
          for (const std::size_t each : above_[n]) sum += x_[each];
          for (const std::size_t each : below_[n]) sum += x_[each];
          const std::size_t count = above_[n].size() + below_[n].size();
          wanted.push_back(count == 0 ? x_[n] : sum / static_cast<double>(count));
        }
        settle(row, wanted);
      }
    }
    if (x_.empty()) return;
    const double left = *std::ranges::min_element(x_);
    for (double& each : x_) each -= left;
  }

  const std::span<const std::pair<std::size_t, std::size_t>> edges_;
  std::vector<double> width_;  // of bends, too
  const double gap_;
  std::vector<std::size_t> layer_;
  Lists above_, below_, bends_, rows_;
  std::vector<double> x_;
};

}  // namespace

LayeredLayout layered_layout(std::span<const std::pair<std::size_t, std::size_t>> edges,
                             std::span<const double> widths, double gap, double step) {
  Layers layers(edges, widths, gap);
  LayeredLayout out;
  if (!layers.run()) return out;
  for (std::size_t n = 0; n < widths.size(); ++n) out.node.push_back(layers.at(n, step));
  for (const auto& bends : layers.bends()) {
    out.bends.emplace_back();
    for (const std::size_t each : bends) out.bends.back().push_back(layers.at(each, step));
  }
  return out;
}

}  // namespace croft
