// From a model of one kind to a model of another with the same answers.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "model/file/container.h"
#include "model/kinds/sequence_model.h"

namespace croft {

struct Conversion {
  std::string_view from, to;  // kinds
  std::string_view what;      // is kept: the middle of a line of help
  ContainerWriter (*make)(const SequenceModel& model);
};

// Every conversion there is, in the order of the help.
std::span<const Conversion> conversions();

// Reads the model, looks at every checksum (a conversion would carry damage on into a file that
// looks sound), converts it and writes the result (temporary, sync, rename).
//   to : a kind; empty: that of the only conversion there is from the model's
// Throws UsageError where there is no such conversion, listing those that there are.
// Returns the one that was taken.
const Conversion& convert_model(const std::string& input, std::string_view to,
                                const std::string& output);

}  // namespace croft
