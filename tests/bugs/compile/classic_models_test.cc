// The classic examples beside what JAGS counts in them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "bugs/compile/compile.h"
#include "bugs/language/array_files.h"
#include "bugs/language/program_parser.h"
#include "bugs/language/script.h"

namespace croft::bugs::classic_models_test {
namespace {

struct Counted {
  const char* script;
  std::size_t observed, unobserved;  // as JAGS 4.3.1 says
};
constexpr Counted kScripts[] = {
    {"vol1/blocker/notest2.cmd", 44, 47}, {"vol1/blocker/notest3.cmd", 44, 48},
    {"vol1/blocker/test1.cmd", 44, 47},   {"vol1/bones/test1.cmd", 422, 33},
    {"vol1/dyes/test1.cmd", 30, 9},       {"vol1/epil/test1.cmd", 236, 66},
    {"vol1/epil/test2.cmd", 236, 303},    {"vol1/equiv/test1.cmd", 20, 15},
    {"vol1/equiv/test2.cmd", 17, 18},     {"vol1/inhaler/test1.cmd", 572, 293},
    {"vol1/kidney/notest1.cmd", 134, 64}, {"vol1/leuk/test1.cmd", 714, 18},
    {"vol1/line/test1.cmd", 5, 3},        {"vol1/litters/test1.cmd", 32, 36},
    {"vol1/lsat/test1.cmd", 5000, 1007},  {"vol1/lsat/test2.cmd", 5000, 1011},
    {"vol1/mice/test1.cmd", 145, 20},     {"vol1/oxford/test1.cmd", 240, 244},
    {"vol1/pump/test1.cmd", 10, 12},      {"vol1/rats/test1.cmd", 150, 65},
    {"vol1/rats/test2.cmd", 90, 125},     {"vol1/salm/test1.cmd", 18, 22},
    {"vol1/salm/test2.cmd", 18, 22},      {"vol1/seeds/test1.cmd", 21, 26},
    {"vol1/seeds/test2.cmd", 21, 26},     {"vol1/seeds/test3.cmd", 21, 26},
    {"vol1/seeds/test4.cmd", 21, 26},     {"vol1/seeds/test5.cmd", 21, 26},
    {"vol2/asia/test1.cmd", 1, 5},        {"vol2/asia/test2.cmd", 28, 4},
};

TEST(BugsClassicModels, HaveAsManyStochasticNodesAsJagsCounts) {
  const char* const folder = std::getenv("CROFT_DATA");
  const std::filesystem::path data =
      std::filesystem::path(folder ? folder : CROFT_SOURCE_DIR "/../shared/data") / "bugs";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no data at " << data;
  for (const Counted& counted : kScripts) {
    const Script script = read_script(data / counted.script);
    ArrayNotes notes;
    const CompiledModel model =
        compile(read_program(script.program), read_data_files(script.data, notes));
    EXPECT_EQ(notes.by_rows, "") << counted.script;  // dumps of R, by columns
    EXPECT_EQ(model.graph.observed().size(), counted.observed) << counted.script;
    EXPECT_EQ(model.graph.nodes() - model.graph.observed().size(), counted.unobserved)
        << counted.script;
  }
}

}  // namespace
}  // namespace croft::bugs::classic_models_test
