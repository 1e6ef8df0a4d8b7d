#include "bugs/picture/plates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "bugs/language/program_parser.h"

namespace croft::bugs::plates_test {
namespace {

const char* const kPump =
    "data { up <- 1 }\n"
    "model { for (i in 1:N) { theta[i] ~ dgamma(alpha, beta)\n lambda[i] <- theta[i] * t[i]\n"
    " x[i] ~ dpois(lambda[i]) }\n for (j in 1:M) { for (i in 1:N) { z[i,j] ~ dnorm(theta[i], up) } "
    "}\n alpha ~ dexp(1)\n beta ~ dgamma(0.1, 1) T(0,up)\n}\n";

PlateModel model_of(std::string_view text, const Arrays& data = {}) {
  return plate_model(parse_program(LineReader(text, "t.bug")), data);
}

std::size_t node_called(const PlateModel& model, std::string_view label) {
  const auto found = std::ranges::find(model.nodes, label, &PlateNode::label);
  return static_cast<std::size_t>(found - model.nodes.begin());
}

bool has_edge(const PlateModel& model, std::string_view from, std::string_view to) {
  return std::ranges::count(model.edges,
                            std::pair(node_called(model, from), node_called(model, to))) == 1;
}

TEST(BugsPlates, RelationsAreNodesAndLoopsArePlates) {
  const PlateModel model = model_of(kPump, {{"x", {}}});
  ASSERT_EQ(model.plates.size(), 4u);
  EXPECT_EQ(model.plates[1].label, "i in 1:N");
  EXPECT_EQ(model.plates[3].label, "i in 1:N");
  EXPECT_EQ(model.plates[3].parent, 2u);
  EXPECT_EQ(model.nodes[node_called(model, "lambda[i]")].kind, PlateNodeKind::defined);
  EXPECT_EQ(model.nodes[node_called(model, "t[i]")].kind, PlateNodeKind::constant);
  EXPECT_EQ(model.nodes[node_called(model, "t[i]")].plate, 1u);
  EXPECT_TRUE(model.nodes[node_called(model, "x[i]")].observed);
  EXPECT_FALSE(model.nodes[node_called(model, "theta[i]")].observed);
  EXPECT_TRUE(has_edge(model, "alpha", "theta[i]"));
  EXPECT_TRUE(has_edge(model, "theta[i]", "z[i, j]"));
  EXPECT_TRUE(has_edge(model, "up", "beta"));  // of a truncation
  EXPECT_FALSE(has_edge(model, "alpha", "x[i]"));
}

TEST(BugsPlates, EdgesGoWhereSubscriptsMayAgree) {
  const PlateModel model = model_of(
      "model { b[1] ~ dnorm(0, 1)\n b[2] ~ dnorm(b[1], 1)\n y ~ dnorm(b[2], 1)\n"
      "for (t in 2:T) { s[t] ~ dnorm(s[t - 1], b[g[t]]) }\n s[1] ~ dnorm(0, 1) }");
  EXPECT_TRUE(has_edge(model, "b[1]", "b[2]"));
  EXPECT_FALSE(has_edge(model, "b[1]", "y"));
  EXPECT_TRUE(has_edge(model, "b[1]", "s[t]"));
  EXPECT_TRUE(has_edge(model, "b[2]", "s[t]"));
  EXPECT_TRUE(has_edge(model, "g[t]", "s[t]"));
  EXPECT_TRUE(has_edge(model, "s[t]", "s[t]"));  // an earlier step
}

struct Box {
  double x, y, width, height;
};

// Each plate is drawn around its nodes, and plates that are not in each other do not overlap.
TEST(BugsPlates, PlatesAreAroundTheirNodes) {
  const std::string svg = plates_svg(parse_program(LineReader(kPump, "t.bug")));
  std::vector<Box> plates;
  const std::regex rect(
      "<rect x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" width=\"([0-9.]+)\" height=\"([0-9.]+)\" rx=\"7\"");
  for (std::sregex_iterator it(svg.begin(), svg.end(), rect), end; it != end; ++it) {
    plates.push_back(
        {std::stod((*it)[1]), std::stod((*it)[2]), std::stod((*it)[3]), std::stod((*it)[4])});
  }
  ASSERT_EQ(plates.size(), 3u);
  const auto inside = [](const Box& inner, const Box& outer) {
    return inner.x >= outer.x && inner.y >= outer.y &&
           inner.x + inner.width <= outer.x + outer.width &&
           inner.y + inner.height <= outer.y + outer.height;
  };
  EXPECT_TRUE(inside(plates[2], plates[1]));
  EXPECT_TRUE(plates[0].x + plates[0].width <= plates[1].x ||
              plates[1].x + plates[1].width <= plates[0].x ||
              plates[0].y + plates[0].height <= plates[1].y ||
              plates[1].y + plates[1].height <= plates[0].y);
  const std::regex node("<title>z[^<]*</title><ellipse cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
  std::smatch at;
  ASSERT_TRUE(std::regex_search(svg, at, node));
  EXPECT_TRUE(inside({std::stod(at[1]), std::stod(at[2]), 0, 0}, plates[2]));
  const std::regex alpha("<title>alpha[^<]*</title><ellipse cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
  ASSERT_TRUE(std::regex_search(svg, at, alpha));
  for (const Box& plate : plates) {
    EXPECT_FALSE(inside({std::stod(at[1]), std::stod(at[2]), 0, 0}, plate));
  }
}

TEST(BugsPlates, CyclesAndEmptyModelsAreDrawn) {
  const auto drawn = [](const char* text) {
    return plates_svg(parse_program(LineReader(text, "t.bug")));
  };
  EXPECT_NE(drawn("model { a ~ dnorm(b, 1)\n b ~ dnorm(a, 1) }").find("stroke-dasharray"),
            std::string::npos);
  EXPECT_NE(drawn("model { }").find("</svg>"), std::string::npos);
  EXPECT_NE(drawn("model { for (i in 1:3) { } }").find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace croft::bugs::plates_test
