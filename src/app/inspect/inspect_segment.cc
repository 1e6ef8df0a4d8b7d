#include "app/inspect/inspect_segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_calibration.h"
#include "app/inspect/inspect_kit.h"
#include "app/inspect/inspect_tables.h"
#include "core/json.h"

namespace croft {
namespace {

struct SegmentWeight {
  float weight;
  std::string string;  // empty: a transition
  std::string before;  // the label before, of pairs and transitions
  std::string label;
};

constexpr std::array<std::string_view, 4> kParts = {"node", "segment", "pair", "transition"};

// Those of one of kParts, in the order of the file of weights.
std::vector<SegmentWeight> weights_of(const SegmentModel& model, std::size_t part) {
  const std::array tables = {&model.node(), &model.segment(), &model.pair(), &model.tied()};
  const std::vector<std::string>& names = model.segment_labels().names;
  std::vector<SegmentWeight> weights;
  for (std::uint32_t id = 0; id < tables[part]->size(); ++id) {
    const WeightRow row = tables[part]->row(id);
    if (row.size() == 0) continue;
    const std::string string = tables[part]->name(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::uint32_t cell = row.cell(k);
      if (part == 0) {
        if (cell < model.labels()) {
          weights.push_back({row.weight(k), string, "", model.label(cell)});
        }
      } else if (part == 1) {
        if (cell < names.size()) weights.push_back({row.weight(k), string, "", names[cell]});
      } else if (cell < names.size() * names.size()) {
        weights.push_back(
            {row.weight(k), string, names[cell / names.size()], names[cell % names.size()]});
      }
    }
  }
  std::ranges::sort(weights, [](const SegmentWeight& a, const SegmentWeight& b) {
    return std::tie(a.string, a.before, a.label) < std::tie(b.string, b.before, b.label);
  });
  return weights;
}

// The n strongest: of each label where they are features of it alone, of parts 0 and 1.
std::vector<SegmentWeight> strongest(std::vector<SegmentWeight> weights, float sign,
                                     std::size_t part, std::size_t n) {
  std::erase_if(weights, [&](const SegmentWeight& w) { return !(sign * w.weight > 0); });
  std::ranges::stable_sort(weights, std::ranges::greater{},
                           [&](const SegmentWeight& w) { return sign * w.weight; });
  std::map<std::string_view, std::size_t> taken;
  std::vector<SegmentWeight> kept;
  for (const SegmentWeight& w : weights) {
    if (taken[part < 2 ? w.label : std::string_view()]++ < n) kept.push_back(w);
  }
  if (part < 2) std::ranges::stable_sort(kept, {}, &SegmentWeight::label);
  return kept;
}

Json to_json(const std::vector<SegmentWeight>& weights, std::size_t part) {
  Json list = Json::array();
  for (const SegmentWeight& w : weights) {
    Json one = {{"label", w.label}, {"weight", w.weight}};
    if (part < 3) one[part == 0 ? "attribute" : "string"] = w.string;
    if (part >= 2) one["before"] = w.before;
    list.push_back(std::move(one));
  }
  return list;
}

std::size_t weight_count(const SegmentModel& model) {
  return model.node().weights() + model.segment().weights() + model.pair().weights() +
         model.tied().weights();
}

// The columns' labels of a segment's, as "B-PER I-PER".
std::string spelling(const SegmentModel& model, Label y) {
  const SegmentLabels& labels = model.segment_labels();
  std::vector<Label> shown;
  for (const Label c :
       {labels.first[y], labels.inside[y], labels.last_of(y), labels.single_of(y)}) {
    if (c < model.labels() && std::ranges::find(shown, c) == shown.end()) shown.push_back(c);
  }
  std::string text;
  for (const Label c : shown) text += (text.empty() ? "" : " ") + escaped(model.label(c));
  return text;
}

}  // namespace

std::string segment_lines(const SegmentModel& model) {
  std::string out;
  out += fmt::format("\n{:<24}{:>8}  {}\n", "segments of", "longest", "spelt");
  for (Label y = 0; y < model.segment_labels().labels(); ++y) {
    out += fmt::format("{:<24}{:>8}  {}\n", escaped(model.segment_labels().names[y]),
                       model.shape().longest(y), spelling(model, y));
  }
  out += "\nsegment templates\n";
  std::string_view text = model.templates().text();
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += "  " + escaped(text.substr(0, end)) + "\n";
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out;
}

Json summary_json(const SegmentModel& model) {
  Json labels = Json::array();
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  Json document = {{"kind", model.kind()},
                   {"file_bytes", model.container().file_size()},
                   {"labels", std::move(labels)},
                   {"segments", model.meta().at("segments").at("labels")},
                   {"segment_template", model.templates().text()},
                   {"gazetteers", model.lexicon().gazetteers()},
                   {"attributes", model.node().size()},
                   {"segment_strings", model.segment().size() + model.pair().size()},
                   {"weights", weight_count(model)},
                   {"sections", sections_json(model.container())}};
  document["extraction"] = model.meta().value("extraction", Json::object());
  add_kit(model, document);
  document["training"] = model.meta().value("training", Json::object());
  add_calibration(model, document);
  return document;
}

std::string format_summary(const SegmentModel& model) {
  std::string out = summary_head(model.container(), model.kind(), model.labels());
  out += fmt::format("attributes    {}\n", model.node().size());
  out +=
      fmt::format("strings       {} of segments\n", model.segment().size() + model.pair().size());
  out += fmt::format("weights       {}\n", weight_count(model));
  for (const std::string& list : model.lexicon().gazetteers()) {
    out += fmt::format("gazetteer     {}\n", escaped(list));
  }
  out += calibration_lines(model);
  out += kit_lines(model);
  out += segment_lines(model);
  append_fields(out, "training record", model.meta().value("training", Json::object()));
  append_sections(out, model.container());
  return out;
}

Json top_json(const SegmentModel& model, std::size_t n) {
  Json document = Json::array();
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    const auto all = weights_of(model, part);
    document.push_back({{"part", kParts[part]},
                        {"largest", to_json(strongest(all, 1, part, n), part)},
                        {"smallest", to_json(strongest(all, -1, part, n), part)}});
  }
  return document;
}

std::string format_top(const SegmentModel& model, std::size_t n) {
  std::string out;
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    const auto all = weights_of(model, part);
    if (all.empty()) continue;
    out += std::string(kParts[part]) + "\n";
    for (const float sign : {1.0f, -1.0f}) {
      for (const SegmentWeight& w : strongest(all, sign, part, n)) {
        const std::string arrow = part >= 2 ? escaped(w.before) + " -> " : std::string();
        out += fmt::format("  {:>10.5f}  {:<32} {}{}\n", w.weight, escaped(w.string), arrow,
                           escaped(w.label));
      }
    }
  }
  return out;
}

void write_weights(const SegmentModel& model, const std::function<void(std::string_view)>& write) {
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    std::string lines;
    for (const SegmentWeight& w : weights_of(model, part)) {
      lines += kParts[part];
      if (part < 3) lines += "\t" + escaped(w.string);
      if (part >= 2) lines += "\t" + escaped(w.before);
      lines += fmt::format("\t{}\t{}\n", escaped(w.label), w.weight);
      if (lines.size() < (1 << 16)) continue;
      write(lines);
      lines.clear();
    }
    if (!lines.empty()) write(lines);
  }
}

}  // namespace croft
