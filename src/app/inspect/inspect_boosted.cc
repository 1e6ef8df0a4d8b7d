#include "app/inspect/inspect_boosted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_calibration.h"
#include "app/inspect/inspect_kit.h"
#include "app/inspect/inspect_segment.h"
#include "app/inspect/inspect_tables.h"
#include "core/json.h"

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

struct Transition {
  Label from, to;
  double score;
};
std::vector<Transition> extreme_transitions(const TreeModelView& model, bool largest,
                                            std::size_t n) {
  std::vector<Transition> all;
  const std::size_t labels = model.neighbours().size();
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      const double score = model.transitions()->at(i, j);
      if (!std::isfinite(score)) continue;  // two that cannot be told from one
      if (largest ? score > 0 : score < 0) all.push_back({i, j, score});
    }
  }
  std::ranges::stable_sort(all, [&](const Transition& a, const Transition& b) {
    return largest ? a.score > b.score : a.score < b.score;
  });
  all.resize(std::min(n, all.size()));
  return all;
}

Json transitions_json(const TreeModelView& model, bool largest, std::size_t n) {
  Json out = Json::array();
  for (const Transition& each : extreme_transitions(model, largest, n)) {
    out.push_back({{"from", model.neighbours()[each.from]},
                   {"to", model.neighbours()[each.to]},
                   {"weight", each.score}});
  }
  return out;
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

Json summary_json(const TreeModelView& view) {
  const SequenceModel& model = view.model();
  Json labels = Json::array();
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  Json document = {{"kind", model.kind()},
                   {"file_bytes", model.container().file_size()},
                   {"labels", std::move(labels)},
                   {"rounds", view.rounds()},
                   {"trees", view.trees().trees()},
                   {"tests", view.trees().nodes().size()},
                   {"attributes", view.scorer().attributes()},
                   {"pair_trees", !model.segments() && view.trees().has_pairs()},
                   {"sections", sections_json(model.container())}};
  if (const SegmentModel* segments = model.segments()) {
    document["segments"] = segments->meta()["segments"]["labels"];
    document["segment_template"] = segments->templates().text();
    document["gazetteers"] = segments->lexicon().gazetteers();
  }
  document["extraction"] = model.meta().value("extraction", Json::object());
  add_kit(model, document);
  document["training"] = model.meta().value("training", Json::object());
  add_calibration(model, document);
  return document;
}

std::string format_summary(const TreeModelView& view) {
  const SequenceModel& model = view.model();
  const Json document = summary_json(view);
  std::string out = summary_head(model.container(), model.kind(), model.labels());
  for (Label y = 0; y < model.labels(); ++y) out += "  " + escaped(model.label(y)) + "\n";
  const SegmentModel* const segments = model.segments();
  out += fmt::format("rounds        {}\n", view.rounds());
  out += fmt::format("trees         {}, with {} tests{}\n", view.trees().trees(),
                     view.trees().nodes().size(),
                     !view.trees().has_pairs() ? ""
                     : segments != nullptr     ? "; some of segments"
                                               : "; some of pairs of labels");
  out += fmt::format("attributes    {} that are tested\n", view.scorer().attributes());
  out += calibration_lines(model);
  out +=
      fmt::format("format        {}\n", readable(document["extraction"].value("format", Json())));
  out += kit_lines(model);
  if (segments != nullptr) out += segment_lines(*segments);
  append_fields(out, "training record", document["training"]);
  append_sections(out, model.container());
  return out;
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

Json top_json(const TreeModelView& model, std::size_t n) {
  Json importance = Json::array(), trees = Json::array();
  for (const AttributeImportance& each : importances(model)) {
    if (importance.size() == n) break;
    Json& one =
        importance.emplace_back(Json{{"attribute", model.scorer().attribute(each.attribute)},
                                     {"gain", each.gain},
                                     {"count", each.count}});
    if (model.scorer().is_of_spans(each.attribute)) one["of"] = "segments";
  }
  for (const std::size_t k : first_trees(model, n)) trees.push_back(tree_text(model, k));
  return {{"importance", std::move(importance)},
          {"trees", std::move(trees)},
          {"transitions",
           {{"largest", transitions_json(model, true, n)},
            {"smallest", transitions_json(model, false, n)}}}};
}

std::string format_top(const TreeModelView& model, std::size_t n) {
  std::string out = fmt::format("{:>12}  {:>8}  attribute\n", "gain", "tests");
  const std::vector<AttributeImportance> all = importances(model);
  for (std::size_t k = 0; k < std::min(n, all.size()); ++k) {
    out += fmt::format("{:>12.2f}  {:>8}  {}\n", all[k].gain, all[k].count,
                       model.attribute(all[k].attribute));
  }
  for (const bool largest : {true, false}) {
    const std::vector<Transition> found = extreme_transitions(model, largest, n);
    if (!found.empty()) out += largest ? "\ntransitions in favour\n" : "\ntransitions against\n";
    for (const Transition& each : found) {
      out +=
          fmt::format("{:>12.4f}  {} -> {}\n", each.score, escaped(model.neighbours()[each.from]),
                      escaped(model.neighbours()[each.to]));
    }
  }
  for (const std::size_t k : first_trees(model, n)) out += "\n" + tree_text(model, k);
  return out;
}

void write_weights(const TreeModelView& view, const std::function<void(std::string_view)>& write) {
  constexpr std::size_t kChunk = 1 << 16;  // bytes
  const SequenceModel& model = view.model();
  std::string out;
  const auto end_line = [&] {
    out += '\n';
    if (out.size() < kChunk) return;
    write(out);
    out.clear();
  };
  for (Label y = 0; y < model.labels(); ++y) {
    out += fmt::format("base\t{}\t{}", escaped(model.label(y)), view.scorer().base()[y]);
    end_line();
  }
  const std::vector<std::string>& neighbours = view.neighbours();
  for (Label i = 0; i < neighbours.size(); ++i) {
    for (Label j = 0; j < neighbours.size(); ++j) {
      out += fmt::format("transition\t{}\t{}\t{}", escaped(neighbours[i]), escaped(neighbours[j]),
                         view.transitions()->at(i, j));
      end_line();
    }
  }
  const TreeEnsemble& trees = view.trees();
  for (std::size_t k = 0; k < trees.trees(); ++k) {
    const TreeView shape(trees, k);
    const std::uint32_t output = trees.roots()[k].output;
    const std::string name = view.output(output);
    for (const TreeView::Item& item : shape.items) {
      if (item.at < 0) {
        out += fmt::format("leaf\t{}\t{}\t{}", k, name, shape.name(item.at));
        const std::size_t width = output == kAllOutputs ? model.labels() : 1;
        for (std::size_t y = 0; y < width; ++y) {
          out += fmt::format("\t{}", trees.values()[static_cast<std::size_t>(~item.at) + y]);
        }
      } else {
        const TreeNode& node = trees.nodes()[static_cast<std::size_t>(item.at)];
        out += fmt::format("test\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", k, name,
                           shape.name(item.at), view.attribute(node.attribute), node.threshold,
                           node.absent_left != 0 ? "left" : "right", shape.name(node.left),
                           shape.name(node.right), node.gain, node.count);
      }
      end_line();
    }
  }
  if (!out.empty()) write(out);
}

}  // namespace croft
