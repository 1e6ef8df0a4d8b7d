// How data becomes strings, as a model file keeps it: "extraction" in the section meta, and
// sections of its own where it is long.  docs/format.md.
#pragma once

#include "features/extraction.h"
#include "model/file/container.h"

namespace croft {
class Json;

Json extraction_record(const ExtractionConfig& config);
void write_extraction_sections(const ExtractionConfig& config, ContainerWriter& out);

// The inverse.  Throws Error where the file is damaged.
ExtractionConfig read_extraction(const Container& container, const Json& meta);

}  // namespace croft
