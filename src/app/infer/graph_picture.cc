#include "app/infer/graph_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/infer/graph_layout.h"
#include "app/infer/svg_text.h"
#include "core/unicode.h"
#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::size_t kMostNodes = 1000;
constexpr std::size_t kMostCharacters = 16;  // of a name in the drawing
// Of the drawing, in its own units.
constexpr double kFont = 12, kHeight = 26, kMargin = 14, kSquare = 9;

struct Drawing {
  std::size_t nodes = 0;       // variables, then squares
  LayoutEdges edges;           // directed: from the parent
  std::vector<bool> observed;  // [variables]
};

// A line for two variables is there once, however many factors they share.
Drawing drawing_of(const GraphFile& file, std::span<const State> evidence) {
  const FactorGraph& graph = file.graph;
  Drawing d;
  d.nodes = graph.variables();
  for (Variable v = 0; v < graph.variables(); ++v) {
    d.observed.push_back(v < evidence.size() && evidence[v] != kUnobserved);
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    if (file.directed) {
      for (std::size_t k = 0; k + 1 < scope.size(); ++k)
        d.edges.push_back({scope[k], scope.back()});
    } else if (scope.size() == 2) {
      d.edges.push_back({std::min(scope[0], scope[1]), std::max(scope[0], scope[1])});
    } else if (scope.size() > 2) {
      for (const Variable v : scope) d.edges.push_back({v, d.nodes});
      ++d.nodes;
    }
  }
  std::ranges::sort(d.edges);
  const auto same = std::ranges::unique(d.edges);
  d.edges.erase(same.begin(), same.end());
  return d;
}

std::string dot_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\0' ? ' ' : c;
  }
  return out + '"';
}

// From the border of an ellipse or square to that of another, so that an arrow's head is seen.
Point toward(Point from, Point to, double half_width, double half_height) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const double reach = std::hypot(dx / half_width, dy / half_height);
  if (reach < 1) return from;
  return {from.x + dx / reach, from.y + dy / reach};
}

}  // namespace

std::string graph_dot(const GraphFile& file, std::span<const State> evidence) {
  const Drawing d = drawing_of(file, evidence);
  const std::size_t variables = file.graph.variables();
  std::string out = file.directed ? "digraph croft {\n" : "graph croft {\n";
  for (Variable v = 0; v < variables; ++v) {
    out += fmt::format("  n{} [label={}{}];\n", v, dot_name(variable_name(file.names, v)),
                       d.observed[v] ? ", style=filled, fillcolor=lightgrey" : "");
  }
  for (std::size_t n = variables; n < d.nodes; ++n) {
    out += fmt::format("  n{} [label=\"\", shape=square, width=0.15];\n", n);
  }
  for (const auto& [from, to] : d.edges) {
    out += fmt::format("  n{} {} n{};\n", from, file.directed ? "->" : "--", to);
  }
  return out + "}\n";
}

std::string graph_svg(const GraphFile& file, std::span<const State> evidence) {
  const Drawing d = drawing_of(file, evidence);
  if (d.nodes > kMostNodes) {
    throw UsageError(
        fmt::format("a drawing of {} variables and factors would show nothing; at most "
                    "{} are drawn: write .dot, which Graphviz reads",
                    d.nodes, kMostNodes));
  }
  const std::size_t variables = file.graph.variables();
  std::vector<std::string> label;
  double widest = kHeight;
  std::vector<double> half_width(d.nodes, kSquare / 2), half_height(d.nodes, kSquare / 2);
  for (Variable v = 0; v < variables; ++v) {
    label.push_back(svg_shortened(variable_name(file.names, v), kMostCharacters));
    const double width =
        std::max(kHeight, 0.62 * kFont * static_cast<double>(character_count(label.back())) + 12);
    half_width[v] = width / 2;
    half_height[v] = kHeight / 2;
    widest = std::max(widest, width);
  }
  std::vector<Point> place = graph_layout(d.nodes, d.edges, file.directed);
  const double unit = std::max(58.0, 0.95 * widest);
  double right = 0, bottom = 0;
  for (Point& p : place) {
    p = {kMargin + widest / 2 + unit * p.x, kMargin + kHeight / 2 + unit * p.y};
    right = std::max(right, p.x);
    bottom = std::max(bottom, p.y);
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"{2}\">\n"
      "<title>{3} variables, {4} factors</title>\n"
      "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
      "fill=\"#555\"/></marker></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      right + widest / 2 + kMargin, bottom + kHeight / 2 + kMargin, kFont, variables,
      file.graph.factors());
  for (const auto& [from, to] : d.edges) {
    const Point begin = toward(place[from], place[to], half_width[from], half_height[from]);
    const Point end = toward(place[to], place[from], half_width[to], half_height[to]);
    out += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#555\"{}/>\n", begin.x,
                       begin.y, end.x, end.y, file.directed ? " marker-end=\"url(#head)\"" : "");
  }
  for (Variable v = 0; v < variables; ++v) {
    const Point p = place[v];
    out += fmt::format(
        "<g><title>{}</title><ellipse cx=\"{:.1f}\" cy=\"{:.1f}\" rx=\"{:.1f}\" "
        "ry=\"{:.1f}\" fill=\"{}\" stroke=\"#0072B2\"/>",
        svg_escaped(variable_name(file.names, v)), p.x, p.y, half_width[v], half_height[v],
        d.observed[v] ? "#cccccc" : "white");
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text></g>\n",
                       p.x, p.y + 0.35 * kFont, svg_escaped(label[v]));
  }
  for (std::size_t n = variables; n < d.nodes; ++n) {
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" "
        "fill=\"#D55E00\"/>\n",
        place[n].x - kSquare / 2, place[n].y - kSquare / 2, kSquare, kSquare);
  }
  return out + "</svg>\n";
}

}  // namespace croft
