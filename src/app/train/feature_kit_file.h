// Feature kits as files: TOML that declares what is computed, and names the files it is computed
// from. docs/features.md describes every key.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/line_reader.h"
#include "features/kit/feature_kit.h"

namespace croft {

// Opens a file that a kit names.
using OpenResource = std::function<LineReader(const std::string& path)>;

// Throws InputError (file, line, column, remedy) for text that is no TOML, for keys that a feature
// does not have or lacks, values out of range, and as the readers of the resources do.
//   words : cuts the entries of lists as texts are cut (kit_words()); without: blanks do
std::shared_ptr<const FeatureKit> parse_feature_kit(std::string_view text, const std::string& name,
                                                    const OpenResource& open,
                                                    const std::optional<Tokenizer>& words = {});

// The kit of a file; what it names is looked for beside it, unless the path is absolute.
std::shared_ptr<const FeatureKit> read_feature_kit(const std::string& path,
                                                   const std::optional<Tokenizer>& words = {});

// The files that read_feature_kit() reads, the kit itself first.
std::vector<std::string> feature_kit_files(const std::string& path);

}  // namespace croft
