#include "app/train/holdout_score.h"

#include <algorithm>

#include "app/evaluate/evaluation.h"

namespace croft {
namespace {

bool is_single(std::string_view item, const std::optional<PartialLabels>& how) {
  return !how || (item != how->any && item.find(how->separator) == item.npos);
}

}  // namespace

std::size_t count_single_labels(const TextSequence& text, std::string_view file,
                                const PartialLabels& how) {
  std::size_t count = 0;
  Location where{std::string(file)};
  for (std::size_t t = 0; t < text.length(); ++t) {
    where.line = text.first_line == 0 ? 0 : text.first_line + t;
    count += labels_in(text.labels.item(t), how, where).size() == 1;
  }
  return count;
}

HoldoutScore score_holdout(const HoldoutText& holdout,
                           const std::vector<std::vector<std::string_view>>& predicted,
                           const std::optional<PartialLabels>& how) {
  Evaluation evaluation;
  std::size_t single = 0, correct = 0;  // positions
  for (std::size_t n = 0; n < predicted.size(); ++n) {
    const TextSequence& text = holdout(n);
    std::vector<std::string_view> gold;
    bool complete = true;
    for (std::size_t t = 0; t < text.length(); ++t) {
      gold.push_back(text.labels.item(t));
      if (is_single(gold[t], how)) {
        ++single;
        correct += gold[t] == predicted[n][t];
      } else {
        complete = false;
      }
    }
    if (complete) evaluation.add(gold, predicted[n]);
  }
  HoldoutScore score;
  if (single > 0) score.token_accuracy = static_cast<double>(correct) / static_cast<double>(single);
  if (const auto chunk = evaluation.summary().chunk) score.chunk_f1 = chunk->all.f1();
  return score;
}

}  // namespace croft
