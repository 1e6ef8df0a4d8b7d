#include "app/inspect/inspect_hidden_chain.h"

#include <fmt/format.h>

#include <utility>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_cells.h"
#include "app/inspect/inspect_kit.h"
#include "app/inspect/inspect_tables.h"
#include "core/json.h"

namespace croft {
namespace {

std::size_t pairs(const HiddenChainModel& model) {
  return model.states()->size() * model.states()->size();
}

struct StatePair {
  std::string from, to;
};

StatePair pair_of(const HiddenChainModel& model, const CellWeight& weight) {
  const auto states = static_cast<std::uint32_t>(model.states()->size());
  return {model.state_name(weight.cell / states), model.state_name(weight.cell % states)};
}

}  // namespace

Json summary_json(const HiddenChainModel& model) {
  Json labels = Json::array(), states = Json::array();
  for (Label y = 0; y < model.labels(); ++y) {
    labels.push_back(model.label(y));
    states.push_back(model.states()->count(y));
  }
  const auto sizes = [](const FeatureTable& table) {
    return Json{{"attributes", table.size()}, {"weights", table.weights()}};
  };
  Json document = {{"kind", model.kind()},
                   {"file_bytes", model.container().file_size()},
                   {"labels", std::move(labels)},
                   {"states", std::move(states)},
                   {"transitions", sizes(model.tied())},
                   {"node", sizes(model.node())},
                   {"edge", sizes(model.edge())},
                   {"constraint", model.constraint().has_value()},
                   {"sections", sections_json(model.container())}};
  document["extraction"] = model.meta().value("extraction", Json::object());
  add_kit(model, document);
  document["training"] = model.meta().value("training", Json::object());
  return document;
}

std::string format_summary(const HiddenChainModel& model) {
  std::string out = summary_head(model.container(), model.kind(), model.labels());
  out += fmt::format("states        {}\n", model.states()->size());
  if (model.constraint()) out += "constraint    the labellings that it is normalised over\n";
  out += fmt::format("transitions   {}\n", model.tied().weights());
  out += fmt::format("node weights  {} of {} attributes\n", model.node().weights(),
                     model.node().size());
  if (model.edge().size() > 0) {
    out += fmt::format("edge weights  {} of {} attributes\n", model.edge().weights(),
                       model.edge().size());
  }
  out += kit_lines(model);
  out += fmt::format("\n{:<32}{:>8}\n", "label", "states");
  for (Label y = 0; y < model.labels(); ++y) {
    out += fmt::format("{:<32}{:>8}\n", escaped(model.label(y)), model.states()->count(y));
  }
  append_fields(out, "training record", model.meta().value("training", Json::object()));
  append_sections(out, model.container());
  return out;
}

Json top_json(const HiddenChainModel& model, std::size_t n) {
  const auto all = by_cell(model.node(), model.states()->size());
  Json states = Json::array();
  for (Label s = 0; s < all.size(); ++s) {
    Json state = strongest_json(all[s], n);
    state["state"] = model.state_name(s);
    state["label"] = model.label(model.states()->label_of[s]);
    states.push_back(std::move(state));
  }
  const auto transitions = cell_weights(model.tied(), pairs(model));
  const auto list = [&](float sign) {
    Json out = Json::array();
    for (const CellWeight& w : strongest(transitions, sign, n)) {
      const StatePair pair = pair_of(model, w);
      out.push_back({{"from", pair.from}, {"to", pair.to}, {"weight", w.weight}});
    }
    return out;
  };
  return {{"states", std::move(states)},
          {"transitions", {{"largest", list(1)}, {"smallest", list(-1)}}}};
}

std::string format_top(const HiddenChainModel& model, std::size_t n) {
  const auto all = by_cell(model.node(), model.states()->size());
  std::string out;
  for (Label s = 0; s < all.size(); ++s) {
    out += escaped(model.state_name(s)) + "\n";
    append_strongest(out, all[s], n, attribute_of);
  }
  out += "transitions\n";
  append_strongest(out, cell_weights(model.tied(), pairs(model)), n, [&](const CellWeight& w) {
    const StatePair pair = pair_of(model, w);
    return escaped(pair.from) + " -> " + escaped(pair.to);
  });
  return out;
}

void write_weights(const HiddenChainModel& model,
                   const std::function<void(std::string_view)>& write) {
  LinePieces lines(write);
  const auto add_pairs = [&](std::string_view kind, const FeatureTable& table) {
    for (const CellWeight& w : cell_weights(table, pairs(model))) {
      const StatePair pair = pair_of(model, w);
      lines.add(fmt::format("{}\t{}\t{}\t{}\t{}\n", kind, escaped(w.attribute), escaped(pair.from),
                            escaped(pair.to), w.weight));
    }
  };
  add_pairs("transition", model.tied());
  for (const CellWeight& w : cell_weights(model.node(), model.states()->size())) {
    lines.add(fmt::format("node\t{}\t{}\t{}\n", escaped(w.attribute),
                          escaped(model.state_name(w.cell)), w.weight));
  }
  add_pairs("edge", model.edge());
  lines.finish();
}

}  // namespace croft
