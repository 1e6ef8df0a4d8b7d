#include "features/joint_template.h"

#include <gtest/gtest.h>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "features/extraction.h"

namespace croft::joint_template_test {
namespace {

std::string error_of(const std::string& text) {
  try {
    JointTemplates::parse(text, "j");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

LabelPartRule only_part(const std::string& line) {
  const JointTemplates templates = JointTemplates::parse(line, "j");
  EXPECT_EQ(templates.size(), 1u);
  EXPECT_EQ(templates.parts().size(), 1u);
  return templates.parts().front();
}

using Kind = LabelFunction::Kind;

TEST(JointTemplate, ReadsEveryPartOfTheLabel) {
  EXPECT_EQ(only_part("u:%x[-1,0]").functions, std::vector<LabelFunction>{{}});
  EXPECT_EQ(only_part("u:%x[-1,0] * %y").functions, std::vector<LabelFunction>{{}});
  EXPECT_EQ(only_part("u * %y[suffix,3]").functions[0], (LabelFunction{Kind::suffix, 3}));
  EXPECT_EQ(only_part("u * %y[prefix,12]").functions[0], (LabelFunction{Kind::prefix, 12}));
  EXPECT_EQ(only_part("u *\t%y[lower]  ").functions[0].kind, Kind::lower);
  EXPECT_EQ(only_part("u * %y[class] # remark").functions[0].kind, Kind::label_class);
  const LabelPartRule two = only_part("u * %y[suffix,1] * %y[class] * %y[suffix,1]");
  EXPECT_EQ(two.functions.size(), 2u);
  EXPECT_EQ(two, only_part("u * %y[class] * %y[suffix,1]"));
}

TEST(JointTemplate, ReadsWindows) {
  const JointTemplates t = JointTemplates::parse(
      "u1 * %y in %x[-20..-1,0]\nu2 * %y not in %x[..-1,2]\n"
      "u3:%x[0,0] * %y[class] * %y in %x[+1,0]\nu4 * %y in %x[-20..-1,0]\nu5 * %y in %x[..,2]\n",
      "j");
  ASSERT_EQ(t.windows().size(), 4u);
  EXPECT_EQ(t.windows()[0], (LabelWindow{-20, -1, 0}));
  EXPECT_EQ(t.windows()[1], (LabelWindow{std::nullopt, -1, 1}));
  EXPECT_EQ(t.windows()[2], (LabelWindow{1, 1, 0}));
  EXPECT_EQ(t.windows()[3], (LabelWindow{std::nullopt, std::nullopt, 1}));
  EXPECT_EQ(t.tracks(), 2u);
  EXPECT_EQ(t.part_of(3), t.part_of(0));
  EXPECT_TRUE(t.parts()[t.part_of(1)].negated);
  EXPECT_TRUE(t.parts()[t.part_of(1)].functions.empty());
  EXPECT_EQ(t.part_text(t.part_of(2)), "%y[class] * %y in %x[+1,0]");
  EXPECT_EQ(t.extraction(), "u0|1\nu1|2\nu2|3:%x[0,0]\nu0|4\nu3|5\nu=%x[0,0]\nu=%x[0,2]\n");
}

TEST(JointTemplate, StarsAndQuotesOfTheObservationAreItsOwn) {
  const JointTemplates t = JointTemplates::parse("u:%m[0,0,\"a* * %y\"]*b * c * %y[lower]\n", "j");
  EXPECT_EQ(t.extraction(), "u0|:%m[0,0,\"a* * %y\"]*b * c\n");
  EXPECT_EQ(t.part_text(0), "%y[lower]");
}

TEST(JointTemplate, StringsHaveTheNumberOfTheirPart) {
  EXPECT_EQ(JointTemplates::plain_string("u12|3:the|x"), "u3:the|x");
  EXPECT_EQ(JointTemplates::plain_string("u"), "uu");  // of no template; whatever it is, no fault
}

TEST(JointTemplate, ReadsTriggers) {
  const JointTemplates t = JointTemplates::parse(
      "any %x[-50..-1,0] = storm * %y\nu1:%x[0,1]\nany  %x[..,2]=\"a # \\\"b\\\" * %y\"  # remark\n"
      "any %x[-1,0] = x=y z * %y[suffix,1] * %y in %x[..-1,0]\nany%x[+2..,0] = \"\\\\\"",
      "j");
  ASSERT_EQ(t.triggers().size(), 4u);
  EXPECT_EQ(t.size(), 1u);
  EXPECT_EQ(t.tracks(), 2u);
  EXPECT_EQ(t.triggers()[0].window, (LabelWindow{-50, -1, 0}));
  EXPECT_EQ(t.triggers()[0].cell, "storm");
  EXPECT_EQ(t.triggers()[0].attribute, "any0|%x[-50..-1,0] = storm");
  EXPECT_EQ(JointTemplates::plain_string(t.triggers()[0].attribute), "any %x[-50..-1,0] = storm");
  EXPECT_EQ(t.triggers()[1].cell, "a # \"b\" * %y");
  EXPECT_EQ(t.triggers()[1].window, (LabelWindow{std::nullopt, std::nullopt, 1}));
  EXPECT_EQ(t.triggers()[2].cell, "x=y z");
  EXPECT_EQ(t.part_text(t.triggers()[2].part), "%y[suffix,1] * %y in %x[..-1,0]");
  EXPECT_EQ(t.triggers()[3].cell, "\\");
  EXPECT_EQ(t.triggers()[3].attribute, "any0|%x[2..,0] = \\");
  EXPECT_EQ(t.extraction(), "\nu0|1:%x[0,1]\n\n\n\nu=%x[0,0]\nu=%x[0,2]\n");
  EXPECT_EQ(JointTemplates::with_part("any0|%x[2..,0] = u7|a", 12), "any12|%x[2..,0] = u7|a");
  EXPECT_EQ(JointTemplates::with_part("u3|1:the|b", 0), "u0|1:the|b");
}

TEST(JointTemplate, SaysWhatIsWrongWithATrigger) {
  EXPECT_EQ(error_of("any %x[-1,0] = a\nany %x[-1..-1,0]=\"a\" * %y\n"),
            "j:2:1: this trigger stands further up already, with the same part of the label: "
            "\"any %x[-1..-1,0]=\\\"a\\\" * %y\"; leave out one of them");
  EXPECT_EQ(error_of("any %x[-1,0] = a\nany %x[-1,0] = a * %y[lower]\n"), "no error");
  EXPECT_TRUE(
      error_of("any %x[-5..-1,0] * %y\n").starts_with("j:1:17: a trigger has no \"=\" here"));
  EXPECT_TRUE(error_of("any\n").starts_with("j:1:4: a window of cells is missing here"));
  EXPECT_TRUE(error_of("any x = y\n").starts_with("j:1:5: a window of cells is missing here"));
  EXPECT_TRUE(error_of("any %x[-1..-2,0] = a\n").starts_with("j:1:5: a window that ends before"));
  EXPECT_TRUE(error_of("any %x[-1,0] =  * %y\n").starts_with("j:1:15: a trigger without a string"));
  EXPECT_TRUE(error_of("any %x[-1,0] = \"\"\n").starts_with("j:1:16: a trigger without a string"));
  EXPECT_TRUE(
      error_of("any %x[-1,0] = \"a # * %y\n").starts_with("j:1:16: the string of a trigger"));
  EXPECT_TRUE(
      error_of("any %x[-1,0] = \"a\" b * %y\n").starts_with("j:1:19: text after the string"));
  EXPECT_TRUE(error_of("anything\n").starts_with("j:1:1: a template starts with u"));
}

TEST(TriggerFinder, FindsWhatASearchOfEachWindowFinds) {
  Random random(3);
  const auto offset = [&]() -> std::optional<std::int32_t> {
    if (random.below(4) == 0) return std::nullopt;
    return static_cast<std::int32_t>(random.below(13)) - 7;
  };
  std::size_t firings = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t tracks = 1 + random.below(2);
    std::vector<Trigger> triggers(1 + random.below(12));
    for (Trigger& trigger : triggers) {
      std::optional<std::int32_t> from = offset(), to = offset();
      if (from && to && *from > *to) std::swap(from, to);
      trigger.window = {from, to, static_cast<std::uint32_t>(random.below(tracks))};
      trigger.cell = "w" + std::to_string(random.below(5));
    }
    const auto length = static_cast<std::ptrdiff_t>(random.below(20));
    std::vector<std::string> words(static_cast<std::size_t>(length) * tracks);
    for (std::string& word : words) word = "w" + std::to_string(random.below(9));
    const std::vector<std::string_view> cells(words.begin(), words.end());
    std::vector<TriggerFinder::Firing> found, expected;
    TriggerFinder(triggers).find(cells, tracks, found);
    for (std::ptrdiff_t t = 0; t < length; ++t) {
      for (std::uint32_t k = 0; k < triggers.size(); ++k) {
        const LabelWindow& window = triggers[k].window;
        bool holds = false;
        for (std::ptrdiff_t p = 0; p < length; ++p) {
          if (window.from && p < t + *window.from) continue;
          if (window.to && p > t + *window.to) continue;
          const std::size_t at = static_cast<std::size_t>(p) * tracks + window.track;
          holds = holds || cells[at] == triggers[k].cell;
        }
        if (holds) expected.push_back({static_cast<std::uint32_t>(t), k});
      }
    }
    EXPECT_EQ(found, expected);
    firings += expected.size();
  }
  EXPECT_GT(firings, 5000u);
}

TEST(JointTemplate, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(error_of("# nothing\n\n"),
            "j: the file has no template; give at least one, such as u:%x[-1,0] * %y");
  EXPECT_TRUE(error_of("u\nb:%x[0,0] * %y\n").starts_with("j:2:1: a line for pairs of labels"));
  EXPECT_TRUE(error_of("u\n\nx * %y\n").starts_with("j:3:1: "));
  EXPECT_TRUE(error_of("u:%x[-1] * %y\n").starts_with("j:1:3: ") ||
              error_of("u:%x[-1] * %y\n").starts_with("j:1:6: "));
  EXPECT_TRUE(error_of("u * %y[stem]\n").starts_with("j:1:7: an unknown function of the label"));
  EXPECT_TRUE(error_of("u * %y[suffix,0]\n")
                  .starts_with("j:1:7: the number of characters is not from 1 to 64"));
  EXPECT_TRUE(error_of("u * %y[suffix,65]\n")
                  .starts_with("j:1:7: the number of characters is not from 1 to 64"));
  EXPECT_TRUE(error_of("u * %y[lower\n").starts_with("j:1:13: the function of the label has no"));
  EXPECT_TRUE(error_of("u * %yes\n").starts_with("j:1:7: neither a function of the label nor"));
  EXPECT_TRUE(
      error_of("u * %y in %x[-1..-2,0]\n").starts_with("j:1:11: a window that ends before"));
  EXPECT_TRUE(error_of("u * %y in %x[,0]\n").starts_with("j:1:14: a bad offset in a window"));
  EXPECT_TRUE(error_of("u * %y in %x[-1,-1]\n").starts_with("j:1:17: a bad column in a window") ||
              error_of("u * %y in %x[-1,-1]\n").starts_with("j:1:19: a bad column in a window"));
  EXPECT_TRUE(error_of("u * %y in x\n").starts_with("j:1:11: a window of cells is missing"));
  EXPECT_TRUE(error_of("u * %y in %x[-1,0] * %y in %x[-2,0]\n")
                  .starts_with("j:1:24: a second window in one template"));
  EXPECT_TRUE(error_of("u * %y in %x[-1,0] more\n").starts_with("j:1:19: text after a part"));
  EXPECT_TRUE(error_of(" * %y\n").starts_with("j:1:1: a template starts with u"));
}

TEST(LabelGroups, ShareWhatTheLabelsShare) {
  const std::vector<std::string> labels = {"walking", "Talking", "ing", "straße", "e\u0301", "e"};
  const LabelClasses classes = {{"walking", "V"}, {"Talking", "V"}, {"e", "N"}};
  const auto names = [&](const std::vector<LabelFunction>& functions) {
    return group_labels(functions, labels, classes).names;
  };
  const std::vector<LabelFunction> suffix = {{Kind::suffix, 3}};
  const NamedGroups groups = group_labels(suffix, labels, classes);
  EXPECT_EQ(groups.groups.of, (std::vector<std::uint32_t>{0, 0, 0, 1, 2, 3}));
  EXPECT_EQ(groups.names, (std::vector<std::string>{"ing", "aße", "e\u0301", "e"}));
  EXPECT_EQ(names({{Kind::suffix, 1}}),
            (std::vector<std::string>{"g", "e", "e\u0301"}));  // a letter keeps its accent
  EXPECT_EQ(names({{Kind::prefix, 1}}),
            (std::vector<std::string>{"w", "T", "i", "s", "e\u0301", "e"}));
  EXPECT_EQ(names({{Kind::lower, 0}})[1], "talking");
  EXPECT_EQ(names({{Kind::label_class, 0}}), (std::vector<std::string>{"V", "(none)", "N"}));
  EXPECT_EQ(names({{Kind::suffix, 1}, {Kind::label_class, 0}}),
            (std::vector<std::string>{"g|V", "g|(none)", "e|(none)", "e\u0301|(none)", "e|N"}));
  EXPECT_EQ(group_labels({}, labels, classes).groups.count, 1u);
  const NamedGroups plain = group_labels(std::vector<LabelFunction>{{}}, labels, classes);
  EXPECT_TRUE(plain.groups.of.empty() && plain.names.empty());
  EXPECT_EQ(plain.groups.count, labels.size());
}

}  // namespace
}  // namespace croft::joint_template_test
