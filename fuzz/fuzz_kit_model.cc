// Any bytes as a chain model of columns with a feature kit: an Error, or a model that labels rows.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "croft/app/tagger.h"
#include "croft/core/error.h"
#include "croft/model/chain_model.h"
#include "model_bytes.h"

namespace {

void ask(croft::Container container) {
  const croft::ChainModel model(std::move(container));
  const croft::Extractor& extractor = model.extractor();
  croft::ColumnSequence rows;
  for (const char* word : {"New", "York", "1999", "the", ""}) {
    for (std::size_t c = 0; c < extractor.config().columns && c < 8; ++c) rows.append_cell(word);
    rows.end_row();
  }
  if (extractor.config().format != croft::InputFormat::columns) return;
  if (extractor.config().columns == 0 || extractor.config().columns > 8) return;
  croft::Extractor::Scratch scratch;
  croft::TextSequence text;
  extractor.extract(rows, false, scratch, text);
  croft::Tagger tagger(model);
  const auto& tagging = tagger.tag(text, croft::TagOptions());
  for (const croft::Label y : tagging.y) {
    if (y >= model.labels()) throw std::logic_error("a label that is none");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  croft::fuzz::read_model(data, size, ask);
  return 0;
}
