// Any bytes as a hidden Markov model: an Error, or a model that labels a sequence, and converts.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "croft/app/inspect_hmm.h"
#include "croft/app/tagger.h"
#include "croft/core/error.h"
#include "croft/model/hmm_to_chain.h"
#include "model_bytes.h"

namespace {

croft::TextSequence some_text() {
  croft::TextSequence text;
  for (const char* attribute : {"U0=the", "U0=dog", "U0=", "U0=jumping", "w", "U1=x", "U0=\xff"}) {
    text.node.append(attribute, text.node.items() == 1 ? 0.5 : 1.0);
    text.node.end_list();
  }
  return text;
}

void ask(croft::Container container) {
  const croft::HmmModel model(std::move(container));
  croft::Tagger tagger(model);
  const auto& tagging =
      tagger.tag(some_text(), {.probability = true, .marginals = true, .k_best = 3});
  for (const croft::Label y : tagging.y) {
    if (y >= model.labels()) throw std::logic_error("a label that is none");
  }
  if (tagging.outcome.found && !(std::isfinite(tagging.log_partition))) {
    throw std::logic_error("a likelihood that is no number");
  }
  croft::format_summary(model);
  croft::format_top(model, 2);
  try {
    croft::hmm_to_chain(model);
  } catch (const croft::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}
