#include "app/search/trials.h"

#include <utility>

#include "core/files.h"
#include "croft/core/error.h"

namespace croft {

void write_text(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string named_like(const std::string& data, std::string name) {
  return data.ends_with(".tsv") ? std::move(name) + ".tsv" : name;
}

double score_of(SearchMetric metric, const EvaluationSummary& summary) {
  switch (metric) {
    case SearchMetric::accuracy:
      return summary.token_accuracy();
    case SearchMetric::chunk_f1:
      if (!summary.chunk) {
        throw UsageError(
            "--metric chunk-f1: the labels of this data are no chunk labels; take accuracy or "
            "log-loss");
      }
      return summary.chunk->all.f1();
    case SearchMetric::log_loss:
    case SearchMetric::score:
      break;
  }
  if (!summary.log_loss) {
    throw UsageError("--metric log-loss: this model gives labels no probabilities; take accuracy");
  }
  return summary.log_loss->per_token();
}

bool in_percent(SearchMetric metric) {
  return metric == SearchMetric::accuracy || metric == SearchMetric::chunk_f1;
}

}  // namespace croft
