#include "train/distributed/share_out.h"

#include <algorithm>
#include <cmath>

#include "core/exact_sum.h"
#include "croft/core/state_archive.h"
#include "train/functions/waves.h"

namespace croft {
namespace {

std::string bytes_of(const StringTable& names) {
  StateArchive out;
  std::vector<std::uint32_t> length;
  std::string text;
  for (const std::string_view name : names.strings()) {
    length.push_back(static_cast<std::uint32_t>(name.size()));
    text += name;
  }
  out(length, text);
  return std::string(out.bytes());
}

void insert_names(std::string_view bytes, StringTable& names) {
  StateArchive in(bytes);
  std::vector<std::uint32_t> length;
  std::string text;
  in(length, text);
  std::string_view rest = text;
  for (const std::uint32_t size : length) {
    names.insert(rest.substr(0, size));
    rest.remove_prefix(size);
  }
}

// Replaces names by those of all processes; returns the new number of each.
std::vector<std::uint32_t> merge_names(Ranks& ranks, StringTable& names) {
  StringTable all;
  ranks.hand_to_first(bytes_of(names), [&](std::string_view bytes) { insert_names(bytes, all); });
  std::string bytes = ranks.first() ? bytes_of(all) : std::string();
  ranks.broadcast(bytes);
  if (!ranks.first()) insert_names(bytes, all);
  std::vector<std::uint32_t> number;
  for (const std::string_view name : names.strings()) number.push_back(all.find(name));
  names = std::move(all);
  return number;
}

void renumber(const std::vector<std::uint32_t>& number, std::vector<std::uint32_t>& ids) {
  for (std::uint32_t& id : ids) id = number[id];
}

std::string_view bytes_of_set(const std::vector<Label>& set) {
  return {reinterpret_cast<const char*>(set.data()), set.size() * sizeof(Label)};
}

// Sets are named by the numbers of their labels.
std::vector<std::uint32_t> merge_sets(Ranks& ranks, const std::vector<std::uint32_t>& number,
                                      LabelSets& sets) {
  StringTable names;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    std::vector<Label> set(sets[k].begin(), sets[k].end());
    renumber(number, set);
    std::ranges::sort(set);
    names.insert(bytes_of_set(set));
  }
  const std::vector<std::uint32_t> set_number = merge_names(ranks, names);
  sets = LabelSets();
  for (const std::string_view name : names.strings()) {
    std::vector<Label> set(name.size() / sizeof(Label));
    std::memcpy(set.data(), name.data(), name.size());
    sets.label.insert(sets.label.end(), set.begin(), set.end());
    sets.begin.push_back(static_cast<std::uint32_t>(sets.label.size()));
  }
  return set_number;
}

// What some process's data has, that of all has.
void agree_on_form(Ranks& ranks, ChainData& data) {
  if (any_of_all(ranks, data.has_edges()) && !data.has_edges()) {
    data.edge.begin.assign(data.positions() + 1, 0);
  }
  for (AttributeLists* lists : {&data.node, &data.edge}) {
    const bool all_one = lists->value.empty();
    if (any_of_all(ranks, !all_one) && all_one) lists->value.assign(lists->id.size(), 1.0);
  }
  const bool weighted = !data.weight.empty();
  if (any_of_all(ranks, weighted) && !weighted) data.weight.assign(data.sequences(), 1.0);
}

}  // namespace

void agree_on_names(Ranks& ranks, ChainEncoder& encoder) {
  if (ranks.alone()) return;
  ChainData& data = encoder.data;
  renumber(merge_names(ranks, encoder.node_names), data.node.id);
  renumber(merge_names(ranks, encoder.edge_names), data.edge.id);
  const std::vector<std::uint32_t> label_number = merge_names(ranks, encoder.label_names);
  const std::vector<std::uint32_t> set_number = merge_sets(ranks, label_number, data.label_sets);
  for (Label& label : data.label) {
    if (is_one_label(label)) {
      label = label_number[label];
    } else if (label != kAnyLabel) {
      label = kLabelSetBit + set_number[label - kLabelSetBit];
    }
  }
  agree_on_form(ranks, data);
}

namespace {

// Which process each of this one's sequences goes to: the wave that begins at position P of all N
// goes to process P K / N.
class WaveOwners {
 public:
  WaveOwners(Ranks& ranks, std::size_t labels, const ChainData& data) : ranks_(ranks) {
    const std::size_t least = wave_positions(labels, data.has_edges());
    const std::uint64_t before = sum_of_earlier(ranks, data.positions());
    all_ = std::max<std::uint64_t>(sum_of_all(ranks, data.positions()), 1);
    // The wave that is open where a process's data begins is known to the process before it: one
    // process after the other.
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      if (r == ranks.rank()) find(data, before, least);
      double open[2] = {0, 0};
      if (r == ranks.rank()) open[0] = static_cast<double>(filled_), open[1] = owner_;
      ranks.sum(open);
      filled_ = static_cast<std::uint64_t>(open[0]);
      owner_ = open[1];
    }
  }
  std::size_t of(std::size_t n) const { return owner_of_[n]; }

 private:
  void find(const ChainData& data, std::uint64_t before, std::size_t least) {
    for (std::size_t n = 0; n < data.sequences(); ++n) {
      const std::uint64_t first = before + data.sequence_begin[n];
      if (filled_ == 0 || filled_ >= least) {
        filled_ = 0;
        owner_ = std::floor(static_cast<double>(first) * static_cast<double>(ranks_.size()) /
                            static_cast<double>(all_));
      }
      owner_of_.push_back(static_cast<std::uint32_t>(owner_));
      filled_ += data.sequence_begin[n + 1] - data.sequence_begin[n];
    }
  }

  Ranks& ranks_;
  std::uint64_t all_ = 0;     // positions
  std::uint64_t filled_ = 0;  // positions of the open wave
  double owner_ = 0;          // of the open wave
  std::vector<std::uint32_t> owner_of_;
};

// Sequences [first, last) of others, with the names of their files.
std::string pack(const ChainData& data, const SequenceFiles& files, std::size_t first,
                 std::size_t last) {
  if (first == last) return {};
  ChainData part;
  for (std::size_t n = first; n < last; ++n) part.append(data, n);
  std::vector<std::string> names;
  for (std::size_t n = first; n < last; ++n) names.push_back(files.names[files.file[n]]);
  StateArchive out;
  out(part.sequence_begin, part.label, part.weight, part.first_line);
  for (AttributeLists* lists : {&part.node, &part.edge}) out(lists->begin, lists->id, lists->value);
  std::uint64_t count = names.size();
  out(count);
  for (std::string& name : names) out(name);
  return std::string(out.bytes());
}

void add_file(const std::string& name, SequenceFiles& files) {
  if (files.names.empty() || files.names.back() != name) files.names.push_back(name);
  files.file.push_back(static_cast<std::uint32_t>(files.names.size() - 1));
}

void append_packed(std::string_view bytes, ChainData& data, SequenceFiles& files) {
  if (bytes.empty()) return;
  StateArchive in(bytes);
  ChainData part;
  in(part.sequence_begin, part.label, part.weight, part.first_line);
  for (AttributeLists* lists : {&part.node, &part.edge}) in(lists->begin, lists->id, lists->value);
  for (std::size_t n = 0; n < part.sequences(); ++n) data.append(part, n);
  std::uint64_t count = 0;
  in(count);
  for (std::string name; count > 0; --count) {
    in(name);
    add_file(name, files);
  }
}

}  // namespace

void share_out_waves(Ranks& ranks, std::size_t labels, ChainData& data, SequenceFiles& files) {
  if (ranks.alone()) return;
  const WaveOwners owners(ranks, labels, data);
  // Owners do not decrease: each process's sequences are consecutive.
  std::vector<std::string> to(ranks.size());
  std::size_t kept_first = 0, kept_last = 0;
  for (std::size_t n = 0; n < data.sequences();) {
    const std::size_t owner = owners.of(n), first = n;
    while (n < data.sequences() && owners.of(n) == owner) ++n;
    if (owner == ranks.rank()) {
      kept_first = first, kept_last = n;
    } else {
      to[owner] = pack(data, files, first, n);
    }
  }
  const std::vector<std::string> from = ranks.exchange(to);
  const bool weighted = any_of_all(ranks, !data.weight.empty());
  const bool moved = kept_last - kept_first < data.sequences();
  if (!moved && std::ranges::all_of(from, &std::string::empty)) return;
  ChainData shared;
  SequenceFiles shared_files;
  shared.label_sets = data.label_sets;
  if (data.has_edges()) shared.edge.begin.assign(1, 0);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (r != ranks.rank()) {
      append_packed(from[r], shared, shared_files);
      continue;
    }
    for (std::size_t n = kept_first; n < kept_last; ++n) {
      shared.append(data, n);
      add_file(files.names[files.file[n]], shared_files);
    }
  }
  if (!weighted) shared.weight.clear();
  data = std::move(shared);
  files = std::move(shared_files);
}

DataTotals totals_of(Ranks& ranks, const ChainData& data) {
  const auto partial =
      data.positions() - static_cast<std::size_t>(std::ranges::count_if(data.label, is_one_label));
  DataTotals totals;
  totals.sequences = sum_of_all(ranks, data.sequences());
  totals.positions = sum_of_all(ranks, data.positions());
  totals.partial_positions = sum_of_all(ranks, partial);
  totals.weighted =
      any_of_all(ranks, std::ranges::any_of(data.weight, [](double w) { return w != 1; }));
  double most = 1;
  for (const double w : data.weight) most = std::max(most, w);
  totals.weight = sum_of_weights(ranks, data, data.sequences(), largest_of_all(ranks, most));
  return totals;
}

// What rounding to the first unit leaves is added up by itself, so that 0.1 ten times is 1.
double sum_of_weights(Ranks& ranks, const ChainData& data, std::size_t sequences, double most) {
  const auto all = static_cast<double>(sum_of_all(ranks, sequences));
  if (all == 0) return 0;
  ExactSum coarse(most * all), fine(coarse.unit() * all);
  coarse.begin_block(most * all);
  fine.begin_block(coarse.unit() * all);
  double sums[2] = {0, 0};
  for (std::size_t n = 0; n < sequences; ++n) {
    double rounded = 0;
    coarse.add(data.sequence_weight(n), rounded);
    sums[0] += rounded;
    fine.add(data.sequence_weight(n) - rounded, sums[1]);
  }
  ranks.sum(sums);
  return sums[0] + sums[1];
}

}  // namespace croft
