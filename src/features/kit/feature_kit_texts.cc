// FeatureKit on texts: the words of a document, and the attributes that they give it.
// docs/math/word_clusters.md has the equations (TX.n).
#include <algorithm>
#include <cmath>
#include <map>

#include "core/unicode.h"
#include "croft/core/error.h"
#include "features/kit/feature_kit.h"

namespace croft {
namespace {

// Numbers of length 1, or all 0 where the row is.
void append_unit(std::span<const float> row, std::vector<float>& out) {
  double squares = 0;
  for (const float x : row) squares += static_cast<double>(x) * x;
  const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
  for (const float x : row) out.push_back(static_cast<float>(x * scale));
}

// The `count` rows of `unit` that are nearest to `vector`, the nearest first, by (TX.3); of equally
// near ones the first.  Time O(rows * dimension).
std::vector<NearWord> nearest_rows(std::span<const float> vector, std::span<const float> unit,
                                   std::size_t count) {
  std::vector<float> own;
  append_unit(vector, own);
  std::vector<NearWord> near;
  for (std::size_t begin = 0; begin < unit.size(); begin += own.size()) {
    double cosine = 0;
    for (std::size_t d = 0; d < own.size(); ++d) {
      cosine += static_cast<double>(own[d]) * unit[begin + d];
    }
    if (!(cosine > 0)) continue;
    near.push_back({static_cast<std::uint32_t>(begin / own.size()), cosine});
  }
  const auto before = [](const NearWord& a, const NearWord& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.word < b.word;
  };
  const std::size_t kept = std::min(count, near.size());
  std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(kept), before);
  near.resize(kept);
  return near;
}

}  // namespace

TokenizerOptions kit_words(const TokenizerOptions& of_terms) {
  TokenizerOptions words;
  words.analyzer = of_terms.analyzer == Analyzer::mixed ? Analyzer::mixed : Analyzer::word;
  words.lower_case = false;
  words.shortest_word = 1;
  return words;
}

std::shared_ptr<const FeatureKit> FeatureKit::for_texts(const TokenizerOptions& of_terms) const {
  auto kit = copy();
  kit->words_.emplace(kit_words(of_terms));
  kit->stop_words_ = {};
  for (const std::string& word : of_terms.stop_words) kit->stop_words_.insert(word);
  kit->fold_stop_words_ = of_terms.lower_case;
  return kit;
}

void FeatureKit::bind_texts() {
  for (std::size_t k = 0; k < features_.size(); ++k) {
    const KitFeature& feature = features_[k];
    const auto fail = [&](const Message& problem) {
      const Message whole("the feature ", in_quotes(feature.name), " ", problem);
      if (feature.where.file.empty()) throw UsageError(whole);
      throw InputError(feature.where, whole, "", "");
    };
    const bool of_words = std::holds_alternative<GazetteerFeature>(feature.what) ||
                          std::holds_alternative<ClustersFeature>(feature.what) ||
                          std::holds_alternative<EmbeddingsFeature>(feature.what);
    if (!of_words) {
      fail(
          {"is made of the cells of positions; with texts --kit goes with [[clusters]], "
           "[[embeddings]], [[gazetteer]] and [[synonyms]]"});
    }
    if (feature.at) fail("has a line at = [...], and a text has no positions; delete it");
    if (!feature.column.empty()) fail("has a line column = …, and texts have none; delete it");
    const auto* embeddings = std::get_if<EmbeddingsFeature>(&feature.what);
    if (embeddings != nullptr && !embeddings->average && embeddings->nearest == 0) {
      fail("has no effect: it asks neither for averages nor for the nearest words");
    }
    if (embeddings != nullptr && embeddings->nearest == 0 && feature.values) {
      fail("says values, which is for the nearest words; there are none of them: delete it");
    }
    bind_text_feature(k);
  }
  if (columns_.empty()) return;
  const std::string problem =
      "the feature kit has a line columns = [...], and texts have none; "
      "delete it";
  if (where_.file.empty()) throw UsageError(problem);
  throw InputError(where_, problem, "", "");
}

void FeatureKit::bind_text_feature(std::size_t k) {
  const KitFeature& feature = features_[k];
  Bound& bound = bound_[k];
  std::vector<std::string>& names = bound.names.emplace_back();
  if (std::holds_alternative<ClustersFeature>(feature.what)) {
    const std::size_t end = k + 1 < features_.size() ? first_computed_[k + 1] : computed_.size();
    for (std::size_t c = first_computed_[k]; c < end; ++c) names.push_back(computed_[c] + "=");
    return;
  }
  const auto* embeddings = std::get_if<EmbeddingsFeature>(&feature.what);
  if (embeddings == nullptr) return;
  const std::size_t dimension = embeddings->embeddings.dimension();
  for (std::size_t d = 0; d < dimension; ++d) {
    names.push_back(feature.name + "." + std::to_string(d));
  }
  names.push_back(feature.name + ".unknown");
  if (!embeddings->known) return;
  std::vector<std::string> known;
  for (const std::uint32_t id : embeddings->known->view()) {
    known.push_back(feature.name + "=" + embeddings->embeddings.words().word(id));
    append_unit(embeddings->embeddings.row(id), bound.unit);
  }
  bound.names.push_back(std::move(known));
}

void FeatureKit::start(std::string_view text, KitScratch& scratch) const {
  scratch.words.assign(1, {});
  KitScratch::Words& words = scratch.words[0];
  words_->for_each_word(text, scratch.tokens, [&](std::string_view word) {
    words.all.emplace_back(word);
    if (stop_words_.size() > 0) {
      scratch.text.clear();
      if (fold_stop_words_) append_lower(word, scratch.text);
      if (stop_words_.find(fold_stop_words_ ? scratch.text : word) != kUnknown) return;
    }
    words.told.emplace_back(word);
  });
}

void FeatureKit::visit_known(KitScratch& scratch,
                             const std::function<void(std::size_t, std::uint32_t)>& visit) const {
  for (std::size_t k = 0; k < features_.size(); ++k) {
    const auto* f = std::get_if<EmbeddingsFeature>(&features_[k].what);
    if (f == nullptr || !f->needs_fit()) continue;
    for (const KitScratch::Words& words : scratch.words) {
      for (const std::string& word : words.told) {
        const std::uint32_t id = f->embeddings.find(word, scratch.text);
        if (id != kUnknown) visit(k, id);
      }
    }
  }
}

void FeatureKit::expand_text(std::size_t t, KitScratch& scratch, StringLists& out) const {
  scratch.now = &scratch.words[t];
  for (std::size_t k = 0; k < features_.size(); ++k) {
    const auto& what = features_[k].what;
    if (std::holds_alternative<GazetteerFeature>(what)) append_entries(k, scratch, out);
    if (std::holds_alternative<ClustersFeature>(what)) append_clusters(k, scratch, out);
    const auto* embeddings = std::get_if<EmbeddingsFeature>(&what);
    if (embeddings == nullptr) continue;
    if (embeddings->average) append_average(k, scratch, out);
    if (embeddings->nearest > 0) append_nearest(k, scratch, out);
  }
}

// (TX.1)
double FeatureKit::text_value(std::size_t k, double sum, double largest, std::size_t words) const {
  switch (features_[k].values.value_or(TextValues::counts)) {
    case TextValues::counts:
      return sum;
    case TextValues::binary:
      return largest;
    case TextValues::share:
      return sum / static_cast<double>(words);
  }
  return sum;
}

// The strings in scratch.counts, behind `name`.
void FeatureKit::append_counts(std::size_t k, const std::string& name, KitScratch& scratch,
                               StringLists& out) const {
  for (const CountedTerm& each : scratch.counts.terms()) {
    out.bytes().append(name).append(each.text);
    out.end_item(text_value(k, each.count, 1, scratch.now->told.size()));
  }
}

void FeatureKit::append_clusters(std::size_t k, KitScratch& scratch, StringLists& out) const {
  const auto& f = std::get<ClustersFeature>(features_[k].what);
  for (std::size_t i = 0; i < bound_[k].names[0].size(); ++i) {
    scratch.counts.clear();
    for (const std::string& word : scratch.now->told) {
      const std::uint32_t path = f.clusters.find(word, scratch.text);
      if (path == kUnknown) continue;
      const std::string_view whole = f.clusters.paths()[path];
      scratch.counts.add(f.prefixes.empty() ? whole : whole.substr(0, f.prefixes[i]));
    }
    append_counts(k, bound_[k].names[0][i], scratch, out);
  }
}

void FeatureKit::append_entries(std::size_t k, KitScratch& scratch, StringLists& out) const {
  const auto& gazetteer = std::get<GazetteerFeature>(features_[k].what).gazetteer;
  const std::vector<std::string>& words = scratch.now->all;
  scratch.found.resize(features_.size());
  gazetteer.match(
      words.size(), [&](std::size_t t) { return std::string_view(words[t]); }, scratch.gazetteer,
      scratch.found[k]);
  scratch.counts.clear();
  for (const std::uint32_t mark : scratch.found[k]) {
    if (mark % 2 == 1) scratch.counts.add(gazetteer.types()[mark / 2]);  // B: an entry begins
  }
  for (const CountedTerm& each : scratch.counts.terms()) {
    out.bytes() += features_[k].name;
    if (!each.text.empty()) out.bytes().append("=").append(each.text);
    out.end_item(text_value(k, each.count, 1, words.size()));
  }
}

// (TX.2)
void FeatureKit::append_average(std::size_t k, KitScratch& scratch, StringLists& out) const {
  const auto& f = std::get<EmbeddingsFeature>(features_[k].what);
  std::vector<double> sum(f.embeddings.dimension());
  std::size_t count = 0;
  for (const std::string& word : scratch.now->told) {
    const std::uint32_t id = f.embeddings.find(word, scratch.text);
    std::span<const float> values = f.unknown_vector;
    if (id != kUnknown) values = f.embeddings.row(id);
    if (values.empty()) continue;
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += values[d];
    ++count;
  }
  const std::vector<std::string>& names = bound_[k].names[0];
  for (std::size_t d = 0; d < sum.size(); ++d) {
    if (sum[d] != 0) out.append(names[d], sum[d] / static_cast<double>(count));
  }
  const bool flag = f.unknown == UnknownWord::flag && f.unknown_vector.empty();
  if (count == 0 && flag && !scratch.now->told.empty()) out.append(names.back());
}

// (TX.3)
void FeatureKit::append_nearest(std::size_t k, KitScratch& scratch, StringLists& out) const {
  const auto& f = std::get<EmbeddingsFeature>(features_[k].what);
  if (!f.known) return;  // it is being fitted
  scratch.near.resize(features_.size());
  auto& near_of = scratch.near[k];
  constexpr std::size_t kMostKept = 100'000;
  if (near_of.size() > kMostKept) near_of.clear();
  std::map<std::uint32_t, std::pair<double, double>> found;  // of a known word: sum and largest
  for (const std::string& word : scratch.now->told) {
    const std::uint32_t id = f.embeddings.find(word, scratch.text);
    if (id == kUnknown) continue;
    const auto [at, is_new] = near_of.try_emplace(id);
    if (is_new) at->second = nearest_rows(f.embeddings.row(id), bound_[k].unit, f.nearest);
    for (const NearWord& near : at->second) {
      auto& [sum, largest] = found[near.word];
      sum += near.cosine;
      largest = std::max(largest, near.cosine);
    }
  }
  for (const auto& [word, value] : found) {
    out.append(bound_[k].names[1][word],
               text_value(k, value.first, value.second, scratch.now->told.size()));
  }
}

}  // namespace croft
