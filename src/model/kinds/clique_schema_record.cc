#include "model/kinds/clique_schema_record.h"

#include "core/infinity.h"
#include "core/json.h"
#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::uint64_t kMostJointStates = std::uint64_t{1} << 32;  // of a clique

std::vector<std::uint64_t> copy(std::span<const std::uint64_t> values) {
  return {values.begin(), values.end()};
}

// The states that count, of each place.
Json counted_record(const CountingRule& rule) {
  Json places = Json::array();
  for (const std::vector<std::uint8_t>& place : rule.counts) {
    std::vector<std::uint32_t> states;
    for (std::uint32_t s = 0; s < place.size(); ++s) {
      if (place[s] != 0) states.push_back(s);
    }
    places.push_back(states);
  }
  return places;
}

Json template_record(const CliqueTemplate& t) {
  Json record = {
      {"name", t.name}, {"domains", t.domain}, {"interaction", name_of(t.interaction.kind())}};
  const Interaction& of = t.interaction;
  if (of.kind() == InteractionKind::listed) record["listed"] = copy(of.listed());
  if (!of.forbidden().empty()) record["forbidden"] = copy(of.forbidden());
  if (!of.shared().empty()) {
    record["shared"] = Json::array();
    for (const auto& group : of.shared()) record["shared"].push_back(group);
  }
  if (of.counting()) {
    record["counted"] = counted_record(of.rule());
    if (of.kind() == InteractionKind::count) record["from"] = of.rule().from;
    if (has_threshold(of.kind())) record["k"] = of.rule().k;
  }
  if (t.has_lists()) {
    record["lists"] = Json::array();
    for (const bool each : t.lists) record["lists"].push_back(each);
  }
  if (t.scores) record["scores"] = true;
  if (t.penalty) record["penalty"] = *t.penalty < kInf ? Json(*t.penalty) : Json("infinite");
  if (!t.given.empty()) {
    record["given"] = Json::array();
    for (const GivenWeight& each : t.given) {
      record["given"].push_back(
          {{"feature", each.feature}, {"cell", each.cell}, {"weight", each.weight}});
    }
  }
  return record;
}

CountingRule rule_of(const Record& record, std::span<const std::uint32_t> states) {
  CountingRule rule;
  const std::vector<Record> places = record.at("counted").list();
  record.at("counted").require(places.size() == states.size(), "a list for each variable");
  for (std::size_t k = 0; k < places.size(); ++k) {
    std::vector<std::uint8_t>& counts = rule.counts.emplace_back(states[k], std::uint8_t{0});
    for (const std::uint32_t s : places[k].wholes<std::uint32_t>(0, states[k] - 1)) counts[s] = 1;
  }
  if (const auto from = record.find("from")) {
    rule.from = from->wholes<std::uint64_t>(0, kMostJointStates);
  }
  if (const auto k = record.find("k")) rule.k = k->whole<std::uint64_t>(0, kMostJointStates);
  rule.broken = record.find("penalty").has_value();
  return rule;
}

Interaction interaction_of(const Record& record, const std::vector<std::uint32_t>& domain,
                           std::span<const Domain> domains) {
  InteractionParts parts;
  for (const std::uint32_t each : domain) {
    parts.states.push_back(static_cast<std::uint32_t>(domains[each].labels.size()));
  }
  const auto joint = [&](const char* key) {
    const auto list = record.find(key);
    return list ? list->wholes<std::uint64_t>(0, kMostJointStates) : std::vector<std::uint64_t>();
  };
  parts.listed = joint("listed");
  parts.forbidden = joint("forbidden");
  if (const auto groups = record.find("shared")) {
    for (const Record& each : groups->list()) {
      parts.shared.push_back(each.wholes<std::uint64_t>(0, kMostJointStates));
    }
  }
  try {
    parts.kind = interaction_kind(record.at("interaction").text());
    if (counts_variables(parts.kind)) parts.rule = rule_of(record, parts.states);
    return make_interaction(std::move(parts));
  } catch (const UsageError& error) {
    record.at("interaction").fail(std::string("another one (") + error.what() + ")");
  }
}

CliqueTemplate template_of(const Record& record, std::span<const Domain> domains) {
  const auto last = static_cast<std::uint32_t>(domains.size() - 1);
  CliqueTemplate t{
      record.at("name").text(), record.at("domains").wholes<std::uint32_t>(0, last), {}};
  t.interaction = interaction_of(record, t.domain, domains);
  const auto scores = record.find("scores");
  t.scores = scores && scores->flag();
  if (const auto lists = record.find("lists")) {
    for (const Record& each : lists->list()) t.lists.push_back(each.flag());
  }
  if (const auto penalty = record.find("penalty")) {
    t.penalty = penalty->is_text() ? kInf : penalty->number();
    penalty->require(*t.penalty < kInf || (penalty->is_text() && penalty->text() == "infinite"),
                     "a number above 0, or \"infinite\"");
  }
  if (const auto given = record.find("given")) {
    for (const Record& each : given->list()) {
      t.given.push_back({each.at("feature").text(), each.at("cell").whole<std::uint32_t>(0, ~0U),
                         each.at("weight").number()});
    }
  }
  try {
    t.check();
  } catch (const UsageError& error) {
    record.at("interaction").fail(std::string("a template that fits it (") + error.what() + ")");
  }
  return t;
}

}  // namespace

Json to_json(const CliqueSchema& schema) {
  Json domains = Json::array(), templates = Json::array();
  for (const Domain& each : schema.domains) {
    domains.push_back({{"name", each.name}, {"labels", each.labels}});
  }
  for (const CliqueTemplate& each : schema.templates) templates.push_back(template_record(each));
  return {{"domains", std::move(domains)}, {"templates", std::move(templates)}};
}

CliqueSchema clique_schema_of(const Record& record) {
  CliqueSchema schema;
  for (const Record& each : record.at("domains").list()) {
    schema.domains.push_back({each.at("name").text(), each.at("labels").texts()});
    each.at("labels").require(!schema.domains.back().labels.empty(), "a list of one at least");
  }
  record.at("domains").require(!schema.domains.empty(), "a list of one at least");
  for (const Record& each : record.at("templates").list()) {
    schema.templates.push_back(template_of(each, schema.domains));
  }
  return schema;
}

}  // namespace croft
