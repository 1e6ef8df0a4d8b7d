#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_parts.h"
#include "app/inspect/weights.h"
#include "model/kinds/joint_model.h"

namespace croft {

View summary_of(const JointModel& model) {
  View view = begin_summary(model, false);
  view.fact("attributes", model.table().size());
  view.fact("weights", model.table().weights());
  add_calibration(model, view);
  std::vector<View::Row> rows;
  for (std::size_t b = 0; b < model.parts().size(); ++b) {
    rows.push_back({model.templates().part_text(b), model.parts()[b].groups.count});
  }
  view.table("parts", {{"part", "part of y", "{:<48}"}, {"groups", "groups", "{:>8}"}}, rows);
  view.text += "\njoint templates\n";
  view.lines(model.templates().text());
  view.json["joint_template"] = model.templates().text();
  end_summary(model, view);
  return view;
}

View top_of(const JointModel& model, std::size_t n) {
  std::vector<Ranking> parts(model.parts().size(), Ranking(n));
  for_each_weight(model.table(), [&](const std::string& name, std::uint32_t cell, float weight) {
    parts[model.parts().part_of(cell)].offer(weight, [&] {
      const std::string attribute = JointTemplates::plain_string(name);
      const std::string& group = model.group_name(cell);
      return RankedWeight{cell_order(attribute, cell),
                          {{"attribute", attribute}, {"group", group}},
                          fmt::format("{:<24} {}", escaped(attribute), escaped(group))};
    });
  });
  View view;
  view.json = Json::array();
  for (std::size_t b = 0; b < parts.size(); ++b) {
    const std::string part(model.templates().part_text(b));
    view.text += escaped(part) + "\n";
    view.json.emplace_back(show(view, parts[b]))["part"] = part;
  }
  return view;
}

void write_weights(const JointModel& model, const WriteText& write) {
  struct Weight {
    std::size_t part;
    std::string attribute;
    std::uint32_t cell;
    float weight;
  };
  std::vector<Weight> all;
  for_each_weight(model.table(), [&](const std::string& name, std::uint32_t cell, float weight) {
    all.push_back({model.parts().part_of(cell), JointTemplates::plain_string(name), cell, weight});
  });
  std::ranges::sort(all, [](const Weight& a, const Weight& b) {
    return std::tie(a.part, a.attribute, a.cell) < std::tie(b.part, b.attribute, b.cell);
  });
  LineWriter out(write);
  for (const Weight& w : all) {
    out.line("joint\t{}\t{}\t{}\t{}", escaped(model.templates().part_text(w.part)),
             escaped(w.attribute), escaped(model.group_name(w.cell)), w.weight);
  }
  out.finish();
}

}  // namespace croft
