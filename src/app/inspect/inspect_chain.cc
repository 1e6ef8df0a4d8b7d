#include <fmt/format.h>

#include <algorithm>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_parts.h"
#include "app/inspect/weights.h"
#include "model/kinds/chain_model.h"

namespace croft {
namespace {

void add_constraint(const ChainModel& model, View& view) {
  Json& document = view.json["constraint"] = nullptr;
  if (!model.constraint()) return;
  const auto& [count, start, end, edge] = *model.constraint();
  const auto allowed = [](const std::vector<bool>& bits) {
    return fmt::format("{} of {}", std::ranges::count(bits, true), bits.size());
  };
  view.line("constraint", fmt::format("{} labels may start, {} may end; {} transitions are allowed",
                                      allowed(start), allowed(end), allowed(edge)));
  const auto names = [&](const std::vector<bool>& bits) {
    Json list = Json::array();
    for (Label y = 0; y < model.labels(); ++y) {
      if (bits[y]) list.push_back(model.label(y));
    }
    return list;
  };
  document = {{"start", names(start)},
              {"end", names(end)},
              {"transitions", std::ranges::count(edge, true)}};
}

void add_vote(const ChainModel& model, View& view) {
  if (model.vote() == nullptr) return;
  const std::size_t vectors = model.vote()->vectors(), changes = model.vote()->changes();
  view.line("votes",
            fmt::format("of {} weight vectors, with {} changes between them", vectors, changes));
  view.json["votes"] = {{"vectors", vectors}, {"changes", changes}};
}

void add_kernel(const ChainModel& model, View& view) {
  if (model.kernel() == nullptr) return;
  const Kernel& kernel = model.kernel()->kernel;
  std::string text(kernel_type_name(kernel.type));
  Json& document = view.json["kernel"] = {{"type", text},
                                          {"support_vectors", model.kernel()->support_vectors()}};
  const auto add = [&](const char* name, auto number) {
    text += fmt::format(", {} {:.8g}", name, static_cast<double>(number));
    document[name] = number;
  };
  if (kernel.type == Kernel::Type::polynomial) {
    add("scale", kernel.scale);
    add("offset", kernel.offset);
    add("degree", kernel.degree);
  } else if (kernel.type == Kernel::Type::rbf) {
    add("gamma", kernel.gamma);
  }
  view.line("kernel",
            fmt::format("{}; {} support vectors", text, model.kernel()->support_vectors()));
}

void add_sizes(const ChainModel& model, View& view) {
  std::vector<View::Row> rows;
  const auto add = [&](const char* name, const FeatureTable& table) {
    rows.push_back({name, table.size(), table.weights()});
    view.json[name] = {{"attributes", table.size()}, {"weights", table.weights()}};
  };
  add("transitions", model.tied());
  add("node", model.node());
  add("edge", model.edge());
  if (model.order() > 1) {
    rows.push_back({"grams", "", model.gram_weights().size()});
    view.json["grams"] = {{"weights", model.gram_weights().size()}};
  }
  view.table("", {{"", "", "{:<14}"}, {"", "attributes", "{:>12}"}, {"", "weights", " {:>12}"}},
             rows);
}

// The weights of a model, each offered where it competes.
class TopSearch {
 public:
  TopSearch(const ChainModel& model, std::size_t n)
      : model_(model), node_(model.labels(), Ranking(n)), transitions_(n), edge_(n), grams_(n) {
    const auto pairs_into = [this](Ranking& best) {
      return [this, &best](const std::string& name, std::uint32_t cell, double weight) {
        best.offer(weight, [&] {
          return edge(name, label(cell / model_.labels()), label(cell % model_.labels()));
        });
      };
    };
    for_each_weight(model.tied(), pairs_into(transitions_));
    for_each_weight(model.edge(), pairs_into(edge_));
    for_each_weight(model.node(), [this](const std::string& name, std::uint32_t y, double weight) {
      offer_node(name, y, weight);
    });
    for (std::size_t g = 0; g < model.gram_weights().size(); ++g) offer_gram(g);
  }

  View view() const {
    View view;
    view.json["node"] = Json::object();
    for (Label y = 0; y < model_.labels(); ++y) {
      view.json["node"][model_.label(y)] =
          show_signed(view, "label " + escaped(model_.label(y)), node_[y]);
    }
    view.json["transitions"] = show_signed(view, "transitions", transitions_);
    const bool has_edges = !edge_.largest().empty() || !edge_.smallest().empty();
    view.json["edge"] = show_signed(view, has_edges ? "edge features" : "", edge_);
    if (model_.order() > 1) view.json["grams"] = show_signed(view, "runs of labels", grams_);
    return view;
  }

 private:
  // People see those in favour first, those against last: the order of the numbers.
  static Json show_signed(View& view, const std::string& title, const Ranking& best) {
    constexpr std::string_view kFormat = "  {:>+12.5g}  {}\n";
    if (!title.empty()) view.text += title + "\n";
    Json largest = show(view, best.largest(), kFormat);
    RankedWeights against = best.smallest();
    View unread;
    Json smallest = show(unread, against);
    std::ranges::reverse(against);
    show(view, against, kFormat);
    return {{"largest", std::move(largest)}, {"smallest", std::move(smallest)}};
  }

  LabelOrEnd label(std::size_t y) const { return {LabelOrEnd::Kind::label, model_.label(y)}; }

  // In JSON, "boundary" where START or STOP is meant rather than a label of that name.
  static RankedWeight edge(std::string_view attribute, const LabelOrEnd& from,
                           const LabelOrEnd& to) {
    const auto name = [](const LabelOrEnd& end) {
      return end.kind == LabelOrEnd::Kind::label ? end.label : shown(end);
    };
    const auto rank = [](const LabelOrEnd& end) {
      return static_cast<char>('0' + static_cast<int>(end.kind)) + end.label;
    };
    RankedWeight made{{std::string(attribute), rank(from), rank(to)},
                      {{"attribute", attribute}, {"from", name(from)}, {"to", name(to)}},
                      shown(from) + " → " + shown(to)};
    if (!attribute.empty()) made.text += "  " + escaped(attribute);
    if (from.kind == LabelOrEnd::Kind::start) made.names["boundary"] = "start";
    if (to.kind == LabelOrEnd::Kind::stop) made.names["boundary"] = "stop";
    return made;
  }

  void offer_node(const std::string& name, std::uint32_t y, double weight) {
    Boundary boundary;
    std::string_view attribute;
    if (!parse_boundary_name(name, boundary, attribute)) {
      node_[y].offer(weight, [&] { return of_name("attribute", name); });
      return;
    }
    const auto& tied = model_.extractor().tied_names();
    const bool everywhere = std::ranges::find(tied, attribute) != tied.end();
    (everywhere ? transitions_ : edge_).offer(weight, [&] {
      return boundary == Boundary::start ? edge(attribute, {LabelOrEnd::Kind::start, ""}, label(y))
                                         : edge(attribute, label(y), {LabelOrEnd::Kind::stop, ""});
    });
  }

  void offer_gram(std::size_t g) {
    grams_.offer(model_.gram_weights()[g], [&] {
      std::vector<std::string> labels;
      std::string text;
      for (const Label y : model_.histories()->grams[g]) {
        labels.push_back(model_.label(y));
        text += (text.empty() ? "" : " → ") + escaped(model_.label(y));
      }
      return RankedWeight{labels, {{"labels", labels}}, text};
    });
  }

  const ChainModel& model_;
  std::vector<Ranking> node_;  // [L]
  Ranking transitions_, edge_, grams_;
};

}  // namespace

View summary_of(const ChainModel& model) {
  View view = begin_summary(model, true);
  view.fact("order", model.order());
  if (model.order() > 1) view.fact("histories", model.histories()->size());
  add_constraint(model, view);
  add_vote(model, view);
  add_kernel(model, view);
  add_calibration(model, view);
  add_sizes(model, view);
  add_extraction(model, view);
  end_summary(model, view,
              {"order",
               "histories",
               "objective",
               "cost",
               "constraint",
               "optimizer",
               "l1",
               "l2",
               "intercept",
               "features",
               "min_count",
               "precision",
               "seed",
               "sequences",
               "positions",
               "attributes",
               "weights",
               "nonzero_weights",
               "iterations",
               "evaluations",
               "stop",
               "objective_value",
               "gradient_norm",
               "holdout",
               "kept_iteration"});
  return view;
}

View top_of(const ChainModel& model, std::size_t n) { return TopSearch(model, n).view(); }

void write_weights(const ChainModel& model, const WriteText& write) {
  std::vector<std::string> labels;
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(escaped(model.label(y)));
  LineWriter out(write);
  write_chain(model.tied(), model.node(), model.edge(), labels, out);
  for (std::size_t g = 0; g < model.gram_weights().size(); ++g) {
    out << "gram";
    for (const Label y : model.histories()->grams[g]) out << "\t" << labels[y];
    out << "\t" << model.gram_weights()[g];
    out.end_line();
  }
  out.finish();
}

}  // namespace croft
