// How good labels are, where they are wrong, and what is strange in data: of what was labelled, and
// of files.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/check/data_check.h"
#include "app/evaluate/comparison.h"
#include "app/evaluate/evaluation.h"
#include "app/evaluate/label_errors.h"
#include "app/inspect/model_card.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "python/bind.h"
#include "python/model.h"
#include "python/options.h"
#include "python/read/sequences.h"

namespace croft::python {
namespace {

namespace py = pybind11;

std::string json_text(const Json& document) { return document.dump(-1, InvalidUtf8::replace); }

// Labels of the same sequences side by side, each list of them under its name in messages.
struct NamedLabels {
  std::string name;
  const py::list& labels;
};
using LabelSides = std::vector<std::vector<std::string_view>>;

// Of one sequence.
struct SequenceSides {
  std::vector<py::list> kept;  // of an array's labels there is nothing else that holds them
  LabelSides sides;
};

SequenceSides sides_of(const std::vector<NamedLabels>& lists, std::size_t n) {
  SequenceSides out;
  for (const NamedLabels& each : lists) {
    const std::string name = each.name + "[" + std::to_string(n) + "]";
    const py::object given = each.labels[n];
    const Elements labels(
        given.ptr(), [&] { return name; }, "a list with a label for each position");
    py::list& kept = out.kept.emplace_back();
    std::vector<std::string_view>& side = out.sides.emplace_back();
    for (std::size_t t = 0; t < labels.size(); ++t) {
      kept.append(labels[t]);
      side.push_back(text_of(py::object(labels[t]).ptr(), name));
    }
    const std::size_t first = out.sides.front().size();
    if (side.size() == first) continue;
    throw py::value_error(lists.front().name + "[" + std::to_string(n) + "] has " +
                          std::to_string(first) + " labels and " + each.name + " has " +
                          std::to_string(side.size()));
  }
  return out;
}

void for_each_side(const std::vector<NamedLabels>& lists,
                   const std::function<void(const LabelSides&)>& visit) {
  const NamedLabels& first = lists.front();
  for (const NamedLabels& each : lists) {
    if (each.labels.size() == first.labels.size()) continue;
    throw py::value_error(first.name + " has " + std::to_string(first.labels.size()) +
                          " sequences and " + each.name + " " + std::to_string(each.labels.size()));
  }
  for (std::size_t n = 0; n < first.labels.size(); ++n) visit(sides_of(lists, n).sides);
}

// What `croft evaluate` prints, and what it prints with --json.
std::pair<std::string, std::string> evaluate(const py::list& gold, const py::list& predicted,
                                             const std::string& chunks) {
  Evaluation evaluation(chunk_scheme_from_name(chunks));
  for_each_side({{"y_true", gold}, {"y_pred", predicted}},
                [&](const LabelSides& sides) { evaluation.add(sides[0], sides[1]); });
  const EvaluationSummary summary = evaluation.summary();
  return {format_table(summary), json_text(to_json(summary))};
}

// The sequences on which the two differ most, as `croft compare --json` has them, but for the lines
// and the texts, of which labels say nothing.
//   labels : gold, of the first and of the second
Json differences(const std::vector<NamedLabels>& labels, const ComparisonSummary& summary) {
  Json out = Json::array();
  for (const ComparedSequence& each : summary.most) {
    const SequenceSides found = sides_of(labels, each.number);
    const auto &gold = found.sides[0], &first = found.sides[1], &second = found.sides[2];
    Json differing = Json::array();
    for (std::size_t t = 0; t < gold.size(); ++t) {
      if (first[t] == second[t]) continue;
      differing.push_back(Json{{"position", t},
                               {"gold", std::string(gold[t])},
                               {"first", std::string(first[t])},
                               {"second", std::string(second[t])}});
    }
    out.push_back(Json{{"sequence", each.number}, {"labels", differing}});
  }
  return out;
}

// The comparison that `croft compare --json` prints, as JSON.
//   labels : lists of lists, which can be read twice
std::string compare(const py::list& gold, const py::list& first, const py::list& second,
                    const std::string& chunks, std::size_t draws, double confidence,
                    std::uint64_t seed, std::size_t show) {
  const std::vector<NamedLabels> labels{{"y_true", gold}, {"y_first", first}, {"y_second", second}};
  Comparison comparison({.scheme = chunk_scheme_from_name(chunks),
                         .draws = draws,
                         .confidence = confidence,
                         .seed = seed,
                         .shown = show});
  for_each_side(labels,
                [&](const LabelSides& sides) { comparison.add(sides[0], sides[1], sides[2]); });
  const ComparisonSummary summary = comparison.summary();
  Json document = to_json(summary);
  document.erase("most");
  document["differences"] = differences(labels, summary);
  return json_text(document);
}

// What `croft check --json` prints, as JSON.
std::string check(const std::string& train, const std::vector<std::string>& tests,
                  const py::dict& options) {
  return json_text(to_json(check_data(train, tests, check_request(options))));
}

}  // namespace

void bind_evaluation(py::module_& module) {
  module.def("evaluate", &evaluate, py::arg("y_true"), py::arg("y_pred"),
             py::arg("chunks") = "auto");
  module.def(
      "errors",
      [](const PythonModel& model, const std::string& path, const std::string& train,
         const std::string& kind, std::size_t top, bool explain, const std::string& chunks) {
        ErrorOptions options;
        options.scheme = chunk_scheme_from_name(chunks);
        options.train = train;
        options.top = top;
        options.explain = explain;
        if (!kind.empty()) {
          const auto found = std::ranges::find(kErrorKinds, kind);
          if (found == kErrorKinds.end()) {
            throw UsageError("kind is boundary, type, both, missed, invented or label, and not ",
                             in_quotes(kind));
          }
          options.kind = static_cast<ErrorKind>(found - kErrorKinds.begin());
        }
        return json_text(to_json(find_errors(*model.model, path, options)));
      },
      py::arg("model"), py::arg("path"), py::arg("train"), py::arg("kind"), py::arg("top"),
      py::arg("explain"), py::arg("chunks"));
  module.def(
      "card",
      [](const PythonModel& model, const std::string& name, const std::string& data,
         const std::string& notes, std::size_t top, const std::string& format) {
        const Json card =
            model_card(*model.model, name, {.data = data, .notes = notes, .top = top});
        if (format == "json") return json_text(card);
        if (format != "markdown" && format != "html") {
          throw UsageError("format is markdown, html or json, and not ", in_quotes(format));
        }
        return format_card(card, format == "html" ? CardFormat::html : CardFormat::markdown);
      },
      py::arg("model"), py::arg("name"), py::arg("data"), py::arg("notes"), py::arg("top"),
      py::arg("format"));
  module.def("check", &check, py::arg("train"), py::arg("tests"), py::arg("options"));
  module.def("compare", &compare, py::arg("y_true"), py::arg("y_first"), py::arg("y_second"),
             py::arg("chunks"), py::arg("draws"), py::arg("confidence"), py::arg("seed"),
             py::arg("show"));
}

}  // namespace croft::python
