// Any bytes as a resource of a feature kit, whose first byte says which: an InputError, or words
// that are found again.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "features/kit/embeddings.h"
#include "features/kit/gazetteer.h"
#include "features/kit/word_table.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_word_lists {

namespace {

void read_gazetteer(std::string_view text, bool fold) {
  croft::GazetteerBuilder builder(fold);
  builder.read(croft::LineReader(text, "fuzz"));
  const croft::Gazetteer gazetteer = builder.build();
  require(gazetteer.entries() > 0, "a gazetteer without entries");
  std::vector<std::string> tokens;  // the text itself holds matches
  for (std::size_t at = 0; at < text.size() && tokens.size() < 1000;) {
    const std::size_t end = std::min(text.find_first_of(" \t\v\f\r\n", at), text.size());
    if (end > at) tokens.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  croft::Gazetteer::Scratch scratch;
  std::vector<std::uint32_t> marks;
  gazetteer.match(
      tokens.size(), [&](std::size_t t) { return std::string_view(tokens[t]); }, scratch, marks);
  for (std::size_t t = 0; t < marks.size(); ++t) {
    require(marks[t] < gazetteer.mark_names().size(), "a mark without a name");
    const bool inside = marks[t] > 0 && marks[t] % 2 == 0;
    require(!inside || (t > 0 && (marks[t - 1] + 1) / 2 == marks[t] / 2), "I without B before it");
  }
}

void read_clusters(std::string_view text) {
  const auto clusters = croft::WordClusters::read(croft::LineReader(text, "fuzz"));
  std::string lower;
  for (const std::uint32_t cluster : clusters.clusters()) {
    require(cluster < clusters.paths().size(), "a cluster without a path");
  }
  for (const std::string& path : clusters.paths()) require(!path.empty(), "an empty path");
  require(clusters.find("\x01\x02", lower) == croft::kUnknown || clusters.words().size() > 0, "");
}

void read_embeddings(std::string_view text, unsigned scale) {
  croft::EmbeddingOptions options;
  options.scale = static_cast<croft::EmbeddingScale>(scale % 3);
  const auto embeddings = croft::Embeddings::read(croft::LineReader(text, "fuzz"), options);
  require(embeddings.words().size() > 0 && embeddings.dimension() > 0, "no embeddings");
  for (const float value : embeddings.values()) require(!std::isnan(value), "not a number");
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_word_lists) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 4) {
      case 0:
      case 1:
        read_gazetteer(text, data[0] % 4 == 0);
        break;
      case 2:
        read_clusters(text);
        break;
      default:
        read_embeddings(text, data[0] / 4);
    }
  } catch (const croft::InputError&) {
  }
  return 0;
}

}  // namespace fuzz_word_lists
