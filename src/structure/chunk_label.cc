#include "croft/structure/chunk_label.h"

#include <cassert>

namespace croft {
namespace {

std::string_view bioes_to_bio(std::string_view tag) {
  if (tag == "S" || tag == "U") return "B";
  if (tag == "E" || tag == "L" || tag == "M") return "I";
  return tag;
}

ChunkTag chunk_tag(std::string_view text) {
  if (text.size() != 1) return ChunkTag::other;
  switch (text[0]) {
    case 'O':
      return ChunkTag::outside;
    case 'B':
      return ChunkTag::begin;
    case 'I':
      return ChunkTag::inside;
    case 'E':
      return ChunkTag::end;
    case '[':
    case ']':
      return ChunkTag::bracket;
    case '.':
      return ChunkTag::stop;
    default:
      return ChunkTag::other;
  }
}

// A label of this tag belongs to the chunk of its type.
bool has_type(ChunkTag tag) { return tag != ChunkTag::outside && tag != ChunkTag::stop; }

}  // namespace

ChunkLabel read_chunk_label(std::string_view label, ChunkScheme scheme) {
  assert(scheme != ChunkScheme::automatic);
  if (scheme == ChunkScheme::raw) {
    return label == "O" ? ChunkLabel{} : ChunkLabel{ChunkTag::begin, "B", label};
  }
  const std::size_t hyphen = label.find('-');
  std::string_view tag = label.substr(0, hyphen);
  if (scheme == ChunkScheme::bioes) tag = bioes_to_bio(tag);
  const std::string_view type =
      hyphen == std::string_view::npos ? std::string_view() : label.substr(hyphen + 1);
  return {chunk_tag(tag), tag, type};
}

bool chunk_starts(const ChunkLabel& previous, const ChunkLabel& current) {
  if (has_type(current.tag) && current.type != previous.type) return true;
  const ChunkTag before = previous.tag;
  switch (current.tag) {
    case ChunkTag::bracket:
      return true;
    case ChunkTag::begin:  // not after E: only a type tells that from a continuation
      return before == ChunkTag::outside || before == ChunkTag::begin || before == ChunkTag::inside;
    case ChunkTag::inside:
    case ChunkTag::end:
      return before == ChunkTag::outside || before == ChunkTag::end;
    default:
      return false;
  }
}

bool chunk_ends(const ChunkLabel& previous, const ChunkLabel& current) {
  if (has_type(previous.tag) && current.type != previous.type) return true;
  const ChunkTag after = current.tag;
  switch (previous.tag) {
    case ChunkTag::bracket:
      return true;
    case ChunkTag::begin:
    case ChunkTag::inside:
      return after == ChunkTag::outside || after == ChunkTag::begin;
    case ChunkTag::end:
      return after == ChunkTag::outside || after == ChunkTag::end || after == ChunkTag::inside;
    default:
      return false;
  }
}

}  // namespace croft
