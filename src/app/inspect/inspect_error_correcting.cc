#include "app/inspect/inspect_error_correcting.h"

#include <fmt/format.h>

#include <utility>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_cells.h"
#include "app/inspect/inspect_kit.h"
#include "app/inspect/inspect_tables.h"
#include "core/json.h"

namespace croft {
namespace {

std::string word_of(const LabelCode& code, Label j) {
  std::string word;
  for (std::size_t b = 0; b < code.bits; ++b) word += "01-"[code.at(j, b)];
  return word;
}

}  // namespace

Json summary_json(const ErrorCorrectingModel& model) {
  Json labels = Json::array(), words = Json::array();
  for (Label j = 0; j < model.labels(); ++j) {
    labels.push_back(model.label(j));
    words.push_back(word_of(model.code(), j));
  }
  Json document = {{"kind", model.kind()},
                   {"file_bytes", model.container().file_size()},
                   {"labels", std::move(labels)},
                   {"words", std::move(words)},
                   {"bits", model.code().bits},
                   {"distance", distance(model.code()).least},
                   {"decoder", name_of(model.decoder())},
                   {"attributes", model.node().size()},
                   {"weights", model.node().weights()},
                   {"sections", sections_json(model.container())}};
  document["extraction"] = model.meta().value("extraction", Json::object());
  add_kit(model, document);
  document["training"] = model.meta().value("training", Json::object());
  return document;
}

std::string format_summary(const ErrorCorrectingModel& model) {
  std::string out = summary_head(model.container(), model.kind(), model.labels());
  out += fmt::format("bits          {}\n", model.code().bits);
  out += fmt::format("distance      {}\n", distance(model.code()).least);
  out += fmt::format("decoder       {}\n", name_of(model.decoder()));
  out += fmt::format("attributes    {}\n", model.node().size());
  out += fmt::format("weights       {}\n", model.node().weights());
  out += kit_lines(model);
  out += fmt::format("\n{:<32}word\n", "label");
  for (Label j = 0; j < model.labels(); ++j) {
    out += fmt::format("{:<32}{}\n", escaped(model.label(j)), word_of(model.code(), j));
  }
  append_fields(out, "training record", model.meta().value("training", Json::object()));
  append_sections(out, model.container());
  return out;
}

Json top_json(const ErrorCorrectingModel& model, std::size_t n) {
  const auto all = by_cell(model.node(), model.code().bits);
  Json document = Json::array();
  for (std::size_t b = 0; b < all.size(); ++b) {
    Json bit = strongest_json(all[b], n);
    bit["bit"] = b + 1;
    document.push_back(std::move(bit));
  }
  return document;
}

std::string format_top(const ErrorCorrectingModel& model, std::size_t n) {
  const auto all = by_cell(model.node(), model.code().bits);
  std::string out;
  for (std::size_t b = 0; b < all.size(); ++b) {
    out += fmt::format("bit {}\n", b + 1);
    append_strongest(out, all[b], n, attribute_of);
  }
  return out;
}

void write_weights(const ErrorCorrectingModel& model,
                   const std::function<void(std::string_view)>& write) {
  LinePieces lines(write);
  for (const CellWeight& w : cell_weights(model.tied(), 4 * model.code().bits)) {
    lines.add(fmt::format("transition\t{}\t{}\t{}\t{}\t{}\n", escaped(w.attribute), w.cell / 4 + 1,
                          w.cell / 2 % 2, w.cell % 2, w.weight));
  }
  for (const CellWeight& w : cell_weights(model.node(), model.code().bits)) {
    lines.add(fmt::format("node\t{}\t{}\t{}\n", escaped(w.attribute), w.cell + 1, w.weight));
  }
  lines.finish();
}

}  // namespace croft
