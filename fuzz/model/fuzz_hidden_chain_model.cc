// Any bytes as a model of kind hidden-chain, pool or error-correcting: an Error, or a model that
// labels a text.
#include <cstddef>
#include <cstdint>

#include "app/inspect/inspect.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "model/kinds/error_correcting_model.h"
#include "model/kinds/hidden_chain_model.h"
#include "model/kinds/model_file.h"
#include "support/model_bytes.h"
#include "support/model_text.h"
#include "support/target.h"

namespace fuzz_hidden_chain_model {

namespace {

void ask(croft::Container container) {
  const auto model = croft::read_model(std::move(container));
  const auto* hidden = croft::as<croft::HiddenChainModel>(*model);
  const auto* code = croft::as<croft::ErrorCorrectingModel>(*model);
  if (hidden != nullptr && hidden->states().size() > 200) return;  // a table of their square
  if (code != nullptr && code->code().bits > 200) return;
  croft::Tagger tagger(*model);
  const bool p = model->has_probabilities();
  const auto& tagging = tagger.tag(croft::fuzz::text_of({"w=the", "w=dog", "w=the", "\xff", "w=a"}),
                                   {.probability = p, .marginals = p});
  croft::fuzz::check_labels(tagging.y, model->labels());
  const auto ignore = [](std::string_view) {};
  if (hidden != nullptr) {
    croft::summary_of(*hidden);
    croft::top_of(*hidden, 2);
    croft::write_weights(*hidden, ignore);
  }
  if (code != nullptr) {
    croft::summary_of(*code);
    croft::top_of(*code, 2);
    croft::write_weights(*code, ignore);
  }
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_hidden_chain_model) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}

}  // namespace fuzz_hidden_chain_model
