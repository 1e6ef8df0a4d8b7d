// Any bytes as a chain model of columns with a feature kit: an Error, or a model that labels rows.
#include <cstddef>
#include <cstdint>

#include "croft/core/error.h"
#include "model/kinds/chain_model.h"
#include "support/model_bytes.h"
#include "support/model_text.h"
#include "support/target.h"

namespace fuzz_kit_model {

namespace {

void ask(croft::Container container) {
  const croft::ChainModel model(std::move(container));
  const croft::Extractor& extractor = model.extractor();
  if (extractor.config().format != croft::InputFormat::columns) return;
  if (extractor.config().columns == 0 || extractor.config().columns > 8) return;
  const auto text = croft::fuzz::text_of_rows(extractor, {"New", "York", "1999", "the", ""});
  croft::Tagger tagger(model);
  const auto& tagging = tagger.tag(text, croft::TagOptions());
  croft::fuzz::check_labels(tagging.y, model.labels());
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_kit_model) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}

}  // namespace fuzz_kit_model
