#include "sql/graph_tables.h"

#include <algorithm>
#include <utility>

#include "croft/core/error.h"
#include "sql/clique_reader.h"
#include "sql/mixture_reader.h"
#include "sql/template_schema.h"
#include "sql/train/block_reader.h"
#include "sql/variable_reader.h"

namespace croft {
namespace {

CliqueSchema make_schema(const Database& database, const GraphSpec& spec) {
  CliqueSchema schema;
  schema.domains = find_domains(database, spec);
  for (const TemplateSpec& t : spec.templates) {
    schema.templates.push_back(make_template(database, spec, t, schema.domains));
  }
  return schema;
}

// The templates of a model and of what it says of its queries must be the same.
void check_spec(const GraphSpec& spec, const CliqueSchema& schema) {
  const bool same = std::ranges::equal(
      spec.templates, schema.templates, [&](const TemplateSpec& a, const CliqueTemplate& b) {
        const bool scores = a.mixture || a.penalty || a.has_given_weights();
        // Densities have a score for each label of their domain.
        const bool densities = !a.mixture || (!b.penalty && a.mixture->fitted->of_label.size() ==
                                                                b.interaction.cells());
        return a.name == b.name && a.variables.size() == b.domain.size() && scores == b.scores &&
               a.lists == b.lists && a.penalty == b.penalty && densities;
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

void GraphTables::read_templates(const Database& database, const Numbers& numbers,
                                 const Progress& progress) {
  for (std::uint32_t t = 0; t < spec_.templates.size(); ++t) {
    if (spec_.templates[t].mixture) {
      MixtureReader reader(database, spec_.templates[t], t, *variables_, *data_, measurements_);
      cliques_ += reader.read([&](std::size_t variables, std::size_t cliques) {
        if (progress) progress(variables, cliques_ + cliques);
      });
      continue;
    }
    const CliqueTemplate& of = schema_->templates[t];
    GivenWeights given(of.given);
    CliqueReader reader(database, spec_.templates[t], t, *variables_,
                        of.scores ? FeatureNumbers(given) : numbers(t), *data_);
    cliques_ += reader.read([&](std::size_t variables, std::size_t cliques) {
      if (progress) progress(variables, cliques_ + cliques);
    });
    for (const std::string& each : given.unseen()) {
      warnings_.push_back("template '" + of.name + "': no clique has the feature " +
                          in_quotes(each) + ", whose weight is given");
    }
  }
}

GraphTables GraphTables::read(const Database& database, GraphSpec spec, const Reading& reading) {
  GraphTables tables;
  tables.spec_ = std::move(spec);
  for (TemplateSpec& each : tables.spec_.templates) each.columns.reset();
  tables.own_schema_ = std::make_unique<CliqueSchema>(make_schema(database, tables.spec_));
  tables.schema_ = tables.own_schema_.get();
  tables.features_.resize(tables.schema_->templates.size());
  tables.data_ = std::make_unique<CliqueData>(*tables.schema_);
  tables.variables_ = std::make_unique<VariableTable>();
  VariableReader(database, tables.spec_, *tables.schema_, LabelUse::known, reading.sequences)
      .read(*tables.data_, *tables.variables_, reading.progress);
  if (reading.variables) reading.variables(*tables.data_);
  for (const BlockSpec& each : tables.spec_.blocks) {
    tables.data_->add_blocks(
        read_blocks(database, each, *tables.schema_, *tables.data_, *tables.variables_));
  }
  tables.read_templates(
      database, [&](std::uint32_t t) { return FeatureNumbers(tables.features_[t]); },
      reading.progress);
  return tables;
}

GraphTables GraphTables::read(const Database& database, const GraphTables& training, LabelUse use,
                              const Progress& progress) {
  GraphTables tables;
  tables.spec_ = training.spec_;
  tables.schema_ = training.schema_;
  tables.data_ = std::make_unique<CliqueData>(*tables.schema_);
  tables.variables_ = std::make_unique<VariableTable>();
  VariableReader(database, tables.spec_, *tables.schema_, use)
      .read(*tables.data_, *tables.variables_, progress);
  const std::vector<StringTable>& known = training.features_;
  tables.read_templates(
      database, [&](std::uint32_t t) { return FeatureNumbers(std::as_const(known[t])); }, progress);
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
  tables.read_templates(
      database, [&](std::uint32_t t) { return FeatureNumbers(model, t); }, progress);
  return tables;
}

}  // namespace croft
