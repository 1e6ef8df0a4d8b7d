// Any bytes as a chain model: an Error, or a model that labels a sequence.
#include <cstddef>
#include <cstdint>

#include "croft/core/error.h"
#include "model/kinds/chain_model.h"
#include "support/model_bytes.h"
#include "support/model_text.h"
#include "support/target.h"

namespace fuzz_chain_model {

namespace {

croft::TextSequence some_text() {
  croft::TextSequence text;
  for (const char* attribute : {"a", "b", "a", "", "c"}) {
    text.node.append(attribute, text.node.items() == 1 ? 0.5 : 1.0);
    text.node.end_list();
    if (text.edge.lists() > 0) text.edge.append(attribute);
    text.edge.end_list();
  }
  return text;
}

void ask(croft::Container container) {
  const croft::ChainModel model(std::move(container));
  croft::Tagger tagger(model);
  croft::TagOptions options;  // a vote has labels alone
  if (model.vote() == nullptr) options = {.probability = true, .marginals = true, .k_best = 3};
  const auto& tagging = tagger.tag(some_text(), options);
  croft::fuzz::check_labels(tagging.y, model.labels());
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_chain_model) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}

}  // namespace fuzz_chain_model
