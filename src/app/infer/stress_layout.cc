#include "app/infer/stress_layout.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "croft/core/random.h"

namespace croft {
namespace {

constexpr int kSweeps = 300;
constexpr double kStill = 1e-4;  // moves below this end the sweeps
constexpr double kGap = 1;       // between pieces

using Neighbours = std::vector<std::vector<std::size_t>>;

std::vector<int> distances_from(const Neighbours& neighbours, std::size_t first) {
  std::vector<int> distance(neighbours.size(), -1);
  std::vector<std::size_t> open{first};
  distance[first] = 0;
  for (std::size_t k = 0; k < open.size(); ++k) {
    for (const std::size_t next : neighbours[open[k]]) {
      if (distance[next] >= 0) continue;
      distance[next] = distance[open[k]] + 1;
      open.push_back(next);
    }
  }
  return distance;
}

// One connected piece.
class Piece {
 public:
  Piece(const Neighbours& neighbours, std::vector<std::size_t> nodes) : nodes_(std::move(nodes)) {
    const std::size_t n = nodes_.size();
    distance_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::vector<int> from = distances_from(neighbours, nodes_[i]);
      for (std::size_t j = 0; j < n; ++j) distance_[i * n + j] = from[nodes_[j]];
    }
    begin();
    for (int sweep = 0; sweep < kSweeps && move_all() > kStill; ++sweep) {
    }
  }

  const std::vector<std::size_t>& nodes() const { return nodes_; }
  std::vector<Point>& places() { return places_; }

  void turn(double cosine, double sine) {
    for (Point& p : places_) p = {cosine * p.x - sine * p.y, sine * p.x + cosine * p.y};
  }

 private:
  double distance(std::size_t i, std::size_t j) const { return distance_[i * nodes_.size() + j]; }

  // Coordinates are distances from two far corners; a little noise keeps twins apart.
  void begin() {
    const std::size_t n = nodes_.size();
    const auto farthest = [&](const auto& how_far) {
      std::size_t at = 0;
      for (std::size_t i = 1; i < n; ++i) {
        if (how_far(i) > how_far(at)) at = i;
      }
      return at;
    };
    const std::size_t a = farthest([&](std::size_t i) { return distance(0, i); });
    const std::size_t b = farthest([&](std::size_t i) { return distance(a, i); });
    const std::size_t c =
        farthest([&](std::size_t i) { return std::min(distance(a, i), distance(b, i)); });
    Random random(1);
    for (std::size_t i = 0; i < n; ++i) {
      places_.push_back({(distance(a, i) - distance(b, i)) / 2 + 0.1 * random.uniform(),
                         distance(c, i) + 0.1 * random.uniform()});
    }
  }

  // Each node to where the others want it; the largest move.
  double move_all() {
    const std::size_t n = nodes_.size();
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      Point sum;
      double weights = 0;
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i) continue;
        const double d = distance(i, j), weight = 1 / (d * d);
        const double dx = places_[i].x - places_[j].x, dy = places_[i].y - places_[j].y;
        const double stretch = d / std::max(std::hypot(dx, dy), 1e-9);
        sum.x += weight * (places_[j].x + stretch * dx);
        sum.y += weight * (places_[j].y + stretch * dy);
        weights += weight;
      }
      if (weights == 0) continue;
      const Point to{sum.x / weights, sum.y / weights};
      largest = std::max(largest, std::hypot(to.x - places_[i].x, to.y - places_[i].y));
      places_[i] = to;
    }
    return largest;
  }

  std::vector<std::size_t> nodes_;
  std::vector<double> distance_;
  std::vector<Point> places_;
};

std::vector<Piece> pieces_of(const Neighbours& neighbours) {
  std::vector<Piece> pieces;
  std::vector<bool> known(neighbours.size(), false);
  for (std::size_t first = 0; first < neighbours.size(); ++first) {
    if (known[first]) continue;
    const std::vector<int> distance = distances_from(neighbours, first);
    std::vector<std::size_t> nodes;
    for (std::size_t i = 0; i < distance.size(); ++i) {
      if (distance[i] < 0) continue;
      known[i] = true;
      nodes.push_back(i);
    }
    pieces.emplace_back(neighbours, std::move(nodes));
  }
  return pieces;
}

// So that its arrows point down on the whole.
void turn_down(Piece& piece, const std::vector<std::pair<Point, Point>>& edges) {
  double x = 0, y = 0;
  for (const auto& [from, to] : edges) {
    x += to.x - from.x;
    y += to.y - from.y;
  }
  const double length = std::hypot(x, y);
  if (length > 1e-9) piece.turn(y / length, x / length);
}

// So that edges are level or upright where that can be had, and the first node is at the top left.
void turn_level(Piece& piece, const std::vector<std::pair<Point, Point>>& edges) {
  double cosine = 0, sine = 0;
  for (const auto& [from, to] : edges) {
    const double angle = std::atan2(to.y - from.y, to.x - from.x);
    cosine += std::cos(4 * angle);
    sine += std::sin(4 * angle);
  }
  const double angle = std::atan2(sine, cosine) / 4;
  piece.turn(std::cos(angle), -std::sin(angle));
  Point mean;
  for (const Point& p : piece.places()) {
    mean.x += p.x / double(piece.places().size());
    mean.y += p.y / double(piece.places().size());
  }
  const Point first = piece.places()[0];
  for (Point& p : piece.places()) {
    if (first.x > mean.x) p.x = -p.x;
    if (first.y > mean.y) p.y = -p.y;
  }
  if (piece.places().size() < 2) return;  // rows before columns
  const Point a = piece.places()[0], b = piece.places()[1];
  if (std::abs(b.y - a.y) <= std::abs(b.x - a.x)) return;
  for (Point& p : piece.places()) std::swap(p.x, p.y);
}

void turn(Piece& piece, const LayoutEdges& edges, bool directions, std::vector<Point>& place) {
  std::vector<bool> inside(place.size(), false);
  for (std::size_t k = 0; k < piece.nodes().size(); ++k) {
    place[piece.nodes()[k]] = piece.places()[k];
    inside[piece.nodes()[k]] = true;
  }
  std::vector<std::pair<Point, Point>> own;
  for (const auto& [from, to] : edges) {
    if (inside[from]) own.emplace_back(place[from], place[to]);
  }
  directions ? turn_down(piece, own) : turn_level(piece, own);
}

}  // namespace

std::vector<Point> graph_layout(std::size_t nodes, const LayoutEdges& edges, bool directions) {
  Neighbours neighbours(nodes);
  for (const auto& [from, to] : edges) {
    neighbours[from].push_back(to);
    neighbours[to].push_back(from);
  }
  std::vector<Point> place(nodes);
  std::vector<Piece> pieces = pieces_of(neighbours);
  std::ranges::stable_sort(pieces, std::greater(), [](const Piece& p) { return p.nodes().size(); });
  // In rows, as wide as a square of all of them would be, or the widest piece.
  const double row_width = 1.4 * std::sqrt(double(nodes)) + 2;
  double left = 0, top = 0, height = 0;
  for (Piece& piece : pieces) {
    turn(piece, edges, directions, place);
    Point low = piece.places()[0], high = low;
    for (const Point& p : piece.places()) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    if (left > 0 && left + high.x - low.x > row_width) {
      top += height + kGap;
      left = height = 0;
    }
    for (std::size_t k = 0; k < piece.nodes().size(); ++k) {
      const Point p = piece.places()[k];
      place[piece.nodes()[k]] = {left + p.x - low.x, top + p.y - low.y};
    }
    left += high.x - low.x + kGap;
    height = std::max(height, high.y - low.y);
  }
  return place;
}

}  // namespace croft
