// A network and databases in files, as front ends name them.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "logic/clausal_form.h"
#include "logic/evidence.h"
#include "logic/network.h"
#include "logic/network_parser.h"

namespace croft {

struct LogicSource {
  std::string network;  // .mln
  LogicDialect dialect = LogicDialect::any;
  std::optional<double> soft_hard = {};    // weight that hard rules get
  std::vector<std::string> evidence = {};  // .db, all of them together
  std::function<void()> check = {};        // called now and then while databases are read
};

// What weights mean where nobody says it.
inline WeightReading usual_reading(LogicDialect dialect) {
  return dialect == LogicDialect::alchemy ? WeightReading::clausal : WeightReading::formula;
}

// Throws InputError for what the files have wrong, and for a network without a predicate.
LogicNetwork read_rules(const LogicSource& source);
//   world : a further database; may be empty
LogicEvidence read_facts(const LogicSource& source, const LogicNetwork& network,
                         const std::string& world = {});
// Each world with the evidence, and constants of its own but for types of variables with +, which
// the network gets; without worlds the evidence is the only one.
std::vector<LogicEvidence> read_worlds(const LogicSource& source,
                                       const std::vector<std::string>& worlds,
                                       LogicNetwork& network);

// "P, Q(x)": a pattern for each; empty text: none.
std::vector<AtomPattern> read_atom_patterns(const LogicNetwork& network, const std::string& text);
// [predicates] those of the patterns.
std::vector<bool> predicates_of(const LogicNetwork& network,
                                const std::vector<AtomPattern>& patterns);

// "P,Q": names between commas, without the blanks around them and without empty ones.
std::vector<std::string> names_in(std::string_view list);
// [predicates] those that are named.  Throws UsageError for a name that the network does not have.
std::vector<bool> predicates_of(const LogicNetwork& network, const std::vector<std::string>& names);

}  // namespace croft
