// The public networks and databases of the data folder can be read.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "data/text_files.h"
#include "logic_texts.h"

namespace croft {
namespace {

namespace fs = std::filesystem;

TEST(LogicData, EveryPublicNetworkAndDatabaseIsRead) {
  const fs::path data = data_folder() / "mln";
  if (!fs::is_directory(data)) GTEST_SKIP() << "CROFT_DATA names the folder of the data";
  std::size_t networks = 0, databases = 0, questions = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    if (entry.path().extension() != ".mln") continue;
    // What is included is read by those that include it.
    if (entry.path().parent_path().filename() == "definitions" ||
        entry.path().filename() == "DEC_DSA.mln") {
      continue;
    }
    SCOPED_TRACE(entry.path());
    LogicNetwork network;
    ASSERT_NO_THROW(network = read_network(entry.path().string()));
    ++networks;
    for (const auto& beside : fs::directory_iterator(entry.path().parent_path())) {
      if (beside.path().extension() != ".db") continue;
      SCOPED_TRACE(beside.path());
      const LogicTokens tokens = read_fact_tokens(LineReader(beside.path().string()));
      // A database belongs to one of the networks beside it.
      const bool declared = [&] {
        for (const LogicToken& each : tokens.tokens) {
          if (each.first && each.kind == LogicTokenKind::word &&
              network.predicate_names.find(each.text) == kNoNumber) {
            return false;
          }
        }
        return true;
      }();
      if (beside.path().filename().string().find("uery") != std::string::npos) {
        if (declared) {
          ASSERT_NO_THROW(parse_atom_patterns(network, tokens));
        }
        ++questions;
      } else if (declared) {
        LogicEvidence evidence(network);
        ASSERT_NO_THROW(add_evidence(network, tokens, evidence));
        ++databases;
      }
    }
  }
  EXPECT_GE(networks, 60u);
  EXPECT_GE(databases, 20u);
  EXPECT_GE(questions, 6u);
}

}  // namespace
}  // namespace croft
