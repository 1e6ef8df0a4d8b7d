#include "app/train/transition_groups.h"

#include "croft/core/error.h"

namespace croft {

TransitionGroups transition_groups(const TransitionGroupFile& file, const LabelNames& names) {
  const auto find = [&](const std::string& pattern, std::size_t line) {
    std::vector<Label> found = names.matching(pattern);
    if (!found.empty()) return found;
    throw InputError({file.name, line}, "no label of the training data is, or matches,", pattern,
                     names.some());
  };
  TransitionGroups groups(names.size());
  std::unordered_map<std::string, std::uint32_t> number;
  for (const TransitionGroupRule& rule : file.rules) {
    std::uint32_t group = TransitionGroups::kNone;
    if (rule.group) {
      group = number.emplace(*rule.group, static_cast<std::uint32_t>(number.size())).first->second;
    }
    const std::vector<Label> from = find(rule.from, rule.line), to = find(rule.to, rule.line);
    for (const Label i : from) {
      for (const Label j : to) groups.of[i * names.size() + j] = group;
    }
  }
  return groups;
}

}  // namespace croft
