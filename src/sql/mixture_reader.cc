#include "sql/mixture_reader.h"

#include <algorithm>

#include "croft/core/error.h"
#include "sql/row_ids.h"

namespace croft {

std::size_t MixtureReader::read(const GraphTables::Progress& progress) {
  read_rows(progress);
  const bool training = !spec_.mixture->fitted;
  const bool beside = training && spec_.mixture->generative;
  if (training && (!beside || knows_all_labels())) fit();
  const std::size_t rows = variable_.size();
  if (spec_.mixture->fitted) add_cliques(beside);
  if (beside) {
    drop_held_out();
    measurements_.push_back(
        {std::move(variable_), std::move(x_), dimension_, spec_.mixture->options});
  }
  return rows;
}

bool MixtureReader::knows_all_labels() const {
  const std::uint32_t domain = data_.schema().templates[template_].domain[0];
  std::vector<bool> known(data_.schema().domains[domain].labels.size(), false);
  for (const std::uint32_t v : variable_) {
    if (data_.known(v) != kUnobserved && !data_.held_out(v)) known[data_.known(v)] = true;
  }
  return std::ranges::find(known, false) == known.end();
}

void MixtureReader::check_columns(const Query& query) {
  if (query.columns() < 2) {
    query.fail("no column of measurements",
               "the first column is the variable's id, each further one a measurement");
  }
  dimension_ = query.columns() - 1;
  if (spec_.columns) {
    bool same = spec_.columns->size() == dimension_ &&
                (!spec_.mixture->fitted || spec_.mixture->fitted->dimension() == dimension_);
    for (std::size_t k = 0; same && k < dimension_; ++k) {
      same = (*spec_.columns)[k].name == query.name(k + 1);
    }
    if (same) return;
    std::string names;
    for (const FeatureColumn& each : *spec_.columns) {
      names += (names.empty() ? "" : ", ") + in_quotes(each.name);
    }
    query.fail("other measurements than the model has densities of",
               "behind the id it takes " + names + ", in this order");
  }
  spec_.columns.emplace();
  for (std::size_t k = 0; k < dimension_; ++k) {
    spec_.columns->push_back({.name = query.name(k + 1), .numeric = true});
  }
}

void MixtureReader::read_rows(const GraphTables::Progress& progress) {
  Query query(database_, spec_.query);
  check_columns(query);
  const std::uint32_t domain = data_.schema().templates[template_].domain[0];
  std::vector<bool> seen(variables_.size(), false);
  while (query.next()) {
    if (query.is_null(0)) query.fail_row("the id is NULL", "leave such rows out");
    const std::uint32_t v = variables_.find(domain, id_in(query, 0));
    if (v == kUnknown) {
      query.fail_row("there is no variable " + in_quotes(query.text(0)) + " of the domain '" +
                         spec_.variables[0] + "'",
                     "the query of [[variables]] returns the ids that there are");
    }
    if (seen[v]) query.fail_row("measurements of the variable " + variables_.id(v) + " twice");
    seen[v] = true;
    bool whole = true;
    for (std::size_t k = 1; k <= dimension_; ++k) {
      if (query.type(k) == CellType::text) {
        query.fail_row("a text, " + in_quotes(query.text(k)) + ", where a measurement is a number");
      }
      whole = whole && !query.is_null(k);
    }
    if (!whole) continue;
    variable_.push_back(v);
    for (std::size_t k = 1; k <= dimension_; ++k) x_.push_back(finite_in(query, k));
    if (progress && query.row() % 50'000 == 0) progress(variables_.size(), query.row());
  }
  if (variable_.empty() && !spec_.mixture->fitted) {
    query.fail("no row with a number in each column", "densities are fitted to such rows");
  }
}

void MixtureReader::fit() {
  const Domain& domain = data_.schema().domains[data_.schema().templates[template_].domain[0]];
  std::vector<State> label;
  std::vector<double> x, weight;
  for (std::size_t i = 0; i < variable_.size(); ++i) {
    if (data_.held_out(variable_[i])) continue;
    label.push_back(data_.known(variable_[i]));
    if (data_.has_weights()) weight.push_back(data_.weight(variable_[i]));
    x.insert(x.end(), row(i).begin(), row(i).end());
  }
  ThreadPool pool(1);
  try {
    spec_.mixture->fitted = fit_label_mixtures(x, dimension_, label, domain.labels,
                                               spec_.mixture->options, pool, weight);
  } catch (const Error& error) {
    throw Error("template '" + spec_.name + "': " + error.what());
  }
}

// Measurements are of what is trained on.
void MixtureReader::drop_held_out() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < variable_.size(); ++i) {
    if (data_.held_out(variable_[i])) continue;
    std::ranges::copy(row(i), x_.begin() + static_cast<std::ptrdiff_t>(kept * dimension_));
    variable_[kept++] = variable_[i];
  }
  variable_.resize(kept);
  x_.resize(kept * dimension_);
}

//   held_out : of held-out variables alone
void MixtureReader::add_cliques(bool held_out) {
  const LabelMixtures& mixtures = *spec_.mixture->fitted;
  std::vector<double> score(mixtures.of_label.size());
  std::vector<CliqueFeature> features(score.size());
  for (std::size_t i = 0; i < variable_.size(); ++i) {
    if (held_out && !data_.held_out(variable_[i])) continue;
    mixtures.scores(row(i), score);
    for (std::uint32_t y = 0; y < score.size(); ++y) features[y] = {y, score[y]};
    data_.add_clique(template_, std::span(&variable_[i], 1), features);
  }
}

}  // namespace croft
