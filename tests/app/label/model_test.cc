// The library's Model: rows, attributes and texts in, labels out.
#include "croft/app/model.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "croft/app/train.h"
#include "croft/core/error.h"

namespace croft::model_test {
namespace {

// A model trained on `data`.
class Trained {
 public:
  Trained(const std::string& data, const TrainingOptions& options)
      : base_(::testing::TempDir() + "model_test_" + std::to_string(::getpid())) {
    std::ofstream(base_ + ".txt") << data;
    train({base_ + ".txt"}, path(), options);
  }
  ~Trained() {
    std::filesystem::remove(base_ + ".txt");
    std::filesystem::remove(path());
  }
  std::string path() const { return base_ + ".croft"; }

 private:
  std::string base_;
};

constexpr const char* kColumns = "a x A\nb y B\n\nb x B\na y A\na x A\n\n";

std::vector<std::string> labels(const Model& model, const Tagging& tagging) {
  std::vector<std::string> names;
  for (const Label y : tagging.y) names.push_back(model.label(y));
  return names;
}

TEST(Model, RefusesACellThatItWouldNotUse) {
  const Trained trained(kColumns, {});
  Model model = Model::open(trained.path());
  try {
    model.tag(std::vector<std::string>{"a x", "b y B"});
    FAIL() << "the label is dropped";
  } catch (const Error& error) {
    EXPECT_EQ(error.message().text(),
              "rows[1] has 3 cells, and the model was trained on rows of 2: leave out the label, "
              "which is none of them");
  }
}

TEST(Model, OfAFilesBytesIsThatOfTheFile) {
  const Trained trained(kColumns, {});
  std::ifstream file(trained.path(), std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  Model opened = Model::open(trained.path());
  Model copied = Model::from_bytes({begin, begin + text.size()}, "bytes");
  TagOptions ask;
  ask.probability = true;
  const Tagging& one = opened.tag(std::vector<std::string>{"a x", "b y"}, ask);
  EXPECT_EQ(labels(opened, one), (std::vector<std::string>{"A", "B"}));
  const Tagging& other = copied.tag(std::vector<std::string>{"a x", "b y"}, ask);
  EXPECT_EQ(one.y, other.y);
  EXPECT_EQ(one.log_probability, other.log_probability);
  EXPECT_EQ(copied.kind(), "chain");
  EXPECT_EQ(copied.format(), "columns");
  EXPECT_THROW(Model::from_bytes({begin, begin + 40}, "bytes"), Error);
}

TEST(Model, RefusesRowsWithAnotherNumberOfCells) {
  const Trained trained(kColumns, {});
  Model model = Model::open(trained.path());
  for (const char* row : {"", "a", "a x A", "a x A more"}) {
    try {
      model.tag(std::vector<std::string>{"a x", row});
      ADD_FAILURE() << row;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("rows[1] has "), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(model.tag_text("a x"), UsageError);
}

TEST(Model, AddsToAttributesWhatItsTrainingAdded) {
  const Trained trained(
      "A\tw=a\nB\tw=b\n\nB\tw=b\n\nB\tw=b\n\n",
      {{"model", "maxent"}, {"format", "attributes"}, {"intercept", ""}, {"l2", "0.1"}});
  Model model = Model::open(trained.path());
  EXPECT_THROW(model.tag(std::vector<std::string>{"w=a"}), UsageError);
  TextSequence sequence;
  for (const char* name : {"w=a", "w=nothing"}) {
    sequence.node.append(name, 1);
    sequence.node.end_list();
  }
  TagOptions ask;
  ask.marginals = true;
  const Tagging& tagging = model.tag(sequence, ask);
  EXPECT_EQ(labels(model, tagging), (std::vector<std::string>{"A", "B"}));
  // The second has nothing but the intercept, which prefers the label of most positions.
  EXPECT_GT(tagging.marginals(1, tagging.y[1]), 0.6);
}

TEST(Model, LabelsTexts) {
  const Trained trained("good\ta fine film\nbad\ta dull film\n\ngood\tfine\nbad\tdull\n",
                        {{"model", "maxent"}, {"format", "text"}});
  Model model = Model::open(trained.path());
  EXPECT_EQ(model.format(), "text");
  EXPECT_EQ(labels(model, model.tag_text("dull and long")), std::vector<std::string>{"bad"});
  EXPECT_EQ(labels(model, model.tag_text("very fine")), std::vector<std::string>{"good"});
  EXPECT_THROW(model.tag(std::vector<std::string>{"dull"}), UsageError);
}

}  // namespace
}  // namespace croft::model_test
