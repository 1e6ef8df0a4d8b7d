// One label read as part of a chunk (phrase, entity, field): its tag and its type, and where chunks
// start and end between two labels.
//
// The rules are those of conlleval, the scorer of the CoNLL shared tasks: the same for every
// scheme, and also for sequences that no scheme would write.  docs/evaluation.md has the rules as a
// table.
#pragma once
#include <cstdint>
#include <string_view>

namespace croft {

// How labels spell chunks: "TAG-TYPE", or TAG alone for chunks without a type; O is outside.
enum class ChunkScheme {
  automatic,  // decided from the labels, see detect_scheme (app/label/chunks.h)
  bio,        // B first, I after it (IOB2)
  bio1,       // I; B only where a chunk follows one of its own type (IOB1).  Read as bio.
  ioe,        // I, and E at the end of every chunk (IOE2; IOE1 is read as well)
  bioes,      // B, I, E at the end, S for a single one; also with L for E, U for S, M for I
  raw,        // every label but O is a chunk of one position, of that type
  none,       // the labels are not chunks
};

// What a tag says about where chunks start and end.
enum class ChunkTag : std::uint8_t {
  outside,  // O
  begin,    // B
  inside,   // I
  end,      // E
  bracket,  // [ and ]: a chunk of one position
  stop,     // a full stop: neither starts nor ends a chunk
  other,    // anything else: only a change of type starts or ends a chunk
};

// A label taken apart.  The views point into the label, or to static text.
struct ChunkLabel {
  ChunkTag tag = ChunkTag::outside;
  std::string_view tag_text = "O";  // as converted: "B" for an S of bioes
  std::string_view type;            // what follows the first hyphen; empty without one
  bool operator==(const ChunkLabel&) const = default;
};

// bioes is converted to bio label by label: S and U are B; E, L and M are I.
// Requires a scheme other than automatic; none reads as bio.
ChunkLabel read_chunk_label(std::string_view label, ChunkScheme scheme);

// Whether a chunk starts at `current`, or ends just before it.  Outside a sequence, before and
// after, there is ChunkLabel{}.
bool chunk_starts(const ChunkLabel& previous, const ChunkLabel& current);
bool chunk_ends(const ChunkLabel& previous, const ChunkLabel& current);

}  // namespace croft
