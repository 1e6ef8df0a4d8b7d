#include <fmt/format.h>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_parts.h"
#include "app/inspect/weights.h"
#include "core/words/counted.h"
#include "model/kinds/hidden_chain_model.h"

namespace croft {

View summary_of(const HiddenChainModel& model) {
  View view = begin_summary(model, false);
  view.line("states", fmt::format("{}", model.states().size()));
  view.json["constraint"] = model.constraint().has_value();
  if (model.constraint()) {
    view.line("constraint", "the labellings that it is normalised over");
  }
  const auto sizes = [&](const char* key, const FeatureTable& table) {
    view.json[key] = {{"attributes", table.size()}, {"weights", table.weights()}};
    return fmt::format("{} of {}", table.weights(), counted(table.size(), "attribute"));
  };
  sizes("transitions", model.tied());
  view.line("transitions", fmt::format("{}", model.tied().weights()));
  view.line("node weights", sizes("node", model.node()));
  const std::string edge = sizes("edge", model.edge());
  if (model.edge().size() > 0) view.line("edge weights", edge);
  add_kit(model, view);
  std::vector<View::Row> rows;
  for (Label y = 0; y < model.labels(); ++y) {
    rows.push_back({model.label(y), model.states().count(y)});
  }
  view.table("", {{"labels", "label", "{:<32}"}, {"states", "states", "{:>8}"}}, rows);
  end_summary(model, view);
  return view;
}

View top_of(const HiddenChainModel& model, std::size_t n) {
  const std::size_t count = model.states().size();
  std::vector<Ranking> states(count, Ranking(n));
  for_each_weight(model.node(), [&](const std::string& name, std::uint32_t s, float weight) {
    states[s].offer(weight, [&] { return of_name("attribute", name); });
  });
  Ranking transitions(n);
  for_each_weight(model.tied(), [&](const std::string& name, std::uint32_t cell, float weight) {
    transitions.offer(weight, [&] {
      return of_pair(cell_order(name, cell), model.state_name(static_cast<Label>(cell / count)),
                     model.state_name(static_cast<Label>(cell % count)));
    });
  });
  View view;
  view.json["states"] = Json::array();
  for (Label s = 0; s < count; ++s) {
    view.text += escaped(model.state_name(s)) + "\n";
    Json& state = view.json["states"].emplace_back(show(view, states[s]));
    state["state"] = model.state_name(s);
    state["label"] = model.label(model.states().label_of[s]);
  }
  view.text += "transitions\n";
  view.json["transitions"] = show(view, transitions);
  return view;
}

void write_weights(const HiddenChainModel& model, const WriteText& write) {
  std::vector<std::string> states;
  for (Label s = 0; s < model.states().size(); ++s) states.push_back(escaped(model.state_name(s)));
  LineWriter out(write);
  write_chain(model.tied(), model.node(), model.edge(), states, out);
  out.finish();
}

}  // namespace croft
