#include "app/infer/network_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "app/infer/table_text.h"
#include "app/inspect/inspect.h"
#include "core/infinity.h"
#include "core/json.h"
#include "core/words/counted.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/junction_tree.h"
#include "train/generative/bayes_net.h"

namespace croft {
namespace {

constexpr double kMostBytes = 8e9;          // of the junction tree of a row
constexpr std::size_t kMostParts = 200000;  // that a thread remembers
constexpr std::size_t kBlock = 64;          // rows that a thread takes at a time

// Of a network: what all threads read.
struct Tables {
  explicit Tables(const FactorGraph& of) : graph(of), lists(of), own(of.variables(), 0) {
    for (Factor f = 0; f < graph.factors(); ++f) {
      own[graph.scope(f).back()] = f;
      scores.push_back(graph.table(f));
    }
  }
  const FactorGraph& graph;
  FactorLists lists;
  std::vector<Factor> own;  // [variables] of p(v | its parents)
  std::vector<std::vector<double>> scores;
};

// One row after the other.
class CaseSums {
 public:
  CaseSums(const Tables& tables, std::optional<Variable> target)
      : tables_(tables), target_(target) {}

  CaseAnswer answer(std::span<const State> row) {
    row_.assign(row.begin(), row.end());
    if (target_) row_[*target_] = kUnobserved;
    find_needed();
    CaseAnswer answer{known_factors(), {}};
    std::vector<bool> done(row_.size(), false);
    if (target_) {
      const Part& part = part_of(*target_, done);
      answer.log_probability += part.log_z;
      answer.posterior = part.first;
    }
    for (Variable v = 0; v < row_.size(); ++v) {
      if (!needed_[v] || done[v] || row_[v] != kUnobserved) continue;
      answer.log_probability += part_of(v, done).log_z;
    }
    if (answer.log_probability == -kInf) answer.posterior.clear();
    return answer;
  }

 private:
  struct Part {
    double log_z = 0;
    std::vector<double> first;  // marginals of its first variable
  };

  // What is known, the target, and all ancestors: others sum to 1.
  void find_needed() {
    needed_.assign(row_.size(), false);
    std::vector<Variable> open;
    const auto need = [&](Variable v) {
      if (!needed_[v]) open.push_back(v);
      needed_[v] = true;
    };
    for (Variable v = 0; v < row_.size(); ++v) {
      if (row_[v] != kUnobserved || v == target_) need(v);
    }
    while (!open.empty()) {
      const Variable v = open.back();
      open.pop_back();
      for (const Variable parent : tables_.graph.scope(tables_.own[v])) need(parent);
    }
  }

  bool is_needed(Factor f) const { return needed_[tables_.graph.scope(f).back()]; }

  // The sum of the scores of factors without an unknown variable.
  double known_factors() const {
    double sum = 0;
    for (Variable v = 0; v < row_.size(); ++v) {
      if (!needed_[v]) continue;
      const auto scope = tables_.graph.scope(tables_.own[v]);
      std::uint64_t joint = 0;
      bool known = true;
      for (const Variable u : scope) {
        known = known && row_[u] != kUnobserved;
        if (known) joint = joint * tables_.graph.states(u) + row_[u];
      }
      if (known) sum += tables_.scores[tables_.own[v]][joint];
    }
    return sum;
  }

  // Of a connected piece of unknown variables, from one of them on.
  const Part& part_of(Variable first, std::vector<bool>& done) {
    std::vector<Variable> free{first};
    std::vector<Factor> factors;
    done[first] = true;
    std::string key;
    const auto add_to_key = [&](std::uint32_t number) {
      key.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    add_to_key(first);
    for (std::size_t k = 0; k < free.size(); ++k) {
      for (const Factor f : tables_.lists.of(free[k])) {
        if (!is_needed(f) || std::ranges::find(factors, f) != factors.end()) continue;
        factors.push_back(f);
        add_to_key(f);
        for (const Variable v : tables_.graph.scope(f)) {
          add_to_key(row_[v]);
          if (row_[v] != kUnobserved || done[v]) continue;
          done[v] = true;
          free.push_back(v);
        }
      }
    }
    const auto found = parts_.find(key);
    if (found != parts_.end()) return found->second;
    if (parts_.size() == kMostParts) parts_.clear();
    return parts_.emplace(std::move(key), summed(free, factors)).first->second;
  }

  Part summed(const std::vector<Variable>& free, const std::vector<Factor>& factors) const {
    std::unordered_map<Variable, Variable> number;
    FactorGraph graph;
    for (const Variable v : free) number[v] = graph.add_variable(tables_.graph.states(v));
    for (const Factor f : factors) {
      std::vector<Variable> scope;
      for (const Variable v : tables_.graph.scope(f)) {
        if (row_[v] == kUnobserved) scope.push_back(number.at(v));
      }
      graph.add_factor(scope, graph.add_table(sliced(f)));
    }
    const GraphCallback go_on = until_interrupted();
    JunctionTree tree(graph, find_elimination_order(graph, {.progress = go_on}), go_on);
    if (tree.bytes() > kMostBytes) {
      throw Error("what a case leaves open takes more than 8 GB to sum out; let it know more");
    }
    Part part{tree.log_partition(), {}};
    if (part.log_z > -kInf) part.first = tree.marginals().variable[0];
    return part;
  }

  // The scores that agree with what is known of the scope.
  std::vector<double> sliced(Factor f) const {
    const auto scope = tables_.graph.scope(f);
    std::vector<double> out;
    std::vector<State> at(scope.size(), 0);
    for (const double score : tables_.scores[f]) {
      bool fits = true;
      for (std::size_t k = 0; k < at.size(); ++k) {
        fits = fits && (row_[scope[k]] == kUnobserved || row_[scope[k]] == at[k]);
      }
      if (fits) out.push_back(score);
      for (std::size_t k = at.size(); k-- > 0;) {
        if (++at[k] < tables_.graph.states(scope[k])) break;
        at[k] = 0;
      }
    }
    return out;
  }

  const Tables& tables_;
  const std::optional<Variable> target_;
  CaseRow row_;
  std::vector<bool> needed_;
  std::unordered_map<std::string, Part> parts_;  // by what is known around them
};

std::size_t free_parameters(const FactorGraph& graph) {
  std::size_t count = 0;
  for (Factor f = 0; f < graph.factors(); ++f) {
    const std::size_t own = graph.states(graph.scope(f).back());
    count += graph.joint_states(f) / own * (own - 1);
  }
  return count;
}

class TargetCounts {
 public:
  TargetCounts(const GraphFile& net, Variable target) : evaluation_(ChunkScheme::none) {
    out_.variable = variable_name(net.names, target);
    for (State s = 0; s < net.graph.states(target); ++s) {
      out_.states.push_back(state_name(net.names, target, s));
    }
    out_.confusion.assign(out_.states.size(), std::vector<std::size_t>(out_.states.size(), 0));
    ranked_.resize(out_.states.size());
  }

  void add(State gold, const std::vector<double>& p) {
    if (gold == kUnobserved) {
      ++out_.unknown;
      return;
    }
    const std::string_view name = out_.states[gold];
    if (p.empty()) return evaluation_.add_unlabelled({&name, 1});
    const auto best = static_cast<State>(std::ranges::max_element(p) - p.begin());
    const std::string_view predicted = out_.states[best];
    evaluation_.add({&name, 1}, {&predicted, 1});
    evaluation_.add_log_loss(p[gold] > 0 ? std::max(0.0, -std::log(p[gold])) : kInf, 1);
    evaluation_.add_probability(p[best], best == gold);
    double squares = 0;
    for (State s = 0; s < p.size(); ++s) {
      const double off = p[s] - (s == gold ? 1 : 0);
      squares += off * off;
      ranked_[s].emplace_back(p[s], s == gold);
    }
    evaluation_.add_brier(squares);
    ++out_.confusion[gold][best];
  }

  NetworkEvaluation::OfTarget finish() && {
    out_.summary = evaluation_.summary();
    for (auto& each : ranked_) out_.auc.push_back(rank_cases(std::move(each)).auc);
    return std::move(out_);
  }

 private:
  NetworkEvaluation::OfTarget out_;
  Evaluation evaluation_;
  std::vector<std::vector<std::pair<double, bool>>> ranked_;  // [states][cases]
};

}  // namespace

void check_cases_network(const GraphFile& net, const std::string& path) {
  if (!net.directed) {
    throw UsageError(path,
                     " is no Bayesian network: its factors are no probabilities of a "
                     "variable given others");
  }
  if (!net.decisions.empty()) {
    throw UsageError(path,
                     " has decisions, and cases are of networks without any; croft infer "
                     "--decide is for it");
  }
  check_directed(net.graph, [&](Variable v) { return in_quotes(variable_name(net.names, v)); });
}

std::vector<CaseAnswer> answer_cases(const FactorGraph& graph, std::optional<Variable> target,
                                     std::span<const CaseRow> rows, ThreadPool& pool) {
  const Tables tables(graph);
  std::vector<CaseSums> sums(pool.threads(), CaseSums(tables, target));
  std::vector<CaseAnswer> answers(rows.size());
  pool.run((rows.size() + kBlock - 1) / kBlock, [&](std::size_t block, std::size_t worker) {
    const std::size_t end = std::min(rows.size(), (block + 1) * kBlock);
    for (std::size_t k = block * kBlock; k < end; ++k) answers[k] = sums[worker].answer(rows[k]);
  });
  return answers;
}

double NetworkEvaluation::bic() const {
  return log_likelihood -
         std::log(static_cast<double>(cases)) / 2 * static_cast<double>(parameters);
}

NetworkEvaluation evaluate_network(const GraphFile& net, std::optional<Variable> target,
                                   std::span<const CaseRow> rows, ThreadPool& pool) {
  NetworkEvaluation out;
  out.cases = rows.size();
  out.parameters = free_parameters(net.graph);
  const std::vector<CaseAnswer> answers = answer_cases(net.graph, target, rows, pool);
  std::optional<TargetCounts> counts;
  if (target) counts.emplace(net, *target);
  CompensatedSum log_likelihood;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double log_p = answers[k].log_probability;
    if (target) {
      const State gold = rows[k][*target];
      if (gold != kUnobserved && log_p > -kInf) log_p += std::log(answers[k].posterior[gold]);
      counts->add(gold, answers[k].posterior);
    }
    if (log_p > -kInf) {
      log_likelihood.add(log_p);
    } else {
      ++out.impossible;
    }
  }
  out.log_likelihood = log_likelihood.value();
  if (counts) out.target = std::move(*counts).finish();
  return out;
}

std::string format_table(const NetworkEvaluation& e) {
  std::vector<std::vector<std::string>> head{{"cases", std::to_string(e.cases)}};
  const auto possible = static_cast<double>(e.cases - e.impossible);
  std::string likelihood = fmt::format("{:.4f}", e.log_likelihood);
  if (possible > 0) likelihood += fmt::format(", {:.6f} a case", e.log_likelihood / possible);
  if (e.impossible > 0) {
    likelihood += fmt::format("; {} more have probability 0", counted(e.impossible, "case"));
  }
  head.push_back({"log-likelihood", likelihood});
  head.push_back({"parameters", std::to_string(e.parameters)});
  if (e.impossible == 0) head.push_back({"BIC", fmt::format("{:.4f}", e.bic())});
  std::string text = aligned(head);
  if (!e.target) return text;
  const NetworkEvaluation::OfTarget& t = *e.target;
  text += "\ntarget " + escaped(t.variable) + "\n";
  if (t.unknown > 0) text += fmt::format("{} do not know it\n", counted(t.unknown, "case"));
  text += format_table(t.summary, "cases");
  std::vector<std::vector<std::string>> rows{{"data \\ predicted"}};
  for (const std::string& each : t.states) rows[0].push_back(escaped(each));
  rows[0].emplace_back("AUC");
  for (State s = 0; s < t.states.size(); ++s) {
    rows.push_back({escaped(t.states[s])});
    for (const std::size_t each : t.confusion[s]) rows.back().push_back(std::to_string(each));
    rows.back().push_back(t.auc[s] ? fmt::format("{:.4f}", *t.auc[s]) : "-");
  }
  return text + "\n" + aligned(rows);
}

Json to_json(const NetworkEvaluation& e) {
  Json out{{"cases", e.cases},
           {"impossible", e.impossible},
           {"log_likelihood", e.log_likelihood},
           {"parameters", e.parameters}};
  if (e.impossible == 0) out["bic"] = e.bic();
  if (!e.target) return out;
  const NetworkEvaluation::OfTarget& t = *e.target;
  Json target = to_json(t.summary);
  target["variable"] = t.variable;
  target["unknown"] = t.unknown;
  for (State s = 0; s < t.states.size(); ++s) {
    for (State p = 0; p < t.states.size(); ++p) {
      target["confusion"][t.states[s]][t.states[p]] = t.confusion[s][p];
    }
    if (t.auc[s]) target["auc"][t.states[s]] = *t.auc[s];
  }
  out["target"] = std::move(target);
  return out;
}

}  // namespace croft
