#include "app/label/predict_output.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/json.h"
#include "croft/core/error.h"
#include "data/csv.h"

namespace croft {
namespace {

// Labels from attribute lines may hold spaces: as columns they could not be read back.
void require_cells(const LabelNames& names) {
  for (const std::string& name : names.all()) {
    if (name.find_first_of(" \t") == std::string::npos) continue;
    throw UsageError("the label ", in_quotes(name),
                     " has a space, so it cannot be a column; use --to labels or json");
  }
}

// Tokens of spans may be any text.
void require_plain_cells(const ColumnSequence& rows) {
  const std::optional<std::string_view> cell = unplain_cell(rows);
  if (!cell) return;
  throw Error("the token ", in_quotes(*cell), " in line ", rows.first_line,
              " of the data cannot be a column; use --to spans, labels or json");
}

Json names_of(std::span<const Label> y, const LabelNames& names) {
  Json list = Json::array();
  for (const Label label : y) list.push_back(names[label]);
  return list;
}

// {from: {to: value}} of the edges at one position.
Json by_labels(std::span<const EdgeProbability> edges, const LabelNames& names) {
  Json object = Json::object();
  for (const EdgeProbability& edge : edges) object[names[edge.from]][names[edge.to]] = edge.value;
  return object;
}

// One such object for each t from 1 on.
Json edges_json(const Tagging& tagging, const LabelNames& names) {
  Json list = Json::array();
  const std::span<const EdgeProbability> edges = tagging.edges;
  std::size_t begin = 0;
  for (std::size_t t = 1; t < tagging.y.size(); ++t) {
    std::size_t end = begin;
    while (end < edges.size() && edges[end].t == t) ++end;
    list.push_back(by_labels(edges.subspan(begin, end - begin), names));
    begin = end;
  }
  return list;
}

Json marginals_json(const Tagging& tagging, MarginalOutput which, const LabelNames& names) {
  Json list = Json::array();
  for (std::size_t t = 0; t < tagging.y.size(); ++t) {
    if (which == MarginalOutput::predicted) {
      list.push_back(tagging.marginals(t, tagging.y[t]));
      continue;
    }
    Json& row = list.emplace_back(Json::object());
    for (Label j = 0; j < names.size(); ++j) row[names[j]] = tagging.marginals(t, j);
  }
  return list;
}

Json k_best_json(const Tagging& tagging, const LabelNames& names) {
  Json list = Json::array();
  for (const ScoredLabelling& labelling : tagging.k_best) {
    const double log_p = std::min(0.0, labelling.score - tagging.log_partition);
    list.push_back({{"labels", names_of(labelling.labels, names)},
                    {"probability", std::exp(log_p)},
                    {"log_probability", log_p}});
  }
  return list;
}

// [[start, end, type], …] of the chunks that labels spell.
Json chunks_json(std::span<const Label> y, const LabelNames& names, ChunkScheme scheme) {
  std::vector<std::string_view> labels;
  for (const Label label : y) labels.push_back(names[label]);
  Json list = Json::array();
  for (const auto& [begin, end, type] : chunks_of(labels, scheme)) {
    list.push_back({begin, end, type});
  }
  return list;
}

Json spans_json(const Tagging& tagging) {
  Json list = Json::array();
  for (const SpanProbability& span : tagging.spans) {
    list.push_back({{"start", span.begin},
                    {"end", span.end},
                    {"label", span.type},
                    {"probability", span.probability}});
  }
  return list;
}

Json counts_json(const Tagging& tagging, const LabelNames& names) {
  Json labels = Json::object();
  for (Label j = 0; j < names.size(); ++j) labels[names[j]] = tagging.label_counts[j];
  return {{"labels", labels}, {"transitions", by_labels(tagging.edge_counts, names)}};
}

}  // namespace

TagOptions PredictOptions::questions() const {
  TagOptions questions = ask;
  questions.marginals = marginals != MarginalOutput::none;
  return questions;
}

std::string_view why_none(const TagOutcome& outcome) {
  if (outcome.by_model) return "the model gives every labelling of this sequence probability 0";
  return outcome.exact ? "no labelling of this sequence is allowed"
                       : "none of the labellings that were tried obeys the rules";
}

PredictionFormatter::PredictionFormatter(const TagPlan& plan, const PredictOptions& options)
    : plan_(plan), options_(options) {
  const InputFormat format = plan.model().extractor().config().format;
  const bool gives_rows = options.output == OutputFormat::given && format == InputFormat::columns;
  if (gives_rows || options.output == OutputFormat::columns) require_cells(plan.names());
  if (options.output == OutputFormat::json) return;
  if (options.output == OutputFormat::spans) {
    scheme_ = plan.scheme();
    if (scheme_ == ChunkScheme::none) {
      const std::vector<std::string_view> labels(plan.names().all().begin(),
                                                 plan.names().all().end());
      scheme_ = span_scheme(labels);
    }
    if (format != InputFormat::columns) {
      throw UsageError("--to spans writes tokens, and the model's data has none; use json");
    }
    if (scheme_ == ChunkScheme::none) {
      throw UsageError(
          "--to spans: the labels of the model spell no chunks; use --to json, or "
          "--chunks raw, which takes each label but O for a span of one token");
    }
    return;
  }
  for (const auto& [asked, name] : {std::pair{options.ask.spans, Message("--spans")},
                                    {options.ask.edges, "--marginals=edges"}}) {
    if (asked) throw UsageError(name, " is written as JSON; use --to json");
  }
}

void PredictionFormatter::append(const InputSequence& sequence, const Tagging& tagging,
                                 std::string& out) const {
  if (options_.output == OutputFormat::json) {
    append_json(tagging, out);
    return;
  }
  if (options_.output == OutputFormat::spans) {
    append_spans(sequence, tagging, out);
    return;
  }
  if (options_.output == OutputFormat::given) {
    append_given(sequence, tagging, out);
    return;
  }
  if (options_.output == OutputFormat::columns && !sequence.line.empty()) {
    require_plain_cells(sequence.rows);
  }
  const auto to = std::back_inserter(out);
  if (!tagging.outcome.found) {
    fmt::format_to(to, "# error {}\n{}", why_none(tagging.outcome), sequence.single ? "" : "\n");
    return;
  }
  append_remarks(tagging, out);
  if (options_.ask.k_best == 0) append_block(sequence, tagging, tagging.y, out);
  for (std::size_t k = 0; k < tagging.k_best.size(); ++k) {
    const auto& [labels, score] = tagging.k_best[k];
    fmt::format_to(to, "# {} {:.6g}\n", k + 1,
                   std::exp(std::min(0.0, score - tagging.log_partition)));
    append_block(sequence, tagging, labels, out);
  }
  for (std::size_t n = 0; n < tagging.samples.size(); ++n) {
    fmt::format_to(to, "# sample {}\n", n + 1);
    append_block(sequence, tagging, tagging.samples[n], out);
  }
}

namespace {

// Of a row, text or record of this format.
char separator_of(const ExtractionConfig& config, std::string_view line) {
  if (config.format == InputFormat::csv) return config.csv.delimiter;
  return config.format == InputFormat::columns && line.find('\t') == line.npos ? ' ' : '\t';
}

}  // namespace

// A sequence without a labelling has the label ? with the probability nan.
void PredictionFormatter::append_given(const InputSequence& sequence, const Tagging& tagging,
                                       std::string& out) const {
  const ExtractionConfig& config = plan_.model().extractor().config();
  const std::string_view text = sequence.given.text;
  std::size_t at = 0, t = 0;
  bool header = sequence.header;
  for (const GivenLines::Line& line : sequence.given.marked) {
    out += text.substr(at, line.end - at);
    at = line.end;
    if (header) {
      append_names(text.substr(0, at), out);
      header = false;
      continue;
    }
    const char separator = separator_of(config, text.substr(line.begin, line.end - line.begin));
    const bool found = tagging.outcome.found;
    const std::string label = found ? plan_.names()[tagging.y[t]] : std::string("?");
    out += separator;
    out += config.format == InputFormat::csv ? csv_cell(label, separator) : label;
    out += separator;
    out += found ? fmt::format("{:.6f}", tagging.marginals(t, tagging.y[t])) : "nan";
    ++t;
  }
  out += text.substr(at);
}

// label and probability, or what the table does not have yet.
void PredictionFormatter::append_names(std::string_view header, std::string& out) const {
  const char delimiter = plan_.model().extractor().config().csv.delimiter;
  CsvRecordReader reader(LineReader(header, "the header"), delimiter);
  CsvRecord names;
  reader.next(names);
  const auto has = [&](const std::string& name) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k] == name) return true;
    }
    return false;
  };
  for (std::string name : {"label", "probability"}) {
    while (has(name)) name = "predicted_" + name;
    (out += delimiter) += name;
  }
}

// Lines about the whole sequence.
void PredictionFormatter::append_remarks(const Tagging& tagging, std::string& out) const {
  const auto to = std::back_inserter(out);
  const TagOptions& ask = options_.ask;
  if (ask.probability)
    fmt::format_to(to, "# probability {:.6g}\n", std::exp(tagging.log_probability));
  if (ask.score) {
    fmt::format_to(to, "# score {:.6g}\n# log_partition {:.6g}\n", tagging.score,
                   tagging.log_partition);
  }
  if (ask.probability && plan_.partial()) {
    fmt::format_to(to, "# partial_probability {:.6g}\n", std::exp(tagging.log_partial));
  }
  if (!tagging.outcome.exact) fmt::format_to(to, "# gap {:.6g}\n", tagging.outcome.gap);
  if (ask.entropy) fmt::format_to(to, "# entropy {:.6g}\n", tagging.entropy);
  if (!ask.expected_counts) return;
  out += "# expected_counts";
  for (Label j = 0; j < plan_.names().size(); ++j) {
    fmt::format_to(to, "\t{}:{:.6g}", plan_.names()[j], tagging.label_counts[j]);
  }
  out += '\n';
}

void PredictionFormatter::append_block(const InputSequence& sequence, const Tagging& tagging,
                                       std::span<const Label> y, std::string& out) const {
  for (std::size_t t = 0; t < y.size(); ++t) {
    char separator = '\t';
    if (options_.output == OutputFormat::columns) separator = append_row(sequence, t, out);
    out += plan_.names()[y[t]];
    append_marginals(tagging, t, y[t], separator, out);
    out += '\n';
  }
  if (!sequence.single) out += '\n';
}

// The row as read, ready for another cell.
char PredictionFormatter::append_row(const InputSequence& sequence, std::size_t t,
                                     std::string& out) const {
  if (sequence.rows.rows() > 0) {
    const std::string_view line = sequence.rows.line(t);
    const char separator = line.find('\t') != std::string_view::npos ? '\t' : ' ';
    out.append(line) += separator;
    return separator;
  }
  if (sequence.text.has_labels()) out.append(sequence.text.labels.item(t)) += '\t';
  return '\t';
}

void PredictionFormatter::append_marginals(const Tagging& tagging, std::size_t t, Label y,
                                           char separator, std::string& out) const {
  const auto to = std::back_inserter(out);
  if (options_.marginals == MarginalOutput::predicted) {
    fmt::format_to(to, "{}{:.6f}", separator, tagging.marginals(t, y));
  } else if (options_.marginals == MarginalOutput::all) {
    for (Label j = 0; j < plan_.names().size(); ++j) {
      fmt::format_to(to, "{}{}:{:.6f}", separator, plan_.names()[j], tagging.marginals(t, j));
    }
  }
}

Json PredictionFormatter::answers(const Tagging& tagging) const {
  const LabelNames& names = plan_.names();
  const TagOptions& ask = options_.ask;
  const TagOutcome& outcome = tagging.outcome;
  Json document = Json::object();
  if (plan_.has_rules() || plan_.decode() == Decode::labelling) {
    document["search"] = {{"exact", outcome.exact}, {"drawn", outcome.drawn}};
    document["search"]["gap"] = std::isfinite(outcome.gap) ? Json(outcome.gap) : Json();
  }
  if (!outcome.found) {
    document["labels"] = nullptr;
    document["error"] = why_none(outcome);
  } else {
    document["labels"] = names_of(tagging.y, names);
    if (ask.probability) document["probability"] = std::exp(tagging.log_probability);
    if (ask.score) {
      document["score"] = tagging.score;
      document["log_partition"] = tagging.log_partition;
    }
    if (ask.probability && plan_.partial()) {
      document["partial_probability"] = std::exp(tagging.log_partial);
    }
    if (options_.marginals != MarginalOutput::none) {
      document["marginals"] = marginals_json(tagging, options_.marginals, names);
    }
    if (ask.edges) document["edge_marginals"] = edges_json(tagging, names);
    if (ask.spans) document["spans"] = spans_json(tagging);
    if (ask.entropy) document["entropy"] = tagging.entropy;
    if (ask.expected_counts) document["expected_counts"] = counts_json(tagging, names);
    if (ask.k_best > 0) document["k_best"] = k_best_json(tagging, names);
    if (ask.samples > 0) {
      Json& list = document["samples"] = Json::array();
      for (const std::vector<Label>& y : tagging.samples) list.push_back(names_of(y, names));
    }
  }
  return document;
}

void PredictionFormatter::append_json(const Tagging& tagging, std::string& out) const {
  // Labels that are not UTF-8 cannot be JSON: they are shown with replacement characters.
  out += answers(tagging).dump(-1, InvalidUtf8::replace) + "\n";
}

namespace {

Json as_written(std::string_view line) { return parse_json(line, {.order = KeyOrder::as_written}); }

// A sequence of columns as one of spans: its tokens, and what its labels say.
Json spans_of_rows(const ColumnSequence& rows, std::size_t columns, ChunkScheme scheme) {
  SpanSequence tokens;
  tokens.columns = columns;
  std::vector<std::string_view> labels;
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    for (std::size_t c = 0; c < columns; ++c) tokens.cells.emplace_back(rows.cell(t, c));
    if (rows.columns(t) > columns) labels.push_back(rows.cell(t, rows.columns(t) - 1));
  }
  if (!labels.empty()) tokens.spans = spans_of_labels(labels, scheme);
  return as_written(span_line(tokens));
}

}  // namespace

// What the line had, with the spans found, and as "gold" those that it had.
void PredictionFormatter::append_spans(const InputSequence& sequence, const Tagging& tagging,
                                       std::string& out) const {
  const std::size_t columns = plan_.model().extractor().config().columns;
  Json document = sequence.line.empty() ? spans_of_rows(sequence.rows, columns, scheme_)
                                        : as_written(sequence.line);
  if (document.contains("spans") && !document.contains("gold")) {
    document["gold"] = document["spans"];
  }
  const Json found = answers(tagging);
  if (!tagging.outcome.found) {
    document.erase("spans");
  } else if (options_.ask.spans) {
    document["spans"] = found["spans"];
  } else {
    document["spans"] = chunks_json(tagging.y, plan_.names(), scheme_);
  }
  for (const auto& [key, value] : found.items()) {
    if (key != "labels" && key != "spans") document[key] = value;
  }
  const auto respell = [&](const char* key, const auto& labellings, const auto& labels_of) {
    std::size_t k = 0;
    for (const auto& one : labellings) {
      Json spans = chunks_json(labels_of(one), plan_.names(), scheme_);
      Json& written = document[key][k++];
      if (written.is_object()) {
        written.erase("labels");
        written["spans"] = std::move(spans);
      } else {
        written = std::move(spans);
      }
    }
  };
  if (tagging.outcome.found && options_.ask.k_best > 0) {
    respell("k_best", tagging.k_best,
            [](const ScoredLabelling& one) { return std::span(one.labels); });
  }
  if (tagging.outcome.found && options_.ask.samples > 0) {
    respell("samples", tagging.samples,
            [](const std::vector<Label>& one) { return std::span(one); });
  }
  out += document.dump(-1, InvalidUtf8::replace) + "\n";
}

}  // namespace croft
