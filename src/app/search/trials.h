// What trainings on parts of the data need: files that are gone at the end, and a score.
#pragma once
#include <string>

#include "app/evaluate/evaluation.h"
#include "app/search/search.h"
#include "app/work_folder.h"

namespace croft {

// Temporary, sync, rename.
void write_text(const std::string& path, const std::string& text);

// The name for a part of that file: where it ends in .tsv, so does the name, which is looked at
// where nothing says what stands between cells.
std::string named_like(const std::string& data, std::string name);

// Of log_loss the smaller the better.  Throws UsageError where the labels have no such score.
double score_of(SearchMetric metric, const EvaluationSummary& summary);
bool in_percent(SearchMetric metric);

}  // namespace croft
