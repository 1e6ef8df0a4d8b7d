// Labels of a sequence as chunks (phrases, entities, fields), and chunks as labels.
//
// Where a chunk starts and ends is decided as conlleval, the scorer of the CoNLL shared tasks,
// decides it: from two neighbouring labels, for every scheme by the same rules, and for sequences
// that no scheme would write as well.  docs/evaluation.md has the rules as a table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace croft {

// How labels spell chunks: "TAG-TYPE", or TAG alone for chunks without a type; O is outside.
enum class ChunkScheme {
  automatic,  // decided from the labels, see detect_scheme
  bio,        // B first, I after it (IOB2)
  bio1,       // I; B only where a chunk follows one of its own type (IOB1).  Read as bio.
  ioe,        // I, and E at the end of every chunk (IOE2; IOE1 is read as well)
  bioes,      // B, I, E at the end, S for a single one; also with L for E, U for S, M for I
  raw,        // every label but O is a chunk of one position, of that type
  none,       // the labels are not chunks
};

// "auto", "bio", "bio1", "ioe", "bioes", "raw", "none".
std::string_view chunk_scheme_name(ChunkScheme scheme);
// Throws UsageError, with the valid names, for any other name.
ChunkScheme chunk_scheme_from_name(std::string_view name);

// bio, ioe or bioes where each label is O or begins with one of their letters and a hyphen, and not
// all are O; else none.  bio also for bio1, which is read alike; never raw.
//   labels : distinct or not, in any order
ChunkScheme detect_scheme(std::span<const std::string_view> labels);

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

// Positions [begin, end), and the type: a view into one of the labels it was read from.
struct Chunk {
  std::size_t begin = 0, end = 0;
  std::string_view type;
  bool operator==(const Chunk&) const = default;
};

// The chunks of one sequence, in order, without overlap.  automatic: detected from these labels;
// none: no chunks.  Where a tag unknown to all schemes starts a chunk inside another, the earlier
// one ends there.
std::vector<Chunk> chunks_of(std::span<const std::string_view> labels,
                             ChunkScheme scheme = ChunkScheme::automatic);

// The labels of a sequence of `length` positions that has these chunks: the inverse of chunks_of.
//   chunks : in order, not empty, without overlap, within the length; else throws Error
//   scheme : bio, bio1, ioe or bioes; else throws UsageError (raw cannot write a longer chunk)
std::vector<std::string> spell_chunks(std::span<const Chunk> chunks, std::size_t length,
                                      ChunkScheme scheme);

// spell_chunks(chunks_of(labels, from), labels.size(), to).  A sequence that `from` would not write
// comes out as a valid one with the same chunks.
std::vector<std::string> convert_labels(std::span<const std::string_view> labels, ChunkScheme from,
                                        ChunkScheme to);

}  // namespace croft
