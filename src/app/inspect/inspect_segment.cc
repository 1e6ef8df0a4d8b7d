#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_parts.h"
#include "app/inspect/weights.h"

namespace croft {
namespace {

// What weights are of: the tables, and which names a cell has.
struct Part {
  std::string_view name;
  const FeatureTable* table;
  std::string_view attribute;  // what JSON calls the string; empty: there is none
  bool pairs;                  // of labels
};

std::array<Part, 4> parts_of(const SegmentModel& model) {
  return {Part{"node", &model.node(), "attribute", false},
          Part{"segment", &model.segment(), "string", false},
          Part{"pair", &model.pair(), "string", true}, Part{"transition", &model.tied(), "", true}};
}

struct CellLabels {
  std::string before, label;  // before: empty but of pairs
  auto operator<=>(const CellLabels&) const = default;
};

CellLabels labels_of(const SegmentModel& model, const Part& part, std::uint32_t cell) {
  const std::vector<std::string>& names = model.segment_labels().names;
  if (part.pairs) return {names[cell / names.size()], names[cell % names.size()]};
  return {"", part.table == &model.node() ? model.label(cell) : names[cell]};
}

// Lists of each label, one behind the other.
Json show_all(View& view, const std::map<std::string, Ranking>& best, bool largest) {
  RankedWeights all;
  for (const auto& [label, ranking] : best) {
    std::ranges::move(largest ? ranking.largest() : ranking.smallest(), std::back_inserter(all));
  }
  return show(view, all);
}

}  // namespace

View summary_of(const SegmentModel& model) {
  View view = begin_summary(model, false);
  view.fact("attributes", model.node().size());
  view.json["segment_strings"] = model.segment().size() + model.pair().size();
  view.line("strings", fmt::format("{} of segments", model.segment().size() + model.pair().size()));
  view.fact("weights", model.node().weights() + model.segment().weights() + model.pair().weights() +
                           model.tied().weights());
  for (const std::string& list : model.lexicon().gazetteers()) {
    view.line("gazetteer", escaped(list));
  }
  add_calibration(model, view);
  add_kit(model, view);
  add_segments(model, view);
  end_summary(model, view);
  return view;
}

View top_of(const SegmentModel& model, std::size_t n) {
  View view;
  view.json = Json::array();
  for (const Part& part : parts_of(model)) {
    std::map<std::string, Ranking> best;  // of each label where they are features of it alone
    if (part.table->weights() > 0) view.text += std::string(part.name) + "\n";
    for_each_weight(*part.table, [&](const std::string& name, std::uint32_t cell, float weight) {
      const CellLabels labels = labels_of(model, part, cell);
      best.try_emplace(part.pairs ? "" : labels.label, n).first->second.offer(weight, [&] {
        const std::string arrow = part.pairs ? escaped(labels.before) + " -> " : std::string();
        RankedWeight made{{name, labels.before, labels.label},
                          {{"label", labels.label}},
                          fmt::format("{:<32} {}{}", escaped(name), arrow, escaped(labels.label))};
        if (!part.attribute.empty()) made.names[part.attribute] = name;
        if (part.pairs) made.names["before"] = labels.before;
        return made;
      });
    });
    Json largest = show_all(view, best, true);
    view.json.push_back({{"part", part.name},
                         {"largest", std::move(largest)},
                         {"smallest", show_all(view, best, false)}});
  }
  return view;
}

void write_weights(const SegmentModel& model, const WriteText& write) {
  LineWriter out(write);
  for (const Part& part : parts_of(model)) {
    const SortedNames names(*part.table);
    for (const std::uint32_t id : names.order()) {
      const WeightRow row = part.table->row(id);
      std::vector<std::pair<CellLabels, float>> cells;
      for (std::size_t k = 0; k < row.size(); ++k) {
        cells.emplace_back(labels_of(model, part, row.cell(k)), row.weight(k));
      }
      std::ranges::sort(cells);
      for (const auto& [labels, weight] : cells) {
        out << part.name;
        if (!part.attribute.empty()) out << "\t" << escaped(names.name(id));
        if (part.pairs) out << "\t" << escaped(labels.before);
        out.line("\t{}\t{}", escaped(labels.label), weight);
      }
    }
  }
  out.finish();
}

}  // namespace croft
