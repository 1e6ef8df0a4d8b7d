// All labellings of a model's sequence that are allowed, one by one: the oracle of the tagger's
// tests.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "app/label/chunks.h"
#include "app/label/label_names.h"
#include "croft/inference/brute_force.h"
#include "model/kinds/chain_model.h"

namespace croft::testing_support {

using Labelling = std::vector<Label>;

// Whether the model gives y a probability at all.
inline bool has_path(const ChainModel& model, const Labelling& y) {
  Labelling path(y.size());
  return model.order() == 1 || history_path(*model.histories(), y, path) == y.size();
}

// The weights of the runs of three labels and more in y.
inline double gram_score(const ChainModel& model, const Labelling& y) {
  double sum = 0;
  for (std::size_t g = 0; g < model.gram_weights().size(); ++g) {
    const std::span<const Label> gram = model.histories()->grams[g];
    for (std::size_t t = gram.size(); t <= y.size(); ++t) {
      const std::span<const Label> run = std::span(y).subspan(t - gram.size(), gram.size());
      if (std::ranges::equal(run, gram)) sum += double{model.gram_weights()[g]};
    }
  }
  return sum;
}

// All labellings that are allowed, with their probabilities; by decreasing score.
struct Enumeration {
  struct Entry {
    Labelling y;
    double score, p;
  };
  std::vector<Entry> entries;
  double log_z = -std::numeric_limits<double>::infinity();

  Enumeration(const ChainModel& model, const TextSequence& text,
              const std::function<bool(const Labelling&)>& allowed,
              const std::function<double(const Labelling&)>& penalty = {}) {
    ChainModel::Scratch scratch;
    ChainScores<double> scores;
    model.score(text, scratch, scores);
    for_each_labelling(scores, [&](const Labelling& y, long double score) {
      if (!allowed(y) || !has_path(model, y)) return;
      entries.push_back(
          {y, static_cast<double>(score) + gram_score(model, y) - (penalty ? penalty(y) : 0), 0});
    });
    if (entries.empty()) return;
    std::ranges::stable_sort(entries, std::greater(), &Entry::score);
    long double sum = 0;
    for (const Entry& entry : entries) sum += std::exp(entry.score - entries[0].score);
    log_z = entries[0].score + static_cast<double>(std::log(sum));
    for (Entry& entry : entries) entry.p = std::exp(entry.score - log_z);
  }

  double sum(const std::function<double(const Labelling&)>& value) const {
    double total = 0;
    for (const Entry& entry : entries) total += entry.p * value(entry.y);
    return total;
  }
  double entropy() const {
    double total = 0;
    for (const Entry& entry : entries) total -= entry.p > 0 ? entry.p * std::log(entry.p) : 0;
    return total;
  }
  double p(const Labelling& y) const {
    const auto at = std::ranges::find(entries, y, &Entry::y);
    return at == entries.end() ? 0 : at->p;
  }
};

inline std::vector<std::string_view> names_of(const Labelling& y, const LabelNames& names) {
  std::vector<std::string_view> list;
  for (const Label label : y) list.push_back(names[label]);
  return list;
}

// Of BIO labels; an empty type: of all.
inline std::size_t count_of_chunks(const Labelling& y, const LabelNames& names,
                                   std::string_view type = {}) {
  const auto chunks = chunks_of(names_of(y, names), ChunkScheme::bio);
  return static_cast<std::size_t>(std::ranges::count_if(
      chunks, [&](const Chunk& chunk) { return type.empty() || chunk.type == type; }));
}

// Of labels O, B-X, I-X, B-Y, I-Y in this order.
inline const std::vector<std::string> kBio = {"O", "B-X", "I-X", "B-Y", "I-Y"};
inline bool obeys_bio(const Labelling& y) {
  for (std::size_t t = 0; t < y.size(); ++t) {
    if (y[t] == 2 && (t == 0 || (y[t - 1] != 1 && y[t - 1] != 2))) return false;
    if (y[t] == 4 && (t == 0 || (y[t - 1] != 3 && y[t - 1] != 4))) return false;
  }
  return true;
}

}  // namespace croft::testing_support
