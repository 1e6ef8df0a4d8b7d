#include "app/train/feature_kit_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "croft/core/error.h"
#include "data/settings/field_files.h"
#include "data/settings/toml_keys.h"

namespace croft {
namespace {

// Of toml++'s messages, which may have line ends.
std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

toml::table parse_toml(std::string_view text, const std::string& name) {
  try {
    check_toml_keys(text, name);
    return toml::parse(text, std::string_view(name));
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InputError({name, at.line, at.column}, "no TOML: " + on_one_line(error.description()), "",
                     "docs/features.md has examples");
  }
}

// One [[kind]] table: its keys, each of which is asked for once.
class Keys {
 public:
  Keys(const toml::table& table, std::string_view kind, const std::string& file)
      : table_(table), kind_(kind), file_(file) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& problem,
                         std::string_view remedy = {}, std::string_view text = {}) const {
    const toml::source_position at = node.source().begin;
    throw InputError({file_, at.line, at.column}, owner() + ": " + problem, text, remedy);
  }
  [[noreturn]] void fail(const std::string& problem, std::string_view remedy = {}) const {
    fail(table_, problem, remedy);
  }

  const toml::node* find(std::string_view key) {
    known_.insert(key);
    return table_.get(key);
  }
  Location where() const {
    const toml::source_position at = table_.source().begin;
    return {file_, at.line, at.column};
  }
  // Throws for keys that nobody asked for.
  void finish() const {
    for (const auto& [key, value] : table_) {
      if (known_.contains(key.str())) continue;
      std::string list;
      for (const std::string_view each : known_)
        list += (list.empty() ? "" : ", ") + std::string(each);
      const toml::source_position at = key.source().begin;
      throw InputError({file_, at.line, at.column}, owner() + ": there is no such key", key.str(),
                       "there are " + list);
    }
  }

  std::optional<std::string> text(std::string_view key) {
    const toml::node* found = find(key);
    if (found == nullptr) return std::nullopt;
    return text_of(*found, key);
  }
  std::string required_text(std::string_view key) {
    std::optional<std::string> found = text(key);
    if (!found) fail("the key " + in_quotes(key) + " is missing");
    return *found;
  }
  bool flag(std::string_view key, bool otherwise) {
    const toml::node* found = find(key);
    if (found == nullptr) return otherwise;
    const auto value = found->value_exact<bool>();
    if (!value) fail(*found, in_quotes(key) + " is neither true nor false");
    return *value;
  }
  std::size_t count(std::string_view key, std::size_t least, std::size_t otherwise) {
    const toml::node* found = find(key);
    return found == nullptr ? otherwise : count_of(*found, key, least);
  }
  double number(std::string_view key, double otherwise) {
    const toml::node* found = find(key);
    return found == nullptr ? otherwise : number_of(*found, key);
  }
  // One of `choices`, the first where there is no such key.
  template <class T>
  T choice(std::string_view key, std::initializer_list<std::pair<std::string_view, T>> choices) {
    const std::optional<std::string> found = text(key);
    if (!found) return choices.begin()->second;
    std::string list;
    for (const auto& [name, value] : choices) {
      if (name == *found) return value;
      list += (list.empty() ? "" : ", ") + std::string(name);
    }
    fail(*table_.get(key), in_quotes(key) + " has no such value", "choose one of " + list, *found);
  }
  // A list, each of whose items `read` turns into a value; none where there is no such key.
  template <class Read>
  auto list(std::string_view key, const Read& read)
      -> std::optional<std::vector<decltype(read(std::declval<const toml::node&>()))>> {
    const toml::node* found = find(key);
    if (found == nullptr) return std::nullopt;
    return list_of(*found, key, read);
  }
  template <class Read>
  auto list_of(const toml::node& node, std::string_view key, const Read& read) const {
    if (!node.is_array()) fail(node, in_quotes(key) + " is no list", "write it as [a, b]");
    std::vector<decltype(read(node))> values;
    for (const toml::node& each : *node.as_array()) values.push_back(read(each));
    return values;
  }
  // Texts, each of them once.
  std::vector<std::string> texts(std::string_view key) {
    const std::vector<std::string> all = any_texts(key);
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all[k]) ==
          all.begin() + static_cast<std::ptrdiff_t>(k)) {
        continue;
      }
      fail(*table_.get(key), in_quotes(key) + " has one twice", "delete one of them", all[k]);
    }
    return all;
  }
  std::vector<std::string> any_texts(std::string_view key) {
    return list(key, [&](const toml::node& node) { return text_of(node, key); })
        .value_or(std::vector<std::string>());
  }
  std::vector<std::size_t> lengths(std::string_view key, std::vector<std::size_t> otherwise) {
    return list(key, [&](const toml::node& node) { return count_of(node, key, 1); })
        .value_or(std::move(otherwise));
  }

  std::string text_of(const toml::node& node, std::string_view key) const {
    const auto value = node.value_exact<std::string>();
    if (!value) fail(node, in_quotes(key) + " is no text", "write it in quotes");
    if (value->find('\0') != std::string::npos) fail(node, in_quotes(key) + " has a NUL byte");
    return *value;
  }
  std::size_t count_of(const toml::node& node, std::string_view key, std::size_t least) const {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < static_cast<std::int64_t>(least) || *value > 1'000'000'000) {
      fail(node, in_quotes(key) + " is no whole number of " + std::to_string(least) + " or more");
    }
    return static_cast<std::size_t>(*value);
  }
  double number_of(const toml::node& node, std::string_view key) const {
    const auto value = node.value<double>();
    if (!value || !std::isfinite(*value)) fail(node, in_quotes(key) + " is no finite number");
    return *value;
  }
  int offset_of(const toml::node& node, std::string_view key) const {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || std::abs(*value) > kFarthestOffset) {
      fail(node, in_quotes(key) + " has an offset that is no whole number from -100 to 100");
    }
    return static_cast<int>(*value);
  }
  // A column: its number, or a name.
  std::string column_of(const toml::node& node, std::string_view key) const {
    if (node.is_string()) return text_of(node, key);
    return std::to_string(count_of(node, key, 0));
  }

 private:
  std::string owner() const { return "[[" + std::string(kind_) + "]]"; }

  const toml::table& table_;
  std::string_view kind_;
  const std::string& file_;
  std::set<std::string_view> known_;
};

// What features are made of beside their keys: files, and of texts how these are cut.
struct Resources {
  const OpenResource& open;
  const std::optional<Tokenizer>& words;
};

// --- the features, each of whose keys are here and in docs/features.md

KitFeature::What read_forms(Keys& keys) {
  FormsFeature f;
  const toml::node* forms = keys.find("forms");
  for (const std::string& form : keys.texts("forms")) {
    if (form == "lower") {
      f.lower_case = true;
    } else if (form == "shape") {
      f.shape = true;
    } else if (form == "long-shape") {
      f.long_shape = true;
    } else {
      keys.fail(*forms, "there is no such form", "choose among lower, shape and long-shape", form);
    }
  }
  f.prefixes = keys.lengths("prefixes", {});
  f.suffixes = keys.lengths("suffixes", {});
  f.fold = keys.flag("fold-case", true);
  f.boundaries = keys.flag("boundaries", true);
  for (const char* key : {"fold-case", "boundaries"}) {
    if (keys.find(key) == nullptr || !f.prefixes.empty() || !f.suffixes.empty()) continue;
    keys.fail(*keys.find(key), in_quotes(key) + " is for prefixes and suffixes, and there are none",
              "leave it out");
  }
  return f;
}

KitFeature::What read_ngrams(Keys& keys) {
  NgramsFeature f;
  const std::vector<std::size_t> lengths = keys.lengths("lengths", {2, 4});
  if (lengths.size() != 2) {
    keys.fail(*keys.find("lengths"), "\"lengths\" is no pair", "write [SHORTEST, LONGEST]");
  }
  f.shortest = lengths[0];
  f.longest = lengths[1];
  f.fold = keys.flag("fold-case", true);
  f.boundaries = keys.flag("boundaries", true);
  return f;
}

KitFeature::What read_gazetteer(Keys& keys, const Resources& from) {
  GazetteerBuilder builder(keys.flag("fold-case", true), from.words);
  std::vector<std::string> files = keys.texts("files");
  if (const auto file = keys.text("file")) {
    if (std::ranges::count(files, *file) > 0) keys.fail("\"file\" is one of \"files\", too");
    files.push_back(*file);
  }
  if (files.empty()) keys.fail("no \"file\" and no \"files\"", "name the lists");
  for (const std::string& file : files) builder.read(from.open(file));
  return GazetteerFeature{builder.build(), {}};
}

KitFeature::What read_synonyms(Keys& keys, const Resources& from) {
  GazetteerBuilder builder(keys.flag("fold-case", true), from.words);
  builder.read_synonyms(from.open(keys.required_text("file")));
  return GazetteerFeature{builder.build(), {}};
}

KitFeature::What read_clusters(Keys& keys, const Resources& from) {
  ClustersFeature f;
  f.prefixes = keys.lengths("prefixes", {4, 6, 10, 20});
  f.clusters = WordClusters::read(from.open(keys.required_text("file")));
  return f;
}

KitFeature::What read_embeddings(Keys& keys, const Resources& from) {
  EmbeddingsFeature f;
  EmbeddingOptions options;
  options.scale =
      keys.choice<EmbeddingScale>("scale", {{"none", EmbeddingScale::none},
                                            {"standardise", EmbeddingScale::standardise},
                                            {"length", EmbeddingScale::length}});
  options.factor = keys.number("factor", 1);
  if (options.factor == 0) keys.fail("\"factor\" is 0, and so would be every number");
  options.max_words = keys.count("max-words", 1, 0);
  f.unknown = keys.choice<UnknownWord>("unknown", {{"flag", UnknownWord::flag},
                                                   {"mean", UnknownWord::mean},
                                                   {"nothing", UnknownWord::nothing}});
  f.unknown_word = keys.text("unknown-word").value_or("");
  if (!f.unknown_word.empty() && keys.find("unknown") != nullptr) {
    keys.fail("\"unknown\" beside \"unknown-word\"", "leave out one of them");
  }
  f.average = keys.flag("average", true);
  f.nearest = keys.count("nearest", 1, 0);
  // A cosine is the same for vectors of any length, but not about another mean.
  for (const char* each : {"unknown", "unknown-word", "factor"}) {
    if (!f.average && keys.find(each) != nullptr) {
      keys.fail(in_quotes(each) + " is of averages, and \"average\" is false", "leave it out");
    }
  }
  if (!f.average && keys.find("scale") != nullptr && options.scale != EmbeddingScale::standardise) {
    keys.fail("this \"scale\" is of averages, and \"average\" is false",
              "leave it out, or let it be \"standardise\"");
  }
  f.embeddings = Embeddings::read(from.open(keys.required_text("file")), options);
  return f;
}

KitFeature::What read_number(Keys& keys) {
  NumberFeature f;
  f.bins = keys.count("bins", 2, 0);
  f.cuts = keys.list("cuts", [&](const toml::node& node) { return keys.number_of(node, "cuts"); });
  f.binning =
      keys.choice<Binning>("binning", {{"quantile", Binning::quantile}, {"width", Binning::width}});
  if (keys.find("binning") != nullptr && f.bins == 0) {
    keys.fail("\"binning\" says how \"bins\" are found, and there are none");
  }
  f.standardise = keys.choice<bool>("value", {{"standardised", true}, {"raw", false}});
  if (keys.find("value") != nullptr && f.has_bins()) {
    keys.fail("\"value\" beside bins: the attribute is the number of the bin, without a value");
  }
  f.missing = keys.texts("missing");
  return f;
}

KitFeature::What read_backoff(Keys& keys) {
  BackoffFeature f;
  const auto level = [&](const toml::node& node) { return keys.column_of(node, "levels"); };
  f.levels = keys.list("levels", level).value_or(std::vector<std::string>());
  const auto offsets = [&](const toml::node& node) {
    return keys.list_of(node, "conjunctions", [&](const toml::node& each) {
      return keys.offset_of(each, "conjunctions");
    });
  };
  f.conjunctions = keys.list("conjunctions", offsets).value_or(std::vector<std::vector<int>>());
  f.mixed = keys.flag("mixed", false);
  if (keys.find("mixed") != nullptr && f.conjunctions.empty()) {
    keys.fail("\"mixed\" says how \"conjunctions\" are made, and there are none");
  }
  return f;
}

struct Kind {
  std::string_view name;
  KitFeature::What (*read)(Keys& keys, const Resources& from);
  bool of_texts = false;  // a word or phrase has it: texts can
};
template <KitFeature::What (*read)(Keys&)>
KitFeature::What without_files(Keys& keys, const Resources&) {
  return read(keys);
}
KitFeature::What read_pattern(Keys& keys, const Resources&) {
  return PatternFeature{keys.required_text("pattern"), nullptr};
}
constexpr Kind kKinds[] = {{"forms", without_files<read_forms>},
                           {"ngrams", without_files<read_ngrams>},
                           {"pattern", read_pattern},
                           {"gazetteer", read_gazetteer, true},
                           {"synonyms", read_synonyms, true},
                           {"clusters", read_clusters, true},
                           {"embeddings", read_embeddings, true},
                           {"number", without_files<read_number>},
                           {"backoff", without_files<read_backoff>}};

struct Declaration {
  const toml::table* table;
  const Kind* kind;
};

// The features of a file in its order, which TOML's tables do not keep.
std::vector<Declaration> declarations(const toml::table& root, const std::string& name) {
  std::vector<Declaration> found;
  for (const auto& [key, node] : root) {
    if (key.str() == "columns") continue;
    const auto kind = std::ranges::find(kKinds, key.str(), &Kind::name);
    const auto fail = [&](std::string_view problem, const std::string& remedy) {
      const toml::source_position at = key.source().begin;
      throw InputError({name, at.line, at.column}, problem, key.str(), remedy);
    };
    if (kind == std::end(kKinds)) {
      std::string list = "columns = [...]";
      for (const Kind& each : kKinds) list += ", [[" + std::string(each.name) + "]]";
      fail("there is no such feature", "there are " + list);
    }
    const std::string remedy = "begin each with a line [[" + std::string(key.str()) + "]]";
    if (!node.is_array()) fail("not a list of tables", remedy);
    for (const toml::node& each : *node.as_array()) {
      if (!each.is_table()) fail("not a list of tables", remedy);
      found.push_back({each.as_table(), kind});
    }
  }
  std::ranges::stable_sort(found, {}, [](const Declaration& each) {
    const toml::source_position at = each.table->source().begin;
    return std::pair(at.line, at.column);
  });
  return found;
}

void add_feature(const Declaration& declared, const std::string& name, const Resources& from,
                 FeatureKit& kit) {
  Keys keys(*declared.table, declared.kind->name, name);
  KitFeature feature;
  feature.name = keys.required_text("name");
  if (declared.kind->name != "backoff") {
    if (const toml::node* column = keys.find("column")) {
      feature.column = keys.column_of(*column, "column");
    }
  }
  feature.at = keys.list("at", [&](const toml::node& node) { return keys.offset_of(node, "at"); });
  if (declared.kind->of_texts && keys.find("values") != nullptr) {
    feature.values = keys.choice<TextValues>("values", {{"counts", TextValues::counts},
                                                        {"binary", TextValues::binary},
                                                        {"share", TextValues::share}});
  }
  feature.what = declared.kind->read(keys, from);
  feature.where = keys.where();
  keys.finish();
  try {
    kit.add(std::move(feature));
  } catch (const UsageError& error) {
    keys.fail(error.what());
  }
}

std::vector<std::string> column_names(const toml::table& root, const std::string& name) {
  std::vector<std::string> names;
  const toml::node* columns = root.get("columns");
  if (columns == nullptr) return names;
  const auto fail = [&](const toml::node& node) {
    const toml::source_position at = node.source().begin;
    throw InputError({name, at.line, at.column}, "\"columns\" is no list of names", "",
                     "write columns = [\"word\", \"pos\"]");
  };
  if (!columns->is_array()) fail(*columns);
  for (const toml::node& each : *columns->as_array()) {
    const auto text = each.value_exact<std::string>();
    if (!text) fail(each);
    names.push_back(*text);
  }
  return names;
}

std::string read_text(const std::string& path, std::string& name) {
  if (path == "-") {
    throw UsageError(
        "--kit -: a kit is read more than once, and the files that it names are beside it, and "
        "standard input is neither: name a file");
  }
  LineReader lines(path);
  name = lines.name();
  return text_of(lines);
}

std::string beside(const std::string& kit, const std::string& file) {
  if (file == "-") {
    throw InputError({kit}, "a kit cannot read standard input", file, "name a file");
  }
  return (std::filesystem::path(kit).parent_path() / file).string();
}

}  // namespace

std::shared_ptr<const FeatureKit> parse_feature_kit(std::string_view text, const std::string& name,
                                                    const OpenResource& open,
                                                    const std::optional<Tokenizer>& words) {
  const toml::table root = parse_toml(text, name);
  std::shared_ptr<FeatureKit> kit;
  try {
    const toml::node* columns = root.get("columns");
    const std::size_t line = columns == nullptr ? 0 : columns->source().begin.line;
    kit = std::make_shared<FeatureKit>(column_names(root, name), Location{name, line});
  } catch (const UsageError& error) {
    throw InputError({name, root.get("columns")->source().begin.line}, error.message());
  }
  for (const Declaration& each : declarations(root, name))
    add_feature(each, name, {open, words}, *kit);
  if (kit->features().empty()) {
    throw InputError({name}, "the kit declares no feature", "",
                     "declare one, such as [[clusters]]; docs/features.md has examples");
  }
  return kit;
}

std::shared_ptr<const FeatureKit> read_feature_kit(const std::string& path,
                                                   const std::optional<Tokenizer>& words) {
  std::string name;
  const std::string text = read_text(path, name);
  return parse_feature_kit(
      text, name, [&](const std::string& file) { return LineReader(beside(path, file)); }, words);
}

std::vector<std::string> feature_kit_files(const std::string& path) {
  std::string name;
  const std::string text = read_text(path, name);
  std::vector<std::string> files = {path};
  const toml::table root = parse_toml(text, name);
  for (const Declaration& each : declarations(root, name)) {
    const auto add = [&](const toml::node& node) {
      if (const auto file = node.value_exact<std::string>()) files.push_back(beside(path, *file));
    };
    if (const toml::node* file = each.table->get("file")) add(*file);
    if (const toml::array* list = each.table->get_as<toml::array>("files")) {
      for (const toml::node& file : *list) add(file);
    }
  }
  return files;
}

}  // namespace croft
