#include "sql/graph_tables.h"

#include <algorithm>

#include "croft/core/error.h"
#include "sql/clique_reader.h"
#include "sql/mixture_reader.h"
#include "sql/variable_reader.h"

namespace croft {
namespace {

// The joint states that `cells` lists, increasing.
std::vector<std::uint64_t> listed_states(const TemplateSpec& t, const CliqueTemplate& made,
                                         const std::vector<Domain>& domains) {
  std::vector<std::uint64_t> listed;
  for (const std::vector<std::string>& cell : t.cells) {
    std::uint64_t joint = 0;
    for (std::size_t k = 0; k < cell.size(); ++k) {
      const std::vector<std::string>& labels = domains[made.domain[k]].labels;
      const auto found = std::ranges::find(labels, cell[k]);
      if (found == labels.end()) {
        throw InputError({t.query.name, t.query.line},
                         "template '" + t.name + "': a cell has a label that is none of '" +
                             t.variables[k] + "'",
                         cell[k], "labels are those of the data, or listed under [labels]");
      }
      joint = joint * labels.size() + static_cast<std::uint64_t>(found - labels.begin());
    }
    listed.push_back(joint);
  }
  std::ranges::sort(listed);
  if (std::ranges::adjacent_find(listed) != listed.end()) {
    throw InputError({t.query.name, t.query.line}, "template '" + t.name + "': a cell twice", "",
                     "");
  }
  return listed;
}

bool are_numbers(const std::vector<std::string>& labels) {
  return std::ranges::all_of(labels, [](const std::string& each) {
    return !each.empty() && each.find_first_not_of("+-.0123456789eE") == std::string::npos;
  });
}

CliqueSchema make_schema(const Database& database, const GraphSpec& spec) {
  CliqueSchema schema;
  schema.domains = find_domains(database, spec);
  for (const TemplateSpec& t : spec.templates) {
    CliqueTemplate made{t.name, {}, {}};
    made.scores = t.mixture.has_value();
    std::vector<std::uint32_t> states;
    for (const std::string& domain : t.variables) {
      const auto found = std::ranges::find(schema.domains, domain, &Domain::name);
      made.domain.push_back(static_cast<std::uint32_t>(found - schema.domains.begin()));
      states.push_back(static_cast<std::uint32_t>(found->labels.size()));
      if (t.interaction == InteractionKind::ordinal && spec.listed(domain) == nullptr &&
          !are_numbers(found->labels)) {
        throw InputError({t.query.name, t.query.line},
                         "template '" + t.name + "': the labels of '" + domain +
                             "' are no numbers, and an ordinal interaction needs their order",
                         "", "list them in order: [labels], then " + domain + " = [\"A\", \"B\"]");
      }
    }
    try {
      made.interaction =
          Interaction(t.interaction, std::move(states), listed_states(t, made, schema.domains));
    } catch (const UsageError& error) {
      throw InputError({t.query.name, t.query.line}, "template '" + t.name + "': " + error.what(),
                       "", "");
    }
    schema.templates.push_back(std::move(made));
  }
  return schema;
}

// The templates of a model and of what it says of its queries must be the same.
void check_spec(const GraphSpec& spec, const CliqueSchema& schema) {
  const bool same = std::ranges::equal(
      spec.templates, schema.templates, [&](const TemplateSpec& a, const CliqueTemplate& b) {
        // Densities have a score for each label of their domain.
        const bool scores = a.mixture.has_value();
        return a.name == b.name && a.variables.size() == b.domain.size() && scores == b.scores &&
               (!scores || a.mixture->fitted->of_label.size() == b.interaction.cells());
      });
  if (!same) throw Error(spec.name + ": the model's templates are not those of its queries");
  for (const DomainLabels& each : spec.labels) {  // of --spec
    const auto found = std::ranges::find(schema.domains, each.domain, &Domain::name);
    if (found != schema.domains.end() && found->labels == each.labels) continue;
    throw UsageError("--spec ", spec.name, ": the labels of '", each.domain,
                     "' are not those of the model; only queries may differ");
  }
}

}  // namespace

void GraphTables::read_templates(const Database& database, const GraphModel* model,
                                 const Progress& progress) {
  for (std::uint32_t t = 0; t < spec_.templates.size(); ++t) {
    if (spec_.templates[t].mixture) {
      MixtureReader reader(database, spec_.templates[t], t, *variables_, *data_, measurements_);
      cliques_ += reader.read([&](std::size_t variables, std::size_t cliques) {
        if (progress) progress(variables, cliques_ + cliques);
      });
      continue;
    }
    FeatureNumbers numbers =
        model != nullptr ? FeatureNumbers(*model, t) : FeatureNumbers(features_[t]);
    CliqueReader reader(database, spec_.templates[t], t, *variables_, numbers, *data_);
    cliques_ += reader.read([&](std::size_t variables, std::size_t cliques) {
      if (progress) progress(variables, cliques_ + cliques);
    });
  }
}

GraphTables GraphTables::read(const Database& database, GraphSpec spec, const Progress& progress) {
  GraphTables tables;
  tables.spec_ = std::move(spec);
  for (TemplateSpec& each : tables.spec_.templates) each.columns.reset();
  tables.own_schema_ = std::make_unique<CliqueSchema>(make_schema(database, tables.spec_));
  tables.schema_ = tables.own_schema_.get();
  tables.features_.resize(tables.schema_->templates.size());
  tables.data_ = std::make_unique<CliqueData>(*tables.schema_);
  tables.variables_ = std::make_unique<VariableTable>();
  VariableReader(database, tables.spec_, *tables.schema_, LabelUse::known)
      .read(*tables.data_, *tables.variables_, progress);
  tables.read_templates(database, nullptr, progress);
  return tables;
}

GraphTables GraphTables::read(const Database& database, GraphSpec spec, const GraphModel& model,
                              LabelUse use, const Progress& progress) {
  GraphTables tables;
  check_spec(spec, model.schema());
  tables.spec_ = std::move(spec);
  tables.schema_ = &model.schema();
  tables.data_ = std::make_unique<CliqueData>(*tables.schema_);
  tables.variables_ = std::make_unique<VariableTable>();
  VariableReader(database, tables.spec_, *tables.schema_, use)
      .read(*tables.data_, *tables.variables_, progress);
  tables.read_templates(database, &model, progress);
  return tables;
}

}  // namespace croft
