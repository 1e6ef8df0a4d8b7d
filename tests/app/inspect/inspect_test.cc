#include "app/inspect/inspect.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "app/train/train_request.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "model/kinds/chain_model.h"

namespace croft::inspect_test {
namespace {

using Lines = std::vector<std::string>;

struct Row {
  std::string name;
  std::vector<std::pair<std::uint32_t, double>> weights;  // cell (increasing), weight
};

struct ModelText {
  std::vector<std::string> labels;
  std::vector<Row> tied, node, edge;
  ExtractionConfig extraction;
  Json training = Json::object();
};

// Appends the rows to a layout, their names and weights to the lists.
RowLayout lay_out(const std::vector<Row>& rows, std::size_t cells,
                  std::vector<std::string_view>& names, std::vector<double>& weights) {
  RowLayout layout;
  layout.cells = cells;
  layout.begin = {weights.size()};
  for (const Row& row : rows) {
    names.push_back(row.name);
    for (const auto& [cell, weight] : row.weights) {
      layout.cell.push_back(cell);
      weights.push_back(weight);
    }
    layout.begin.push_back(weights.size());
  }
  return layout;
}

ContainerWriter written(const ModelText& text) {
  const std::size_t labels = text.labels.size();
  ChainLayout layout;
  ChainModelParts parts;
  std::vector<double> weights;
  layout.labels = labels;
  layout.tied = lay_out(text.tied, labels * labels, parts.tied_names, weights);
  layout.node = lay_out(text.node, labels, parts.node_names, weights);
  layout.edge = lay_out(text.edge, labels * labels, parts.edge_names, weights);
  parts.labels = text.labels;
  parts.extraction = &text.extraction;
  parts.layout = &layout;
  parts.weights = weights;
  parts.training = &text.training;
  return make_chain_model(parts);
}

ChainModel model_of(const ModelText& text) {
  return ChainModel(Container::from_bytes(written(text).bytes(), "m.croft"));
}

// Labels A (0) and B (1); pairs: A A, A B, B A, B B.
ModelText example() {
  ModelText text;
  text.labels = {"A", "B"};
  text.tied = {{"B", {{0, 0.5}, {1, -1}, {3, 2}}}};
  text.node = {{"U00:the", {{0, 0.1}, {1, -0.25}}},
               {"U00:a", {{0, 0.1}}},
               {"U00:dog", {{0, -3}, {1, 3}}},
               {boundary_name(Boundary::start, "B"), {{0, 1.5}, {1, -0.5}}},
               {boundary_name(Boundary::stop, "B"), {{1, -2}}},
               {boundary_name(Boundary::stop, "B01:the"), {{0, 0.75}}}};
  text.edge = {{"B01:the", {{1, 1}, {2, -1}}}, {"B01:a", {{1, 1}}}};
  text.extraction.template_text = "# words\r\nU00:%x[0,0]\nB01:%x[0,0]\n\nB\n";
  text.extraction.template_name = "words.template";
  text.extraction.language = TemplateLanguage::crfpp;
  text.extraction.columns = 1;
  text.extraction.boundaries = true;
  text.training = {{"l2", 1.0},
                   {"objective", "likelihood"},
                   {"stop", "converged"},
                   {"objective_value", 12.345678912345},
                   {"holdout", {{"sequences", 3}, {"token_accuracy", 0.5}}},
                   {"a_later_field", 7}};
  return text;
}

std::string dump(const ChainModel& model) {
  std::string all;
  write_weights(model, [&](std::string_view text) { all += text; });
  return all;
}

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool contains_line(const std::string& text, const std::string& line) {
  const Lines lines = lines_of(text);
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

Lines attributes(const Json& weights) {
  Lines names;
  for (const Json& w : weights) names.push_back(w["attribute"].string());
  return names;
}

bool has_control_bytes(const std::string& text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7F;
  });
}

TEST(Inspect, SummaryNamesKindSizesLabelsTemplateRecordAndSections) {
  const ChainModel model = model_of(example());
  const std::string text = summary_of(model).text;
  EXPECT_TRUE(contains_line(text, "kind          chain"));
  EXPECT_TRUE(contains_line(
      text, "file size     " + std::to_string(written(example()).bytes().size()) + " bytes"));
  EXPECT_TRUE(contains_line(text, "labels        2"));
  EXPECT_TRUE(contains_line(text, "  A"));
  EXPECT_TRUE(contains_line(text, "transitions              1            3"));
  EXPECT_TRUE(contains_line(text, "node                     6            9"));
  EXPECT_TRUE(contains_line(text, "edge                     2            3"));
  EXPECT_TRUE(contains_line(text, "columns       1, and the label"));
  EXPECT_TRUE(contains_line(text, "boundaries    START and STOP"));
  EXPECT_TRUE(contains_line(text, "template      crfpp"));
  EXPECT_TRUE(contains_line(text, "  # words"));
  EXPECT_TRUE(contains_line(text, "  B01:%x[0,0]"));
  EXPECT_TRUE(contains_line(text, "  objective value         12.345679"));
  EXPECT_TRUE(contains_line(text, "  holdout token accuracy  0.5"));
  EXPECT_TRUE(contains_line(text, "  a later field           7"));
  EXPECT_LT(text.find("  objective  "), text.find("  l2  "));
  for (const Container::Entry& entry : model.container().entries()) {
    EXPECT_NE(text.find("\n" + entry.name + " "), std::string::npos) << entry.name;
  }
  EXPECT_FALSE(has_control_bytes(text));
}

TEST(Inspect, SummaryWithoutATemplateSaysWhereFeaturesComeFrom) {
  ModelText text = example();
  text.extraction = ExtractionConfig();
  text.extraction.columns = 2;
  EXPECT_TRUE(contains_line(summary_of(model_of(text)).text,
                            "template      none: default features for words"));
  EXPECT_TRUE(summary_of(model_of(text)).json["extraction"]["template"].is_null());
  text.extraction.format = InputFormat::attributes;
  EXPECT_TRUE(contains_line(summary_of(model_of(text)).text,
                            "template      none: features are the attributes of each line"));
  EXPECT_FALSE(summary_of(model_of(text)).json["extraction"].contains("columns"));
}

TEST(Inspect, SummaryAsJsonHasTheSameContent) {
  const ChainModel model = model_of(example());
  const Json document = summary_of(model).json;
  EXPECT_EQ(document["kind"], "chain");
  EXPECT_EQ(document["file_bytes"], written(example()).bytes().size());
  EXPECT_EQ(document["labels"], (Json{"A", "B"}));
  EXPECT_EQ(document["transitions"], (Json{{"attributes", 1}, {"weights", 3}}));
  EXPECT_EQ(document["node"], (Json{{"attributes", 6}, {"weights", 9}}));
  EXPECT_EQ(document["edge"], (Json{{"attributes", 2}, {"weights", 3}}));
  EXPECT_EQ(document["extraction"],
            (Json{{"format", "columns"},
                  {"columns", 1},
                  {"boundaries", true},
                  {"template",
                   {{"language", "crfpp"},
                    {"lines", {"# words", "U00:%x[0,0]", "B01:%x[0,0]", "", "B"}}}}}));
  EXPECT_EQ(document["training"], example().training);
  ASSERT_EQ(document["sections"].size(), model.container().entries().size());
  EXPECT_EQ(document["sections"][0]["name"], "meta");
  EXPECT_EQ(document["sections"][0]["bulk"], false);
}

TEST(Inspect, TopNodeFeaturesAreSortedByWeightThenByName) {
  const Json node = top_of(model_of(example()), 2).json["node"];
  ASSERT_EQ(node.size(), 2u);
  EXPECT_EQ(attributes(node["A"]["largest"]), (Lines{"U00:a", "U00:the"}));  // equal: by name
  EXPECT_EQ(attributes(node["A"]["smallest"]), (Lines{"U00:dog"}));
  EXPECT_EQ(attributes(node["B"]["largest"]), (Lines{"U00:dog"}));
  EXPECT_EQ(attributes(node["B"]["smallest"]), (Lines{"U00:the"}));
  EXPECT_EQ(node["B"]["smallest"][0]["weight"], -0.25);
  EXPECT_EQ(attributes(top_of(model_of(example()), 1).json["node"]["A"]["largest"]),
            (Lines{"U00:a"}));
}

TEST(Inspect, TopOfNothingIsEmpty) {
  const Json top = top_of(model_of(example()), 0).json;
  EXPECT_TRUE(top["node"]["A"]["largest"].empty());
  EXPECT_TRUE(top["transitions"]["smallest"].empty());
}

TEST(Inspect, TopIsWhatSortingEverythingWouldGive) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Random random(seed);
    ModelText text = example();
    text.node.clear();
    std::vector<std::pair<double, std::string>> sorted;  // -weight, name: as the list for B is
    for (std::size_t k = 0; k < 40; ++k) {
      Row row{"U00:" + std::to_string(random.next()), {}};
      const double weight = static_cast<double>(random.below(7)) - 3;  // many ties, some 0
      row.weights = {{0, 1.0}, {1, weight}};
      if (weight > 0) sorted.emplace_back(-weight, row.name);
      text.node.push_back(std::move(row));
    }
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = random.below(45);
    Lines expected;
    for (std::size_t k = 0; k < std::min(n, sorted.size()); ++k)
      expected.push_back(sorted[k].second);
    RC_ASSERT(attributes(top_of(model_of(text), n).json["node"]["B"]["largest"]) == expected);
  }));
}

TEST(Inspect, TopTransitionsIncludeStartAndStop) {
  const Json top = top_of(model_of(example()), 10).json;
  const auto shown = [](const Json& weights) {
    Lines lines;
    for (const Json& w : weights) {
      std::ostringstream line;
      const std::string boundary = w.value("boundary", std::string());
      line << (boundary == "start" ? "^" : w["from"].string()) << ' '
           << (boundary == "stop" ? "$" : w["to"].string()) << ' ' << w["attribute"].string() << ' '
           << w["weight"].get<double>();
      lines.push_back(line.str());
    }
    return lines;
  };
  EXPECT_EQ(shown(top["transitions"]["largest"]), (Lines{"B B B 2", "^ A B 1.5", "A A B 0.5"}));
  EXPECT_EQ(shown(top["transitions"]["smallest"]), (Lines{"B $ B -2", "A B B -1", "^ B B -0.5"}));
  EXPECT_EQ(shown(top["edge"]["largest"]),
            (Lines{"A B B01:a 1", "A B B01:the 1", "A $ B01:the 0.75"}));
  EXPECT_EQ(shown(top["edge"]["smallest"]), (Lines{"B A B01:the -1"}));
}

TEST(Inspect, TopAsTextShowsNoControlBytes) {
  const ChainModel model = model_of(example());
  const std::string text = top_of(model, 10).text;
  EXPECT_TRUE(contains_line(text, "label A"));
  EXPECT_TRUE(contains_line(text, "            -3  U00:dog"));
  EXPECT_TRUE(contains_line(text, "          +1.5  START → A  B"));
  EXPECT_TRUE(contains_line(text, "            -2  B → STOP  B"));
  EXPECT_TRUE(contains_line(text, "         +0.75  A → STOP  B01:the"));
  EXPECT_FALSE(has_control_bytes(text));
}

TEST(Inspect, TopWithoutEdgeFeaturesHasNoSuchHeading) {
  ModelText text = example();
  text.edge.clear();
  text.node.pop_back();  // the STOP of an edge feature
  const ChainModel model = model_of(text);
  EXPECT_FALSE(contains_line(top_of(model, 3).text, "edge features"));
}

TEST(Inspect, TopAsJsonTellsStartFromALabelOfThatName) {
  ModelText text = example();
  text.labels = {"START", "B"};
  const ChainModel model = model_of(text);
  const Json document = top_of(model, 3).json;
  EXPECT_EQ(document["node"]["B"]["largest"], (Json{{{"attribute", "U00:dog"}, {"weight", 3}}}));
  EXPECT_EQ(document["node"]["START"]["largest"][0]["weight"], 0.1);  // not the float's expansion
  const Json& largest = document["transitions"]["largest"];
  EXPECT_EQ(largest[1], (Json{{"attribute", "B"},
                              {"from", "START"},
                              {"to", "START"},
                              {"weight", 1.5},
                              {"boundary", "start"}}));
  EXPECT_EQ(largest[2]["from"], "START");
  EXPECT_FALSE(largest[2].contains("boundary"));
  EXPECT_EQ(document["transitions"]["smallest"][0]["boundary"], "stop");
}

TEST(Inspect, DumpHasEveryWeightOnALineSortedByName) {
  EXPECT_EQ(lines_of(dump(model_of(example()))),
            (Lines{"transition\tB\tA\tA\t0.5", "transition\tB\tA\tB\t-1", "transition\tB\tB\tB\t2",
                   "node\t\\x01START\\x01B\tA\t1.5", "node\t\\x01START\\x01B\tB\t-0.5",
                   "node\t\\x01STOP\\x01B\tB\t-2", "node\t\\x01STOP\\x01B01:the\tA\t0.75",
                   "node\tU00:a\tA\t0.1", "node\tU00:dog\tA\t-3", "node\tU00:dog\tB\t3",
                   "node\tU00:the\tA\t0.1", "node\tU00:the\tB\t-0.25", "edge\tB01:a\tA\tB\t1",
                   "edge\tB01:the\tA\tB\t1", "edge\tB01:the\tB\tA\t-1"}));
}

TEST(Inspect, DumpEscapesWhatWouldBreakALine) {
  ModelText text = example();
  text.labels = {"A\tx", "B"};
  text.node = {{"tab\tline\nslash\\bell\x07 del\x7F caf\xC3\xA9 \xFF", {{0, 1}}}};
  const std::string all = dump(model_of(text));
  EXPECT_TRUE(contains_line(
      all, "node\ttab\\tline\\nslash\\\\bell\\x07 del\\x7f caf\xC3\xA9 \xFF\tA\\tx\t1"));
  EXPECT_TRUE(contains_line(all, "transition\tB\tA\\tx\tB\t-1"));
}

TEST(Inspect, DumpedWeightsGiveBackTheSameFloats) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Random random(seed);
    ModelText text = example();
    text.node.clear();
    std::map<std::string, float> expected;
    for (std::size_t k = 0; k < 20; ++k) {
      const double weight =
          random.normal() * std::pow(10.0, static_cast<double>(random.below(60)) - 30);
      const std::string name = "U" + std::to_string(k);
      text.node.push_back({name, {{1, weight}}});
      expected[name] = static_cast<float>(weight);
    }
    std::map<std::string, float> found;
    for (const std::string& line : lines_of(dump(model_of(text)))) {
      std::istringstream in(line);
      Lines fields;
      for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
      if (fields[0] == "node") found[fields[1]] = std::strtof(fields.back().c_str(), nullptr);
    }
    RC_ASSERT(found == expected);
  }));
}

TEST(Inspect, DumpComesInPiecesOfWholeLines) {
  ModelText text = example();
  for (std::size_t k = 0; k < 20000; ++k)
    text.node.push_back({"word " + std::to_string(k), {{0, 1}}});
  std::size_t pieces = 0, lines = 0;
  write_weights(model_of(text), [&](std::string_view piece) {
    ++pieces;
    EXPECT_TRUE(piece.ends_with('\n'));
    EXPECT_LT(piece.size(), 100000u);
    lines += static_cast<std::size_t>(std::ranges::count(piece, '\n'));
  });
  EXPECT_EQ(lines, 20015u);
  EXPECT_GE(pieces, 4u);
  EXPECT_LT(pieces, 20u);
}

TEST(Inspect, LabelsThatAreNotUtf8CanBeWrittenAsJson) {
  ModelText text = example();
  text.labels = {"\xFF", "B"};
  const ChainModel model = model_of(text);
  const auto replace = InvalidUtf8::replace;
  EXPECT_NE(summary_of(model).json.dump(-1, replace).find("\xEF\xBF\xBD"), std::string::npos);
  EXPECT_NE(top_of(model, 1).json.dump(-1, replace).find("\xEF\xBF\xBD"), std::string::npos);
}

// A folder that is gone at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "croft_inspect_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create " + pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

TEST(Inspect, DumpOfATrainedModelScoresAsTheModelDoes) {
  const TemporaryFolder folder;
  std::ofstream(folder / "train.txt")
      << "2 Q\ncups U\nflour N\n\na Q\ncup U\nof O\nsugar N\n\nsalt N\n";
  TrainRequest request;
  request.data = {(folder / "train.txt").string()};
  request.output = (folder / "m.croft").string();
  train_model(request);
  const auto model = ChainModel::open(request.output);
  // A position with two known attributes: its scores, and the same added up from the dump.
  TextSequence text;
  text.node.append("no such attribute");
  text.node.append(model->node().name(0));
  text.node.append(model->node().name(1));
  text.node.end_list();
  std::map<std::string, double> expected;
  const Json record = summary_of(*model).json["training"];
  EXPECT_EQ(record["sequences"], 3);
  std::size_t lines = 0;
  for (const std::string& line : lines_of(dump(*model))) {
    ++lines;
    std::istringstream in(line);
    Lines fields;
    for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
    if (fields[0] != "node") continue;
    if (fields[1] != escaped(model->node().name(0)) && fields[1] != escaped(model->node().name(1)))
      continue;
    expected[fields[2]] += std::strtof(fields[3].c_str(), nullptr);
  }
  EXPECT_EQ(lines, record["nonzero_weights"].get<std::size_t>());
  ChainModel::Scratch scratch;
  ChainScores<double> scores;
  model->score(text, scratch, scores);
  for (Label y = 0; y < model->labels(); ++y) {
    EXPECT_NEAR(scores.state(0, y), expected[model->label(y)], 1e-6) << model->label(y);
  }
}

}  // namespace
}  // namespace croft::inspect_test
