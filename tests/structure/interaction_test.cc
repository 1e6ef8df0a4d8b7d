// Cells, and the potentials that have them, against what each interaction means.
#include "structure/interaction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "croft/core/error.h"
#include "support/message_of.h"

namespace croft::interaction_test {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr double kNever = std::numeric_limits<double>::infinity();

// visit(states) for every assignment of a graph.
void for_each(const FactorGraph& graph, const std::function<void(std::vector<State>)>& visit) {
  std::vector<State> x(graph.variables(), 0);
  while (true) {
    visit(x);
    std::size_t k = x.size();
    for (; k > 0; --k) {
      if (++x[k - 1] < graph.states(static_cast<Variable>(k - 1))) break;
      x[k - 1] = 0;
    }
    if (k == 0) return;
  }
}

// A graph of one factor, with cell c scoring c + 1.
FactorGraph graph_of(const Interaction& interaction, std::vector<std::uint32_t> sizes) {
  FactorGraph graph;
  std::vector<Variable> scope;
  for (std::size_t place = 0; place < sizes.size(); ++place) {
    for (std::uint32_t k = 0; k < sizes[place]; ++k) {
      scope.push_back(graph.add_variable(interaction.states()[place]));
    }
  }
  const PotentialId id = interaction.add_potential(graph, sizes);
  const auto cell = interaction.cell_of_number();
  EXPECT_EQ(cell.size(), graph.numbers(id).size());
  for (std::size_t k = 0; k < cell.size(); ++k) {
    if (cell[k] != Interaction::kNoCell) graph.numbers(id)[k] = cell[k] + 1.0;
  }
  graph.add_factor(scope, id);
  return graph;
}

Interaction rule(InteractionKind kind, std::uint64_t k = 1, bool broken = false) {
  // Three labels in the first place, of which two count; two in the second.
  return {kind, {3, 2}, CountingRule{{Bytes{1, 0, 1}, Bytes{0, 1}}, {}, k, broken}};
}

TEST(Interaction, RulesHoldWhereTheirWordsSaySo) {
  const std::vector<std::uint32_t> sizes = {3, 2};
  const auto counted = [](const std::vector<State>& x) {
    std::size_t premises = 0, conclusions = 0;
    for (std::size_t k = 0; k < 3; ++k) premises += x[k] != 1;
    for (std::size_t k = 3; k < 5; ++k) conclusions += x[k] == 1;
    return std::pair(premises, conclusions);
  };
  const std::vector<std::pair<InteractionKind, std::function<bool(std::size_t, std::size_t)>>>
      kinds{{InteractionKind::at_most, [](auto p, auto c) { return p + c <= 2; }},
            {InteractionKind::at_least, [](auto p, auto c) { return p + c >= 2; }},
            {InteractionKind::exactly, [](auto p, auto c) { return p + c == 2; }},
            {InteractionKind::exactly_one, [](auto p, auto c) { return p + c == 1; }},
            {InteractionKind::all_of, [](auto p, auto c) { return p + c == 5; }},
            {InteractionKind::any_of, [](auto p, auto c) { return p + c > 0; }},
            {InteractionKind::implies, [](auto p, auto c) { return p < 3 || c > 0; }}};
  for (const auto& [kind, holds] : kinds) {
    for (const bool broken : {false, true}) {
      const FactorGraph graph = graph_of(rule(kind, 2, broken), sizes);
      for_each(graph, [&, &holds = holds](const std::vector<State>& x) {
        const auto [p, c] = counted(x);
        EXPECT_EQ(graph.score(x), holds(p, c) != broken ? 1 : 0) << name_of(kind);
      });
    }
  }
}

TEST(Interaction, CountsHaveACellForEachRange) {
  const Interaction count(InteractionKind::count, {2}, CountingRule{{Bytes{0, 1}}, {0, 1, 3}});
  EXPECT_EQ(count.cells(), 3u);
  EXPECT_FALSE(count.needs_sizes());
  const FactorGraph graph = graph_of(count, {4});
  for_each(graph, [&](const std::vector<State>& x) {
    const auto n = std::ranges::count(x, 1U);
    EXPECT_EQ(graph.score(x), n == 0 ? 1 : n < 3 ? 2 : 3);
    EXPECT_EQ(count.cell_of_count(static_cast<std::uint64_t>(n)), n == 0 ? 0 : n < 3 ? 1 : 2);
  });
  EXPECT_EQ(count.cell_name(0, {}), "0");
  EXPECT_EQ(count.cell_name(1, {}), "1 to 2");
  EXPECT_EQ(count.cell_name(2, {}), "3 or more");
  EXPECT_EQ(count.cell_named(std::vector<std::string>{"7"}, {}), 2u);
}

TEST(Interaction, ForbiddenStatesScoreMinusInfinityAndHaveNoCell) {
  const std::vector<std::string> names = {"a", "b", "c"};
  const std::vector<std::span<const std::string>> labels = {names, names};
  const std::vector<std::uint64_t> forbidden = {0, 5};  // a a, b c
  for (const InteractionKind kind :
       {InteractionKind::table, InteractionKind::same, InteractionKind::same_label,
        InteractionKind::ordinal, InteractionKind::listed}) {
    const std::vector<std::uint64_t> listed = kind == InteractionKind::listed
                                                  ? std::vector<std::uint64_t>{1, 8}
                                                  : std::vector<std::uint64_t>();
    const Interaction free(kind, {3, 3}, listed);
    Interaction some = free;
    some.forbid(forbidden);
    EXPECT_TRUE(std::ranges::equal(some.listed(), free.listed()));
    const FactorGraph graph = graph_of(some, {1, 1});
    for_each(graph, [&](const std::vector<State>& x) {
      const std::uint64_t joint = x[0] * 3 + x[1];
      const std::uint32_t cell = some.cell_of(x);
      if (std::ranges::find(forbidden, joint) != forbidden.end()) {
        EXPECT_EQ(graph.score(x), -kNever);
        EXPECT_EQ(cell, Interaction::kNoCell);
      } else {
        EXPECT_EQ(graph.score(x), cell == Interaction::kNoCell ? 0 : cell + 1.0);
        EXPECT_EQ(cell == Interaction::kNoCell, free.cell_of(x) == Interaction::kNoCell);
        if (cell != Interaction::kNoCell) {
          EXPECT_EQ(some.cell_name(cell, labels), free.cell_name(free.cell_of(x), labels));
        }
      }
    });
  }
}

TEST(Interaction, CellsMayShareAWeight) {
  const std::vector<std::string> names = {"a", "b"};
  const std::vector<std::span<const std::string>> labels = {names, names};
  Interaction table(InteractionKind::table, {2, 2});
  table.share({{2, 1}});
  EXPECT_EQ(table.cells(), 3u);
  EXPECT_EQ(table.cell_of(std::vector<State>{0, 1}), table.cell_of(std::vector<State>{1, 0}));
  EXPECT_EQ(table.cell_name(1, labels), "a, b | b, a");
  EXPECT_EQ(table.cell_named(std::vector<std::string>{"b", "a"}, labels), 1u);
  table.forbid({3});
  EXPECT_EQ(table.cells(), 2u);
}

TEST(Interaction, SaysWhatIsImpossibleWhateverIsHidden) {
  constexpr State kAny = kUnobserved;
  Interaction table(InteractionKind::table, {2, 2});
  table.forbid({0, 1});
  const auto out = [&](std::vector<State> x) { return table.rules_out(x, {}, false); };
  EXPECT_TRUE(out({0, 0}));
  EXPECT_TRUE(out({0, kAny}));
  EXPECT_FALSE(out({kAny, 0}));
  EXPECT_FALSE(out({kAny, kAny}));
  const Interaction most(InteractionKind::at_most, {2}, CountingRule{{Bytes{0, 1}}, {}, 1, true});
  const auto breaks = [&](std::vector<State> x) {
    return most.rules_out(x, std::vector{static_cast<std::uint32_t>(x.size())}, true);
  };
  EXPECT_FALSE(breaks({1, 0, kAny}));
  EXPECT_TRUE(breaks({1, 1, kAny}));
  const Interaction least(InteractionKind::at_least, {2}, CountingRule{{Bytes{0, 1}}, {}, 3, true});
  EXPECT_TRUE(least.rules_out(std::vector<State>{kAny, kAny}, std::vector{2U}, true));
  EXPECT_FALSE(least.rules_out(std::vector<State>{kAny, kAny, kAny}, std::vector{3U}, true));
}

TEST(Interaction, SaysWhatDoesNotFit) {
  const auto message = [](InteractionParts parts) {
    return message_of<UsageError>([&] { make_interaction(std::move(parts)); });
  };
  using Kind = InteractionKind;
  EXPECT_NE(message({Kind::at_most, {2}, {}, {}, {}, {}}).find("needs the states that count"),
            std::string::npos);
  EXPECT_NE(message({Kind::any_of, {2}, {}, {}, {}, {{Bytes{1, 1}}, {}}}).find("that do not"),
            std::string::npos);
  EXPECT_NE(message({Kind::implies, {2}, {}, {}, {}, {{Bytes{0, 1}}, {}}}).find("conclusion"),
            std::string::npos);
  EXPECT_NE(message({Kind::count, {2}, {}, {}, {}, {{Bytes{0, 1}}, {1, 2}}}).find("from 0"),
            std::string::npos);
  EXPECT_NE(message({Kind::at_least, {2}, {}, {}, {}, {{Bytes{0, 1}}, {}, 0}}).find("always so"),
            std::string::npos);
  EXPECT_NE(message({Kind::table, {2}, {}, {0, 1}, {}, {}}).find("all joint states"),
            std::string::npos);
  EXPECT_NE(message({Kind::table, {2}, {}, {2}, {}, {}}).find("possible"), std::string::npos);
  EXPECT_NE(message({Kind::listed, {2}, {0}, {0}, {}, {}}).find("in the list"), std::string::npos);
  EXPECT_NE(message({Kind::table, {2}, {}, {}, {{0}}, {}}).find("two or more"), std::string::npos);
  EXPECT_NE(message({Kind::table, {3}, {}, {}, {{0, 1}, {1, 2}}, {}}).find("two weights"),
            std::string::npos);
  EXPECT_NE(message({Kind::same, {2, 2}, {}, {}, {{0, 3}}, {}}).find("share no weight"),
            std::string::npos);
  EXPECT_NE(message({Kind::known, {2, 2}, {}, {}, {}, {}}).find("one variable"), std::string::npos);
}

}  // namespace
}  // namespace croft::interaction_test
