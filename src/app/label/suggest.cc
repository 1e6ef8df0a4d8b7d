#include "app/label/suggest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "app/label/row_reader.h"
#include "croft/core/error.h"

namespace croft {
namespace {

bool goes_before(const Suggestion& a, const Suggestion& b) {
  return a.score != b.score ? a.score > b.score : a.sequence < b.sequence;
}

// Adds the line that the spans were read from, with the spans that the labels spell.
void add_spans(const InputSequence& input, const Tagging& tagging, const SequenceModel& model,
               Json& out) {
  const Json line = parse_json(input.line);
  for (const auto& [key, value] : line.items()) {
    if (!out.contains(key)) out[key] = value;
  }
  if (line.contains("spans") && !line.contains("gold")) out["gold"] = line["spans"];
  std::vector<std::string_view> labels;
  for (const Label y : tagging.y) labels.push_back(model.label(y));
  Json& spans = out["spans"] = Json::array();
  for (const LabelledSpan& each : spans_of_labels(labels, *spans_for(model, kSpanFormat))) {
    spans.push_back({each.begin, each.end, each.label});
  }
}

Json shown(const InputSequence& input, const Tagging& tagging, const SequenceModel& model,
           double score, std::size_t sequence) {
  Json labels = Json::array(), rows = Json::array();
  for (const Label y : tagging.y) labels.push_back(model.label(y));
  for (std::size_t t = 0; t < input.rows.rows(); ++t) {
    const ColumnSequence& read = input.rows;
    rows.push_back(input.labelled ? cells_before_label(read, t, read.columns(t) - 1)
                                  : std::string(read.line(t)));
  }
  Json out = {{"sequence", sequence}, {"labels", labels}};
  if (input.text.first_line > 0) out["line"] = input.text.first_line;
  out["score"] = score;  // null where no labelling is allowed
  if (!rows.empty()) out["rows"] = rows;
  if (model.extractor().config().format == InputFormat::text) out["text"] = input.document.text;
  if (!input.line.empty()) add_spans(input, tagging, model, out);
  return out;
}

}  // namespace

TagOptions suggest_questions(Uncertainty by) {
  TagOptions ask;
  ask.k_best = by == Uncertainty::margin ? 2 : 0;
  ask.entropy = by == Uncertainty::entropy;
  ask.marginals = by == Uncertainty::errors || by == Uncertainty::divergence;
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
    case Uncertainty::vote_entropy:
    case Uncertainty::divergence:
      break;  // of one model both are 0
  }
  return 0;
}

void Density::add(const TextSequence& sequence) {
  std::map<std::uint32_t, double> sums;
  const StringLists& node = sequence.node;
  for (std::size_t k = 0; k < node.items(); ++k) {
    if (node.item(k) == kIntercept) continue;  // which all sequences have
    const auto next = static_cast<std::uint32_t>(ids_.size());
    sums[ids_.try_emplace(std::string(node.item(k)), next).first->second] += node.value(k);
  }
  double squares = 0;
  for (const auto& [id, sum] : sums) squares += sum * sum;
  for (const auto& [id, sum] : sums) {
    if (sum != 0) items_.emplace_back(id, static_cast<float>(sum / std::sqrt(squares)));
  }
  end_.push_back(items_.size());
}

std::vector<double> Density::means() const {
  std::vector<double> all(ids_.size()), means;
  for (const auto& [id, value] : items_) all[id] += value;
  std::size_t k = 0;
  for (const std::size_t end : end_) {
    double sum = 0;  // over the others
    for (; k < end; ++k) {
      const double value = items_[k].second;
      sum += value * (all[items_[k].first] - value);
    }
    const auto others = static_cast<double>(end_.size() - 1);
    means.push_back(others == 0 ? 1 : std::max(0.0, sum / others));
  }
  return means;
}

void SuggestOptions::validate(std::size_t models) const {
  if (of_committee(by) && models < 2) {
    throw UsageError("--by ", kUncertainties[static_cast<std::size_t>(by)],
                     " is how much several models disagree; name two or more");
  }
  if (!of_committee(by) && models > 1) {
    throw UsageError("--by ", kUncertainties[static_cast<std::size_t>(by)],
                     " is of one model; of several there are vote-entropy and divergence");
  }
  if (!(density >= 0 && std::isfinite(density))) {
    throw UsageError("--density is a power, 0 or more");
  }
}

namespace {

// One model of the committee, and what it says of the sequence that was last read.
class Member {
 public:
  Member(const CommitteeMember& member, const TagOptions& ask)
      : plan_(*member.plan), source_(*member.source), ask_(ask), tagger_(plan_) {
    const SequenceModel& model = plan_.model();
    if (!model.has_probabilities()) {
      throw UsageError(model.container().name(),
                       " decides without probabilities, so it cannot say how sure it is");
    }
    plan_.check(ask);
  }
  bool next() { return source_.next(input_); }
  void tag(std::size_t n) {
    source_.extract(input_, scratch_);
    const ColumnSequence* rows = input_.rows.rows() > 0 ? &input_.rows : nullptr;
    tagging_ = &tagger_.tag(TagInput{input_.text, rows, source_.name(), n}, ask_);
  }
  const InputSequence& input() const { return input_; }
  const Tagging& tagging() const { return *tagging_; }
  const SequenceModel& model() const { return plan_.model(); }
  const LabelNames& names() const { return plan_.names(); }

 private:
  const TagPlan& plan_;
  SequenceStream& source_;
  TagOptions ask_;
  Tagger tagger_;
  InputSequence input_;
  Extractor::Scratch scratch_;
  const Tagging* tagging_ = nullptr;
};

// Labels of all models by one number each.
class Committee {
 public:
  Committee(std::span<const CommitteeMember> models, Uncertainty by) : by_(by) {
    const TagOptions ask = suggest_questions(by);
    for (const CommitteeMember& each : models) {
      members_.push_back(std::make_unique<Member>(each, ask));
      std::vector<std::size_t>& own = numbers_.emplace_back();
      for (const std::string& name : members_.back()->names().all()) {
        own.push_back(known_.try_emplace(name, known_.size()).first->second);
      }
    }
  }

  // Tags the next sequence.  False at the end.
  bool next(std::size_t n) {
    const bool found = first().next();
    for (std::size_t c = 1; c < members_.size(); ++c) {
      if (members_[c]->next() != found) fail(n);
    }
    if (!found) return false;
    for (const auto& each : members_) {
      each->tag(n);
      if (each->input().text.length() != first().input().text.length()) fail(n);
    }
    return true;
  }
  Member& first() { return *members_.front(); }

  double uncertainty() {
    if (members_.size() == 1) return uncertainty_of(first().tagging(), by_);
    const std::size_t length = first().input().text.length();
    for (const auto& each : members_) {
      if (!each->tagging().outcome.found) return std::numeric_limits<double>::infinity();
    }
    double sum = 0;
    for (std::size_t t = 0; t < length; ++t) {
      sum += by_ == Uncertainty::vote_entropy ? vote_entropy(t) : divergence(t);
    }
    return length == 0 ? 0 : sum / static_cast<double>(length);
  }

 private:
  [[noreturn]] void fail(std::size_t n) {
    throw Error("the models do not read the same sequences of the data: they differ at number ", n,
                ", from 0 on; give models of one format");
  }

  // (U.8)
  double vote_entropy(std::size_t t) {
    share_.assign(known_.size(), 0);
    const double vote = 1 / static_cast<double>(members_.size());
    for (std::size_t c = 0; c < members_.size(); ++c) {
      share_[numbers_[c][members_[c]->tagging().y[t]]] += vote;
    }
    double sum = 0;
    for (const double p : share_) sum -= p > 0 ? p * std::log(p) : 0;
    return std::max(0.0, sum);
  }

  // (U.9)
  double divergence(std::size_t t) {
    share_.assign(known_.size(), 0);
    const double weight = 1 / static_cast<double>(members_.size());
    for_each_marginal(t, [&](std::size_t label, double p) { share_[label] += weight * p; });
    double sum = 0;
    for_each_marginal(t, [&](std::size_t label, double p) {
      if (p > 0) sum += weight * p * std::log(p / share_[label]);
    });
    return std::max(0.0, sum);
  }

  template <class Visit>
  void for_each_marginal(std::size_t t, const Visit& visit) const {
    for (std::size_t c = 0; c < members_.size(); ++c) {
      const Tagging& tagging = members_[c]->tagging();
      for (Label y = 0; y < numbers_[c].size(); ++y) visit(numbers_[c][y], tagging.marginals(t, y));
    }
  }

  Uncertainty by_;
  std::vector<std::unique_ptr<Member>> members_;
  std::map<std::string, std::size_t> known_;
  std::vector<std::vector<std::size_t>> numbers_;  // [models][labels]
  std::vector<double> share_;                      // [known_]
};

// The first `most` of all that are added.
class Kept {
 public:
  explicit Kept(std::size_t most) : most_(most) {}
  bool takes(const Suggestion& one) const {
    return heap_.size() < most_ || (most_ > 0 && goes_before(one, heap_.front()));
  }
  void add(Suggestion one) {
    heap_.push_back(std::move(one));
    std::ranges::push_heap(heap_, goes_before);
    if (heap_.size() <= most_) return;
    std::ranges::pop_heap(heap_, goes_before);
    heap_.pop_back();
  }
  std::vector<Suggestion> take() {
    std::ranges::sort(heap_, goes_before);
    return std::move(heap_);
  }

 private:
  std::size_t most_;
  std::vector<Suggestion> heap_;  // whose first goes last
};

// (U.10)  A sequence without a labelling stays in front.
void weigh(const std::vector<double>& density, double beta, std::vector<Suggestion>& all) {
  for (Suggestion& each : all) {
    const double mean = density[each.sequence];
    if (std::isfinite(each.score)) each.score *= std::pow(mean, beta);
    each.json["score"] = each.score;
    each.json["density"] = mean;
  }
}

}  // namespace

std::vector<Suggestion> suggest(std::span<const CommitteeMember> models,
                                const SuggestOptions& options, const std::atomic<bool>& stop) {
  options.validate(models.size());
  Committee committee(models, options.by);
  Kept kept(options.most);
  Density density;
  std::vector<Suggestion> all;  // where all have to be known
  for (std::size_t n = 0; !stop && committee.next(n); ++n) {
    const Member& first = committee.first();
    Suggestion one{committee.uncertainty(), n, {}};
    const bool weighed = options.density > 0;
    if (!weighed && !kept.takes(one)) continue;
    one.json = shown(first.input(), first.tagging(), first.model(), one.score, n);
    if (!weighed) {
      kept.add(std::move(one));
      continue;
    }
    density.add(first.input().text);
    all.push_back(std::move(one));
  }
  if (options.density > 0) weigh(density.means(), options.density, all);
  for (Suggestion& each : all) {
    if (kept.takes(each)) kept.add(std::move(each));
  }
  return kept.take();
}

std::vector<Suggestion> suggest(const TagPlan& plan, SequenceStream& source, Uncertainty by,
                                std::size_t most, const std::atomic<bool>& stop) {
  const CommitteeMember alone{&plan, &source};
  return suggest(std::span(&alone, 1), {.by = by, .most = most}, stop);
}

}  // namespace croft
