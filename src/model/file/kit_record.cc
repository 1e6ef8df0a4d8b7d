#include "model/file/kit_record.h"

#include <array>
#include <cmath>
#include <utility>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/file/container.h"

namespace croft {
namespace {

constexpr std::array<std::pair<UnknownWord, std::string_view>, 3> kUnknowns = {
    {{UnknownWord::flag, "flag"}, {UnknownWord::mean, "mean"}, {UnknownWord::nothing, "nothing"}}};

// Name of a section of the k-th feature.
std::string section(std::size_t k, const char* what) {
  return "kit." + std::to_string(k) + "." + what;
}

void add_bytes(std::string name, std::span<const std::byte> bytes, ContainerWriter& out) {
  out.add(std::move(name), {bytes.begin(), bytes.end()}, ContainerWriter::Kind::bulk);
}

template <class T>
void add_numbers(std::string name, std::span<const T> numbers, ContainerWriter& out) {
  out.add_numbers(std::move(name), std::vector<T>(numbers.begin(), numbers.end()),
                  ContainerWriter::Kind::bulk);
}

// --- to a record, and sections

Json write_feature(std::size_t k, const KitFeature& feature, ContainerWriter& out) {
  Json record = {{"name", feature.name}, {"column", feature.column}};
  if (feature.at) record["at"] = *feature.at;
  std::visit(
      Overloaded{[&](const FormsFeature& f) {
                   record.update({{"kind", "forms"},
                                  {"lower", f.lower_case},
                                  {"shape", f.shape},
                                  {"long_shape", f.long_shape},
                                  {"prefixes", f.prefixes},
                                  {"suffixes", f.suffixes},
                                  {"fold", f.fold},
                                  {"boundaries", f.boundaries}});
                 },
                 [&](const NgramsFeature& f) {
                   record.update({{"kind", "ngrams"},
                                  {"lengths", {f.shortest, f.longest}},
                                  {"fold", f.fold},
                                  {"boundaries", f.boundaries}});
                 },
                 [&](const PatternFeature& f) {
                   record.update({{"kind", "pattern"}, {"pattern", f.pattern}});
                 },
                 [&](const GazetteerFeature& f) {
                   record.update({{"kind", "gazetteer"},
                                  {"fold", f.gazetteer.folds()},
                                  {"types", f.gazetteer.types()}});
                   add_bytes(section(k, "tokens"), f.gazetteer.tokens().image(), out);
                   add_numbers(section(k, "trie"), f.gazetteer.trie(), out);
                 },
                 [&](const ClustersFeature& f) {
                   record.update({{"kind", "clusters"}, {"prefixes", f.prefixes}});
                   out.add(section(k, "paths"), pack_strings(f.clusters.paths()),
                           ContainerWriter::Kind::small);
                   add_bytes(section(k, "words"), f.clusters.words().image(), out);
                   add_numbers(section(k, "clusters"), f.clusters.clusters(), out);
                 },
                 [&](const EmbeddingsFeature& f) {
                   std::string_view unknown;
                   for (const auto& [value, name] : kUnknowns) {
                     if (value == f.unknown) unknown = name;
                   }
                   record.update({{"kind", "embeddings"},
                                  {"dimension", f.embeddings.dimension()},
                                  {"unknown", unknown},
                                  {"unknown_word", f.unknown_word},
                                  {"unknown_vector", f.unknown_vector}});
                   add_bytes(section(k, "words"), f.embeddings.words().image(), out);
                   add_numbers(section(k, "values"), f.embeddings.values(), out);
                 },
                 [&](const NumberFeature& f) {
                   record.update({{"kind", "number"},
                                  {"bins", f.bins},
                                  {"binning", f.binning == Binning::width ? "width" : "quantile"},
                                  {"standardise", f.standardise},
                                  {"missing", f.missing}});
                   if (f.cuts) record["cuts"] = *f.cuts;
                   if (f.scaling) {
                     record["scaling"] = {{"mean", f.scaling->mean},
                                          {"deviation", f.scaling->deviation},
                                          {"cuts", f.scaling->cuts}};
                   }
                 },
                 [&](const BackoffFeature& f) {
                   record.update({{"kind", "backoff"},
                                  {"levels", f.levels},
                                  {"conjunctions", f.conjunctions},
                                  {"mixed", f.mixed}});
                 }},
      feature.what);
  return record;
}

// --- from them

NumberScaling read_scaling(const Json& record) {
  NumberScaling scaling;
  scaling.mean = record.at("mean").get<double>();
  scaling.deviation = record.at("deviation").get<double>();
  scaling.cuts = record.at("cuts").get<std::vector<double>>();
  require(std::isfinite(scaling.mean) && std::isfinite(scaling.deviation) && scaling.deviation > 0);
  for (std::size_t k = 1; k < scaling.cuts.size(); ++k) {
    require(scaling.cuts[k - 1] < scaling.cuts[k]);
  }
  return scaling;
}

NumberFeature read_number(const Json& record) {
  NumberFeature f;
  f.bins = record.at("bins").get<std::size_t>();
  const auto binning = record.at("binning").get<std::string>();
  require(binning == "width" || binning == "quantile");
  f.binning = binning == "width" ? Binning::width : Binning::quantile;
  f.standardise = record.at("standardise").get<bool>();
  f.missing = record.at("missing").get<std::vector<std::string>>();
  if (record.contains("cuts")) f.cuts = record["cuts"].get<std::vector<double>>();
  if (record.contains("scaling")) f.scaling = read_scaling(record["scaling"]);
  require(!f.needs_fit());
  return f;
}

EmbeddingsFeature read_embeddings(const Container& container, std::size_t k, const Json& record) {
  EmbeddingsFeature f;
  f.embeddings =
      Embeddings(record.at("dimension").get<std::size_t>(),
                 WordTable(SharedArray<std::byte>(container.section(section(k, "words")))),
                 SharedArray<float>(container.numbers<float>(section(k, "values"))));
  const auto unknown = record.at("unknown").get<std::string>();
  bool known = false;
  for (const auto& [value, name] : kUnknowns) {
    if (name != unknown) continue;
    f.unknown = value;
    known = true;
  }
  require(known);
  f.unknown_word = record.at("unknown_word").get<std::string>();
  f.unknown_vector = record.at("unknown_vector").get<std::vector<float>>();
  const bool has_vector = !f.unknown_word.empty() || f.unknown == UnknownWord::mean;
  require(f.unknown_vector.size() == (has_vector ? f.embeddings.dimension() : 0));
  return f;
}

KitFeature::What read_what(const Container& container, std::size_t k, const Json& record) {
  using Lengths = std::vector<std::size_t>;
  const auto kind = record.at("kind").get<std::string>();
  if (kind == "forms") {
    FormsFeature f;
    f.lower_case = record.at("lower").get<bool>();
    f.shape = record.at("shape").get<bool>();
    f.long_shape = record.at("long_shape").get<bool>();
    f.prefixes = record.at("prefixes").get<Lengths>();
    f.suffixes = record.at("suffixes").get<Lengths>();
    f.fold = record.at("fold").get<bool>();
    f.boundaries = record.at("boundaries").get<bool>();
    return f;
  }
  if (kind == "ngrams") {
    NgramsFeature f;
    f.shortest = record.at("lengths").at(0).get<std::size_t>();
    f.longest = record.at("lengths").at(1).get<std::size_t>();
    f.fold = record.at("fold").get<bool>();
    f.boundaries = record.at("boundaries").get<bool>();
    return f;
  }
  if (kind == "pattern") return PatternFeature{record.at("pattern").get<std::string>(), nullptr};
  if (kind == "gazetteer") {
    return GazetteerFeature{
        Gazetteer(record.at("fold").get<bool>(), record.at("types").get<std::vector<std::string>>(),
                  WordTable(SharedArray<std::byte>(container.section(section(k, "tokens")))),
                  SharedArray<std::uint32_t>(container.numbers<std::uint32_t>(section(k, "trie")))),
        {}};
  }
  if (kind == "clusters") {
    return ClustersFeature{
        WordClusters(
            unpack_strings(container, section(k, "paths")),
            WordTable(SharedArray<std::byte>(container.section(section(k, "words")))),
            SharedArray<std::uint32_t>(container.numbers<std::uint32_t>(section(k, "clusters")))),
        record.at("prefixes").get<Lengths>()};
  }
  if (kind == "embeddings") return read_embeddings(container, k, record);
  if (kind == "number") return read_number(record);
  require(kind == "backoff");
  BackoffFeature f;
  f.levels = record.at("levels").get<std::vector<std::string>>();
  f.conjunctions = record.at("conjunctions").get<std::vector<std::vector<int>>>();
  f.mixed = record.at("mixed").get<bool>();
  return f;
}

}  // namespace

void write_kit_sections(const FeatureKit& kit, ContainerWriter& out) {
  Json features = Json::array();
  for (std::size_t k = 0; k < kit.features().size(); ++k) {
    features.push_back(write_feature(k, kit.features()[k], out));
  }
  const Json record = {{"columns", kit.columns()}, {"features", std::move(features)}};
  out.add(std::string(kKitSection), record.dump(1, InvalidUtf8::replace),
          ContainerWriter::Kind::required);
}

std::shared_ptr<const FeatureKit> read_kit(const Container& container) {
  if (!container.has(kKitSection)) return nullptr;
  try {
    const Json record = parse_json(container.text(kKitSection));
    auto kit = std::make_shared<FeatureKit>(record.at("columns").get<std::vector<std::string>>());
    const Json& features = record.at("features");
    for (std::size_t k = 0; k < features.size(); ++k) {
      KitFeature feature;
      feature.name = features[k].at("name").get<std::string>();
      feature.column = features[k].at("column").get<std::string>();
      if (features[k].contains("at")) feature.at = features[k]["at"].get<std::vector<int>>();
      feature.what = read_what(container, k, features[k]);
      kit->add(std::move(feature));
    }
    return kit;
  } catch (const std::exception&) {
    throw Error(container.name() + ": section kit" + std::string(kDamaged));
  }
}

}  // namespace croft
