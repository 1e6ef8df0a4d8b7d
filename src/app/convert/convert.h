// From a model of one kind to a model of another with the same answers.
#pragma once
#include <string>
#include <string_view>

#include "app/kinds.h"

namespace croft {

// The same sections under another kind.
ContainerWriter with_kind(const Container& container, std::string_view kind);

// Reads the model, looks at every checksum (a conversion would carry damage on into a file that
// looks sound), converts it and writes the result (temporary, sync, rename).
//   to : a kind; empty: the one that the model's converts to
// Throws UsageError where there is no such conversion, listing those that there are.
// Returns the row of the kind that was converted.
const KindRow& convert_model(const std::string& input, std::string_view to,
                             const std::string& output);

}  // namespace croft
