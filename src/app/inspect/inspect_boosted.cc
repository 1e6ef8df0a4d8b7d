#include "app/inspect/inspect_boosted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_parts.h"
#include "app/inspect/weights.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

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

std::string test_text(const TreeModelView& model, const TreeNode& node) {
  const std::string name = model.attribute(node.attribute);
  if (std::isinf(node.threshold) && node.threshold < 0) return "without " + name;
  return fmt::format("{} <= {}{}", name, node.threshold,
                     node.absent_left != 0 ? ", or without it" : "");
}

std::string values_text(const TreeModelView& view, std::uint32_t output, std::size_t at) {
  const std::span<const float> values = view.trees().values();
  if (output != kAllOutputs) return fmt::format("{:+.4f}", values[at]);
  std::string text;
  const SequenceModel& model = view.model();
  for (Label y = 0; y < model.labels(); ++y) {
    text +=
        fmt::format("{}{} {:+.4f}", y == 0 ? "" : ", ", escaped(model.label(y)), values[at + y]);
  }
  return text;
}

std::string tree_text(const TreeModelView& model, std::size_t tree) {
  const TreeRoot& root = model.trees().roots()[tree];
  const bool of_spans = model.is_of_segments(root.output);
  std::string out = fmt::format("tree {} of {}\n", tree, model.output(root.output));
  for (const TreeView::Item& item : TreeView(model.trees(), tree).items) {
    out += std::string(2 + 2 * item.depth, ' ');
    if (item.at < 0) {
      out += values_text(model, root.output, static_cast<std::size_t>(~item.at)) + "\n";
      continue;
    }
    const TreeNode& node = model.trees().nodes()[static_cast<std::size_t>(item.at)];
    out += fmt::format("{}?  (gain {:.2f}, {} {})\n", test_text(model, node), node.gain, node.count,
                       of_spans ? "inputs" : "positions");
  }
  return out;
}

// The first n trees, and the first n of segments.
std::vector<std::size_t> first_trees(const TreeModelView& model, std::size_t n) {
  std::vector<std::size_t> chosen;
  std::size_t of_positions = 0, of_segments = 0;
  for (std::size_t k = 0; k < model.trees().trees(); ++k) {
    const bool spans = model.is_of_segments(model.trees().roots()[k].output);
    if ((spans ? of_segments : of_positions)++ < n) chosen.push_back(k);
  }
  return chosen;
}

Ranking strongest_transitions(const TreeModelView& model, std::size_t n) {
  Ranking best(n);
  const auto labels = static_cast<Label>(model.neighbours().size());
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      const double score = model.transitions()->at(i, j);
      if (!std::isfinite(score)) continue;  // two that cannot be told from one
      best.offer(score, [&] {
        return of_pair(cell_order("", i * labels + j), model.neighbours()[i],
                       model.neighbours()[j]);
      });
    }
  }
  return best;
}

}  // namespace

TreeModelView::TreeModelView(const BoostedModel& model)
    : model_(&model), scorer_(&model.scorer()), rounds_(model.rounds()), segments_(false) {
  if (model.labels_are_independent()) return;
  transitions_ = &model.transitions<double>();
  for (Label y = 0; y < model.labels(); ++y) neighbours_.push_back(model.label(y));
}

TreeModelView::TreeModelView(const BoostedSegmentModel& model)
    : model_(&model),
      scorer_(&model.scorer()),
      transitions_(&model.segment_transitions<double>()),
      rounds_(model.rounds()),
      segments_(true),
      neighbours_(model.segment_labels().names) {}

std::string TreeModelView::output(std::uint32_t output) const {
  if (output == kAllOutputs) return "all labels";
  const std::size_t labels = model_->labels();
  if (output < labels) return escaped(model_->label(output));
  const std::size_t pair = output - labels;
  if (segments_) return "segments " + escaped(neighbours_[pair]);
  return escaped(neighbours_[pair / labels]) + " -> " + escaped(neighbours_[pair % labels]);
}

std::string TreeModelView::attribute(std::uint32_t id) const {
  return (scorer_->is_of_spans(id) ? "segment " : "") + escaped(scorer_->attribute(id));
}

View summary_of(const TreeModelView& model) {
  const auto* const segments = as<SegmentModel>(model.model());
  const bool pairs = model.trees().has_pairs();
  View view = begin_summary(model.model(), true);
  view.fact("rounds", model.rounds());
  view.fact("trees", model.trees().trees(),
            fmt::format(", with {} tests{}", model.trees().nodes().size(),
                        !pairs                ? ""
                        : segments != nullptr ? "; some of segments"
                                              : "; some of pairs of labels"));
  view.json["tests"] = model.trees().nodes().size();
  view.json["pair_trees"] = segments == nullptr && pairs;
  view.fact("attributes", model.scorer().attributes(), " that are tested");
  add_calibration(model.model(), view);
  add_format(view);
  add_kit(model.model(), view);
  if (segments != nullptr) add_segments(*segments, view);
  end_summary(model.model(), view);
  return view;
}

std::vector<AttributeImportance> importances(const TreeModelView& model) {
  std::vector<AttributeImportance> all(model.scorer().attributes());
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

View top_of(const TreeModelView& model, std::size_t n) {
  View view;
  Json& importance = view.json["importance"] = Json::array();
  view.text = fmt::format("{:>12}  {:>8}  attribute\n", "gain", "tests");
  for (const AttributeImportance& each : importances(model)) {
    if (importance.size() == n) break;
    view.text += fmt::format("{:>12.2f}  {:>8}  {}\n", each.gain, each.count,
                             model.attribute(each.attribute));
    Json& one = importance.emplace_back({{"attribute", model.scorer().attribute(each.attribute)},
                                         {"gain", each.gain},
                                         {"count", each.count}});
    if (model.scorer().is_of_spans(each.attribute)) one["of"] = "segments";
  }
  const Ranking transitions = strongest_transitions(model, n);
  for (const bool largest : {true, false}) {
    const RankedWeights found = largest ? transitions.largest() : transitions.smallest();
    if (!found.empty())
      view.text += largest ? "\ntransitions in favour\n" : "\ntransitions against\n";
    view.json["transitions"][largest ? "largest" : "smallest"] =
        show(view, found, "{:>12.4f}  {}\n");
  }
  view.json["trees"] = Json::array();
  for (const std::size_t k : first_trees(model, n)) {
    const std::string text = tree_text(model, k);
    view.text += "\n" + text;
    view.json["trees"].push_back(text);
  }
  return view;
}

void write_weights(const TreeModelView& view, const WriteText& write) {
  const SequenceModel& model = view.model();
  LineWriter out(write);
  for (Label y = 0; y < model.labels(); ++y) {
    out.line("base\t{}\t{}", escaped(model.label(y)), view.scorer().base()[y]);
  }
  const std::vector<std::string>& neighbours = view.neighbours();
  for (Label i = 0; i < neighbours.size(); ++i) {
    for (Label j = 0; j < neighbours.size(); ++j) {
      out.line("transition\t{}\t{}\t{}", escaped(neighbours[i]), escaped(neighbours[j]),
               view.transitions()->at(i, j));
    }
  }
  const TreeEnsemble& trees = view.trees();
  for (std::size_t k = 0; k < trees.trees(); ++k) {
    const TreeView shape(trees, k);
    const std::uint32_t output = trees.roots()[k].output;
    const std::string name = view.output(output);
    for (const TreeView::Item& item : shape.items) {
      if (item.at < 0) {
        out << fmt::format("leaf\t{}\t{}\t{}", k, name, shape.name(item.at));
        const std::size_t width = output == kAllOutputs ? model.labels() : 1;
        for (std::size_t y = 0; y < width; ++y) {
          out << fmt::format("\t{}", trees.values()[static_cast<std::size_t>(~item.at) + y]);
        }
      } else {
        const TreeNode& node = trees.nodes()[static_cast<std::size_t>(item.at)];
        out << fmt::format("test\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", k, name,
                           shape.name(item.at), view.attribute(node.attribute), node.threshold,
                           node.absent_left != 0 ? "left" : "right", shape.name(node.left),
                           shape.name(node.right), node.gain, node.count);
      }
      out.end_line();
    }
  }
  out.finish();
}

}  // namespace croft
