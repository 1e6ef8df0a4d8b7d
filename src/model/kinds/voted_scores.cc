#include "model/kinds/voted_scores.h"

#include <algorithm>
#include <cmath>

namespace croft {

void VotedScores::start(const ChainModel& model, const TextSequence& text,
                        const ChainScores<float>& limits) {
  model_ = &model;
  limits_ = &limits;
  length_ = text.length();
  vector_ = 0;
  next_transition_ = next_gram_ = 0;
  const std::size_t labels = model.labels();
  state_.assign(length_, labels, 0.0);
  transition_.assign(labels * labels, 0.0);
  gram_weights_.assign(model.gram_weights().size(), 0.0);
  scores_.reset(length_, *limits.transitions);
  for (std::size_t t = 0; t < length_; ++t) {
    std::ranges::copy(limits.state[t], scores_.state.row(t));
  }
  slots_.clear();
  places_.clear();
  add_slots(text.node, model.node(), false);
  if (text.edge.lists() > 0) add_slots(text.edge, model.edge(), true);
  make_overlays();
  sort_events();
}

void VotedScores::add_slots(const StringLists& lists, const FeatureTable& table, bool edge) {
  table.find_ids(lists, ids_);
  position_.resize(ids_.size());
  found_.clear();
  for (std::uint32_t t = edge ? 1 : 0; t < length_; ++t) {  // no edge leads to position 0
    for (std::size_t k = lists.list_begin(t); k < lists.list_end(t); ++k) {
      position_[k] = t;
      if (ids_[k] != kUnknown) found_.emplace_back(ids_[k], static_cast<std::uint32_t>(k));
    }
  }
  std::ranges::sort(found_);
  const ChainVote& vote = *model_->vote();
  for (std::size_t k = 0; k < found_.size();) {
    const std::uint32_t id = found_[k].first;
    const auto changes = edge ? vote.edge(id) : vote.node(id);
    for (; k < found_.size() && found_[k].first == id; ++k) {
      if (changes.empty()) continue;
      const std::uint32_t item = found_[k].second;
      places_.push_back({position_[item], static_cast<float>(lists.value(item))});
    }
    if (!changes.empty()) slots_.push_back({changes, places_.size(), edge});
  }
}

// Overlay 0 is the transitions; positions with edge attributes have one of their own.
void VotedScores::make_overlays() {
  own_.clear();
  if (length_ < 2) return;
  const std::size_t labels = model_->labels();
  scores_.overlay_of.assign(length_, 0);
  scores_.overlay_of[0] = ChainScores<float>::kNoOverlay;
  std::uint32_t overlays = 1;
  for (std::size_t s = 0, at = 0; s < slots_.size(); at = slots_[s++].end) {
    for (; slots_[s].edge && at < slots_[s].end; ++at) {
      std::uint32_t& overlay = scores_.overlay_of[places_[at].t];
      if (overlay == 0) overlay = overlays++;
    }
  }
  scores_.overlay.assign(overlays * labels, labels, 0.0f);
  own_.assign((overlays - 1) * labels * labels, 0.0);
}

// By counting: a vector has few changes, and an attribute's are in the order of the vectors.
void VotedScores::sort_events() {
  const std::size_t vectors = model_->vote()->vectors(), labels = model_->labels();
  const auto for_each = [&](const auto& visit) {
    for (std::uint32_t s = 0; s < slots_.size(); ++s) {
      const std::size_t cells = slots_[s].edge ? labels * labels : labels;
      for (const WeightChange& each : slots_[s].changes) {
        const bool sound = each.vector < vectors && each.cell < cells && std::isfinite(each.change);
        if (sound) visit(s, each);  // what is not is damaged
      }
    }
  };
  end_.assign(vectors + 1, 0);
  for_each([&](std::uint32_t, const WeightChange& each) { ++end_[each.vector + 1]; });
  for (std::size_t v = 0; v < vectors; ++v) end_[v + 1] += end_[v];
  events_.resize(end_.back());
  for_each([&](std::uint32_t slot, const WeightChange& each) {
    events_[end_[each.vector]++] = {slot, each.cell, each.change};
  });
  end_.pop_back();
}

bool VotedScores::changes_at(std::size_t v) const {
  const auto waits = [v](std::span<const WeightChange> changes, std::size_t next) {
    return next < changes.size() && changes[next].vector <= v;
  };
  return end_[v] > end_[v - 1] ||
         (length_ > 1 && (waits(model_->vote()->transitions(), next_transition_) ||
                          waits(model_->vote()->grams(), next_gram_)));
}

bool VotedScores::next() {
  const std::span<const std::uint64_t> votes = model_->vote()->votes();
  if (vector_ == votes.size()) return false;
  grams_changed_ = vector_ == 0;
  if (length_ > 1) {
    change_transitions();
    change_grams();
  }
  for (std::size_t e = vector_ == 0 ? 0 : end_[vector_ - 1]; e < end_[vector_]; ++e) {
    change(events_[e]);
  }
  votes_ = 0;
  do {
    votes_ += votes[vector_++];
  } while (vector_ < votes.size() && !changes_at(vector_));
  return true;
}

void VotedScores::change_transitions() {
  const std::span<const WeightChange> changes = model_->vote()->transitions();
  const std::size_t labels = model_->labels(), overlays = scores_.overlay.rows() / labels;
  for (; next_transition_ < changes.size(); ++next_transition_) {
    const auto [vector, cell, amount] = changes[next_transition_];
    if (vector > vector_) return;
    if (cell >= transition_.size() || !std::isfinite(amount)) continue;
    const double now = transition_[cell] += double{amount};
    const std::size_t from = cell / labels, to = cell % labels;
    scores_.overlay(from, to) = static_cast<float>(now);
    for (std::size_t k = 1; k < overlays; ++k) {
      scores_.overlay(k * labels + from, to) =
          static_cast<float>(now + own_[(k - 1) * transition_.size() + cell]);
    }
  }
}

void VotedScores::change_grams() {
  const std::span<const WeightChange> changes = model_->vote()->grams();
  for (; next_gram_ < changes.size(); ++next_gram_) {
    const auto [vector, gram, amount] = changes[next_gram_];
    if (vector > vector_) return;
    if (gram >= gram_weights_.size() || !std::isfinite(amount)) continue;
    gram_weights_[gram] += double{amount};
    grams_changed_ = true;
  }
}

void VotedScores::change(const Event& event) {
  const Slot& slot = slots_[event.slot];
  const std::size_t labels = model_->labels();
  for (std::size_t p = event.slot == 0 ? 0 : slots_[event.slot - 1].end; p < slot.end; ++p) {
    const auto [t, value] = places_[p];
    const double amount = double{value} * double{event.change};
    if (!slot.edge) {
      const double now = state_(t, event.cell) += amount;
      scores_.state(t, event.cell) =
          static_cast<float>(now + double{limits_->state(t, event.cell)});
      continue;
    }
    const std::size_t overlay = scores_.overlay_of[t], from = event.cell / labels;
    const double now = own_[(overlay - 1) * transition_.size() + event.cell] += amount;
    scores_.overlay(overlay * labels + from, event.cell % labels) =
        static_cast<float>(now + transition_[event.cell]);
  }
}

}  // namespace croft
