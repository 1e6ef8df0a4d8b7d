#include <fmt/format.h>

#include "app/inspect/inspect_parts.h"
#include "core/words/counted.h"
#include "data/attributes.h"
#include "features/kit/feature_kit.h"

namespace croft {
namespace {

// The kind and its numbers, for people and for programs.
struct Described {
  const char* kind;
  std::string text;
  Json fields = Json::object();
};

Described describe(const KitFeature::What& what) {
  const auto joined = [](const auto& lengths) {
    std::string list;
    for (const auto n : lengths) list += (list.empty() ? "" : ", ") + fmt::format("{}", n);
    return list;
  };
  return std::visit(
      Overloaded{
          [&](const FormsFeature& f) -> Described {
            return {"forms", fmt::format("prefixes [{}], suffixes [{}]", joined(f.prefixes),
                                         joined(f.suffixes))};
          },
          [](const NgramsFeature& f) -> Described {
            return {"ngrams", fmt::format("of {} to {} characters", f.shortest, f.longest)};
          },
          [](const PatternFeature& f) -> Described {
            return {"pattern", escape_attribute(f.pattern), {{"pattern", f.pattern}}};
          },
          [](const GazetteerFeature& f) -> Described {
            const std::size_t entries = f.gazetteer.entries();
            const std::size_t tokens = f.gazetteer.tokens().size();
            return {"gazetteer",
                    fmt::format("{} entries of {} different tokens", entries, tokens),
                    {{"entries", entries}, {"tokens", tokens}, {"types", f.gazetteer.types()}}};
          },
          [](const ClustersFeature& f) -> Described {
            const std::size_t words = f.clusters.words().size(), paths = f.clusters.paths().size();
            return {"clusters",
                    fmt::format("{} in {}", counted(words, "word"), counted(paths, "cluster")),
                    {{"words", words}, {"clusters", paths}}};
          },
          [](const EmbeddingsFeature& f) -> Described {
            const std::size_t words = f.embeddings.words().size();
            const std::size_t dimension = f.embeddings.dimension();
            Described described = {
                "embeddings",
                fmt::format("{}, {} each", counted(words, "word"), counted(dimension, "number")),
                {{"words", words}, {"dimension", dimension}}};
            if (f.nearest > 0) {
              const std::size_t known = f.known ? f.known->size() : 0;
              described.text += fmt::format("; the nearest {} of {} known words", f.nearest, known);
              described.fields.update(
                  {{"average", f.average}, {"nearest", f.nearest}, {"known", known}});
            }
            return described;
          },
          [](const NumberFeature& f) -> Described {
            const NumberScaling scaling = f.scaling.value_or(NumberScaling());
            if (f.has_bins()) {
              return {"number",
                      fmt::format("{} bins", scaling.cuts.size() + 1),
                      {{"cuts", scaling.cuts}}};
            }
            if (!f.standardise) return {"number", "as it is"};
            return {"number",
                    fmt::format("mean {:.6g}, deviation {:.6g}", scaling.mean, scaling.deviation),
                    {{"mean", scaling.mean}, {"deviation", scaling.deviation}}};
          },
          [](const BackoffFeature& f) -> Described {
            return {"backoff",
                    fmt::format("{} levels, {}", f.levels.size(),
                                counted(f.conjunctions.size(), "conjunction")),
                    {{"levels", f.levels}, {"conjunctions", f.conjunctions}}};
          }},
      what);
}

void add_documents(const SequenceModel& model, View& view) {
  const ExtractionConfig& config = model.extractor().config();
  if (!config.documents) return;
  const DocumentPass& pass = *config.documents;
  view.line("documents",
            fmt::format("{}: words of column {} elsewhere; first pass: {}, {} KB", escaped(pass.by),
                        pass.column, model.first_pass()->kind(), (pass.model.size() + 512) / 1024));
  view.json["extraction"]["documents"] = {
      {"by", pass.by}, {"column", pass.column}, {"kind", model.first_pass()->kind()}};
}

}  // namespace

void add_kit(const SequenceModel& model, View& view) {
  add_documents(model, view);
  const auto& kit = model.extractor().config().kit;
  if (!kit) return;
  const std::size_t count = kit->features().size();
  view.line("kit", fmt::format("{} feature{}", count, count == 1 ? "" : "s"));
  Json features = Json::array();
  for (const KitFeature& feature : kit->features()) {
    const Described described = describe(feature.what);
    view.text += fmt::format("  {:<10}  {}: {}\n", described.kind, feature.name, described.text);
    Json& one = features.emplace_back(described.fields);
    one["kind"] = described.kind;
    one["name"] = feature.name;
    if (!feature.column.empty()) one["column"] = feature.column;
    if (feature.at) one["at"] = *feature.at;
  }
  view.json["extraction"]["kit"] = {{"columns", kit->computed()},
                                    {"features", std::move(features)}};
}

}  // namespace croft
