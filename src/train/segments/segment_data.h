// Sequences of segments as numbers: what the training of a segment model works on.
//
// A sequence of T positions is a sequence of T + R rows of a ChainData: its positions, and then the
// rows that segment templates made (model/segment_features.h).  To layout, scorers and optimisers
// of a chain these are positions like others; the objective (segment_rows_objective.h) knows what
// they are.  docs/math/segments.md.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/optimize/regulariser.h"
#include "croft/structure/chunk_label.h"
#include "croft/structure/segment_labels.h"
#include "features/chain_data.h"
#include "features/extraction.h"
#include "model/chain_layout.h"
#include "model/kinds/segment_model.h"
#include "model/segments/segment_features.h"
#include "objective/segments/segment_objective.h"
#include "train/functions/active_set.h"
#include "train/unlabelled_terms.h"

namespace croft {

// Of one label, or of all but O.
struct LongestSegment {
  std::string label;  // of segments; empty: all
  std::size_t length = 1;
};

struct SegmentOptions {
  SegmentTemplates templates;
  bool own_templates = false;  // somebody wrote them: data that they mean nothing to is an error
  std::vector<NameList> gazetteers;
  // They are those of the model to start from, names without entries, which its lexicon has.
  bool kept_gazetteers = false;
  std::string text_prefix;  // data of attributes: the one whose rest is a position's word
  bool one_line = false;    // a sequence stands on one line of its file, not a position (messages)
  // Where not given, the longest of the training data, or what its partial labels need; never
  // longer than its longest sequence.
  std::vector<LongestSegment> longest;
  // How these labels spell segments; empty: none (structure/segment_labels.h).
  std::function<ChunkScheme(std::span<const std::string_view> labels)> scheme;
};

// What the objective needs beside scores, by sequence.
struct SegmentExamples {
  SegmentLabels labels;
  SegmentShape shape;
  std::vector<std::uint64_t> position_begin{0};  // [N + 1] into known
  std::vector<Label> known;                      // [positions] as ChainData::label, column labels
  LabelSets sets;
  // Where a segment's label has weights of positions of its own, they are in a further column of
  // the chain's labels: that of each column label, or SegmentLabels::kNone; empty: none has.
  std::vector<Label> shared;                // [columns]
  std::vector<std::uint64_t> row_begin{0};  // [N + 1] into row
  std::vector<SegmentRow> row;
  std::vector<Segment> segment;                 // as far as they are known
  std::vector<std::uint64_t> segment_begin{0};  // [N + 1] into segment
  std::vector<bool> complete;                   // [N] whether they are all of it

  std::size_t sequences() const { return position_begin.size() - 1; }
  std::size_t length(std::size_t n) const {
    return static_cast<std::size_t>(position_begin[n + 1] - position_begin[n]);
  }
  Gold gold(std::size_t n) const {
    return {std::span(known).subspan(position_begin[n], length(n)), &sets};
  }
  // Sequence n of others with these labels and lengths, of whose positions these labels are known.
  void append(const SegmentExamples& from, std::size_t n, std::span<const Label> columns);
  // What the data says of sequence n, once SegmentEncoder has laid out the data.
  SegmentGold segment_gold(std::size_t n) const {
    if (!complete[n]) return SegmentGold(gold(n));
    return SegmentGold(
        std::span(segment).subspan(segment_begin[n], segment_begin[n + 1] - segment_begin[n]));
  }
  std::span<const SegmentRow> rows(std::size_t n) const {
    return std::span(row).subspan(row_begin[n], row_begin[n + 1] - row_begin[n]);
  }
};

// Whether a line P asks for weights of positions by the segment's label, beside those by the
// column's.
bool shares_positions(const SegmentTemplates& templates);

// The segments that what is known makes sure of: all of them where every position has one label,
// otherwise those whose first and last position are seen to be that.
void append_segments(const SegmentLabels& labels, const Gold& gold, std::vector<Segment>& out);

class SegmentEncoder {
 public:
  // Kept by reference.
  //   init : whose labels, lengths, strings and features are kept; may be null
  SegmentEncoder(const Extractor& extractor, const SegmentOptions& options,
                 const SegmentModel* init = nullptr);

  std::optional<PartialLabels> partial;
  void add(const TextSequence& sequence, std::string_view file);
  std::size_t sequences() const { return first_line_.size(); }
  std::size_t positions() const { return encoder_.data.positions(); }
  std::size_t partial_positions() const;
  const StringTable& label_names() const { return encoder_.label_names; }  // as they were read
  std::size_t attributes() const { return encoder_.node_names.size(); }

  // Features that are kept for what is expected of labels where attributes are: before lay_out().
  // Throws as attribute_expectations().
  void expect(const UnlabelledOptions& options, std::span<const TextSequence> unlabelled);
  // After lay_out().
  //   unlabelled : positions
  UnlabelledTerms terms(const UnlabelledOptions& options, std::size_t unlabelled) const;

  // After all have been added, once: labels, lengths, rows and layout.  Throws UsageError for
  // lengths of labels that there are none of, InputError (file, line) for a segment that is longer,
  // and for a sequence that no segmentation fits.
  void lay_out(FeatureSet features, std::size_t min_count);

  const std::vector<std::string>& labels() const { return labels_; }  // of columns
  std::string file_of(std::size_t n) const;  // that sequence n was read from
  const SegmentExamples& examples() const { return examples_; }
  const ChainData& data() const { return data_; }  // labels: see SegmentRowsObjective
  ChainData& data() { return data_; }
  const ChainLayout& layout() const { return layout_; }
  std::size_t segments() const {
    return examples_.segment.size();
  }  // of the data, as far as they are known
  const SegmentLexiconBuilder* lexicon() const {
    return lexicon_builder_ ? &*lexicon_builder_ : nullptr;
  }

  // Sequences that are not trained on, in the numbers of the layout: after lay_out().
  void encode_others(std::span<const TextSequence> sequences, ChainData& data,
                     SegmentExamples& examples) const;

  // The weights of `init` where it has such features, by increasing place: after lay_out().
  std::vector<FeatureWeight> initial_weights() const;

  // Where the weights of kIntercept stand: side by side; none where no position has it.
  Run intercept_weights() const;

  // The name of a row of the layout, and whether it is of segments, and not of positions.
  struct RowName {
    std::string_view name;
    bool of_segments;
  };
  RowName node_name(std::uint32_t row) const;
  std::string_view pair_name(std::uint32_t row) const { return pair_names_[pair_row_[row]]; }

 private:
  void keep_names();
  void keep_features();
  void keep_lexicon();
  void match_labels();
  void find_labels();
  void spell_labels();
  std::vector<std::size_t> find_longest() const;
  void check_lengths(std::span<const std::size_t> longest) const;
  void check_paths() const;
  void find_segments();
  void find_shared();
  void show_labels();
  void build_lexicon();
  void words_of(std::size_t n, SegmentWords& words) const;
  void count_features(std::size_t min_count);
  void append_rows(const SegmentStrings& strings, ChainData& data, SegmentExamples& examples) const;
  void make_rows();
  void make_layout(FeatureSet features, std::size_t min_count);
  std::span<const Segment> segments_of(std::size_t n) const {
    return std::span(examples_.segment)
        .subspan(examples_.segment_begin[n],
                 examples_.segment_begin[n + 1] - examples_.segment_begin[n]);
  }

  const Extractor& extractor_;
  const SegmentOptions& options_;
  const SegmentModel* init_;
  std::vector<Label> label_of_;  // [labels of init's segments] the number here
  ChainEncoder encoder_;
  std::vector<std::size_t> first_line_;
  std::vector<std::pair<std::size_t, std::string>> files_;  // each with its first sequence
  StringTable cell_names_;
  std::vector<std::vector<std::uint32_t>> cells_;  // [columns][positions]
  SegmentWords read_;                              // scratch
  TextSequence stripped_;                          // scratch
  SegmentFeatures reader_;                         // of cells alone

  std::vector<std::string> labels_;
  std::size_t width_ = 0;  // of the chain's labels: columns, and shared ones
  std::optional<SegmentLexiconBuilder> lexicon_builder_;
  std::optional<Container> lexicon_file_;
  SegmentLexicon lexicon_;
  SegmentFeatures features_;
  StringTable segment_names_, pair_names_;
  KeptFeatures kept_;
  std::vector<AttributeExpectation> expectations_;
  SegmentExamples examples_;
  ChainData data_;
  ChainLayout layout_;
  Renumbering renumbering_;                         // from attributes to rows
  std::vector<std::uint32_t> node_row_, pair_row_;  // [rows] the attribute of each
};

}  // namespace croft
