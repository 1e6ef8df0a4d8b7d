#include "sql/logic/learn/clause_counts.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "sql/logic/evidence_tables.h"

namespace croft {
namespace {

constexpr std::uint32_t kUnbound = 0xffffffff;
constexpr std::size_t kMostKept = 20'000'000;  // values of tables that are kept
enum Needed : int { any_value = -1, false_value = 0, true_value = 1 };

// The clause where two atoms are the same one: the second one's variables are the first one's.
VariableClause unified(const VariableClause& clause, std::size_t first, std::size_t second) {
  VariableClause out = clause;
  for (std::size_t k = 0; k < clause.literals[first].variables.size(); ++k) {
    const std::uint32_t to = out.literals[first].variables[k];
    const std::uint32_t from = out.literals[second].variables[k];
    for (ClauseLiteral& each : out.literals) std::ranges::replace(each.variables, from, to);
  }
  return out;
}

// Variables that have become others stand for nothing.
void forget_unused(VariableClause& clause) {
  for (std::uint32_t v = 0; v < clause.types.size(); ++v) {
    const bool used = std::ranges::any_of(clause.literals, [&](const ClauseLiteral& each) {
      return std::ranges::find(each.variables, v) != each.variables.end();
    });
    if (!used) clause.types[v] = kUnbound;
  }
}

class CountRows {
 public:
  CountRows(sqlite3* database, const std::string& sql) : database_(database) {
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
      throw Error("the join that counts: ", std::string(sqlite3_errmsg(database)), ": ", sql);
    }
  }
  ~CountRows() { sqlite3_finalize(statement_); }
  CountRows(const CountRows&) = delete;
  CountRows& operator=(const CountRows&) = delete;
  bool next() {
    const int status = sqlite3_step(statement_);
    if (status == SQLITE_INTERRUPT) throw Interrupted("learning was interrupted");
    if (status != SQLITE_ROW && status != SQLITE_DONE) {
      throw Error("the join that counts: ", std::string(sqlite3_errmsg(database_)));
    }
    return status == SQLITE_ROW;
  }
  std::int64_t operator[](std::size_t column) const {
    return sqlite3_column_int64(statement_, static_cast<int>(column));
  }

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

// A product of tables and of the sizes of types, over the atoms of a predicate.
struct ClauseCounts::Product {
  std::vector<std::pair<const Table*, std::vector<std::uint32_t>>> tables;  // with their variables
  const ClauseLiteral& atom;
  const std::vector<std::uint32_t>& types;  // [variables]
  std::vector<std::uint32_t> free;          // variables of the atom that no table has
  std::vector<std::uint32_t> value;         // [variables]
  int needed;                               // truth of the atom
  std::vector<double>& d;
};

ClauseCounts::ClauseCounts(const AtomSpace& world, const std::vector<bool>& open)
    : world_(world), open_(open), tables_(evidence_tables(world)) {
  sqlite3_progress_handler(
      tables_.get(), 100'000, [](void*) { return interruption.load() ? 1 : 0; }, nullptr);
  std::size_t atoms = 0;
  for (std::uint32_t p = 0; p < open_.size(); ++p) {
    first_.push_back(atoms);
    if (open_[p]) atoms += world.atoms(p);
  }
  truth_.assign(atoms, 0);
  for (std::uint32_t p = 0; p < open_.size(); ++p) {
    const LogicFacts& facts = world.evidence().predicates[p];
    for (std::size_t i = 0; open_[p] && i < facts.truth.size(); ++i) {
      if (facts.truth[i] == Truth::yes) truth_[number_of(world.key(p, facts.tuples[i]))] = 1;
    }
  }
}

std::size_t ClauseCounts::number_of(std::uint64_t key) const {
  const std::uint32_t predicate = world_.predicate_of(key);
  return first_[predicate] + (key - world_.first(predicate));
}

void ClauseCounts::differences(const VariableClause& clause, std::vector<double>& d) {
  d.assign(atoms(), 0);
  if (kept_ > kMostKept) {
    known_.clear();
    kept_ = 0;
  }
  const std::size_t size = clause.literals.size();
  // Any literals that may be the same atom decide together where they have the same sign.
  for (std::size_t set = 1; set < std::size_t{1} << size; ++set) {
    VariableClause one = clause;
    std::size_t first = size;
    bool fits = true;
    for (std::size_t i = 0; i < size && fits; ++i) {
      if ((set >> i & 1) == 0) continue;
      const ClauseLiteral& literal = clause.literals[i];
      if (first == size) {
        first = i;
        fits = open_[literal.predicate];
        continue;
      }
      fits = literal.predicate == clause.literals[first].predicate &&
             literal.negated == clause.literals[first].negated;
      if (fits) one = unified(one, first, i);
    }
    if (!fits) continue;
    VariableClause rest = one;
    rest.literals.clear();
    rest.literals.push_back(one.literals[first]);
    for (std::size_t i = 0; i < size; ++i) {
      if ((set >> i & 1) == 0) rest.literals.push_back(one.literals[i]);
    }
    forget_unused(rest);
    count_where_it_decides(rest, 0, d);
  }
}

// Groundings in which the literal's atom is that of no other literal, and all others are false.
void ClauseCounts::count_where_it_decides(const VariableClause& clause, std::size_t literal,
                                          std::vector<double>& d) {
  const std::size_t size = clause.literals.size();
  std::vector<std::size_t> alike;
  for (std::size_t j = 0; j < size; ++j) {
    if (j != literal && clause.literals[j].predicate == clause.literals[literal].predicate) {
      alike.push_back(j);
    }
  }
  // All, less those in which some of the others are the same atom.
  for (std::size_t same = 0; same < std::size_t{1} << alike.size(); ++same) {
    VariableClause one = clause;
    std::vector<bool> left(size, true);
    left[literal] = false;
    int needed = any_value;
    bool possible = true;
    double sign = 1;
    for (std::size_t k = 0; k < alike.size(); ++k) {
      if ((same >> k & 1) == 0) continue;
      const std::size_t j = alike[k];
      one = unified(one, literal, j);
      left[j] = false;
      sign = -sign;
      const int value = clause.literals[j].negated ? true_value : false_value;
      possible = possible && (needed == any_value || needed == value);
      needed = value;
    }
    if (!possible) continue;
    forget_unused(one);
    std::vector<ClauseLiteral> facts, absent;
    for (std::size_t j = 0; j < size; ++j) {
      if (left[j]) (one.literals[j].negated ? facts : absent).push_back(one.literals[j]);
    }
    // No fact: all, less the facts.
    for (std::size_t there = 0; there < std::size_t{1} << absent.size(); ++there) {
      std::vector<ClauseLiteral> joined = facts;
      double factor = sign;
      for (std::size_t k = 0; k < absent.size(); ++k) {
        if ((there >> k & 1) == 0) continue;
        joined.push_back(absent[k]);
        factor = -factor;
      }
      add_product(joined, one, one.literals[literal], factor, needed, d);
    }
  }
}

void ClauseCounts::add_product(const std::vector<ClauseLiteral>& facts,
                               const VariableClause& clause, const ClauseLiteral& atom,
                               double factor, int needed, std::vector<double>& d) {
  const std::size_t variables = clause.types.size();
  // Facts that share variables are joined; what is apart is multiplied.
  std::vector<std::size_t> part(facts.size());
  for (std::size_t i = 0; i < facts.size(); ++i) part[i] = i;
  const auto shares = [&](std::size_t i, std::size_t j) {
    return std::ranges::any_of(facts[i].variables, [&](std::uint32_t v) {
      return std::ranges::find(facts[j].variables, v) != facts[j].variables.end();
    });
  };
  for (std::size_t i = 0; i < facts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (part[i] == part[j] || !shares(i, j)) continue;
      const std::size_t from = part[i], to = part[j];
      std::ranges::replace(part, from, to);
    }
  }
  std::vector<bool> bound(variables, false), of_atom(variables, false);
  for (const std::uint32_t v : atom.variables) of_atom[v] = true;
  Product product{{}, atom, clause.types, {}, std::vector<std::uint32_t>(variables, 0), needed, d};
  for (std::size_t p = 0; p < facts.size(); ++p) {
    std::vector<ClauseLiteral> joined;
    std::vector<std::uint32_t> keys;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (part[i] != p) continue;
      joined.push_back(facts[i]);
      for (const std::uint32_t v : facts[i].variables) {
        if (of_atom[v] && !bound[v]) keys.push_back(v);
        bound[v] = true;
      }
    }
    if (joined.empty()) continue;
    const Table& table = table_of(joined, keys);
    if (!keys.empty()) {
      product.tables.emplace_back(&table, keys);
    } else {
      factor *= table.counts.empty() ? 0 : table.counts[0];
    }
  }
  for (std::uint32_t v = 0; v < variables; ++v) {
    if (bound[v] || clause.types[v] == kUnbound) continue;
    if (of_atom[v]) {
      product.free.push_back(v);
    } else {
      factor *= static_cast<double>(world_.constants(clause.types[v]));
    }
  }
  if (factor != 0) spread(product, 0, factor);
}

void ClauseCounts::spread(Product& product, std::size_t table, double count) {
  if (table < product.tables.size()) {
    const auto& [here, keys] = product.tables[table];
    for (std::size_t row = 0; row < here->counts.size(); ++row) {
      for (std::size_t k = 0; k < keys.size(); ++k) {
        product.value[keys[k]] = here->values[row * keys.size() + k];
      }
      spread(product, table + 1, count * here->counts[row]);
    }
    return;
  }
  const std::size_t free = table - product.tables.size();
  if (free < product.free.size()) {
    const std::uint32_t v = product.free[free];
    const std::size_t size = world_.constants(product.types[v]);
    for (std::uint32_t c = 0; c < size; ++c) {
      product.value[v] = c;
      spread(product, table + 1, count);
    }
    return;
  }
  std::size_t atom = first_[product.atom.predicate];
  for (std::size_t k = 0; k < product.atom.variables.size(); ++k) {
    atom += world_.stride(product.atom.predicate, k) * product.value[product.atom.variables[k]];
  }
  if (product.needed != any_value && product.needed != truth_[atom]) return;
  const bool is_true = (truth_[atom] != 0) != product.atom.negated;
  product.d[atom] += is_true ? count : -count;
}

// Variables have the names of their order, so that the same join is looked up whatever they are.
const ClauseCounts::Table& ClauseCounts::table_of(const std::vector<ClauseLiteral>& facts,
                                                  const std::vector<std::uint32_t>& keys) {
  std::map<std::uint32_t, std::string> columns;
  std::string from, where, head;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const std::string alias = "l" + std::to_string(i);
    from += (i == 0 ? " FROM p" : ", p") + std::to_string(facts[i].predicate) + " AS " + alias;
    where += (i == 0 ? " WHERE " : " AND ") + alias + ".truth = 1";
    for (std::size_t k = 0; k < facts[i].variables.size(); ++k) {
      const std::string column = alias + ".a" + std::to_string(k);
      const auto [at, is_new] = columns.try_emplace(facts[i].variables[k], column);
      if (!is_new) where += " AND " + column + " = " + at->second;
    }
  }
  for (const std::uint32_t v : keys) head += (head.empty() ? "" : ", ") + columns[v];
  const std::string sql = "SELECT " + head + (head.empty() ? "" : ", ") + "count(*)" + from +
                          where + (head.empty() ? "" : " GROUP BY " + head);
  const auto [at, is_new] = known_.try_emplace(sql);
  Table& table = at->second;
  if (is_new) {
    CountRows rows(tables_.get(), sql);
    while (rows.next()) {
      for (std::size_t k = 0; k < keys.size(); ++k) {
        table.values.push_back(static_cast<std::uint32_t>(rows[k]));
      }
      table.counts.push_back(static_cast<double>(rows[keys.size()]));
    }
    kept_ += table.values.size() + table.counts.size();
  }
  return table;
}

}  // namespace croft
