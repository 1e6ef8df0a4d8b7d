// The trees of a model file with what they test and the constants beside them: scores of labels at
// positions, whatever the structure over these.  docs/math/boosting.md (TB.1), docs/format.md
// "Boosted models".
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/vocabulary.h"
#include "model/file/container.h"
#include "model/kinds/sequence_model.h"
#include "model/trees/tree_ensemble.h"

namespace croft {

class TreeScorer {
 public:
  TreeScorer() = default;
  // Refers to the container; the trees are looked through, in a time linear in them.
  //   spans : whether there are attributes of segments beside those of positions
  // Throws Error for sections that are damaged.
  TreeScorer(const Container& container, std::size_t labels, bool spans);

  // Those that some tree tests, of positions first.
  std::size_t attributes() const { return names_.size() + span_names_.size(); }
  bool is_of_spans(std::uint32_t id) const { return id >= names_.size(); }
  std::string attribute(std::uint32_t id) const {
    return is_of_spans(id) ? span_names_.string(id - static_cast<std::uint32_t>(names_.size()))
                           : names_.string(id);
  }
  std::span<const double> base() const { return base_; }  // [L]
  const TreeEnsemble& trees() const { return trees_; }

  // Scores of labels, and overlays where trees are of pairs, on top of what `out` was reset to.
  // Time: a look-up for each attribute, and a leaf of each tree; tests of the attributes that a
  // position has, or, where these are more, a path of each tree.
  template <class Real>
  void score(const TextSequence& sequence, SequenceModel::Scratch& scratch,
             ChainScores<Real>& out) const;

  // Of lists of attributes of segments: ids, kUnknown where no tree tests one.
  void find_spans(const StringLists& lists, std::vector<std::uint32_t>& ids) const {
    find(lists, span_names_, ids);
    for (std::uint32_t& id : ids) {
      if (id != kUnknown) id += static_cast<std::uint32_t>(names_.size());
    }
  }
  // Adds the trees of segments to values, [labels of segments], at what `seen` has.
  void add_spans(const PositionValues& seen, std::span<double> values) const {
    trees_.visit_pairs(
        seen, [&](std::size_t, std::size_t y, float value) { values[y] += double{value}; });
  }

 private:
  static void find(const StringLists& lists, const CompactVocabulary& names,
                   std::vector<std::uint32_t>& ids);
  struct Position;  // its attributes, and by masks its leaves
  void look_at(const TextSequence& sequence, std::size_t t, SequenceModel::Scratch& scratch,
               Position& position) const;
  template <class Real>
  void add_trees(const SequenceModel::Scratch& scratch, const Position& position,
                 std::span<double> state, ChainScores<Real>& out, Real* overlay) const;

  CompactVocabulary names_, span_names_;
  std::span<const double> base_;
  TreeEnsemble trees_;
  TreeMasks masks_;
  bool pairs_ = false;  // whether some trees are of pairs of labels
};

// What is written of trees.
struct TreeParts {
  std::vector<std::string_view> names;       // of attributes of positions, as the trees number them
  std::vector<std::string_view> span_names;  // and behind these, of segments
  std::vector<double> base;                  // [L]
  std::vector<double> transitions;           // [L][L], of segments where there are such; or empty
  const TreeArrays* trees = nullptr;
};
// The sections that TreeScorer reads, and transitions; only attributes that a tree tests.
//   spans : as above
void write_trees(const TreeParts& parts, bool spans, ContainerWriter& out);

// The section `transitions`: [L][L] finite numbers.  Throws Error where it is damaged.
Matrix<double> read_tree_transitions(const Container& container, std::size_t labels);
// meta.rounds.  Throws Error where there is none.
std::size_t read_rounds(const SequenceModel& model);

}  // namespace croft
