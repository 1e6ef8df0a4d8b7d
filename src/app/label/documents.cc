#include "app/label/documents.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/json.h"
#include "core/unicode.h"
#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::string_view kElsewhere = "elsewhere=", kElsewhereBest = "elsewhere.best=";
constexpr double kTie = 1e-9;  // of equal means the first label is best, whatever rounding says

}  // namespace

void take_shares(const Matrix<double>& marginals, std::span<const Label> number,
                 std::vector<LabelShares>& out) {
  out.resize(marginals.rows());
  for (std::size_t t = 0; t < marginals.rows(); ++t) {
    out[t].clear();
    for (Label j = 0; j < number.size(); ++j) {
      const double p = marginals(t, j);
      if (p >= kSmallestPosterior) out[t].emplace_back(number[j], p);
    }
  }
}

std::vector<Label> numbers_in(const SequenceModel& known, const SequenceModel& model) {
  std::vector<Label> number;
  for (Label j = 0; j < model.labels(); ++j) {
    Label y = 0;
    while (y < known.labels() && known.label(y) != model.label(j)) ++y;
    if (y == known.labels()) {
      throw Error(model.container().name(), " has the label ", in_quotes(model.label(j)), ", and ",
                  known.container().name(), " has not");
    }
    number.push_back(y);
  }
  return number;
}

std::vector<std::vector<LabelShares>> ShareTagger::tag(std::span<ColumnSequence* const> sequences,
                                                       ThreadPool& pool) {
  while (workers_.size() < pool.threads()) workers_.emplace_back(plan_);
  std::vector<std::vector<LabelShares>> shares(sequences.size());
  pool.run(sequences.size(), [&](std::size_t n, std::size_t w) {
    Worker& worker = workers_[w];
    const ColumnSequence& rows = *sequences[n];
    model_.extractor().extract(rows, false, worker.scratch, worker.text);
    const Tagging& tagging = worker.tagger.tag(TagInput{worker.text, &rows}, {.marginals = true});
    shares[n].resize(rows.rows());
    if (tagging.outcome.found) take_shares(tagging.marginals, number_, shares[n]);
  });
  return shares;
}

Elsewhere::Elsewhere(const SequenceModel& model) : order_(model.labels()), mean_(model.labels()) {
  for (Label y = 0; y < model.labels(); ++y) {
    name_.push_back(std::string(kElsewhere) + model.label(y));
    best_name_.push_back(std::string(kElsewhereBest) + model.label(y));
  }
  std::iota(order_.begin(), order_.end(), Label{0});
  std::ranges::sort(order_, {}, [&](Label y) -> const std::string& { return name_[y]; });
}

bool Elsewhere::makes(std::string_view attribute) const {
  return std::ranges::find(name_, attribute) != name_.end() ||
         std::ranges::find(best_name_, attribute) != best_name_.end();
}

const std::string& Elsewhere::lower(std::string_view word) {
  word_.clear();
  append_lower(word, word_);
  return word_;
}

void Elsewhere::add(std::string_view word, const LabelShares& shares) {
  Sum& sum = words_[lower(word)];
  sum.share.resize(name_.size());
  ++sum.positions;
  for (const auto& [y, p] : shares) sum.share[y] += p;
}

// Fills mean_ and best_.
void Elsewhere::means(std::string_view word, const LabelShares& own) {
  best_.reset();
  const Sum& sum = words_.at(lower(word));
  if (sum.positions < 2) return;
  mean_ = sum.share;
  for (const auto& [y, p] : own) mean_[y] -= p;
  for (double& each : mean_) each /= static_cast<double>(sum.positions - 1);
  double largest = 0;
  for (const Label y : order_) {
    if (mean_[y] < kSmallestPosterior || !(mean_[y] > largest * (1 + kTie))) continue;
    best_ = y;
    largest = mean_[y];
  }
}

DocumentRule::DocumentRule(std::string by) : by_(std::move(by)) {
  std::size_t column = 0;
  const char* const end = by_.data() + by_.size();
  const auto [rest, fault] = std::from_chars(by_.data(), end, column);
  if (fault == std::errc() && rest == end) column_ = column;
}

bool DocumentRule::is_marked(const ColumnSequence& rows) const {
  if (rows.rows() > 0 && rows.cell(0, 0) == by_) return true;
  const std::string_view skipped = rows.skipped;
  for (std::size_t begin = 0; begin < skipped.size();) {
    const std::size_t end = skipped.find('\n', begin);
    if (begins_with_cells(skipped.substr(begin, end - begin), by_)) return true;
    begin = end + 1;
  }
  return false;
}

bool DocumentRule::differs(std::string value) {
  seen_ = true;
  const bool other = value != value_;
  value_ = std::move(value);
  return other;
}

bool DocumentRule::begins_by_column(const ColumnSequence& rows, const std::string& file) {
  if (rows.rows() == 0) return false;
  if (*column_ < rows.columns(0)) return differs(std::string(rows.cell(0, *column_)));
  throw InputError({file, rows.first_line},
                   Message("documents are told by column ", by_, ", and the row has none"),
                   rows.line(0), "columns are counted from 0");
}

// None: the lines do not have the key.
std::optional<bool> DocumentRule::begins_by_key(std::string_view line, std::size_t number,
                                                const std::string& file) {
  if (line.empty()) return std::nullopt;
  const Json object = parse_json_or_null(line);
  const Json* const value = object.is_object() ? object.get_if(by_) : nullptr;
  if (value != nullptr) {
    has_key_ = true;
    return differs(value->dump(-1, InvalidUtf8::replace));
  }
  if (!has_key_) return std::nullopt;
  throw InputError(
      {file, number},
      Message("documents are told by the key ", in_quotes(by_), ", and the line has none"), line,
      "give every line the key");
}

bool DocumentRule::begins(const ColumnSequence& rows, std::string_view line,
                          const std::string& file) {
  const bool first = std::exchange(first_, false);
  const std::size_t before = std::exchange(last_line_, rows.last_line);
  if (const auto by_key = begins_by_key(line, rows.first_line, file)) return *by_key || first;
  if (by_ == kBlankLines) {
    seen_ = true;
    const auto skipped = static_cast<std::size_t>(std::ranges::count(rows.skipped, '\n'));
    return first || rows.first_line > before + skipped + 2;
  }
  if (column_) return begins_by_column(rows, file) || first;
  const bool marked = is_marked(rows);
  seen_ = seen_ || marked;
  return marked || first;
}

DocumentContext::DocumentContext(const SequenceModel& first, const DocumentPass& pass)
    : column_(pass.column), tagger_(first, first), elsewhere_(first) {}

void DocumentContext::complete(std::span<ColumnSequence* const> document, ThreadPool& pool) {
  fill_beside(document, tagger_.tag(document, pool), column_, elsewhere_);
}

void fill_beside(std::span<ColumnSequence* const> document,
                 std::span<const std::vector<LabelShares>> shares, std::size_t column,
                 Elsewhere& elsewhere) {
  elsewhere.clear();
  for (std::size_t n = 0; n < document.size(); ++n) {
    const ColumnSequence& rows = *document[n];
    for (std::size_t t = 0; t < rows.rows(); ++t) {
      elsewhere.add(rows.cell(t, column), shares[n][t]);
    }
  }
  for (std::size_t n = 0; n < document.size(); ++n) {
    ColumnSequence& rows = *document[n];
    rows.beside.clear();
    for (std::size_t t = 0; t < rows.rows(); ++t) {
      elsewhere.visit(
          rows.cell(t, column), shares[n][t],
          [&](const std::string& name, double value) { rows.beside.append(name, value); });
      rows.beside.end_list();
    }
  }
}

}  // namespace croft
