// The classic examples: posteriors beside those of JAGS 4.3.1 and of the examples' own benchmark.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "bugs/language/array_files.h"
#include "bugs/language/program_parser.h"
#include "bugs/language/script.h"
#include "bugs/posterior/summary.h"
#include "bugs/sampling.h"
#include "core/json.h"

namespace croft::bugs::classic_posteriors_test {
namespace {

struct ClassicRun {
  const char* script;
  double share = 1;       // of the script's updates that are made here
  bool benchmark = true;  // false: the examples themselves say that theirs is not stable
};
constexpr ClassicRun kRuns[] = {
    {"vol1/line/test1.cmd"},         {"vol1/rats/test1.cmd"},
    {"vol1/rats/test2.cmd"},         {"vol1/pump/test1.cmd"},
    {"vol1/seeds/test1.cmd"},        {"vol1/seeds/test2.cmd"},
    {"vol1/seeds/test3.cmd"},        {"vol1/seeds/test4.cmd"},
    {"vol1/seeds/test5.cmd"},        {"vol1/salm/test1.cmd"},
    {"vol1/salm/test2.cmd"},         {"vol1/equiv/test1.cmd"},
    {"vol1/equiv/test2.cmd"},        {"vol1/leuk/test1.cmd"},
    {"vol1/litters/test1.cmd"},      {"vol1/dyes/test1.cmd"},
    {"vol1/bones/test1.cmd", 0.3},   {"vol1/epil/test1.cmd", 0.5},
    {"vol1/epil/test2.cmd", 0.2},    {"vol1/lsat/test1.cmd", 0.1},
    {"vol1/lsat/test2.cmd", 0.04},   {"vol1/oxford/test1.cmd", 0.5},
    {"vol1/blocker/test1.cmd"},      {"vol1/blocker/notest2.cmd", 0.5, false},
    {"vol1/inhaler/test1.cmd", 0.5}, {"vol1/blocker/notest3.cmd", 0.2, false},
    {"vol1/mice/test1.cmd", 0.05},   {"vol1/kidney/notest1.cmd", 0.5, false},
    {"vol2/asia/test1.cmd"},         {"vol2/asia/test2.cmd"},
};
// Of about 150 comparisons together, one in a thousand runs goes beyond (Bonferroni).
constexpr double kMostErrors = 4.5;
constexpr double kBenchmarkRule = 0.15;  // of the benchmark's standard deviation

class BugsClassicPosteriors : public testing::TestWithParam<ClassicRun> {};

TEST_P(BugsClassicPosteriors, AreThoseOfJags) {
  const char* const folder = std::getenv("CROFT_DATA");
  const std::filesystem::path data =
      std::filesystem::path(folder ? folder : CROFT_SOURCE_DIR "/../shared/data") / "bugs";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no data at " << data;
  const ClassicRun& run = GetParam();
  std::stringstream text;
  text << std::ifstream(data / "jags-posteriors.json").rdbuf();
  const Json all = parse_json(text.str());
  const Json& monitored = all.at(std::string_view(run.script)).at("monitored");

  Script script = read_script(data / run.script);
  ArrayNotes notes;
  std::vector<std::string> files;
  for (const auto& inits : script.inits) files.push_back(inits.file);
  const auto shortened = [&](std::size_t n) {
    return static_cast<std::size_t>(std::ceil(run.share * static_cast<double>(n)));
  };
  const std::size_t burn_in = script.options.burn_in;
  script.options.burn_in = std::max(shortened(burn_in), std::min<std::size_t>(burn_in, 300));
  script.options.samples = shortened(script.options.samples);
  script.options.exact = false;
  script.options.seed = 3;
  if (run.share < 1) {
    std::cout << run.script << ": shortened to " << run.share << " of its updates\n";
  }
  const BugsResult result =
      sample(read_program(script.program), read_data_files(script.data, notes),
             read_init_files(files, notes), script.options);
  std::size_t compared = 0;
  for (const NodeSummary& found : summaries(result)) {
    const std::string_view name(found.name);
    if (!monitored.contains(name)) continue;
    const Json& known = monitored.at(name);
    const double mean = known.at("mean").get<double>();
    const double error = known.at("mc_se_batch").get<double>();
    EXPECT_LE(std::abs(found.mean - mean), kMostErrors * std::hypot(found.error, error))
        << name << ": " << found.mean << " and " << mean;
    ++compared;
    if (!run.benchmark || run.share < 1) continue;
    const double benchmark = known.at("bench_mean").get<double>();
    const double deviation = known.at("bench_sd").get<double>();
    EXPECT_LE(std::abs(found.mean - benchmark), kBenchmarkRule * deviation)
        << name << ": " << found.mean << " and " << benchmark << " in the benchmark";
  }
  EXPECT_GT(compared, 0u);
}

std::string name_of_run(const testing::TestParamInfo<ClassicRun>& run) {
  std::string name;
  for (const char c : std::string(run.param.script)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Scripts, BugsClassicPosteriors, testing::ValuesIn(kRuns), name_of_run);

}  // namespace
}  // namespace croft::bugs::classic_posteriors_test
