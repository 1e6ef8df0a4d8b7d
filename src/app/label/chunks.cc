#include "app/label/chunks.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <utility>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::array<std::pair<ChunkScheme, std::string_view>, 7> kSchemeNames{{
    {ChunkScheme::automatic, "auto"},
    {ChunkScheme::bio, "bio"},
    {ChunkScheme::bio1, "bio1"},
    {ChunkScheme::ioe, "ioe"},
    {ChunkScheme::bioes, "bioes"},
    {ChunkScheme::raw, "raw"},
    {ChunkScheme::none, "none"},
}};

void check_chunks(std::span<const Chunk> chunks, std::size_t length) {
  std::size_t free_from = 0;
  for (const Chunk& chunk : chunks) {
    if (chunk.begin < free_from || chunk.end <= chunk.begin || chunk.end > length) {
      throw Error(fmt::format(
          "chunk [{}, {}) of type {} is empty, overlaps the one before it or ends after "
          "position {}; give chunks in order and without overlap",
          chunk.begin, chunk.end, in_quotes(chunk.type), length));
    }
    free_from = chunk.end;
  }
}

// The tag of position t of a chunk.
//   follows_own_type : the position before the chunk ends another chunk of the same type
char spelled_tag(const Chunk& chunk, std::size_t t, bool follows_own_type, ChunkScheme scheme) {
  const bool first = t == chunk.begin, last = t + 1 == chunk.end;
  switch (scheme) {
    case ChunkScheme::bio:
      return first ? 'B' : 'I';
    case ChunkScheme::bio1:
      return first && follows_own_type ? 'B' : 'I';
    case ChunkScheme::ioe:
      return last ? 'E' : 'I';
    default:
      assert(scheme == ChunkScheme::bioes);
      if (first) return last ? 'S' : 'B';
      return last ? 'E' : 'I';
  }
}

}  // namespace

std::string_view chunk_scheme_name(ChunkScheme scheme) {
  for (const auto& [value, name] : kSchemeNames) {
    if (value == scheme) return name;
  }
  assert(false);
  return "";
}

ChunkScheme chunk_scheme_from_name(std::string_view name) {
  std::string valid;
  for (const auto& [value, known] : kSchemeNames) {
    if (known == name) return value;
    valid += valid.empty() ? "" : ", ";
    valid += known;
  }
  throw UsageError(
      fmt::format("unknown chunk scheme {}; choose one of {}", in_quotes(name), valid));
}

ChunkScheme detect_scheme(std::span<const std::string_view> labels) {
  bool any = false, has_begin = false, has_end = false, only_bioes_has_it = false;
  for (std::string_view label : labels) {
    if (label == "O") continue;
    if (label.size() < 2 || label[1] != '-') return ChunkScheme::none;
    switch (label[0]) {
      case 'B':
        has_begin = true;
        break;
      case 'I':
        break;
      case 'E':
        has_end = true;
        break;
      case 'S':
      case 'U':
      case 'L':
      case 'M':
        only_bioes_has_it = true;
        break;
      default:
        return ChunkScheme::none;
    }
    any = true;
  }
  if (!any) return ChunkScheme::none;
  if (only_bioes_has_it || (has_begin && has_end)) return ChunkScheme::bioes;
  return has_end ? ChunkScheme::ioe : ChunkScheme::bio;
}

std::vector<Chunk> chunks_of(std::span<const std::string_view> labels, ChunkScheme scheme) {
  if (scheme == ChunkScheme::automatic) scheme = detect_scheme(labels);
  std::vector<Chunk> chunks;
  if (scheme == ChunkScheme::none) return chunks;
  bool open = false;  // chunks.back() has not ended yet
  ChunkLabel previous;
  for (std::size_t t = 0; t <= labels.size(); ++t) {
    const ChunkLabel current =
        t < labels.size() ? read_chunk_label(labels[t], scheme) : ChunkLabel{};
    const bool starts = chunk_starts(previous, current);
    if (open && (starts || chunk_ends(previous, current) || t == labels.size())) {
      chunks.back().end = t;
      open = false;
    }
    if (starts) {
      chunks.push_back({t, t, current.type});
      open = true;
    }
    previous = current;
  }
  return chunks;
}

std::vector<std::string> spell_chunks(std::span<const Chunk> chunks, std::size_t length,
                                      ChunkScheme scheme) {
  if (scheme == ChunkScheme::automatic || scheme == ChunkScheme::raw ||
      scheme == ChunkScheme::none) {
    throw UsageError(
        fmt::format("chunks cannot be written in scheme {}; choose one of bio, bio1, ioe, bioes",
                    in_quotes(chunk_scheme_name(scheme))));
  }
  check_chunks(chunks, length);
  std::vector<std::string> labels(length, "O");
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const Chunk& chunk = chunks[c];
    const bool follows_own_type =
        c > 0 && chunks[c - 1].end == chunk.begin && chunks[c - 1].type == chunk.type;
    for (std::size_t t = chunk.begin; t < chunk.end; ++t) {
      labels[t] = spelled_tag(chunk, t, follows_own_type, scheme);
      if (!chunk.type.empty()) labels[t].append("-").append(chunk.type);
    }
  }
  return labels;
}

std::vector<std::string> convert_labels(std::span<const std::string_view> labels, ChunkScheme from,
                                        ChunkScheme to) {
  return spell_chunks(chunks_of(labels, from), labels.size(), to);
}

}  // namespace croft
