// Any bytes as a boosted model: an Error, or a model that labels a sequence, and can be looked
// into.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_boosted.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "support/model_bytes.h"
#include "support/model_text.h"
#include "support/target.h"

namespace fuzz_boosted_model {

namespace {

croft::TextSequence some_text() {
  croft::TextSequence text;
  for (const char* attribute : {"a", "b", "size", "a", "other", "size"}) {
    text.node.append(attribute, text.node.items() == 2 ? 0.5 : 1.0);
    text.node.end_list();
  }
  return text;
}

template <class Model>
void ask_of(croft::Container container) {
  const Model model(std::move(container));
  croft::Tagger tagger(model);
  const auto& tagging =
      tagger.tag(some_text(), {.probability = true, .marginals = true, .k_best = 3});
  croft::fuzz::check_labels(tagging.y, model.labels());
  if (tagging.outcome.found && !std::isfinite(tagging.log_partition)) {
    throw std::logic_error("a log Z that is no number");
  }
  const croft::TreeModelView view(model);
  croft::summary_of(view);
  croft::top_of(view, 2);
  croft::write_weights(view, [](std::string_view) {});
}

void ask(croft::Container container) {
  const auto meta = croft::parse_json_or_null(container.text("meta"));
  if (meta.is_object() && meta.value("kind", croft::Json()) == croft::kBoostedSegment) {
    ask_of<croft::BoostedSegmentModel>(std::move(container));
  } else {
    ask_of<croft::BoostedModel>(std::move(container));
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_boosted_model) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}

}  // namespace fuzz_boosted_model
