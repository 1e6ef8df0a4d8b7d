#include "sql/logic/logic_source.h"

#include "croft/core/error.h"
#include "data/checks.h"
#include "data/comma_list.h"
#include "sql/logic/logic_learning.h"

namespace croft {

LogicNetwork read_rules(const LogicSource& source) {
  LogicNetwork network = read_network(source.network, source.dialect);
  if (network.predicates.empty()) {
    throw InputError({source.network}, "a network without a predicate", "",
                     "declare one: Name(type, …)");
  }
  if (source.soft_hard) soften_hard_rules(network, *source.soft_hard);
  return network;
}

LogicEvidence read_facts(const LogicSource& source, const LogicNetwork& network,
                         const std::string& world) {
  LogicEvidence evidence(network);
  const auto add = [&](const std::string& path) {
    add_evidence(network, read_fact_tokens(LineReader(path), source.check), evidence, source.check);
  };
  for (const std::string& path : source.evidence) add(path);
  if (!world.empty()) add(world);
  return evidence;
}

std::vector<LogicEvidence> read_worlds(const LogicSource& source,
                                       const std::vector<std::string>& worlds,
                                       LogicNetwork& network) {
  std::vector<LogicEvidence> out;
  const auto read_all = [&] {
    out.clear();
    for (const std::string& path : worlds) out.push_back(read_facts(source, network, path));
  };
  if (worlds.empty()) {
    out.push_back(read_facts(source, network));
    return out;
  }
  read_all();
  if (worlds.size() > 1) {
    share_constants(network, out);
    read_all();
  }
  return out;
}

std::vector<AtomPattern> read_atom_patterns(const LogicNetwork& network, const std::string& text) {
  return parse_atom_patterns(network,
                             read_fact_tokens(LineReader(std::string_view(text), "--query")));
}

std::vector<bool> predicates_of(const LogicNetwork& network,
                                const std::vector<AtomPattern>& patterns) {
  std::vector<bool> out(network.predicates.size(), false);
  for (const AtomPattern& each : patterns) out[each.predicate] = true;
  return out;
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  for (const std::string_view each : between_commas(list)) {
    const std::string_view name = without_blanks(each);
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

std::vector<bool> predicates_of(const LogicNetwork& network,
                                const std::vector<std::string>& names) {
  std::vector<bool> out(network.predicates.size(), false);
  for (const std::string& name : names) {
    const std::uint32_t number = network.predicate_names.find(name);
    if (number == kNoNumber) throw UsageError("the network has no predicate ", in_quotes(name));
    out[number] = true;
  }
  return out;
}

}  // namespace croft
