#include "app/label/tag_files.h"

#include <filesystem>

#include "core/words/closest_name.h"
#include "croft/core/error.h"
#include "data/settings/constraint_file.h"

namespace croft {

ChainConstraint choose_constraint(const std::string& choice, std::span<const std::string> names) {
  if (choice == "bio") return bio_constraint(names);
  if (choice == "bioes") return bioes_constraint(names);
  return read_constraint(constraint_lines(choice), names);
}

LineReader constraint_lines(const std::string& choice) {
  const std::string meant = did_you_mean(choice, {"bio", "bioes"});
  if (!meant.empty() && !std::filesystem::exists(choice)) {
    throw Error(choice, ": cannot open: No such file or directory", meant);
  }
  return LineReader(choice);
}

void read_limits(const SequenceModel& model, const std::string& constrain,
                 const std::string& penalties, TagRequest& out) {
  if (!constrain.empty()) {
    std::vector<std::string> names;
    for (Label y = 0; y < model.labels(); ++y) names.push_back(model.label(y));
    out.constraint = choose_constraint(constrain, names);
  }
  if (penalties.empty()) return;
  LineReader lines(penalties);
  const bool columns = model.extractor().config().format == InputFormat::columns;
  out.penalties =
      read_penalty_file(lines, columns ? PenaltyTests::cells : PenaltyTests::attributes);
}

}  // namespace croft
