// The scores of one sequence under every weight vector of a vote, one after the other.
//
// From one vector to the next only what its changes touch is touched, and vectors that score the
// sequence alike are one step.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/kinds/chain_model.h"

namespace croft {

// One a thread.  Sums are kept in double, so that a million changes lose no digits.
class VotedScores {
 public:
  // Begins with a sequence; then next() leads to the first scores.
  //   model  : one with a vote; kept by reference, as is limits.transitions
  //   limits : what every vector's scores get in addition, such as -inf; dense, no overlays
  // Cost: a look-up for each attribute, and the changes of the sequence's attributes.
  void start(const ChainModel& model, const TextSequence& text, const ChainScores<float>& limits);
  bool next();  // false, where there are no more

  // Base scores, as ChainModel::score().  Transitions that change stand in overlays, which need no
  // exponentials: all positions share one where they have no edge attributes.
  const ChainScores<float>& scores() const { return scores_; }
  std::uint64_t votes() const { return votes_; }                   // of the vectors that score so
  std::span<const double> grams() const { return gram_weights_; }  // [G] of models of order >= 2
  bool grams_changed() const { return grams_changed_; }            // by the last next()

 private:
  struct Place {
    std::uint32_t t;
    float value;
  };
  // An attribute of the sequence that the vote changes, wherever it occurs.
  struct Slot {
    std::span<const WeightChange> changes;
    std::size_t end;  // of its places, which begin where the last slot's end
    bool edge;
  };
  // The change of one slot's weight.
  struct Event {
    std::uint32_t slot, cell;
    float change;
  };
  void add_slots(const StringLists& lists, const FeatureTable& table, bool edge);
  void make_overlays();
  void sort_events();
  bool changes_at(std::size_t v) const;
  void change_transitions();
  void change_grams();
  void change(const Event& event);

  const ChainModel* model_ = nullptr;
  const ChainScores<float>* limits_ = nullptr;
  std::size_t length_ = 0, vector_ = 0;
  std::uint64_t votes_ = 0;
  bool grams_changed_ = false;
  ChainScores<float> scores_;
  Matrix<double> state_;            // [T][L] without the limits
  std::vector<double> transition_;  // [L * L]
  std::vector<double> own_;         // [overlays - 1][L * L] of edge attributes alone
  std::vector<double> gram_weights_;
  std::vector<Slot> slots_;
  std::vector<Place> places_;
  std::vector<Event> events_;     // by vector
  std::vector<std::size_t> end_;  // [vectors] of a vector's events
  std::size_t next_transition_ = 0, next_gram_ = 0;
  // Scratch.
  std::vector<std::uint32_t> ids_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found_;  // id, item
  std::vector<std::uint32_t> position_;                         // of each item
};

}  // namespace croft
