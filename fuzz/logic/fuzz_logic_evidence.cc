// Any bytes as a database of facts: an InputError with a line, or facts that an AtomSpace tells
// again.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "croft/core/error.h"
#include "logic/atom_space.h"
#include "logic/network_parser.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_logic_evidence {

CROFT_FUZZ_TARGET(fuzz_logic_evidence) {
  static const croft::LogicNetwork network =
      croft::parse_network(croft::read_logic_tokens(croft::LineReader(
          "person = {Anna}\nFriends(person, person)\nSmokes(person)\nRain\nAge(person, year!)\n"
          "person mother(person)\n",
          "network")));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    croft::LogicEvidence evidence(network);
    croft::add_evidence(network, croft::read_fact_tokens(croft::LineReader(text, "fuzz")),
                        evidence);
    const croft::AtomSpace space(network, evidence, std::vector<bool>(4, true));
    for (std::uint32_t p = 0; p < 4; ++p) {
      const croft::LogicFacts& facts = evidence.predicates[p];
      require(facts.truth.size() == facts.tuples.size(), "a fact without truth");
      for (std::size_t i = 0; i < facts.truth.size(); ++i) {
        const std::uint64_t key = space.key(p, facts.tuples[i]);
        require(space.truth(p, key) == facts.truth[i], "another truth");
        require(space.predicate_of(key) == p, "another predicate");
      }
    }
  } catch (const croft::InputError& error) {
    require(error.where().line > 0, "a fault without a line");
  }
  try {
    croft::parse_atom_patterns(network, croft::read_fact_tokens(croft::LineReader(text, "fuzz")));
  } catch (const croft::InputError&) {
  }
  return 0;
}

}  // namespace fuzz_logic_evidence
