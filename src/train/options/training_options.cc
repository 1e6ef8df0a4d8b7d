#include "train/options/training_options.h"

namespace croft {

std::vector<std::span<const OptionRow>> training_options() {
  return {data_options(),      feature_options(), method_options(), generative_options(),
          structure_options(), run_options(),     common_options()};
}

void check_meaning(const OptionRow& given, KindSet bit, const Message& shown) {
  if (has_meaning(given, bit)) return;
  throw UsageError(Message::option(given.name), " has no meaning for --model ", shown,
                   given.why.empty() ? Message() : Message(": ", given.why), "; leave it out");
}

void check_meaning(const OptionValues& values, KindSet bit, const Message& shown) {
  const bool spans = values.text("format") == "spans";
  for (const std::span<const OptionRow> table : values.tables()) {
    for (const OptionRow& row : table) {
      if (spans && row.name == "label-scheme") continue;  // how spans become labels
      if (values.given(row.name)) check_meaning(row, bit, shown);
    }
  }
}

}  // namespace croft
