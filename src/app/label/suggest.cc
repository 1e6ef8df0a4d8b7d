#include "app/label/suggest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "croft/core/error.h"

namespace croft {
namespace {

bool goes_before(const Suggestion& a, const Suggestion& b) {
  return a.score != b.score ? a.score > b.score : a.sequence < b.sequence;
}

Json shown(const InputSequence& input, const Tagging& tagging, const SequenceModel& model,
           double score, std::size_t sequence) {
  Json labels = Json::array(), rows = Json::array();
  for (const Label y : tagging.y) labels.push_back(model.label(y));
  for (std::size_t t = 0; t < input.rows.rows(); ++t) rows.push_back(input.rows.line(t));
  Json out = {{"sequence", sequence}, {"line", input.text.first_line}, {"labels", labels}};
  out["score"] = score;  // null where no labelling is allowed
  if (!rows.empty()) out["rows"] = rows;
  if (model.extractor().config().format == InputFormat::text) out["text"] = input.document.text;
  return out;
}

}  // namespace

TagOptions suggest_questions(Uncertainty by) {
  TagOptions ask;
  ask.k_best = by == Uncertainty::margin ? 2 : 0;
  ask.entropy = by == Uncertainty::entropy;
  ask.marginals = by == Uncertainty::errors;
  return ask;
}

double uncertainty_of(const Tagging& tagging, Uncertainty by) {
  if (!tagging.outcome.found) return std::numeric_limits<double>::infinity();
  switch (by) {
    case Uncertainty::margin: {
      const auto p = [&](std::size_t k) {
        return k < tagging.k_best.size() ? std::exp(tagging.k_best[k].score - tagging.log_partition)
                                         : 0;
      };
      return 1 - (p(0) - p(1));
    }
    case Uncertainty::entropy:
      return tagging.entropy;
    case Uncertainty::errors: {
      double sum = 0;
      for (std::size_t t = 0; t < tagging.y.size(); ++t) {
        sum += 1 - tagging.marginals(t, tagging.y[t]);
      }
      return sum;
    }
  }
  return 0;
}

std::vector<Suggestion> suggest(const TagPlan& plan, SequenceSource& source, Uncertainty by,
                                std::size_t most, const std::atomic<bool>& stop) {
  const SequenceModel& model = plan.model();
  if (!model.has_probabilities()) {
    throw UsageError(model.container().name(),
                     " decides without probabilities, so it cannot say how sure it is");
  }
  const TagOptions ask = suggest_questions(by);
  plan.check(ask);
  Tagger tagger(plan);
  std::vector<Suggestion> kept;  // a heap whose first goes last
  InputSequence input;
  Extractor::Scratch scratch;
  for (std::size_t n = 0; !stop && source.next(input); ++n) {
    source.extract(input, scratch);
    const ColumnSequence* rows = input.rows.rows() > 0 ? &input.rows : nullptr;
    const Tagging& tagging = tagger.tag(TagInput{input.text, rows, source.name(), n}, ask);
    Suggestion one{uncertainty_of(tagging, by), n, {}};
    if (kept.size() == most && (most == 0 || !goes_before(one, kept.front()))) continue;
    one.json = shown(input, tagging, model, one.score, n);
    kept.push_back(std::move(one));
    std::ranges::push_heap(kept, goes_before);
    if (kept.size() <= most) continue;
    std::ranges::pop_heap(kept, goes_before);
    kept.pop_back();
  }
  std::ranges::sort(kept, goes_before);
  return kept;
}

}  // namespace croft
