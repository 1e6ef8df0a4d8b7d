// What a training of segments takes over from the model it starts from: labels, lengths, strings,
// features and their weights, matched by name.
#include <algorithm>

#include "croft/core/error.h"
#include "train/segments/segment_data.h"

namespace croft {
namespace {

// A cell of pairs of the model's labels as one of pairs of `width` labels.
std::uint32_t pair_cell(std::uint32_t cell, std::span<const Label> label_of, std::size_t width) {
  const auto from = static_cast<std::uint32_t>(label_of.size());
  return static_cast<std::uint32_t>(label_of[cell / from] * width + label_of[cell % from]);
}

// visit(name, cell, weight) of every weight of a table.
template <class Visit>
void for_each_weight(const FeatureTable& table, const Visit& visit) {
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    const std::string name = table.name(id);
    const WeightRow row = table.row(id);
    for (std::size_t k = 0; k < row.size(); ++k) visit(name, row.cell(k), row.weight(k));
  }
}

// Sorted, each once.
template <class Features>
void tidy(Features& features) {
  std::ranges::sort(features);
  const auto same = std::ranges::unique(features);
  features.erase(same.begin(), same.end());
}

}  // namespace

// Before any sequence: labels of columns keep their numbers.
void SegmentEncoder::keep_names() {
  for (Label c = 0; c < init_->labels(); ++c) encoder_.label_names.insert(init_->label(c));
  for (std::uint32_t id = 0; id < init_->node().size(); ++id) {
    encoder_.node_names.insert(init_->node().name(id));
  }
}

// The model's labels of segments by name; two of one name are told apart by how they begin.
void SegmentEncoder::match_labels() {
  const SegmentLabels &from = init_->segment_labels(), &to = examples_.labels;
  for (Label y = 0; y < from.labels(); ++y) {
    Label found = SegmentLabels::kNone;
    for (Label j = 0; j < to.labels(); ++j) {
      if (to.names[j] != from.names[y]) continue;
      if (found == SegmentLabels::kNone || to.first[j] == from.first[y]) found = j;
    }
    const bool inside = found != SegmentLabels::kNone && from.inside[y] != SegmentLabels::kNone &&
                        init_->shape().longest(y) > 1;
    if (found == SegmentLabels::kNone || (inside && to.inside[found] == SegmentLabels::kNone)) {
      throw UsageError(init_->container().name(), ": its segments of ", in_quotes(from.names[y]),
                       " are not spelled as the data's labels are read; give the --label-scheme "
                       "that it was trained with");
    }
    label_of_.push_back(found);
  }
}

void SegmentEncoder::keep_lexicon() {
  const SegmentTemplates& own = options_.templates;
  std::vector<std::uint32_t> joined;
  for (const Joined& each : init_->templates().joined()) {
    std::uint32_t at = 0;
    while (at < own.joined().size() &&
           (own.joined()[at].column != each.column || own.joined()[at].as != each.as)) {
      ++at;
    }
    joined.push_back(at < own.joined().size() ? at : kUnknown);
  }
  lexicon_builder_->keep(init_->lexicon(), joined, label_of_, options_.kept_gazetteers);
}

// After those that the data shows have been counted.
void SegmentEncoder::keep_features() {
  const auto first = static_cast<std::uint32_t>(encoder_.node_names.size());
  for_each_weight(init_->node(), [&](const std::string& name, std::uint32_t cell, float) {
    kept_.node.push_back({encoder_.node_names.find(name), cell});
  });
  for_each_weight(init_->segment(), [&](const std::string& name, std::uint32_t cell, float) {
    kept_.node.push_back({first + segment_names_.insert(name), label_of_[cell]});
  });
  if (options_.templates.has_pairs()) {
    for_each_weight(init_->pair(), [&](const std::string& name, std::uint32_t cell, float) {
      kept_.edge.push_back({pair_names_.insert(name), pair_cell(cell, label_of_, width_)});
    });
  }
  for_each_weight(init_->tied(), [&](const std::string&, std::uint32_t cell, float) {
    kept_.tied.push_back(pair_cell(cell, label_of_, width_));
  });
  tidy(kept_.node);
  tidy(kept_.edge);
  tidy(kept_.tied);
}

std::vector<FeatureWeight> SegmentEncoder::initial_weights() const {
  std::vector<FeatureWeight> weights;
  if (init_ == nullptr) return weights;
  const auto copy = [&](const FeatureTable& table, const RowLayout& rows, const auto& row_of,
                        const auto& cell_of) {
    for_each_weight(table, [&](const std::string& name, std::uint32_t cell, float weight) {
      const std::uint32_t r = row_of(name);
      if (r == kUnknown) return;
      const std::uint32_t wanted = cell_of(cell);
      std::size_t low = 0, high = rows.length(r);
      while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (rows.cell_of(r, middle) < wanted) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      if (low == rows.length(r) || rows.cell_of(r, low) != wanted) return;
      weights.push_back({rows.begin[r] + low, double{weight}});
    });
  };
  const auto numbered = [](const StringTable& names, const std::vector<std::uint32_t>& rows,
                           std::size_t first) {
    return [&names, &rows, first](const std::string& name) {
      const std::uint32_t id = names.find(name);
      return id == kUnknown ? kUnknown : rows[first + id];
    };
  };
  const auto as_it_is = [](std::uint32_t cell) { return cell; };
  const auto label = [&](std::uint32_t cell) { return std::uint32_t{label_of_[cell]}; };
  const auto pair = [&](std::uint32_t cell) { return pair_cell(cell, label_of_, width_); };
  copy(init_->node(), layout_.node, numbered(encoder_.node_names, renumbering_.node, 0), as_it_is);
  copy(init_->segment(), layout_.node,
       numbered(segment_names_, renumbering_.node, encoder_.node_names.size()), label);
  if (options_.templates.has_pairs()) {
    copy(init_->pair(), layout_.edge, numbered(pair_names_, renumbering_.edge, 0), pair);
  }
  const std::uint32_t tied = layout_.tied.rows() > 0 ? 0 : kUnknown;
  copy(
      init_->tied(), layout_.tied, [=](const std::string&) { return tied; }, pair);
  std::ranges::sort(weights, {}, &FeatureWeight::feature);
  return weights;
}

}  // namespace croft
