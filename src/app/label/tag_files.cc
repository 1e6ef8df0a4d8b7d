#include "app/label/tag_files.h"

#include "croft/data/line_reader.h"
#include "data/settings/constraint_file.h"

namespace croft {

ChainConstraint choose_constraint(const std::string& choice, std::span<const std::string> names) {
  if (choice == "bio") return bio_constraint(names);
  if (choice == "bioes") return bioes_constraint(names);
  return read_constraint(LineReader(choice), names);
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
