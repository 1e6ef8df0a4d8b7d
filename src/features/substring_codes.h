// One-byte codes for frequent substrings: how a vocabulary stores its strings.
//
// A code below 255 stands for a symbol, a string of 1 to 16 bytes; code 255 says that the next byte
// stands for itself.  So any string of n bytes takes at most 2n codes, and attributes such as
// "w[-1]|w[0]=of|the" take about a third of their length.
// In the family of Boncz, Neumann & Leis (2020), "FSST", but with longer symbols (template names
// are long), an optimal parse, and symbols ranked by the codes that they save rather than by the
// bytes that they cover: 2.79 bytes a code on CoNLL-2000's attributes, where ranking by bytes
// gives 2.55 and symbols of 8 bytes give 2.53.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/bytes.h"

namespace croft {

inline constexpr std::size_t kMaxSymbol = 16;  // bytes
inline constexpr std::size_t kMaxSymbols = 255;
inline constexpr std::uint8_t kLiteral = 255;  // the code that precedes a byte standing for itself
// The table in an image: 256 lengths, then 256 symbols of 16 bytes padded with zeros.
inline constexpr std::size_t kSymbolTableBytes = 256 + 256 * kMaxSymbol;

// Chooses symbols and codes strings: the writer's side.
class SubstringCoder {
 public:
  // The symbols that save most codes on `sample`, by repeated parsing; about 0.3 s a megabyte.
  // Deterministic in the sequence of strings.
  static SubstringCoder train(std::span<const std::string_view> sample);
  explicit SubstringCoder(std::vector<std::string> symbols);

  // Appends the fewest codes that spell `text` (cut every 4096 bytes, so that scratch is bounded).
  void encode(std::string_view text, std::vector<std::uint8_t>& codes);
  // Appends codes that spell `text`, everywhere that of the longest symbol: some percent more, in
  // a fraction of the time.
  void encode_greedily(std::string_view text, std::vector<std::uint8_t>& codes) const;
  // Appends the table of kSymbolTableBytes that SymbolTable reads.
  void write(std::vector<std::byte>& out) const;
  const std::vector<std::string>& symbols() const { return symbols_; }

  // A parse unit: a symbol's number, or kMaxSymbols + the byte that stands for itself.
  using Unit = std::uint16_t;
  void parse(std::string_view text, std::vector<Unit>& units);
  // The fewest codes that spell `text`, without the given symbol; scratch grows with the text.
  std::uint32_t cost(std::string_view text, std::size_t without = kMaxSymbols);

 private:
  // A trie of the symbols.  A node has a child for each class of bytes, 0 where there is none (the
  // root is nobody's child); bytes that occur in no symbol are all in class 0, so that a node is
  // small.
  std::uint16_t child(std::size_t node, char byte) const {
    return child_[node * classes_ + class_[static_cast<unsigned char>(byte)]];
  }
  std::uint16_t add_node();
  std::vector<std::string> symbols_;
  std::array<std::uint16_t, 256> class_{};
  std::size_t classes_ = 1;
  std::vector<std::uint16_t> child_;     // [nodes][classes_]
  std::vector<std::uint16_t> terminal_;  // [nodes] the symbol that ends here, or kMaxSymbols
  std::vector<std::uint32_t> cost_;      // [n + 1] codes needed from a position to the end
  std::vector<Unit> choice_;             // [n] the first unit of a cheapest parse from there
  std::vector<Unit> units_;              // scratch of encode
};

// The reader's side: a view of a table inside an image.
class SymbolTable {
 public:
  SymbolTable() = default;
  // `table` points to kSymbolTableBytes; valid() says whether every length is 1 to 16.
  explicit SymbolTable(const std::byte* table) : table_(table) {}
  bool valid() const;

  // Whether the codes spell `text`.  Any codes will do: nonsense spells nothing.
  bool spells(std::span<const std::byte> codes, std::string_view text) const;
  // Appends what the codes spell.
  void decode(std::span<const std::byte> codes, std::string& out) const;

 private:
  const std::byte* table_ = nullptr;
};

inline bool SymbolTable::spells(std::span<const std::byte> codes, std::string_view text) const {
  constexpr std::size_t kAtOnce = 16;  // codes: nearly always all
  char piece[(kAtOnce + 1) * kMaxSymbol];
  std::size_t at = 0;
  for (std::size_t i = 0; i < codes.size();) {
    std::size_t length = 0;
    const std::size_t stop = std::min(i + kAtOnce, codes.size());
    for (; i < stop; ++i) {
      const auto code = static_cast<std::uint8_t>(codes[i]);
      if (code == kLiteral) [[unlikely]] {
        if (++i == codes.size()) return false;
        piece[length++] = static_cast<char>(codes[i]);
      } else {
        std::memcpy(piece + length, table_ + 256 + kMaxSymbol * code, kMaxSymbol);
        length += static_cast<std::size_t>(table_[code]);
      }
    }
    if (length > text.size() - at || std::memcmp(piece, text.data() + at, length) != 0)
      return false;
    at += length;
  }
  return at == text.size();
}

}  // namespace croft
