#include "app/label/tag_files.h"

#include "app/label/constraint_choice.h"
#include "croft/data/line_reader.h"

namespace croft {

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
