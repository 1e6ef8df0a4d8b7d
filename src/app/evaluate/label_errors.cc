#include "app/evaluate/label_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "app/explain/reasons.h"
#include "app/kinds.h"
#include "app/label/sequence_source.h"
#include "app/label/tagger.h"
#include "croft/core/error.h"

namespace croft {
namespace {

using Words = std::unordered_set<std::string>;

// Words are in the first column; a document is shown as a whole, and other formats have none.
std::string_view word(const InputSequence& input, std::size_t t) {
  return input.rows.rows() > 0 ? input.rows.cell(t, 0) : std::string_view(input.document.text);
}
bool has_words(const InputSequence& input) { return !word(input, 0).empty(); }

Words words_of(const SequenceModel& model, const std::string& path) {
  Words words;
  if (path.empty()) return words;
  SequenceSource source(path, model, Labels::optional);
  for_each_sequence(source, [&](const InputSequence& input) {
    for (std::size_t t = 0; t < input.text.length(); ++t) words.emplace(word(input, t));
  });
  return words;
}

// A sequence with what it is and what it was called.
struct Labelled {
  const InputSequence& input;
  std::vector<std::string_view> gold, predicted;
  const Tagging& tagging;
};

// What one sequence has of errors.
class ErrorFinder {
 public:
  ErrorFinder(const Labelled& labelled, ChunkScheme scheme, std::size_t number, const Words* words)
      : s_(labelled), scheme_(scheme), number_(number), words_(words) {}

  void find(ErrorReport& report) {
    if (scheme_ == ChunkScheme::none) {
      find_labels(report);
    } else {
      find_chunks(report);
    }
  }

 private:
  void find_labels(ErrorReport& report) {
    for (std::size_t t = 0; t < s_.gold.size(); ++t) {
      const bool right = s_.gold[t] == s_.predicted[t];
      count(t, t + 1, right, report);
      if (right) continue;
      add(ErrorKind::label, t, t + 1, std::string(s_.gold[t]), std::string(s_.predicted[t]),
          probability_at(t), report);
    }
  }

  void find_chunks(ErrorReport& report) {
    const std::vector<Chunk> gold = chunks_of(s_.gold, scheme_),
                             predicted = chunks_of(s_.predicted, scheme_);
    std::vector<bool> told(predicted.size(), false);
    for (const Chunk& g : gold) {
      const auto same = std::ranges::find(predicted, g);
      count(g.begin, g.end, same != predicted.end(), report);
      if (same != predicted.end()) {
        told[static_cast<std::size_t>(same - predicted.begin())] = true;
        continue;
      }
      // The predicted chunk that shares most of it.
      std::size_t best = predicted.size(), most = 0;
      for (std::size_t k = 0; k < predicted.size(); ++k) {
        const std::size_t begin = std::max(g.begin, predicted[k].begin),
                          end = std::min(g.end, predicted[k].end);
        if (begin < end && end - begin > most) best = k, most = end - begin;
      }
      if (best == predicted.size()) {
        add(ErrorKind::missed, g.begin, g.end, shown(g), "", probability_at(g.begin), report);
        continue;
      }
      const Chunk& p = predicted[best];
      told[best] = true;
      const bool type = g.type == p.type, place = g.begin == p.begin && g.end == p.end;
      add(type    ? ErrorKind::boundary
          : place ? ErrorKind::type
                  : ErrorKind::both,
          std::min(g.begin, p.begin), std::max(g.end, p.end), shown(g), shown(p), probability_of(p),
          report);
    }
    for (std::size_t k = 0; k < predicted.size(); ++k) {
      if (told[k]) continue;
      const Chunk& p = predicted[k];
      add(ErrorKind::invented, p.begin, p.end, "", shown(p), probability_of(p), report);
    }
  }

  std::string text(std::size_t begin, std::size_t end) const {
    std::string out;
    for (std::size_t t = begin; t < end; ++t) {
      out += (out.empty() ? "" : " ") + std::string(word(s_.input, t));
    }
    return out;
  }
  std::string shown(const Chunk& chunk) const {
    const std::string what = has_words(s_.input) ? text(chunk.begin, chunk.end)
                             : chunk.end == chunk.begin + 1
                                 ? fmt::format("at position {}", chunk.begin + 1)
                                 : fmt::format("at positions {} to {}", chunk.begin + 1, chunk.end);
    return (chunk.type.empty() ? "" : std::string(chunk.type) + " ") + what;
  }
  std::optional<double> probability_at(std::size_t t) const {
    if (s_.tagging.marginals.rows() == 0) return std::nullopt;
    return s_.tagging.marginals(t, s_.tagging.y[t]);
  }
  std::optional<double> probability_of(const Chunk& chunk) const {
    for (const SpanProbability& each : s_.tagging.spans) {
      if (each.begin == chunk.begin && each.end == chunk.end) return each.probability;
    }
    return probability_at(chunk.begin);
  }
  bool is_unseen(std::size_t begin, std::size_t end) const {
    for (std::size_t t = begin; t < end; ++t) {
      if (words_ != nullptr && !words_->contains(std::string(word(s_.input, t)))) return true;
    }
    return false;
  }

  void count(std::size_t begin, std::size_t end, bool right, ErrorReport& report) const {
    ++report.gold;
    report.found += right ? 1 : 0;
    if (words_ == nullptr) return;
    auto& recall = is_unseen(begin, end) ? report.unseen : report.seen;
    ++recall->gold;
    recall->found += right ? 1 : 0;
  }

  void add(ErrorKind kind, std::size_t begin, std::size_t end, std::string gold,
           std::string predicted, std::optional<double> probability, ErrorReport& report) const {
    ++report.count[static_cast<std::size_t>(kind)];
    LabelError error{.kind = kind,
                     .sequence = number_,
                     .line = s_.input.text.line_of(begin),
                     .position = first_wrong(begin, end),
                     .gold = std::move(gold),
                     .predicted = std::move(predicted),
                     .probability = probability,
                     .unseen = is_unseen(begin, end)};
    constexpr std::size_t kAround = 6;  // words before and behind it
    const std::size_t length = s_.gold.size(), from = begin > kAround ? begin - kAround : 0,
                      to = std::min(length, end + kAround);
    if (!has_words(s_.input)) {
      error.context.clear();
    } else if (s_.input.single) {
      error.context = text(begin, end);
    } else {
      error.context = (from > 0 ? "… " : "") + text(from, begin) + (begin > from ? " [" : "[") +
                      text(begin, end) + (end < to ? "] " : "]") + text(end, to) +
                      (to < length ? " …" : "");
    }
    report.errors.push_back(std::move(error));
  }
  std::size_t first_wrong(std::size_t begin, std::size_t end) const {
    while (begin + 1 < end && s_.gold[begin] == s_.predicted[begin]) ++begin;
    return begin;
  }

  const Labelled& s_;
  ChunkScheme scheme_;
  std::size_t number_;
  const Words* words_;
};

// All labelled sequences of the file.
void label_all(const TagPlan& plan, const std::string& path, const TagOptions& ask,
               const std::function<void(std::size_t, const Labelled&)>& visit) {
  const SequenceModel& model = plan.model();
  SequenceSource source(path, model, Labels::required);
  Tagger tagger(plan);
  std::size_t number = 0;
  for_each_sequence(source, [&](const InputSequence& input) {
    const ColumnSequence* rows = input.rows.rows() > 0 ? &input.rows : nullptr;
    const Tagging& tagging = tagger.tag(TagInput{input.text, rows, source.name(), number}, ask);
    Labelled one{input, {}, std::vector<std::string_view>(input.text.length()), tagging};
    for (std::size_t t = 0; t < input.text.length(); ++t) {
      one.gold.push_back(input.text.labels.item(t));
      if (t < tagging.y.size()) one.predicted[t] = plan.names()[tagging.y[t]];
    }
    visit(number++, one);
  });
}

// Why each error has its labels, and not the gold ones.
void explain_errors(const TagPlan& plan, const std::string& path, ChunkScheme scheme,
                    ErrorReport& report) {
  const SequenceExplainer explainer = kind_of(plan.model()).explainer(plan);
  SequenceSource source(path, plan.model(), Labels::required);
  std::size_t number = 0;
  for_each_sequence(source, [&](const InputSequence& input) {
    for (LabelError& each : report.errors) {
      if (each.sequence != number) continue;
      const ExplainOptions options{.positions = {each.position}, .gold = true, .scheme = scheme};
      const ColumnSequence* rows = input.rows.rows() > 0 ? &input.rows : nullptr;
      const View view =
          explainer.explain(TagInput{input.text, rows, source.name()}, input, options).view;
      each.why = view.text;
      each.reasons = view.json;
    }
    ++number;
  });
}

}  // namespace

ErrorReport find_errors(const SequenceModel& model, const std::string& path,
                        const ErrorOptions& options) {
  TagRequest request;
  request.scheme = scheme_in_training(model, options.scheme);
  const TagPlan plan(model, request);
  const ChunkScheme scheme = plan.scheme();
  ErrorReport report;
  report.chunks = scheme != ChunkScheme::none;
  if (options.kind && (*options.kind == ErrorKind::label) == report.chunks) {
    throw UsageError("--kind ", kErrorKinds[static_cast<std::size_t>(*options.kind)],
                     report.chunks ? Message(": the labels spell chunks; take another kind, or "
                                             "--chunks none")
                                   : ": the labels spell no chunks, and errors are of kind label");
  }
  if (!options.train.empty() && model.extractor().config().format != InputFormat::columns) {
    throw UsageError("--train tells words that were not seen in training, of data of columns; ",
                     model.container().name(), " reads ",
                     format_name(model.extractor().config().format), " data: leave it out");
  }
  const Words words = words_of(model, options.train);
  if (!options.train.empty()) report.seen.emplace(), report.unseen.emplace();
  const Words* const known = options.train.empty() ? nullptr : &words;
  TagOptions ask;
  ask.marginals = model.has_probabilities();
  ask.spans = ask.marginals && report.chunks && !model.labels_are_independent();
  label_all(plan, path, ask, [&](std::size_t number, const Labelled& one) {
    ++report.sequences;
    report.wrong_sequences += one.gold != one.predicted ? 1 : 0;
    ErrorFinder(one, scheme, number, known).find(report);
  });
  if (options.kind) {
    std::erase_if(report.errors, [&](const LabelError& each) { return each.kind != options.kind; });
  }
  std::ranges::stable_sort(report.errors, std::ranges::greater(), &LabelError::probability);
  if (report.errors.size() > options.top) report.errors.resize(options.top);
  if (options.explain) explain_errors(plan, path, scheme, report);
  return report;
}

namespace {

std::string share(std::size_t part, std::size_t of) {
  return of == 0 ? "" : fmt::format("{:7.2f} %", 100 * double(part) / double(of));
}

}  // namespace

std::string format_errors(const ErrorReport& report) {
  const std::string what = report.chunks ? "chunks" : "labels";
  std::string out = fmt::format(
      "sequences  {:8}   with an error {:8} {}\n{:<10} {:8}   found         {:8} {}\n",
      report.sequences, report.wrong_sequences, share(report.wrong_sequences, report.sequences),
      what, report.gold, report.found, share(report.found, report.gold));
  const auto row = [&](std::string_view name, const std::optional<FoundCount>& recall) {
    if (!recall) return;
    out += fmt::format("  {:<8} {:8}   found         {:8} {}\n", name, recall->gold, recall->found,
                       share(recall->found, recall->gold));
  };
  row("seen", report.seen);
  row("unseen", report.unseen);
  out += "\n";
  for (std::size_t k = 0; k < kErrorKinds.size(); ++k) {
    if ((k == static_cast<std::size_t>(ErrorKind::label)) == report.chunks) continue;
    out += fmt::format("{:<10} {:8}\n", kErrorKinds[k], report.count[k]);
  }
  for (const LabelError& each : report.errors) {
    out += fmt::format("\nline {}: {}{}\n", each.line,
                       kErrorKinds[static_cast<std::size_t>(each.kind)],
                       each.unseen ? ", with a word that training has not" : "");
    if (!each.gold.empty()) out += "  gold       " + each.gold + "\n";
    out += "  predicted  " + (each.predicted.empty() ? "nothing" : each.predicted);
    out += each.probability ? fmt::format("  {:.4f}\n", *each.probability) : "\n";
    if (!each.context.empty()) out += "  " + each.context + "\n";
    if (!each.why.empty()) out += "\n" + each.why;
  }
  return out;
}

Json to_json(const ErrorReport& report) {
  Json counts = Json::object(), errors = Json::array();
  for (std::size_t k = 0; k < kErrorKinds.size(); ++k) {
    if ((k == static_cast<std::size_t>(ErrorKind::label)) == report.chunks) continue;
    counts[kErrorKinds[k]] = report.count[k];
  }
  for (const LabelError& each : report.errors) {
    Json one = {{"kind", kErrorKinds[static_cast<std::size_t>(each.kind)]},
                {"sequence", each.sequence},
                {"line", each.line},
                {"position", each.position},
                {"gold", each.gold},
                {"predicted", each.predicted},
                {"context", each.context}};
    if (each.probability) one["probability"] = *each.probability;
    if (report.unseen) one["unseen"] = each.unseen;
    if (!each.reasons.is_null()) one["why"] = each.reasons;
    errors.push_back(std::move(one));
  }
  Json out = {{"sequences", report.sequences},
              {"wrong_sequences", report.wrong_sequences},
              {"of", report.chunks ? "chunks" : "labels"},
              {"gold", report.gold},
              {"found", report.found},
              {"kinds", counts},
              {"errors", errors}};
  const auto add = [&](const char* name, const std::optional<FoundCount>& recall) {
    if (recall) out[name] = {{"gold", recall->gold}, {"found", recall->found}};
  };
  add("seen", report.seen);
  add("unseen", report.unseen);
  return out;
}

}  // namespace croft
