// What segment templates make of the data: strings, the rows that have them, and the layout.
#include <algorithm>
#include <numeric>

#include "train/segments/segment_data.h"

namespace croft {
namespace {

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
  if (init_ != nullptr) keep_lexicon();
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
    const std::uint64_t first = from.sequence_begin[n], last = from.sequence_begin[n + 1];
    data_.node.append(from.node, first, last);
    for (std::uint64_t p = first; p < last; ++p) {
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
  std::ranges::sort(kept_.node);
  const auto same = std::ranges::unique(kept_.node);
  kept_.node.erase(same.begin(), same.end());
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
    if (text.weight != 1 && data.weight.empty()) data.weight.assign(data.sequences() - 1, 1.0);
    if (text.weight != 1 || !data.weight.empty()) data.weight.push_back(text.weight);
  }
  examples.complete.assign(data.sequences(), false);
  renumber_lists(renumbering_.node, layout_.node_classes, data.node);
  renumber_lists(renumbering_.edge, RowClasses(), data.edge);
}

}  // namespace croft
