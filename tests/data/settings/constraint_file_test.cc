// Constraint files: what they allow, and what is wrong with them.
#include "data/settings/constraint_file.h"

#include <gtest/gtest.h>

#include "data/text_files.h"

namespace croft::constraint_file_test {
namespace {

using Names = std::vector<std::string>;

const Names& entity_names() {
  static const Names names{"O", "B-PER", "I-PER", "B-LOC", "I-LOC"};
  return names;
}

ChainConstraint read(std::string_view text, const Names& names = entity_names()) {
  return read_constraint(LineReader(text, "rules"), names);
}

std::string error_of(std::string_view text, const Names& names = entity_names()) {
  return message_of<InputError>([&] { read(text, names); });
}

// The edges that a constraint allows, as FROM>TO.
Names edges(const ChainConstraint& constraint, const Names& names) {
  Names list;
  for (Label i = 0; i < names.size(); ++i) {
    for (Label j = 0; j < names.size(); ++j) {
      if (constraint.allows(i, j)) list.push_back(names[i] + '>' + names[j]);
    }
  }
  return list;
}

TEST(ConstraintFile, SpellsBio) {
  const ChainConstraint expected = bio_constraint(entity_names());
  EXPECT_EQ(read("# entities\n"
                 "start O B-*        # not in the middle of one\n"
                 "\n"
                 "* -> O B-*\n"
                 "B-{same} I-{same} -> I-{same}\n"),
            expected);
  EXPECT_EQ(read("! start I-*\n! O *-PER -> I-LOC\n! O *-LOC -> I-PER"), expected);
}

TEST(ConstraintFile, SpellsBioes) {
  const Names names{"O", "B-A", "I-A", "E-A", "S-A", "B-B", "E-B", "S-B"};
  EXPECT_EQ(read("start O B-* S-*\r\n"
                 "end O E-* S-*\r\n"
                 "O E-* S-* -> O B-* S-*\r\n"
                 "B-{same} I-{same} -> I-{same} E-{same}\r\n",
                 names),
            bioes_constraint(names));
}

TEST(ConstraintFile, AllowingRulesListAllThatIsAllowed) {
  const Names names{"a", "b", "c"};
  const ChainConstraint constraint = read("a -> b c\nb -> a\n", names);
  EXPECT_EQ(edges(constraint, names), (Names{"a>b", "a>c", "b>a"}));
  EXPECT_EQ(constraint.start, std::vector<bool>(3, true));  // each kind of rule for itself
  EXPECT_EQ(constraint.end, std::vector<bool>(3, true));
}

TEST(ConstraintFile, ForbiddingRulesTakeAwayInAnyOrder) {
  const Names names{"a", "b"};
  EXPECT_EQ(edges(read("! a -> b\n", names), names), (Names{"a>a", "b>a", "b>b"}));
  const Names expected{"a>b", "b>b"};
  EXPECT_EQ(edges(read("* -> b\n* -> a\n! * -> a\n", names), names), expected);
  EXPECT_EQ(edges(read("! * -> a\n* -> b\n* -> a\n", names), names), expected);
  const ChainConstraint ends = read("! end a\nstart b\n", names);
  EXPECT_EQ(ends.start, (std::vector<bool>{false, true}));
  EXPECT_EQ(ends.end, (std::vector<bool>{false, true}));
}

TEST(ConstraintFile, StarsMatchAnyText) {
  const Names names{"N", "N-sg", "N-pl", "V-sg", "V-pl", "NN"};
  const auto allowed = [&](const std::string& pattern) {
    Names list;
    const ChainConstraint constraint = read("start " + pattern, names);
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (constraint.start[j]) list.push_back(names[j]);
    }
    return list;
  };
  EXPECT_EQ(allowed("*"), names);
  EXPECT_EQ(allowed("N*"), (Names{"N", "N-sg", "N-pl", "NN"}));
  EXPECT_EQ(allowed("*sg"), (Names{"N-sg", "V-sg"}));
  EXPECT_EQ(allowed("*-*l"), (Names{"N-pl", "V-pl"}));
  EXPECT_EQ(allowed("N*N"), (Names{"NN"}));  // the two ends do not overlap
  EXPECT_EQ(allowed("*-*p*l"), (Names{"N-pl", "V-pl"}));
  EXPECT_EQ(allowed("V-sg *N"), (Names{"N", "V-sg", "NN"}));
}

TEST(ConstraintFile, SameComparesOnlyWhereBothSidesHaveIt) {
  const Names names{"A1", "A2", "B1", "B2", "C"};
  EXPECT_EQ(edges(read("A{same} -> B{same} C\n", names), names),
            (Names{"A1>B1", "A1>C", "A2>B2", "A2>C"}));
  EXPECT_EQ(edges(read("{same} -> {same}\n", names), names),
            (Names{"A1>A1", "A2>A2", "B1>B1", "B2>B2", "C>C"}));
}

TEST(ConstraintFile, QuotedLabelsStandAsTheyAre) {
  const Names names{"#", "*", "->", "!", "a b", "\"", "\\", "{same}", "x", "C#", ""};
  const auto starts = [&](std::string_view text) {
    const ChainConstraint constraint = read(text, names);
    Names list;
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (constraint.start[j]) list.push_back(names[j]);
    }
    return list;
  };
  EXPECT_EQ(starts("start \"#\" \"*\" # a comment"), (Names{"#", "*"}));
  EXPECT_EQ(starts("start \"->\" \"!\" \"a b\""), (Names{"->", "!", "a b"}));
  EXPECT_EQ(starts("start \"\\\"\" \"\\\\\" \"{same}\" C#"), (Names{"\"", "\\", "{same}", "C#"}));
  EXPECT_EQ(starts("start \"\""), (Names{""}));
  EXPECT_EQ(starts("start \"a b\"\t\"x\""), (Names{"a b", "x"}));
}

TEST(ConstraintFile, KeywordsAreLabelsWhereALabelStands) {
  const Names names{"start", "end", "x"};
  EXPECT_EQ(edges(read("start -> end\nx -> start", names), names), (Names{"start>end", "x>start"}));
  EXPECT_EQ(read("start start", names).start, (std::vector<bool>{true, false, false}));
}

TEST(ConstraintFile, UnknownLabelsAreErrorsWithTheClosestLabel) {
  EXPECT_EQ(error_of("start O\nO -> B-PRE\n"),
            "rules:2:6: not a label of the model: \"B-PRE\"; did you mean \"B-PER\"?");
  EXPECT_EQ(error_of("start NOUN\n"),
            "rules:1:7: not a label of the model: \"NOUN\"; the labels are \"O\", \"B-PER\", "
            "\"I-PER\", \"B-LOC\", \"I-LOC\"");
  EXPECT_EQ(error_of("E-* -> O\n"),
            "rules:1:1: no label of the model matches: \"E-*\"; the labels are \"O\", \"B-PER\", "
            "\"I-PER\", \"B-LOC\", \"I-LOC\"");
  EXPECT_NE(error_of("* -> E-{same}\n{same} -> O").find("rules:1:6: no label"), std::string::npos);
  EXPECT_NE(error_of("start x", Names(12, "y")).find("and 2 more"), std::string::npos);
}

TEST(ConstraintFile, LinesThatAreNoRuleAreErrors) {
  const auto problem = [](std::string_view text) {
    const std::string message = error_of(text);
    return message.substr(0, message.find(": \""));
  };
  EXPECT_EQ(problem("O B-PER\n"), "rules:1:1: not a rule");
  EXPECT_EQ(problem("!\n"), "rules:1:1: not a rule");
  EXPECT_EQ(problem("!O -> O\n"), "rules:1:1: not a label of the model");
  EXPECT_EQ(problem("start\n"), "rules:1:1: no label after start");
  EXPECT_EQ(problem("\n! end # O\n"), "rules:2:3: no label after end");
  EXPECT_EQ(problem("-> O\n"), "rules:1:1: no label on one side of ->");
  EXPECT_EQ(problem("O ->\n"), "rules:1:3: no label on one side of ->");
  EXPECT_EQ(problem("O -> O -> O\n"), "rules:1:8: a second -> in one rule");
  EXPECT_EQ(problem("O -> \"O\n"), "rules:1:6: a quote without its end");
  EXPECT_EQ(problem("start \"O\"O\n"), "rules:1:10: text right after a quoted label");
  EXPECT_EQ(problem("B-{same} -> O\n"), "rules:1:1: {same} on one side of -> only");
  EXPECT_EQ(problem("start B-{same}\n"), "rules:1:7: {same} outside of FROM -> TO");
  EXPECT_EQ(problem("{same}-{same} -> {same}\n"),
            "rules:1:1: more than one {same} or * in a label with {same}");
  EXPECT_EQ(problem("*-{same} -> {same}\n"),
            "rules:1:1: more than one {same} or * in a label with {same}");
}

TEST(ConstraintFile, AFileThatSaysNothingOrForbidsAllIsAnError) {
  EXPECT_EQ(error_of("# nothing\n\n"),
            "rules: no rule; write FROM -> TO, start LABEL or end LABEL, each with \"! \" in front "
            "to forbid");
  EXPECT_EQ(
      error_of("! start *\n"),
      "rules: no label is left that may start a sequence; allow one with a rule: start LABEL");
  EXPECT_EQ(error_of("end O\n! end O\n"),
            "rules: no label is left that may end a sequence; allow one with a rule: end LABEL");
}

}  // namespace
}  // namespace croft::constraint_file_test
