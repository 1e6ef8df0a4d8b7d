#include "sql/logic/logic_question.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include "app/infer/infer_auto.h"
#include "core/json.h"
#include "core/words/closest_name.h"
#include "logic/hard_conflict.h"
#include "logic/search/hard_search.h"
#include "sql/logic/lazy_grounder.h"
#include "sql/logic/logic_methods.h"

namespace croft {
namespace {

constexpr double kMostAsked = 1e8;  // atoms: 10 GB of names
constexpr double kAtomBytes = 48;   // of one that is asked for: its key, twice, and slots

// One sentence about all predicates without atoms, or nothing.
std::optional<Message> warning_of_empty_types(const AtomSpace& space) {
  const LogicNetwork& network = space.network();
  std::string predicates;
  std::size_t count = 0;
  std::uint32_t empty = kNoNumber;
  for (std::uint32_t p = 0; p < network.predicates.size(); ++p) {
    if (space.atoms(p) != 0) continue;
    for (const std::uint32_t type : network.predicates[p].types) {
      if (empty == kNoNumber && space.constants(type) == 0) empty = type;
    }
    if (++count <= 5) predicates += (count == 1 ? "" : ", ") + network.predicate_names[p];
  }
  if (count == 0) return {};
  if (count > 5) predicates += ", and " + std::to_string(count - 5) + " more";
  return Message(
      "the type ", network.type_names[empty],
      " has no constants, so that these predicates have no ground atoms, and rules about "
      "them no groundings: ",
      predicates, "; give evidence with constants, or declare ", network.type_names[empty],
      " = {A, …}");
}

std::uint32_t predicate_named(const LogicNetwork& network, const std::string& name) {
  const std::uint32_t predicate = network.predicate_names.find(name);
  if (predicate == kNoNumber) {
    throw UsageError("the network has no predicate ", in_quotes(name));
  }
  return predicate;
}

}  // namespace

std::vector<bool> open_predicates(const LogicNetwork& network, const LogicEvidence& evidence,
                                  const std::vector<AtomPattern>& queries,
                                  const std::vector<std::string>& open,
                                  const std::vector<std::string>& closed) {
  std::vector<bool> out(network.predicates.size()), asked(out.size()), said(out.size());
  for (const AtomPattern& query : queries) asked[query.predicate] = true;
  std::vector<std::set<std::uint32_t>> weighted(out.size());  // atoms of which nothing is known
  for (const WeightedFact& each : evidence.weighted) weighted[each.predicate].insert(each.tuple);
  for (std::size_t p = 0; p < out.size(); ++p) {
    const bool has_facts = evidence.predicates[p].truth.size() > weighted[p].size();
    out[p] = asked[p] || (!network.predicates[p].closed && !has_facts);
  }
  for (const std::string& name : open) {
    const std::uint32_t p = predicate_named(network, name);
    out[p] = said[p] = true;
  }
  for (const std::string& name : closed) {
    const std::uint32_t p = predicate_named(network, name);
    if (said[p]) throw UsageError("the predicate ", name, " cannot be both open and closed");
    if (asked[p])
      throw UsageError("the predicate ", name, " is asked for, and so cannot be closed");
    out[p] = false;
  }
  return out;
}

GroundNetwork::GroundNetwork(const AtomSpace& space, const std::vector<AtomPattern>& queries,
                             const GroundOptions& options, Grounding grounding, GraphTask task)
    : space_(space), options_(options) {
  using Clock = std::chrono::steady_clock;
  const auto in_time = [&, begin = Clock::now()] {
    const std::chrono::duration<double> took = Clock::now() - begin;
    return !options.seconds || took.count() < *options.seconds;
  };
  if (grounding == Grounding::lazy && task == GraphTask::partition) {
    throw UsageError("lazy grounding is for the tasks map and marginals: log Z needs all clauses");
  }
  bool lazy = grounding == Grounding::lazy;
  if (!lazy) {
    RuleGrounder grounder(space, options);
    lazy = grounding == Grounding::automatic && task == GraphTask::map &&
           grounder.has_more_rows(kManyGroundings);
    if (!lazy) {
      grounder.ground_all();
      store_ = std::move(grounder.store());
    }
  }
  if (lazy) {
    lazy_for_ = task;
    const auto use = task == GraphTask::map ? LazyGrounder::For::best : LazyGrounder::For::draws;
    store_ = LazyGrounder(space, options, use).closure();
  }
  if (auto warning = warning_of_empty_types(space)) warnings_.push_back(std::move(*warning));
  for (const AtomPattern& each : queries) add_atoms(each);
  for (std::uint32_t p = 0; queries.empty() && p < space.network().predicates.size(); ++p) {
    if (space.is_open(p)) add_atoms({.predicate = p, .constants = {}});
  }
  check_hard_rules(in_time);
}

void GroundNetwork::check_hard_rules(const std::function<bool()>& in_time) {
  const LogicNetwork& network = space_.network();
  const LogicUnits units = logic_units(space_);
  // Any hard rule that has the clause; that of atoms of parts has none.
  const auto rule_of = [&](std::size_t clause) {
    std::size_t found = network.rules.size();
    store_.for_shares(clause, [&](std::uint32_t unit, double) {
      const auto after = std::upper_bound(units.first.begin(), units.first.end(), unit);
      const auto rule = static_cast<std::size_t>(after - units.first.begin() - 1);
      if (network.rules[rule].hard) found = rule;
    });
    return found;
  };
  std::vector<std::size_t> conflict = hard_conflict(store_);
  if (!conflict.empty()) {
    std::vector<std::size_t> rules;
    for (const std::size_t clause : least_conflict(store_, std::move(conflict), rule_of)) {
      rules.push_back(rule_of(clause));
    }
    fail_hard_rules(std::move(rules));
  }
  const HardSearchEnd end = search_allowed_world(store_, {}, {}, in_time).end;
  if (end == HardSearchEnd::none) {
    fail_hard_rules(conflicting_groups(store_, rule_of, {}, in_time));
  }
  may_have_no_world_ = end == HardSearchEnd::given_up;
}

void GroundNetwork::fail_hard_rules(std::vector<std::size_t> rules) const {
  const LogicNetwork& network = space_.network();
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  std::string list;
  for (const std::size_t rule : rules) {
    if (rule == network.rules.size()) continue;  // of parts of formulas
    list += (list.empty() ? " " : "; ") + place_of(network.rules[rule].where) + ": " +
            network.rules[rule].text;
  }
  throw Error(
      "no world keeps these hard rules, with the evidence and the marks of arguments; leave "
      "one out, or go on with --soft-hard WEIGHT:",
      list);
}

void GroundNetwork::add_atoms(const AtomPattern& pattern) {
  const std::vector<std::uint32_t>& types = space_.network().predicates[pattern.predicate].types;
  std::vector<std::uint32_t> given(types.size(), kNoNumber), constants(types.size(), 0);
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (space_.constants(types[i]) == 0) return;
    if (pattern.constants.empty() || pattern.constants[i].empty()) continue;
    given[i] = space_.evidence().types[types[i]].find(pattern.constants[i]);
    if (given[i] == kNoNumber) {
      throw UsageError("the question's constant ", in_quotes(pattern.constants[i]),
                       " is none of the type ", space_.network().type_names[types[i]]);
    }
    constants[i] = given[i];
  }
  check_count(pattern.predicate, given);
  while (true) {
    const std::uint64_t key = space_.key(pattern.predicate, constants);
    keys_.push_back(key);
    if (space_.truth(pattern.predicate, key) == Truth::unknown) store_.atom(key);
    std::size_t i = types.size();
    while (i-- > 0) {
      if (given[i] != kNoNumber) continue;
      if (++constants[i] < space_.constants(types[i])) break;
      constants[i] = 0;
    }
    if (i == static_cast<std::size_t>(-1)) return;
  }
}

void GroundNetwork::check_count(std::uint32_t predicate,
                                const std::vector<std::uint32_t>& given) const {
  const std::vector<std::uint32_t>& types = space_.network().predicates[predicate].types;
  double count = 1;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (given[i] == kNoNumber) count *= static_cast<double>(space_.constants(types[i]));
  }
  count += static_cast<double>(keys_.size());
  if (count <= kMostAsked && (options_.memory == 0 || count * kAtomBytes <= options_.memory))
    return;
  throw Error("the atoms of ", space_.network().predicate_names[predicate],
              " that are asked for are too many to list, ",
              static_cast<std::uint64_t>(std::min(count, 1e18)),
              " in all; ask for fewer with --query, or close the predicate with --closed");
}

const FactorGraph& GroundNetwork::graph() const {
  if (!graph_) graph_ = graph_of(store_);
  return *graph_;
}

// By a method of clauses where one is named, or where `auto` takes one; else by one of graphs.
InferResult GroundNetwork::infer_on_clauses(const InferRequest& request,
                                            const InferCalls& calls) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  InferResult result;
  result.task = request.task;
  const bool draws_lazily = lazy_for_ == GraphTask::marginals;
  GroundOptions for_draws = options_;  // the time is the request's
  for_draws.seconds.reset();
  for_draws.progress = {};
  const LogicProblem problem{store_, request,
                             [&](const GraphProgress& progress) {
                               const bool in_time =
                                   !request.seconds || seconds() < *request.seconds;
                               const bool wanted = !calls.progress || calls.progress(progress);
                               result.stopped = result.stopped || !in_time || !wanted;
                               return in_time && wanted;
                             },
                             draws_lazily ? &space_ : nullptr, for_draws};
  const LogicMethod* method = logic_method_named(request.method);
  if (draws_lazily && request.method == "auto") {
    method = logic_method_named("mc-sat");
    result.reason = "grounding is lazy";
  } else if (draws_lazily && method == nullptr) {
    throw UsageError("lazy grounding gives probabilities by mc-sat, not by ", request.method,
                     ", which needs all clauses; use --grounding full");
  }
  if (method != nullptr) {
    check(method->row, request);
  } else if (request.method == "auto" && !draws_lazily) {
    method = choose_logic_method(problem, graph(), result.reason);
  } else if (infer_method_named(request.method) == nullptr) {
    std::vector<std::string_view> names;
    for (const InferMethod& each : infer_methods()) names.push_back(each.name);
    for (const LogicMethod& each : logic_methods()) names.push_back(each.row.name);
    throw UsageError("no method ", in_quotes(request.method), did_you_mean(request.method, names),
                     "; beside those of croft infer there are\n", describe_logic_methods());
  }
  if (method == nullptr) {
    return infer(graph(), Evidence(store_.atoms(), kUnobserved), request, calls);
  }
  result.method = method->row.name;
  if (calls.plan && !result.reason.empty()) {
    calls.plan(result.method + ": " + result.reason.text());
  }
  method->run(problem, result);
  if (request.method == "auto" && request.task == GraphTask::map) {
    prove_world(problem, graph(), result);
  }
  result.seconds = seconds();
  return result;
}

LogicAnswer GroundNetwork::answer(const InferRequest& request, const InferCalls& calls) const {
  if (lazy_for_ && *lazy_for_ != request.task) {
    throw UsageError("what was ground lazily for ", name_of(*lazy_for_), " answers no other task");
  }
  if (request.task == GraphTask::marginal_map || request.task == GraphTask::sample) {
    throw UsageError("a Markov logic network answers the tasks partition, marginals and map, not ",
                     name_of(request.task));
  }
  LogicAnswer out;
  out.result = infer_on_clauses(request, calls);
  out.result.warnings.insert(out.result.warnings.begin(), warnings_.begin(), warnings_.end());
  const bool shows_world = request.task == GraphTask::map || out.result.method == "mc-sat";
  if (may_have_no_world_ && !shows_world && out.result.kind != ResultKind::exact) {
    out.result.warnings.emplace_back(
        "whether any world keeps all hard rules is not known: a search for one gave up; where "
        "there "
        "is none, this estimate means nothing");
  }
  out.ground_atoms = store_.atoms();
  out.clauses = store_.clauses();
  if (out.result.log_partition) {
    if (std::isinf(*out.result.log_partition)) {
      throw Error("no world keeps all hard rules of the network; go on with --soft-hard WEIGHT");
    }
    out.log_partition = store_.base() + *out.result.log_partition;
  }
  const bool map = request.task == GraphTask::map;
  if (map) {
    const std::vector<std::uint8_t> values(out.result.assignment.begin(),
                                           out.result.assignment.end());
    out.cost = store_.cost(values);
    out.clause_cost = store_.clause_cost(values);
  }
  if (request.task == GraphTask::partition) return out;
  for (const std::uint64_t key : keys_) {
    AtomAnswer one{.atom = space_.name(key)};
    const Truth truth = space_.truth(space_.predicate_of(key), key);
    one.known = truth != Truth::unknown;
    if (one.known) {
      one.probability = truth == Truth::yes ? 1 : 0;
    } else {
      const std::uint32_t atom = store_.find_atom(key);
      if (!out.result.standard_errors.empty()) {
        one.standard_error = out.result.standard_errors[atom][1];  // not a number: unknown
      }
      one.probability = map ? out.result.assignment[atom] : out.result.marginals[atom][1];
    }
    out.atoms.push_back(std::move(one));
  }
  return out;
}

Json to_json(const LogicAnswer& answer) {
  Json out = {{"task", name_of(answer.result.task)}, {"method", answer.result.method},
              {"kind", name_of(answer.result.kind)}, {"converged", answer.result.converged},
              {"seconds", answer.result.seconds},    {"ground_atoms", answer.ground_atoms},
              {"ground_clauses", answer.clauses}};
  if (answer.result.effective_samples) {
    out["effective_samples"] = *answer.result.effective_samples;
  }
  if (!answer.result.reason.empty()) out["reason"] = answer.result.reason.text();
  if (answer.log_partition) out["log_partition"] = *answer.log_partition;
  if (answer.cost) out["cost"] = *answer.cost;
  if (answer.clause_cost) out["clause_cost"] = *answer.clause_cost;
  for (const Message& note : answer.result.notes) out["notes"].push_back(note.text());
  for (const Message& warning : answer.result.warnings) out["warnings"].push_back(warning.text());
  if (answer.result.task == GraphTask::partition) return out;
  const bool map = answer.result.task == GraphTask::map;
  Json atoms = Json::array();
  for (const AtomAnswer& each : answer.atoms) {
    Json atom = {{"atom", each.atom}, {"known", each.known}};
    if (map) {
      atom["true"] = each.probability != 0;
    } else {
      atom["probability"] = each.probability;
      if (each.standard_error) atom["standard_error"] = *each.standard_error;
    }
    atoms.push_back(std::move(atom));
  }
  out["atoms"] = std::move(atoms);
  return out;
}

}  // namespace croft
