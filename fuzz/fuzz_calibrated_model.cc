// Any bytes as a model with a calibration: an Error, or a model of any kind that labels a sequence,
// with probabilities that are numbers.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "croft/app/tagger.h"
#include "croft/core/error.h"
#include "croft/model/model_file.h"
#include "model_bytes.h"

namespace {

croft::TextSequence some_text() {
  croft::TextSequence text;
  for (const char* attribute : {"one", "two", "three", "", "one"}) {
    text.node.append(attribute, text.node.items() == 1 ? 2.0 : 1.0);
    text.node.end_list();
  }
  return text;
}

void ask(croft::Container container) {
  const auto model = croft::read_model(std::move(container));
  if (model->vote() != nullptr) return;
  croft::Tagger tagger(*model);
  const auto& tagging = tagger.tag(some_text(), {.probability = true, .marginals = true});
  if (!tagging.outcome.found) return;
  for (std::size_t t = 0; t < tagging.y.size(); ++t) {
    if (tagging.y[t] >= model->labels()) throw std::logic_error("a label that is none");
    for (std::size_t j = 0; model->calibrator() && j < model->labels(); ++j) {
      if (std::isnan(tagging.marginals(t, j))) throw std::logic_error("no probability");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}
