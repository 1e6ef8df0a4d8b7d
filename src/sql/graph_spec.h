// What a general CRF is made of, in words: which tables have its variables, its cliques and their
// features.  docs/graphs_from_tables.md has the language.
//
//   [[variables]]
//   domain = "tag"
//   query = "select id, sentence as instance, tag as label from token"
//
//   [[templates]]
//   name = "next"
//   variables = ["tag", "tag"]
//   query = "select a.id, b.id from token a join token b on b.id = a.id + 1"
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/database.h"
#include "structure/interaction.h"
#include "train/generative/gaussian_mixture_fit.h"

namespace croft {
class Json;

struct VariableSpec {
  std::string domain;       // empty: the query's column of that name says
  QueryText query;          // columns id; optional: label, instance, domain
  std::string remedy = {};  // where the data has no label of the domain; empty: to list them
};

// A column whose cells are features.
struct FeatureColumn {
  std::string name;
  bool numeric = false;            // else: an indicator NAME=CELL
  double mean = 0, deviation = 1;  // the value is (number - mean) / deviation
  bool operator==(const FeatureColumn&) const = default;
};

enum class WeightTie {
  all,     // the template has one set of weights
  column,  // one for each value of a column
  none     // one for each clique
};

// Densities of a variable's measurements, which stand beside a Markov random field p(y) (LG.5).
struct MixtureSpec {
  GaussianMixtureOptions options;
  // The other templates are trained as p(y), without these scores; otherwise beside them.
  bool generative = true;
  std::optional<LabelMixtures> fitted;  // in training; a model keeps them
};

// A weight that is not trained: what names its cell, as Interaction::cell_named() takes it.
struct WeightSpec {
  std::string feature;
  std::vector<std::string> cell;
  double weight = 0;
  bool operator==(const WeightSpec&) const = default;
};

using LabelLists = std::vector<std::vector<std::string>>;

struct TemplateSpec {
  std::string name;
  std::vector<std::string> variables;  // domains: the first columns of the query are their ids
  std::vector<bool> lists;             // which are lists of them; empty: none
  QueryText query;
  InteractionKind interaction = InteractionKind::table;
  LabelLists cells;  // of a list: labels of the variables
  // Of an interaction that counts.
  LabelLists states;                // of each variable, those that count
  std::optional<std::uint64_t> k;   // default 1
  std::vector<std::uint64_t> from;  // of `count`
  std::vector<LabelLists> share;    // cells of one weight
  // Joint states that are forbidden, or listed by a query.
  LabelLists forbid;
  std::optional<QueryText> forbid_query;
  // Instead of weights, a constraint: what it costs to break it; infinity: it is never broken.
  std::optional<double> penalty;
  // Weights that are given, or returned by a query, and not trained.
  std::vector<WeightSpec> weights;
  std::optional<QueryText> weights_query;
  bool bias = true;  // a feature of every clique, of value 1
  bool standardise_all = false;
  std::vector<std::string> standardise, categorical;  // names of columns
  WeightTie tie = WeightTie::all;
  std::string tie_column;
  std::string key;                  // column that names a clique for `features`; empty: its ids
  std::vector<QueryText> features;  // rows: the clique, a feature, a value
  // Instead of weights: then the query's columns behind the id are measurements, and there is none
  // of the above but name, variables and query.
  std::optional<MixtureSpec> mixture;
  // Found in training; a model keeps them.
  std::optional<std::vector<FeatureColumn>> columns;

  bool has_given_weights() const { return !weights.empty() || weights_query; }
};

// Sets of variables of any size: the pieces or blocks of an objective that --pieces names.
struct BlockSpec {
  std::string name, domain;
  QueryText query;  // columns block, id; without a domain, domain
};

struct DomainLabels {
  std::string domain;
  std::vector<std::string> labels;
};

struct GraphSpec {
  std::string name;                  // of its file, for messages
  std::vector<DomainLabels> labels;  // of domains whose labels are not to be found in the data
  std::vector<VariableSpec> variables;
  std::vector<TemplateSpec> templates;
  std::vector<BlockSpec> blocks = {};  // of training alone: a model has none

  // Throw InputError (file, line, remedy) for what is no TOML, an unknown or missing key (the
  // message lists those there are), a value of another type, names twice, and what contradicts
  // itself; Error for a file that cannot be read.
  // GRMM's templates are taken, too (grmm_templates.h).
  static GraphSpec read(const std::string& path);
  static GraphSpec parse(std::string_view toml, const std::string& name);

  const DomainLabels* listed(std::string_view domain) const;  // nullptr where there is none
  std::vector<std::string> domains() const;                   // that are named, each once
};

// As a model keeps it.
Json to_json(const GraphSpec& spec);
// Throws Error for what is no such record.  Missing lines are 0.
//   name : for messages
GraphSpec graph_spec_from(const Json& record, const std::string& name);

// The queries of `now` with what a model knows of columns, for data that is laid out in another
// way.  Throws UsageError where the two differ in more than their queries.
GraphSpec with_queries_of(const GraphSpec& model, const GraphSpec& now);

}  // namespace croft
