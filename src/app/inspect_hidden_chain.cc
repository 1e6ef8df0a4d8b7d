#include "croft/app/inspect_hidden_chain.h"

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

struct StateWeight {
  std::string attribute;
  std::uint32_t cell;
  float weight;
};

// In the order of the attributes' bytes, then of the cells.
std::vector<StateWeight> weights_of(const FeatureTable& table) {
  std::vector<StateWeight> all;
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    const WeightRow row = table.row(id);
    if (row.size() == 0) continue;
    const std::string name = table.name(id);
    for (std::size_t k = 0; k < row.size(); ++k) all.push_back({name, row.cell(k), row.weight(k)});
  }
  std::ranges::sort(all, [](const StateWeight& a, const StateWeight& b) {
    return std::tie(a.attribute, a.cell) < std::tie(b.attribute, b.cell);
  });
  return all;
}

// The n with the largest sign * weight > 0.
std::vector<StateWeight> strongest(std::vector<StateWeight> weights, float sign, std::size_t n) {
  std::erase_if(weights, [&](const StateWeight& w) { return !(sign * w.weight > 0); });
  std::ranges::stable_sort(weights, std::ranges::greater{},
                           [&](const StateWeight& w) { return sign * w.weight; });
  if (weights.size() > n) weights.resize(n);
  return weights;
}

// Of each state its node weights.
std::vector<std::vector<StateWeight>> by_state(const HiddenChainModel& model) {
  std::vector<std::vector<StateWeight>> all(model.states()->size());
  for (StateWeight& each : weights_of(model.node())) {
    if (each.cell < all.size()) all[each.cell].push_back(std::move(each));
  }
  return all;
}

std::pair<Label, Label> pair_of(const HiddenChainModel& model, std::uint32_t cell) {
  const auto states = static_cast<std::uint32_t>(model.states()->size());
  return {cell / states, cell % states};
}

bool is_pair(const HiddenChainModel& model, std::uint32_t cell) {
  return cell < model.states()->size() * model.states()->size();
}

std::vector<StateWeight> transitions_of(const HiddenChainModel& model) {
  std::vector<StateWeight> all = weights_of(model.tied());
  std::erase_if(all, [&](const StateWeight& w) { return !is_pair(model, w.cell); });
  return all;
}

}  // namespace

json summary_json(const HiddenChainModel& model) {
  json labels = json::array(), states = json::array();
  for (Label y = 0; y < model.labels(); ++y) {
    labels.push_back(model.label(y));
    states.push_back(model.states()->count(y));
  }
  const auto sizes = [](const FeatureTable& table) {
    return json{{"attributes", table.size()}, {"weights", table.weights()}};
  };
  json document = {{"kind", model.kind()},
                   {"file_bytes", model.container().file_size()},
                   {"labels", std::move(labels)},
                   {"states", std::move(states)},
                   {"transitions", sizes(model.tied())},
                   {"node", sizes(model.node())},
                   {"edge", sizes(model.edge())},
                   {"constraint", model.constraint().has_value()},
                   {"sections", sections_json(model.container())}};
  document["extraction"] = model.meta().value("extraction", json::object());
  add_kit(model, document);
  document["training"] = model.meta().value("training", json::object());
  return document;
}

std::string format_summary(const HiddenChainModel& model) {
  std::string out = fmt::format("model         {}\n", escaped(model.container().name()));
  out += fmt::format("kind          {}\n", model.kind());
  out += fmt::format("file size     {} bytes\n", model.container().file_size());
  out += fmt::format("labels        {}\n", model.labels());
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
  append_fields(out, "training record", model.meta().value("training", json::object()));
  append_sections(out, model.container());
  return out;
}

json top_json(const HiddenChainModel& model, std::size_t n) {
  const auto list = [&](const std::vector<StateWeight>& weights) {
    json out = json::array();
    for (const StateWeight& w : weights) {
      out.push_back({{"attribute", w.attribute}, {"weight", w.weight}});
    }
    return out;
  };
  const auto pairs = [&](const std::vector<StateWeight>& weights) {
    json out = json::array();
    for (const StateWeight& w : weights) {
      const auto [from, to] = pair_of(model, w.cell);
      out.push_back(
          {{"from", model.state_name(from)}, {"to", model.state_name(to)}, {"weight", w.weight}});
    }
    return out;
  };
  const auto all = by_state(model);
  json states = json::array();
  for (Label s = 0; s < all.size(); ++s) {
    states.push_back({{"state", model.state_name(s)},
                      {"label", model.label(model.states()->label_of[s])},
                      {"largest", list(strongest(all[s], 1, n))},
                      {"smallest", list(strongest(all[s], -1, n))}});
  }
  const auto transitions = transitions_of(model);
  return {{"states", std::move(states)},
          {"transitions",
           {{"largest", pairs(strongest(transitions, 1, n))},
            {"smallest", pairs(strongest(transitions, -1, n))}}}};
}

std::string format_top(const HiddenChainModel& model, std::size_t n) {
  const auto all = by_state(model);
  std::string out;
  for (Label s = 0; s < all.size(); ++s) {
    out += escaped(model.state_name(s)) + "\n";
    for (const float sign : {1.0f, -1.0f}) {
      for (const StateWeight& w : strongest(all[s], sign, n)) {
        out += fmt::format("  {:>10.5f}  {}\n", w.weight, escaped(w.attribute));
      }
    }
  }
  out += "transitions\n";
  const auto transitions = transitions_of(model);
  for (const float sign : {1.0f, -1.0f}) {
    for (const StateWeight& w : strongest(transitions, sign, n)) {
      const auto [from, to] = pair_of(model, w.cell);
      out += fmt::format("  {:>10.5f}  {} -> {}\n", w.weight, escaped(model.state_name(from)),
                         escaped(model.state_name(to)));
    }
  }
  return out;
}

void write_weights(const HiddenChainModel& model,
                   const std::function<void(std::string_view)>& write) {
  std::string lines;
  const auto flush = [&](std::size_t above) {
    if (lines.size() <= above) return;
    write(lines);
    lines.clear();
  };
  const auto add_pairs = [&](std::string_view kind, const FeatureTable& table) {
    for (const StateWeight& w : weights_of(table)) {
      if (!is_pair(model, w.cell)) continue;
      const auto [from, to] = pair_of(model, w.cell);
      lines +=
          fmt::format("{}\t{}\t{}\t{}\t{}\n", kind, escaped(w.attribute),
                      escaped(model.state_name(from)), escaped(model.state_name(to)), w.weight);
      flush(1 << 16);
    }
  };
  add_pairs("transition", model.tied());
  for (const StateWeight& w : weights_of(model.node())) {
    if (w.cell >= model.states()->size()) continue;
    lines += fmt::format("node\t{}\t{}\t{}\n", escaped(w.attribute),
                         escaped(model.state_name(w.cell)), w.weight);
    flush(1 << 16);
  }
  add_pairs("edge", model.edge());
  flush(0);
}

}  // namespace croft
