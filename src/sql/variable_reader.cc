#include "sql/variable_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/parse_number.h"
#include "croft/core/error.h"
#include "sql/row_ids.h"

namespace croft {
namespace {

constexpr std::array<std::string_view, 7> kColumns = {"id",       "label", "instance", "domain",
                                                      "sequence", "known", "weight"};

// Where the columns of a query of variables are.
struct VariableColumns {
  std::size_t id, label, instance, domain, sequence, known, weight;  // kNone: not there
};

VariableColumns columns_of(const Query& query, const VariableSpec& variables) {
  for (const std::string& name : query.names()) {
    const bool known = std::ranges::any_of(
        kColumns, [&](std::string_view each) { return query.find(name) == query.find(each); });
    if (!known) {
      query.fail(
          "a column " + in_quotes(name) + " of no meaning",
          "columns are id, label, instance, domain, sequence, known and weight; features are those "
          "of templates");
    }
  }
  const VariableColumns at = {query.find("id"),     query.find("label"),    query.find("instance"),
                              query.find("domain"), query.find("sequence"), query.find("known"),
                              query.find("weight")};
  if (at.known != Query::kNone && at.label == Query::kNone) {
    query.fail("a column known, and no column label of which it could say so");
  }
  if (at.id == Query::kNone) query.fail("no column id", "write: select … as id");
  if (variables.domain.empty() == (at.domain == Query::kNone)) {
    query.fail(at.domain == Query::kNone
                   ? "no column domain, and no domain = \"…\" beside the query"
                   : "a column domain beside domain = \"…\"",
               "give one of the two");
  }
  return at;
}

// Whether a column `known` says so of a label; NULL and 0 do not.
bool is_known(const Query& query, std::size_t column) {
  if (column == Query::kNone || query.is_null(column)) return false;
  const CellType type = query.type(column);
  if (type == CellType::text || (query.real(column) != 0 && query.real(column) != 1)) {
    query.fail_row("the column known has " + in_quotes(query.text(column)), "it is 1, 0 or NULL");
  }
  return query.real(column) == 1;
}

// By value where all are numbers, else by bytes.
void sort_labels(std::vector<std::string>& labels) {
  std::vector<std::pair<double, std::string>> numbers;
  for (const std::string& each : labels) {
    double value = 0;
    if (parse_number(each, value) != NumberKind::finite) {
      std::ranges::sort(labels);
      return;
    }
    numbers.emplace_back(value, each);
  }
  std::ranges::sort(numbers);
  for (std::size_t k = 0; k < labels.size(); ++k) labels[k] = std::move(numbers[k].second);
}

// At the place of the query that has the variables, where one names the domain.
[[noreturn]] void fail_unlabelled(const GraphSpec& spec, const std::string& domain) {
  const auto found = std::ranges::find(spec.variables, domain, &VariableSpec::domain);
  Location where{spec.name};
  std::string remedy = "list them: [labels], then " + domain + " = [\"A\", \"B\"]";
  if (found != spec.variables.end()) {
    where.line = found->query.line;
    if (!found->remedy.empty()) remedy = found->remedy;
  }
  throw InputError(where, "the domain has no labels in the data", domain, remedy);
}

}  // namespace

std::vector<Domain> find_domains(const Database& database, const GraphSpec& spec) {
  StringTable names;
  std::vector<StringTable> labels;
  const auto domain_of = [&](std::string_view name) {
    const std::uint32_t k = names.insert(name);
    if (k == labels.size()) labels.emplace_back();
    return k;
  };
  for (const std::string& each : spec.domains()) domain_of(each);
  for (const VariableSpec& variables : spec.variables) {
    if (!variables.domain.empty() && spec.listed(variables.domain) != nullptr) continue;
    Query query(database, variables.query);
    const VariableColumns at = columns_of(query, variables);
    if (at.label == Query::kNone && at.domain == Query::kNone) {
      query.fail("no column label, and the domain's labels are not listed",
                 "list them: [labels], then " + variables.domain + " = [\"A\", \"B\"]");
    }
    std::uint32_t domain = variables.domain.empty() ? 0 : domain_of(variables.domain);
    while (query.next()) {
      if (at.domain != Query::kNone) domain = domain_of(query.text(at.domain));
      if (at.label != Query::kNone && !query.is_null(at.label)) {
        labels[domain].insert(query.text(at.label));
      }
    }
  }
  std::vector<Domain> domains;
  for (std::uint32_t d = 0; d < labels.size(); ++d) {
    Domain domain{std::string(names[d]), {}};
    if (const DomainLabels* listed = spec.listed(domain.name)) {
      domain.labels = listed->labels;
    } else {
      for (std::uint32_t k = 0; k < labels[d].size(); ++k) domain.labels.emplace_back(labels[d][k]);
      sort_labels(domain.labels);
    }
    if (domain.labels.empty()) {
      fail_unlabelled(spec, domain.name);
    }
    domains.push_back(std::move(domain));
  }
  return domains;
}

std::uint32_t VariableReader::domain_named(const Query& query, std::string_view name) const {
  const auto found = std::ranges::find(schema_.domains, name, &Domain::name);
  if (found != schema_.domains.end()) {
    return static_cast<std::uint32_t>(found - schema_.domains.begin());
  }
  std::string names;
  for (const Domain& each : schema_.domains) names += (names.empty() ? "" : ", ") + each.name;
  query.fail_row("there is no domain " + in_quotes(name), "the model has " + names);
}

void VariableReader::read(CliqueData& data, VariableTable& table,
                          const GraphTables::Progress& progress) {
  const std::size_t domains = schema_.domains.size();
  table.ids_.resize(domains);
  table.variable_.resize(domains);
  labels_.resize(domains);
  for (std::size_t d = 0; d < domains; ++d) {
    for (const std::string& each : schema_.domains[d].labels) labels_[d].insert(each);
  }
  for (const VariableSpec& each : spec_.variables) read(each, data, table, progress);
  if (weight_.empty()) return;
  weight_.resize(data.groups(), 1.0);
  for (double& each : weight_) each = std::isnan(each) ? 1 : each;
  data.weigh(std::move(weight_));
}

void VariableReader::weigh(const Query& query, std::size_t column, std::uint32_t variable,
                           const CliqueData& data) {
  constexpr double kLargest = 1e15;  // as of sequences
  const double weight = query.is_null(column) ? -1 : query.real(column);
  if (query.type(column) == CellType::text || !(weight >= 0 && weight <= kLargest)) {
    query.fail_row(
        "the column weight has " + (query.is_null(column) ? "NULL" : in_quotes(query.text(column))),
        "it is a number from 0 to 1e15");
  }
  weight_.resize(data.groups(), std::numeric_limits<double>::quiet_NaN());
  double& of_group = weight_[data.group(variable)];
  if (!std::isnan(of_group) && of_group != weight) {
    query.fail_row("another weight than an earlier variable of the instance " +
                       in_quotes(data.group_name(variable)) + " has",
                   "a weight is that of an instance: give all of its variables the same");
  }
  of_group = weight;
}

void VariableReader::read(const VariableSpec& variables, CliqueData& data, VariableTable& table,
                          const GraphTables::Progress& progress) {
  Query query(database_, variables.query);
  const VariableColumns at = columns_of(query, variables);
  const bool compares = use_ == LabelUse::gold || use_ == LabelUse::rest;
  if (compares && at.label == Query::kNone) {
    query.fail("no column label to compare with");
  }
  table.says_known_ = table.says_known_ || at.known != Query::kNone;
  std::uint32_t domain = 0;
  if (!variables.domain.empty()) domain = domain_named(query, variables.domain);
  while (query.next()) {
    if (at.domain != Query::kNone) domain = domain_named(query, query.text(at.domain));
    if (query.is_null(at.id)) query.fail_row("the id is NULL");
    (query.type(at.id) == CellType::text ? table.has_text_ids_ : table.has_number_ids_) = true;
    bool is_new = false;
    const std::uint32_t number = table.ids_[domain].insert(id_in(query, at.id), is_new);
    if (!is_new) {
      query.fail_row("the id " + in_quotes(query.text(at.id)) + " twice in the domain '" +
                         schema_.domains[domain].name + "'",
                     "give each variable of a domain an id of its own");
    }
    State known = kUnobserved;
    std::uint32_t gold = kUnobserved;
    if (use_ != LabelUse::ignored && at.label != Query::kNone && !query.is_null(at.label)) {
      const std::string_view label = query.text(at.label);
      std::uint32_t state = labels_[domain].find(label);
      const bool given = is_known(query, at.known);
      const bool to_condition = use_ == LabelUse::known || (use_ == LabelUse::rest && given);
      if (state == kUnknown && to_condition) {
        query.fail_row("a label " + in_quotes(label) + " that is none of the domain '" +
                           schema_.domains[domain].name + "'",
                       "NULL is a label that is not known");
      }
      if (state == kUnknown) {
        state = table.gold_.other(schema_, domain, label);
      }
      if (to_condition && (given || at.known == Query::kNone)) known = state;
      if (!to_condition) gold = state;
    }
    std::string_view group;
    if (at.instance != Query::kNone) {
      if (query.is_null(at.instance)) query.fail_row("the instance is NULL");
      group = query.text(at.instance);
    }
    std::uint32_t sequence = 0;
    if ((compares || sequences_) && at.sequence != Query::kNone) {
      if (query.is_null(at.sequence)) query.fail_row("the sequence is NULL");
      sequence = table.sequences_.insert(query.text(at.sequence));
    }
    const std::uint32_t variable = data.add_variable(domain, group, known);
    if (at.weight != Query::kNone && use_ != LabelUse::ignored) {
      weigh(query, at.weight, variable, data);
    }
    table.variable_[domain].push_back(variable);
    table.domain_.push_back(domain);
    table.number_.push_back(number);
    if (compares) table.gold_.state.push_back(gold);
    if (compares || sequences_) table.gold_.sequence.push_back(sequence);
    if (progress && data.variables() % 50'000 == 0) progress(data.variables(), 0);
  }
}

std::uint32_t VariableTable::find(std::uint32_t domain, const RowId& id) const {
  const std::uint32_t number = ids_[domain].find(id);
  return number == RowIds::kNone ? kUnknown : variable_[domain][number];
}

IdType VariableTable::id_type() const {
  if (has_number_ids_ && has_text_ids_) return IdType::mixed;
  return has_text_ids_ ? IdType::text : IdType::number;
}

std::string VariableTable::id(std::uint32_t variable) const { return to_string(row_id(variable)); }

}  // namespace croft
