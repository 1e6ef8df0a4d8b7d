// CRF++'s files: read, written, and damaged.
#include <gtest/gtest.h>

#include <cstring>

#include "app/label/tagger.h"
#include "croft/core/error.h"
#include "model/foreign/foreign_chain.h"
#include "support/foreign_templates.h"

namespace croft::crfpp_test {
namespace {

using testing_support::expect_written_and_read;
using testing_support::random_template_chain;
using testing_support::row_scores;
using testing_support::rows_of;
using testing_support::weights_by_name;
using Weights = std::map<std::pair<std::string, std::uint32_t>, double>;

const std::string kFile = "m.model";

ForeignChain small_chain() {
  ForeignChain chain;
  chain.labels = {"A", "B"};
  chain.extraction.template_text = "U0:%x[-1,0]\nB\nB1:%x[0,1]\n";
  chain.extraction.language = TemplateLanguage::crfpp;
  chain.extraction.columns = 2;
  chain.node.add(0, 1);
  chain.node.end_row("U0:_B-1");
  chain.node.add(1, 0.5);
  chain.node.end_row("U0:x");
  chain.tied.add(3, -3);
  chain.tied.end_row("B");
  chain.edge.add(1, 0.25);
  chain.edge.end_row("B1:y");
  return chain;
}

const std::string kText =
    "version: 100\ncost-factor: 1\nmaxid: 12\nxsize: 2\n\nA\nB\n\nU0:%x[-1,0]\nB\nB1:%x[0,1]\n\n"
    "0 B\n4 B1:y\n8 U0:_B-1\n10 U0:x\n\n"
    "0.0\n0\n0\n-3.0000000000000000\n0\n0.25\n0\n0\n1.0\n0\n0\n0.5\n";

template <class Reader>
std::string fault_of(const Reader& read, const std::string& bytes) {
  return message_of<InputError>([&] { read(bytes, kFile); });
}
std::string fault_of(const std::string& bytes) { return fault_of(read_crfpp, bytes); }

void set_u32(std::string& bytes, std::size_t at, std::uint32_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

void expect_small(const ForeignChain& chain) {
  EXPECT_EQ(chain.labels, small_chain().labels);
  EXPECT_EQ(weights_by_name(chain.node), weights_by_name(small_chain().node));
  // The templates of edges are added up in their turn, so "B" is one as the other is.
  EXPECT_TRUE(chain.extraction.untied);
  Weights edge = weights_by_name(small_chain().edge);
  edge.merge(weights_by_name(small_chain().tied));
  EXPECT_EQ(weights_by_name(chain.edge), edge);
  EXPECT_EQ(chain.tied.rows(), 0u);
  EXPECT_EQ(chain.extraction.columns, 2u);
  EXPECT_TRUE(chain.extraction.more_columns);
}

TEST(Crfpp, TheTwoFormsOfAModelAreTheSame) {
  const std::string bytes = write_crfpp(small_chain(), kFile);
  expect_small(read_crfpp(bytes, kFile));
  expect_small(read_crfpp_text(kText, kFile));
  EXPECT_EQ(write_crfpp(read_crfpp_text(kText, kFile), kFile), bytes);
}

// crf_test takes its --cost-factor, which is 1, whatever the file says.
TEST(Crfpp, TheFactorOfTheFileIsNotUsed) {
  std::string bytes = write_crfpp(small_chain(), kFile);
  const double factor = 7;
  std::memcpy(bytes.data() + 8, &factor, sizeof factor);
  expect_small(read_crfpp(bytes, kFile));
}

TEST(Crfpp, ATemplateThatIsThereTwiceCountsTwice) {
  ForeignChain chain = small_chain();
  chain.extraction.template_text = "U0:%x[-1,0]\nB\nU0:%x[-1,0]\nB\n";
  chain.tied.weight[0] = 2 * -3;  // of Croft, which counts it once
  const std::string bytes = write_crfpp(chain, kFile);
  const ForeignChain back = read_crfpp(bytes, kFile);
  EXPECT_EQ(row_scores(back, rows_of({"x y", "x y"})),
            (std::vector<double>{2, 0, 0, 1, 0, 0, 0, -6}));
  EXPECT_EQ(write_crfpp(back, kFile), bytes);
}

// 1e8 + 1 - 1e8 is 0 there, of a position and of an edge, where templates stand in that order.
TEST(Crfpp, WeightsAreAddedUpInSinglePrecisionAndInTheOrderOfTemplates) {
  ForeignChain chain;
  chain.labels = {"A"};
  chain.extraction.template_text = "U1:%x[0,0]\nU\nU2:%x[0,0]\nB1:%x[0,0]\nB\nB2:%x[0,0]\n";
  chain.extraction.language = TemplateLanguage::crfpp;
  chain.extraction.columns = 1;
  const auto add = [](ForeignRows& rows, const std::string& name, double weight) {
    rows.add(0, weight);
    rows.end_row(name);
  };
  for (const bool node : {true, false}) {
    add(node ? chain.node : chain.edge, node ? "U1:a" : "B1:a", 1e8);
    add(node ? chain.node : chain.tied, node ? "U" : "B", 1);
    add(node ? chain.node : chain.edge, node ? "U2:a" : "B2:a", -1e8);
  }
  const ForeignChain back = read_crfpp(write_crfpp(chain, kFile), kFile);
  const ChainModel model(
      Container::from_bytes(make_foreign_model(back, "CRF++", kFile).bytes(), kFile));
  Extractor::Scratch scratch;
  TextSequence text;
  model.extractor().extract(rows_of({"a", "a"}), false, scratch, text);
  EXPECT_EQ(Tagger(model).tag(text, {.score = true}).score, 0);
}

TEST(Crfpp, ACarriageReturnBelongsToTheTemplate) {
  ForeignChain chain = small_chain();
  chain.extraction.template_text = "U0:%x[-1,0]\r\r\nB\r\r\n";
  chain.node.names = {"U0:_B-1\r", "U0:x\r"};
  chain.tied.names = {"B\r"};
  const ForeignChain back = read_crfpp(write_crfpp(chain, kFile), kFile);
  EXPECT_EQ(row_scores(back, rows_of({"x y", "x y"})),
            (std::vector<double>{1, 0, 0, 0.5, 0, 0, 0, -3}));
}

TEST(Crfpp, WhatIsWrittenHasTheSameScores) {
  Random random(1);
  const std::string of_crfpp = "U00:%x[-8,0]/%x[1,1]\nU01:%x[0,0]\nUc #\nB\nB\nB1:%x[-1,1]\n";
  const std::string of_wapiti = "u:%x[ -1,0]\n*:%x[+0,1]/%x[4,0]\nb:%x[-4,1]\nu\nb\nB x\n";
  for (int n = 0; n < 20; ++n) {
    for (const bool crfpp : {false, true}) {
      const ForeignChain chain = random_template_chain(
          crfpp ? of_crfpp : of_wapiti, crfpp ? TemplateLanguage::crfpp : TemplateLanguage::wapiti,
          2, random);
      expect_written_and_read(chain, write_crfpp, read_crfpp, random);
    }
  }
}

TEST(Crfpp, WhatTheFormatCannotSayIsRefused) {
  const auto refusal = [](const std::string& text, const auto& change) {
    Random random(3);
    ForeignChain chain = random_template_chain(text, TemplateLanguage::wapiti, 1, random);
    change(chain);
    return message_of<UsageError>([&] { write_crfpp(chain, "m.croft"); });
  };
  const auto nothing = [](ForeignChain&) {};
  EXPECT_EQ(refusal("u%x[0,0]\n*", nothing), "no error");
  EXPECT_EQ(refusal("u%m[0,0,\".\"]", nothing),
            "m.croft: CRF++ cannot say the template \"u%m[0,0,\\\".\\\"]\": it has no other macro "
            "than %x");
  EXPECT_NE(refusal("u%x[@1,0]", nothing), "no error");
  EXPECT_NE(refusal("u%x[-5,0]", nothing), "no error");
  EXPECT_NE(refusal("u*%x[0,0]\n*%x[0,0]", nothing), "no error");  // one name for both
  for (const auto& change : std::vector<void (*)(ForeignChain&)>{
           [](ForeignChain& c) { c.kind = ChainKind::memm; },
           [](ForeignChain& c) { c.labels[0] = std::string("a\0b", 3); },
           [](ForeignChain& c) { c.extraction.boundaries = true; },
           [](ForeignChain& c) { c.extraction.template_text.clear(); }}) {
    EXPECT_NE(refusal("u%x[0,0]", change), "no error");
  }
}

TEST(Crfpp, EveryPrefixOfAFileIsAnError) {
  const std::string bytes = write_crfpp(small_chain(), kFile);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(fault_of(bytes.substr(0, size)), "no error") << size;
  }
  EXPECT_NE(fault_of(bytes + "x"), "no error");
  for (std::size_t size = 0; size < kText.size(); ++size) {
    EXPECT_NE(fault_of(read_crfpp_text, kText.substr(0, size)), "no error") << size;
  }
}

TEST(Crfpp, AnyNumberThatLiesIsAnErrorOrAnotherModel) {
  const std::string good = write_crfpp(small_chain(), kFile);
  Random random(3);
  for (std::size_t at = 0; at + 4 <= good.size(); ++at) {
    const auto of_file = static_cast<std::uint32_t>(random.below(good.size()));
    for (const std::uint32_t lie : {0u, 1u, 2u, 0x7FFFFFFFu, 0xFFFFFFFFu, 0x80000000u, of_file}) {
      std::string bytes = good;
      set_u32(bytes, at, lie);
      fault_of(bytes);
    }
  }
}

// A double array whose cells lead to themselves or to each other's.
TEST(Crfpp, ATrieWithACycleIsAnError) {
  const std::string good = write_crfpp(small_chain(), kFile);
  const std::size_t weights = 12 * 4;
  std::uint32_t trie_bytes = 0;
  std::memcpy(&trie_bytes, good.data() + 24, sizeof trie_bytes);
  const std::size_t trie = good.size() - weights - trie_bytes;
  std::int32_t root = 0;
  std::memcpy(&root, good.data() + trie, sizeof root);
  std::string bytes = good;
  set_u32(bytes, trie + 8 * (static_cast<std::size_t>(root) + 'U' + 1),
          static_cast<std::uint32_t>(root));
  EXPECT_NE(fault_of(bytes).find("two cells of the trie lead to the same cells"),
            std::string::npos);
}

TEST(Crfpp, ATextThatIsDamagedIsAnErrorWithItsLine) {
  const auto fault = [](std::string_view from, std::string_view to) {
    std::string text = kText;
    text.replace(text.find(from), from.size(), to);
    return fault_of(read_crfpp_text, text);
  };
  EXPECT_EQ(fault("0.25", "x").substr(0, 38), "m.model:23: a weight is expected: \"x\";");
  EXPECT_NE(fault("version: 100", "version: 200"), "no error");
  EXPECT_NE(fault("maxid: 12", "maxid: 13"), "no error");
  EXPECT_NE(fault("maxid: 12", "maxid: 99999999999999999999999"), "no error");
  EXPECT_NE(fault("10 U0:x", "11 U0:x"), "no error");
  EXPECT_NE(fault("10 U0:x", "9 U0:_B-1"), "no error");
  EXPECT_NE(fault("10 U0:x", "10 X0:x"), "no error");
  EXPECT_NE(fault("10 U0:x", "9 U0:x").find("features that share weights"), std::string::npos);
  EXPECT_EQ(fault("0.5\n", "0.5\n\n\n"), "no error");
  EXPECT_NE(fault("10 U0:x", "18446744073709551615 U0:x"), "no error");
  EXPECT_NE(fault("xsize: 2", "xsize: 1"), "no error");
  EXPECT_NE(fault("U0:%x[-1,0]", "U0:%y[-1,0]"), "no error");
  EXPECT_NE(fault("0.25", "1e999"), "no error");
  EXPECT_EQ(fault("0.25", "0.5"), "no error");
}

}  // namespace
}  // namespace croft::crfpp_test
