// Naive Bayes as a logistic regression: weights with the same posterior (G.12).
//
//   p(y | x) = exp( sum_a w[a][y] f_a(x) ) / Z(x),   f: the attributes, the intercept, and for
//   gaussian ones
//                                                     their squares
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/text_sequence.h"
#include "features/extraction.h"
#include "model/file/container.h"
#include "model/kinds/naive_bayes.h"
#include "model/kinds/naive_bayes_model.h"

namespace croft {
class Json;

// What an attribute's square is called.
std::string square_name(std::string_view attribute);

struct LogLinearForm {
  std::vector<std::string> names;  // [F]; attributes, squares, and last the intercept
  std::vector<double> weights;     // [F][L]; a row sums to 0: a constant would change no posterior
};

// Exact for multinomial, complement and categorical attributes; for bernoulli ones where values are
// 0 and 1; for gaussian ones where the squares are given, with values of 0 for what is absent.
// Throws UsageError where gaussian attributes may be missing; Error for a probability of 0, which
// no finite weight gives, and for an attribute with the name of the intercept or of a square.
LogLinearForm log_linear_form(const NaiveBayesStatistics& statistics,
                              const NaiveBayesParameters& parameters,
                              const NaiveBayesOptions& options,
                              const std::function<std::string(std::size_t)>& attribute);

// Beside each attribute with a value x one with the value x^2; an attribute that is named several
// times counts with its sum.
void add_squares(TextSequence& sequence);

// The form as a model file of kind maxent that predicts from the same data.  Throws UsageError for
// gaussian attributes, whose squares the data does not have.
//   training : the record of the model that it comes from
ContainerWriter make_maxent(const LogLinearForm& form, const NaiveBayesStatistics& statistics,
                            const std::vector<std::string>& labels,
                            const ExtractionConfig& extraction, const Json& training);

// The same from a model as a file has it, with its record.  A model of bernoulli attributes that
// read texts as counts becomes one that reads them as binary terms.
ContainerWriter naive_bayes_to_maxent(const NaiveBayesModel& model);

}  // namespace croft
