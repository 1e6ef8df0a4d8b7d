#include "app/label/model_tokenizer.h"

#include <string>
#include <utility>
#include <vector>

#include "app/label/chunks.h"
#include "app/label/row_reader.h"
#include "app/label/tag_plan.h"
#include "app/label/tagger.h"
#include "croft/core/error.h"
#include "data/columns.h"
#include "model/foreign/open_model_file.h"
#include "model/kinds/model_file.h"

namespace croft {

constinit const std::string_view kSegmenterTemplate = R"(u:c-2=%x[-2,0]
u:c-1=%x[-1,0]
u:c0=%x[0,0]
u:c1=%x[1,0]
u:c2=%x[2,0]
u:c-2c-1=%x[-2,0]/%x[-1,0]
u:c-1c0=%x[-1,0]/%x[0,0]
u:c0c1=%x[0,0]/%x[1,0]
u:c1c2=%x[1,0]/%x[2,0]
u:c-1c1=%x[-1,0]/%x[1,0]
u:c-1c0c1=%x[-1,0]/%x[0,0]/%x[1,0]
u:c-2c-1c0=%x[-2,0]/%x[-1,0]/%x[0,0]
u:c0c1c2=%x[0,0]/%x[1,0]/%x[2,0]
u:digits=%t[-1,0,"^\d"]/%t[0,0,"^\d"]/%t[1,0,"^\d"]
u:ascii=%t[-1,0,"^\l"]/%t[0,0,"^\l"]/%t[1,0,"^\l"]
u:marks=%t[-1,0,"^\p"]/%t[0,0,"^\p"]/%t[1,0,"^\p"]
b
)";

namespace {

class ModelTokenizer final : public TextTokenizer {
 public:
  explicit ModelTokenizer(Container file)
      : model_(read_model(std::move(file))),
        plan_(*model_),
        characters_(tokenizer_named("characters")) {
    const ExtractionConfig& config = model_->extractor().config();
    if (config.format != InputFormat::columns || config.columns != 1) {
      fail("a segmenter is trained on one character a row (train --format segmented)");
    }
    if (model_->first_pass() != nullptr) {
      fail("it looks at documents, and a text is cut by itself");
    }
    std::vector<std::string_view> labels;
    for (Label y = 0; y < model_->labels(); ++y) labels.push_back(model_->label(y));
    scheme_ = span_scheme(labels);
    for (const std::string_view label : labels) {
      if (scheme_ != ChunkScheme::none && read_chunk_label(label, scheme_).type.empty()) continue;
      fail(Message("it labels ", in_quotes(label),
                   ", and a segmenter says with B and I where words begin (train --format "
                   "segmented)"));
    }
  }

  std::span<const std::byte> file() const { return model_->container().bytes(); }

  std::vector<TextPlace> tokens(std::string_view text) const override {
    const std::vector<TextPlace> characters = characters_->tokens(text);
    std::vector<TextPlace> out;
    Extractor::Scratch scratch;
    Tagger tagger(plan_);
    for (std::size_t begin = 0; begin < characters.size();) {
      std::size_t end = begin + 1;  // of a run without blanks
      while (end < characters.size() && characters[end].begin == characters[end - 1].end) ++end;
      add_run(text, std::span(characters).subspan(begin, end - begin), scratch, tagger, out);
      begin = end;
    }
    return out;
  }

 private:
  [[noreturn]] void fail(const Message& why) const {
    throw UsageError("--tokenizer model:", model_->container().name(), ": ", why);
  }
  void add_run(std::string_view text, std::span<const TextPlace> characters,
               Extractor::Scratch& scratch, Tagger& tagger, std::vector<TextPlace>& out) const {
    ColumnSequence rows;
    for (const TextPlace& each : characters) {
      rows.append_cell(text.substr(each.begin, each.end - each.begin));
      rows.end_row();
    }
    TextSequence sequence;
    model_->extractor().extract(rows, false, scratch, sequence, "the text");
    std::vector<std::string_view> labels;
    for (const Label y : tagger.tag(sequence, {}).y) labels.push_back(model_->label(y));
    std::size_t at = 0;
    const auto add_alone = [&](std::size_t until) {
      for (; at < until; ++at) out.push_back(characters[at]);
    };
    for (const Chunk& chunk : chunks_of(labels, scheme_)) {
      add_alone(chunk.begin);
      out.push_back({characters[chunk.begin].begin, characters[chunk.end - 1].end});
      at = chunk.end;
    }
    add_alone(characters.size());
  }

  std::shared_ptr<const SequenceModel> model_;
  TagPlan plan_;
  std::shared_ptr<const TextTokenizer> characters_;
  ChunkScheme scheme_ = ChunkScheme::none;
};

constexpr std::string_view kModel = "model:";

std::shared_ptr<const ModelTokenizer> open_segmenter(std::string_view name) {
  return std::make_shared<ModelTokenizer>(read_model_file(std::string(name.substr(kModel.size()))));
}

}  // namespace

std::shared_ptr<const TextTokenizer> text_tokenizer(std::string_view name) {
  if (!name.starts_with(kModel)) return tokenizer_named(name);
  return open_segmenter(name);
}

std::shared_ptr<const InnerModel> kept_segmenter(std::string_view name) {
  if (!name.starts_with(kModel)) return nullptr;
  const std::shared_ptr<const ModelTokenizer> segmenter = open_segmenter(name);
  auto kept = std::make_shared<InnerModel>();
  kept->own.assign(segmenter->file().begin(), segmenter->file().end());
  kept->file = kept->own;
  return kept;
}

std::shared_ptr<const TextTokenizer> tokenizer_of(const SequenceModel& model) {
  if (const auto& kept = model.extractor().config().segmenter) {
    return std::make_shared<ModelTokenizer>(
        Container::inside(kept->file, model.container().name() + " (segmenter)"));
  }
  const Json* const training = model.meta().get_if("training");
  const Json* const name = training == nullptr ? nullptr : training->get_if("tokenizer");
  if (name == nullptr || !name->is_string()) return nullptr;
  return text_tokenizer(name->string());
}

}  // namespace croft
