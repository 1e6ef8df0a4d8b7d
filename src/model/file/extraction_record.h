// How data becomes strings, as a model file keeps it: "extraction" in the section meta, and
// sections of its own where it is long.  docs/format.md.
#pragma once
#include <string_view>

#include "features/extraction.h"
#include "model/file/container.h"

namespace croft {
class Json;

// Required where there is one: who does not know it would label without what documents say.
inline constexpr std::string_view kDocumentsSection = "documents";

Json extraction_record(const ExtractionConfig& config);
void write_extraction_sections(const ExtractionConfig& config, ContainerWriter& out);

// The inverse.  Throws Error where the file is damaged.
ExtractionConfig read_extraction(const Container& container, const Json& meta);

}  // namespace croft
