#include "model/kinds/hmm_model.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "core/json.h"
#include "core/unicode.h"
#include "croft/core/error.h"
#include "model/file/container.h"
#include "model/file/record.h"

namespace croft {
namespace {

constexpr std::array<std::string_view, 1> kHmmKinds = {HmmModel::kKind};
constexpr std::size_t kMostLetters = 64;

}  // namespace

void suffix_begins(std::string_view attribute, std::size_t most, std::vector<std::size_t>& begins) {
  begins.clear();
  const std::string_view value = value_of(attribute);
  const std::size_t first = attribute.size() - value.size();
  const bool utf8 = is_valid_utf8(value);
  std::size_t at = attribute.size();
  while (begins.size() < most && at > first) {
    do {
      --at;
    } while (utf8 && at > first && (static_cast<unsigned char>(attribute[at]) & 0xC0) == 0x80);
    begins.push_back(at);
  }
}

HmmModel::HmmModel(Container container)
    : SequenceModel(std::move(container), kHmmKinds, {}),
      tracks_(unpack_strings(container_, "tracks")),
      names_(open_table<CompactVocabulary>(container_, "emission.names")) {
  if (const auto suffix = record().find("suffix")) {
    suffix_letters_ = suffix->whole<std::size_t>(0, kMostLetters);
  }
  start_ = read_logs("start", labels());
  if (container_.has("end")) end_ = read_logs("end", labels());
  const std::span<const double> table = read_logs("transitions", labels() * labels());
  Matrix<double> log(labels(), labels(), kMinusInfinity);
  for (std::size_t i = 0; i < labels(); ++i) {
    std::copy_n(table.data() + i * labels(), labels(), log.row(i));
  }
  TransitionScores<double> transitions;
  transitions.assign(std::move(log));
  set_transitions(std::move(transitions), "transitions");
  read_emissions();
}

// Of a small section, whose checksum has been looked at.
std::span<const double> HmmModel::read_logs(std::string_view section, std::size_t count) const {
  const std::span<const double> logs = container_.numbers<double>(section);
  if (logs.size() != count || !std::ranges::all_of(logs, [](double log) { return log <= 0; })) {
    container_.fail_section(section);
  }
  return logs;
}

void HmmModel::read_emissions() {
  unlisted_ = read_logs("tracks.unlisted", tracks_.size() * labels());
  unknown_ = read_logs("tracks.unknown", tracks_.size() * labels());
  for (std::size_t k = 0; k < tracks_.size(); ++k) track_number_.emplace(tracks_[k], k);
  rows_ = open_table<CompactOffsets>(container_, "emission.rows");
  cell_ = container_.numbers<std::uint32_t>("emission.cells");
  log_ = container_.numbers<double>("emission.log");
  value_track_ = container_.numbers<std::uint32_t>("emission.tracks");
  if (rows_.size() != names_.size() || value_track_.size() != names_.size() ||
      rows_.total() != cell_.size() || cell_.size() != log_.size()) {
    container_.fail_section("emission.rows");
  }
  if (!container_.has("suffix.names")) return;
  suffix_names_ = open_table<CompactVocabulary>(container_, "suffix.names");
  suffix_log_ = container_.numbers<double>("suffix.log");
  if (suffix_log_.size() != suffix_names_.size() * labels()) container_.fail_section("suffix.log");
}

std::optional<std::size_t> HmmModel::find_track(std::string_view name) const {
  const auto at = track_number_.find(name);
  if (at == track_number_.end()) return std::nullopt;
  return at->second;
}

// Of its longest known suffix, or of all unknown values of its track.
bool HmmModel::unknown_emission(std::string_view attribute, std::span<double> row) const {
  const std::optional<std::size_t> track = find_track(track_of(attribute));
  if (!track) return false;
  if (suffix_names_.size() > 0) {
    std::vector<std::size_t> begins;
    suffix_begins(attribute, suffix_letters_, begins);
    const std::string_view name =
        attribute.substr(0, attribute.size() - value_of(attribute).size());
    for (std::size_t letters = begins.size() + 1; letters-- > 0;) {
      const std::size_t begin = letters == 0 ? attribute.size() : begins[letters - 1];
      const std::uint32_t id =
          suffix_names_.find(std::string(name).append(attribute.substr(begin)));
      if (id == kUnknown) continue;
      const double* log = suffix_log_.data() + std::size_t{id} * labels();
      std::transform(log, log + labels(), row.begin(), log_probability);
      return true;
    }
  }
  std::copy_n(unknown_.data() + *track * labels(), labels(), row.begin());
  return true;
}

bool HmmModel::emission_of(std::string_view attribute, std::uint32_t id,
                           std::span<double> row) const {
  if (id == kUnknown) return unknown_emission(attribute, row);
  const std::uint32_t track = value_track_[id];
  if (track >= tracks_.size()) return false;  // damaged
  std::copy_n(unlisted_.data() + std::size_t{track} * labels(), labels(), row.begin());
  visit_cells(id, [&](Label y, double log) { row[y] = log; });
  return true;
}

bool HmmModel::log_emission(std::string_view attribute, std::span<double> out) const {
  return emission_of(attribute, names_.find(attribute), out);
}

void HmmModel::add_emission(std::string_view attribute, std::uint32_t id, double value,
                            std::span<double> row, std::span<double> out) const {
  if (value == 0) return;
  if (!(value > 0)) {
    throw Error(
        container_.name() + ": the attribute " + in_quotes(attribute) + " has a value " +
        "below 0, and a model of kind hmm takes values for numbers of occurrences; delete " +
        "it, or make its value part of its name");
  }
  if (!emission_of(attribute, id, row)) return;
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += value * row[j];
}

// take(t, [L] state scores) for each position.
template <class Take>
void HmmModel::for_each_position(const TextSequence& sequence, Scratch& scratch,
                                 const Take& take) const {
  constexpr std::size_t kAhead = 8;  // buckets on their way
  const StringLists& node = sequence.node;
  std::array<std::uint64_t, kAhead> hashes;
  const auto look_ahead = [&](std::size_t k) {
    if (k >= node.items()) return;
    hashes[k % kAhead] = hash_string(node.item(k));
    names_.prefetch(hashes[k % kAhead]);
  };
  for (std::size_t k = 0; k < kAhead; ++k) look_ahead(k);
  scratch.state.reshape(2, labels());
  const std::span<double> state = scratch.state[0], row = scratch.state[1];
  for (std::size_t t = 0; t < node.lists(); ++t) {
    std::ranges::fill(state, 0.0);
    if (t == 0) std::ranges::copy(start_, state.begin());
    for (std::size_t k = node.list_begin(t); k < node.list_end(t); ++k) {
      const std::uint32_t id = names_.find(node.item(k), hashes[k % kAhead]);
      look_ahead(k + kAhead);
      add_emission(node.item(k), id, node.value(k), row, state);
    }
    for (std::size_t j = 0; t + 1 == node.lists() && j < end_.size(); ++j) state[j] += end_[j];
    take(t, state);
  }
}

void HmmModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                           ChainScores<float>& out) const {
  out.reset(sequence.length(), transitions<float>());
  for_each_position(sequence, scratch, [&](std::size_t t, std::span<const double> state) {
    const double most = *std::ranges::max_element(state);
    const double shift = most == kMinusInfinity ? 0 : most;
    for (std::size_t j = 0; j < state.size(); ++j) {
      out.state(t, j) = static_cast<float>(state[j] - shift);
    }
  });
}

void HmmModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                           ChainScores<double>& out) const {
  out.reset(sequence.length(), transitions<double>());
  for_each_position(sequence, scratch, [&](std::size_t t, std::span<const double> state) {
    std::ranges::copy(state, out.state.row(t));
  });
}

HmmParameters HmmModel::parameters() const {
  HmmParameters out;
  out.labels = labels();
  out.start.assign(start_.begin(), start_.end());
  out.end.assign(end_.begin(), end_.end());
  out.transition = transitions<double>().log();
  out.tracks = tracks_;
  const auto table = [this](std::span<const double> log) {
    Matrix<double> rows(log.size() / labels(), labels());
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      const std::span<const double> from = log.subspan(r * labels(), labels());
      std::ranges::transform(from, rows.row(r), log_probability);
    }
    return rows;
  };
  out.unlisted = table(unlisted_);
  out.unknown = table(unknown_);
  out.suffix_log = table(suffix_log_);
  out.suffix_letters = suffix_letters_;
  for (std::uint32_t s = 0; s < suffix_names_.size(); ++s) {
    out.suffix.push_back(suffix_names_.string(s));
  }
  for (std::uint32_t id = 0; id < values(); ++id) {
    if (value_track_[id] >= tracks_.size()) container_.fail_section("emission.tracks");
    out.value.push_back(value(id));
    out.track.push_back(value_track_[id]);
    visit_cells(id, [&](Label y, double log) {
      out.cell.push_back(y);
      out.log.push_back(log);
    });
    out.begin.push_back(out.cell.size());
  }
  return out;
}

namespace {

// The rows of a table without its padding.
std::vector<double> flat(const Matrix<double>& table) {
  std::vector<double> numbers;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    numbers.insert(numbers.end(), table[r].begin(), table[r].end());
  }
  return numbers;
}

// The number in the vocabulary that is written, by the order of the names; and the other way.
struct Numbered {
  std::vector<std::byte> image;
  std::vector<std::size_t> order;  // of each id
};
template <class Strings>
Numbered number_strings(const Strings& strings) {
  const std::vector<std::string_view> names(strings.begin(), strings.end());
  CompactVocabulary::Built built = CompactVocabulary::build(names);
  Numbered out{std::move(built.image), std::vector<std::size_t>(names.size())};
  for (std::size_t k = 0; k < names.size(); ++k) out.order[built.id[k]] = k;
  return out;
}

void write_values(const HmmParameters& p, ContainerWriter& out) {
  using Kind = ContainerWriter::Kind;
  Numbered names = number_strings(p.value);
  std::vector<std::uint32_t> length, track, cell;
  std::vector<double> log;
  for (const std::size_t v : names.order) {
    const auto begin = static_cast<std::ptrdiff_t>(p.begin[v]);
    const auto end = static_cast<std::ptrdiff_t>(p.begin[v + 1]);
    length.push_back(static_cast<std::uint32_t>(end - begin));
    track.push_back(p.track[v]);
    cell.insert(cell.end(), p.cell.begin() + begin, p.cell.begin() + end);
    log.insert(log.end(), p.log.begin() + begin, p.log.begin() + end);
  }
  out.add("emission.names", std::move(names.image), Kind::bulk);
  out.add_numbers("emission.tracks", track, Kind::bulk);
  out.add("emission.rows", CompactOffsets::build(length), Kind::bulk);
  out.add_numbers("emission.cells", cell, Kind::bulk);
  out.add_numbers("emission.log", log, Kind::bulk);
}

void write_suffixes(const HmmParameters& p, ContainerWriter& out) {
  using Kind = ContainerWriter::Kind;
  if (p.suffix.empty()) return;
  Numbered names = number_strings(p.suffix);
  std::vector<double> log;
  for (const std::size_t s : names.order) {
    log.insert(log.end(), p.suffix_log[s].begin(), p.suffix_log[s].end());
  }
  out.add("suffix.names", std::move(names.image), Kind::bulk);
  out.add_numbers("suffix.log", log, Kind::bulk);
}

}  // namespace

ContainerWriter make_hmm_model(const HmmParameters& p, const std::vector<std::string>& labels,
                               const ExtractionConfig& extraction, const Json& training) {
  using Kind = ContainerWriter::Kind;
  Json more = Json::object();
  if (p.suffix_letters > 0) more["suffix"] = p.suffix_letters;
  ContainerWriter out;
  write_common_sections(HmmModel::kKind, extraction, labels, training, more, out);
  out.add_numbers("start", p.start, Kind::small);
  if (!p.end.empty()) out.add_numbers("end", p.end, Kind::small);
  out.add_numbers("transitions", flat(p.transition), Kind::small);
  out.add("tracks", pack_strings(p.tracks), Kind::small);
  out.add_numbers("tracks.unlisted", flat(p.unlisted), Kind::small);
  out.add_numbers("tracks.unknown", flat(p.unknown), Kind::small);
  write_values(p, out);
  write_suffixes(p, out);
  return out;
}

}  // namespace croft
