// What an Evaluation found, as text for people and as JSON for programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/evaluate/evaluation.h"
#include "core/json.h"
#include "core/unicode.h"
#include "core/words/counted.h"
#include "croft/core/error.h"

namespace croft {
namespace {

// Percentages in the order of operations that conlleval uses.  A fraction times 100 can differ in
// its last bit, and then in the second decimal where the third is a five.
struct Percentages {
  double precision = 0, recall = 0, f1 = 0;
};

double percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

Percentages percentages(const Counts& counts) {
  Percentages p{percent(counts.correct, counts.predicted), percent(counts.correct, counts.gold), 0};
  if (p.precision + p.recall > 0) p.f1 = 2 * p.precision * p.recall / (p.precision + p.recall);
  return p;
}

std::string pad_right(std::string_view text, std::size_t columns) {
  std::string padded(text);
  if (character_count(text) < columns) padded.append(columns - character_count(text), ' ');
  return padded;
}

void append_row(std::string& out, const std::string& name, const Percentages& p) {
  out += fmt::format("{} {:>9.2f} {:>9.2f} {:>9.2f}", name, p.precision, p.recall, p.f1);
}

void append_counted_row(std::string& out, const std::string& name, const Counts& counts) {
  append_row(out, name, percentages(counts));
  out += fmt::format(" {:>9} {:>9} {:>9}\n", counts.correct, counts.predicted, counts.gold);
}

void append_header(std::string& out, std::string_view title, std::size_t columns) {
  out += fmt::format("\n{} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", pad_right(title, columns),
                     "precision", "recall", "F1", "correct", "predicted", "gold");
}

std::string_view shown_type(std::string_view type) { return type.empty() ? "(no type)" : type; }

// What each of the tokens is called, where every sequence has one.
void append_counts(std::string& out, const EvaluationSummary& s, std::string_view unit) {
  const auto line = [&](std::string_view name, std::size_t all, std::size_t correct) {
    out += fmt::format("{:<10} {:>9}   accuracy {:>6.2f} %   {} correct\n", name, all,
                       percent(correct, all), correct);
  };
  const bool single = !unit.empty() && s.tokens == s.sequences;
  line(single ? unit : "tokens", s.tokens, s.correct_tokens);
  if (!single) line("sequences", s.sequences, s.correct_sequences);
  if (s.unlabelled > 0) {
    out += fmt::format("           {:>9}   {} without a labelling, which count as wrong\n",
                       s.unlabelled, single ? unit : "sequences");
  }
  if (s.chunk && s.chunk->correct_tokens != s.correct_tokens) {
    out += fmt::format("read as chunk tags     accuracy {:>6.2f} %   {} correct\n",
                       percent(s.chunk->correct_tokens, s.tokens), s.chunk->correct_tokens);
  }
}

// The labels for which a log-loss is infinite.
std::string impossible_labels(const LogLoss& loss) {
  constexpr std::size_t kShown = 8;
  if (loss.impossible_labels.empty()) return "";
  std::string out = ": ";
  std::size_t shown = 0;
  for (const auto& [label, sequences] : loss.impossible_labels) {
    if (shown == kShown) break;
    out += shown++ == 0 ? "" : ", ";
    out += fmt::format("{} ({})", in_quotes(label), sequences);
  }
  const std::size_t more = loss.impossible_labels.size() - shown;
  return more == 0 ? out : out + fmt::format(" and {} more", more);
}

void append_overview(std::string& out, const EvaluationSummary& s, std::string_view unit) {
  append_counts(out, s, unit);
  if (s.cost) out += fmt::format("cost       {:>9.6g}   mean of what mistakes cost\n", *s.cost);
  if (!s.log_loss) return;
  const bool single = !unit.empty() && s.tokens == s.sequences;
  const std::string_view one = single ? unit.substr(0, unit.size() - 1) : "token";
  out += fmt::format("log-loss   {:>9.6f}   nats {} {}; {:.6f} in all\n", s.log_loss->per_token(),
                     one == "example" ? "an" : "a", one, s.log_loss->total);
  if (s.log_loss->impossible > 0) {
    out += fmt::format("           {:>9}   {} with gold labels of probability 0{}\n",
                       s.log_loss->impossible, single ? unit : "sequences",
                       impossible_labels(*s.log_loss));
  }
  out += fmt::format("perplexity {:>9.6g}   exp of the log-loss\n", s.log_loss->perplexity());
  if (s.brier) out += fmt::format("Brier      {:>9.6f}   0 is best, 2 is worst\n", *s.brier);
}

void append_chunks(std::string& out, const ChunkSummary& chunk, std::size_t columns) {
  append_header(out, fmt::format("chunk ({})", chunk_scheme_name(chunk.scheme)), columns);
  append_counted_row(out, pad_right("all chunks", columns), chunk.all);
  for (const NamedCounts& type : chunk.types) {
    append_counted_row(out, pad_right(shown_type(type.name), columns), type.counts);
  }
}

void append_labels(std::string& out, const EvaluationSummary& s, std::size_t columns) {
  append_header(out, "label", columns);
  for (const NamedCounts& label : s.labels) {
    append_counted_row(out, pad_right(label.name, columns), label.counts);
  }
  append_row(out, pad_right("macro average", columns),
             {100 * s.macro.precision, 100 * s.macro.recall, 100 * s.macro.f1});
  out += '\n';
  append_counted_row(out, pad_right("micro average", columns), s.micro);
}

void append_calibration(std::string& out, const Calibration& calibration) {
  out += fmt::format("\nexpected calibration error {:.2f} %\n", 100 * calibration.expected_error);
  out += fmt::format("{:<13} {:>9} {:>13} {:>9}\n", "probability", "accuracy", "mean predicted",
                     "count");
  for (const CalibrationBin& bin : calibration.bins) {
    if (bin.count == 0) continue;
    out += fmt::format("{:<13} {:>9.2f} {:>14.2f} {:>9}\n",
                       fmt::format("{:.0f} to {:.0f} %", 100 * bin.lower, 100 * bin.upper),
                       percent(bin.correct, bin.count), 100 * bin.mean_probability, bin.count);
  }
}

void append_rankings(std::string& out, const EvaluationSummary& s, std::size_t columns) {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.4f}", *value) : std::string("-");
  };
  for (const LabelRanking& each : s.rankings) {
    columns = std::max(columns, character_count(each.name));
  }
  out += fmt::format("\n{} {:>9} {:>18} {:>9} {:>9}\n", pad_right("ranked by", columns), "AUC",
                     "average precision", "gold", "others");
  for (const LabelRanking& each : s.rankings) {
    out += fmt::format("{} {:>9} {:>18} {:>9} {:>9}\n", pad_right(each.name, columns),
                       number(each.cases.auc), number(each.cases.average_precision),
                       each.cases.positives, each.cases.negatives);
  }
}

// The mistakes, the most frequent first.
//   of : labels or chunks
void append_confusion(std::string& out, std::string_view of, const std::vector<Confusion>& all,
                      std::size_t columns) {
  constexpr std::size_t kShown = 20;
  out += fmt::format("\n{} {} {:>9}\n", pad_right(fmt::format("{}, gold", of), columns),
                     pad_right("predicted", columns), "mistakes");
  std::size_t shown = 0, more = 0, rest = 0;
  for (const Confusion& each : all) {
    if (each.gold == each.predicted) continue;
    if (shown == kShown) {
      ++more;
      rest += each.count;
      continue;
    }
    ++shown;
    out += fmt::format("{} {} {:>9}\n", pad_right(shown_type(each.gold), columns),
                       pad_right(shown_type(each.predicted), columns), each.count);
  }
  if (shown == 0) out += "none\n";
  if (more > 0) out += fmt::format("{} more pairs of {}, {}\n", more, of, counted(rest, "mistake"));
}

// The columns that names take, in one width for both tables.
std::size_t name_columns(const EvaluationSummary& s) {
  std::size_t columns = character_count("macro average");
  for (const NamedCounts& label : s.labels)
    columns = std::max(columns, character_count(label.name));
  if (s.chunk) {
    for (const NamedCounts& type : s.chunk->types) {
      columns = std::max(columns, character_count(shown_type(type.name)));
    }
  }
  return columns;
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json scores(const Counts& counts) {
  return {{"precision", counts.precision()}, {"recall", counts.recall()}, {"f1", counts.f1()}};
}

Json scores_with_counts(const Counts& counts) {
  Json document = scores(counts);
  document["correct"] = counts.correct;
  document["predicted"] = counts.predicted;
  document["support"] = counts.gold;
  return document;
}

Json by_name(const std::vector<NamedCounts>& all) {
  Json document = Json::object();
  for (const NamedCounts& one : all) document[one.name] = scores_with_counts(one.counts);
  return document;
}

Json chunk_json(const ChunkSummary& chunk, std::size_t tokens) {
  Json document = scores_with_counts(chunk.all);
  document["scheme"] = chunk_scheme_name(chunk.scheme);
  document["accuracy"] = Counts{chunk.correct_tokens, tokens, tokens}.recall();
  document["types"] = by_name(chunk.types);
  return document;
}

Json confusion_json(const std::vector<Confusion>& all) {
  Json document = Json::object();
  for (const Confusion& each : all) document[each.gold][each.predicted] = each.count;
  return document;
}

Json ranking_json(const RankedCases& cases) {
  return {{"auc", cases.auc ? Json(*cases.auc) : Json()},
          {"average_precision", cases.average_precision ? Json(*cases.average_precision) : Json()},
          {"support", cases.positives},
          {"others", cases.negatives}};
}

Json calibration_json(const Calibration& calibration) {
  Json bins = Json::array();
  for (const CalibrationBin& bin : calibration.bins) {
    bins.push_back({{"lower", bin.lower},
                    {"upper", bin.upper},
                    {"count", bin.count},
                    {"accuracy", bin.accuracy()},
                    {"mean_probability", bin.mean_probability}});
  }
  return {{"count", calibration.count},
          {"expected_calibration_error", calibration.expected_error},
          {"bins", std::move(bins)}};
}

}  // namespace

std::string format_table(const EvaluationSummary& summary, std::string_view unit) {
  std::string out;
  const std::size_t columns = name_columns(summary);
  append_overview(out, summary, unit);
  if (summary.chunk) append_chunks(out, *summary.chunk, columns);
  append_labels(out, summary, columns);
  if (!summary.rankings.empty()) append_rankings(out, summary, columns);
  if (summary.confusion) {
    append_confusion(out, "labels", *summary.confusion, columns);
    if (summary.chunk) append_confusion(out, "chunks", summary.chunk->confusion, columns);
  }
  if (summary.calibration) append_calibration(out, *summary.calibration);
  return out;
}

Json to_json(const EvaluationSummary& summary) {
  Json document;
  document["tokens"] = {{"count", summary.tokens},
                        {"correct", summary.correct_tokens},
                        {"accuracy", summary.token_accuracy()}};
  document["sequences"] = {{"count", summary.sequences},
                           {"correct", summary.correct_sequences},
                           {"accuracy", summary.sequence_accuracy()}};
  document["labels"] = by_name(summary.labels);
  document["macro"] = {{"precision", summary.macro.precision},
                       {"recall", summary.macro.recall},
                       {"f1", summary.macro.f1}};
  document["micro"] = scores(summary.micro);
  if (summary.chunk) document["chunk"] = chunk_json(*summary.chunk, summary.tokens);
  document["log_loss"] = nullptr;
  if (summary.log_loss) {
    document["log_loss"] = finite_or_null(summary.log_loss->per_token());
    document["negative_log_probability"] = finite_or_null(summary.log_loss->total);
    document["impossible_sequences"] = summary.log_loss->impossible;
    for (const auto& [label, sequences] : summary.log_loss->impossible_labels) {
      document["impossible_labels"][label] = sequences;
    }
    document["perplexity"] = finite_or_null(summary.log_loss->perplexity());
  }
  if (summary.brier) document["brier"] = *summary.brier;
  if (summary.cost) document["cost"] = *summary.cost;
  for (const LabelRanking& each : summary.rankings) {
    document["ranking"][each.name] = ranking_json(each.cases);
  }
  if (summary.confusion) {
    document["confusion"] = confusion_json(*summary.confusion);
    if (summary.chunk) document["chunk_confusion"] = confusion_json(summary.chunk->confusion);
  }
  if (summary.unlabelled > 0) document["unlabelled_sequences"] = summary.unlabelled;
  if (summary.calibration) document["calibration"] = calibration_json(*summary.calibration);
  return document;
}

}  // namespace croft
