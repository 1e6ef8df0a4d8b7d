#include "features/kit/feature_kit.h"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "croft/core/error.h"

namespace croft {
namespace {

bool is_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto other = [](char c) { return (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || other(c); });
}

bool is_number(std::string_view text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Whether the default features for words have attributes of that name: w[0]=, c1[-1]=.
bool is_of_preset(std::string_view name) {
  std::size_t column = 0;
  return name == "w" || name == "l" || name == "s" || name == "S" ||
         (name[0] == 'c' && is_number(name.substr(1), column));
}

std::string with_offset(const std::string& name, int offset) {
  return name + "[" + std::to_string(offset) + "]";
}

// What is wrong with a kit, with its place in the file where there is one.
[[noreturn]] void fail(const Location& where, const Message& problem) {
  if (where.file.empty()) throw UsageError(problem);
  throw InputError(where, problem, "", "");
}

template <class T>
bool has_twice(const std::vector<T>& list) {
  for (auto each = list.begin(); each != list.end(); ++each) {
    if (std::find(list.begin(), each, *each) != each) return true;
  }
  return false;
}

// The columns that the feature is made of, as it names them.
std::vector<std::string> sources_of(const KitFeature& feature) {
  const auto* backoff = std::get_if<BackoffFeature>(&feature.what);
  return backoff == nullptr ? std::vector{feature.column} : backoff->levels;
}

void require(bool holds, const std::string& name, const char* problem) {
  if (!holds) throw UsageError("the feature " + in_quotes(name) + " " + problem);
}

void check_lengths(const std::vector<std::size_t>& lengths, const std::string& name) {
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    require(lengths[k] >= 1 && (k == 0 || lengths[k - 1] < lengths[k]), name,
            "has lengths that do not ascend from 1 on");
  }
}

void check_offsets(const std::vector<int>& at, const std::string& name) {
  for (std::size_t k = 0; k < at.size(); ++k) {
    require(std::abs(at[k]) <= kFarthestOffset, name, "has an offset beyond -100 and 100");
    require(k == 0 || at[k - 1] < at[k], name, "has offsets that do not ascend");
  }
}

// The computed columns of a feature, all checked but for names.
std::vector<std::string> columns_of(KitFeature& feature) {
  const std::string& name = feature.name;
  std::vector<std::string> columns;
  std::visit(
      Overloaded{
          [&](const FormsFeature& f) {
            check_lengths(f.prefixes, name);
            check_lengths(f.suffixes, name);
            if (f.lower_case) columns.push_back(name + ".lower");
            if (f.shape) columns.push_back(name + ".shape");
            if (f.long_shape) columns.push_back(name + ".long-shape");
            for (const std::size_t n : f.prefixes) {
              columns.push_back(name + ".prefix" + std::to_string(n));
            }
            for (const std::size_t n : f.suffixes) {
              columns.push_back(name + ".suffix" + std::to_string(n));
            }
            require(!columns.empty(), name, "asks for no form, prefix or suffix");
          },
          [&](const NgramsFeature& f) {
            require(f.shortest >= 1 && f.shortest <= f.longest, name,
                    "has lengths that are 0 or out of order");
          },
          [&](PatternFeature& f) {
            RE2::Options options;
            options.set_log_errors(false);
            f.regex = std::make_shared<const RE2>(f.pattern, options);
            if (!f.regex->ok()) {
              throw UsageError("the feature " + in_quotes(name) + " has a bad pattern " +
                               in_quotes(f.pattern) + ": " + f.regex->error());
            }
            columns = {name};
          },
          [&](GazetteerFeature& f) {
            f.marks = f.gazetteer.mark_names();
            columns = {name};
          },
          [&](const ClustersFeature& f) {
            check_lengths(f.prefixes, name);
            for (const std::size_t n : f.prefixes)
              columns.push_back(name + "." + std::to_string(n));
            if (columns.empty()) columns = {name};
          },
          [&](EmbeddingsFeature& f) {
            if (!f.unknown_vector.empty()) return;  // of a model file
            if (!f.unknown_word.empty()) {
              const std::uint32_t id = f.embeddings.words().find_exactly(f.unknown_word);
              require(id != kUnknown, name, "has an unknown-word that is not in the file");
              const std::span<const float> row = f.embeddings.row(id);
              f.unknown_vector.assign(row.begin(), row.end());
            } else if (f.unknown == UnknownWord::mean) {
              f.unknown_vector = f.embeddings.mean();
            }
          },
          [&](NumberFeature& f) {
            require(!f.cuts || f.bins == 0, name, "has both bins and cuts");
            if (f.cuts) {
              for (std::size_t k = 0; k < f.cuts->size(); ++k) {
                require(std::isfinite((*f.cuts)[k]) && (k == 0 || (*f.cuts)[k - 1] < (*f.cuts)[k]),
                        name, "has cuts that do not ascend");
              }
              f.scaling = NumberScaling{0, 1, *f.cuts};
            }
            columns = {name};
          },
          [&](const BackoffFeature& f) {
            require(f.levels.size() >= 2, name, "backs off from nothing: it needs two levels");
            require(!has_twice(f.levels), name, "has a level twice");
            require(!has_twice(f.conjunctions), name, "has a conjunction twice");
            for (const auto& offsets : f.conjunctions) {
              require(offsets.size() >= 2, name, "has a conjunction of fewer than two positions");
              check_offsets(offsets, name);
              require(!f.mixed || std::pow(f.levels.size(), offsets.size()) <= 1000, name,
                      "mixes more than 1000 conjunctions; take fewer levels");
            }
          }},
      feature.what);
  return columns;
}

}  // namespace

void FreeKitScratch::operator()(KitScratch* scratch) const { delete scratch; }

FeatureKit::FeatureKit(std::vector<std::string> columns, Location where)
    : columns_(std::move(columns)), where_(std::move(where)) {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (!is_name(columns_[k])) {
      throw UsageError("a column cannot have the name " + in_quotes(columns_[k]) +
                       "; take letters, digits, _ and -");
    }
    if (std::find(columns_.begin(), columns_.begin() + k, columns_[k]) != columns_.begin() + k) {
      throw UsageError("two columns have the name " + in_quotes(columns_[k]));
    }
  }
}

void FeatureKit::add(KitFeature feature) {
  if (!is_name(feature.name)) {
    throw UsageError("a feature cannot have the name " + in_quotes(feature.name) +
                     "; take letters, digits, _ and -");
  }
  const bool taken = std::ranges::count(columns_, feature.name) > 0 ||
                     std::ranges::count(features_, feature.name, &KitFeature::name) > 0;
  require(!taken, feature.name, "has the name of another one, or of a column");
  if (feature.at) check_offsets(*feature.at, feature.name);
  std::vector<std::string> computed = columns_of(feature);
  first_computed_.push_back(computed_.size());
  computed_.insert(computed_.end(), computed.begin(), computed.end());
  features_.push_back(std::move(feature));
}

std::vector<std::string> FeatureKit::template_names(std::size_t columns) const {
  std::vector<std::string> names = columns_;
  names.resize(columns);
  names.insert(names.end(), computed_.begin(), computed_.end());
  return names;
}

bool FeatureKit::needs_fit() const {
  return std::ranges::any_of(features_, [](const KitFeature& feature) {
    const auto* number = std::get_if<NumberFeature>(&feature.what);
    const auto* embeddings = std::get_if<EmbeddingsFeature>(&feature.what);
    return (number != nullptr && number->needs_fit()) ||
           (embeddings != nullptr && embeddings->needs_fit());
  });
}

std::shared_ptr<FeatureKit> FeatureKit::copy() const { return std::make_shared<FeatureKit>(*this); }

std::shared_ptr<const FeatureKit> FeatureKit::fitted(const std::vector<KitFeatureFit>& fit) const {
  auto kit = copy();
  for (std::size_t k = 0; k < features_.size(); ++k) {
    auto* number = std::get_if<NumberFeature>(&kit->features_[k].what);
    auto* embeddings = std::get_if<EmbeddingsFeature>(&kit->features_[k].what);
    if (number != nullptr && number->needs_fit()) number->scaling = fit.at(k).scaling;
    if (embeddings != nullptr && embeddings->needs_fit()) {
      embeddings->known = SharedArray<std::uint32_t>(fit.at(k).known);
    }
  }
  return kit;
}

std::shared_ptr<const FeatureKit> FeatureKit::owning() const {
  auto kit = copy();
  for (KitFeature& feature : kit->features_) {
    std::visit(Overloaded{[](GazetteerFeature& f) { f.gazetteer = f.gazetteer.owning(); },
                          [](ClustersFeature& f) { f.clusters = f.clusters.owning(); },
                          [](EmbeddingsFeature& f) {
                            f.embeddings = f.embeddings.owning();
                            if (f.known) f.known = f.known->owning();
                          },
                          [](auto&) {}},
               feature.what);
  }
  return kit;
}

std::shared_ptr<const FeatureKit> FeatureKit::bind(
    InputFormat format, std::size_t columns, const std::function<bool(std::size_t)>& named) const {
  auto kit = copy();
  kit->bound_.assign(features_.size(), {});
  kit->attributes_.clear();
  kit->texts_ = format == InputFormat::text;
  if (kit->texts_) {
    kit->bind_texts();
    return kit;
  }
  for (const KitFeature& feature : features_) {
    const auto* embeddings = std::get_if<EmbeddingsFeature>(&feature.what);
    const bool of_words =
        embeddings != nullptr && (embeddings->nearest > 0 || !embeddings->average);
    if (!feature.values && !of_words) continue;
    fail(feature.where, "the feature " + in_quotes(feature.name) + " says " +
                            (feature.values ? "values" : "nearest or average") +
                            ", which is for the words of texts together; leave it out");
  }
  if (format == InputFormat::columns) {
    if (!columns_.empty() && columns_.size() != columns) {
      fail(where_, "the feature kit names " + std::to_string(columns_.size()) +
                       " columns, and the data has " + std::to_string(columns) +
                       " besides the labels");
    }
    kit->data_columns_ = columns;
  } else {
    // All columns first: the computed ones stand behind them.
    for (const KitFeature& feature : features_) {
      const bool backoff = std::holds_alternative<BackoffFeature>(feature.what);
      for (const std::string& column : sources_of(feature)) {
        if (backoff && std::ranges::count(computed_, column) > 0) continue;
        kit->source(column, feature.where, format);
      }
    }
    kit->data_columns_ = kit->attributes_.size();
    kit->signs_ = format == InputFormat::attributes ? "=:" : "=";
  }
  for (std::size_t k = 0; k < features_.size(); ++k) {
    if (format == InputFormat::columns && !named && is_of_preset(features_[k].name)) {
      fail(features_[k].where, "the feature " + in_quotes(features_[k].name) +
                                   " has a name of the default features for words; give it "
                                   "another");
    }
    if (std::holds_alternative<BackoffFeature>(features_[k].what)) {
      kit->bind_backoff(k, format);
    } else {
      kit->bind_feature(k, format, named);
    }
  }
  kit->check_effects(format, named);
  return kit;
}

// What a kit says in vain is an error.
void FeatureKit::check_effects(InputFormat format,
                               const std::function<bool(std::size_t)>& named) const {
  const auto is_source = [&](const std::string& column) {
    return std::ranges::any_of(features_, [&](const KitFeature& feature) {
      return std::ranges::count(sources_of(feature), column) > 0;
    });
  };
  if (!columns_.empty() && format != InputFormat::columns) {
    fail(where_,
         "the feature kit has a line columns = [...], which is for --format columns; the "
         "attributes of other formats have names; delete it");
  }
  if (!columns_.empty() && !named && std::ranges::none_of(columns_, is_source)) {
    fail(where_,
         "the feature kit gives the data's columns names that nothing uses; delete the "
         "line columns = [...]");
  }
  for (std::size_t k = 0; k < features_.size(); ++k) {
    const KitFeature& feature = features_[k];
    const auto* number = std::get_if<NumberFeature>(&feature.what);
    // Models that were trained before this was looked at are still read.
    if (number != nullptr && !number->has_bins() && !feature.where.file.empty() &&
        ((named && named(data_columns_ + first_computed_[k])) ||
         is_source(computed_[first_computed_[k]]))) {
      fail(feature.where,
           "the number " + in_quotes(feature.name) +
               " has no text that a template or a level could have, as it is a value; give it bins "
               "or cuts, or leave it out there: it makes attributes of its own");
    }
    if (!feature.at || !feature.at->empty()) continue;
    const auto* backoff = std::get_if<BackoffFeature>(&feature.what);
    bool used = backoff != nullptr && !backoff->conjunctions.empty();
    const std::size_t end = k + 1 < features_.size() ? first_computed_[k + 1] : computed_.size();
    for (std::size_t c = first_computed_[k]; c < end && !used; ++c) {
      used = (named && named(data_columns_ + c)) || is_source(computed_[c]);
    }
    if (used) continue;
    fail(feature.where, "the feature " + in_quotes(feature.name) +
                            " has no effect: at = [] asks for no attributes of its own, and "
                            "nothing else names a column of it");
  }
}

std::shared_ptr<const FeatureKit> FeatureKit::for_table(const CsvColumns& table) const {
  for (const KitFeature& feature : features_) {
    const bool backoff = std::holds_alternative<BackoffFeature>(feature.what);
    for (const std::string& column : sources_of(feature)) {
      // bind() complains of none.
      if (column.empty() || (backoff && std::ranges::count(computed_, column) > 0)) continue;
      const auto found = std::ranges::find(table.columns, column, &CsvColumn::name);
      const std::string of = "the feature " + in_quotes(feature.name) + " is made of the column " +
                             in_quotes(column) + ", ";
      if (found == table.columns.end()) {
        std::string list;
        for (const CsvColumn& each : table.columns) {
          list += (list.empty() ? "" : ", ") + in_quotes(each.name);
        }
        const bool ignored = std::ranges::count(table.ignored, column) > 0;
        fail(feature.where, of +
                                (column == table.label ? "which is the label"
                                 : ignored             ? "which is ignored"
                                                       : "and there is none") +
                                "; there are " + list);
      }
    }
  }
  auto kit = copy();
  kit->standardised_.clear();
  for (const CsvColumn& column : table.columns) {
    if (table.standardised && column.kind == CsvKind::numeric) kit->standardised_.push_back(column);
  }
  return kit;
}

// The number of the file, of a value that the table's reader made of it.
double FeatureKit::as_read(const std::string& column, double value) const {
  const auto found = std::ranges::find(standardised_, column, &CsvColumn::name);
  if (found == standardised_.end()) return value;
  char text[32];  // 15 digits: what the two roundings have left of the number is right in these
  const double number = value * found->deviation + found->mean;
  const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::general, 15);
  double out = number;
  std::from_chars(text, end.ptr, out);
  return out;
}

// Whether the item is what a position says in that column.
bool FeatureKit::says(std::string_view item, const std::string& column) const {
  return item.starts_with(column) &&
         (item.size() == column.size() || signs_.find(item[column.size()]) != signs_.npos);
}

bool FeatureKit::find_columns(const TextSequence& data, std::vector<bool>& seen) const {
  seen.resize(attributes_.size());
  bool all = true;
  for (std::size_t c = 0; c < attributes_.size(); ++c) {
    for (std::size_t i = 0; i < data.node.items() && !seen[c]; ++i) {
      seen[c] = says(data.node.item(i), attributes_[c]);
    }
    all = all && seen[c];
  }
  return all;
}

void FeatureKit::require_columns(const std::vector<bool>& seen) const {
  for (std::size_t c = 0; c < attributes_.size(); ++c) {
    if (c < seen.size() && seen[c]) continue;
    const std::string& column = attributes_[c];
    const auto feature = std::ranges::find_if(features_, [&](const KitFeature& each) {
      return std::ranges::count(sources_of(each), column) > 0;
    });
    fail(feature->where, "the feature " + in_quotes(feature->name) + " is made of the attribute " +
                             in_quotes(column) + ", and there is no attribute " + column +
                             "=… or " + column + " in the data");
  }
}

// The number of a column of the data; one of attributes is new at its first mention.
std::size_t FeatureKit::source(const std::string& column, const Location& where,
                               InputFormat format) {
  if (format == InputFormat::columns) {
    std::size_t number = 0;
    if (column.empty() || is_number(column, number)) {
      if (number < data_columns_) return number;
      fail(where, "the feature kit names column " + std::to_string(number) + ", and the data has " +
                      std::to_string(data_columns_) +
                      (data_columns_ == 1 ? " column" : " columns") +
                      " besides the labels (the first is 0)");
    }
    const auto found = std::ranges::find(columns_, column);
    if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
    fail(where, "the feature kit names the column " + in_quotes(column) +
                    ", and there is none; give the data's columns names by a line columns = [...]");
  }
  if (column.empty()) {
    fail(where, "the feature kit must say of which attribute a feature is made: column = NAME");
  }
  const auto found = std::ranges::find(attributes_, column);
  if (found != attributes_.end()) return static_cast<std::size_t>(found - attributes_.begin());
  attributes_.push_back(column);
  return attributes_.size() - 1;
}

void FeatureKit::bind_feature(std::size_t k, InputFormat format,
                              const std::function<bool(std::size_t)>& named) {
  const KitFeature& feature = features_[k];
  Bound& bound = bound_[k];
  bound.column = source(feature.column, feature.where, format);
  const std::vector<int> at = feature.at.value_or(std::vector<int>{0});
  const std::size_t end = k + 1 < features_.size() ? first_computed_[k + 1] : computed_.size();
  for (std::size_t c = first_computed_[k]; c < end; ++c) {
    const std::size_t column = data_columns_ + c;
    if (!feature.at && named && named(column)) continue;
    for (const int offset : at) {
      bound.terms.push_back({with_offset(computed_[c], offset) + "=", {{column, offset}}});
    }
  }
  const auto name_offsets = [&](const auto& names_at) {
    bound.at = at;
    for (const int offset : at) bound.names.push_back(names_at(with_offset(feature.name, offset)));
  };
  using Names = std::vector<std::string>;
  std::visit(Overloaded{[&](const NgramsFeature& f) {
                          name_offsets([](const std::string& name) { return Names{name + "="}; });
                          TokenizerOptions options;
                          options.analyzer = f.boundaries ? Analyzer::char_wb : Analyzer::char_;
                          options.shortest = f.shortest;
                          options.longest = f.longest;
                          options.lower_case = f.fold;
                          bound.tokenizer.emplace(options);
                        },
                        [&](const NumberFeature& f) {
                          if (f.has_bins()) return;
                          name_offsets([](const std::string& name) { return Names{name}; });
                        },
                        [&](const EmbeddingsFeature& f) {
                          name_offsets([&](const std::string& name) {
                            Names names;
                            for (std::size_t d = 0; d < f.embeddings.dimension(); ++d) {
                              names.push_back(name + "." + std::to_string(d));
                            }
                            names.push_back(name + ".unknown");
                            return names;
                          });
                        },
                        [](const auto&) {}},
             feature.what);
}

void FeatureKit::bind_backoff(std::size_t k, InputFormat format) {
  const auto& f = std::get<BackoffFeature>(features_[k].what);
  Bound& bound = bound_[k];
  std::vector<std::size_t> levels;
  for (const std::string& level : f.levels) {
    const auto found = std::find(computed_.begin(), computed_.begin() + first_computed_[k], level);
    const bool computed = found != computed_.begin() + first_computed_[k];
    levels.push_back(computed ? data_columns_ + (found - computed_.begin())
                              : source(level, features_[k].where, format));
  }
  const std::string& name = features_[k].name;
  for (const int offset : features_[k].at.value_or(std::vector<int>{0})) {
    for (std::size_t l = 0; l < levels.size(); ++l) {
      bound.terms.push_back(
          {with_offset(name + "." + f.levels[l], offset) + "=", {{levels[l], offset}}});
    }
  }
  for (const std::vector<int>& offsets : f.conjunctions) {
    std::string place;
    for (const int offset : offsets) place += (place.empty() ? "[" : ",") + std::to_string(offset);
    const auto add = [&](const std::vector<std::size_t>& choice) {
      const bool same = std::ranges::all_of(choice, [&](std::size_t l) { return l == choice[0]; });
      Bound::Term term;
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (i == 0 || !same) term.name += (i == 0 ? name + "." : "|") + f.levels[choice[i]];
        term.cells.emplace_back(levels[choice[i]], offsets[i]);
      }
      term.name += place + "]=";
      bound.terms.push_back(std::move(term));
    };
    if (!f.mixed) {
      for (std::size_t l = 0; l < levels.size(); ++l) add(std::vector(offsets.size(), l));
      continue;
    }
    // Choices of levels as the digits of a number.
    std::vector<std::size_t> choice(offsets.size(), 0);
    for (std::size_t digit = 1; digit > 0;) {
      add(choice);
      digit = choice.size();
      while (digit > 0 && ++choice[digit - 1] == levels.size()) choice[--digit] = 0;
    }
  }
}

}  // namespace croft
