// How many groundings of a clause turn with each atom of a world, by joins of its facts alone.
//
//   d_a = n(x) - n(x with a changed)
//       = s_a * (groundings of the clause that a decides),    s_a = 1 where a's literal is true
//       (ML.20)
//
// Groundings are never listed: a literal that must be false where its atom is no fact is counted as
// all less those that are.  docs/math/markov_logic.md section 10.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "logic/atom_space.h"
#include "sql/sqlite_calls.h"

namespace croft {

// A clause of atoms of variables, without constants.
struct ClauseLiteral {
  std::uint32_t predicate = 0;
  bool negated = false;
  std::vector<std::uint32_t> variables;
  auto operator<=>(const ClauseLiteral&) const = default;
};
struct VariableClause {
  std::vector<ClauseLiteral> literals;  // each once, and none with its negation
  std::vector<std::uint32_t> types;     // [variables]
};

class ClauseCounts {
 public:
  // Keeps the space by reference: of a world, in which what is not a fact is false.
  //   open : [predicates] whose atoms change
  ClauseCounts(const AtomSpace& world, const std::vector<bool>& open);

  // Atoms of open predicates have numbers one after the other.
  std::size_t atoms() const { return truth_.size(); }
  std::size_t number_of(std::uint64_t key) const;
  bool is_true(std::size_t atom) const { return truth_[atom] != 0; }

  // Sets d to those of the clause, of all atoms.  Time in proportion to the atoms, and to the facts
  // that a join of the clause's negative literals has.  Throws Interrupted once `interruption` is
  // set.
  void differences(const VariableClause& clause, std::vector<double>& d);

 private:
  // Rows of values and how often they come.
  struct Table {
    std::vector<std::uint32_t> values;  // [rows][keys]
    std::vector<double> counts;         // [rows]
  };
  struct Product;

  void count_where_it_decides(const VariableClause& clause, std::size_t literal,
                              std::vector<double>& d);
  void add_product(const std::vector<ClauseLiteral>& facts, const VariableClause& clause,
                   const ClauseLiteral& atom, double factor, int needed, std::vector<double>& d);
  void spread(Product& product, std::size_t table, double count);
  const Table& table_of(const std::vector<ClauseLiteral>& facts,
                        const std::vector<std::uint32_t>& keys);

  const AtomSpace& world_;
  const std::vector<bool> open_;
  SqliteHandle tables_;
  std::vector<std::size_t> first_;      // [predicates] number of its first atom, of open ones
  std::vector<std::uint8_t> truth_;     // [atoms]
  std::map<std::string, Table> known_;  // by their SQL
  std::size_t kept_ = 0;                // values in them
};

}  // namespace croft
