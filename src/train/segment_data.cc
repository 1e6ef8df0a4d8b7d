#include "croft/train/segment_data.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "croft/core/error.h"
#include "train/segment_lengths.h"

namespace croft {
namespace {

using Reach = SegmentTemplate::Reach;

// The attributes of a position without the cells that stand beside them.
void strip_cells(const TextSequence& from, TextSequence& to) {
  to.clear();
  std::size_t column = 0;
  std::string_view cell;
  for (std::size_t t = 0; t < from.length(); ++t) {
    for (std::size_t k = from.node.list_begin(t); k < from.node.list_end(t); ++k) {
      const std::string_view item = from.node.item(k);
      if (!parse_cell_name(item, column, cell)) to.node.append(item, from.node.value(k));
    }
    to.node.end_list();
  }
  to.labels = from.labels;
  to.weight = from.weight;
  to.weight_given = from.weight_given;
  to.first_line = from.first_line;
}

void append_list(const StringLists& lists, std::size_t list, const StringTable& names,
                 std::uint32_t first_id, AttributeLists& out) {
  for (std::size_t k = lists.list_begin(list); k < lists.list_end(list); ++k) {
    const std::uint32_t id = names.find(lists.item(k));
    if (id == kUnknown) continue;
    const double value = lists.value(k);
    if (value != 1 && out.value.empty()) out.value.assign(out.id.size(), 1.0);
    out.id.push_back(first_id + id);
    if (!out.value.empty()) out.value.push_back(value);
  }
}

}  // namespace

bool shares_positions(const SegmentTemplates& templates) {
  std::string_view text = templates.text();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (last != line.npos && line.substr(0, last + 1) == "P") return true;
  }
  return false;
}

void append_segments(const SegmentLabels& labels, const Gold& gold, std::vector<Segment>& out) {
  for (std::size_t begin = 0; begin < gold.length();) {
    std::size_t end = begin;
    while (end < gold.length() && is_one_label(gold.known[end])) ++end;
    // A stretch of known labels; what is at its ends may go on beside it.
    std::vector<Segment> known = read_segments(labels, gold.known.subspan(begin, end - begin));
    for (std::size_t k = 0; k < known.size(); ++k) {
      const Label y = known[k].label, first = gold.known[begin + known[k].begin];
      const Label last = gold.known[begin + known[k].end - 1], inside = labels.inside[y];
      const bool begins = k > 0 || begin == 0 || (first != inside && first != labels.last_of(y));
      const auto may_follow = [&](Label c) {
        return c != SegmentLabels::kNone && gold.allows(end, c);
      };
      const bool ends = k + 1 < known.size() || end == gold.length() ||
                        (last != inside && last == labels.last_of(y)) ||
                        (!may_follow(inside) && !may_follow(labels.last_of(y)));
      if (begins && ends) out.push_back({begin + known[k].begin, begin + known[k].end, y});
    }
    begin = end + 1;
  }
}

SegmentEncoder::SegmentEncoder(const Extractor& extractor, const SegmentOptions& options)
    : extractor_(extractor),
      options_(options),
      cells_(options.templates.columns().size()),
      reader_(options.templates, lexicon_, 0, options.text_prefix) {}

std::size_t SegmentEncoder::partial_positions() const {
  const auto known = std::ranges::count_if(encoder_.data.label, is_one_label);
  return positions() - static_cast<std::size_t>(known);
}

void SegmentEncoder::add(const TextSequence& sequence, std::string_view file) {
  if (sequence.length() == 0) return;
  if (sequence.edge.lists() > 0) {
    throw UsageError(extractor_.config().template_name +
                     ": lines for pairs of neighbouring labels (B) with macros are those of a "
                     "chain; a line B of a segment template has the label of the segment before");
  }
  if (files_.empty() || files_.back().second != file) files_.emplace_back(sequences(), file);
  reader_.read(sequence, read_);
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    for (const std::string_view cell : read_.column[c]) {
      cells_[c].push_back(cell_names_.insert(cell));
    }
  }
  encoder_.partial = partial;
  if (extractor_.config().cells.empty()) {
    encoder_.add(sequence, file);
  } else {
    strip_cells(sequence, stripped_);
    encoder_.add(stripped_, file);
  }
  first_line_.push_back(sequence.first_line);
}

std::string SegmentEncoder::file_of(std::size_t n) const {
  const auto next = std::ranges::upper_bound(files_, n, {}, &decltype(files_)::value_type::first);
  return std::prev(next)->second;
}

// The labels of segments, and how those of columns spell them.
void SegmentEncoder::find_labels() {
  std::vector<std::string_view> names;
  for (std::uint32_t k = 0; k < encoder_.label_names.size(); ++k) {
    names.push_back(encoder_.label_names[k]);
    labels_.emplace_back(names.back());
  }
  const ChunkScheme scheme = options_.scheme ? options_.scheme(names) : ChunkScheme::none;
  examples_.labels = segment_labels(
      labels_, scheme, scheme == ChunkScheme::none ? PlainLabels::runs : PlainLabels::tokens);
}

// Fills examples_.known.  What the scheme would not write is written as it reads it.
void SegmentEncoder::spell_labels() {
  const ChainData& data = encoder_.data;
  examples_.known = data.label;
  examples_.sets = data.label_sets;
  examples_.position_begin = data.sequence_begin;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const Gold gold = data.gold(n);
    if (!gold.is_complete()) continue;
    spell(examples_.labels, read_segments(examples_.labels, gold.known),
          std::span(examples_.known).subspan(data.sequence_begin[n], gold.length()));
  }
}

void SegmentEncoder::find_segments() {
  examples_.segment.clear();
  examples_.segment_begin.assign(1, 0);
  examples_.complete.clear();
  for (std::size_t n = 0; n < sequences(); ++n) {
    const Gold gold = examples_.gold(n);
    append_segments(examples_.labels, gold, examples_.segment);
    examples_.segment_begin.push_back(examples_.segment.size());
    examples_.complete.push_back(gold.is_complete());
  }
}

// From the options where they say it, otherwise from the data, and no longer than its longest
// sequence: [L].
std::vector<std::size_t> SegmentEncoder::find_longest() const {
  const SegmentLabels& labels = examples_.labels;
  std::vector<std::size_t> asked(labels.labels()), longest(labels.labels(), 1);
  for (const LongestSegment& each : options_.longest) {
    if (!each.label.empty()) continue;
    for (Label y = 0; y < labels.labels(); ++y) {
      if (labels.inside[y] != SegmentLabels::kNone) asked[y] = each.length;
    }
  }
  for (const LongestSegment& each : options_.longest) {
    if (each.label.empty()) continue;
    const auto found = std::ranges::find(labels.names, each.label);
    if (found == labels.names.end()) {
      std::string names;
      for (const std::string& name : labels.names) names += (names.empty() ? "" : ", ") + name;
      throw UsageError("--max-length " + each.label + "=" + std::to_string(each.length) +
                       ": there is no segment of that label; the data has " + names);
    }
    const auto y = static_cast<Label>(found - labels.names.begin());
    if (each.length > 1 && labels.inside[y] == SegmentLabels::kNone) {
      throw UsageError("--max-length " + each.label + "=" + std::to_string(each.length) +
                       ": the data has no label for the inside of such a segment");
    }
    asked[y] = each.length;
  }
  for (const Segment& each : examples_.segment) {
    longest[each.label] = std::max(longest[each.label], each.end - each.begin);
  }
  std::size_t whole = 1;
  for (std::size_t n = 0; n < sequences(); ++n) whole = std::max(whole, examples_.length(n));
  std::vector<bool> fixed(labels.labels());
  for (Label y = 0; y < labels.labels(); ++y) {
    fixed[y] = asked[y] > 0;
    if (fixed[y]) longest[y] = std::min(asked[y], whole);
  }
  for (std::size_t n = 0; n < sequences(); ++n) {
    if (!examples_.complete[n]) raise_longest(labels, examples_.gold(n), fixed, longest);
  }
  return longest;
}

void SegmentEncoder::check_lengths(std::span<const std::size_t> longest) const {
  for (std::size_t n = 0; n < sequences(); ++n) {
    for (const Segment& each : segments_of(n)) {
      const std::size_t found = each.end - each.begin;
      if (found <= longest[each.label]) continue;
      const std::size_t line = first_line_[n] == 0 ? 0 : first_line_[n] + each.begin;
      const std::string& name = examples_.labels.names[each.label];
      throw InputError({file_of(n), line},
                       "a segment of " + std::to_string(found) + " positions, and those of " +
                           name + " have at most " + std::to_string(longest[each.label]),
                       name, "raise --max-length, or leave it out");
    }
  }
}

void SegmentEncoder::words_of(std::size_t n, SegmentWords& words) const {
  const std::uint64_t first = examples_.position_begin[n];
  words.length = examples_.length(n);
  words.column.resize(cells_.size());
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    words.column[c].clear();
    for (std::size_t t = 0; t < words.length; ++t) {
      words.column[c].push_back(cell_names_[cells_[c][first + t]]);
    }
  }
}

// A column for each label of segments whose positions have different labels.
void SegmentEncoder::find_shared() {
  width_ = labels_.size();
  if (!shares_positions(options_.templates)) return;
  const SegmentLabels& labels = examples_.labels;
  const std::vector<Label> of = segment_label_of(labels, labels_.size());
  examples_.shared.assign(labels_.size(), SegmentLabels::kNone);
  for (Label y = 0; y < labels.labels(); ++y) {
    if (examples_.shape.longest(y) < 2 || std::ranges::count(of, y) < 2) continue;
    for (Label c = 0; c < labels_.size(); ++c) {
      if (of[c] == y) examples_.shared[c] = static_cast<Label>(width_);
    }
    ++width_;
  }
}

// For the layout: a position shows its column's label and the shared one.
void SegmentEncoder::show_labels() {
  if (width_ == labels_.size()) return;
  LabelSets shown;
  std::vector<Label> number(labels_.size(), kAnyLabel);  // of a column's set
  const auto add = [&](std::vector<Label> set) {
    std::ranges::sort(set);
    set.erase(std::ranges::unique(set).begin(), set.end());
    shown.label.insert(shown.label.end(), set.begin(), set.end());
    shown.begin.push_back(static_cast<std::uint32_t>(shown.label.size()));
    return static_cast<Label>(kLabelSetBit + shown.size() - 1);
  };
  const auto with_shared = [&](std::span<const Label> columns) {
    std::vector<Label> set(columns.begin(), columns.end());
    for (const Label c : columns) {
      if (examples_.shared[c] != SegmentLabels::kNone) set.push_back(examples_.shared[c]);
    }
    return set;
  };
  for (Label c = 0; c < labels_.size(); ++c) number[c] = add(with_shared(std::span(&c, 1)));
  std::vector<Label> of_set;
  for (std::size_t s = 0; s < data_.label_sets.size(); ++s) {
    of_set.push_back(add(with_shared(data_.label_sets[s])));
  }
  for (Label& known : data_.label) {
    if (known == kAnyLabel) continue;
    known = is_one_label(known) ? number[known] : of_set[known - kLabelSetBit];
  }
  data_.label_sets = std::move(shown);
}

// Segments of labels that may be longer than one position: those of others are their positions'.
void SegmentEncoder::build_lexicon() {
  const SegmentTemplates& templates = options_.templates;
  const std::size_t labels = examples_.labels.labels();
  lexicon_builder_.emplace(templates, labels, options_.gazetteers);
  std::vector<std::string> lists;
  for (const NameList& list : options_.gazetteers) lists.push_back(list.name);
  SegmentWords words;
  std::string string;
  for (std::size_t n = 0; n < sequences() && !templates.joined().empty(); ++n) {
    words_of(n, words);
    for (const Segment& each : segments_of(n)) {
      if (examples_.shape.longest(each.label) < 2) continue;
      for (std::uint32_t j = 0; j < templates.joined().size(); ++j) {
        const Joined& joined = templates.joined()[j];
        const auto slot = static_cast<std::size_t>(
            std::ranges::find(templates.columns(), joined.column) - templates.columns().begin());
        string.clear();
        for (std::size_t t = each.begin; t < each.end; ++t) {
          if (t > each.begin) string += ' ';
          append_joined(joined.as, words.column[slot][t], string);
        }
        lexicon_builder_->add_segment(j, string, each.label, n);
      }
    }
  }
  ContainerWriter out;
  lexicon_builder_->write(true, out);
  lexicon_file_.emplace(Container::from_bytes(out.bytes(), "the training data"));
  lexicon_ = SegmentLexicon(*lexicon_file_, examples_.labels.names, std::move(lists));
  std::size_t longest = 0;
  for (Label y = 0; y < labels; ++y) {
    if (examples_.shape.longest(y) > 1) longest = std::max(longest, examples_.shape.longest(y));
  }
  features_ = SegmentFeatures(templates, lexicon_, longest, options_.text_prefix);
}

// The strings that segments of the data have, and the features that these show: segment_names_,
// pair_names_, kept_.
void SegmentEncoder::count_features(std::size_t min_count) {
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<Pair> nodes, pairs;
  std::vector<std::uint32_t> tied;
  const auto width = static_cast<std::uint32_t>(width_);
  SegmentWords words;
  SegmentFeatures::Scratch scratch;
  SegmentStrings strings;
  for (std::size_t n = 0; n < sequences(); ++n) {
    const Segment* before = nullptr;
    words_of(n, words);
    for (const Segment& each : segments_of(n)) {
      const bool follows = before != nullptr && before->end == each.begin;
      const std::uint32_t cell = follows ? before->label * width + each.label : 0;
      if (follows) tied.push_back(cell);
      before = &each;
      if (examples_.shape.longest(each.label) < 2) continue;
      features_.expand(words, each, scratch, strings, n);
      for (std::size_t k = 0; k < strings.node.items(); ++k) {
        nodes.emplace_back(segment_names_.insert(strings.node.item(k)), each.label);
      }
      for (std::size_t k = 0; follows && k < strings.pair.items(); ++k) {
        pairs.emplace_back(pair_names_.insert(strings.pair.item(k)), cell);
      }
    }
  }
  const auto often = [&](auto& all, const auto& visit) {
    std::ranges::sort(all);
    for (auto next = all.begin(); next != all.end();) {
      const auto last = std::find_if(next, all.end(), [&](const auto& x) { return x != *next; });
      if (static_cast<std::size_t>(last - next) >= min_count) visit(*next);
      next = last;
    }
  };
  const auto first = static_cast<std::uint32_t>(encoder_.node_names.size());
  often(nodes, [&](const Pair& p) { kept_.node.push_back({first + p.first, p.second}); });
  often(pairs, [&](const Pair& p) { kept_.edge.push_back({p.first, p.second}); });
  often(tied, [&](std::uint32_t cell) { kept_.tied.push_back(cell); });
}

// Rows with a string that the data's segments have; the numbers of attributes are the encoder's.
void SegmentEncoder::append_rows(const SegmentStrings& strings, ChainData& data,
                                 SegmentExamples& examples) const {
  const auto first = static_cast<std::uint32_t>(encoder_.node_names.size());
  for (std::size_t r = 0; r < strings.row.size(); ++r) {
    const std::size_t nodes = data.node.id.size(), pairs = data.edge.id.size();
    append_list(strings.node, r, segment_names_, first, data.node);
    if (options_.templates.has_pairs()) append_list(strings.pair, r, pair_names_, 0, data.edge);
    if (data.node.id.size() == nodes && data.edge.id.size() == pairs) continue;
    data.node.begin.push_back(data.node.id.size());
    if (options_.templates.has_pairs()) data.edge.begin.push_back(data.edge.id.size());
    data.label.push_back(kAnyLabel);
    examples.row.push_back(strings.row[r]);
  }
  examples.row_begin.push_back(examples.row.size());
}

// Each sequence's positions and then its rows.
void SegmentEncoder::make_rows() {
  ChainData& from = encoder_.data;
  const bool pairs = options_.templates.has_pairs();
  SegmentWords words;
  SegmentFeatures::Scratch scratch;
  SegmentStrings strings;
  if (pairs) data_.edge.begin.assign(1, 0);
  for (std::size_t n = 0; n < sequences(); ++n) {
    for (std::uint64_t p = from.sequence_begin[n]; p < from.sequence_begin[n + 1]; ++p) {
      const auto begin = static_cast<std::ptrdiff_t>(from.node.begin[p]);
      const auto end = static_cast<std::ptrdiff_t>(from.node.begin[p + 1]);
      data_.node.id.insert(data_.node.id.end(), from.node.id.begin() + begin,
                           from.node.id.begin() + end);
      if (!from.node.value.empty() && data_.node.value.empty()) {
        data_.node.value.assign(data_.node.id.size() - static_cast<std::size_t>(end - begin), 1.0);
      }
      for (std::ptrdiff_t k = begin; !data_.node.value.empty() && k < end; ++k) {
        data_.node.value.push_back(
            from.node.value.empty() ? 1.0 : from.node.value[static_cast<std::size_t>(k)]);
      }
      data_.node.begin.push_back(data_.node.id.size());
      if (pairs) data_.edge.begin.push_back(data_.edge.id.size());
      data_.label.push_back(examples_.known[p]);
    }
    words_of(n, words);
    features_.expand(words, scratch, strings, n);
    append_rows(strings, data_, examples_);
    data_.sequence_begin.push_back(data_.label.size());
  }
  data_.label_sets = examples_.sets;
  data_.weight = std::move(from.weight);
  data_.first_line = std::move(from.first_line);
  from.node = AttributeLists();
  from.label.shrink_to_fit();
}

// What the layout of a chain is, of positions that do not follow each other; the transitions, and
// what is of segments, are kept for what the segments show.
void SegmentEncoder::make_layout(FeatureSet features, std::size_t min_count) {
  const std::size_t width = width_, segment_labels = examples_.labels.labels();
  const bool all = features == FeatureSet::all;
  if (all) {
    kept_.tied.clear();
    for (std::uint32_t i = 0; i < segment_labels; ++i) {
      for (std::uint32_t j = 0; j < segment_labels; ++j) {
        kept_.tied.push_back(static_cast<std::uint32_t>(i * width + j));
      }
    }
  }
  std::vector<std::uint64_t> alone(data_.positions() + 1);
  std::iota(alone.begin(), alone.end(), std::uint64_t{0});
  std::swap(alone, data_.sequence_begin);
  ChainLayout layout = make_chain_layout(
      data_, width, encoder_.node_names.size() + segment_names_.size(), pair_names_.size(),
      {.features = features,
       .min_count = min_count,
       .tied_rows = extractor_.tied_names().empty() ? std::size_t{0} : std::size_t{1},
       .kept = &kept_},
      renumbering_);
  std::swap(alone, data_.sequence_begin);
  layout_ = std::move(layout);
  if (!all) return;
  // Of all cells, those that mean something.
  std::vector<bool> of_segments(layout_.node.rows());
  for (std::size_t a = encoder_.node_names.size(); a < renumbering_.node.size(); ++a) {
    if (renumbering_.node[a] != kUnknown) of_segments[renumbering_.node[a]] = true;
  }
  const auto longer = [&](std::size_t y) {
    return y < segment_labels && examples_.shape.longest(static_cast<Label>(y)) > 1;
  };
  const auto is_shared = [&](Label cell) {
    return std::ranges::find(examples_.shared, cell) != examples_.shared.end();
  };
  std::vector<std::uint64_t> chosen;
  const auto choose = [&](const RowLayout& rows, const auto& means) {
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      for (std::size_t k = 0; k < rows.length(r); ++k) {
        if (means(r, rows.cell_of(r, k))) chosen.push_back(rows.begin[r] + k);
      }
    }
  };
  choose(layout_.tied, [&](std::size_t, std::uint32_t cell) {
    return cell / width < segment_labels && cell % width < segment_labels;
  });
  choose(layout_.node, [&](std::size_t r, std::uint32_t cell) {
    return of_segments[r] ? longer(cell) : cell < labels_.size() || is_shared(cell);
  });
  choose(layout_.edge, [&](std::size_t, std::uint32_t cell) {
    return cell / width < segment_labels && longer(cell % width);
  });
  FeatureSelection selection = select_features(layout_, chosen);
  renumber_lists(selection.renumbering.node, selection.layout.node_classes, data_.node);
  renumber_lists(selection.renumbering.edge, RowClasses(), data_.edge);
  const auto follow = [](const std::vector<std::uint32_t>& next, std::vector<std::uint32_t>& ids) {
    for (std::uint32_t& id : ids) {
      if (id != kUnknown) id = next[id];
    }
  };
  follow(selection.renumbering.node, renumbering_.node);
  follow(selection.renumbering.edge, renumbering_.edge);
  layout_ = std::move(selection.layout);
}

void SegmentEncoder::lay_out(FeatureSet features, std::size_t min_count) {
  find_labels();
  spell_labels();
  find_segments();
  const std::vector<std::size_t> longest = find_longest();
  SegmentLabels& labels = examples_.labels;
  bool cut = false;
  for (Label y = 0; y < labels.labels(); ++y) {
    // Not runs any more, but positions that may follow each other.
    if (longest[y] > 1 || labels.may_follow_itself(y)) continue;
    labels.inside[y] = labels.last[y] = SegmentLabels::kNone;
    cut = true;
  }
  if (cut) find_segments();
  check_lengths(longest);
  const std::vector<std::uint32_t> cells(longest.begin(), longest.end());
  examples_.shape = SegmentShape(cells);
  if (options_.own_templates && std::ranges::all_of(longest, [](auto d) { return d == 1; })) {
    throw UsageError(
        "--segment-template: no segment of this data may have more than one position, and the "
        "features of positions say all of it; leave it out");
  }
  find_shared();
  build_lexicon();
  count_features(min_count);
  make_rows();
  show_labels();
  make_layout(features, min_count);
  node_row_.resize(layout_.node.rows());
  pair_row_.resize(layout_.edge.rows());
  for (std::uint32_t a = 0; a < renumbering_.node.size(); ++a) {
    if (renumbering_.node[a] != kUnknown) node_row_[renumbering_.node[a]] = a;
  }
  for (std::uint32_t a = 0; a < renumbering_.edge.size(); ++a) {
    if (renumbering_.edge[a] != kUnknown) pair_row_[renumbering_.edge[a]] = a;
  }
}

Run SegmentEncoder::intercept_weights() const {
  const std::uint32_t attribute = encoder_.node_names.find(kIntercept);
  if (attribute == kUnknown || renumbering_.node[attribute] == kUnknown) return {0, 0};
  const std::uint32_t row = renumbering_.node[attribute];
  return {layout_.node.begin[row], static_cast<std::uint32_t>(layout_.node.length(row))};
}

SegmentEncoder::RowName SegmentEncoder::node_name(std::uint32_t row) const {
  const std::uint32_t attribute = node_row_[row];
  const auto first = static_cast<std::uint32_t>(encoder_.node_names.size());
  if (attribute < first) return {encoder_.node_names[attribute], false};
  return {segment_names_[attribute - first], true};
}

void SegmentEncoder::encode_others(std::span<const TextSequence> sequences, ChainData& data,
                                   SegmentExamples& examples) const {
  data = ChainData();
  examples = SegmentExamples();
  examples.labels = examples_.labels;
  examples.shape = examples_.shape;
  examples.shared = examples_.shared;
  const bool pairs = options_.templates.has_pairs();
  if (pairs) data.edge.begin.assign(1, 0);
  SegmentWords words;
  SegmentFeatures::Scratch scratch;
  SegmentStrings strings;
  for (const TextSequence& text : sequences) {
    for (std::size_t t = 0; t < text.length(); ++t) {
      append_list(text.node, t, encoder_.node_names, 0, data.node);
      data.node.begin.push_back(data.node.id.size());
      if (pairs) data.edge.begin.push_back(data.edge.id.size());
      data.label.push_back(kAnyLabel);
      examples.known.push_back(kAnyLabel);
    }
    examples.position_begin.push_back(examples.known.size());
    features_.read(text, words);
    features_.expand(words, scratch, strings);
    append_rows(strings, data, examples);
    data.sequence_begin.push_back(data.label.size());
  }
  renumber_lists(renumbering_.node, layout_.node_classes, data.node);
  renumber_lists(renumbering_.edge, RowClasses(), data.edge);
}

}  // namespace croft
