// Any bytes as a boosted model: an Error, or a model that labels a sequence, and can be looked
// into.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "croft/app/inspect_boosted.h"
#include "croft/app/tagger.h"
#include "croft/core/error.h"
#include "model_bytes.h"

namespace {

croft::TextSequence some_text() {
  croft::TextSequence text;
  for (const char* attribute : {"a", "b", "size", "a", "other", "size"}) {
    text.node.append(attribute, text.node.items() == 2 ? 0.5 : 1.0);
    text.node.end_list();
  }
  return text;
}

void ask(croft::Container container) {
  const croft::BoostedModel model(std::move(container));
  croft::Tagger tagger(model);
  const auto& tagging =
      tagger.tag(some_text(), {.probability = true, .marginals = true, .k_best = 3});
  for (const croft::Label y : tagging.y) {
    if (y >= model.labels()) throw std::logic_error("a label that is none");
  }
  if (tagging.outcome.found && !std::isfinite(tagging.log_partition)) {
    throw std::logic_error("a log Z that is no number");
  }
  croft::format_summary(model);
  croft::format_top(model, 2);
  croft::write_weights(model, [](std::string_view) {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}
