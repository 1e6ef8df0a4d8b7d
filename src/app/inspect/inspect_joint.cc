#include "app/inspect/inspect_joint.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_calibration.h"
#include "app/inspect/inspect_tables.h"
#include "core/json.h"

namespace croft {
namespace {

struct JointWeight {
  float weight;
  std::string attribute;
  std::uint32_t cell;
};

// By part of y.
std::vector<std::vector<JointWeight>> weights_of(const JointModel& model) {
  std::vector<std::vector<JointWeight>> all(model.parts().size());
  for (std::uint32_t id = 0; id < model.table().size(); ++id) {
    const WeightRow row = model.table().row(id);
    if (row.size() == 0) continue;
    const std::string name = JointTemplates::plain_string(model.table().name(id));
    for (std::size_t k = 0; k < row.size(); ++k) {
      all[model.parts().part_of(row.cell(k))].push_back({row.weight(k), name, row.cell(k)});
    }
  }
  for (auto& of_part : all) {
    std::ranges::sort(of_part, [](const JointWeight& a, const JointWeight& b) {
      return std::tie(a.attribute, a.cell) < std::tie(b.attribute, b.cell);
    });
  }
  return all;
}

// The n with the largest sign * weight > 0.
std::vector<JointWeight> strongest(std::vector<JointWeight> weights, float sign, std::size_t n) {
  std::erase_if(weights, [&](const JointWeight& w) { return !(sign * w.weight > 0); });
  std::ranges::stable_sort(weights, std::ranges::greater{},
                           [&](const JointWeight& w) { return sign * w.weight; });
  if (weights.size() > n) weights.resize(n);
  return weights;
}

Json to_json(const JointModel& model, const std::vector<JointWeight>& weights) {
  Json list = Json::array();
  for (const JointWeight& w : weights) {
    list.push_back(
        {{"attribute", w.attribute}, {"group", model.group_name(w.cell)}, {"weight", w.weight}});
  }
  return list;
}

}  // namespace

Json summary_json(const JointModel& model) {
  Json labels = Json::array(), parts = Json::array();
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  for (std::size_t b = 0; b < model.parts().size(); ++b) {
    parts.push_back(
        {{"part", model.templates().part_text(b)}, {"groups", model.parts()[b].groups.count}});
  }
  Json document = {{"kind", model.kind()},
                   {"file_bytes", model.container().file_size()},
                   {"labels", std::move(labels)},
                   {"parts", std::move(parts)},
                   {"joint_template", model.templates().text()},
                   {"attributes", model.table().size()},
                   {"weights", model.table().weights()},
                   {"sections", sections_json(model.container())}};
  document["extraction"] = model.meta().value("extraction", Json::object());
  document["training"] = model.meta().value("training", Json::object());
  add_calibration(model, document);
  return document;
}

std::string format_summary(const JointModel& model) {
  std::string out = summary_head(model.container(), model.kind(), model.labels());
  out += fmt::format("attributes    {}\n", model.table().size());
  out += fmt::format("weights       {}\n", model.table().weights());
  out += calibration_lines(model);
  out += fmt::format("\n{:<48}{:>8}\n", "part of y", "groups");
  for (std::size_t b = 0; b < model.parts().size(); ++b) {
    out += fmt::format("{:<48}{:>8}\n", escaped(model.templates().part_text(b)),
                       model.parts()[b].groups.count);
  }
  out += "\njoint templates\n";
  std::string_view text = model.templates().text();
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += "  " + escaped(text.substr(0, end)) + "\n";
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  append_fields(out, "training record", model.meta().value("training", Json::object()));
  append_sections(out, model.container());
  return out;
}

Json top_json(const JointModel& model, std::size_t n) {
  const auto all = weights_of(model);
  Json document = Json::array();
  for (std::size_t b = 0; b < all.size(); ++b) {
    document.push_back({{"part", model.templates().part_text(b)},
                        {"largest", to_json(model, strongest(all[b], 1, n))},
                        {"smallest", to_json(model, strongest(all[b], -1, n))}});
  }
  return document;
}

std::string format_top(const JointModel& model, std::size_t n) {
  const auto all = weights_of(model);
  std::string out;
  for (std::size_t b = 0; b < all.size(); ++b) {
    out += escaped(model.templates().part_text(b)) + "\n";
    for (const float sign : {1.0f, -1.0f}) {
      for (const JointWeight& w : strongest(all[b], sign, n)) {
        out += fmt::format("  {:>10.5f}  {:<24} {}\n", w.weight, escaped(w.attribute),
                           escaped(model.group_name(w.cell)));
      }
    }
  }
  return out;
}

void write_weights(const JointModel& model, const std::function<void(std::string_view)>& write) {
  const auto all = weights_of(model);
  for (std::size_t b = 0; b < all.size(); ++b) {
    const std::string part = escaped(model.templates().part_text(b));
    std::string lines;
    for (const JointWeight& w : all[b]) {
      lines += fmt::format("joint\t{}\t{}\t{}\t{}\n", part, escaped(w.attribute),
                           escaped(model.group_name(w.cell)), w.weight);
      if (lines.size() < (1 << 16)) continue;
      write(lines);
      lines.clear();
    }
    if (!lines.empty()) write(lines);
  }
}

}  // namespace croft
