#include "model/kinds/naive_bayes_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/infinity.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "features/compact_offsets.h"
#include "model/file/container.h"
#include "model/file/record.h"
#include "model/score_numbers.h"

namespace croft {
namespace {

using Kind = ContainerWriter::Kind;

constexpr std::array<std::string_view, 1> kBayesKinds = {kNaiveBayes};

std::size_t cell_width(std::size_t cells) { return cells <= 0x100 ? 1 : cells <= 0x10000 ? 2 : 4; }

}  // namespace

NaiveBayesModel::NaiveBayesModel(Container container)
    : SequenceModel(std::move(container), kBayesKinds, {}),
      names_(open_table<CompactVocabulary>(container_, "attributes.names")),
      prior_(container_.numbers<double>("prior")),
      constant_(container_.numbers<double>("constant")),
      parameters_(container_.numbers<double>("parameters")) {
  read_options();
  const std::span<const std::byte> events = container_.section("attributes.events");
  events_ = {reinterpret_cast<const AttributeEvent*>(events.data()), events.size()};
  const auto are_sound = [&](std::span<const double> of_labels) {
    return of_labels.size() == labels() && are_scores(of_labels, least_score<double>(true));
  };
  if (!are_sound(prior_)) container_.fail_section("prior");
  if (!are_sound(constant_)) container_.fail_section("constant");
  if (events_.size() != names_.size()) container_.fail_section("attributes.events");
  if (parameters_.size() != names_.size() * width_ * labels())
    container_.fail_section("parameters");
  scorer_ = NaiveBayesScorer(events_, prior_, constant_, parameters_, width_, sums_, options_);
}

void NaiveBayesModel::read_options() {
  const Record said = record().at("naive_bayes");
  options_ = options_of(said);
  event_choice_ = said.at("event").text();
  width_ = said.at("gaussian").flag() ? 3 : 1;
  sums_ = said.at("sums").flag();
  const std::size_t given = options_.given_prior.size();
  said.at("given_prior").require(given == 0 || given == labels(), "a list of one for each label");
}

NaiveBayesParameters NaiveBayesModel::parameters() const {
  const auto copy = [](std::span<const double> from) {
    return std::vector<double>(from.begin(), from.end());
  };
  return {copy(prior_), copy(constant_), copy(parameters_), 0};
}

NaiveBayesStatistics NaiveBayesModel::statistics() const {
  NaiveBayesStatistics s;
  s.labels = labels();
  s.width = width_;
  s.event.assign(events_.begin(), events_.end());
  const auto known = [](AttributeEvent event) { return event <= AttributeEvent::categorical; };
  if (!std::ranges::all_of(s.event, known)) container_.fail_section("attributes.events");
  if (container_.has("attributes.columns")) {
    const auto columns = container_.numbers<std::uint32_t>("attributes.columns");
    s.column.assign(columns.begin(), columns.end());
    s.columns = unpack_strings(container_, "columns");
    const auto there = [&](std::uint32_t column) { return column < s.columns.size(); };
    if (s.column.size() != s.event.size() || !std::ranges::all_of(s.column, there)) {
      container_.fail_section("attributes.columns");
    }
  }
  const auto weights = container_.numbers<double>("statistics.labels");
  if (weights.size() != labels()) container_.fail_section("statistics.labels");
  s.label_weight.assign(weights.begin(), weights.end());
  s.numbers.assign(s.attributes() * s.stride(), 0.0);
  const auto rows = open_table<CompactOffsets>(container_, "statistics.rows");
  const auto cells = container_.section("statistics.cells");
  const auto values = container_.numbers<double>("statistics.values");
  const std::size_t width = cell_width(s.stride());
  if (rows.size() != s.attributes() || rows.total() != values.size() ||
      cells.size() != values.size() * width) {
    container_.fail_section("statistics.rows");
  }
  for (std::uint32_t a = 0; a < rows.size(); ++a) {
    const CompactOffsets::Row row = rows(a);
    for (std::uint64_t k = row.begin; k < row.begin + row.length; ++k) {
      std::uint32_t cell = 0;  // little-endian, as the file
      std::memcpy(&cell, cells.data() + k * width, width);
      if (cell >= s.stride()) container_.fail_section("statistics.cells");
      s.row(a)[cell] = values[k];
    }
  }
  const auto finite = [](double number) { return std::isfinite(number); };
  if (!std::ranges::all_of(s.numbers, finite)) container_.fail_section("statistics.values");
  return s;
}

template <class Real>
void NaiveBayesModel::score_in(const TextSequence& sequence, Scratch& scratch,
                               ChainScores<Real>& out) const {
  constexpr std::size_t kAhead = 8;
  out.reset(sequence.length(), transitions<Real>());
  auto& [begin, id, value] = scratch.known;
  const StringLists& node = sequence.node;
  id.resize(node.items());
  std::array<std::uint64_t, kAhead> hashes;  // of items whose buckets are on their way
  for (std::size_t k = 0; k < node.items() + kAhead; ++k) {
    if (const std::size_t f = k - kAhead; f < node.items()) {
      id[f] = names_.find(node.item(f), hashes[f % kAhead]);
    }
    if (k >= node.items()) continue;
    hashes[k % kAhead] = hash_string(node.item(k));
    names_.prefetch(hashes[k % kAhead]);
  }
  value.clear();
  for (std::size_t k = 0; k < node.items() && !node.all_values_are_one(); ++k) {
    value.push_back(node.value(k));
  }
  NaiveBayesScorer::Scratch sums;
  std::vector<double> joint(labels());
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    const std::size_t first = node.list_begin(t), size = node.list_end(t) - first;
    scorer_.score(std::span(id).subspan(first, size),
                  value.empty() ? std::span<const double>() : std::span(value).subspan(first, size),
                  sums, joint);
    // Where a score is NaN or infinite, one less the largest is NaN.
    double largest = *std::ranges::max_element(joint);
    if (largest == kMinusInfinity || std::is_same_v<Real, double>) largest = 0;
    for (std::size_t j = 0; j < joint.size(); ++j) {
      out.state(t, j) = static_cast<Real>(joint[j] - largest);
    }
  }
}

void NaiveBayesModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                                  ChainScores<float>& out) const {
  score_in(sequence, scratch, out);
}
void NaiveBayesModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                                  ChainScores<double>& out) const {
  score_in(sequence, scratch, out);
}

namespace {

// Cells that are not 0, attribute by attribute in the order of the file.
void write_statistics(const NaiveBayesStatistics& s, const std::vector<std::size_t>& order,
                      ContainerWriter& out) {
  const std::size_t width = cell_width(s.stride());
  std::vector<std::uint32_t> lengths;
  std::vector<std::byte> cells;
  std::vector<double> values;
  for (const std::size_t a : order) {
    const std::size_t before = values.size();
    for (std::uint32_t cell = 0; cell < s.stride(); ++cell) {
      if (s.row(a)[cell] == 0) continue;
      const auto* bytes = reinterpret_cast<const std::byte*>(&cell);
      cells.insert(cells.end(), bytes, bytes + width);
      values.push_back(s.row(a)[cell]);
    }
    lengths.push_back(static_cast<std::uint32_t>(values.size() - before));
  }
  out.add_numbers("statistics.labels", s.label_weight, Kind::small);
  out.add("statistics.rows", CompactOffsets::build(lengths), Kind::bulk);
  out.add("statistics.cells", std::move(cells), Kind::bulk);
  out.add_numbers("statistics.values", values, Kind::bulk);
}

}  // namespace

ContainerWriter make_naive_bayes_model(const NaiveBayesParts& parts) {
  const NaiveBayesStatistics& s = *parts.statistics;
  const NaiveBayesParameters& p = *parts.parameters;
  CompactVocabulary::Built built = CompactVocabulary::build(parts.names);
  std::vector<std::size_t> order(parts.names.size());  // attribute of each id
  for (std::size_t a = 0; a < order.size(); ++a) order[built.id[a]] = a;

  Json said = options_json(parts.options);
  said["event"] = parts.event_choice;
  said["gaussian"] = s.width > 1;
  said["sums"] = std::ranges::any_of(s.event, needs_sums);
  ContainerWriter out;
  write_common_sections(kNaiveBayes, *parts.extraction, parts.labels, *parts.training,
                        {{"naive_bayes", std::move(said)}}, out);
  out.add_numbers("prior", p.prior, Kind::small);
  out.add_numbers("constant", p.constant, Kind::small);
  std::vector<std::byte> events;
  std::vector<std::uint32_t> columns;
  std::vector<double> parameters;
  parameters.reserve(p.rows.size());
  for (const std::size_t a : order) {
    events.push_back(static_cast<std::byte>(s.event[a]));
    if (!s.column.empty()) columns.push_back(s.column[a]);
    const auto row = std::span(p.rows).subspan(a * s.stride(), s.stride());
    parameters.insert(parameters.end(), row.begin(), row.end());
  }
  out.add("attributes.names", std::move(built.image), Kind::bulk);
  out.add("attributes.events", std::move(events), Kind::bulk);
  if (!s.column.empty()) {
    out.add_numbers("attributes.columns", columns, Kind::bulk);
    out.add("columns", pack_strings(s.columns), Kind::bulk);
  }
  out.add_numbers("parameters", parameters, Kind::bulk);
  write_statistics(s, order, out);
  return out;
}

}  // namespace croft
