#include "app/label/partial_labels.h"

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
    where.line = sequence.first_line == 0 ? 0 : sequence.first_line + t;
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

}  // namespace croft
