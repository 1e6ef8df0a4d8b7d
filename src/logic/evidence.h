// What is known of a world: facts of a database (.db), and the constants that it adds to the types.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "logic/logic_tokens.h"
#include "logic/network.h"

namespace croft {

enum class Truth : std::int8_t { no = -1, unknown = 0, yes = 1 };

// Tuples of constants, by their numbers in their types, each once.
class TupleTable {
 public:
  // The tuple's number, new or not.
  std::uint32_t insert(std::span<const std::uint32_t> tuple);
  std::span<const std::uint32_t> operator[](std::size_t number) const {
    return std::span(cells_).subspan(number * arity_, arity_);
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t arity_ = 0, size_ = 0;
  std::vector<std::uint32_t> cells_;
  std::unordered_map<std::string, std::uint32_t> number_;  // by the bytes of the tuple
};

struct LogicFacts {
  TupleTable tuples;
  std::vector<Truth> truth;  // [tuples]
};

struct FunctionValues {
  TupleTable tuples;
  std::vector<std::uint32_t> value;  // [tuples]
};

// 0.9 P(A): nothing is known of the atom, and a rule log(0.9/0.1) P(A) is added.
struct WeightedFact {
  std::uint32_t predicate = 0, tuple = 0;  // of predicates[predicate].tuples, which is unknown
  double weight = 0;
};

struct LogicEvidence {
  explicit LogicEvidence(const LogicNetwork& network);

  std::vector<NameTable> types;           // [types] the network's constants, then the databases'
  NameTable constants;                    // of all types; the network's keep their numbers
  std::vector<LogicFacts> predicates;     // [predicates]
  std::vector<FunctionValues> functions;  // [functions]
  std::vector<WeightedFact> weighted = {};
  Location weighted_at = {};  // the last one
};

// Adds the facts of a file:  P(A, B)   !P(A, B)   ?P(A, B)   0.9 P(A, B)   C = f(A), and constants
// of types:  t = {A, B}.  Throws InputError (file, line, column) for anything else, for a name that
// the network does not declare, a number of arguments that does not fit, and a fact that
// contradicts another one.
//   check : called now and then; it may throw
void add_evidence(const LogicNetwork& network, const LogicTokens& tokens, LogicEvidence& evidence,
                  const std::function<void()>& check = {});

// Throws InputError for facts with a probability: learning has no use for them.
void check_known_facts(const LogicEvidence& evidence);

// Which atoms a question is about:  Smokes   Smokes(Anna)   Friends(Anna, x).
struct AtomPattern {
  std::uint32_t predicate = 0;
  std::vector<std::string> constants;  // [arguments], or empty: all of them; empty text: any
};
// Throws InputError likewise.
std::vector<AtomPattern> parse_atom_patterns(const LogicNetwork& network,
                                             const LogicTokens& tokens);

}  // namespace croft
