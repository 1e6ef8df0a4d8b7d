#include "sql/clique_reader.h"

#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"
#include "sql/row_ids.h"

namespace croft {
namespace {

constexpr std::string_view kBias = "(bias)";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "" : ", ") + in_quotes(each);
  return list.empty() ? "none" : list;
}

}  // namespace

CliqueReader::CliqueReader(const Database& database, TemplateSpec& spec,
                           std::uint32_t clique_template, const VariableTable& variables,
                           FeatureNumbers features, CliqueData& data)
    : database_(database),
      spec_(spec),
      template_(clique_template),
      variables_(variables),
      features_(features),
      data_(data),
      arity_(spec.variables.size()),
      training_(!spec.columns) {}

std::size_t CliqueReader::read(const GraphTables::Progress& progress) {
  Query query(database_, spec_.query);
  const CliqueTemplate& schema = data_.schema().templates[template_];
  if (schema.penalty) {
    read_constraints(query, progress);
    keep_columns();
    return query.row();
  }
  find_columns(query);
  if (training_) measure(query);
  if (!spec_.features.empty()) {
    staged_ = std::make_unique<StagedCliques>();
    staged_->arity = arity_;
    staged_->lists = schema.has_lists();
  }
  while (query.next()) {
    read_variables(query);
    if (spec_.tie != WeightTie::all) set_prefix(query);
    found_.clear();
    if (spec_.bias) add_cached(kBias, 1, bias_looked_up_, bias_number_);
    for (Column& column : columns_) add_column(query, column);
    if (!staged_) {
      add_clique(query, query.row(), clique_, found_, sizes_);
    } else {
      staged_->variable.insert(staged_->variable.end(), clique_.begin(), clique_.end());
      if (staged_->lists) staged_->end.push_back(staged_->variable.size());
      staged_->place.insert(staged_->place.end(), sizes_.begin(), sizes_.end());
      staged_->feature.insert(staged_->feature.end(), found_.begin(), found_.end());
      staged_->begin.push_back(staged_->feature.size());
      if (spec_.tie != WeightTie::all) staged_->prefix.push_back(staged_->prefixes.insert(prefix_));
      if (key_at_ != Query::kNone) {
        if (query.is_null(key_at_)) query.fail_row("the key is NULL");
        bool is_new = false;
        staged_->keys.insert(id_in(query, key_at_), is_new);
        if (!is_new) {
          query.fail_row("the key " + in_quotes(query.text(key_at_)) + " twice",
                         "give each clique a key of its own");
        }
      }
    }
    if (progress && query.row() % 50'000 == 0) progress(variables_.size(), query.row());
  }
  if (staged_) read_feature_rows(query);
  keep_columns();
  return query.row();
}

void CliqueReader::find_columns(const Query& query) {
  if (query.columns() < arity_) {
    query.fail("columns " + quoted_list(query.names()) + " where the template has " +
                   std::to_string(arity_) + " variables",
               "the first columns are the ids of a clique's variables");
  }
  for (std::size_t k = 0; k < query.columns(); ++k) {
    const auto before = std::span(query.names()).subspan(0, k);
    if (k >= arity_ && std::ranges::find(before.subspan(arity_), query.name(k)) != before.end()) {
      query.fail("two columns " + in_quotes(query.name(k)), "rename one of them: … as other");
    }
  }
  const auto special = [&](const std::string& name, const char* what) {
    for (std::size_t k = arity_; k < query.columns(); ++k) {
      if (query.find(name) == k) return k;
    }
    // A clique of one variable may well be called by it.
    const std::size_t among_ids = query.find(name);
    if (among_ids != Query::kNone) return among_ids;
    query.fail("no column " + in_quotes(name) + ", by which " + what,
               "there are " + quoted_list(query.names()));
  };
  if (spec_.tie == WeightTie::column) tie_at_ = special(spec_.tie_column, "weights are tied");
  if (!spec_.key.empty()) key_at_ = special(spec_.key, "features find their clique");
  if (training_) {
    find_new_columns(query);
    return;
  }
  for (const FeatureColumn& each : *spec_.columns) {
    std::size_t at = query.find(each.name);
    for (std::size_t k = arity_; k < query.columns(); ++k) {
      if (query.name(k) == each.name) at = k;
    }
    if (at == Query::kNone || at < arity_) {
      query.fail("no column " + in_quotes(each.name) + ", which the model has features of",
                 "there are " + quoted_list(query.names()));
    }
    Column& column = columns_.emplace_back();
    column.at = at;
    column.feature = each;
    column.kind = each.numeric ? Kind::numeric : Kind::categorical;
    column.stated = true;
    column.beginning = each.name + "=";
  }
  for (std::size_t k = arity_; k < query.columns(); ++k) {
    const bool used = k == tie_at_ || k == key_at_ ||
                      std::ranges::find(columns_, k, &Column::at) != columns_.end();
    if (!used) {
      query.fail("a column " + in_quotes(query.name(k)) + " that the model has no features of",
                 "leave it out");
    }
  }
}

void CliqueReader::find_new_columns(const Query& query) {
  for (std::size_t k = arity_; k < query.columns(); ++k) {
    if (k == tie_at_ || k == key_at_) continue;
    Column& column = columns_.emplace_back();
    column.at = k;
    column.feature.name = query.name(k);
    column.beginning = query.name(k) + "=";
    column.stated = contains(spec_.categorical, query.name(k));
    if (column.stated) column.kind = Kind::categorical;
  }
  for (const auto* names : {&spec_.categorical, &spec_.standardise}) {
    for (const std::string& each : *names) {
      const bool there =
          std::ranges::any_of(columns_, [&](const Column& c) { return c.feature.name == each; });
      if (there) continue;
      query.fail("no feature column " + in_quotes(each) + ", which '" +
                     (names == &spec_.categorical ? "categorical" : "standardise") + "' names",
                 "columns are " + quoted_list(query.names()));
    }
  }
}

// Welford (1962), over the cells that are numbers.
void CliqueReader::measure(Query& query) {
  std::vector<std::size_t> measured;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const bool named = contains(spec_.standardise, columns_[k].feature.name);
    if (named || (spec_.standardise_all && !columns_[k].stated)) measured.push_back(k);
  }
  if (measured.empty()) return;
  struct Moments {
    std::size_t count = 0;
    double mean = 0, squares = 0;
  };
  std::vector<Moments> moments(columns_.size());
  while (query.next()) {
    for (const std::size_t k : measured) {
      const CellType type = query.type(columns_[k].at);
      if (type != CellType::integer && type != CellType::real) continue;  // a text: found later
      const double value = finite_in(query, columns_[k].at);
      Moments& m = moments[k];
      const double before = value - m.mean;
      m.mean += before / static_cast<double>(++m.count);
      m.squares += before * (value - m.mean);
    }
  }
  query.reset();
  for (const std::size_t k : measured) {
    const Moments& m = moments[k];
    if (m.count == 0) {
      if (!contains(spec_.standardise, columns_[k].feature.name)) continue;
      query.fail("no number in the column " + in_quotes(columns_[k].feature.name) +
                 ", which 'standardise' names");
    }
    const double deviation = std::sqrt(m.squares / static_cast<double>(m.count));
    columns_[k].feature.mean = m.mean;
    columns_[k].feature.deviation = deviation > 0 ? deviation : 1;
  }
}

void CliqueReader::add_variable(const Query& query, std::size_t place, const RowId& id) {
  const CliqueTemplate& schema = data_.schema().templates[template_];
  const std::uint32_t variable = variables_.find(schema.domain[place], id);
  if (variable == kUnknown) {
    query.fail_row("there is no variable " + in_quotes(to_string(id)) + " of the domain '" +
                       spec_.variables[place] + "'",
                   "the query of [[variables]] returns the ids that there are");
  }
  clique_.push_back(variable);
}

// A list of ids: '[1, 2]', as json_group_array() makes it.
void CliqueReader::read_list(const Query& query, std::size_t place) {
  constexpr std::string_view kRemedy = "write json_group_array(id), and group by …";
  const auto fail = [&](const std::string& what) {
    query.fail_row("the column " + in_quotes(query.name(place)) + " has " + what, kRemedy);
  };
  const Json list = parse_json_or_null(query.text(place));
  if (!list.is_array()) fail("no list of ids, but " + in_quotes(query.text(place)));
  for (const Json& each : list) {
    if (each.is_string()) {
      add_variable(query, place, row_id(each.string()));
    } else if (each.is_number() && !each.is_number_float()) {
      const std::string number = each.dump();
      add_variable(query, place, row_id(number));
    } else {
      fail("a list with " + each.dump() + ", which is no id");
    }
  }
}

void CliqueReader::read_variables(const Query& query) {
  clique_.clear();
  sizes_.clear();
  const CliqueTemplate& schema = data_.schema().templates[template_];
  for (std::size_t k = 0; k < arity_; ++k) {
    if (query.is_null(k)) {
      query.fail_row("the id in the column " + in_quotes(query.name(k)) + " is NULL",
                     "leave such rows out: where … is not null");
    }
    const std::size_t before = clique_.size();
    if (schema.has_lists() && schema.lists[k]) {
      read_list(query, k);
    } else {
      add_variable(query, k, id_in(query, k));
    }
    if (schema.has_lists()) sizes_.push_back(static_cast<std::uint32_t>(clique_.size() - before));
  }
}

// Rows of a constraint have ids and, of known values, the label behind them.
void CliqueReader::read_constraints(Query& query, const GraphTables::Progress& progress) {
  const CliqueTemplate& schema = data_.schema().templates[template_];
  const std::vector<std::string>& labels = data_.schema().domains[schema.domain[0]].labels;
  const std::size_t width = arity_ + (schema.is_known() ? 1 : 0);
  if (query.columns() != width) {
    query.fail("columns " + quoted_list(query.names()),
               schema.is_known() ? "they are the variable's id and its label"
                                 : "they are the ids of a clique's variables; a constraint has no "
                                   "features");
  }
  while (query.next()) {
    read_variables(query);
    found_.clear();
    if (schema.is_known()) {
      if (query.is_null(arity_)) continue;  // not known
      const auto found = std::ranges::find(labels, query.text(arity_));
      if (found == labels.end()) {
        query.fail_row("a label " + in_quotes(query.text(arity_)) + " that is none of '" +
                       spec_.variables[0] + "'");
      }
      found_.push_back({static_cast<std::uint32_t>(found - labels.begin()), 1});
    }
    add_clique(query, query.row(), clique_, found_, sizes_);
    if (progress && query.row() % 50'000 == 0) progress(variables_.size(), query.row());
  }
}

// What stands before the names of features that are not those of all cliques.
void CliqueReader::set_prefix(const Query& query) {
  prefix_.clear();
  if (spec_.tie == WeightTie::column) {
    if (query.is_null(tie_at_)) {
      query.fail_row("the column " + in_quotes(spec_.tie_column) + ", which ties weights, is NULL");
    }
    prefix_.append(spec_.tie_column).append("=").append(query.text(tie_at_));
  } else {
    for (std::size_t k = 0; k < arity_; ++k) {
      prefix_.append(k == 0 ? "" : ",").append(query.text(k));
    }
  }
  prefix_ += '|';
}

void CliqueReader::add(std::string_view name, double value) {
  if (!prefix_.empty()) {
    std::string whole = prefix_;
    whole.append(name);
    const std::uint32_t number = features_(whole);
    if (number != kUnknown) found_.push_back({number, value});
    return;
  }
  const std::uint32_t number = features_(name);
  if (number != kUnknown) found_.push_back({number, value});
}

// As add(), for a name that many cliques have.
void CliqueReader::add_cached(std::string_view name, double value, bool& looked_up,
                              std::uint32_t& number) {
  if (!prefix_.empty()) {
    add(name, value);
    return;
  }
  if (!looked_up) {
    number = features_(name);
    looked_up = true;
  }
  if (number != kUnknown) found_.push_back({number, value});
}

void CliqueReader::add_column(const Query& query, Column& column) {
  const CellType type = query.type(column.at);
  if (type == CellType::null) return;
  const bool is_text = type == CellType::text;
  if (column.kind == Kind::open) column.kind = is_text ? Kind::categorical : Kind::numeric;
  if (column.kind == Kind::numeric) {
    if (is_text) {
      query.fail_row("a text, " + in_quotes(query.text(column.at)) + ", in the column " +
                         in_quotes(column.feature.name) + " of numbers",
                     "NULL is a number that is missing; name the column under 'categorical'");
    }
    const double value =
        (finite_in(query, column.at) - column.feature.mean) / column.feature.deviation;
    if (value != 0) add_cached(column.feature.name, value, column.looked_up, column.number);
    return;
  }
  if (!is_text && !column.stated) {
    query.fail_row("a number, " + in_quotes(query.text(column.at)) + ", in the column " +
                       in_quotes(column.feature.name) + " of texts",
                   "name the column under 'categorical', or cast it");
  }
  scratch_.assign(column.beginning).append(query.text(column.at));
  add(scratch_, 1);
}

std::string CliqueReader::ids_of(std::span<const std::uint32_t> variables) const {
  constexpr std::size_t kShown = 8;
  std::string ids;
  for (const std::uint32_t each : variables.first(std::min(variables.size(), kShown))) {
    ids += (ids.empty() ? "" : ", ") + variables_.id(each);
  }
  return variables.size() > kShown ? ids + ", …" : ids;
}

void CliqueReader::add_clique(const Query& query, std::size_t row,
                              std::span<const std::uint32_t> variables,
                              std::span<const CliqueFeature> features,
                              std::span<const std::uint32_t> sizes) {
  try {
    if (features_.given() != nullptr && !data_.schema().templates[template_].penalty) {
      features_.given()->score(features, scores_);
      features = scores_;
    }
    data_.add_clique(template_, variables, features, sizes);
  } catch (const CliqueError& error) {
    query.fail("row " + std::to_string(row) + ": the clique of " + ids_of(variables) + ": " +
               error.problem());
  }
}

void CliqueReader::read_feature_rows(const Query& cliques) {
  CliqueIndex index(*staged_);
  if (spec_.key.empty()) {
    const std::uint32_t twice = index.build();
    if (twice != kUnknown) {
      cliques.fail("two cliques of the same variables, " + ids_of(staged_->variables(twice)) +
                       ", and features that are to find theirs by these",
                   "name a column that tells cliques apart: key = \"…\"");
    }
  }
  for (const QueryText& each : spec_.features) read_feature_rows(each, index);
  staged_->sort_rows();
  std::size_t row = 0;
  for (std::size_t c = 0; c < staged_->size(); ++c) {
    const auto own = staged_->features(c);
    found_.assign(own.begin(), own.end());
    for (; row < staged_->rows.size() && staged_->rows[row].clique == c; ++row) {
      found_.push_back(staged_->rows[row].feature);
    }
    add_clique(cliques, c + 1, staged_->variables(c), found_, staged_->sizes(c));
  }
  staged_.reset();
}

void CliqueReader::read_feature_rows(const QueryText& text, CliqueIndex& index) {
  Query query(database_, text);
  const std::size_t width = spec_.key.empty() ? arity_ : 1;
  if (query.columns() != width + 1 && query.columns() != width + 2) {
    query.fail("columns " + quoted_list(query.names()),
               spec_.key.empty()
                   ? "they are the ids of the clique's variables, a feature, and perhaps its value"
                   : "they are the clique's key, a feature, and perhaps its value");
  }
  const bool has_value = query.columns() == width + 2;
  while (query.next()) {
    std::uint32_t clique = kUnknown;
    if (spec_.key.empty()) {
      read_variables(query);
      clique = index.find(clique_);
    } else {
      if (query.is_null(0)) query.fail_row("the key is NULL");
      clique = staged_->keys.find(id_in(query, 0));
    }
    if (clique == kUnknown) {
      std::string ids;
      for (std::size_t k = 0; k < width; ++k) {
        ids.append(k == 0 ? "" : ", ").append(query.text(k));
      }
      query.fail_row("a feature of a clique that is not there: " + ids,
                     "the template's query has to return it");
    }
    if (query.is_null(width) || (has_value && query.is_null(width + 1))) continue;
    if (spec_.tie != WeightTie::all) prefix_ = staged_->prefixes[staged_->prefix[clique]];
    found_.clear();
    if (!has_value) {
      add(query.text(width), 1);
    } else if (query.type(width + 1) == CellType::text) {
      scratch_.assign(query.text(width)).append("=").append(query.text(width + 1));
      add(scratch_, 1);
    } else {
      const double value = finite_in(query, width + 1);
      if (value != 0) add(query.text(width), value);
    }
    for (const CliqueFeature& each : found_) staged_->rows.push_back({clique, each});
  }
}

void CliqueReader::keep_columns() {
  if (!training_) return;
  spec_.columns.emplace();
  for (Column& each : columns_) {
    each.feature.numeric = each.kind == Kind::numeric;
    if (!each.feature.numeric) {
      each.feature.mean = 0;
      each.feature.deviation = 1;
    }
    spec_.columns->push_back(each.feature);
  }
}

}  // namespace croft
