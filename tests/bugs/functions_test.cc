#include "bugs/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "bugs/compile/expressions.h"
#include "bugs/distributions.h"

#include "croft/core/random.h"

namespace croft::bugs::functions_test {
namespace {

TEST(BugsFunctions, StandInTheOrderOfTheirEnumerationAndHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (std::size_t k = 0; k < function_rows().size(); ++k) {
    const FunctionRow& row = function_rows()[k];
    EXPECT_EQ(static_cast<std::size_t>(row.function), k) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_function(row.name), &row);
    if (!row.alias.empty()) {
      EXPECT_TRUE(names.insert(row.alias).second) << row.alias;
      EXPECT_EQ(find_function(row.alias), &row);
    }
  }
  EXPECT_EQ(find_function("nothing"), nullptr);
}

// docs/bugs.md lists all names, and none that is not known.
TEST(BugsFunctions, AndDistributionsAreListedInTheDocuments) {
  std::stringstream file;
  file << std::ifstream(CROFT_SOURCE_DIR "/docs/bugs.md").rdbuf();
  std::string list = file.str();
  const std::size_t begin = list.find("## Functions and distributions");
  ASSERT_NE(begin, std::string::npos);
  list = list.substr(begin, list.find("\n## ", begin) - begin);
  std::set<std::string, std::less<>> listed;  // `exp(x)` lists exp
  for (std::size_t at = 0; (at = list.find('`', at)) != std::string::npos;) {
    const std::size_t end = list.find('`', at + 1);
    const std::string text = list.substr(at + 1, end - at - 1);
    listed.insert(text.substr(0, text.find('(', 1)));
    at = end + 1;
  }
  std::set<std::string_view> known;
  for (const FunctionRow& row : function_rows()) {
    if (row.name == "u-" || row.name.starts_with("[")) continue;  // not written so
    known.insert(row.name);
    if (!row.alias.empty()) known.insert(row.alias);
  }
  known.insert(arranging_functions().begin(), arranging_functions().end());
  for (const Distribution& law : distributions()) {
    known.insert(law.name);
    known.insert(law.aliases.begin(), law.aliases.end());
  }
  for (const std::string_view name : known) EXPECT_TRUE(listed.contains(name)) << name;
  for (const std::string& name : listed) EXPECT_TRUE(known.contains(name)) << name;
}

// Slopes of functions of one number beside central differences where both are defined.
TEST(BugsFunctions, SlopesAreCentralDifferences) {
  Random random(1);
  for (const FunctionRow& row : function_rows()) {
    if (row.one == nullptr || !row.smooth) continue;
    ASSERT_NE(row.slope, nullptr) << row.name;
    std::size_t tried = 0;
    for (int k = 0; k < 200; ++k) {
      const double x =
          row.function == Function::acosh ? 1.1 + random.uniform() : 0.05 + 0.9 * random.uniform();
      const double h = 1e-5, below = row.one(x - h), above = row.one(x + h);
      if (!std::isfinite(below) || !std::isfinite(above)) continue;
      const double slope = row.slope(x, row.one(x)), difference = (above - below) / (2 * h);
      EXPECT_NEAR(slope, difference, 1e-6 * (1 + std::abs(slope))) << row.name << " at " << x;
      ++tried;
    }
    EXPECT_GT(tried, 100u) << row.name;
  }
}

TEST(BugsFunctions, LinksAndTheirInversesUndoEachOther) {
  const std::pair<Function, Function> pairs[] = {{Function::logit, Function::ilogit},
                                                 {Function::probit, Function::phi},
                                                 {Function::cloglog, Function::icloglog},
                                                 {Function::log, Function::exp}};
  for (const auto& [link, inverse] : pairs) {
    for (const double p : {1e-9, 1e-4, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999}) {
      EXPECT_NEAR(row_of(inverse).one(row_of(link).one(p)), p, 4e-15) << row_of(link).name;
    }
  }
  EXPECT_EQ(row_of(Function::ilogit).one(-800), 0);
  EXPECT_EQ(row_of(Function::ilogit).one(800), 1);
}

TEST(BugsFunctions, TheNormalQuantileIsExactIntoTheTails) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-12);
  EXPECT_NEAR(normal_quantile(1e-300), -37.0471, 1e-4);
  for (double p = 1e-300; p < 0.5; p *= 7) {
    EXPECT_NEAR(normal_cumulative(normal_quantile(p)) / p, 1, 1e-11) << p;
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_EQ(normal_quantile(0), -INFINITY);
  EXPECT_EQ(normal_quantile(1), INFINITY);
  EXPECT_TRUE(std::isnan(normal_quantile(1.5)));
}

}  // namespace
}  // namespace croft::bugs::functions_test
