// Any bytes as a model with joint features: an Error, or a model that labels a text.
#include <cstddef>
#include <cstdint>

#include "app/inspect/inspect.h"
#include "croft/core/error.h"
#include "model/kinds/joint_model.h"
#include "support/model_bytes.h"
#include "support/model_text.h"
#include "support/target.h"

namespace fuzz_joint_model {

namespace {

void ask(croft::Container container) {
  const croft::JointModel model(std::move(container));
  if (model.extractor().config().columns <= 100) {
    croft::Tagger tagger(model);
    const auto text =
        croft::fuzz::text_of_rows(model.extractor(), {"the", "dog", "the", "\xff", "running"});
    const auto& tagging = tagger.tag(text, {.probability = true, .marginals = true});
    croft::fuzz::check_labels(tagging.y, model.labels());
  }
  croft::summary_of(model);
  croft::top_of(model, 2);
  croft::write_weights(model, [](std::string_view) {});
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_joint_model) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}

}  // namespace fuzz_joint_model
