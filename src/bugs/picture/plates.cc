#include "bugs/picture/plates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/infer/svg_text.h"
#include "core/unicode.h"
#include "croft/core/error.h"

namespace croft::bugs {
namespace {

constexpr std::size_t kMostPlateNodes = 300, kMostCharacters = 22;
// Of the drawing, in its own units.
constexpr double kFont = 12, kHeight = 28, kMargin = 18, kGap = 26, kBetween = 46;
constexpr double kPadding = 13, kLabel = 17;  // of a plate: at its sides, and for its label
constexpr int kSweeps = 60;

// What stands side by side in a plate: a node or an inner plate.
struct Item {
  bool is_plate = false;
  std::size_t number = 0;
  std::size_t first = 0, last = 0;  // layers
  double width = 0;
  double x = 0;  // its left side, in the plate
};

class PlateDrawing {
 public:
  explicit PlateDrawing(const PlateModel& model) : model_(model) {
    find_layers();
    measure();
    place_across();
    place_down();
  }

  std::string svg() const {
    double width = 2 * kMargin + plate_width_[0], height = bottom_ + 2 * kMargin + 8;
    width = std::max(width, 470.0);
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"{2}\">\n"
        "<title>{3} nodes in {4} plates</title>\n"
        "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker>"
        "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        width, height, kFont, model_.nodes.size(), model_.plates.size() - 1);
    for (std::size_t p = 1; p < model_.plates.size(); ++p) out += plate_svg(p);
    for (const auto& [from, to] : model_.edges) out += edge_svg(from, to);
    for (std::size_t p = 1; p < model_.plates.size(); ++p) out += plate_label(p);
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) out += node_svg(n);
    out += svg_text_at(kMargin, height - 10, "font-size=\"10\" fill=\"#555\"",
                       "grey: data.  double border: defined by <-.  box: a constant.  dashed: "
                       "from an earlier step");
    return out + "</svg>\n";
  }

 private:
  std::size_t plates() const { return model_.plates.size(); }

  // Whether the second plate lies in the first, or is it.
  bool contains(std::size_t outer, std::size_t inner) const {
    while (inner != outer && inner != 0) inner = model_.plates[inner].parent;
    return inner == outer;
  }

  // The longest path to a node, without the edges that would close a cycle; then nodes without
  // parents go down to the layer above their first child.
  void find_layers() {
    const std::size_t n = model_.nodes.size();
    back_.assign(model_.edges.size(), false);
    std::vector<std::vector<std::size_t>> out(n);
    for (std::size_t e = 0; e < model_.edges.size(); ++e) out[model_.edges[e].first].push_back(e);
    // Depth first, by hand: an edge to a node on the path goes back.
    std::vector<int> state(n, 0);
    std::vector<std::size_t> order;
    for (std::size_t root = 0; root < n; ++root) {
      std::vector<std::pair<std::size_t, std::size_t>> path;
      if (state[root] == 0) path.emplace_back(root, 0), state[root] = 1;
      while (!path.empty()) {
        auto& [node, next] = path.back();
        if (next == out[node].size()) {
          state[node] = 2;
          order.push_back(node);
          path.pop_back();
          continue;
        }
        const std::size_t edge = out[node][next++], to = model_.edges[edge].second;
        if (state[to] == 1) {
          back_[edge] = true;
        } else if (state[to] == 0) {
          state[to] = 1;
          path.emplace_back(to, 0);
        }
      }
    }
    std::reverse(order.begin(), order.end());
    layer_.assign(n, 0);
    std::vector<bool> has_parent(n, false);
    for (const std::size_t node : order) {
      for (const std::size_t e : out[node]) {
        if (back_[e]) continue;
        const std::size_t to = model_.edges[e].second;
        has_parent[to] = true;
        layer_[to] = std::max(layer_[to], layer_[node] + 1);
      }
    }
    raise_roots(out, has_parent);
    layers_ = n == 0 ? 0 : 1 + *std::max_element(layer_.begin(), layer_.end());
  }

  // Nodes without parents stand in the layer above their first child, or above the plate that it
  // is in and they are not.
  void raise_roots(const std::vector<std::vector<std::size_t>>& out,
                   const std::vector<bool>& has_parent) {
    const auto none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> first(plates(), none);  // layers, with the children alone
    for (std::size_t n = 0; n < layer_.size(); ++n) {
      if (!has_parent[n] && !out[n].empty()) continue;
      for (std::size_t p = model_.nodes[n].plate; p != 0; p = model_.plates[p].parent) {
        first[p] = std::min(first[p], layer_[n]);
      }
    }
    std::vector<std::ptrdiff_t> wanted(layer_.begin(), layer_.end());
    // Those in plates first: their layers are those of the plates.
    for (const bool inside : {true, false}) {
      for (std::size_t n = 0; n < layer_.size(); ++n) {
        const std::size_t own = model_.nodes[n].plate;
        if (has_parent[n] || out[n].empty() || (own != 0) != inside) continue;
        std::ptrdiff_t lowest = static_cast<std::ptrdiff_t>(layer_.size()) + 1;
        for (const std::size_t e : out[n]) {
          if (back_[e]) continue;
          const std::size_t to = model_.edges[e].second;
          lowest = std::min(lowest, static_cast<std::ptrdiff_t>(layer_[to]));
          for (std::size_t p = model_.nodes[to].plate; p != 0; p = model_.plates[p].parent) {
            if (contains(p, own) || model_.nodes[n].kind == PlateNodeKind::constant) continue;
            lowest = std::min(lowest, static_cast<std::ptrdiff_t>(first[p]));
          }
        }
        if (lowest > static_cast<std::ptrdiff_t>(layer_.size())) continue;
        wanted[n] = lowest - 1;
        for (std::size_t p = own; p != 0; p = model_.plates[p].parent) {
          first[p] =
              std::min(first[p], static_cast<std::size_t>(std::max<std::ptrdiff_t>(wanted[n], 0)));
        }
      }
    }
    if (wanted.empty()) return;
    const std::ptrdiff_t least = *std::min_element(wanted.begin(), wanted.end());
    for (std::size_t n = 0; n < layer_.size(); ++n) {
      layer_[n] = static_cast<std::size_t>(wanted[n] - least);
    }
  }

  void measure() {
    for (const PlateNode& node : model_.nodes) {
      label_.push_back(svg_shortened(node.label, kMostCharacters));
      const double text = 0.6 * kFont * static_cast<double>(character_count(label_.back()));
      width_.push_back(std::max(36.0, text + (node.kind == PlateNodeKind::constant ? 14 : 26)));
    }
    // How deep plates lie in each other below each.
    depth_.assign(plates(), 0);
    for (std::size_t p = plates(); p-- > 1;) {
      depth_[model_.plates[p].parent] = std::max(depth_[model_.plates[p].parent], depth_[p] + 1);
    }
    first_.assign(plates(), static_cast<std::size_t>(-1));
    last_.assign(plates(), 0);
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
      for (std::size_t p = model_.nodes[n].plate;; p = model_.plates[p].parent) {
        first_[p] = std::min(first_[p], layer_[n]);
        last_[p] = std::max(last_[p], layer_[n]);
        if (p == 0) break;
      }
    }
  }

  // Plates have places of their own beside whatever is in their layers.  First in the order of the
  // program, then by the places of neighbours.
  void place_across() {
    items_.assign(plates(), {});
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
      items_[model_.nodes[n].plate].push_back(
          {.number = n, .first = layer_[n], .last = layer_[n], .width = width_[n]});
    }
    for (std::size_t p = 1; p < plates(); ++p) {
      if (first_[p] > last_[p]) continue;  // nothing in it
      items_[model_.plates[p].parent].push_back(
          {.is_plate = true, .number = p, .first = first_[p], .last = last_[p]});
    }
    x_.assign(model_.nodes.size(), 0);
    left_.assign(plates(), 0);
    plate_width_.assign(plates(), 0);
    pack_all();
    std::vector<std::vector<Item>> best = items_;
    double shortest = length();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::vector<Item>& each : items_) {
        std::stable_sort(each.begin(), each.end(),
                         [&](const Item& a, const Item& b) { return wanted(a) < wanted(b); });
      }
      pack_all();
      settle();
      if (length() < shortest - 1e-9) shortest = length(), best = items_;
    }
    items_ = best;
    for (std::size_t p = plates(); p-- > 0;) fit_width(p);
    spread(0, kMargin);
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) x_[n] += width_[n] / 2;
  }

  // Each item as far left as those before it allow, inner plates first.
  void pack_all() {
    for (std::size_t p = plates(); p-- > 0;) {
      std::vector<double> right(layers_ + 1, p == 0 ? 0 : kPadding);
      for (Item& each : items_[p]) {
        if (each.is_plate) each.width = plate_width_[each.number];
        double x = 0;
        for (std::size_t k = each.first; k <= each.last; ++k) x = std::max(x, right[k]);
        each.x = x;
        for (std::size_t k = each.first; k <= each.last; ++k) right[k] = x + each.width + kGap;
      }
      fit_width(p);
    }
    spread(0, 0);
  }

  void fit_width(std::size_t p) {
    double right = 0;
    for (Item& each : items_[p]) {
      if (each.is_plate) each.width = plate_width_[each.number];
      right = std::max(right, each.x + each.width);
    }
    const double label =
        0.6 * 11 * static_cast<double>(character_count(model_.plates[p].label)) + 2 * kPadding;
    plate_width_[p] = std::max(right + (p == 0 ? 0 : kPadding), p == 0 ? 0 : label);
  }

  // Places on the page: left sides of nodes and plates.
  void spread(std::size_t p, double left) {
    left_[p] = left;
    for (const Item& each : items_[p]) {
      if (each.is_plate) {
        spread(each.number, left + each.x);
      } else {
        x_[each.number] = left + each.x;
      }
    }
  }

  // Where the neighbours of what is in an item would have it: the mean of their middles.
  double wanted(const Item& item) const {
    double sum = 0, count = 0;
    for (const auto& [from, to] : model_.edges) {
      const bool has_from = is_in(from, item), has_to = is_in(to, item);
      if (has_from == has_to) continue;
      const std::size_t inside = has_from ? from : to, other = has_from ? to : from;
      const double own = item.is_plate ? left_[item.number] + item.width / 2 : middle(inside);
      sum += own + middle(other) - middle(inside);
      ++count;
    }
    const double now = (item.is_plate ? left_[item.number] : x_[item.number]) + item.width / 2;
    return count > 0 ? sum / count : now;
  }

  bool is_in(std::size_t node, const Item& item) const {
    return item.is_plate ? contains(item.number, model_.nodes[node].plate) : node == item.number;
  }

  double middle(std::size_t node) const { return x_[node] + width_[node] / 2; }

  // Items move to where they are wanted, as far as there is room.
  void settle() {
    for (int round = 0; round < 8; ++round) {
      for (std::size_t p = 0; p < plates(); ++p) {
        const double inner = plate_width_[p] - (p == 0 ? 0 : kPadding);
        for (std::size_t i = 0; i < items_[p].size(); ++i) {
          Item& each = items_[p][i];
          double low = p == 0 ? 0 : kPadding, high = inner - each.width;
          for (const Item& other : items_[p]) {
            if (&other == &each || other.first > each.last || other.last < each.first) continue;
            if (other.x < each.x) low = std::max(low, other.x + other.width + kGap);
            if (other.x > each.x) high = std::min(high, other.x - kGap - each.width);
          }
          if (high < low) continue;
          each.x = std::clamp(wanted(each) - each.width / 2 - left_[p], low, high);
          spread(0, 0);
        }
      }
    }
  }

  // Of all edges: how far they go across, and that they cross nodes.
  double length() const {
    double sum = 0;
    for (const auto& [from, to] : model_.edges) sum += std::abs(middle(from) - middle(to));
    return sum + plate_width_[0];
  }

  // Layers keep room for the borders and labels of plates that begin or end between them.
  void place_down() {
    double y = kMargin + kHeight / 2 + above(0);
    for (std::size_t k = 0; k < layers_; ++k) {
      row_.push_back(y);
      y += kHeight + kBetween + below(k) + (k + 1 < layers_ ? above(k + 1) : 0);
    }
    bottom_ = layers_ == 0 ? 0 : row_.back() + kHeight / 2 + below(layers_ - 1);
  }

  double over(std::size_t p) const { return kPadding * static_cast<double>(1 + depth_[p]); }
  double under(std::size_t p) const {
    return (kPadding + kLabel) * static_cast<double>(1 + depth_[p]);
  }

  double above(std::size_t layer) const {
    double most = 0;
    for (std::size_t p = 1; p < plates(); ++p) {
      if (first_[p] == layer) most = std::max(most, over(p));
    }
    return most;
  }
  double below(std::size_t layer) const {
    double most = 0;
    for (std::size_t p = 1; p < plates(); ++p) {
      if (last_[p] == layer) most = std::max(most, under(p));
    }
    return most;
  }

  std::string plate_svg(std::size_t p) const {
    if (first_[p] > last_[p]) return {};
    const double top = row_[first_[p]] - kHeight / 2 - over(p),
                 bottom = row_[last_[p]] + kHeight / 2 + under(p);
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"7\" "
        "fill=\"#0072B2\" fill-opacity=\"0.05\" stroke=\"#777\"/>\n",
        left_[p], top, plate_width_[p], bottom - top);
  }

  std::string plate_label(std::size_t p) const {
    if (first_[p] > last_[p]) return {};
    const double bottom = row_[last_[p]] + kHeight / 2 + under(p);
    return svg_text_at(left_[p] + plate_width_[p] - 8, bottom - 6,
                       "text-anchor=\"end\" font-size=\"11\" fill=\"#444\" stroke=\"#f4f8fb\" "
                       "stroke-width=\"3\" paint-order=\"stroke\"",
                       svg_shortened(model_.plates[p].label, 60));
  }

  struct Spot {
    double x = 0, y = 0;
  };
  Spot spot(std::size_t node) const { return {x_[node], row_[layer_[node]]}; }

  // From the border of a node toward a place.
  Spot border(std::size_t node, Spot toward) const {
    const Spot at = spot(node);
    const double dx = toward.x - at.x, dy = toward.y - at.y, w = width_[node] / 2;
    const bool box = model_.nodes[node].kind == PlateNodeKind::constant;
    const double h = kHeight / 2 - (box ? 3 : 0);
    const double reach =
        box ? std::max(std::abs(dx) / w, std::abs(dy) / h) : std::hypot(dx / w, dy / h);
    return reach < 1 ? at : Spot{at.x + dx / reach, at.y + dy / reach};
  }

  // How many places on the way lie on other nodes, or off the page.
  std::size_t hits(Spot a, Spot control, Spot b, std::size_t from, std::size_t to) const {
    std::size_t count = 0;
    for (int k = 1; k < 24; ++k) {
      const double t = k / 24.0, s = 1 - t;
      const double x = s * s * a.x + 2 * s * t * control.x + t * t * b.x,
                   y = s * s * a.y + 2 * s * t * control.y + t * t * b.y;
      for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
        if (n == from || n == to) continue;
        const Spot at = spot(n);
        if (std::abs(x - at.x) < width_[n] / 2 + 3 && std::abs(y - at.y) < kHeight / 2 + 3) {
          ++count;
        }
      }
      if (x < 4 || x > 2 * kMargin + plate_width_[0] - 4 || y < 4) ++count;
    }
    return count;
  }

  // Straight, or bent so far that it meets the fewest nodes.
  std::string edge_svg(std::size_t from, std::size_t to) const {
    const std::size_t e = static_cast<std::size_t>(
        std::find(model_.edges.begin(), model_.edges.end(), std::pair(from, to)) -
        model_.edges.begin());
    const char* const dashes = back_[e] ? " stroke-dasharray=\"5 3\"" : "";
    const Spot a = spot(from), b = spot(to);
    if (from == to) {  // a ring at its right end
      const double x = a.x + width_[from] / 2 - 7;
      return fmt::format(
          "<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" "
          "stroke=\"#555\" stroke-dasharray=\"5 3\" marker-end=\"url(#head)\"/>\n",
          x, a.y - 9, x + 26, a.y - 24, x + 26, a.y + 24, x, a.y + 9);
    }
    Spot control{(a.x + b.x) / 2, (a.y + b.y) / 2};
    static constexpr std::array<double, 25> kBends = {
        0,   16,   -16, 32,   -32, 48,   -48, 64,   -64, 80,   -80, 100, -100,
        120, -120, 140, -140, 165, -165, 190, -190, 220, -220, 260, -260};
    const double far = std::hypot(b.x - a.x, b.y - a.y);
    std::size_t fewest = static_cast<std::size_t>(-1);
    for (const double bend : kBends) {
      for (const double share : {0.5, 0.3, 0.7, 0.15, 0.85}) {
        if (fewest == 0) break;
        const Spot bent{a.x + share * (b.x - a.x) - bend * (b.y - a.y) / far,
                        a.y + share * (b.y - a.y) + bend * (b.x - a.x) / far};
        const std::size_t found = hits(a, bent, b, from, to);
        if (found < fewest) fewest = found, control = bent;
      }
    }
    const Spot begin = border(from, control), end = border(to, control);
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" stroke=\"#555\"{} "
        "marker-end=\"url(#head)\"/>\n",
        begin.x, begin.y, control.x, control.y, end.x, end.y, dashes);
  }

  std::string node_svg(std::size_t n) const {
    const PlateNode& node = model_.nodes[n];
    const Spot at = spot(n);
    const double w = width_[n] / 2, h = kHeight / 2;
    const char* const fill =
        node.kind != PlateNodeKind::constant && node.observed ? "#cccccc" : "white";
    // Lines of the relation: a line end is no character of a drawing's text.
    std::string title;
    for (std::size_t begin = 0; begin <= node.text.size();) {
      const std::size_t end = std::min(node.text.find('\n', begin), node.text.size());
      title += (begin == 0 ? "" : "\n") + svg_escaped(node.text.substr(begin, end - begin));
      begin = end + 1;
    }
    std::string out = "<g><title>" + title + "</title>";
    if (node.kind == PlateNodeKind::constant) {
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"white\" "
          "stroke=\"#888\"/>",
          at.x - w, at.y - h + 3, 2 * w, 2 * h - 6);
    } else {
      const auto ellipse = [&](double less, const char* inside) {
        return fmt::format(
            "<ellipse cx=\"{:.1f}\" cy=\"{:.1f}\" rx=\"{:.1f}\" ry=\"{:.1f}\" fill=\"{}\" "
            "stroke=\"#0072B2\"/>",
            at.x, at.y, w - less, h - less, inside);
      };
      out += ellipse(0, fill);
      if (node.kind == PlateNodeKind::defined) out += ellipse(3, "none");
    }
    return out +
           fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text></g>\n",
                       at.x, at.y + 0.35 * kFont, svg_escaped(label_[n]));
  }

  const PlateModel& model_;
  std::size_t layers_ = 0;
  std::vector<std::size_t> layer_;          // [nodes]
  std::vector<bool> back_;                  // [edges] would close a cycle
  std::vector<std::string> label_;          // [nodes]
  std::vector<double> width_, x_;           // [nodes]; x: left sides, at last middles
  std::vector<std::size_t> first_, last_;   // [plates] layers
  std::vector<std::size_t> depth_;          // [plates] of those inside
  std::vector<double> left_, plate_width_;  // [plates]
  std::vector<std::vector<Item>> items_;    // [plates]
  std::vector<double> row_;                 // [layers] middles
  double bottom_ = 0;
};

}  // namespace

std::string plates_svg(const Program& program, const Arrays& data) {
  const PlateModel model = plate_model(program, data);
  if (model.nodes.size() > kMostPlateNodes) {
    throw UsageError("a drawing of ", model.nodes.size(), " nodes would show nothing; at most ",
                     kMostPlateNodes, " are drawn");
  }
  return PlateDrawing(model).svg();
}

}  // namespace croft::bugs
