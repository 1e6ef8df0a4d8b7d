#include "core/simd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::simd_test {
namespace {

class SimdTest : public testing::Test {
 protected:
  ~SimdTest() override {
    ::unsetenv("CROFT_SIMD");
    force_simd_target(before_);
  }
  const std::string before_ = simd_target();
};

TEST_F(SimdTest, TheTargetInUseIsOneOfThoseOffered) {
  const std::vector<std::string> targets = simd_targets();
  EXPECT_NE(std::find(targets.begin(), targets.end(), simd_target()), targets.end());
  EXPECT_EQ(std::set<std::string>(targets.begin(), targets.end()).size(), targets.size());
}

TEST_F(SimdTest, EveryTargetOfferedCanBeForcedInAnyOrder) {
  std::vector<std::string> targets = simd_targets();
  for (int round = 0; round < 2; ++round) {
    for (const std::string& name : targets) {
      force_simd_target(name);
      EXPECT_EQ(simd_target(), name);
      EXPECT_EQ(dot(std::vector<double>{1, 2}, std::vector<double>{3, 4}), 11);
      EXPECT_EQ(simd_target(), name);  // a call of a kernel does not undo it
    }
    std::reverse(targets.begin(), targets.end());
  }
}

TEST_F(SimdTest, ForcingLeavesTheListAsItWas) {
  const std::vector<std::string> targets = simd_targets();
  force_simd_target(targets.back());
  EXPECT_EQ(simd_targets(), targets);
}

TEST_F(SimdTest, KernelsObeyTheForcedTarget) {
  // Registers of another width sum in another order: the rounding of a long sum betrays the target.
  Random random(1);
  std::vector<double> a(1001), b(1001);
  for (double& x : a) x = random.normal();
  for (double& x : b) x = random.normal();
  const std::vector<std::string> targets = simd_targets();
  if (targets.size() < 2) GTEST_SKIP() << "only " << targets[0] << " runs here";
  force_simd_target(targets.front());
  const double widest = dot(a, b);
  force_simd_target(targets.back());
  EXPECT_NE(dot(a, b), widest);
  force_simd_target(targets.front());
  EXPECT_EQ(dot(a, b), widest);
}

TEST_F(SimdTest, AnUnknownNameIsAnErrorThatListsTheValidOnes) {
  try {
    force_simd_target("MMX");
    FAIL();
  } catch (const UsageError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("\"MMX\""), std::string::npos) << message;
    for (const std::string& name : simd_targets()) {
      EXPECT_NE(message.find(name), std::string::npos) << message;
    }
  }
  EXPECT_EQ(simd_target(), before_);
}

TEST_F(SimdTest, TheEnvironmentChoosesAndMayBeEmptyOrAbsent) {
  ::unsetenv("CROFT_SIMD");
  apply_simd_environment();
  EXPECT_EQ(simd_target(), before_);
  ::setenv("CROFT_SIMD", "", 1);
  apply_simd_environment();
  EXPECT_EQ(simd_target(), before_);
  ::setenv("CROFT_SIMD", simd_targets().back().c_str(), 1);
  apply_simd_environment();
  EXPECT_EQ(simd_target(), simd_targets().back());
  ::setenv("CROFT_SIMD", "avx9", 1);
  try {
    apply_simd_environment();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find("CROFT_SIMD: SIMD target \"avx9\""), 0u)
        << error.what();
  }
}

}  // namespace
}  // namespace croft::simd_test
