// A Markov logic network as it is written: types, predicates, functions, and rules with weights.
//
// Nothing is ground here.  docs/math/markov_logic.md has the meaning (ML.n), and in its section 2
// the grammar.  Names are numbered in order of appearance; a type has its constants by numbers of
// its own, from 0, as each database may add some.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "croft/core/error.h"

namespace croft {

inline constexpr std::uint32_t kNoNumber = 0xffffffff;

// Names and their numbers, in order of appearance.
class NameTable {
 public:
  std::uint32_t insert(std::string_view name);
  std::uint32_t find(std::string_view name) const;  // kNoNumber
  std::size_t size() const { return names_.size(); }
  const std::string& operator[](std::uint32_t number) const { return names_[number]; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> number_;
};

// How many of the values of a predicate's marked arguments hold, the other arguments given.
enum class ArgumentMark : std::uint8_t {
  none,
  exactly_one,  // position!
  at_most_one   // position!?
};

struct LogicPredicate {
  std::vector<std::uint32_t> types;  // [arguments]
  std::vector<ArgumentMark> marks;   // [arguments]
  bool closed = false;               // declared as *P(…): what the evidence does not say is false
  Location where = {};               // of its declaration, or its first use
};

struct LogicFunction {
  std::uint32_t result = 0;          // its type
  std::vector<std::uint32_t> types;  // [arguments]
  Location where = {};               // of its declaration
};

enum class TermKind : std::uint8_t { variable, constant, function, arithmetic };
enum class Arithmetic : std::uint8_t { plus, minus, times, divide, modulo, concatenate };

struct Term {
  TermKind kind = TermKind::constant;
  Arithmetic operation = Arithmetic::plus;
  // A variable of the rule, a constant by its number in LogicNetwork::constants, or a function.
  std::uint32_t number = 0;
  std::vector<Term> arguments = {};  // of function and arithmetic (two)

  bool operator==(const Term&) const = default;
};

enum class FormulaKind : std::uint8_t {
  atom,         // predicate `number` of terms
  equal,        // two terms
  less,         // two terms, whole numbers
  less_equal,   // likewise
  substring,    // two terms: the first is a part of the second
  negation,     // one part
  all,          // conjunction of the parts
  any,          // disjunction of the parts
  equivalence,  // two parts; an implication is a disjunction
  exists,       // one part, over `variables`
  forall        // likewise; not the outermost, whose variables are free
};

struct Formula {
  FormulaKind kind = FormulaKind::all;
  std::uint32_t number = 0;
  std::vector<Term> terms = {};
  std::vector<Formula> parts = {};
  std::vector<std::uint32_t> variables = {};
};

struct RuleVariable {
  std::string name;
  std::uint32_t type = kNoNumber;
  bool each = false;        // written +x: a rule for each constant
  bool quantified = false;  // within the formula; else free, which means for all
};

struct LogicRule {
  Formula formula;
  std::vector<RuleVariable> variables;  // a quantifier's are apart from all others
  double weight = 0;                    // not of a hard rule
  bool hard = false;
  bool weighted = false;  // a weight is written; without one it is 0, and to be learnt
  bool fixed = false;     // learning keeps the weight: #fixweight, @
  bool whole = false;     // [formula]: its weight counts by the formula in every reading
  // Variables of #unique: of one type, their constants rise in this order.
  std::vector<std::uint32_t> unique = {};
  Location where;
  std::string text;            // as written, on one line
  std::size_t formula_at = 0;  // in the text: what stands before it is the weight
};

// True if #unique leaves out these constants of a rule's variables.
//   constant : [variables] by their numbers in their types
template <class ConstantOf>
bool leaves_out(const LogicRule& rule, const ConstantOf& constant_of) {
  for (std::size_t i = 0; i < rule.unique.size(); ++i) {
    for (std::size_t k = i + 1; k < rule.unique.size(); ++k) {
      const std::uint32_t first = rule.unique[i], second = rule.unique[k];
      if (rule.variables[first].type == rule.variables[second].type &&
          constant_of(first) >= constant_of(second)) {
        return true;
      }
    }
  }
  return false;
}

enum class LogicDialect : std::uint8_t {
  any,      // what each of them writes
  alchemy,  // none of the signs below
  tuffy,    // *P(type), @weight, a comma for "and"
  lomrf,    // :-, t++ and t--
  pracmln   // ?x (other names are constants), =/=, #unique, #fixweight, log(0.9/0.1) as a weight
};
std::string_view name_of(LogicDialect dialect);
LogicDialect logic_dialect(std::string_view name);  // throws UsageError that lists the names

struct LogicNetwork {
  NameTable type_names, predicate_names, function_names;
  std::vector<NameTable> types;  // [types] the constants of each
  std::vector<LogicPredicate> predicates;
  std::vector<LogicFunction> functions;
  NameTable constants;  // that rules name, of all types
  std::vector<LogicRule> rules;
  LogicDialect dialect = LogicDialect::any;  // whose signs were met; any: nobody's own
  bool question_marks = false;               // variables are ?x, and x is a constant
  std::vector<std::string> warnings;         // with their places
  std::vector<std::string> files;            // it was read from, with those that #include names

  std::uint32_t add_type(std::string_view name);
};

// Hard rules become soft ones of this weight.
void soften_hard_rules(LogicNetwork& network, double weight);

inline constexpr std::uint64_t kMostAtoms = std::uint64_t{1} << 62;
// Tuples of constants: the product of the types' sizes.  Throws InputError where it is over 2^62.
//   name, where : of the predicate or function that has the types
std::uint64_t count_tuples(const std::vector<std::uint32_t>& types,
                           const std::vector<NameTable>& constants, std::string_view name,
                           const Location& where);

}  // namespace croft
