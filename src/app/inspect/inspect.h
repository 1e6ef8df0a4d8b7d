// What is in a model: its summary, its strongest features, all its weights, and whether it is
// whole.
//
// docs/inspect.md defines every line and field.  Text is for people; in it, in labels and
// attributes, control bytes are shown as escaped() writes them.
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/kinds/chain_model.h"

namespace croft {
class Json;

// As ChainModel::open, after a look at the whole file: every section's checksum.  Throws Error
// naming the first section that is damaged.  Cost: reads the file.
std::shared_ptr<const ChainModel> open_verified(const std::filesystem::path& path);

// Kind, sizes, labels, extraction and template, training record, sections of the file.
// Cost O(labels + sections), whatever the number of weights.
std::string format_summary(const ChainModel& model);
// The same.  Strings are copied byte by byte: dump() throws where they are not UTF-8, unless it is
// told to replace.
Json summary_json(const ChainModel& model);

// A label, or where no label is: before the first position, after the last.
struct LabelOrEnd {
  enum class Kind { start, label, stop };  // in this order
  Kind kind = Kind::label;
  std::string label;  // kind == label
  auto operator<=>(const LabelOrEnd&) const = default;
};

// One weight with what it belongs to.
struct NodeWeight {
  std::string attribute;
  float weight;
};
struct EdgeWeight {
  std::string attribute;  // of a transition: the template that makes it; empty without a template
  LabelOrEnd from, to;
  float weight;
};

// Of a run of labels, in a model of order 2 or more.
struct GramWeight {
  std::vector<std::string> labels;
  float weight;
};

// The n weights most in favour (> 0, largest first) and the n most against (< 0, smallest first).
// Equal weights: in the order of the attributes' bytes, then of from, then of to; grams in that of
// their labels.
template <class Weight>
struct Extremes {
  std::vector<Weight> largest, smallest;
};

struct TopFeatures {
  std::vector<Extremes<NodeWeight>> node;  // [L] by label; without those of START and STOP
  Extremes<EdgeWeight> transitions;        // that hold at every edge, START's and STOP's included
  Extremes<EdgeWeight> edge;               // those that an edge attribute adds where it occurs
  Extremes<GramWeight> grams;
};
// Cost O(weights + attributes); memory O(n L), whatever the number of weights.
TopFeatures top_features(const ChainModel& model, std::size_t n);
std::string format_top(const ChainModel& model, const TopFeatures& top);
Json top_json(const ChainModel& model, const TopFeatures& top);  // UTF-8 as summary_json

// Every weight of the file, one a line, handed to `write` in pieces of some 64 KiB:
//   transition TAB attribute TAB from TAB to TAB weight
//   node       TAB attribute TAB label      TAB weight
//   edge       TAB attribute TAB from TAB to TAB weight
//   gram       TAB label     TAB label TAB … TAB weight     (three labels or more)
// Attributes and labels are escaped(); the weight has as few digits as give the same float back.
// Kinds in this order; within one by the attribute's bytes (before they are escaped), then by label
// or from and to in the order of the model's labels (grams: as the file has them): two dumps can be
// compared by diff.  START and
// STOP are node attributes here, as they are in the file: \x01START\x01 and the transition's name.
// Memory: the names of one kind of attribute and 12 bytes for each.
void write_weights(const ChainModel& model, const std::function<void(std::string_view)>& write);

// Tab, line feed and backslash as \t, \n and \\; other bytes below 0x20, and 0x7f, as \x and two
// hexadecimal digits.  Everything else as it is.
std::string escaped(std::string_view text);

}  // namespace croft
