#include "data/settings/constraint_file.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/words/closest_name.h"

namespace croft {
namespace {

constexpr std::string_view kSame = "{same}";
constexpr std::string_view kRuleRemedy =
    "write FROM -> TO, start LABEL or end LABEL, each with \"! \" in front to forbid";

struct Word {
  std::string text;
  bool quoted = false;
  std::size_t column = 0;
  bool is(std::string_view symbol) const { return !quoted && text == symbol; }
};

// Where a label matched, and what stood for {same}.
struct Match {
  Label label;
  std::string_view same;
};

// The labels of one word of a rule.
struct Matches {
  bool has_same = false;
  std::vector<Match> found;
};

// What allowing and forbidding rules say of starts, of ends or of edges, in any order.
class Tally {
 public:
  explicit Tally(std::size_t count) : allowed_(count, false), forbidden_(count, false) {}
  void set(std::size_t k, bool forbids) { (forbids ? forbidden_ : allowed_)[k] = true; }
  void note(bool forbids) { lists_allowed_ = lists_allowed_ || !forbids; }
  bool result(std::size_t k) const { return (allowed_[k] || !lists_allowed_) && !forbidden_[k]; }

 private:
  std::vector<bool> allowed_, forbidden_;
  bool lists_allowed_ = false;  // what is not listed is forbidden
};

// Whether the name is the pattern's pieces in order, with any text at each * between them.
bool matches_glob(std::string_view pattern, std::string_view name) {
  const std::size_t first = pattern.find('*');
  if (!name.starts_with(pattern.substr(0, first))) return false;
  name.remove_prefix(first);
  pattern.remove_prefix(first + 1);
  for (std::size_t star; (star = pattern.find('*')) != pattern.npos;) {
    const std::size_t at = name.find(pattern.substr(0, star));  // the first place is the best
    if (at == name.npos) return false;
    name.remove_prefix(at + star);
    pattern.remove_prefix(star + 1);
  }
  return name.ends_with(pattern);
}

class ConstraintReader {
 public:
  ConstraintReader(LineReader lines, std::span<const std::string> names)
      : lines_(std::move(lines)),
        names_(names),
        start_(names.size()),
        end_(names.size()),
        edge_(names.size() * names.size()) {
    for (Label j = 0; j < names.size(); ++j) number_.emplace(names[j], j);
  }

  ChainConstraint read() {
    std::string_view line;
    bool any = false;
    while (lines_.next(line)) {
      const std::vector<Word> words = split(line);
      if (words.empty()) continue;
      read_rule(words, line);
      any = true;
    }
    if (!any) throw InputError({lines_.name(), 0}, "no rule", "", std::string(kRuleRemedy));
    return result();
  }

 private:
  [[noreturn]] void fail(std::size_t column, std::string_view problem, std::string_view text,
                         std::string_view remedy) const {
    throw InputError(lines_.location(column), problem, text, remedy);
  }

  // Words at blanks; "..." is a label as it stands, # at the start of a word begins a comment.
  std::vector<Word> split(std::string_view line) const {
    std::vector<Word> words;
    for (std::size_t k = 0; k < line.size();) {
      if (line[k] == ' ' || line[k] == '\t') {
        ++k;
      } else if (line[k] == '#') {
        break;
      } else if (line[k] == '"') {
        words.push_back(quoted(line, k));
      } else {
        const std::size_t end = std::min(line.find_first_of(" \t", k), line.size());
        words.push_back({std::string(line.substr(k, end - k)), false, k + 1});
        k = end;
      }
    }
    return words;
  }

  // The quoted word at k, which is moved behind it.
  Word quoted(std::string_view line, std::size_t& k) const {
    Word word{"", true, k + 1};
    for (++k; k < line.size() && line[k] != '"'; ++k) {
      const bool escape = line[k] == '\\' && k + 1 < line.size();
      if (escape && (line[k + 1] == '"' || line[k + 1] == '\\')) ++k;
      word.text += line[k];
    }
    if (k == line.size()) fail(word.column, "a quote without its end", line, "add a \"");
    if (++k < line.size() && line[k] != ' ' && line[k] != '\t') {
      fail(k + 1, "text right after a quoted label", line,
           "put a blank between them, and \\\" for a quote inside");
    }
    return word;
  }

  void read_rule(std::span<const Word> words, std::string_view line) {
    const bool forbids = words[0].is("!");
    if (forbids) words = words.subspan(1);
    const auto is_arrow = [](const Word& word) { return word.is("->"); };
    const auto arrow = std::find_if(words.begin(), words.end(), is_arrow);
    if (arrow != words.end()) {
      const auto second = std::find_if(arrow + 1, words.end(), is_arrow);
      if (second != words.end()) {
        fail(second->column, "a second -> in one rule", line, "write two rules");
      }
      if (arrow == words.begin() || arrow + 1 == words.end()) {
        fail(arrow->column, "no label on one side of ->", line, "write * for any label");
      }
      read_edges({words.begin(), arrow}, {arrow + 1, words.end()}, line, forbids);
      return;
    }
    const bool is_start = !words.empty() && words[0].is("start");
    if (!is_start && (words.empty() || !words[0].is("end"))) {
      fail(words.empty() ? 1 : words[0].column, "not a rule", line, kRuleRemedy);
    }
    if (words.size() == 1) {
      fail(words[0].column, "no label after " + words[0].text, line, "name labels, or * for any");
    }
    Tally& tally = is_start ? start_ : end_;
    tally.note(forbids);
    for (const Word& word : words.subspan(1)) {
      const Matches matches = find(word);
      if (matches.has_same) {
        fail(word.column, "{same} outside of FROM -> TO", line, "write * for any text");
      }
      for (const Match& match : matches.found) tally.set(match.label, forbids);
    }
  }

  void read_edges(std::span<const Word> from, std::span<const Word> to, std::string_view line,
                  bool forbids) {
    const std::vector<Matches> sources = find_all(from), targets = find_all(to);
    const auto has_same = [](const Matches& matches) { return matches.has_same; };
    if (std::any_of(sources.begin(), sources.end(), has_same) !=
        std::any_of(targets.begin(), targets.end(), has_same)) {
      fail(from[0].column, "{same} on one side of -> only", line,
           "write it on both sides, or * for any text");
    }
    edge_.note(forbids);
    for (const Matches& source : sources) {
      for (const Matches& target : targets) {
        const bool compare = source.has_same && target.has_same;
        for (const Match& i : source.found) {
          for (const Match& j : target.found) {
            if (compare && i.same != j.same) continue;
            edge_.set(i.label * names_.size() + j.label, forbids);
          }
        }
      }
    }
  }

  std::vector<Matches> find_all(std::span<const Word> words) const {
    std::vector<Matches> all;
    for (const Word& word : words) all.push_back(find(word));
    return all;
  }

  Matches find(const Word& word) const {
    Matches matches;
    const std::string_view text = word.text;
    const std::size_t same = word.quoted ? text.npos : text.find(kSame);
    const bool has_star = !word.quoted && text.find('*') != text.npos;
    if (same != text.npos) {
      const std::string_view before = text.substr(0, same),
                             after = text.substr(same + kSame.size());
      if (has_star || after.find(kSame) != after.npos) {
        fail(word.column, "more than one {same} or * in a label with {same}", text,
             "write one {same}, for the text that both sides share");
      }
      matches.has_same = true;
      for (Label j = 0; j < names_.size(); ++j) {
        const std::string_view name = names_[j];
        if (name.size() < before.size() + after.size()) continue;
        if (!name.starts_with(before) || !name.ends_with(after)) continue;
        matches.found.push_back(
            {j, name.substr(before.size(), name.size() - before.size() - after.size())});
      }
    } else if (has_star) {
      for (Label j = 0; j < names_.size(); ++j) {
        if (matches_glob(text, names_[j])) matches.found.push_back({j, {}});
      }
    } else if (const auto known = number_.find(text); known != number_.end()) {
      matches.found.push_back({known->second, {}});
    } else {
      fail(word.column, "not a label of the model", text, suggestion(text));
    }
    if (matches.found.empty()) {
      fail(word.column, "no label of the model matches", text, some_labels());
    }
    return matches;
  }

  std::string suggestion(std::string_view text) const {
    const std::string closest = closest_name(text, {names_.begin(), names_.end()});
    return closest.empty() ? some_labels() : "did you mean " + in_quotes(closest) + "?";
  }

  std::string some_labels() const {
    constexpr std::size_t kShown = 10;
    std::string text = "the labels are ";
    for (std::size_t j = 0; j < std::min(names_.size(), kShown); ++j) {
      text.append(j == 0 ? "" : ", ").append(in_quotes(names_[j], 30));
    }
    if (names_.size() > kShown) {
      text.append(" and ").append(std::to_string(names_.size() - kShown)).append(" more");
    }
    return text;
  }

  ChainConstraint result() const {
    ChainConstraint constraint(names_.size());
    const std::size_t labels = names_.size();
    for (std::size_t j = 0; j < labels; ++j) constraint.start[j] = start_.result(j);
    for (std::size_t j = 0; j < labels; ++j) constraint.end[j] = end_.result(j);
    for (std::size_t k = 0; k < labels * labels; ++k) constraint.edge[k] = edge_.result(k);
    for (const auto& [allowed, what] :
         {std::pair{&constraint.start, "start"}, std::pair{&constraint.end, "end"}}) {
      if (std::find(allowed->begin(), allowed->end(), true) != allowed->end()) continue;
      throw InputError({lines_.name(), 0},
                       std::string("no label is left that may ") + what + " a sequence", "",
                       std::string("allow one with a rule: ") + what + " LABEL");
    }
    return constraint;
  }

  LineReader lines_;
  std::span<const std::string> names_;
  std::unordered_map<std::string_view, Label> number_;
  Tally start_, end_, edge_;
};

}  // namespace

ChainConstraint read_constraint(LineReader lines, std::span<const std::string> names) {
  return ConstraintReader(std::move(lines), names).read();
}

}  // namespace croft
