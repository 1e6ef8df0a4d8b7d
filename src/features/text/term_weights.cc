#include "features/text/term_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <utility>

#include "croft/core/error.h"

namespace croft {

void TermCounts::clear() {
  terms_.clear();
  spread_.clear();
  if (++generation_ != 0) return;
  std::ranges::fill(slots_, Slot{0, 0});
  generation_ = 1;
}

void TermCounts::add(std::string_view term) {
  const std::uint64_t hash = hash_string(term);
  add(term, hash, hash);
}

void TermCounts::add(std::string_view text, std::uint64_t hash, std::uint64_t spread) {
  if (2 * (terms_.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (spread >> 32) & mask;
  for (;; at = (at + 1) & mask) {
    const Slot slot = slots_[at];
    if (slot.generation != generation_) break;
    CountedTerm& term = terms_[slot.index];
    if (term.hash != hash || term.text != text) continue;
    ++term.count;
    return;
  }
  slots_[at] = {generation_, static_cast<std::uint32_t>(terms_.size())};
  terms_.push_back({text, hash, 1});
  spread_.push_back(spread);
}

void TermCounts::grow() {
  slots_.assign(std::max<std::size_t>(256, 2 * slots_.size()), Slot{0, 0});
  generation_ = 1;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    std::size_t at = (spread_[k] >> 32) & mask;
    while (slots_[at].generation == generation_) at = (at + 1) & mask;
    slots_[at] = {generation_, static_cast<std::uint32_t>(k)};
  }
}

namespace {

constexpr std::size_t kAhead = 8;  // look-ups that are on their way: vocabularies miss the cache

std::string shown(DocumentLimit limit) {
  return limit.fraction ? fmt::format("{:g} of the texts", limit.value)
                        : fmt::format("{:g} texts", limit.value);
}

void check_limit(DocumentLimit limit, const Message& option) {
  if (limit.fraction ? limit.value >= 0 && limit.value <= 1
                     : limit.value >= 1 && limit.value == std::floor(limit.value)) {
    return;
  }
  throw UsageError(
      option, " is neither a number of texts, such as 2, nor a fraction of them, such as 0.01");
}

void refuse_with_hashing(bool asked, const Message& what) {
  if (!asked) return;
  throw UsageError(
      what,
      " leaves terms out, and with --hash-bits none is known by name; leave out one of the two");
}

// Divides the values by the norm, unless that is 0.
void normalise(TermNorm norm, std::vector<TermValue>& values) {
  double sum = 0;
  for (const TermValue& v : values) {
    sum += norm == TermNorm::l2 ? v.value * v.value : std::abs(v.value);
  }
  const double length = norm == TermNorm::l2 ? std::sqrt(sum) : sum;
  if (length == 0) return;
  for (TermValue& v : values) v.value /= length;
}

}  // namespace

void TextOptions::validate() const {
  tokenizer.validate();
  check_limit(min_documents, "--min-documents");
  check_limit(max_documents, "--max-documents");
  if (sublinear && values == TermValues::binary) {
    throw UsageError("--sublinear is about counts, and --term-weights binary has none");
  }
  if (hash_bits > kMostBits) {
    throw UsageError("--hash-bits ", hash_bits, " is not 1 to ", kMostBits);
  }
  if (hash_bits == 0) return;
  refuse_with_hashing(min_documents != kOne, "--min-documents");
  refuse_with_hashing(max_documents != kAll, "--max-documents");
  refuse_with_hashing(max_terms != 0, "--max-terms");
}

// --- what was learnt

TermStatistics::TermStatistics(std::uint64_t documents, std::span<const std::byte> terms,
                               std::span<const std::uint32_t> frequency)
    : documents_(documents), image_(terms), frequency_(frequency) {
  if (!image_.empty()) terms_ = CompactVocabulary(image_);
  if (has_terms() && !frequency_.empty() && frequency_.size() != terms_.size()) {
    throw Error(fmt::format("{} frequencies of {} terms", frequency_.size(), terms_.size()));
  }
}

TermStatistics::TermStatistics(std::uint64_t documents, std::vector<std::byte> terms,
                               std::vector<std::uint32_t> frequency) {
  const auto owned = std::make_shared<const Owned>(Owned{std::move(terms), std::move(frequency)});
  *this = TermStatistics(documents, std::span(owned->terms), std::span(owned->frequency));
  owned_ = owned;
}

TermStatistics TermStatistics::owning() const {
  if (owned_) return *this;
  return {documents_, std::vector(image_.begin(), image_.end()),
          std::vector(frequency_.begin(), frequency_.end())};
}

double TermStatistics::idf(std::uint32_t id) const {
  if (id >= frequency_.size()) return 1;
  return std::log((1.0 + static_cast<double>(documents_)) / (1.0 + frequency_[id])) + 1;
}

// --- values

BagOfWords::BagOfWords(TextOptions options, std::optional<TermStatistics> statistics)
    : options_(std::move(options)),
      tokenizer_(options_.tokenizer),
      statistics_(std::move(statistics)) {
  options_.validate();
}

void BagOfWords::count(std::string_view text, Scratch& scratch) const {
  TermCounts& counts = scratch.counts;
  counts.clear();
  if (options_.hash_bits == 0) {
    tokenizer_.for_each_term(text, scratch.tokens, [&](std::string_view t) { counts.add(t); });
    return;
  }
  const std::uint64_t mask = (std::uint64_t{1} << options_.hash_bits) - 1;
  tokenizer_.for_each_term(text, scratch.tokens, [&](std::string_view t) {
    counts.add_number(static_cast<std::uint32_t>(hash_string(t) & mask));
  });
}

void BagOfWords::weigh(std::string_view text, Scratch& scratch) const {
  assert(!options_.is_fitted() || statistics_);
  count(text, scratch);
  const std::span<const CountedTerm> terms = scratch.counts.terms();
  std::vector<TermValue>& values = scratch.values;
  values.clear();
  const bool known_only = options_.hash_bits == 0 && statistics_ && statistics_->has_terms();
  if (known_only) {
    for (const CountedTerm& term : terms.first(std::min(kAhead, terms.size()))) {
      statistics_->terms().prefetch(term.hash);
    }
  }
  for (std::size_t k = 0; k < terms.size(); ++k) {
    std::uint32_t id = kUnknown;
    if (options_.hash_bits > 0) {
      id = static_cast<std::uint32_t>(terms[k].hash);
    } else if (known_only) {
      if (k + kAhead < terms.size()) statistics_->terms().prefetch(terms[k + kAhead].hash);
      id = statistics_->terms().find(terms[k].text, terms[k].hash);
      if (id == kUnknown) continue;
    }
    values.push_back({id, static_cast<std::uint32_t>(k), static_cast<double>(terms[k].count)});
  }
  weigh_known(values);
}

void BagOfWords::weigh_known(std::vector<TermValue>& values) const {
  if (options_.values == TermValues::binary) {
    for (TermValue& v : values) v.value = 1;
  }
  if (options_.sublinear) {
    for (TermValue& v : values) v.value = std::log(v.value) + 1;
  }
  if (options_.values == TermValues::tf_idf) {
    for (TermValue& v : values) v.value *= statistics_->idf(v.id);
  }
  const TermNorm norm = options_.effective_norm();
  if (norm != TermNorm::none) normalise(norm, values);
}

void BagOfWords::append(std::string_view text, Scratch& scratch, StringLists& out) const {
  weigh(text, scratch);
  const std::span<const CountedTerm> terms = scratch.counts.terms();
  for (const TermValue& v : scratch.values) {
    if (options_.hash_bits == 0) {
      out.append(terms[v.term].text, v.value);
      continue;
    }
    char number[16];
    const auto [end, fault] = std::to_chars(number, number + sizeof number, v.id);
    out.append({number, static_cast<std::size_t>(end - number)}, v.value);
  }
}

// --- learning

TermFit::TermFit(const TextOptions& options) : bag_(options) {
  if (options.hash_bits > 0) frequency_.resize(std::size_t{1} << options.hash_bits);
}

void TermFit::add(std::string_view text) {
  ++documents_;
  bag_.count(text, scratch_);
  const std::span<const CountedTerm> terms = scratch_.counts.terms();
  if (bag_.options().hash_bits > 0) {
    for (const CountedTerm& term : terms) ++frequency_[term.hash];
    return;
  }
  numbers_.clear();
  for (const CountedTerm& term : terms.first(std::min(kAhead, terms.size()))) {
    terms_.prefetch(term.hash);
  }
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (k + kAhead < terms.size()) terms_.prefetch(terms[k + kAhead].hash);
    const std::uint32_t number = terms_.insert(terms[k].text, terms[k].hash);
    numbers_.push_back(number);
    if (number == frequency_.size()) {
      frequency_.push_back(0);
      total_.push_back(0);
    }
    ++frequency_[number];
    total_[number] += bag_.options().values == TermValues::binary ? 1 : terms[k].count;
  }
}

// Their numbers.
std::vector<std::uint32_t> TermFit::kept_terms() const {
  const TextOptions& options = bag_.options();
  const double low = options.min_documents.of(documents_);
  const double high = options.max_documents.of(documents_);
  if (high < low) {
    throw Error("of ", documents_, " texts no term can be in at most ",
                shown(options.max_documents), " and in at least ", shown(options.min_documents),
                "; change --max-documents or --min-documents");
  }
  std::vector<std::uint32_t> kept;
  for (std::uint32_t number = 0; number < frequency_.size(); ++number) {
    if (frequency_[number] >= low && frequency_[number] <= high) kept.push_back(number);
  }
  if (kept.empty()) {
    throw Error("no term of the ", documents_, " texts is left",
                terms_.size() > 0
                    ? Message("; loosen --min-documents or --max-documents")
                    : ": they have none, or only stop words; --analyzer char takes characters");
  }
  if (options.max_terms == 0 || kept.size() <= options.max_terms) return kept;
  // Of equally frequent ones those that come first by their bytes.
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return total_[a] != total_[b] ? total_[a] > total_[b] : terms_[a] < terms_[b];
  };
  const auto end = kept.begin() + static_cast<std::ptrdiff_t>(options.max_terms);
  std::ranges::nth_element(kept, end, before);
  kept.erase(end, kept.end());
  return kept;
}

TermStatistics TermFit::finish() {
  const bool idf = bag_.options().values == TermValues::tf_idf;
  if (bag_.options().hash_bits > 0) {
    return {documents_, std::vector<std::byte>(), idf ? frequency_ : std::vector<std::uint32_t>()};
  }
  const std::vector<std::uint32_t> kept = kept_terms();
  std::vector<std::string_view> names;
  names.reserve(kept.size());
  for (const std::uint32_t number : kept) names.push_back(terms_[number]);
  CompactVocabulary::Built built = CompactVocabulary::build(names);
  ids_.assign(terms_.size(), kUnknown);
  std::vector<std::uint32_t> frequency(idf ? kept.size() : 0);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    ids_[kept[k]] = built.id[k];
    if (idf) frequency[built.id[k]] = frequency_[kept[k]];
  }
  return {documents_, std::move(built.image), std::move(frequency)};
}

}  // namespace croft
