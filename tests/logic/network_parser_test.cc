#include "logic/network_parser.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "logic/atom_space.h"
#include "logic_texts.h"
#include "support/message_of.h"

namespace croft {
namespace {

std::string fault_of(std::string_view text, LogicDialect dialect = LogicDialect::any) {
  return message_of<InputError>([&] { network_of(text, dialect); });
}

// A formula with its operators written as functions.
std::string shape_of(const LogicNetwork& network, const LogicRule& rule, const Formula& formula);

std::string term_of(const LogicNetwork& network, const LogicRule& rule, const Term& term) {
  if (term.kind == TermKind::variable) return rule.variables[term.number].name;
  if (term.kind == TermKind::constant) return "'" + network.constants[term.number] + "'";
  std::string out = term.kind == TermKind::function
                        ? network.function_names[term.number]
                        : std::string(1, "+-*/%."[static_cast<int>(term.operation)]);
  for (const Term& each : term.arguments) out += " " + term_of(network, rule, each);
  return "[" + out + "]";
}

std::string shape_of(const LogicNetwork& network, const LogicRule& rule, const Formula& formula) {
  static const char* const kNames[] = {"",    "=",  "<",   "<=",    "substr", "not",
                                       "and", "or", "iff", "exist", "forall"};
  std::string out = kNames[static_cast<int>(formula.kind)];
  if (formula.kind == FormulaKind::atom) out = network.predicate_names[formula.number];
  for (const std::uint32_t v : formula.variables) out += " " + rule.variables[v].name;
  for (const Term& term : formula.terms) out += " " + term_of(network, rule, term);
  for (const Formula& part : formula.parts) out += " " + shape_of(network, rule, part);
  return "(" + out + ")";
}

std::string shape(std::string_view rule) {
  const LogicNetwork network = network_of(
      "thing = {A, B}\nnumber = {0, ..., 9}\nP(thing)\nQ(thing)\nR(thing, thing)\nT(number)\n"
      "thing f(thing)\n" +
      std::string(rule));
  return shape_of(network, network.rules.at(0), network.rules.at(0).formula);
}

TEST(NetworkParser, OperatorsBindInTheOrderOfTheManual) {
  EXPECT_EQ(shape("!P(x) v Q(x) ^ P(x) => Q(x)"),
            "(or (not (or (not (P x)) (and (Q x) (P x)))) (Q x))");
  EXPECT_EQ(shape("P(x) <=> Q(x) => P(x)"), "(iff (P x) (or (not (Q x)) (P x)))");
  EXPECT_EQ(shape("P(x) => Q(x) => P(A)"), "(or (not (P x)) (or (not (Q x)) (P 'A')))");
  EXPECT_EQ(shape("EXIST y R(x,y) v P(x)"), "(exist y (or (R x y) (P x)))");
  EXPECT_EQ(shape("P(x) ^ (Exist y R(x,y)) ^ Q(x)"), "(and (P x) (exist y (R x y)) (Q x))");
}

TEST(NetworkParser, OutermostForallFreesItsVariables) {
  EXPECT_EQ(shape("FORALL x,y R(x,y) => R(y,x)"), "(or (not (R x y)) (R y x))");
  EXPECT_EQ(shape("EXIST x (FORALL y R(x,y))"), "(exist x (forall y (R x y)))");
}

TEST(NetworkParser, ComparisonsAndArithmeticAreTerms) {
  EXPECT_EQ(shape("T(x) ^ x < y + 2 * 3 => T(y)"),
            "(or (not (and (T x) (< x [+ y [* '2' '3']]))) (T y))");
  EXPECT_EQ(shape("T(x) => T(succ(x))"), "(or (not (T x)) (T [+ x '1']))");
  EXPECT_EQ(shape("T(t) => T(t++)"), "(or (not (T t)) (T [+ t '1']))");
  EXPECT_EQ(shape("T(x) ^ T(y) ^ greaterThan(x, y)"), "(and (T x) (T y) (< y x))");
  EXPECT_EQ(shape("R(x,y) => x != y"), "(or (not (R x y)) (not (= x y)))");
  EXPECT_EQ(shape("P(f(x)) => P(x)"), "(or (not (P [f x])) (P x))");
  EXPECT_EQ(shape("P(x) :- Q(x) ^ P(A)"), "(or (not (and (Q x) (P 'A'))) (P x))");
}

TEST(NetworkParser, WeightsAndFullStops) {
  const LogicNetwork network =
      network_of("P(t)\n1.5 P(x)\n-2e-1 P(x)\nP(x).\nP(A) v\n  P(x)\n(P(x) | P(B)) ::0.25\n");
  ASSERT_EQ(network.rules.size(), 5u);
  EXPECT_EQ(network.rules[0].weight, 1.5);
  EXPECT_EQ(network.rules[1].weight, -0.2);
  EXPECT_TRUE(network.rules[2].hard);
  EXPECT_FALSE(network.rules[3].weighted);
  EXPECT_EQ(network.rules[4].weight, 0.25);
  EXPECT_EQ(network.rules[2].text, "P(x).");
  EXPECT_EQ(network.rules[3].where.line, 5u);
}

TEST(NetworkParser, DeclarationsHaveTypesMarksAndConstants) {
  const LogicNetwork network = network_of(
      "// types\nage = {18, ..., 20}\nP(person, age!)\nQ(person!?)\n*Closed(person)\nRain\n"
      "person mother(person)\nP(Anna, 18) v Q(\"anna lee\") v Rain /* here\n there */\n");
  EXPECT_EQ(network.predicates[0].marks[1], ArgumentMark::exactly_one);
  EXPECT_EQ(network.predicates[1].marks[0], ArgumentMark::at_most_one);
  EXPECT_TRUE(network.predicates[2].closed);
  EXPECT_TRUE(network.predicates[3].types.empty());
  EXPECT_EQ(network.functions[0].types.size(), 1u);
  EXPECT_EQ(network.dialect, LogicDialect::tuffy);
  const NameTable& ages = network.types[network.type_names.find("age")];
  EXPECT_EQ(ages.size(), 3u);
  const NameTable& persons = network.types[network.type_names.find("person")];
  EXPECT_NE(persons.find("anna lee"), kNoNumber);
}

TEST(NetworkParser, AConstantThatItsTypeDoesNotListIsAFault) {
  const std::string text = "age = {18, ..., 20}\nP(person, age)\n1 P(Anna, 7)\n";
  EXPECT_EQ(fault_of(text),
            "t.mln:3:1: the constants of the type age are listed, and this is none of them: \"7\"; "
            "correct it, or list it: age = {7, …}");
  EXPECT_EQ(
      fault_of("P(t)\ninf P(x)\n"),
      "t.mln:2:1: a weight is a number from -1e9 to 1e9: \"inf\"; end a hard rule with a full "
      "stop");
}

TEST(NetworkParser, StarredPredicatesMakeARuleForEachChoiceOfSigns) {
  const LogicNetwork network = network_of("P(t)\nQ(t)\n2 *P(x) ^ *Q(x)\n");
  ASSERT_EQ(network.rules.size(), 4u);
  const auto shape = [&](std::size_t i) {
    return shape_of(network, network.rules[i], network.rules[i].formula);
  };
  EXPECT_EQ(shape(0), "(and (P x) (Q x))");
  EXPECT_EQ(shape(1), "(and (not (P x)) (Q x))");
  EXPECT_EQ(shape(3), "(and (not (P x)) (not (Q x)))");
}

TEST(NetworkParser, PlusMarksVariables) {
  const LogicNetwork network = network_of("P(t, u)\nP(x, +y)\n");
  EXPECT_FALSE(network.rules[0].variables[0].each);
  EXPECT_TRUE(network.rules[0].variables[1].each);
}

TEST(NetworkParser, PredicatesThatAreNotDeclaredHaveTheTypesOfTheirArguments) {
  const LogicNetwork network = network_of("P(person)\n1 P(x) => Likes(x, y)\n");
  ASSERT_EQ(network.warnings.size(), 1u);
  EXPECT_NE(network.warnings[0].find("t.mln:2:11: the predicate Likes is not declared"),
            std::string::npos);
  EXPECT_EQ(network.predicates[1].types[0], network.predicates[0].types[0]);
  EXPECT_NE(network.predicates[1].types[1], network.predicates[0].types[0]);
}

TEST(NetworkParser, FaultsSayWhereAndWhat) {
  EXPECT_EQ(fault_of("P(t)\n1 P(x) => Q("),
            "t.mln:2:13: the file ends here: a constant is expected here");
  EXPECT_EQ(fault_of("P(t)\nP(x, y).\n"),
            "t.mln:2:1: the predicate's number of arguments is 1, and here are 2: \"P\"");
  EXPECT_EQ(
      fault_of("P(t)\n1 P(x).\n"),
      "t.mln:2:7: a rule with a weight and a full stop: \".\"; leave the weight out of a hard "
      "rule, or the full stop out of a soft one");
  EXPECT_EQ(fault_of("P(t)\nQ(u)\nP(x) ^ Q(x).\n"),
            "t.mln:3:1: this is of the types t and u: \"x\"; each variable has one type");
  EXPECT_EQ(fault_of("P(t)\nP(x) ^ y < 3.\n"),
            "t.mln:2:1: nothing says the type of this variable: \"y\"; use it as the argument of a "
            "predicate");
  EXPECT_EQ(fault_of("P(t) $\n"),
            "t.mln:1:6: this begins neither a word, a number nor a sign: \"$\"; put the name of a "
            "constant with other characters between double quotes");
  EXPECT_EQ(fault_of("/* open\n"), "t.mln:1:1: this comment has no end; write */ where it ends");
  EXPECT_EQ(fault_of("#include \"a.mln\"\n"),
            "t.mln:1:1: a file cannot be included here: \"a.mln\"; put its lines here");
  EXPECT_EQ(
      fault_of("P(t)\nP(g(x)).\n"),
      "t.mln:2:3: no function of this name is declared: \"g\"; declare it as: type name(type, "
      "…), before it is used");
}

TEST(NetworkParser, ASignAtTheStartOfALineBeginsAStatement) {
  const LogicNetwork network =
      network_of("P(t)\nQ\n1 P(x) v Q\n-2 P(x) ^ x = y ^ P(y)\n-3 P(x) ^ P(y) ^ x = y\n+4 Q\n");
  ASSERT_EQ(network.rules.size(), 4u);
  EXPECT_EQ(network.rules[1].weight, -2);
  EXPECT_EQ(network.rules[3].weight, 4);
}

TEST(NetworkParser, ADialectHasItsOwnSignsOnly) {
  EXPECT_EQ(fault_of("*P(t)\n", LogicDialect::alchemy),
            "t.mln:1:1: a sign of the dialect tuffy: \"*\"; use --dialect tuffy or --dialect any");
  EXPECT_EQ(fault_of("P(t)\nP(x) :- P(A).\n", LogicDialect::tuffy),
            "t.mln:2:6: a sign of the dialect lomrf: \":-\"; use --dialect lomrf or --dialect any");
  EXPECT_EQ(network_of("P(t)\n@5 P(x)\n").rules[0].weight, 5);
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(NetworkParser, NestingHasALimit) {
  const auto has_limit = [](const std::string& formula) {
    return fault_of("P(t)\n" + formula + "\n").find(": more than 500 levels of a formula") !=
           std::string::npos;
  };
  EXPECT_TRUE(has_limit(repeated("!", 2000) + "P(x)"));
  EXPECT_TRUE(has_limit("P(x)" + repeated(" <=> P(x)", 2000)));
  EXPECT_TRUE(has_limit("P(x" + repeated(" + 1", 2000) + ")"));
  EXPECT_TRUE(has_limit("P(x" + repeated(" * 1", 2000) + ")"));
}

TEST(NetworkParser, APredicateHasAtMost64Arguments) {
  const std::string types = repeated("t, ", 3000) + "t", variables = repeated("x, ", 3000) + "x";
  const std::string remedy = "; declare several predicates, which share an argument";
  EXPECT_EQ(network_of("P(" + repeated("t, ", 63) + "t)\n").predicates[0].types.size(), 64u);
  EXPECT_EQ(fault_of("P(" + types + ")\n"), "t.mln:1:195: more than 64 arguments: \"t\"" + remedy);
  EXPECT_EQ(fault_of("t f(" + types + ")\n"),
            "t.mln:1:197: more than 64 arguments: \"t\"" + remedy);
  EXPECT_EQ(fault_of("P(t)\nP(x) => Q(" + variables + ")\n"),
            "t.mln:2:203: more than 64 arguments: \"x\"; write the predicate as several, which "
            "share an argument");
}

TEST(NetworkParser, AFormulaHasAtMost10000Atoms) {
  EXPECT_NE(fault_of("P(t)\nP(x)" + repeated(" v P(x)", 10'000) + "\n")
                .find("more than 10000 atoms in a formula"),
            std::string::npos);
  EXPECT_NE(fault_of("P(t)\n" + repeated(repeated("*P(x) v ", 10) + "P(x)\n", 30))
                .find("more than 200000 atoms in all come of signs that are left open"),
            std::string::npos);
}

TEST(NetworkParser, TooManyGroundAtomsAreAFaultOfTheirPredicate) {
  // 100^10 is 10^20, above 2^62.
  const std::string ten = repeated("t, ", 9) + "t)\n";
  EXPECT_EQ(fault_of("t = {1, ..., 100}\nQ(t)\nP(" + ten),
            "t.mln:3:1: more than 2^62 ground atoms: \"P\"; leave out constants or arguments");
  const LogicNetwork network = network_of("Q(t)\nP(" + ten);
  std::string facts;
  for (int i = 0; i < 100; ++i) facts += "Q(" + std::to_string(i) + ")\n";
  const LogicEvidence evidence = evidence_of(network, facts);
  EXPECT_EQ(message_of<InputError>([&] {
              AtomSpace(network, evidence, {true, true});
            }),
            "t.mln:2:1: more than 2^62 ground atoms: \"P\"; leave out constants or arguments");
  EXPECT_EQ(fault_of("t = {1, ..., 6}\nu = {1, ..., 9999996}\n"),
            "t.mln:2:14: ranges of more than 1000000 constants in all: \"9999996\"; write smaller "
            "ones");
}

// Files by name, for #include.
OpenIncluded files(const std::map<std::string, std::string>& texts) {
  return [&texts](const std::string& name, const std::string&) {
    return LineReader(std::string_view(texts.at(name)), name);
  };
}

TEST(NetworkParser, IncludesHaveALimitInAll) {
  // Each file includes the next one twice: 2^20 files.
  std::map<std::string, std::string> texts = {{"20", "P(t)\n"}};
  for (int i = 0; i < 20; ++i) {
    const std::string line = "#include \"" + std::to_string(i + 1) + "\"\n";
    texts[std::to_string(i)] = line + line;
  }
  const OpenIncluded open = files(texts);
  const std::string message = message_of<InputError>(
      [&] { read_logic_tokens(LineReader(std::string_view(texts["0"]), "0"), open); });
  EXPECT_NE(
      message.find("18:2:1: more than 1000 files are included in all: \"19\"; include each once"),
      std::string::npos)
      << message;
  texts["20"] = repeated("P(t) ", 20'000) + "\n";
  const std::string words = message_of<InputError>(
      [&] { read_logic_tokens(LineReader(std::string_view(texts["0"]), "0"), open); });
  EXPECT_NE(
      words.find("19:1:1: more than 100000 words come of files that are included again: \"20\""),
      std::string::npos)
      << words;
}

TEST(NetworkParser, ABracketOnTheNextLineIsNoneOfADeclaration) {
  const LogicNetwork network = network_of("t = {A}\nP(t)\nN\n((N ^ P(A)) v N).\n");
  EXPECT_TRUE(network.predicates[1].types.empty());
  ASSERT_EQ(network.rules.size(), 1u);
  EXPECT_TRUE(network.rules[0].hard);
}

TEST(NetworkParser, ABracketOnTheNextLineIsNoCall) {
  const LogicNetwork network = parse_network(read_logic_tokens(LineReader(
      std::string_view("R(t, t)\n1 R(x, y) => x = y\n(EXIST y R(x, y)) => R(x, x).\n"), "t.mln")));
  EXPECT_EQ(network.rules.size(), 2u);
}

}  // namespace
}  // namespace croft
