// What is in a naive Bayes model: its summary, the attributes that tell labels apart, all its
// numbers.
//
// docs/naive_bayes.md defines every line and field.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "model/kinds/naive_bayes_model.h"

namespace croft {
class Json;

// Kind, sizes, labels and their priors, event models, options, training record, sections of the
// file. Cost O(labels + attributes).
Json summary_json(const NaiveBayesModel& model);
std::string format_summary(const NaiveBayesModel& model);

// For each label the n attributes whose log p(a | label) exceeds its mean over all labels most, and
// the n gaussian ones whose means differ most between labels, measured by their variances.  Equal
// ones are in the order of their bytes.  Cost O(attributes L).
Json top_json(const NaiveBayesModel& model, std::size_t n);
std::string format_top(const NaiveBayesModel& model, std::size_t n);

// Every number of the model, one a line, handed to `write` in large pieces:
//   prior       TAB label     TAB log p(label)
//   multinomial TAB attribute TAB label TAB log p(attribute | label); also bernoulli, categorical
//   complement  TAB attribute TAB label TAB weight
//   gaussian    TAB attribute TAB label TAB mean TAB variance
// Kinds in the order prior, multinomial, bernoulli, complement, gaussian, categorical, within one
// by the attribute's bytes, then in the order of the labels.  Numbers have as few digits as give
// the same double.
void write_weights(const NaiveBayesModel& model,
                   const std::function<void(std::string_view)>& write);

}  // namespace croft
