// A trained semi-Markov CRF: everything needed to predict.  docs/format.md, "Segments".
//
// To who labels it is a model of column labels: score() gives the scores of positions, to which
// what limits the labels of positions can be added, and segment_scores() makes scores of segments
// of these.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/chain_layout.h"
#include "model/kinds/sequence_model.h"
#include "model/segments/segment_assembly.h"
#include "model/segments/segment_features.h"
#include "model/segments/span_rows.h"

namespace croft {
class Json;

class SegmentModel : public SequenceModel, public OpensFile<SegmentModel> {
 public:
  static constexpr std::string_view kKind = "segment";
  // Maps the file: the cost grows with labels, templates and gazetteers' names, not with weights.
  explicit SegmentModel(Container container);

  const SegmentLabels& segment_labels() const { return labels_; }
  const SegmentShape& shape() const { return shape_; }
  const SegmentTemplates& templates() const { return templates_; }
  const SegmentLexicon& lexicon() const { return lexicon_; }
  const std::string& text_prefix() const { return text_prefix_; }
  bool has_pairs() const { return pair_.size() > 0; }

  const FeatureTable& node() const { return node_; }        // attribute x column label
  const FeatureTable& segment() const { return segment_; }  // string of a template x label
  const FeatureTable& pair() const { return pair_; }        // the same x (label before, label)
  const FeatureTable& tied() const { return tied_; }        // (label before, label)

  template <class Real>
  struct SegmentScratch {  // one a thread
    SegmentWords words;
    SegmentFeatures::Scratch features;
    SegmentStrings strings;
    FeatureTable::Scratch node, pair;
    Matrix<Real> row, pair_rows;  // [R][L], [rows with pairs * L][L]
    std::vector<const Real*> pair_of;
    std::optional<SegmentAssembly<Real>> assembly;
    SpanScratch spans;  // of trees
  };
  // theta of segments (SM.30).  Refers to this model.
  //   positions : from score(), to which limits may have been added: [T] of column labels
  //   scale     : that the positions' scores have been multiplied by (a calibration's)
  // Cost: that of the templates' strings (segment_features.h), and O(T cells).
  template <class Real>
  void segment_scores(const TextSequence& sequence, const ChainScores<Real>& positions, Real scale,
                      SegmentScratch<Real>& scratch, SegmentScores<Real>& out) const;
  // The transitions of segments, -inf where two cannot be told from one.
  template <class Real>
  const TransitionScores<Real>& segment_transitions() const {
    if constexpr (std::is_same_v<Real, float>) {
      return segment_float_;
    } else {
      return segment_double_;
    }
  }

 protected:
  // Of a kind whose scores have no tables of weights: node(), segment(), pair() and tied() are
  // empty.
  SegmentModel(Container container, std::string_view kind);
  // log : [L][L]
  void set_segment_transitions(Matrix<double> log);
  // Beside the scores of positions, where there are no tables.
  virtual void add_segments(const SegmentStrings&, double, SpanScratch&,
                            SegmentScores<float>&) const {}
  virtual void add_segments(const SegmentStrings&, double, SpanScratch&,
                            SegmentScores<double>&) const {}

 private:
  // theta of positions and column labels: a look-up (some 30 ns) and the row's length for each
  // attribute.
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<float>& out) const override;
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<double>& out) const override;
  void set_features();
  void read_segments();
  void read_transitions();
  template <class Real>
  void score_in(const TextSequence& sequence, Scratch& scratch, ChainScores<Real>& out) const;
  template <class Real>
  SegmentRowScores<Real> score_rows(Real scale, SegmentScratch<Real>& scratch) const;

  SegmentLabels labels_;
  SegmentShape shape_;
  SegmentTemplates templates_;
  SegmentLexicon lexicon_;
  std::string text_prefix_;
  SegmentFeatures features_;
  bool has_tables_ = true;
  FeatureTable node_, segment_, pair_, tied_;
  TransitionScores<float> segment_float_;
  TransitionScores<double> segment_double_;
};

// What segments are and what is known of them; views.
struct SegmentFeatureParts {
  const SegmentLabels* labels = nullptr;
  const SegmentShape* shape = nullptr;
  const SegmentTemplates* templates = nullptr;
  std::vector<std::string> gazetteers;  // their names
  std::string text_prefix;
  const SegmentLexiconBuilder* lexicon = nullptr;
};
// The entry `segments` of meta; the sections segment.template and those of the lexicon.
Json segment_record(const SegmentFeatureParts& parts);
void write_segment_features(const SegmentFeatureParts& parts, ContainerWriter& out);

// What a model is made of; views.
struct SegmentModelParts {
  std::vector<std::string> labels;  // of columns
  const ExtractionConfig* extraction = nullptr;
  const SegmentLabels* segments = nullptr;
  const SegmentShape* shape = nullptr;
  const SegmentTemplates* templates = nullptr;
  std::vector<std::string> gazetteers;  // their names
  std::string text_prefix;
  const SegmentLexiconBuilder* lexicon = nullptr;
  const ChainLayout* layout = nullptr;
  std::vector<std::string_view> node_names, pair_names;  // [rows] of the layout
  std::vector<bool> of_segments;    // [node rows] whether their cells are labels of segments
  std::span<const double> weights;  // in the layout's order
  const Json* training = nullptr;   // the record to keep
};
ContainerWriter make_segment_model(const SegmentModelParts& parts);

}  // namespace croft
