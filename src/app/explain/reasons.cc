#include "app/explain/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/label/chunks.h"
#include "app/label/predict_output.h"
#include "app/label/row_reader.h"
#include "core/unicode.h"
#include "core/words/counted.h"
#include "croft/core/error.h"

namespace croft {
namespace {

using Kind = Reason::Kind;

bool has_name(const Reason& reason) {
  return reason.kind == Kind::attribute || reason.kind == Kind::edge_attribute ||
         reason.kind == Kind::segment || reason.kind == Kind::pair || reason.kind == Kind::clique;
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += decode(text, at).size) ++count;
  return count;
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

template <class Numbers>
Json numbers_json(const Numbers& numbers) {
  return {{"difference", number_or_null(numbers.difference())},
          {"label", number_or_null(numbers.label)},
          {"other", number_or_null(numbers.other)}};
}

std::string number(double value) {
  if (std::isinf(value)) return value > 0 ? "decides" : "forbidden";
  return value == 0 ? "0" : fmt::format("{:+.4f}", value);
}

// The three numbers of each reason, side by side, and what they belong to.
class ReasonTable {
 public:
  ReasonTable(std::string_view label, std::string_view other, std::string& out) : out_(out) {
    constexpr std::size_t kNarrowest = 12, kLongestLabel = 20;  // columns
    const std::string left = shown(label, kLongestLabel), right = shown(other, kLongestLabel);
    width_ = std::max({kNarrowest, characters(left) + 2, characters(right) + 2});
    append("difference", left, right, "");
  }
  // `what` is cut to what is left of the line.
  void append(std::string_view difference, std::string_view label, std::string_view other,
              std::string_view what) {
    for (const std::string_view cell : {difference, label, other}) {
      out_.append(width_ - std::min(width_, characters(cell)), ' ').append(cell);
    }
    if (!what.empty()) out_ += "  " + shown(what, kTerminalColumns - 2 - 3 * width_);
    out_ += '\n';
  }
  template <class Numbers>
  void append(const Numbers& numbers, std::string_view what) {
    append(number(numbers.difference()), number(numbers.label), number(numbers.other), what);
  }

 private:
  std::size_t width_;
  std::string& out_;
};

}  // namespace

ChunkScheme scheme_of(const TagPlan& plan, ChunkScheme asked) {
  const ChunkScheme said = scheme_in_training(plan.model(), asked);
  if (said != ChunkScheme::automatic) return said;
  const std::vector<std::string_view> labels(plan.names().all().begin(), plan.names().all().end());
  return detect_scheme(labels);
}

std::vector<Stretch> wrong_stretches(const std::vector<bool>& is_wrong,
                                     std::optional<std::span<const Stretch>> wholes) {
  std::vector<bool> goes_on(is_wrong.size(), false);  // to the next position
  for (std::size_t t = 0; wholes && t + 1 < is_wrong.size(); ++t) {
    goes_on[t] = is_wrong[t] && is_wrong[t + 1];
  }
  for (const auto& [begin, end] : wholes.value_or(std::span<const Stretch>())) {
    for (std::size_t t = begin; t + 1 < end; ++t) goes_on[t] = true;
  }
  std::vector<Stretch> stretches;
  bool any = false;  // is wrong, since `begin`
  for (std::size_t t = 0, begin = 0; t < is_wrong.size(); ++t) {
    any = any || is_wrong[t];
    if (goes_on[t]) continue;
    if (any) stretches.push_back({begin, t + 1});
    any = false;
    begin = t + 1;
  }
  return stretches;
}

bool is_asked(const ExplainOptions& options, const Stretch& stretch) {
  return options.positions.empty() || std::ranges::any_of(options.positions, [&](std::size_t t) {
           return t >= stretch.begin && t < stretch.end;
         });
}

void check_gold(const TagInput& input) {
  if (input.text.has_labels() || input.text.length() == 0) return;
  throw UsageError("wrong labels are explained against those of the data, and ", input.file,
                   " has none");
}

std::string unknown_label(std::string_view name) {
  return "the model does not know the label " + in_quotes(name);
}

void finish_reasons(std::size_t top, Explained& out) {
  for (const Reason& reason : out.reasons) out.difference += reason.difference();
  std::ranges::stable_sort(out.reasons, std::greater(),
                           [](const Reason& r) { return std::abs(r.difference()); });
  std::size_t named = 0;
  std::erase_if(out.reasons, [&](const Reason& reason) {
    if (!has_name(reason) || named++ < top) return false;
    ++out.rest.count;
    out.rest.label += reason.label;
    out.rest.other += reason.other;
    return true;
  });
}

void check_options(const ExplainOptions& options, std::size_t length, std::size_t labels,
                   std::string_view of) {
  for (const std::size_t t : options.positions) {
    if (t < length) continue;
    throw UsageError("there is no position " + std::to_string(t) + ": the sequence has " +
                     std::to_string(length) + ", counted from 0");
  }
  if (options.against && *options.against >= labels) {
    throw UsageError("there is no label number " + std::to_string(*options.against) +
                     std::string(of) + ": the model has " + std::to_string(labels) +
                     ", counted from 0");
  }
}

std::string shown(std::string_view text, std::size_t limit) {
  std::string out = escaped(text);
  if (characters(out) <= limit) return out;
  std::size_t at = 0;
  for (std::size_t n = 1; n < limit; ++n) at += decode(out, at).size;
  return out.substr(0, at) + "…";
}

std::string words_of(const InputSequence& input, const Stretch& stretch) {
  std::string words;
  if (input.rows.rows() == 0) return words;
  for (std::size_t t = stretch.begin; t < stretch.end; ++t) {
    words.append(words.empty() ? "" : " ").append(input.rows.cell(t, 0));
  }
  return words;
}

ExplainedSequence begin_explanation(const TagOutcome& outcome, const TagInput& input,
                                    const InputSequence& read, std::string_view key) {
  ExplainedSequence out{outcome, {}};
  out.view.json = {{"file", input.file}, {"line", read.text.first_line}};
  out.view.text = fmt::format("{}:{}", escaped(input.file), read.text.first_line);
  if (outcome.found) return out;
  out.view.json[key] = nullptr;
  out.view.json["error"] = why_none(outcome);
  out.view.text += fmt::format(": {}\n\n", why_none(outcome));
  return out;
}

void add_reasons(const Explained& one, std::string_view label, std::string_view other,
                 const std::function<std::string(const Reason&, Json&)>& describe,
                 std::string_view rest, std::string& text, Json& document) {
  constexpr std::string_view kKinds[] = {"attribute", "start", "stop",   "transition",
                                         "edge",      "run",   "limit",  "history",
                                         "segment",   "pair",  "clique", "score"};
  document["difference"] = number_or_null(one.difference);
  Json& reasons = document["reasons"] = Json::array();
  ReasonTable table(label, other, text);
  for (const Reason& each : one.reasons) {
    Json& reason = reasons.emplace_back(numbers_json(each));
    reason["kind"] = kKinds[static_cast<std::size_t>(each.kind)];
    table.append(each, describe(each, reason));
  }
  document["rest"] = numbers_json(one.rest);
  if (one.rest.count > 0) {
    table.append(one.rest,
                 fmt::format("{} {}{}", one.rest.count, rest, one.rest.count > 1 ? "s" : ""));
  }
  table.append(number(one.difference), "", "", "in all");
}

void add_unknown(const Explained& one, std::string& text, Json& document) {
  document["attributes"] = one.attributes;
  document["unknown"] = one.unknown;
  if (one.unknown == 0) return;
  text += fmt::format("  {} of {} {} unknown to the model{}\n", one.unknown,
                      counted(one.attributes, "attribute"), one.unknown == 1 ? "is" : "are",
                      one.unknown_names.empty() ? "" : ":");
  if (one.unknown_names.empty()) return;
  document["unknown_attributes"] = one.unknown_names;
  std::size_t column = 2;  // names with two blanks between, broken into lines
  text += "  ";
  for (const std::string& name : one.unknown_names) {
    const std::string word = shown(name, kTerminalColumns - 4);
    const std::size_t size = 2 + characters(word);
    if (column > 2 && column + size > kTerminalColumns) {
      text += "\n  ";
      column = 2;
    }
    text += "  " + word;
    column += size;
  }
  text += '\n';
}

}  // namespace croft
