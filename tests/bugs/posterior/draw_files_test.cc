#include "bugs/posterior/draw_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace croft::bugs::draw_files_test {
namespace {

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Trace> two_traces() {
  return {{.name = "alpha", .first = 1002, .thin = 2, .chains = {{1, 2.5}, {3, -4}}},
          {.name = "Y[1,2]", .first = 1004, .thin = 4, .chains = {{7}, {1e-9}}}};
}

TEST(BugsDrawFiles, CodaIsWhatJagsWrites) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "croft_bugs_coda_test";
  std::filesystem::create_directories(folder);
  const std::vector<Trace> traces = two_traces();
  write_coda({&traces[0], &traces[1]}, (folder / "out").string());
  EXPECT_EQ(text_of_file(folder / "outindex.txt"), "alpha 1 2\nY[1,2] 3 3\n");
  EXPECT_EQ(text_of_file(folder / "outchain1.txt"), "1002 1\n1004 2.5\n1004 7\n");
  EXPECT_EQ(text_of_file(folder / "outchain2.txt"), "1002 3\n1004 -4\n1004 1e-09\n");
  std::filesystem::remove_all(folder);
}

TEST(BugsDrawFiles, ThePartOfATraceUpToAnIteration) {
  const Trace trace = two_traces()[0];
  EXPECT_EQ(up_to(trace, 1001).chains[1], std::vector<double>{});
  EXPECT_EQ(up_to(trace, 1003).chains[1], std::vector<double>{3});
  EXPECT_EQ(up_to(trace, 1004).chains, trace.chains);
  EXPECT_EQ(up_to(trace, 9999).chains, trace.chains);
}

TEST(BugsDrawFiles, ATableHasALineForEachIteration) {
  EXPECT_EQ(draws_csv(two_traces()),
            "chain,iteration,alpha,\"Y[1,2]\"\n1,1002,1,\n1,1004,2.5,7\n2,1002,3,\n"
            "2,1004,-4,1e-09\n");
  EXPECT_EQ(draws_csv({}), "chain,iteration\n");
}

TEST(BugsDrawFiles, ANameAsksForItsElements) {
  EXPECT_TRUE(is_of("theta[1]", "theta"));
  EXPECT_TRUE(is_of("theta", "theta"));
  EXPECT_FALSE(is_of("theta2", "theta"));
  EXPECT_TRUE(is_of("theta[1]", "theta[1]"));
  EXPECT_FALSE(is_of("theta[12]", "theta[1]"));
}

}  // namespace
}  // namespace croft::bugs::draw_files_test
