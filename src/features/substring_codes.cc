#include "features/substring_codes.h"

#include <algorithm>
#include <cassert>

namespace croft {
namespace {

static_assert(kMaxSymbols == kLiteral);
constexpr std::size_t kUnits = kMaxSymbols + 256;
constexpr int kRounds = 8;  // symbols double at most; the tables of rounds 6 and 8 are equal
constexpr std::size_t kPiece = 4096;  // longer texts are parsed in pieces: bounded scratch

struct Candidate {
  std::string symbol;
  std::uint64_t saved;  // codes
};

std::string spelling(const std::vector<std::string>& symbols, std::size_t unit) {
  return unit < kMaxSymbols ? symbols[unit] : std::string(1, static_cast<char>(unit - kMaxSymbols));
}

// How often each unit, and each pair of neighbours, occurs in the parsed sample.
struct Counts {
  std::vector<std::uint32_t> unit = std::vector<std::uint32_t>(kUnits);
  std::vector<std::uint32_t> pair = std::vector<std::uint32_t>(kUnits * kUnits);
  std::vector<std::uint32_t> seen;  // the pairs that occur, so that few are looked at and reset
};

void count(SubstringCoder& coder, std::span<const std::string_view> sample, Counts& counts) {
  std::fill(counts.unit.begin(), counts.unit.end(), 0);
  for (const std::uint32_t pair : counts.seen) counts.pair[pair] = 0;
  counts.seen.clear();
  std::vector<SubstringCoder::Unit> units;
  for (const std::string_view text : sample) {
    units.clear();
    coder.parse(text, units);
    for (std::size_t i = 0; i < units.size(); ++i) {
      ++counts.unit[units[i]];
      if (i == 0) continue;
      const auto pair = static_cast<std::uint32_t>(units[i - 1] * kUnits + units[i]);
      if (counts.pair[pair]++ == 0) counts.seen.push_back(pair);
    }
  }
}

// Present units are worth what they save now; a pair of neighbours would save one code each time.
std::vector<Candidate> candidates(SubstringCoder& coder, const Counts& counts) {
  std::vector<Candidate> found;
  for (std::size_t unit = 0; unit < kUnits; ++unit) {
    if (counts.unit[unit] == 0) continue;
    std::string symbol = spelling(coder.symbols(), unit);
    const std::uint64_t otherwise = unit < kMaxSymbols ? coder.cost(symbol, unit) : 2;
    found.push_back({std::move(symbol), counts.unit[unit] * (otherwise - 1)});
  }
  for (const std::uint32_t pair : counts.seen) {
    if (counts.pair[pair] < 2) continue;
    std::string both =
        spelling(coder.symbols(), pair / kUnits) + spelling(coder.symbols(), pair % kUnits);
    if (both.size() <= kMaxSymbol) found.push_back({std::move(both), counts.pair[pair]});
  }
  return found;
}

// The best 255, each once; ties go to the smaller string, so that the choice is one.
std::vector<std::string> best(std::vector<Candidate> found) {
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    return a.symbol != b.symbol ? a.symbol < b.symbol : a.saved > b.saved;
  });
  const auto same = [](const Candidate& a, const Candidate& b) { return a.symbol == b.symbol; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.saved != b.saved ? a.saved > b.saved : a.symbol < b.symbol;
  };
  const std::size_t size = std::min(kMaxSymbols, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(size), found.end(),
                    better);
  std::vector<std::string> symbols;
  for (std::size_t i = 0; i < size; ++i) symbols.push_back(std::move(found[i].symbol));
  return symbols;
}

}  // namespace

SubstringCoder SubstringCoder::train(std::span<const std::string_view> sample) {
  SubstringCoder coder({});
  Counts counts;
  for (int round = 0; round < kRounds; ++round) {
    count(coder, sample, counts);
    auto symbols = best(candidates(coder, counts));
    if (symbols == coder.symbols_) break;
    coder = SubstringCoder(std::move(symbols));
  }
  return coder;
}

SubstringCoder::SubstringCoder(std::vector<std::string> symbols) : symbols_(std::move(symbols)) {
  assert(symbols_.size() <= kMaxSymbols);
  for (const std::string& symbol : symbols_) {
    assert(!symbol.empty() && symbol.size() <= kMaxSymbol);
    for (const char c : symbol) {
      std::uint16_t& byte_class = class_[static_cast<unsigned char>(c)];
      if (byte_class == 0) byte_class = static_cast<std::uint16_t>(classes_++);
    }
  }
  add_node();
  for (std::size_t k = 0; k < symbols_.size(); ++k) {
    std::uint16_t node = 0;
    for (const char c : symbols_[k]) {
      std::uint16_t next = child(node, c);
      if (next == 0) {
        next = add_node();
        child_[node * classes_ + class_[static_cast<unsigned char>(c)]] = next;
      }
      node = next;
    }
    terminal_[node] = static_cast<std::uint16_t>(k);
  }
}

std::uint16_t SubstringCoder::add_node() {
  child_.resize(child_.size() + classes_);
  terminal_.push_back(kMaxSymbols);
  return static_cast<std::uint16_t>(terminal_.size() - 1);
}

// From the end backwards: cost[i] = min(2 + cost[i + 1], min over symbols s at i of 1 + cost[i +
// |s|]).
std::uint32_t SubstringCoder::cost(std::string_view text, std::size_t without) {
  cost_.resize(text.size() + 1);
  choice_.resize(text.size());
  cost_[text.size()] = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    std::uint32_t cost = cost_[i + 1] + 2;
    auto choice = static_cast<Unit>(kMaxSymbols + static_cast<unsigned char>(text[i]));
    std::uint16_t node = 0;
    for (std::size_t j = i; j < text.size(); ++j) {
      node = child(node, text[j]);
      if (node == 0) break;
      const std::uint16_t symbol = terminal_[node];
      if (symbol != without && symbol != kMaxSymbols && cost_[j + 1] + 1 <= cost) {
        cost = cost_[j + 1] + 1;  // ties: the longest
        choice = symbol;
      }
    }
    cost_[i] = cost;
    choice_[i] = choice;
  }
  return cost_[0];
}

void SubstringCoder::parse(std::string_view text, std::vector<Unit>& units) {
  for (; text.size() > kPiece; text.remove_prefix(kPiece)) parse(text.substr(0, kPiece), units);
  cost(text);
  for (std::size_t i = 0; i < text.size();) {
    units.push_back(choice_[i]);
    i += choice_[i] < kMaxSymbols ? symbols_[choice_[i]].size() : 1;
  }
}

void SubstringCoder::encode(std::string_view text, std::vector<std::uint8_t>& codes) {
  units_.clear();
  parse(text, units_);
  for (const Unit unit : units_) {
    if (unit >= kMaxSymbols) codes.push_back(kLiteral);
    codes.push_back(static_cast<std::uint8_t>(unit >= kMaxSymbols ? unit - kMaxSymbols : unit));
  }
}

void SubstringCoder::encode_greedily(std::string_view text,
                                     std::vector<std::uint8_t>& codes) const {
  while (!text.empty()) {
    std::uint16_t node = 0, symbol = kMaxSymbols;
    for (const char c : text) {
      node = child(node, c);
      if (node == 0) break;
      if (terminal_[node] != kMaxSymbols) symbol = terminal_[node];
    }
    codes.push_back(static_cast<std::uint8_t>(symbol));  // kMaxSymbols is kLiteral
    if (symbol == kMaxSymbols) codes.push_back(static_cast<std::uint8_t>(text[0]));
    text.remove_prefix(symbol == kMaxSymbols ? 1 : symbols_[symbol].size());
  }
}

void SubstringCoder::write(std::vector<std::byte>& out) const {
  const std::size_t begin = out.size();
  out.resize(begin + kSymbolTableBytes);  // codes without a symbol: one zero byte
  std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(begin), 256, std::byte{1});
  for (std::size_t k = 0; k < symbols_.size(); ++k) {
    out[begin + k] = static_cast<std::byte>(symbols_[k].size());
    std::memcpy(out.data() + begin + 256 + kMaxSymbol * k, symbols_[k].data(), symbols_[k].size());
  }
}

bool SymbolTable::valid() const {
  return std::all_of(table_, table_ + 256, [](std::byte length) {
    return length >= std::byte{1} && length <= std::byte{kMaxSymbol};
  });
}

void SymbolTable::decode(std::span<const std::byte> codes, std::string& out) const {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto code = static_cast<std::uint8_t>(codes[i]);
    if (code == kLiteral) {
      if (++i < codes.size()) out.push_back(static_cast<char>(codes[i]));
    } else {
      out.append(reinterpret_cast<const char*>(table_ + 256 + kMaxSymbol * code),
                 static_cast<std::size_t>(table_[code]));
    }
  }
}

}  // namespace croft
