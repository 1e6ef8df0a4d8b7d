#include "model/file/kit_record.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/file/container.h"
#include "model/file/record.h"

namespace croft {
namespace {

constexpr std::array<std::pair<UnknownWord, std::string_view>, 3> kUnknowns = {
    {{UnknownWord::flag, "flag"}, {UnknownWord::mean, "mean"}, {UnknownWord::nothing, "nothing"}}};

constexpr std::array<std::pair<Binning, std::string_view>, 2> kBinnings = {
    {{Binning::width, "width"}, {Binning::quantile, "quantile"}}};
// Of lengths, numbers of bins, dimensions.
constexpr std::size_t kMostOfAKit = std::size_t{1} << 31;

constexpr std::array<std::pair<TextValues, std::string_view>, 3> kTextValues = {
    {{TextValues::counts, "counts"}, {TextValues::binary, "binary"}, {TextValues::share, "share"}}};

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

template <class T, std::size_t N>
std::string_view name_of(T value, const std::array<std::pair<T, std::string_view>, N>& names) {
  return std::ranges::find(names, value, [](const auto& each) { return each.first; })->second;
}

// --- to a record, and sections

Json write_feature(std::size_t k, const KitFeature& feature, ContainerWriter& out) {
  Json record = {{"name", feature.name}, {"column", feature.column}};
  if (feature.at) record["at"] = *feature.at;
  if (feature.values) record["values"] = name_of(*feature.values, kTextValues);
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
                   record.update({{"kind", "embeddings"},
                                  {"dimension", f.embeddings.dimension()},
                                  {"unknown", name_of(f.unknown, kUnknowns)},
                                  {"unknown_word", f.unknown_word},
                                  {"unknown_vector", f.unknown_vector}});
                   add_bytes(section(k, "words"), f.embeddings.words().image(), out);
                   add_numbers(section(k, "values"), f.embeddings.values(), out);
                   if (f.nearest == 0) return;
                   record["texts"] = {{"average", f.average}, {"nearest", f.nearest}};
                   add_numbers(section(k, "known"), f.known->view(), out);
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

NumberScaling read_scaling(const Record& record) {
  NumberScaling scaling;
  scaling.mean = record.at("mean").number();
  scaling.deviation = record.at("deviation").number();
  record.at("deviation").require(scaling.deviation > 0, "a number above 0");
  scaling.cuts = record.at("cuts").numbers();
  record.at("cuts").require(
      std::ranges::adjacent_find(scaling.cuts, std::greater_equal<>()) == scaling.cuts.end(),
      "an increasing list");
  return scaling;
}

NumberFeature read_number(const Record& record) {
  NumberFeature f;
  f.bins = record.at("bins").whole<std::size_t>(0, kMostOfAKit);
  f.binning = record.at("binning").one_of(kBinnings);
  f.standardise = record.at("standardise").flag();
  f.missing = record.at("missing").texts();
  if (const auto cuts = record.find("cuts")) f.cuts = cuts->numbers();
  if (const auto scaling = record.find("scaling")) f.scaling = read_scaling(*scaling);
  record.require(!f.needs_fit(), "a feature with its scaling");
  return f;
}

EmbeddingsFeature read_embeddings(const Container& container, std::size_t k, const Record& record) {
  EmbeddingsFeature f;
  f.embeddings =
      Embeddings(record.at("dimension").whole<std::size_t>(1, kMostOfAKit),
                 WordTable(SharedArray<std::byte>(container.section(section(k, "words")))),
                 SharedArray<float>(container.numbers<float>(section(k, "values"))));
  f.unknown = record.at("unknown").one_of(kUnknowns);
  f.unknown_word = record.at("unknown_word").text();
  for (const double x : record.at("unknown_vector").numbers()) {
    f.unknown_vector.push_back(static_cast<float>(x));
  }
  const bool has_vector = !f.unknown_word.empty() || f.unknown == UnknownWord::mean;
  record.at("unknown_vector")
      .require(f.unknown_vector.size() == (has_vector ? f.embeddings.dimension() : 0),
               "another number of numbers");
  const auto texts = record.find("texts");
  if (!texts) return f;
  f.average = texts->at("average").flag();
  f.nearest = texts->at("nearest").whole<std::size_t>(1, kMostOfAKit);
  const std::span<const std::uint32_t> known =
      container.numbers<std::uint32_t>(section(k, "known"));
  const std::size_t words = f.embeddings.words().size();
  texts->require(std::ranges::all_of(known, [&](std::uint32_t id) { return id < words; }),
                 "words that are known");
  f.known = SharedArray<std::uint32_t>(known);
  return f;
}

KitFeature::What read_what(const Container& container, std::size_t k, const Record& record) {
  const auto lengths = [&](std::string_view key) {
    return record.at(key).wholes<std::size_t>(0, kMostOfAKit);
  };
  const std::string& kind = record.at("kind").text();
  if (kind == "forms") {
    FormsFeature f;
    f.lower_case = record.at("lower").flag();
    f.shape = record.at("shape").flag();
    f.long_shape = record.at("long_shape").flag();
    f.prefixes = lengths("prefixes");
    f.suffixes = lengths("suffixes");
    f.fold = record.at("fold").flag();
    f.boundaries = record.at("boundaries").flag();
    return f;
  }
  if (kind == "ngrams") {
    NgramsFeature f;
    const std::vector<std::size_t> both = lengths("lengths");
    record.at("lengths").require(both.size() == 2, "two lengths");
    f.shortest = both[0];
    f.longest = both[1];
    f.fold = record.at("fold").flag();
    f.boundaries = record.at("boundaries").flag();
    return f;
  }
  if (kind == "pattern") return PatternFeature{record.at("pattern").text(), nullptr};
  if (kind == "gazetteer") {
    return GazetteerFeature{
        Gazetteer(record.at("fold").flag(), record.at("types").texts(),
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
        lengths("prefixes")};
  }
  if (kind == "embeddings") return read_embeddings(container, k, record);
  if (kind == "number") return read_number(record);
  if (kind != "backoff") record.at("kind").fail("a kind of features");
  BackoffFeature f;
  f.levels = record.at("levels").texts();
  for (const Record& each : record.at("conjunctions").list()) {
    f.conjunctions.push_back(each.wholes<int>(-kFarthestOffset, kFarthestOffset));
  }
  f.mixed = record.at("mixed").flag();
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
  const Json said = parse_json_or_null(container.text(kKitSection));
  const Record record(container, kKitSection, said);
  return reading(container, kKitSection, [&] {
    const auto kit = std::make_shared<FeatureKit>(record.at("columns").texts());
    for (std::size_t k = 0; const Record& each : record.at("features").list()) {
      KitFeature feature;
      feature.name = each.at("name").text();
      feature.column = each.at("column").text();
      if (const auto at = each.find("at"))
        feature.at = at->wholes<int>(-kFarthestOffset, kFarthestOffset);
      if (const auto values = each.find("values")) feature.values = values->one_of(kTextValues);
      feature.what = read_what(container, k++, each);
      kit->add(std::move(feature));
    }
    return std::shared_ptr<const FeatureKit>(kit);
  });
}

}  // namespace croft
