#include "structure/equivalence.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/every_dag.h"

namespace croft::equivalence_test {
namespace {

using test::every_class;
using test::pattern_of;
using test::random_dag;

bool points(const Parents& dag, Variable u, Variable v) {
  return std::ranges::binary_search(dag[v], u);
}

TEST(Equivalence, AClassHasTheArrowsThatAllItsGraphsHave) {
  std::size_t classes = 0;
  for (const auto& [pattern, members] : every_class(5)) {
    ++classes;
    const PartlyDirected found = class_of(members.front());
    for (const Parents& each : members) ASSERT_EQ(class_of(each), found);
    for (const auto& [u, v] : pattern.edges) {
      bool all_forth = true, all_back = true;
      for (const Parents& each : members) (points(each, u, v) ? all_back : all_forth) = false;
      ASSERT_EQ(found.arrow(u, v), all_forth);
      ASSERT_EQ(found.arrow(v, u), all_back);
      ASSERT_TRUE(found.adjacent(u, v));
    }
  }
  EXPECT_EQ(classes, 8782u);  // Gillispie & Perlman (2001)
}

TEST(Equivalence, AnExtensionIsAMemberOfTheClass) {
  for (const auto& [pattern, members] : every_class(4)) {
    const Extension dag = extension_of(class_of(members.front()));
    EXPECT_TRUE(dag.consistent);
    EXPECT_EQ(pattern_of(dag.parents), pattern);
    EXPECT_FALSE(causal_order(dag.parents).empty());
  }
  Random random(1);
  for (int k = 0; k < 50; ++k) {
    const Parents large = random_dag(30, 0.15, random);
    const Extension dag = extension_of(class_of(large));
    EXPECT_TRUE(dag.consistent);
    EXPECT_EQ(pattern_of(dag.parents), pattern_of(large));
  }
}

TEST(Equivalence, ASquareOfLinesHasNoConsistentExtensionAndStillOneWithoutCycles) {
  PartlyDirected square(4);
  for (Variable v = 0; v < 4; ++v)
    square.connect(std::min(v, (v + 1) % 4), std::max(v, (v + 1) % 4));
  const Extension dag = extension_of(square);
  EXPECT_FALSE(dag.consistent);
  EXPECT_EQ(causal_order(dag.parents).size(), 4u);
  EXPECT_EQ(distance(PartlyDirected(dag.parents), square).turned, 4u);
}

TEST(Equivalence, DistanceCountsMissingExtraAndTurnedEdges) {
  const Parents truth{{}, {0}, {1}, {}}, found{{1}, {}, {}, {2}};
  const StructuralDistance d = distance(PartlyDirected(found), PartlyDirected(truth));
  EXPECT_EQ(d.missing, 1u);
  EXPECT_EQ(d.extra, 1u);
  EXPECT_EQ(d.turned, 1u);
  EXPECT_EQ(d.total(), 3u);
  EXPECT_EQ(distance(class_of({{}, {0}}), class_of({{1}, {}})).total(), 0u);
}

TEST(Equivalence, DistanceIsAMetric) {
  Random random(2);
  for (int k = 0; k < 200; ++k) {
    const PartlyDirected a = class_of(random_dag(6, 0.4, random)),
                         b = class_of(random_dag(6, 0.4, random)),
                         c = class_of(random_dag(6, 0.4, random));
    EXPECT_EQ(distance(a, b).total(), distance(b, a).total());
    EXPECT_LE(distance(a, c).total(), distance(a, b).total() + distance(b, c).total());
    EXPECT_EQ(distance(a, b).total() == 0, a == b);
  }
}

TEST(Equivalence, CausalOrderIsEmptyWhereThereIsACycle) {
  EXPECT_TRUE(causal_order({{2}, {0}, {1}}).empty());
  EXPECT_EQ(causal_order({{1}, {2}, {}}), (std::vector<Variable>{2, 1, 0}));
}

}  // namespace
}  // namespace croft::equivalence_test
