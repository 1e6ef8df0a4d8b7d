// What a block is made of: normal rows, groups and responses, read off the graph once.
#include "bugs/samplers/linear_model.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "bugs/distributions/dense.h"
#include "bugs/sampler.h"
#include "bugs/samplers/response_kernels.h"

namespace croft::bugs {

using Id = DistributionId;

std::unique_ptr<LinearModel> LinearModel::make(const ModelGraph& graph,
                                               std::span<const NodeId> nodes) {
  std::unique_ptr<LinearModel> model(new LinearModel(graph, nodes));
  const std::vector<NodeId> children = graph.children_of(nodes);
  const auto add = [&](NodeId id) {
    const Node& node = graph.node(id);
    switch (node.distribution) {
      case Id::normal:
      case Id::log_normal:
        if (model->add_normal(node)) return true;
        return !model->forms_.moves(node.first) && model->add_response(id);
      case Id::flat:  // adds nothing; the data has to be enough
        return node.lower == kNothing && node.upper == kNothing;
      case Id::multivariate_normal:
      case Id::multivariate_normal_covariance:
        return model->add_group(node);
      default:
        return model->add_response(id);
    }
  };
  for (const NodeId id : nodes) {
    end_if_interrupted();
    if (!add(id)) return nullptr;
  }
  for (const NodeId id : children) {
    end_if_interrupted();
    const bool in_block = model->forms_.moves(graph.node(id).first);
    if (!in_block && !add(id)) return nullptr;
  }
  return model->finish() ? std::move(model) : nullptr;
}

bool LinearModel::still(const Node& node, std::size_t parameter) const {
  for (const Slot s : graph_.slots_of(graph_.parameters(node)[parameter])) {
    if (forms_.moves(s)) return false;
  }
  return true;
}

LinearModel::Range LinearModel::add_entries(std::span<const LinearForms::Entry> entries,
                                            bool negative, Slot own) {
  Range range{static_cast<std::uint32_t>(entries_.size()), 0};
  for (LinearForms::Entry entry : entries) {
    if (negative) entry.coefficient = forms_.negated(entry.coefficient);
    entries_.push_back(entry);
  }
  if (own != kNothing) {  // the value is an element of the block, and not of its own mean
    const auto from = forms_.entries(own);
    entries_.insert(entries_.end(), from.begin(), from.end());
  }
  range.count = static_cast<std::uint32_t>(entries_.size()) - range.first;
  return range;
}

bool LinearModel::add_normal(const Node& node) {
  const Slot mean = graph_.slot_of(node, 0), precision = graph_.slot_of(node, 1);
  const bool own = forms_.moves(node.first);
  if (!forms_.linear(mean) || !still(node, 1)) return false;
  if (own && node.distribution != Id::normal) return false;
  if (node.lower != kNothing || node.upper != kNothing) {
    // Of a node of the block, where the normaliser stands still: its mean and bounds do.
    const auto moves = [&](Slot s) { return s != kNothing && forms_.moves(s); };
    if (!own || forms_.moves(mean) || moves(node.lower) || moves(node.upper)) return false;
  }
  rows_.push_back({add_entries(forms_.entries(mean), true, own ? node.first : kNothing), 0,
                   node.first, mean, precision, node.distribution == Id::log_normal,
                   forms_.constant(mean) && (own || graph_.fixed(node.first))});
  return true;
}

bool LinearModel::add_group(const Node& node) {
  if (!still(node, 1)) return false;
  const auto mean = graph_.slots_of(graph_.parameters(node)[0]);
  const auto matrix = graph_.slots_of(graph_.parameters(node)[1]);
  const bool own = forms_.moves(node.first);
  Group group{{},
              {},
              {mean.begin(), mean.end()},
              {matrix.begin(), matrix.end()},
              node.distribution == Id::multivariate_normal_covariance};
  for (std::uint32_t k = 0; k < node.count; ++k) {
    if (!forms_.linear(mean[k])) return false;
    group.value.push_back(node.first + k);
    group.entries.push_back(
        add_entries(forms_.entries(mean[k]), true, own ? node.first + k : kNothing));
  }
  groups_.push_back(std::move(group));
  return true;
}

// s = e^eta times and over what stands still.
bool LinearModel::exponential_of(Slot s, Slot* eta, std::vector<Factor>& factors) const {
  const OperationId id = graph_.operation_of(s);
  if (id == kNothing) return false;
  const Operation& o = graph_.operation(id);
  switch (o.function) {
    case Function::exp:
      *eta = o.a;
      return forms_.linear(o.a);
    case Function::multiply:
      if (forms_.moves(o.a) == forms_.moves(o.b)) return false;
      factors.push_back({forms_.moves(o.a) ? o.b : o.a, false});
      return exponential_of(forms_.moves(o.a) ? o.a : o.b, eta, factors);
    case Function::divide:
      if (forms_.moves(o.b)) return false;
      factors.push_back({o.b, true});
      return exponential_of(o.a, eta, factors);
    default:
      return false;
  }
}

// Parameters other than the one that moves have to stand still.
bool LinearModel::predictor_of(const Node& node, std::size_t parameter, Term& term) {
  for (std::size_t k = 0; k < node.parameters; ++k) {
    if (k != parameter && !still(node, k)) return false;
  }
  const Slot s = graph_.slot_of(node, parameter);
  const auto link = [&](Function function, Response kind) {
    const OperationId id = graph_.operation_of(s);
    if (id == kNothing || graph_.operation(id).function != function) return false;
    term.kind = kind;
    term.eta = graph_.operation(id).a;
    return forms_.linear(term.eta);
  };
  switch (node.distribution) {
    case Id::bernoulli:
    case Id::binomial:
      return link(Function::ilogit, Response::logit) || link(Function::phi, Response::probit) ||
             link(Function::icloglog, Response::cloglog);
    case Id::student:
    case Id::logistic:
    case Id::ordered_logit:
    case Id::ordered_probit:
      term.kind = node.distribution == Id::student         ? Response::student
                  : node.distribution == Id::logistic      ? Response::logistic
                  : node.distribution == Id::ordered_logit ? Response::ordered_logit
                                                           : Response::ordered_probit;
      term.eta = s;
      return forms_.linear(s);
    default: {
      term.kind = Response::power;
      std::vector<Factor> factors;
      if (!exponential_of(s, &term.eta, factors)) return false;
      term.factors = {static_cast<std::uint32_t>(factors_.size()),
                      static_cast<std::uint32_t>(factors.size())};
      factors_.insert(factors_.end(), factors.begin(), factors.end());
      return true;
    }
  }
}

bool LinearModel::add_response(NodeId id) {
  const Node& node = graph_.node(id);
  if (node.count != 1 || node.lower != kNothing || node.upper != kNothing) return false;
  if (forms_.moves(node.first)) return false;
  Term term{.kind = Response::power,
            .entries = {},
            .pairs = 0,
            .eta = 0,
            .x = node.first,
            .second = 0,
            .third = 0,
            .id = node.distribution,
            .cut = std::nullopt,
            .factors = {},
            .fixed = true,
            .fixed_predictor = true};
  std::size_t parameter = 0;
  switch (node.distribution) {
    case Id::poisson:
    case Id::exponential:
    case Id::bernoulli:
      break;
    case Id::gamma:
    case Id::weibull:
      parameter = 1;
      term.second = graph_.slot_of(node, 0);
      break;
    case Id::normal:
      parameter = 1;
      term.second = graph_.slot_of(node, 0);
      break;
    case Id::binomial:
    case Id::logistic:
      term.second = graph_.slot_of(node, 1);
      break;
    case Id::student:
      term.second = graph_.slot_of(node, 1);
      term.third = graph_.slot_of(node, 2);
      break;
    case Id::ordered_logit:
    case Id::ordered_probit: {  // the cut points beside the value, where there are some
      if (!graph_.fixed(node.first)) return false;
      const auto cuts = graph_.slots_of(graph_.parameters(node)[1]);
      const auto x = static_cast<std::size_t>(graph_.initial()[node.first]);
      term.second = x > 1 ? cuts[x - 2] : kNothing;
      term.third = x <= cuts.size() ? cuts[x - 1] : kNothing;
      break;
    }
    default:
      return false;
  }
  const auto bounds = interval_of_censored(graph_, id);
  if (bounds) {
    if ((node.distribution != Id::weibull && node.distribution != Id::exponential) ||
        bounds->upper != std::numeric_limits<double>::infinity() || !(bounds->lower >= 0))
      return false;
    term.cut = bounds->lower;
  }
  if (!predictor_of(node, parameter, term)) return false;
  // Nothing can be seen where the mean is 0 and so is the count.
  if (node.distribution == Id::poisson && graph_.fixed(node.first) &&
      graph_.initial()[node.first] == 0) {
    for (std::uint32_t k = 0; k < term.factors.count; ++k) {
      const Factor& f = factors_[term.factors.first + k];
      if (!f.divides && graph_.fixed(f.slot) && graph_.initial()[f.slot] == 0) return true;
    }
  }
  term.entries = add_entries(forms_.entries(term.eta), false);
  for (std::size_t k = 0; k < node.parameters; ++k) {
    if (k == parameter) continue;
    for (const Slot s : graph_.slots_of(graph_.parameters(node)[k]))
      term.fixed = term.fixed && graph_.fixed(s);
  }
  for (std::uint32_t k = 0; k < term.factors.count; ++k)
    term.fixed = term.fixed && graph_.fixed(factors_[term.factors.first + k].slot);
  if (!term.cut) term.fixed = term.fixed && graph_.fixed(node.first);
  terms_.push_back(term);
  return true;
}

std::uint32_t LinearModel::add_pairs(Range entries) {
  const auto first = static_cast<std::uint32_t>(pairs_.size());
  for (std::uint32_t a = entries.first; a < entries.first + entries.count; ++a) {
    for (std::uint32_t b = entries.first; b <= a; ++b)
      pairs_.push_back(cholesky_->position(entries_[a].element, entries_[b].element));
  }
  return first;
}

bool LinearModel::finish() {
  const auto n = forms_.elements().size();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  constexpr std::size_t kMostPairs = std::size_t{1} << 23;
  const auto all = [&](Range r, Range q) {
    for (std::uint32_t a = r.first; a < r.first + r.count; ++a)
      for (std::uint32_t b = q.first; b < q.first + q.count; ++b)
        pairs.emplace_back(entries_[a].element, entries_[b].element);
    return pairs.size() < kMostPairs;
  };
  for (const Row& row : rows_)
    if (!all(row.entries, row.entries)) return false;
  for (const Term& term : terms_)
    if (!all(term.entries, term.entries)) return false;
  for (const Group& group : groups_)
    for (const Range& r : group.entries)
      for (const Range& q : group.entries)
        if (!all(r, q)) return false;
  cholesky_ = std::make_unique<SparseCholesky>(n, pairs);
  if (!cholesky_->fits()) return false;
  elements_.resize(n);
  for (std::uint32_t k = 0; k < n; ++k) elements_[cholesky_->place(k)] = forms_.elements()[k];
  for (LinearForms::Entry& entry : entries_) {
    entry.element = cholesky_->place(entry.element);
    moving_ = moving_ || !forms_.fixed(entry.coefficient);
    numbers_.push_back(forms_.coefficient(entry.coefficient));
  }
  std::stable_sort(terms_.begin(), terms_.end(),
                   [](const Term& a, const Term& b) { return a.kind < b.kind; });
  for (std::uint32_t c = 0; c < terms_.size(); ++c) {
    if (kinds_.empty() || kinds_.back().kind != terms_[c].kind)
      kinds_.push_back({terms_[c].kind, {c, 0}});
    ++kinds_.back().terms.count;
    terms_[c].pairs = add_pairs(terms_[c].entries);
  }
  residuals_.resize(rows_.size());
  precisions_.resize(rows_.size());
  offsets_.resize(terms_.size());
  shifts_.resize(terms_.size());
  a_.resize(terms_.size());
  b_.resize(terms_.size());
  c_.resize(terms_.size());
  group_residuals_.resize(groups_.size());
  group_matrices_.resize(groups_.size());
  add_constants();
  for (const std::uint32_t r : moving_rows_) rows_[r].pairs = add_pairs(rows_[r].entries);
  return true;
}

void LinearModel::add_constants() {
  // Residuals and predictors where the block is 0.
  std::vector<double> values = graph_.initial();
  std::vector<NodeId> nodes;
  for (const Slot s : elements_) {
    values[s] = 0;
    if (nodes.empty() || nodes.back() != graph_.node_of(s)) nodes.push_back(graph_.node_of(s));
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  graph_.evaluate(graph_.dependents_of(nodes), values.data());
  for (std::uint32_t c = 0; c < terms_.size(); ++c) {
    Term& term = terms_[c];
    term.fixed_predictor = forms_.constant(term.eta);
    if (term.fixed) read_response(c, values.data());
    if (term.fixed_predictor) offsets_[c] = values[term.eta];
    constant_responses_ = constant_responses_ && term.fixed && term.fixed_predictor;
  }
  std::map<Slot, std::size_t> places;
  std::vector<std::map<std::pair<std::uint32_t, std::uint32_t>, double>> products;
  std::vector<std::map<std::uint32_t, double>> pulls;
  for (std::uint32_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    if (!row.constant) {
      moving_rows_.push_back(r);
      continue;
    }
    const double value = row.of_logarithm ? std::log(values[row.value]) : values[row.value];
    residuals_[r] = value - values[row.mean];
    const auto [it, is_new] = places.emplace(row.precision, constant_rows_.size());
    if (is_new) {
      constant_rows_.push_back(
          {.precision = row.precision, .products = {}, .places = {}, .pulls = {}});
      products.emplace_back();
      pulls.emplace_back();
    }
    for (std::uint32_t i = row.entries.first; i < row.entries.first + row.entries.count; ++i) {
      const std::uint32_t e = entries_[i].element;
      if (residuals_[r] != 0) pulls[it->second][e] -= residuals_[r] * numbers_[i];
      for (std::uint32_t j = row.entries.first; j <= i; ++j) {
        const std::uint32_t f = entries_[j].element;
        products[it->second][{std::max(e, f), std::min(e, f)}] += numbers_[i] * numbers_[j];
      }
    }
  }
  for (std::size_t g = 0; g < constant_rows_.size(); ++g) {
    for (const auto& [place, product] : products[g]) {
      constant_rows_[g].products.emplace_back(cholesky_->position(place.first, place.second),
                                              product);
      constant_rows_[g].places.push_back(place);
    }
    constant_rows_[g].pulls.assign(pulls[g].begin(), pulls[g].end());
  }
}

}  // namespace croft::bugs
