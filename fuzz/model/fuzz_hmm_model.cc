// Any bytes as a hidden Markov model: an Error, or a model that labels a sequence, and converts.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "app/inspect/inspect.h"
#include "croft/core/error.h"
#include "model/kinds/hmm_to_chain.h"
#include "support/model_bytes.h"
#include "support/model_text.h"
#include "support/target.h"

namespace fuzz_hmm_model {

namespace {

void ask(croft::Container container) {
  const croft::HmmModel model(std::move(container));
  croft::Tagger tagger(model);
  const auto text =
      croft::fuzz::text_of({"U0=the", "U0=dog", "U0=", "U0=jumping", "w", "U1=x", "U0=\xff"}, 0.5);
  const auto& tagging = tagger.tag(text, {.probability = true, .marginals = true, .k_best = 3});
  croft::fuzz::check_labels(tagging.y, model.labels());
  if (tagging.outcome.found && !(std::isfinite(tagging.log_partition))) {
    throw std::logic_error("a likelihood that is no number");
  }
  croft::summary_of(model);
  croft::top_of(model, 2);
  try {
    croft::hmm_to_chain(model);
  } catch (const croft::Error&) {
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_hmm_model) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}

}  // namespace fuzz_hmm_model
