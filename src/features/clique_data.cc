#include "features/clique_data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "croft/core/error.h"

namespace croft {

void CliqueTemplate::check() const {
  const InteractionKind kind = interaction.kind();
  if (domain.size() != interaction.arity()) throw UsageError("domains of another number of places");
  if (has_lists() && (!interaction.counting() || lists.size() != domain.size())) {
    throw UsageError("lists of variables go with an interaction that counts, such as 'at-most'");
  }
  if (is_known() && !penalty) throw UsageError("the interaction 'known' needs a penalty");
  if (penalty) {
    if (!(*penalty > 0)) throw UsageError("a penalty is a number above 0");
    const bool rule = interaction.counting() && kind != InteractionKind::count;
    if (!scores || !given.empty() || !interaction.forbidden().empty() ||
        !(is_known() || kind == InteractionKind::listed || (rule && interaction.rule().broken))) {
      throw UsageError(
          "a penalty is of joint states, of a rule that is broken, or of known values");
    }
  } else if (interaction.counting() && interaction.rule().broken) {
    throw UsageError("a rule that is broken needs a penalty");
  }
  std::set<std::pair<std::string_view, std::uint32_t>> named;
  for (const GivenWeight& each : given) {
    if (!scores || each.cell >= interaction.cells()) {
      throw UsageError("a weight of a cell that is not there");
    }
    if (!std::isfinite(each.weight)) throw UsageError("a weight that is no finite number");
    if (!named.emplace(each.feature, each.cell).second) {
      throw UsageError("two weights of the feature ", in_quotes(each.feature),
                       " for one joint state; leave one out");
    }
  }
}

std::uint32_t CliqueRows::shape_of(std::span<const std::uint32_t> sizes) {
  if (sizes.empty()) return 0;
  const auto [found, is_new] =
      number_of_shape_.try_emplace({sizes.begin(), sizes.end()}, shapes_.size());
  if (is_new) shapes_.emplace_back(sizes.begin(), sizes.end());
  return found->second;
}

std::uint32_t CliqueRows::insert(std::uint32_t clique_template,
                                 std::span<const CliqueFeature> features,
                                 std::span<const std::uint32_t> sizes) {
  const std::uint32_t shape = shape_of(sizes);
  std::uint64_t hash = 0x9e3779b97f4a7c15 ^ clique_template ^ std::uint64_t{shape} << 32;
  for (const CliqueFeature& each : features) {
    hash = (hash ^ each.id) * 0xff51afd7ed558ccd;
    hash = (hash ^ (hash >> 32) ^ std::bit_cast<std::uint64_t>(each.value)) * 0xc4ceb9fe1a85ec53;
    hash ^= hash >> 29;
  }
  hash *= 0x9e3779b97f4a7c15;
  const auto print = static_cast<std::uint32_t>(hash >> 32);
  if (4 * (size() + 1) > 3 * slots_.size()) grow();
  std::size_t at = home(print);
  for (; slots_[at].row != kUnknown; at = at + 1 == slots_.size() ? 0 : at + 1) {
    const std::uint32_t row = slots_[at].row;
    if (slots_[at].fingerprint == print && template_[row] == clique_template &&
        (shape_.empty() ? 0 : shape_[row]) == shape &&
        std::ranges::equal(this->features(row), features)) {
      return row;
    }
  }
  if (size() + 1 >= kUnknown) throw Error("more than 2^32 - 2 different lists of features");
  const auto row = static_cast<std::uint32_t>(size());
  slots_[at] = {print, row};
  template_.push_back(static_cast<std::uint16_t>(clique_template));
  if (shapes_.size() > 1) {
    shape_.resize(row, 0);
    shape_.push_back(shape);
  }
  feature_.insert(feature_.end(), features.begin(), features.end());
  begin_.push_back(feature_.size());
  return row;
}

void CliqueRows::grow() {
  std::vector<Slot> old(slots_.size() + slots_.size() / 2 + 16, Slot{0, kUnknown});
  old.swap(slots_);
  for (const Slot slot : old) {
    if (slot.row == kUnknown) continue;
    std::size_t at = home(slot.fingerprint);
    while (slots_[at].row != kUnknown) at = at + 1 == slots_.size() ? 0 : at + 1;
    slots_[at] = slot;
  }
}

std::uint32_t CliqueData::add_variable(std::uint32_t domain, std::string_view group, State known) {
  if (domain >= schema_.domains.size())
    throw UsageError("a variable of a domain that is not there");
  const std::size_t labels = schema_.domains[domain].labels.size();
  if (known != kUnobserved && known >= labels) {
    throw UsageError("a variable is known to be in state " + std::to_string(known) +
                     ", its domain '" + schema_.domains[domain].name + "' has " +
                     std::to_string(labels) + " labels");
  }
  if (variables() >= kUnobserved) throw Error("the data has more than 2^32 - 2 variables");
  domain_.push_back(domain);
  group_.push_back(group_names_.insert(group));
  known_.push_back(known);
  return static_cast<std::uint32_t>(domain_.size() - 1);
}

void CliqueData::weigh(std::vector<double> weights) {
  if (weights.size() != groups()) {
    throw UsageError(std::to_string(weights.size()) + " weights, and there are " +
                     std::to_string(groups()) + " instances; give one for each");
  }
  for (const double each : weights) {
    if (each >= 0 && each < std::numeric_limits<double>::infinity()) continue;
    throw UsageError("the weight of an instance is " + std::to_string(each) +
                     "; it must be a finite number of 0 or more");
  }
  weight_ = std::move(weights);
}

// Where the k-th variable of a clique is.
std::size_t CliqueData::place_of(const CliqueTemplate& t, std::size_t k,
                                 std::span<const std::uint32_t> sizes) const {
  if (!t.has_lists()) return k;
  std::size_t place = 0;
  while (k >= sizes[place]) k -= sizes[place++];
  return place;
}

void CliqueData::check_variables(const CliqueTemplate& t, std::span<const std::uint32_t> variables,
                                 std::span<const std::uint32_t> sizes) const {
  constexpr std::size_t kFew = 16;
  const auto fail = [&](const std::string& what) { throw CliqueError(t.name, what); };
  if (t.has_lists()) {
    std::size_t all = 0;
    for (const std::uint32_t each : sizes) all += each;
    bool fits = sizes.size() == t.domain.size() && all == variables.size();
    for (std::size_t place = 0; fits && place < sizes.size(); ++place) {
      fits = t.lists[place] || sizes[place] == 1;
    }
    if (!fits) fail("lists of another number of variables");
    if (variables.empty()) fail("a clique without variables");
  } else if (variables.size() != t.domain.size()) {
    fail("a clique of " + std::to_string(variables.size()) + " variables, it needs " +
         std::to_string(t.domain.size()));
  }
  std::vector<std::uint32_t> sorted;
  if (variables.size() > kFew) {
    sorted.assign(variables.begin(), variables.end());
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) {
      fail("a clique has the same variable twice");
    }
  }
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const std::uint32_t v = variables[k];
    if (v >= this->variables()) fail("there is no variable " + std::to_string(v));
    if (sorted.empty() && std::ranges::count(variables, v) > 1) {
      fail("a clique has the same variable twice");
    }
    const std::uint32_t domain = t.domain[place_of(t, k, sizes)];
    if (domain_[v] != domain) {
      fail("variable " + std::to_string(k + 1) + " of a clique is of the domain '" +
           schema_.domains[domain_[v]].name + "', it must be of '" + schema_.domains[domain].name +
           "'");
    }
    if (group_[v] != group_[variables[0]]) {
      fail("a clique has variables of the groups '" + std::string(group_name(variables[0])) +
           "' and '" + std::string(group_name(v)) + "'");
    }
  }
}

void CliqueData::check_possible(const CliqueTemplate& t, std::span<const std::uint32_t> variables,
                                std::span<const CliqueFeature> features,
                                std::span<const std::uint32_t> sizes) const {
  constexpr std::size_t kShown = 8;
  const bool hard = t.penalty && *t.penalty == std::numeric_limits<double>::infinity();
  if (!hard && t.interaction.forbidden().empty()) return;
  std::vector<State> at;
  for (const std::uint32_t v : variables) at.push_back(known_[v]);
  const bool breaks = t.is_known() ? hard && at[0] != kUnobserved && at[0] != features[0].id
                                   : t.interaction.rules_out(at, sizes, hard);
  if (!breaks) return;
  std::string labels;
  for (std::size_t k = 0; k < at.size() && k < kShown; ++k) {
    const Domain& domain = schema_.domains[domain_[variables[k]]];
    labels += (k == 0 ? "" : ", ") + (at[k] == kUnobserved ? "?" : domain.labels[at[k]]);
  }
  if (at.size() > kShown) labels += ", …";
  const bool known = std::ranges::any_of(at, [](State s) { return s != kUnobserved; });
  const std::string rule =
      t.is_known() ? "the known value '" + schema_.domains[t.domain[0]].labels[features[0].id] + "'"
      : t.interaction.counting() ? "the rule '" + std::string(name_of(t.interaction.kind())) +
                                       (has_threshold(t.interaction.kind())
                                            ? " " + std::to_string(t.interaction.rule().k) + "'"
                                            : "'")
                                 : "what is forbidden";
  throw CliqueError(
      t.name, known ? "its labels (" + labels + ") break " + rule
                    : "no labels of " + std::to_string(at.size()) + " variables keep " + rule);
}

// What the cells of a constraint score, into sorted_.
void CliqueData::set_penalties(const CliqueTemplate& t) {
  const std::uint32_t right = t.is_known() ? sorted_[0].id : kUnknown;
  sorted_.clear();
  for (std::uint32_t cell = 0; cell < t.interaction.cells(); ++cell) {
    if (cell != right) sorted_.push_back({cell, -*t.penalty});
  }
}

void CliqueData::add_clique(std::uint32_t clique_template, std::span<const std::uint32_t> variables,
                            std::span<const CliqueFeature> features,
                            std::span<const std::uint32_t> sizes) {
  if (clique_template >= schema_.templates.size()) {
    throw UsageError("a clique of a template that is not there");
  }
  const CliqueTemplate& t = schema_.templates[clique_template];
  const auto fail = [&](const std::string& what) { throw CliqueError(t.name, what); };
  check_variables(t, variables, sizes);
  if (t.penalty && features.size() != (t.is_known() ? 1 : 0)) {
    fail(t.is_known() ? "a known value is one label" : "a constraint has no features");
  }
  if (t.is_known() && features[0].id >= t.interaction.cells()) fail("there is no such label");
  check_possible(t, variables, features, sizes);
  sorted_.assign(features.begin(), features.end());
  std::ranges::stable_sort(sorted_, {}, &CliqueFeature::id);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < sorted_.size(); ++k) {
    if (kept > 0 && sorted_[kept - 1].id == sorted_[k].id) {
      sorted_[kept - 1].value += sorted_[k].value;
    } else {
      sorted_[kept++] = sorted_[k];
    }
  }
  sorted_.resize(kept);
  if (t.penalty) set_penalties(t);
  for (const CliqueFeature& each : sorted_) {
    if (!t.scores) break;
    if (each.id >= t.interaction.cells()) {
      fail("a score of cell " + std::to_string(each.id) + ", there are " +
           std::to_string(t.interaction.cells()));
    }
    if (!(each.value < std::numeric_limits<double>::infinity())) {
      fail("a score that is not a number below infinity");
    }
  }
  cliques_.resize(schema_.templates.size());
  Cliques& mine = cliques_[clique_template];
  mine.variable.insert(mine.variable.end(), variables.begin(), variables.end());
  if (t.has_lists()) mine.end.push_back(mine.variable.size());
  std::vector<std::uint32_t> ones;
  if (t.interaction.needs_sizes() && sizes.empty()) ones.assign(t.domain.size(), 1);
  mine.row.push_back(rows_.insert(
      clique_template, sorted_,
      t.interaction.needs_sizes() ? (sizes.empty() ? ones : sizes) : std::span<const uint32_t>()));
}

std::size_t CliqueData::cliques() const {
  return std::accumulate(cliques_.begin(), cliques_.end(), std::size_t{0},
                         [](std::size_t n, const Cliques& c) { return n + c.row.size(); });
}

void CliqueData::add_blocks(VariableBlocks blocks) {
  for (const std::vector<std::uint32_t>& each : blocks.blocks) {
    const bool one = !each.empty() && std::ranges::all_of(each, [&](std::uint32_t v) {
      return v < variables() && group_[v] == group_[each.front()];
    });
    if (!one) throw UsageError("a block of ", in_quotes(blocks.name), " is not of one instance");
  }
  blocks_.push_back(std::move(blocks));
}

std::vector<GraphInstance> CliqueData::unroll() {
  std::vector<GraphInstance> instances(groups());
  std::vector<Variable> local(variables());
  for (std::size_t g = 0; g < weight_.size(); ++g) instances[g].weight = weight_[g];
  for (std::uint32_t v = 0; v < variables(); ++v) {
    GraphInstance& instance = instances[group_[v]];
    local[v] = instance.graph.add_variable(schema_.domains[domain_[v]].labels.size());
    instance.variable.push_back(v);
    instance.known.push_back(known_[v]);
  }
  // Of a row, the potential that it has in an instance: the last one that had it.
  struct Last {
    std::uint32_t instance = 0xffffffff;
    PotentialId potential = 0;
  };
  std::vector<Last> last(rows_.size());
  std::vector<Variable> scope;
  for (std::size_t t = 0; t < cliques_.size(); ++t) {
    Cliques& mine = cliques_[t];
    const std::size_t arity = schema_.templates[t].domain.size();
    const auto clique = [&](std::size_t c) {
      const std::size_t end = mine.end.empty() ? (c + 1) * arity : mine.end[c];
      const std::size_t begin = mine.end.empty() ? c * arity : c == 0 ? 0 : mine.end[c - 1];
      return std::span(mine.variable).subspan(begin, end - begin);
    };
    // By instance, so that each meets a row's cliques one after the other.
    std::vector<std::uint64_t> begin(groups() + 1, 0);
    for (std::size_t c = 0; c < mine.row.size(); ++c) ++begin[group_[clique(c)[0]] + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> order(mine.row.size());
    for (std::size_t c = 0; c < mine.row.size(); ++c) {
      order[begin[group_[clique(c)[0]]]++] = static_cast<std::uint32_t>(c);
    }
    for (const std::uint32_t c : order) {
      const std::uint32_t g = group_[clique(c)[0]], row = mine.row[c];
      GraphInstance& instance = instances[g];
      if (last[row].instance != g) {
        last[row] = {
            g, schema_.templates[t].interaction.add_potential(instance.graph, rows_.sizes(row))};
        instance.row.push_back(row);
      }
      scope.clear();
      for (const std::uint32_t v : clique(c)) scope.push_back(local[v]);
      instance.graph.add_factor(scope, last[row].potential);
    }
    mine = {};
  }
  rows_.forget_hashes();
  for (const VariableBlocks& named : blocks_) {
    for (GraphInstance& instance : instances) instance.blocks[named.name];
    for (const std::vector<std::uint32_t>& each : named.blocks) {
      std::vector<Variable>& block =
          instances[group_[each.front()]].blocks[named.name].emplace_back();
      for (const std::uint32_t v : each) block.push_back(local[v]);
    }
  }
  // What their vectors have spared for more is a third of many small graphs' memory.
  for (std::size_t g = 0; instances.size() > 1 && g < instances.size(); ++g) {
    instances[g].graph = FactorGraph(instances[g].graph);
    for (auto* each : {&instances[g].variable, &instances[g].row}) each->shrink_to_fit();
    instances[g].known.shrink_to_fit();
  }
  return instances;
}

std::vector<GraphInstance> CliqueData::adopt(CliqueData& other) {
  std::vector<GraphInstance> instances = other.unroll();
  std::vector<std::uint32_t> row_here(other.rows_.size(), kUnknown);
  for (GraphInstance& instance : instances) {
    for (std::uint32_t& row : instance.row) {
      if (row_here[row] == kUnknown) {
        row_here[row] = rows_.insert(other.rows_.template_of(row), other.rows_.features(row),
                                     other.rows_.sizes(row));
      }
      row = row_here[row];
    }
  }
  rows_.forget_hashes();
  return instances;
}

}  // namespace croft
