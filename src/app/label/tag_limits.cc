#include "app/label/tag_limits.h"

#include <algorithm>

#include "croft/core/error.h"

namespace croft {

PartialLabelReader::PartialLabelReader(const PartialLabels& how, const LabelNames& names)
    : how_(how), names_(names) {
  for (const std::string& name : names.all()) {
    if (name == how.any) {
      throw UsageError("the label " + in_quotes(name) + " of the model stands for any label in " +
                       "partial labels; rename it, and train again");
    }
    if (name.find(how.separator) != std::string::npos) {
      throw UsageError("the label ", in_quotes(name), " contains ",
                       in_quotes(std::string(1, how.separator)),
                       ", which separates the labels of a set; choose another character with "
                       "--partial-separator");
    }
  }
}

Label PartialLabelReader::label(std::string_view name, const Location& where) const {
  if (const auto known = names_.find(name)) return *known;
  throw InputError(where, "not a label of the model", name,
                   "write " + in_quotes(how_.any) + " for any label; " + names_.some());
}

Label PartialLabelReader::known_label(std::string_view item, const Location& where,
                                      LabelSets& sets) const {
  if (item == how_.any) return kAnyLabel;
  if (item.find(how_.separator) == std::string_view::npos) return label(item, where);
  std::vector<Label> set;
  for (const std::string_view name : labels_in(item, how_, where)) {
    set.push_back(label(name, where));
  }
  std::ranges::sort(set);
  if (std::ranges::adjacent_find(set) != set.end()) {
    throw InputError(where, "one label twice in a set of labels", item, "name each label once");
  }
  sets.label.insert(sets.label.end(), set.begin(), set.end());
  sets.begin.push_back(static_cast<std::uint32_t>(sets.label.size()));
  return static_cast<Label>(kLabelSetBit + sets.size() - 1);
}

void PartialLabelReader::read(const TextSequence& sequence, std::string_view file,
                              KnownLabels& out) const {
  Location where{std::string(file), sequence.first_line};
  if (!sequence.has_labels()) {
    throw InputError(where, "a sequence without labels, where they are to restrict the prediction",
                     "", "write " + in_quotes(how_.any) + " where nothing is known");
  }
  out.known.clear();
  out.sets.begin.assign(1, 0);
  out.sets.label.clear();
  for (std::size_t t = 0; t < sequence.length(); ++t) {  // one position is one line
    where.line = sequence.line_of(t);
    out.known.push_back(known_label(sequence.labels.item(t), where, out.sets));
  }
}

std::vector<Restriction> restrictions(const KnownLabels& known) {
  std::vector<Restriction> list;
  const Gold gold = known.gold();
  for (std::size_t t = 0; t < gold.length(); ++t) {
    if (!gold.is_any(t)) list.push_back({t, gold.labels(t)});
  }
  return list;
}

namespace {

std::string column_remedy(std::size_t columns) {
  return columns == 1 ? "the only one is column 0"
                      : "the columns are 0 to " + std::to_string(columns - 1) +
                            ", without that of the labels";
}

template <class Real>
void subtract_at(std::size_t t, const std::vector<LabelPenalty>& list, ChainScores<Real>& scores) {
  for (const auto& [label, penalty] : list) scores.state(t, label) -= static_cast<Real>(penalty);
}

}  // namespace

Penalties::Penalties(const PenaltyFile& file, const LabelNames& names, std::size_t columns)
    : by_column_(columns) {
  for (const PenaltyRule& rule : file.rules) {
    const Location where{file.name, rule.line};
    const std::vector<Label> labels = names.matching(rule.label);
    if (labels.empty()) {
      throw InputError(where, "no label of the model is, or matches,", rule.label, names.some());
    }
    List* list = &always_;
    if (rule.test == PenaltyRule::Test::cell) {
      if (rule.column >= columns) {
        throw InputError(where, "the data has no column " + std::to_string(rule.column), "",
                         column_remedy(columns));
      }
      list = &by_column_[rule.column][rule.text];
    } else if (rule.test == PenaltyRule::Test::attribute) {
      list = &by_attribute_[rule.text];
    }
    for (const Label label : labels) {
      const auto same = std::ranges::find(*list, label, &LabelPenalty::label);
      if (same == list->end()) {
        list->push_back({label, rule.penalty});
      } else {
        same->penalty += rule.penalty;
      }
    }
  }
  for (std::size_t c = 0; c < columns; ++c) {
    if (!by_column_[c].empty()) tested_columns_.push_back(c);
  }
}

template <class Real>
void Penalties::subtract(const TagInput& input, ChainScores<Real>& scores) const {
  if (!tested_columns_.empty() && input.rows == nullptr) {
    throw Error("penalties on cells need the rows of a sequence; hand them over with it");
  }
  const StringLists& attributes = input.text.node;
  std::vector<const List*> applied;  // an attribute that an item has twice counts once
  for (std::size_t t = 0; t < scores.length(); ++t) {
    subtract_at(t, always_, scores);
    for (const std::size_t c : tested_columns_) {
      const auto at = by_column_[c].find(input.rows->cell(t, c));
      if (at != by_column_[c].end()) subtract_at(t, at->second, scores);
    }
    if (by_attribute_.empty()) continue;
    applied.clear();
    for (std::size_t k = attributes.list_begin(t); k < attributes.list_end(t); ++k) {
      const auto at = by_attribute_.find(attributes.item(k));
      if (at == by_attribute_.end()) continue;
      if (std::ranges::find(applied, &at->second) != applied.end()) continue;
      applied.push_back(&at->second);
      subtract_at(t, at->second, scores);
    }
  }
}

template void Penalties::subtract(const TagInput&, ChainScores<float>&) const;
template void Penalties::subtract(const TagInput&, ChainScores<double>&) const;

}  // namespace croft
