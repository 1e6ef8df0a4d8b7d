#include "croft/app/inspect_error_correcting.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "app/inspect_kit.h"
#include "app/inspect_tables.h"
#include "croft/app/inspect.h"

namespace croft {
namespace {

using nlohmann::json;

struct BitWeight {
  std::string attribute;
  std::uint32_t cell;
  float weight;
};

// In the order of the attributes' bytes, then of the cells.
std::vector<BitWeight> weights_of(const FeatureTable& table, std::size_t cells) {
  std::vector<BitWeight> all;
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    const WeightRow row = table.row(id);
    if (row.size() == 0) continue;
    const std::string name = table.name(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row.cell(k) < cells) all.push_back({name, row.cell(k), row.weight(k)});
    }
  }
  std::ranges::sort(all, [](const BitWeight& a, const BitWeight& b) {
    return std::tie(a.attribute, a.cell) < std::tie(b.attribute, b.cell);
  });
  return all;
}

std::vector<std::vector<BitWeight>> by_bit(const ErrorCorrectingModel& model) {
  std::vector<std::vector<BitWeight>> all(model.code().bits);
  for (BitWeight& each : weights_of(model.node(), model.code().bits)) {
    all[each.cell].push_back(std::move(each));
  }
  return all;
}

// The n with the largest sign * weight > 0.
std::vector<BitWeight> strongest(std::vector<BitWeight> weights, float sign, std::size_t n) {
  std::erase_if(weights, [&](const BitWeight& w) { return !(sign * w.weight > 0); });
  std::ranges::stable_sort(weights, std::ranges::greater{},
                           [&](const BitWeight& w) { return sign * w.weight; });
  if (weights.size() > n) weights.resize(n);
  return weights;
}

std::string word_of(const LabelCode& code, Label j) {
  std::string word;
  for (std::size_t b = 0; b < code.bits; ++b) word += "01-"[code.at(j, b)];
  return word;
}

json to_json(const std::vector<BitWeight>& weights) {
  json list = json::array();
  for (const BitWeight& w : weights) {
    list.push_back({{"attribute", w.attribute}, {"weight", w.weight}});
  }
  return list;
}

}  // namespace

json summary_json(const ErrorCorrectingModel& model) {
  json labels = json::array(), words = json::array();
  for (Label j = 0; j < model.labels(); ++j) {
    labels.push_back(model.label(j));
    words.push_back(word_of(model.code(), j));
  }
  json document = {{"kind", model.kind()},
                   {"file_bytes", model.container().file_size()},
                   {"labels", std::move(labels)},
                   {"words", std::move(words)},
                   {"bits", model.code().bits},
                   {"distance", distance(model.code()).least},
                   {"decoder", name_of(model.decoder())},
                   {"attributes", model.node().size()},
                   {"weights", model.node().weights()},
                   {"sections", sections_json(model.container())}};
  document["extraction"] = model.meta().value("extraction", json::object());
  add_kit(model, document);
  document["training"] = model.meta().value("training", json::object());
  return document;
}

std::string format_summary(const ErrorCorrectingModel& model) {
  std::string out = fmt::format("model         {}\n", escaped(model.container().name()));
  out += fmt::format("kind          {}\n", model.kind());
  out += fmt::format("file size     {} bytes\n", model.container().file_size());
  out += fmt::format("labels        {}\n", model.labels());
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
  append_fields(out, "training record", model.meta().value("training", json::object()));
  append_sections(out, model.container());
  return out;
}

json top_json(const ErrorCorrectingModel& model, std::size_t n) {
  const auto all = by_bit(model);
  json document = json::array();
  for (std::size_t b = 0; b < all.size(); ++b) {
    document.push_back({{"bit", b + 1},
                        {"largest", to_json(strongest(all[b], 1, n))},
                        {"smallest", to_json(strongest(all[b], -1, n))}});
  }
  return document;
}

std::string format_top(const ErrorCorrectingModel& model, std::size_t n) {
  const auto all = by_bit(model);
  std::string out;
  for (std::size_t b = 0; b < all.size(); ++b) {
    out += fmt::format("bit {}\n", b + 1);
    for (const float sign : {1.0f, -1.0f}) {
      for (const BitWeight& w : strongest(all[b], sign, n)) {
        out += fmt::format("  {:>10.5f}  {}\n", w.weight, escaped(w.attribute));
      }
    }
  }
  return out;
}

void write_weights(const ErrorCorrectingModel& model,
                   const std::function<void(std::string_view)>& write) {
  std::string lines;
  const auto flush = [&](std::size_t above) {
    if (lines.size() <= above) return;
    write(lines);
    lines.clear();
  };
  for (const BitWeight& w : weights_of(model.tied(), 4 * model.code().bits)) {
    lines += fmt::format("transition\t{}\t{}\t{}\t{}\t{}\n", escaped(w.attribute), w.cell / 4 + 1,
                         w.cell / 2 % 2, w.cell % 2, w.weight);
    flush(1 << 16);
  }
  for (const BitWeight& w : weights_of(model.node(), model.code().bits)) {
    lines += fmt::format("node\t{}\t{}\t{}\n", escaped(w.attribute), w.cell + 1, w.weight);
    flush(1 << 16);
  }
  flush(0);
}

}  // namespace croft
