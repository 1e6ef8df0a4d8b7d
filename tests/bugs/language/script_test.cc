#include "bugs/language/script.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "data/text_files.h"
#include "support/message_of.h"

namespace croft::bugs::script_test {
namespace {

Script script_of(std::string_view text) { return parse_script(LineReader(text, "s.cmd")); }
std::string script_fault(std::string_view text) {
  return message_of<InputError>([&] { script_of(text); });
}

TEST(BugsScript, IsOneQuestion) {
  const Script script = script_of(
      "/* a comment\n of two lines */\nmodel in \"line.bug\"  # another\ndata in line-data.R\n"
      "load glm\nload dic\ncompile, nchains(2)\nparameters in a.R, chain(1)\n"
      "inits in \"b file.R\", chain(2)\ninitialize\nadapt 500\nupdate 1000 by 100\n"
      "monitor alpha , thin(10)\nmonitor set Y[1, 2], thin(5), type(trace)\nmonitor beta\n"
      "update 10000; update 50, by(10)\nsamplers to s.txt\ncoda *, stem(\"out\")\ncoda beta\n"
      "exit\nnot a command\n");
  EXPECT_EQ(script.program, "line.bug");
  EXPECT_EQ(script.data, std::vector<std::string>{"line-data.R"});
  ASSERT_EQ(script.inits.size(), 2u);
  EXPECT_EQ(script.inits[1].file, "b file.R");
  EXPECT_EQ(script.inits[1].chain, 2u);
  EXPECT_EQ(script.options.chains, 2u);
  EXPECT_EQ(script.options.burn_in, 1500u);
  EXPECT_EQ(script.options.samples, 10050u);
  ASSERT_EQ(script.options.monitors.size(), 3u);
  EXPECT_EQ(script.options.monitors[0].thin, 10u);
  EXPECT_EQ(script.options.monitors[1].name, "Y[1,2]");
  EXPECT_EQ(script.options.monitors[1].thin, 5u);
  EXPECT_EQ(script.options.monitors[2].thin, 0u);
  ASSERT_EQ(script.coda.size(), 2u);
  EXPECT_EQ(script.coda[0].stem, "out");
  EXPECT_EQ(script.coda[1].stem, "CODA");
  EXPECT_EQ(script.samplers, std::vector<std::string>{"s.txt"});
  ASSERT_EQ(script.warnings.size(), 1u);
  EXPECT_EQ(script.warnings[0],
            "s.cmd:5: load glm changes nothing: croft chooses its own samplers");
}

TEST(BugsScript, CodaHasWhatWasMonitoredUpToIt) {
  const Script script = script_of(
      "model in m.bug\nmonitor a\ncoda *, stem(none)\nupdate 10\ncoda *, stem(first)\nupdate 20\n"
      "coda *, stem(both)\n");
  ASSERT_EQ(script.coda.size(), 3u);
  EXPECT_EQ(script.coda[0].samples, 0u);
  EXPECT_EQ(script.coda[1].samples, 10u);
  EXPECT_FALSE(script.coda[2].samples.has_value());
}

TEST(BugsScript, WhatAdaptsIsNoSample) {
  const Script script =
      script_of("model in m.bug\nadapt 5\nmonitor a\nadapt 100\nupdate 10\nadapt 7\nupdate 1\n");
  EXPECT_EQ(script.options.burn_in, 105u);
  EXPECT_EQ(script.options.samples, 11u);
  EXPECT_EQ(
      script.warnings,
      std::vector<std::string>{"s.cmd:6: adapt behind an update that is kept changes nothing: the "
                               "samplers adapt before it"});
}

TEST(BugsScript, FaultsHaveAPlaceAndARemedy) {
  EXPECT_EQ(script_fault("model in m.bug\nmodels clear\n"),
            "s.cmd:2:1: this is no command of a script that croft knows: \"models\"; commands are "
            "model, data, inits, parameters, compile, initialize, adapt, update, monitor, coda, "
            "samplers, load, unload, exit");
  EXPECT_EQ(script_fault("model in m.bug\nmonitor a\nupdate 10\nmonitor b\n"),
            "s.cmd:4:9: a monitor behind an update of others: \"b\"; name all monitors before the "
            "first update that is kept");
  EXPECT_EQ(script_fault("model in m.bug\nupdate ten\n"),
            "s.cmd:2:8: a whole number from 0 on is expected here: \"ten\"");
  EXPECT_EQ(script_fault("model in m.bug\nmonitor a\nupdate 0\n"),
            "s.cmd: a script without an update after its monitors; write: update 1000");
  EXPECT_EQ(script_fault("model in m.bug\ncompile\ninits in a.R, chain(2)\nmonitor a\nupdate 1\n"),
            "s.cmd: initial values of a chain that is not there: \"2\"");
  EXPECT_NE(script_fault("data in x.R\n").find("without a model"), std::string::npos);
  EXPECT_NE(script_fault("model m.bug\n").find("model in FILE"), std::string::npos);
  EXPECT_NE(script_fault("model in \"m.bug\n"), "no error");
  EXPECT_NE(script_fault("model in m.bug\n/* no end"), "no error");
  EXPECT_NE(script_fault("model in m.bug\nmonitor pD, type(pD)\n"), "no error");
  EXPECT_NE(script_fault("model in m.bug\nmonitor a\nupdate 999999999999\nupdate 999999999999\n"),
            "no error");
}

TEST(BugsScript, ReadsAllScriptsOfTheClassicExamples) {
  const std::filesystem::path folder = data_folder() / "bugs";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  std::size_t read = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
    if (each.path().extension() != ".cmd") continue;
    const Script script = read_script(each.path().string());
    EXPECT_TRUE(std::filesystem::exists(script.program)) << each.path();
    for (const std::string& file : script.data) EXPECT_TRUE(std::filesystem::exists(file)) << file;
    EXPECT_FALSE(script.options.monitors.empty());
    ++read;
  }
  EXPECT_GT(read, 28u);
}

}  // namespace
}  // namespace croft::bugs::script_test
