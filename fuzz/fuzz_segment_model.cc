// Any bytes as a segment model: an Error, or a model that labels a text.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "croft/app/inspect_segment.h"
#include "croft/app/tagger.h"
#include "croft/core/error.h"
#include "model_bytes.h"

namespace {

croft::TextSequence some_text(const croft::SegmentModel& model) {
  croft::ColumnSequence rows;
  for (const char* word : {"the", "Dog", "the", "\xff", "running"}) {
    for (std::size_t c = 0; c < model.extractor().config().columns; ++c) rows.append_cell(word);
    rows.end_row();
  }
  croft::Extractor::Scratch scratch;
  croft::TextSequence text;
  model.extractor().extract(rows, false, scratch, text);
  return text;
}

void ask(croft::Container container) {
  const croft::SegmentModel model(std::move(container));
  if (model.shape().cells() > 1000) return;
  if (model.extractor().config().columns <= 100) {
    croft::Tagger tagger(model);
    for (const bool probability : {false, true}) {
      const auto& tagging =
          tagger.tag(some_text(model), {.probability = probability, .marginals = probability});
      for (const croft::Label y : tagging.y) {
        if (y >= model.labels()) throw std::logic_error("a label that is none");
      }
    }
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
