// Wapiti's files: read, written, and damaged.
#include <gtest/gtest.h>

#include "croft/core/error.h"
#include "model/foreign/foreign_chain.h"
#include "support/foreign_templates.h"

namespace croft::wapiti_test {
namespace {

using testing_support::expect_written_and_read;
using testing_support::random_foreign_chain;
using testing_support::random_rows;
using testing_support::random_template_chain;
using testing_support::row_scores;
using testing_support::rows_of;
using testing_support::weights_by_name;
using Weights = std::map<std::pair<std::string, std::uint32_t>, double>;

const std::string kFile = "m.wapiti";

std::string strings(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& each : all) out += std::to_string(each.size()) + ":" + each + ",\n";
  return out;
}

std::string model(const std::string& head, const std::vector<std::string>& patterns,
                  const std::vector<std::string>& observations, const std::string& weights,
                  const std::string& type = "2#") {
  const auto count = static_cast<std::size_t>(std::count(weights.begin(), weights.end(), '='));
  return "#mdl#" + type + std::to_string(count) + "\n#rdr#" + std::to_string(patterns.size()) +
         head + "\n" + strings(patterns) + "#qrk#2\n" + strings({"A", "B"}) + "#qrk#" +
         std::to_string(observations.size()) + "\n" + strings(observations) + weights;
}

std::string small_model() {
  return model("/0/0", {"u:%x[-1,0]", "*s=%m[0,0,\".$\"]", "b"}, {"u:_x-1", "b", "*s=x"},
               "0=0x1p+0\n5=-0x1.8p+1\n6=0x1p-1\n8=3\n11=0x1.999999999999ap-4\n");
}

std::string fault_of(const std::string& bytes) {
  return message_of<InputError>([&] { read_wapiti(bytes, kFile); });
}

TEST(Wapiti, WeightsAreNumberedByObservationAndLabel) {
  const ForeignChain chain = read_wapiti(small_model(), kFile);
  EXPECT_EQ(chain.kind, ChainKind::chain);
  EXPECT_EQ(chain.labels, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(weights_by_name(chain.node), (Weights{{{"u:_x-1", 0}, 1}, {{"*s=x", 0}, 0.5}}));
  EXPECT_EQ(weights_by_name(chain.tied), (Weights{{{"b", 3}, -3}}));
  EXPECT_EQ(weights_by_name(chain.edge), (Weights{{{"*s=x", 0}, 3}, {{"*s=x", 3}, 0.1}}));
  EXPECT_EQ(chain.extraction.columns, 1u);
  EXPECT_TRUE(chain.extraction.more_columns);
}

TEST(Wapiti, TheOrderOfWeightsIsFreeAndTheLastOneWithANumberCounts) {
  const std::string some = model("/0/0", {"u"}, {"u"}, "1=2\n0=0x1p+0\n1=3\n#state#3#1\n0 1 2 3\n");
  EXPECT_EQ(weights_by_name(read_wapiti(some, kFile).node),
            (Weights{{{"u", 0}, 1}, {{"u", 1}, 3}}));
}

TEST(Wapiti, HeadersOfAllTimesAreRead) {
  const auto kind = [](const std::string& head, const std::string& type) {
    return read_wapiti(model(head, {"u"}, {"u"}, "0=1\n", type), kFile).kind;
  };
  EXPECT_EQ(kind("/0", ""), ChainKind::chain);  // without a type Wapiti decodes as with 2
  EXPECT_EQ(kind("/0/0", ""), ChainKind::chain);
  EXPECT_EQ(kind("/0/0", "0#"), ChainKind::chain);
  EXPECT_EQ(kind("/0/0", "1#"), ChainKind::memm);
  EXPECT_EQ(kind("/0/0", "2#"), ChainKind::chain);
}

// What `wapiti label` makes of a row with the automatic "u".
TEST(Wapiti, WithAnAutomaticPrefixEveryRowIsAlone) {
  const ForeignChain chain = read_wapiti(
      model("/0/1", {"u:%x[0,0]", "*%X[0,0]", "b"}, {"uu:x", "u*x"}, "0=1\n3=2\n"), kFile);
  EXPECT_EQ(chain.kind, ChainKind::maxent);
  EXPECT_EQ(row_scores(chain, rows_of({"x", "X"})), (std::vector<double>{1, 2, 0, 2, 0, 0, 0, 0}));
  const ForeignChain bare = read_wapiti(model("/0/1", {}, {"ufoo", "ubar"}, "0=1\n3=2\n"), kFile);
  EXPECT_EQ(weights_by_name(bare.node), (Weights{{{"foo", 0}, 1}, {{"bar", 1}, 2}}));
  EXPECT_EQ(row_scores(bare, rows_of({"foo bar foo"})), (std::vector<double>{2, 2}));
}

TEST(Wapiti, WithoutPatternsCellsAreFeatures) {
  const ForeignChain chain =
      read_wapiti(model("/0/0", {}, {"ux", "by", "*z"}, "0=1\n2=10\n6=100\n8=1000\n"), kFile);
  EXPECT_EQ(row_scores(chain, rows_of({"ux *z by", "other *z by ux ux"})),
            (std::vector<double>{101, 0, 102, 0, 1010, 0, 0, 0}));
}

TEST(Wapiti, APatternThatIsThereTwiceCountsTwice) {
  const ForeignChain chain =
      read_wapiti(model("/0/0", {"b", "u", "b", "u"}, {"b", "u"}, "1=1.5\n4=1\n"), kFile);
  EXPECT_EQ(row_scores(chain, rows_of({"x", "x"})), (std::vector<double>{2, 0, 2, 0, 0, 3, 0, 0}));
  EXPECT_EQ(write_wapiti(chain, kFile),
            model("/0/0", {"b", "u", "b", "u"}, {"b", "u"}, "1=0x1.8p+0\n4=0x1p+0\n"));
}

// The second row makes "*" by its macro as well.
TEST(Wapiti, AFeatureOfAllEdgesThatAMacroMakesCountsTwiceThere) {
  const std::string written = model("/0/0", {"*%m[0,0,\"^Q\"]", "*", "b%x[0,0]"}, {"*", "*Q"},
                                    "0=0x1p+0\n3=0x1p+1\n6=0x1p+2\n");
  const ForeignChain chain = read_wapiti(written, kFile);
  EXPECT_EQ(weights_by_name(chain.tied), (Weights{{{"*", 1}, 2}}));
  EXPECT_EQ(weights_by_name(chain.edge), (Weights{{{"*", 1}, 2}}));
  EXPECT_EQ(row_scores(chain, rows_of({"Q", "x"})), (std::vector<double>{5, 0, 2, 0, 0, 4, 0, 0}));
  EXPECT_EQ(row_scores(chain, rows_of({"x", "Q"})), (std::vector<double>{2, 0, 5, 0, 0, 2, 0, 0}));
  EXPECT_EQ(write_wapiti(chain, kFile), written);
}

// A character is a byte, and classes are those of ASCII.
TEST(Wapiti, PatternsLookAtBytes) {
  const ForeignChain chain =
      read_wapiti(model("/0/0", {"us=%m[0,0,\".$\"]", "u%X[0,0]", "u%t[0,0,\"\\a$\"]"},
                        {"us=\xA9", "uj\xC3\x89", "ufalse"}, "0=1\n2=10\n4=100\n"),
                  kFile);
  EXPECT_EQ(row_scores(chain, rows_of({"J\xC3\xA9", "J\xC3\x89"})),
            (std::vector<double>{101, 0, 110, 0, 0, 0, 0, 0}));
}

TEST(Wapiti, WhatIsWrittenHasTheSameScores) {
  Random random(1);
  const std::string of_wapiti =
      "u:%x[-1,0]\n*%x[0,1]/%x[+1,0]\nu%m[ "
      "0,0,\"^.?.?\"]\nb%t[@-1,1,\"\\u\"]\nu%X[-6,0]\nb\nb\n*\nB x\n";
  const std::string of_crfpp = "U00:%x[-2,0]/%x[1,1]\nU01:%x[4,0]\nUc\nB\nB\nB1:%x[-1,1]\n";
  for (int n = 0; n < 20; ++n) {
    for (const bool crfpp : {false, true}) {
      const ForeignChain chain = random_template_chain(
          crfpp ? of_crfpp : of_wapiti,
          crfpp ? TemplateLanguage::crfpp : TemplateLanguage::wapiti_bytes, 2, random);
      expect_written_and_read(chain, write_wapiti, read_wapiti, random);
    }
  }
}

TEST(Wapiti, AttributesBecomeFeaturesOfTheirKind) {
  Random random(2);
  ForeignChain chain = random_foreign_chain(2, 3, random);
  const ForeignChain back = read_wapiti(write_wapiti(chain, "m.croft"), kFile);
  EXPECT_EQ(back.extraction.cell_attributes, CellAttributes::by_prefix);
  const auto was = weights_by_name(chain.node), is = weights_by_name(back.node);
  for (const auto& [key, weight] : was) EXPECT_EQ(is.at({"u" + key.first, key.second}), weight);
  const auto tied = weights_by_name(chain.tied), edge = weights_by_name(back.edge);
  for (const auto& [key, weight] : tied) EXPECT_EQ(edge.at({"b", key.second}), weight);
  EXPECT_EQ(is.size(), was.size());
}

TEST(Wapiti, WhatTheFormatCannotSayIsRefused) {
  const auto refusal = [](const std::string& text, TemplateLanguage language, const auto& change) {
    Random random(3);
    ForeignChain chain = random_template_chain(text, language, 1, random);
    change(chain);
    return message_of<UsageError>([&] { write_wapiti(chain, "m.croft"); });
  };
  const auto nothing = [](ForeignChain&) {};
  using Language = TemplateLanguage;
  EXPECT_EQ(refusal("U%x[-5,0]", Language::crfpp, nothing),
            "m.croft: Wapiti cannot say the template \"U%x[-5,0]\": beyond 4 rows the two programs "
            "have different names for rows outside a sequence");
  EXPECT_EQ(refusal("u%X[0,0]", Language::wapiti, nothing),
            "m.croft: Wapiti looks at bytes where the model's template looks at characters, as in "
            "\"u%X[0,0]\"; train with --template-language wapiti-bytes");
  EXPECT_EQ(refusal("u%x[0,0]", Language::wapiti, nothing), "no error");
  EXPECT_EQ(
      refusal("u%x[0,0]", Language::wapiti, [](ForeignChain& c) { c.kind = ChainKind::memm; }),
      "no error");
  EXPECT_NE(refusal("u%x[010,0]", Language::wapiti, nothing), "no error");
  for (const auto& change : std::vector<void (*)(ForeignChain&)>{
           [](ForeignChain& c) { c.extraction.boundaries = true; },
           [](ForeignChain& c) { c.extraction.template_text.clear(); },
           [](ForeignChain& c) {
             c.extraction.conjunctions.push_back({{"a", "b"}});
           },
           [](ForeignChain& c) { c.extraction.format = InputFormat::text; }}) {
    EXPECT_NE(refusal("u%x[0,0]", Language::wapiti, change), "no error");
  }
}

TEST(Wapiti, AnInterceptIsAPatternWithoutMacros) {
  Random random(4);
  ForeignChain chain = random_template_chain("U%x[0,0]\n", TemplateLanguage::crfpp, 1, random);
  chain.extraction.intercept = true;
  chain.node.add(1, 0.5);
  chain.node.end_row(std::string(kIntercept));
  const ForeignChain back = read_wapiti(write_wapiti(chain, "m.croft"), kFile);
  const ColumnSequence rows = random_rows(1, random);
  EXPECT_EQ(row_scores(back, rows), row_scores(chain, rows));
}

TEST(Wapiti, AFaultIsNamedWithItsLine) {
  EXPECT_EQ(fault_of("#mdl#x"),
            "m.wapiti:1: here the number of weights is expected: \"x\"; the "
            "file is damaged; restore it from a copy or train again");
  const auto fault = [](const std::string& bytes) {
    const std::string text = fault_of(bytes);
    return text.substr(0, text.find(";"));
  };
  EXPECT_EQ(fault(model("/0/0", {"u"}, {"u"}, "0=1\n", "3#")).substr(0, 62),
            "m.wapiti:1: a type of model that is none of 0 (maxent), 1 (mem");
  EXPECT_EQ(fault("#mdl#2#0\n#rdr#1/0/0\n99:u,\n"),
            "m.wapiti:3: a pattern of 99 bytes ends behind the file: \"u,\"");
  EXPECT_EQ(fault("#mdl#2#0\n#rdr#1/0/0\n1:u.\n"),
            "m.wapiti:3: no comma ends a pattern of 1 bytes: \"u.\"");
  EXPECT_EQ(fault("#mdl#2#99999999999999999999\n"),
            "m.wapiti:1: the number of weights is too large: \"99999999999999999999\"");
  EXPECT_NE(fault(model("/0/0", {"u"}, {"u"}, "2=1\n")), "no error");  // of two weights
  EXPECT_NE(fault(model("/0/0", {"u"}, {"u"}, "0=nan\n")), "no error");
  EXPECT_NE(fault(model("/0/0", {"u"}, {"u"}, "0=0xg\n")), "no error");
  EXPECT_NE(fault(model("/0/0", {"u"}, {"u"}, "0=1\n") + "1=1\n"), "no error");
  EXPECT_NE(fault(model("/0/0", {"u"}, {"u", "u"}, "0=1\n")), "no error");
  EXPECT_NE(fault(model("/0/0", {"u"}, {"x"}, "0=1\n")), "no error");
  EXPECT_NE(fault(model("/0/0", {"U"}, {"u"}, "0=1\n")), "no error");
  EXPECT_NE(fault(model("/0/0", {"u #"}, {"u"}, "0=1\n")), "no error");
  EXPECT_NE(fault(model("/0/0", {"u%x[010,0]"}, {"u"}, "0=1\n")), "no error");
  EXPECT_NE(fault(model("/0/0", {"u%x[0,4000000000]"}, {"u"}, "0=1\n")), "no error");
  EXPECT_NE(fault(model("/0/1", {"u%x[-1,0]"}, {"uu"}, "0=1\n")), "no error");
  EXPECT_NE(fault(model("/0/0", {"u"}, {}, "no error")), "");
  EXPECT_NE(fault("#mdl#2#0\n#rdr#1/0/0\n1:u,\n#qrk#0\n#qrk#1\n1:u,\n"), "no error");
}

TEST(Wapiti, EveryPrefixOfAFileIsAnError) {
  const std::string bytes = small_model();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(fault_of(bytes.substr(0, size)), "no error") << size;
  }
}

}  // namespace
}  // namespace croft::wapiti_test
