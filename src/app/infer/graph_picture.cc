#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/infer/graph_picture.h"
#include "app/infer/layered_layout.h"
#include "app/infer/stress_layout.h"
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
  for (const GraphDecision& each : file.decisions) {
    for (const Variable v : each.known) d.edges.push_back({v, each.variable});
  }
  for (const GraphUtility& each : file.utilities) {
    for (const Variable v : each.scope) d.edges.push_back({v, d.nodes});
    ++d.nodes;
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
  for (const GraphDecision& each : file.decisions) {
    out += fmt::format("  n{} [shape=box];\n", each.variable);
  }
  for (std::size_t n = variables; n < d.nodes; ++n) {
    if (n - variables < file.utilities.size()) {
      out += fmt::format("  n{} [label={}, shape=diamond];\n", n,
                         dot_name(file.utilities[n - variables].name));
    } else {
      out += fmt::format("  n{} [label=\"\", shape=square, width=0.15];\n", n);
    }
  }
  for (const auto& [from, to] : d.edges) {
    out += fmt::format("  n{} {} n{};\n", from, file.directed ? "->" : "--", to);
  }
  return out + "}\n";
}

namespace {

constexpr double kBarLine = 12, kBarFont = 9, kBarWidth = 83, kStep = 46;
constexpr std::size_t kMostBars = 12, kBarCharacters = 8;

// What is drawn, where.
struct Picture {
  Drawing drawing;
  std::vector<std::string> label;               // [nodes]; empty for squares of factors
  std::vector<double> half_width, half_height;  // [nodes]
  std::vector<Point> place;                     // [nodes]
  std::vector<std::vector<LayoutPoint>> bends;  // [edges], where it is in layers
  bool layers = false;
};

void measure(const GraphFile& file, const VariableMarginals& bars, Picture& p) {
  const std::size_t variables = file.graph.variables();
  p.half_width.assign(p.drawing.nodes, kSquare / 2);
  p.half_height.assign(p.drawing.nodes, kSquare / 2);
  p.label.resize(p.drawing.nodes);
  for (std::size_t n = 0; n < p.drawing.nodes; ++n) {
    const bool utility = n >= variables && n - variables < file.utilities.size();
    if (n >= variables && !utility) continue;
    const auto v = static_cast<Variable>(n);
    p.label[n] =
        svg_shortened(utility ? file.utilities[n - variables].name : variable_name(file.names, v),
                      kMostCharacters);
    double width =
        std::max(kHeight, 0.62 * kFont * static_cast<double>(character_count(p.label[n])) + 12);
    double height = kHeight;
    if (utility) width += 24;
    if (!bars.empty() && !utility) {
      width = std::max(width, kBarWidth + 62);
      height += kBarLine * static_cast<double>(std::min(bars[v].size(), kMostBars + 1));
    }
    p.half_width[n] = width / 2;
    p.half_height[n] = height / 2;
  }
}

// As the file has them, so far apart that no two nodes lie on each other (up to a limit).
void place_as_in_file(const GraphFile& file, Picture& p) {
  double scale = 1;
  for (std::size_t i = 0; i < file.places.size(); ++i) {
    p.place[i] = {file.places[i].x, file.places[i].y};
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = std::abs(p.place[i].x - p.place[j].x) /
                        (p.half_width[i] + p.half_width[j] + 8),
                   dy = std::abs(p.place[i].y - p.place[j].y) /
                        (p.half_height[i] + p.half_height[j] + 12);
      const double apart = std::max(dx, dy);
      if (apart > 0 && apart < 1) scale = std::max(scale, std::min(4.0, 1 / apart));
    }
  }
  for (Point& each : p.place) each = {scale * each.x, scale * each.y};
}

void place_nodes(const GraphFile& file, Picture& p) {
  const double widest = 2 * *std::ranges::max_element(p.half_width),
               highest = 2 * *std::ranges::max_element(p.half_height);
  p.place.resize(p.drawing.nodes);
  if (!file.places.empty() && file.places.size() == p.drawing.nodes) {
    return place_as_in_file(file, p);
  }
  if (file.directed) {
    std::vector<double> widths;
    for (const double each : p.half_width) widths.push_back(2 * each);
    LayeredLayout found = layered_layout(p.drawing.edges, widths, 14, highest + kStep);
    if (!found.node.empty()) {
      for (std::size_t n = 0; n < found.node.size(); ++n) {
        p.place[n] = {found.node[n].x, found.node[n].y};
      }
      p.bends = std::move(found.bends);
      p.layers = true;
      return;
    }
  }
  const double unit = std::max({58.0, 0.95 * widest, 1.2 * highest});
  p.place = graph_layout(p.drawing.nodes, p.drawing.edges, file.directed);
  for (Point& each : p.place) each = {unit * each.x, unit * each.y};
}

// Into the positive corner; the size of the whole.
Point move_into_view(Picture& p) {
  double left = 1e300, top = 1e300, right = 0, bottom = 0;
  for (std::size_t n = 0; n < p.place.size(); ++n) {
    left = std::min(left, p.place[n].x - p.half_width[n]);
    top = std::min(top, p.place[n].y - p.half_height[n]);
  }
  for (const auto& bends : p.bends) {
    for (const LayoutPoint& each : bends) left = std::min(left, each.x);
  }
  const auto move = [&](auto& at) {
    at.x += kMargin - left;
    at.y += kMargin - top;
    right = std::max(right, at.x);
  };
  for (std::size_t n = 0; n < p.place.size(); ++n) {
    move(p.place[n]);
    right = std::max(right, p.place[n].x + p.half_width[n]);
    bottom = std::max(bottom, p.place[n].y + p.half_height[n]);
  }
  for (auto& bends : p.bends) {
    for (LayoutPoint& each : bends) move(each);
  }
  return {right + kMargin, bottom + kMargin};
}

// From the lower end of a node to the upper end of another one, upright at both and at each bend:
// so no edge meets a node of a layer that it passes.
std::string path_in_layers(const Picture& p, std::size_t e, double half_row) {
  const auto [from, to] = p.drawing.edges[e];
  Point at{p.place[from].x, p.place[from].y + p.half_height[from]};
  std::string path = fmt::format("M{:.1f} {:.1f}", at.x, at.y);
  const auto line_to = [&](double x, double y) {
    path += fmt::format("L{:.1f} {:.1f}", x, y);
    at = {x, y};
  };
  const auto curve_to = [&](double x, double y) {
    const double middle = (at.y + y) / 2;
    path +=
        fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", at.x, middle, x, middle, x, y);
    at = {x, y};
  };
  line_to(at.x, p.place[from].y + half_row);
  for (const LayoutPoint& bend : p.bends[e]) {
    curve_to(bend.x, bend.y - half_row);
    line_to(bend.x, bend.y + half_row);
  }
  curve_to(p.place[to].x, p.place[to].y - half_row);
  line_to(p.place[to].x, p.place[to].y - p.half_height[to]);
  return path;
}

std::string edges_svg(const GraphFile& file, const Picture& p) {
  std::string out;
  const double half_row = *std::ranges::max_element(p.half_height) + 2;
  for (std::size_t e = 0; e < p.drawing.edges.size(); ++e) {
    const auto [from, to] = p.drawing.edges[e];
    std::string path;
    if (p.layers) {
      path = path_in_layers(p, e, half_row);
    } else {
      const Point begin =
          toward(p.place[from], p.place[to], p.half_width[from], p.half_height[from]);
      const Point end = toward(p.place[to], p.place[from], p.half_width[to], p.half_height[to]);
      path = fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", begin.x, begin.y, end.x, end.y);
    }
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#555\"{}/>\n", path,
                       file.directed ? " marker-end=\"url(#head)\"" : "");
  }
  return out;
}

// The states of a node with their probabilities, below its name.
std::string bars_svg(const GraphFile& file, Variable v, const std::vector<double>& bars, Point at,
                     double half_width, double half_height) {
  std::string out;
  double y = at.y - half_height + kHeight - 3;
  const double left = at.x - half_width + 5, number = left + 54, begin = number + 27;
  const double room = 2 * half_width - 91;
  for (State s = 0; s < bars.size(); ++s, y += kBarLine) {
    if (s == kMostBars) {
      out += svg_text_at(left, y + 8, "font-size=\"9\"", "…");
      break;
    }
    out += svg_text_at(left, y + 8, fmt::format("font-size=\"{}\"", kBarFont),
                       svg_shortened(state_name(file.names, v, s), kBarCharacters));
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"9\" "
        "fill=\"#56B4E9\"><title>{}: {:.6g}</title></rect>\n",
        begin, y, std::max(0.4, room * bars[s]), svg_escaped(state_name(file.names, v, s)),
        bars[s]);
    out += svg_text_at(number, y + 8, fmt::format("font-size=\"{}\"", kBarFont),
                       fmt::format("{:.3f}", bars[s]));
  }
  return out;
}

std::string node_svg(const GraphFile& file, const Picture& p, std::size_t n,
                     const VariableMarginals& bars) {
  const Point at = p.place[n];
  const double w = p.half_width[n], h = p.half_height[n];
  const std::size_t variables = file.graph.variables();
  if (p.label[n].empty() && n >= variables) {
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" "
        "fill=\"#D55E00\"/>\n",
        at.x - w, at.y - h, 2 * w, 2 * h);
  }
  const bool utility = n >= variables;
  const auto v = static_cast<Variable>(n);
  const bool decided = std::ranges::any_of(
      file.decisions, [&](const GraphDecision& each) { return !utility && each.variable == v; });
  const std::string name =
      utility ? file.utilities[n - variables].name : variable_name(file.names, v);
  const std::string fill = !utility && p.drawing.observed[v] ? "#cccccc" : "white";
  std::string out = fmt::format("<g><title>{}</title>", svg_escaped(name));
  if (utility) {
    out += fmt::format(
        "<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" "
        "fill=\"white\" stroke=\"#009E73\"/>",
        at.x - w, at.y, at.x, at.y - h, at.x + w, at.y, at.x, at.y + h);
  } else if (decided || !bars.empty()) {
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "rx=\"{}\" fill=\"{}\" stroke=\"{}\"/>",
        at.x - w, at.y - h, 2 * w, 2 * h, decided ? 0 : 6, fill, decided ? "#D55E00" : "#0072B2");
  } else {
    out += fmt::format(
        "<ellipse cx=\"{:.1f}\" cy=\"{:.1f}\" rx=\"{:.1f}\" ry=\"{:.1f}\" "
        "fill=\"{}\" stroke=\"#0072B2\"/>",
        at.x, at.y, w, h, fill);
  }
  const double base = bars.empty() || utility ? at.y + 0.35 * kFont : at.y - h + 16;
  out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text></g>\n", at.x,
                     base, svg_escaped(p.label[n]));
  if (!bars.empty() && !utility) out += bars_svg(file, v, bars[v], at, w, h);
  return out;
}

}  // namespace

std::string graph_svg(const GraphFile& file, std::span<const State> evidence,
                      const VariableMarginals& bars) {
  Picture p;
  p.drawing = drawing_of(file, evidence);
  if (p.drawing.nodes > kMostNodes) {
    throw UsageError(
        fmt::format("a drawing of {} variables and factors would show nothing; at most "
                    "{} are drawn: write .dot, which Graphviz reads",
                    p.drawing.nodes, kMostNodes));
  }
  Point size{2 * kMargin, 2 * kMargin};
  if (p.drawing.nodes > 0) {
    measure(file, bars, p);
    place_nodes(file, p);
    size = move_into_view(p);
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"{2}\">\n"
      "<title>{3} variables, {4} factors</title>\n"
      "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
      "fill=\"#555\"/></marker></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      size.x, size.y, kFont, file.graph.variables(), file.graph.factors());
  if (p.drawing.nodes > 0) out += edges_svg(file, p);
  for (std::size_t n = 0; n < p.drawing.nodes; ++n) out += node_svg(file, p, n, bars);
  return out + "</svg>\n";
}

std::string graph_html(const GraphFile& file, std::span<const State> evidence,
                       const VariableMarginals& bars) {
  return "<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"><title>Croft: a network</title>"
         "</head>\n<body>\n" +
         graph_svg(file, evidence, bars) + "</body>\n</html>\n";
}

}  // namespace croft
