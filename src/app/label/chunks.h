// Labels of a sequence as chunks (phrases, entities, fields), and chunks as labels.
//
// Where a chunk starts and ends is decided from two neighbouring labels, as structure/chunk_label.h
// says.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/structure/chunk_label.h"

namespace croft {

// "auto", "bio", "bio1", "ioe", "bioes", "raw", "none".
std::string_view chunk_scheme_name(ChunkScheme scheme);
// Throws UsageError, with the valid names, for any other name.
ChunkScheme chunk_scheme_from_name(std::string_view name);

// bio, ioe or bioes where each label is O or begins with one of their letters and a hyphen, and not
// all are O; else none.  bio also for bio1, which is read alike; never raw.
//   labels : distinct or not, in any order
ChunkScheme detect_scheme(std::span<const std::string_view> labels);

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
