#include "sql/logic/grounder.h"

#include <utility>

#include "sql/logic/rule_grounder.h"

namespace croft {

Grounding grounding_named(std::string_view name) {
  if (name == "auto") return Grounding::automatic;
  if (name == "lazy") return Grounding::lazy;
  if (name == "full") return Grounding::full;
  throw UsageError("--grounding: ", in_quotes(name), " is none of auto, lazy, full");
}

LogicUnits logic_units(const AtomSpace& space) {
  LogicUnits out{.first = {0}};
  for (const LogicRule& rule : space.network().rules) {
    double count = 1;
    for (const RuleVariable& each : rule.variables) {
      if (each.each) count *= static_cast<double>(space.constants(each.type));
    }
    if (out.first.back() + count > 0x7fffffff) {
      throw Error(place_of(rule.where), ": more than 2^31 weights; write fewer +: ", rule.text);
    }
    out.first.push_back(out.first.back() + static_cast<std::uint32_t>(count));
  }
  return out;
}

ClauseStore ground(const AtomSpace& space, const GroundOptions& options) {
  RuleGrounder grounder(space, options);
  grounder.ground_all();
  return std::move(grounder.store());
}

GroundPrediction predict_grounding(const AtomSpace& space, const GroundOptions& options) {
  return RuleGrounder(space, options).predict();
}

}  // namespace croft
