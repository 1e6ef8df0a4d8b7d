#include "croft/app/inspect_boosted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/inspect_calibration.h"
#include "app/inspect_kit.h"
#include "app/inspect_tables.h"
#include "croft/app/inspect.h"

namespace croft {
namespace {

using nlohmann::json;

// Nodes are numbered from 0 and leaves with a minus from -1, both in the order in which they are
// met, left before right.
struct TreeView {
  struct Item {
    std::int32_t at = 0;  // as the file has it
    std::size_t depth = 0;
    std::size_t number = 0;  // of its sort, from 0
  };
  std::vector<Item> items;  // a node, then what is left of it, then what is right

  TreeView(const TreeEnsemble& trees, std::size_t tree) {
    std::vector<Item> open{{trees.roots()[tree].root, 0, 0}};
    std::size_t nodes = 0, leaves = 0;
    while (!open.empty()) {
      Item item = open.back();
      open.pop_back();
      item.number = item.at >= 0 ? nodes++ : leaves++;
      items.push_back(item);
      if (item.at < 0) continue;
      const TreeNode& node = trees.nodes()[static_cast<std::size_t>(item.at)];
      open.push_back({node.right, item.depth + 1, 0});
      open.push_back({node.left, item.depth + 1, 0});
    }
  }
  // -1 - number of a leaf, or the number of a node.
  std::int64_t name(std::int32_t at) const {
    const auto found = std::ranges::find(items, at, &Item::at);
    const auto number = static_cast<std::int64_t>(found->number);
    return at >= 0 ? number : -1 - number;
  }
};

std::string output_name(const BoostedModel& model, std::uint32_t output) {
  if (output == kAllOutputs) return "all labels";
  const std::size_t labels = model.labels();
  if (output < labels) return escaped(model.label(output));
  const std::size_t pair = output - labels;
  return escaped(model.label(static_cast<Label>(pair / labels))) + " -> " +
         escaped(model.label(static_cast<Label>(pair % labels)));
}

std::string test_text(const BoostedModel& model, const TreeNode& node) {
  const std::string name = escaped(model.attribute(node.attribute));
  if (std::isinf(node.threshold) && node.threshold < 0) return "without " + name;
  return fmt::format("{} <= {}{}", name, node.threshold,
                     node.absent_left != 0 ? ", or without it" : "");
}

std::string values_text(const BoostedModel& model, std::uint32_t output, std::size_t at) {
  const std::span<const float> values = model.trees().values();
  if (output != kAllOutputs) return fmt::format("{:+.4f}", values[at]);
  std::string text;
  for (Label y = 0; y < model.labels(); ++y) {
    text +=
        fmt::format("{}{} {:+.4f}", y == 0 ? "" : ", ", escaped(model.label(y)), values[at + y]);
  }
  return text;
}

std::string tree_text(const BoostedModel& model, std::size_t tree) {
  const TreeRoot& root = model.trees().roots()[tree];
  std::string out = fmt::format("tree {} of {}\n", tree, output_name(model, root.output));
  for (const TreeView::Item& item : TreeView(model.trees(), tree).items) {
    out += std::string(2 + 2 * item.depth, ' ');
    if (item.at < 0) {
      out += values_text(model, root.output, static_cast<std::size_t>(~item.at)) + "\n";
      continue;
    }
    const TreeNode& node = model.trees().nodes()[static_cast<std::size_t>(item.at)];
    out += fmt::format("{}?  (gain {:.2f}, {} positions)\n", test_text(model, node), node.gain,
                       node.count);
  }
  return out;
}

struct Transition {
  Label from, to;
  double score;
};
std::vector<Transition> extreme_transitions(const BoostedModel& model, bool largest,
                                            std::size_t n) {
  std::vector<Transition> all;
  if (model.labels_are_independent()) return all;
  for (Label i = 0; i < model.labels(); ++i) {
    for (Label j = 0; j < model.labels(); ++j) {
      const double score = model.transitions<double>().at(i, j);
      if (largest ? score > 0 : score < 0) all.push_back({i, j, score});
    }
  }
  std::ranges::stable_sort(all, [&](const Transition& a, const Transition& b) {
    return largest ? a.score > b.score : a.score < b.score;
  });
  all.resize(std::min(n, all.size()));
  return all;
}

json transitions_json(const BoostedModel& model, bool largest, std::size_t n) {
  json out = json::array();
  for (const Transition& each : extreme_transitions(model, largest, n)) {
    out.push_back(
        {{"from", model.label(each.from)}, {"to", model.label(each.to)}, {"weight", each.score}});
  }
  return out;
}

}  // namespace

json summary_json(const BoostedModel& model) {
  json labels = json::array();
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  json document = {{"kind", model.kind()},
                   {"file_bytes", model.container().file_size()},
                   {"labels", std::move(labels)},
                   {"rounds", model.rounds()},
                   {"trees", model.trees().trees()},
                   {"tests", model.trees().nodes().size()},
                   {"attributes", model.attributes()},
                   {"pair_trees", model.trees().has_pairs()},
                   {"sections", sections_json(model.container())}};
  document["extraction"] = model.meta().value("extraction", json::object());
  add_kit(model, document);
  document["training"] = model.meta().value("training", json::object());
  add_calibration(model, document);
  return document;
}

std::string format_summary(const BoostedModel& model) {
  const json document = summary_json(model);
  std::string out = fmt::format("model         {}\n", escaped(model.container().name()));
  out += fmt::format("kind          {}\n", model.kind());
  out += fmt::format("file size     {} bytes\n", model.container().file_size());
  out += fmt::format("labels        {}\n", model.labels());
  for (Label y = 0; y < model.labels(); ++y) out += "  " + escaped(model.label(y)) + "\n";
  out += fmt::format("rounds        {}\n", model.rounds());
  out += fmt::format("trees         {}, with {} tests{}\n", model.trees().trees(),
                     model.trees().nodes().size(),
                     model.trees().has_pairs() ? "; some of pairs of labels" : "");
  out += fmt::format("attributes    {} that are tested\n", model.attributes());
  out += calibration_lines(model);
  out +=
      fmt::format("format        {}\n", readable(document["extraction"].value("format", json())));
  out += kit_lines(model);
  append_fields(out, "training record", document["training"]);
  append_sections(out, model.container());
  return out;
}

std::vector<AttributeImportance> importances(const BoostedModel& model) {
  std::vector<AttributeImportance> all(model.attributes());
  std::vector<std::string> names;
  for (std::uint32_t a = 0; a < all.size(); ++a) {
    all[a].attribute = a;
    names.push_back(model.attribute(a));
  }
  for (const TreeNode& node : model.trees().nodes()) {
    if (node.attribute >= all.size()) continue;  // of no tree
    all[node.attribute].gain += double{node.gain};
    ++all[node.attribute].count;
  }
  std::ranges::sort(all, [&](const AttributeImportance& a, const AttributeImportance& b) {
    return a.gain != b.gain ? a.gain > b.gain : names[a.attribute] < names[b.attribute];
  });
  return all;
}

json top_json(const BoostedModel& model, std::size_t n) {
  json importance = json::array(), trees = json::array();
  for (const AttributeImportance& each : importances(model)) {
    if (importance.size() == n) break;
    importance.push_back({{"attribute", model.attribute(each.attribute)},
                          {"gain", each.gain},
                          {"count", each.count}});
  }
  for (std::size_t k = 0; k < std::min(n, model.trees().trees()); ++k) {
    trees.push_back(tree_text(model, k));
  }
  return {{"importance", std::move(importance)},
          {"trees", std::move(trees)},
          {"transitions",
           {{"largest", transitions_json(model, true, n)},
            {"smallest", transitions_json(model, false, n)}}}};
}

std::string format_top(const BoostedModel& model, std::size_t n) {
  std::string out = fmt::format("{:>12}  {:>8}  attribute\n", "gain", "tests");
  const std::vector<AttributeImportance> all = importances(model);
  for (std::size_t k = 0; k < std::min(n, all.size()); ++k) {
    out += fmt::format("{:>12.2f}  {:>8}  {}\n", all[k].gain, all[k].count,
                       escaped(model.attribute(all[k].attribute)));
  }
  for (const bool largest : {true, false}) {
    const std::vector<Transition> found = extreme_transitions(model, largest, n);
    if (!found.empty()) out += largest ? "\ntransitions in favour\n" : "\ntransitions against\n";
    for (const Transition& each : found) {
      out += fmt::format("{:>12.4f}  {} -> {}\n", each.score, escaped(model.label(each.from)),
                         escaped(model.label(each.to)));
    }
  }
  for (std::size_t k = 0; k < std::min(n, model.trees().trees()); ++k) {
    out += "\n" + tree_text(model, k);
  }
  return out;
}

void write_weights(const BoostedModel& model, const std::function<void(std::string_view)>& write) {
  constexpr std::size_t kChunk = 1 << 16;  // bytes
  std::string out;
  const auto end_line = [&] {
    out += '\n';
    if (out.size() < kChunk) return;
    write(out);
    out.clear();
  };
  for (Label y = 0; y < model.labels(); ++y) {
    out += fmt::format("base\t{}\t{}", escaped(model.label(y)), model.base()[y]);
    end_line();
  }
  for (Label i = 0; i < model.labels() && !model.labels_are_independent(); ++i) {
    for (Label j = 0; j < model.labels(); ++j) {
      out += fmt::format("transition\t{}\t{}\t{}", escaped(model.label(i)), escaped(model.label(j)),
                         model.transitions<double>().at(i, j));
      end_line();
    }
  }
  const TreeEnsemble& trees = model.trees();
  for (std::size_t k = 0; k < trees.trees(); ++k) {
    const TreeView view(trees, k);
    const std::uint32_t output = trees.roots()[k].output;
    const std::string name = output_name(model, output);
    for (const TreeView::Item& item : view.items) {
      if (item.at < 0) {
        out += fmt::format("leaf\t{}\t{}\t{}", k, name, view.name(item.at));
        const std::size_t width = output == kAllOutputs ? model.labels() : 1;
        for (std::size_t y = 0; y < width; ++y) {
          out += fmt::format("\t{}", trees.values()[static_cast<std::size_t>(~item.at) + y]);
        }
      } else {
        const TreeNode& node = trees.nodes()[static_cast<std::size_t>(item.at)];
        out += fmt::format("test\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", k, name,
                           view.name(item.at), escaped(model.attribute(node.attribute)),
                           node.threshold, node.absent_left != 0 ? "left" : "right",
                           view.name(node.left), view.name(node.right), node.gain, node.count);
      }
      end_line();
    }
  }
  if (!out.empty()) write(out);
}

}  // namespace croft
