#include "logic/network.h"

#include <utility>

namespace croft {

std::uint32_t NameTable::insert(std::string_view name) {
  const auto [place, is_new] =
      number_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return place->second;
}

std::uint32_t NameTable::find(std::string_view name) const {
  const auto found = number_.find(std::string(name));
  return found == number_.end() ? kNoNumber : found->second;
}

std::uint32_t LogicNetwork::add_type(std::string_view name) {
  const std::uint32_t type = type_names.insert(name);
  if (type == types.size()) types.emplace_back();
  return type;
}

void soften_hard_rules(LogicNetwork& network, double weight) {
  for (LogicRule& rule : network.rules) {
    if (!std::exchange(rule.hard, false)) continue;
    rule.weight = weight;
    rule.weighted = true;
  }
}

std::uint64_t count_tuples(const std::vector<std::uint32_t>& types,
                           const std::vector<NameTable>& constants, std::string_view name,
                           const Location& where) {
  std::uint64_t count = 1;
  for (const std::uint32_t type : types) {
    if (constants[type].size() == 0) return 0;
  }
  for (const std::uint32_t type : types) {
    const std::uint64_t size = constants[type].size();
    if (count > kMostAtoms / size) {
      throw InputError(where, "more than 2^62 ground atoms", name,
                       "leave out constants or arguments");
    }
    count *= size;
  }
  return count;
}

std::string_view name_of(LogicDialect dialect) {
  switch (dialect) {
    case LogicDialect::alchemy:
      return "alchemy";
    case LogicDialect::tuffy:
      return "tuffy";
    case LogicDialect::lomrf:
      return "lomrf";
    case LogicDialect::pracmln:
      return "pracmln";
    case LogicDialect::any:
      break;
  }
  return "any";
}

LogicDialect logic_dialect(std::string_view name) {
  for (const LogicDialect each : {LogicDialect::any, LogicDialect::alchemy, LogicDialect::tuffy,
                                  LogicDialect::lomrf, LogicDialect::pracmln}) {
    if (name == name_of(each)) return each;
  }
  throw UsageError("the dialect ", in_quotes(name),
                   " is none of any, alchemy, tuffy, lomrf, pracmln");
}

}  // namespace croft
