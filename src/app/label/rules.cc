#include "app/label/rules.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::string_view kRemedy =
    "write at-most|at-least|exactly K TYPE, at-most|at-least|exactly K label LABEL, occurs LABEL, "
    "not-both A B, or agree COLUMN (for attribute lines agree PREFIX)";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The quoted word at k, which is moved behind it.
std::string quoted_word(std::string_view text, std::size_t& k) {
  std::string word;
  for (++k; k < text.size() && text[k] != '"'; ++k) {
    const bool escape =
        text[k] == '\\' && k + 1 < text.size() && (text[k + 1] == '"' || text[k + 1] == '\\');
    if (escape) ++k;
    word += text[k];
  }
  if (k == text.size()) throw UsageError("a quote without its end; add a \"");
  ++k;
  return word;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < text.size();) {
    if (is_blank(text[k])) {
      ++k;
    } else if (text[k] == '"') {
      words.push_back(quoted_word(text, k));
    } else {
      const std::size_t end = std::min(text.find_first_of(" \t", k), text.size());
      words.emplace_back(text.substr(k, end - k));
      k = end;
    }
  }
  return words;
}

std::optional<std::size_t> whole_number(std::string_view text, std::size_t high) {
  std::size_t value = 0;
  const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || rest != text.data() + text.size() || value > high) return {};
  return value;
}

// One rule, added to the others.
class RuleParser {
 public:
  RuleParser(const LabelNames& names, ChunkScheme scheme, const ExtractionConfig& extraction)
      : names_(names), scheme_(scheme), extraction_(extraction) {}

  void parse(const std::string& text, Rules& rules) const {
    const std::vector<std::string> words = words_of(text);
    const std::string_view verb = words.empty() ? "" : std::string_view(words[0]);
    const bool counts = verb == "at-most" || verb == "at-least" || verb == "exactly";
    if (counts && words.size() == 3) {
      rules.automata.push_back(chunks(range(verb, words[1]), words[2]));
    } else if (counts && words.size() == 4 && words[2] == "label") {
      rules.automata.push_back(labels(range(verb, words[1]), words[3]));
    } else if (verb == "occurs" && words.size() == 2) {
      rules.automata.push_back(labels(CountRange::at_least(1), words[1]));
    } else if (verb == "not-both" && words.size() == 3) {
      rules.automata.push_back(never_together(names_.size(), label(words[1]), label(words[2])));
    } else if (verb == "agree" && words.size() == 2) {
      rules.agreements.push_back(agreement(words[1]));
    } else {
      throw UsageError("not a rule; " + std::string(kRemedy));
    }
  }

 private:
  static CountRange range(std::string_view verb, const std::string& word) {
    const auto k = whole_number(word, kMostCounted);
    if (!k) {
      throw UsageError(in_quotes(word) + " is not a whole number from 0 to " +
                       std::to_string(kMostCounted) + "; " + std::string(kRemedy));
    }
    return verb == "at-most"    ? CountRange::at_most(*k)
           : verb == "at-least" ? CountRange::at_least(*k)
                                : CountRange::exactly(*k);
  }

  LabelAutomaton chunks(CountRange range, const std::string& type) const {
    if (scheme_ == ChunkScheme::none) {
      throw UsageError(
          "the labels of the model are not chunk labels; count labels (at-most 2 "
          "label A), or name the scheme with --chunks");
    }
    const bool all = type == "*";
    return count_chunks(names_.all(), scheme_,
                        all ? std::nullopt : std::optional<std::string_view>(type), range);
  }

  LabelAutomaton labels(CountRange range, const std::string& pattern) const {
    const std::vector<Label> counted = names_.matching(pattern);
    if (counted.empty()) {
      throw UsageError("no label of the model is, or matches, " + in_quotes(pattern) + "; " +
                       names_.some());
    }
    return count_labels(names_.size(), counted, range);
  }

  Label label(const std::string& name) const {
    if (const auto known = names_.find(name)) return *known;
    throw UsageError("no label of the model is " + in_quotes(name) + "; " + names_.some());
  }

  Agreement agreement(const std::string& word) const {
    Agreement result{extraction_.format, 0, {}};
    if (extraction_.format != InputFormat::columns) {
      result.prefix = word;
      return result;
    }
    const auto column = whole_number(word, extraction_.columns - 1);
    if (!column) {
      throw UsageError(in_quotes(word) + " is not the number of a column, from 0 to " +
                       std::to_string(extraction_.columns - 1) +
                       " (that of the labels is not "
                       "known to the model)");
    }
    result.column = *column;
    return result;
  }

  const LabelNames& names_;
  const ChunkScheme scheme_;
  const ExtractionConfig& extraction_;
};

// Groups of positions by a text, in the order in which texts first appear.
class Groups {
 public:
  void add(std::string_view text, std::size_t t) {
    const auto [at, is_new] = number_.emplace(text, groups_.size());
    if (is_new) groups_.emplace_back();
    std::vector<std::size_t>& group = groups_[at->second];
    if (group.empty() || group.back() != t) group.push_back(t);
  }
  void move_to(std::vector<std::vector<std::size_t>>& out) {
    for (auto& group : groups_) {
      if (group.size() > 1) out.push_back(std::move(group));
    }
  }

 private:
  std::unordered_map<std::string_view, std::size_t> number_;
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace

Rules parse_rules(std::span<const std::string> texts, const LabelNames& names, ChunkScheme scheme,
                  const ExtractionConfig& extraction) {
  Rules rules;
  const RuleParser parser(names, scheme, extraction);
  for (const std::string& text : texts) {
    try {
      parser.parse(text, rules);
    } catch (const UsageError& error) {
      throw UsageError("--rule ", in_quotes(text), ": ", error.message());
    }
  }
  return rules;
}

std::vector<std::vector<std::size_t>> agreeing_positions(std::span<const Agreement> agreements,
                                                         const TagInput& input) {
  std::vector<std::vector<std::size_t>> result;
  for (const Agreement& agreement : agreements) {
    Groups groups;
    const bool cells = agreement.format == InputFormat::columns;
    if (cells && input.rows == nullptr) {
      throw Error("a rule on equal cells needs the rows of a sequence; hand them over with it");
    }
    const StringLists& attributes = input.text.node;
    for (std::size_t t = 0; t < input.text.length(); ++t) {
      if (cells) {
        groups.add(input.rows->cell(t, agreement.column), t);
        continue;
      }
      for (std::size_t k = attributes.list_begin(t); k < attributes.list_end(t); ++k) {
        if (attributes.item(k).starts_with(agreement.prefix)) groups.add(attributes.item(k), t);
      }
    }
    groups.move_to(result);
  }
  return result;
}

bool obeys(const Rules& rules, std::span<const std::vector<std::size_t>> groups,
           std::span<const Label> y) {
  return std::ranges::all_of(rules.automata, [&](const auto& a) { return accepts(a, y); }) &&
         std::ranges::all_of(groups, [&](const auto& group) {
           return std::ranges::all_of(group, [&](std::size_t t) { return y[t] == y[group[0]]; });
         });
}

}  // namespace croft
