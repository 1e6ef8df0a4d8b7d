#include "features/kit/gazetteer.h"

#include <algorithm>
#include <map>

#include "core/unicode.h"
#include "croft/core/error.h"
#include "data/settings/field_files.h"

namespace croft {
namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";

// visit(token) for each, of what stands between blanks.
template <class Visit>
void split_at_blanks(std::string_view entry, const Visit& visit) {
  for (std::size_t at = entry.find_first_not_of(kBlanks); at != entry.npos;
       at = entry.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(entry.find_first_of(kBlanks, at), entry.size());
    visit(entry.substr(at, end - at));
    at = end;
  }
}

struct SortedEntry {
  std::vector<std::uint32_t> tokens;
  std::uint32_t value;
};

// Level by level, so that the children of a node stand side by side.
std::vector<std::uint32_t> make_trie(const std::vector<SortedEntry>& entries, std::size_t tokens) {
  struct Node {
    std::size_t begin, end;  // the entries below it
    std::size_t depth;
  };
  std::vector<Node> nodes = {{0, entries.size(), 0}};
  std::vector<std::uint32_t> first_child, token = {0}, value = {0};
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node node = nodes[n];
    first_child.push_back(static_cast<std::uint32_t>(nodes.size()));
    std::size_t k = node.begin;
    if (k < node.end && entries[k].tokens.size() == node.depth) value[n] = entries[k++].value;
    while (k < node.end) {
      const std::uint32_t next = entries[k].tokens[node.depth];
      std::size_t end = k + 1;
      while (end < node.end && entries[end].tokens[node.depth] == next) ++end;
      nodes.push_back({k, end, node.depth + 1});
      token.push_back(next);
      value.push_back(0);
      k = end;
    }
  }
  first_child.push_back(static_cast<std::uint32_t>(nodes.size()));

  std::vector<std::uint32_t> trie = {static_cast<std::uint32_t>(nodes.size())};
  trie.resize(1 + tokens, 0);
  for (std::uint32_t n = first_child[0]; n < first_child[1]; ++n) trie[1 + token[n]] = n;
  for (const auto* part : {&first_child, &token, &value}) {
    trie.insert(trie.end(), part->begin(), part->end());
  }
  return trie;
}

}  // namespace

Gazetteer::Gazetteer(bool fold, std::vector<std::string> types, WordTable tokens,
                     SharedArray<std::uint32_t> trie)
    : fold_(fold), types_(std::move(types)), tokens_(std::move(tokens)), trie_(std::move(trie)) {
  const std::span<const std::uint32_t> all = trie_.view();
  const std::uint64_t nodes = all.empty() ? 0 : all[0];
  if (nodes == 0 || all.size() != 2 + tokens_.size() + 3 * nodes) {
    throw Error("the sizes of a gazetteer do not fit each other");
  }
  of_root_ = all.subspan(1, tokens_.size());
  first_child_ = all.subspan(1 + tokens_.size(), nodes + 1);
  token_ = all.subspan(2 + tokens_.size() + nodes, nodes);
  value_ = all.subspan(2 + tokens_.size() + 2 * nodes, nodes);
}

Gazetteer Gazetteer::owning() const {
  return Gazetteer(fold_, types_, tokens_.owning(), trie_.owning());
}

std::uint32_t Gazetteer::find(std::string_view token, std::string& lower) const {
  if (!fold_) return tokens_.find_exactly(token);
  lower.clear();
  append_lower(token, lower);
  return tokens_.find_exactly(lower);
}

// Of a damaged trie any node of it, never one outside.
std::uint32_t Gazetteer::child(std::uint32_t node, std::uint32_t token) const {
  const std::size_t end = std::min<std::size_t>(first_child_[node + 1], token_.size());
  const std::size_t begin = std::min<std::size_t>(first_child_[node], end);
  const auto children = token_.subspan(begin, end - begin);
  const auto found = std::ranges::lower_bound(children, token);
  if (found == children.end() || *found != token) return 0;
  return static_cast<std::uint32_t>(begin + (found - children.begin()));
}

void Gazetteer::match_ids(std::span<const std::uint32_t> tokens,
                          std::vector<std::uint32_t>& marks) const {
  marks.assign(tokens.size(), 0);
  for (std::size_t t = 0; t < tokens.size();) {
    std::size_t longest = 0;
    std::uint32_t types = 0;
    std::uint32_t node = tokens[t] < of_root_.size() ? of_root_[tokens[t]] : 0;
    for (std::size_t end = t + 1; node != 0 && node < value_.size(); ++end) {
      if (value_[node] != 0 && value_[node] <= types_.size()) {
        longest = end - t;
        types = value_[node] - 1;
      }
      if (end == tokens.size() || tokens[end] == kUnknown) break;
      node = child(node, tokens[end]);
    }
    for (std::size_t k = 0; k < longest; ++k) marks[t + k] = (k == 0 ? 1 : 2) + 2 * types;
    t += std::max<std::size_t>(longest, 1);
  }
}

std::vector<std::string> Gazetteer::mark_names() const {
  std::vector<std::string> names = {""};
  for (const std::string& type : types_) {
    for (const char* mark : {"B", "I"}) names.push_back(type.empty() ? mark : mark + ("-" + type));
  }
  return names;
}

std::size_t Gazetteer::entries() const {
  return value_.size() - static_cast<std::size_t>(std::ranges::count(value_, 0u));
}

template <class Visit>
void GazetteerBuilder::for_each_token(std::string_view entry, const Visit& visit) {
  if (words_) return words_->for_each_word(entry, scratch_, visit);
  split_at_blanks(entry, visit);
}

bool GazetteerBuilder::has_tokens(std::string_view entry) {
  bool any = false;
  for_each_token(entry, [&](std::string_view) { any = true; });
  return any;
}

void GazetteerBuilder::read(LineReader lines) {
  std::size_t found = 0;
  for (std::string_view line; lines.next(line);) {
    const auto fail = [&](std::string_view problem, std::string_view remedy) {
      throw InputError(lines.location(), problem, line, remedy);
    };
    if (line.find_first_not_of(kBlanks) == line.npos) continue;
    if (!is_valid_utf8(line)) fail("an entry that is not UTF-8", "convert the file to UTF-8");
    const std::size_t tab = line.find('\t');
    const std::string_view entry = line.substr(0, tab);
    const std::string_view type = tab == line.npos ? "" : line.substr(tab + 1);
    if (entry.find_first_not_of(kBlanks) == entry.npos) {
      fail("a type without an entry", "write ENTRY, or ENTRY TAB TYPE");
    }
    if (!has_tokens(entry)) fail("an entry without a letter or digit", "delete it");
    if (tab != line.npos && type.empty()) {
      fail("a TAB without a type behind it", "write ENTRY, or ENTRY TAB TYPE");
    }
    if (type.find_first_of(" \t\v\f\r+") != type.npos) {
      fail("a type with a blank, a TAB or a \"+\" in it",
           "write ENTRY TAB TYPE, and an entry of two types on two lines");
    }
    add(entry, type);
    ++found;
  }
  if (found == 0) {
    throw InputError({lines.name()}, "a gazetteer without entries", "", "write one a line");
  }
}

void GazetteerBuilder::read_synonyms(LineReader lines) {
  const std::string_view remedy = "write TERM TAB SYNONYM TAB SYNONYM …";
  bool any = false;
  for (std::string_view line; lines.next(line);) {
    const auto fail = [&](std::string_view problem) {
      throw InputError(lines.location(), problem, line, remedy);
    };
    if (line.find_first_not_of(kBlanks) == line.npos) continue;
    if (!is_valid_utf8(line)) fail("synonyms that are not UTF-8");
    const std::vector<std::string> cells = split_at(line, '\t');
    for (auto cell = cells.begin(); cell != cells.end(); ++cell) {
      if (!has_tokens(*cell)) fail("a synonym without a token");
      if (std::find(cells.begin(), cell, *cell) != cell) fail("the same synonym twice");
    }
    if (cells.size() < 2) fail("a term without a synonym");
    for (const std::string& cell : cells) add(cell, cells[0]);
    any = true;
  }
  if (!any) throw InputError({lines.name()}, "no synonyms", "", remedy);
}

void GazetteerBuilder::add(std::string_view entry, std::string_view type) {
  Entry& added = entries_.emplace_back();
  added.type = type.empty() ? kUnknown : types_.insert(type);
  for_each_token(entry, [&](std::string_view token) {
    lower_.clear();
    if (fold_) append_lower(token, lower_);
    added.tokens.push_back(tokens_.insert(fold_ ? std::string_view(lower_) : token));
  });
}

Gazetteer GazetteerBuilder::build() const {
  BuiltWordTable tokens = build_word_table(tokens_);
  std::map<std::vector<std::uint32_t>, std::vector<std::string_view>> types_of;
  for (const Entry& entry : entries_) {
    std::vector<std::uint32_t> ids;
    for (const std::uint32_t token : entry.tokens) ids.push_back(tokens.id[token]);
    if (ids.empty()) continue;
    std::vector<std::string_view>& types = types_of[std::move(ids)];
    if (entry.type != kUnknown) types.push_back(types_[entry.type]);
  }
  // An entry of several types has them all in its mark, in their order.
  std::map<std::string, std::vector<SortedEntry*>> with_types;
  std::vector<SortedEntry> entries;
  entries.reserve(types_of.size());
  for (auto& [ids, types] : types_of) {
    std::ranges::sort(types);
    types.erase(std::unique(types.begin(), types.end()), types.end());
    std::string joined;
    for (const std::string_view type : types) (joined += joined.empty() ? "" : "+").append(type);
    entries.push_back({ids, 0});
    with_types[joined].push_back(&entries.back());
  }
  std::vector<std::string> names;
  for (const auto& [name, of] : with_types) {
    names.push_back(name);
    for (SortedEntry* entry : of) entry->value = static_cast<std::uint32_t>(names.size());
  }
  return Gazetteer(fold_, std::move(names), std::move(tokens.table),
                   SharedArray<std::uint32_t>(make_trie(entries, tokens_.size())));
}

}  // namespace croft
