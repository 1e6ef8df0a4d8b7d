// The table of training's options: rows that make sense, that reach the request of every kind that
// they have a meaning for, and that docs/options.md lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "app/convert/texts/text_readers.h"
#include "app/train/requests.h"
#include "train/options/training_options.h"

namespace croft::training_options_table_test {
namespace {

std::vector<OptionRow> all_rows() {
  std::vector<OptionRow> rows;
  for (const auto table : training_options()) rows.insert(rows.end(), table.begin(), table.end());
  return rows;
}

TEST(TrainingOptions, NamesAreUniqueAndCompanyExists) {
  std::set<std::string_view> names;
  for (const OptionRow& row : all_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.alias.empty() || names.insert(row.alias).second) << row.alias;
  }
  for (const OptionRow& row : all_rows()) {
    EXPECT_TRUE(row.needs.empty() || names.contains(row.needs)) << row.name;
    EXPECT_TRUE(row.excludes.empty() || names.contains(row.excludes)) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_NE(row.kinds, 0u) << row.name;
  }
}

TEST(TrainingOptions, InitialValuesAreValuesThatTheRowAllows) {
  for (const OptionRow& row : all_rows()) {
    if (row.initial.empty()) continue;
    OptionValues values(training_options());
    EXPECT_NO_THROW(values.set(row.name, row.initial)) << row.name;
  }
}

// The request of each kind, of values that name it.
struct KindOfRequest {
  KindSet bit;
  std::string model;
  std::function<void(const OptionValues&)> request;
};
std::vector<KindOfRequest> requests() {
  return {
      {kChainBit, "chain", train_request},
      {kMaxentBit, "maxent", train_request},
      {kMemmBit, "memm", train_request},
      {kJointBit, "maxent", joint_request},
      {kSegmentBit, "segment", segment_request},
      {kHiddenChainBit, "hidden-chain", hidden_chain_request},
      {kPoolBit, "pool", pool_request},
      {kMixtureBit, "mixture", mixture_request},
      {kErrorCorrectingBit, "error-correcting", code_request},
      {kBoostedChainBit, "boosted-chain", boosted_request},
      {kBoostedMaxentBit, "boosted-maxent", boosted_request},
      {kBoostedSegmentBit, "boosted-segment", boosted_request},
      {kNaiveBayesBit, "naive-bayes", naive_bayes_request},
      {kHmmBit, "hmm", hmm_request},
      {kBayesNetBit, "bayes-net", bayes_net_request},
      {kGraphBit, "graph", graph_request},
  };
}

// What is read after the request has been made.
bool is_of_the_run(std::string_view name) {
  return name == "log" || name == "quiet" || name == "partial-separator" || name == "model";
}
// What names the tables and the file of a graph is read where SQLite is (sql/train/train_graph.h).
bool is_of_tables(std::string_view name) {
  return name == "spec" || name == "database" || name == "unlabelled" ||
         name.starts_with("query-") || name == "output";
}
// Texts and tables are looked at where the format is theirs.
bool is_of_a_format(const OptionRow& row) {
  return row.group == kTextGroup || row.group == kTableGroup;
}

TEST(TrainingOptions, EveryOptionOfAKindReachesItsRequest) {
  for (const auto& [bit, model, request] : requests()) {
    OptionValues values(training_options());
    values.set("model", model);
    request(values);
    const std::vector<std::string_view> unread = values.unread();
    for (const OptionRow& row : all_rows()) {
      if (!has_meaning(row, bit) || is_of_the_run(row.name) || is_of_a_format(row)) continue;
      if (bit == kGraphBit && is_of_tables(row.name)) continue;
      EXPECT_EQ(std::ranges::find(unread, row.name), unread.end())
          << "--" << row.name << " has no effect on " << model << ", kind " << bit;
    }
  }
}

TEST(TrainingOptions, AnOptionWithoutAMeaningIsRefusedWithTheReason) {
  OptionValues values(training_options());
  values.set("model", "chain");
  values.set("rounds", "5");
  try {
    check_meaning(values, kChainBit, "chain");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--rounds has no meaning for --model chain; leave it out");
  }
}

// Before what they would need is asked for.
TEST(TrainingOptions, AnOptionWithoutAMeaningIsRefusedForThatWhateverItsCompany) {
  const auto refusal = [](const char* model, const char* name, const char* value) {
    OptionValues values(training_options());
    values.set("model", model);
    values.set(name, value);
    try {
      make_trainer(values);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("hmm", "induce-size", "2"),
            "--induce-size has no meaning for --model hmm; leave it out");
  EXPECT_EQ(refusal("memm", "order", "2"),
            "--order has no meaning for --model memm: chain alone looks further back than one "
            "label; leave it out");
  EXPECT_EQ(refusal("hmm", "joint-template", "t"),
            "--joint-template has no meaning for --model hmm: it goes with --model maxent; leave "
            "it out");
  EXPECT_EQ(refusal("graph", "DATA", "d"),
            "DATA has no meaning for --model graph: its data is what --database has; leave it out");
}

TEST(TrainingOptions, RefusalsMarkEachOptionThatTheyName) {
  for (const OptionRow& row : all_rows()) {
    try {
      check_meaning(row, 0, "none");
      FAIL() << row.name;
    } catch (const UsageError& error) {
      const std::string without = error.message().spelled([](std::string_view) { return ""; });
      EXPECT_EQ(without.find("--"), std::string::npos) << error.what();
    }
  }
}

TEST(TrainingOptions, RequestsOfNoOptionsAreTheDefaultsOfTheLibrary) {
  OptionValues values(training_options());
  const TrainRequest request = train_request(values);
  const TrainRequest plain;
  EXPECT_EQ(request.options.min_count, plain.options.min_count);
  EXPECT_EQ(request.options.order, plain.options.order);
  EXPECT_EQ(request.options.regulariser.l1, plain.options.regulariser.l1);
  EXPECT_EQ(request.options.objective, plain.options.objective);
  EXPECT_EQ(request.options.precision, plain.options.precision);
  EXPECT_EQ(request.options.early_stop, plain.options.early_stop);
  EXPECT_EQ(request.options.threads, plain.options.threads);
  EXPECT_EQ(request.checkpoint_interval, plain.checkpoint_interval);
  EXPECT_EQ(request.seed, plain.seed);
  EXPECT_FALSE(request.options.rounds.any());
  values.set("model", "boosted-chain");
  const BoostingOptions boosting = boosted_request(values).options, library;
  EXPECT_EQ(boosting.rounds, library.rounds);
  EXPECT_EQ(boosting.shrinkage, library.shrinkage);
  EXPECT_EQ(boosting.tree.depth, library.tree.depth);
  EXPECT_EQ(boosting.tree.leaves, library.tree.leaves);
  EXPECT_EQ(boosting.tree.min_child_weight, library.tree.min_child_weight);
  EXPECT_EQ(boosting.tree.min_gain, library.tree.min_gain);
  EXPECT_EQ(boosting.row_share, library.row_share);
  EXPECT_EQ(boosting.tree.feature_share, library.tree.feature_share);
  EXPECT_EQ(boosting.trim, library.trim);
  EXPECT_EQ(boosting.bins, library.bins);
}

// A cell of a table in Markdown.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string kinds_of(const OptionRow& row) {
  std::string names;
  std::size_t count = 0;
  for (const KindName& each : kind_names()) {
    const KindSet bits = each.bit == kMaxentBit ? kMaxentBit | kJointBit : each.bit;
    const KindSet found = row.kinds & bits;
    if (found == 0) continue;
    if (found == bits) ++count;
    names += (names.empty() ? "" : ", ") + std::string(each.name) +
             (found == bits         ? ""
              : found == kMaxentBit ? " without --joint-template"
                                    : " with --joint-template");
  }
  return count == kind_names().size() ? "all" : names;
}

std::string value_of(const OptionRow& row) {
  std::string value(row.shown);
  if (!row.bare.empty()) {
    for (const std::string_view each : row.choices) {
      value += (value.empty() ? "" : "|") + std::string(each);
    }
  }
  return value.empty() ? value : "`" + cell(value) + "`";
}

std::string line_of(const OptionRow& row) {
  return "| `" + std::string(row.positional ? "" : "--") + std::string(row.name) + "`" +
         (row.front_end ? " *" : "") + " | " + value_of(row) + " | " + cell(row.help) + " | " +
         kinds_of(row) + (row.why.empty() ? "" : " (for others: " + cell(row.why.text()) + ")") +
         " |\n";
}

std::string rendered() {
  std::string text =
      "# Options of training\n\n"
      "This page is made of the table that the program itself uses (`src/train/options`). A test "
      "compares the two;\n`CROFT_RECORD=1` in its environment writes the page anew.\n\n"
      "The command line has the names below. Python has them, too, but for those marked with *; "
      "the "
      "last section says\nwhat it has in their place.\n";
  std::vector<std::string_view> headings;
  for (const OptionRow& row : all_rows()) {
    if (std::ranges::find(headings, row.group) == headings.end()) headings.push_back(row.group);
  }
  for (const std::string_view heading : headings) {
    text += "\n## " + std::string(heading.empty() ? "Data, features, methods, runs" : heading) +
            "\n\n| option | value | what it does | kinds |\n|---|---|---|---|\n";
    for (const OptionRow& row : all_rows()) {
      if (row.group == heading) text += line_of(row);
    }
  }
  return text;
}

// The table of options cannot see that of formats, which is a layer above.
TEST(TrainingOptions, TheFormatsOfOtherProgramsAreThoseThatAreRead) {
  const auto rows = all_rows();
  const auto row = std::ranges::find(rows, "format", &OptionRow::name);
  ASSERT_NE(row, rows.end());
  std::vector<std::string_view> expected{"columns", "spans",    "attributes",
                                         "text",    "svmlight", "csv"};
  for (const TextFormat& each : text_formats()) {
    if (each.trains) expected.push_back(each.name);
  }
  EXPECT_EQ(row->choices, expected);
}

TEST(TrainingOptions, TheDocumentListsThem) {
  const std::string path = std::string(CROFT_SOURCE_DIR) + "/docs/options.md";
  std::stringstream file;
  file << std::ifstream(path).rdbuf();
  const std::string page = file.str();
  // The last section is made by scripts/generate_parameters.py.
  const std::size_t python = std::min(page.find("\n## Python\n"), page.size());
  if (std::getenv("CROFT_RECORD") != nullptr) {
    std::ofstream(path) << rendered() + page.substr(python);
    return;
  }
  EXPECT_EQ(page.substr(0, python), rendered())
      << "docs/options.md is not what the table says; run this test "
         "with CROFT_RECORD=1";
}

}  // namespace
}  // namespace croft::training_options_table_test
