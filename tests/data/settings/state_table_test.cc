#include "data/settings/state_table.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"
#include "support/message_of.h"

namespace croft::state_table_test {
namespace {

StateTable read(std::vector<std::string> files, StateRowsOptions options = {}) {
  StateTableReader reader(std::move(options));
  for (std::size_t n = 0; n < files.size(); ++n) {
    reader.read(LineReader(std::string_view(files[n]), "file " + std::to_string(n + 1)));
  }
  return std::move(reader).table();
}

TEST(StateTable, StatesAreTheCellsOfAColumnInOrder) {
  const StateTable table = read({"a,b\n10,x\n9,\nlow,y\n 9 ,x\n"});
  EXPECT_EQ(table.names.variables, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.names.states,
            (std::vector<std::vector<std::string>>{{"9", "10", "low"}, {"x", "y"}}));
  EXPECT_EQ(table.rows,
            (std::vector<std::vector<State>>{{1, 0}, {0, kUnobserved}, {2, 1}, {0, 0}}));
}

TEST(StateTable, FurtherFilesMayHaveFewerColumnsInAnotherOrderAndNewStates) {
  const StateTable table = read({"a,b,c\n1,2,3\n", "c,a\n4,0\n"});
  EXPECT_EQ(table.names.states,
            (std::vector<std::vector<std::string>>{{"0", "1"}, {"2"}, {"3", "4"}}));
  EXPECT_EQ(table.rows, (std::vector<std::vector<State>>{{1, 0, 0}, {0, kUnobserved, 1}}));
}

TEST(StateTable, CellsThatSayNothingAreNotKnown) {
  const StateTable table = read({"a;b\n?;NA\nx;y\n"}, {';', {"?", "NA"}});
  EXPECT_EQ(table.rows[0], (std::vector<State>{kUnobserved, kUnobserved}));
}

TEST(StateTable, UnconnectedHasItsVariablesAndNoEdge) {
  const GraphFile net = read({"a,b\nx,1\ny,2\nz,1\n"}).unconnected();
  EXPECT_TRUE(net.directed);
  EXPECT_EQ(net.graph.variables(), 2u);
  EXPECT_EQ(net.graph.states(0), 3u);
  EXPECT_EQ(net.graph.factors(), 2u);
}

TEST(StateTable, ErrorsSayFileLineAndRemedy) {
  const auto says = [](std::vector<std::string> files) {
    return message_of<InputError>([&] { read(files); });
  };
  EXPECT_NE(says({"a,a\n1,2\n"}).find("two columns of one name"), std::string::npos);
  EXPECT_NE(says({"a,\n1,2\n"}).find("a column without a name"), std::string::npos);
  EXPECT_NE(says({"a,b\n1,2\n3\n"}).find("file 1:3"), std::string::npos);
  EXPECT_NE(says({"a,b\n1,2\n", "a,d\n1,2\n"}).find("file 1 does not have"), std::string::npos);
  EXPECT_NE(says({"a,b\n1,\n"}).find("without a value"), std::string::npos);
  EXPECT_NE(says({"a,b\n"}).find("no row below"), std::string::npos);
  EXPECT_NE(says({""}).find("an empty file"), std::string::npos);
  std::string many = "a\n";
  for (int n = 0; n <= 1000; ++n) many += std::to_string(n) + "\n";
  EXPECT_NE(says({many}).find("more than 1000 different values"), std::string::npos);
}

}  // namespace
}  // namespace croft::state_table_test
