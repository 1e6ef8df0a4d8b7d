// Any bytes as a naive Bayes model: an Error, or a model that scores a sequence and hands out its
// statistics.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "croft/core/error.h"
#include "model/kinds/naive_bayes_model.h"
#include "support/model_bytes.h"
#include "support/target.h"

namespace fuzz_naive_bayes_model {

namespace {

croft::TextSequence some_text() {
  croft::TextSequence text;
  for (const char* attribute : {"a", "b", "c=d", "", "a"}) {
    text.node.append(attribute, text.node.items() == 1 ? 0.5 : 1.0);
    if (text.node.lists() == 2) text.node.append("a", 2);
    text.node.end_list();
  }
  return text;
}

void ask(croft::Container container) {
  const croft::NaiveBayesModel model(std::move(container));
  const croft::NaiveBayesStatistics statistics = model.statistics();
  if (statistics.attributes() != model.attributes()) throw std::logic_error("attributes differ");
  croft::SequenceModel::Scratch scratch;
  croft::ChainScores<double> scores;
  model.score(some_text(), scratch, scores);
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (const double score : scores.state[t]) {
      if (std::isnan(score)) throw std::logic_error("a score that is no number");
    }
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_naive_bayes_model) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}

}  // namespace fuzz_naive_bayes_model
