#include <fmt/format.h>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_parts.h"
#include "app/inspect/weights.h"
#include "app/kinds.h"
#include "model/kinds/mixture_model.h"

namespace croft {

View summary_of(const MixtureModel& model) {
  View view = begin_summary(model, false);
  add_calibration(model, view);
  std::vector<View::Row> rows;
  for (std::size_t k = 0; k < model.components().size(); ++k) {
    rows.push_back({k + 1, model.components()[k].kind(), model.weights()[k]});
  }
  view.table("components",
             {{"number", "component", "{:<12}"},
              {"kind", "kind", "{:<16}"},
              {"weight", "weight", "{:>10.6f}"}},
             rows);
  end_summary(model, view);
  return view;
}

View top_of(const MixtureModel& model, std::size_t n) {
  View view;
  view.json = Json::array();
  for (std::size_t k = 0; k < model.components().size(); ++k) {
    const SequenceModel& component = model.components()[k];
    const View own = kind_of(component).top(component, n);
    view.text += fmt::format("component {}: {}, weight {:.6f}\n", k + 1, component.kind(),
                             model.weights()[k]) +
                 own.text;
    Json& entry = view.json.emplace_back(Json::object());
    entry["component"] = k + 1;
    entry["top"] = own.json;
  }
  return view;
}

void write_weights(const MixtureModel& model, const WriteText& write) {
  LineWriter out(write);
  for (std::size_t k = 0; k < model.components().size(); ++k) {
    out.line("mixture\t{}\t{}\t{}", k + 1, model.components()[k].kind(), model.weights()[k]);
  }
  out.finish();
}

}  // namespace croft
