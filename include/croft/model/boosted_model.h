// A trained model whose scores are sums of regression trees: boosted-chain, boosted-maxent.
// docs/math/boosting.md, docs/format.md, "Boosted models".
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "croft/features/vocabulary.h"
#include "croft/model/sequence_model.h"
#include "croft/model/tree_ensemble.h"
#include "croft/model/tree_masks.h"

namespace croft {

inline constexpr std::string_view kBoostedChain = "boosted-chain",
                                  kBoostedMaxent = "boosted-maxent";
inline bool is_boosted(std::string_view kind) {
  return kind == kBoostedChain || kind == kBoostedMaxent;
}

class BoostedModel final : public SequenceModel {
 public:
  // Maps the file; the trees are looked through, in a time linear in them.  Throws Error as
  // Container::open, for a model of another kind, and for trees that are damaged.
  static std::shared_ptr<const BoostedModel> open(const std::filesystem::path& path);
  explicit BoostedModel(Container container);

  // (TB.1).  Time: a look-up for each attribute, and a leaf of each tree; tests of the attributes
  // that a position has, or, where these are more, a path of each tree.
  void score(const TextSequence& sequence, Scratch& scratch,
             ChainScores<float>& out) const override;
  void score(const TextSequence& sequence, Scratch& scratch,
             ChainScores<double>& out) const override;
  bool has_overlays() const override { return trees_.has_pairs(); }

  // Those that some tree tests.
  std::size_t attributes() const { return names_.size(); }
  std::string attribute(std::uint32_t id) const { return names_.string(id); }
  std::span<const double> base() const { return base_; }  // [L]
  const TreeEnsemble& trees() const { return trees_; }
  std::size_t rounds() const { return rounds_; }

 private:
  template <class Real>
  void score_in(const TextSequence& sequence, Scratch& scratch, ChainScores<Real>& out) const;
  void find(const TextSequence& sequence, std::vector<std::uint32_t>& ids) const;
  struct Position;  // its attributes, and by masks its leaves
  void look_at(const TextSequence& sequence, std::size_t t, Scratch& scratch,
               Position& position) const;
  template <class Real>
  void add_trees(const Scratch& scratch, const Position& position, std::span<double> state,
                 ChainScores<Real>& out, Real* overlay) const;

  CompactVocabulary names_;
  std::span<const double> base_;
  TreeEnsemble trees_;
  TreeMasks masks_;
  std::size_t rounds_ = 0;
};

// What a model file is made from.
struct BoostedParts {
  std::string_view kind;
  std::vector<std::string> labels;
  const ExtractionConfig* extraction = nullptr;
  std::vector<std::string_view> names;  // of attributes, as the trees number them
  std::vector<double> base;             // [L]
  std::vector<double> transitions;      // [L][L]; empty where positions stand by themselves
  const TreeArrays* trees = nullptr;
  std::size_t rounds = 0;
  const nlohmann::json* training = nullptr;
};
// The sections of the file; only attributes that a tree tests are in it.
ContainerWriter make_boosted_model(const BoostedParts& parts);

}  // namespace croft
