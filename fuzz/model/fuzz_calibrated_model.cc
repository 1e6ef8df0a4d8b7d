// Any bytes as a model with a calibration: an Error, or a model of any kind that labels a sequence,
// with probabilities that are numbers.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "croft/core/error.h"
#include "model/kinds/model_file.h"
#include "support/model_bytes.h"
#include "support/model_text.h"
#include "support/target.h"

namespace fuzz_calibrated_model {

namespace {

void ask(croft::Container container) {
  const auto model = croft::read_model(std::move(container));
  if (!model->has_probabilities()) return;
  croft::Tagger tagger(*model);
  const auto text = croft::fuzz::text_of({"one", "two", "three", "", "one"}, 2);
  const auto& tagging = tagger.tag(text, {.probability = true, .marginals = true});
  if (!tagging.outcome.found) return;
  croft::fuzz::check_labels(tagging.y, model->labels());
  for (std::size_t t = 0; t < tagging.y.size(); ++t) {
    for (std::size_t j = 0; model->calibrator() && j < model->labels(); ++j) {
      if (std::isnan(tagging.marginals(t, j))) throw std::logic_error("no probability");
    }
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_calibrated_model) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}

}  // namespace fuzz_calibrated_model
