// What a search found, as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/search/search.h"
#include "app/search/trials.h"
#include "core/json.h"
#include "core/words/counted.h"

namespace croft {
namespace {

std::string metric_text(SearchMetric metric, double score) {
  if (!std::isfinite(score)) return "inf";
  return in_percent(metric) ? fmt::format("{:.2f}", 100 * score) : fmt::format("{:.4f}", score);
}

std::string rung_title(const SearchedSettings& result, const SearchRung& rung) {
  if (result.resource == SearchResource::iterations) {
    const double n = std::max(1.0, std::round(rung.share * static_cast<double>(result.iterations)));
    return fmt::format("{:.0f} iterations", n);
  }
  return rung.share == 1 ? "all data" : fmt::format("{:.2g} %", 100 * rung.share);
}

Json score_json(double score) { return std::isfinite(score) ? Json(score) : Json(); }

Json to_json(const SearchedSettings& result, const SearchCandidate& candidate) {
  Json settings = Json::object(), scores = Json::array();
  for (std::size_t k = 0; k < candidate.values.size(); ++k) {
    settings[result.parameters[k].option] = candidate.values[k];
  }
  for (const SearchScore& score : candidate.rungs) {
    Json folds = Json::array();
    for (const double each : score.folds) folds.push_back(score_json(each));
    scores.push_back({{"mean", score_json(score.mean())},
                      {"standard_error", score_json(score.standard_error())},
                      {"folds", std::move(folds)}});
  }
  return {{"settings", std::move(settings)}, {"scores", std::move(scores)}};
}

}  // namespace

std::string format_table(const SearchedSettings& result) {
  std::vector<std::vector<std::string>> rows(1);
  for (const SearchParameter& p : result.parameters) rows[0].push_back(p.option);
  for (const SearchRung& rung : result.rungs) rows[0].push_back(rung_title(result, rung));
  rows[0].push_back("+-");
  for (const SearchCandidate& candidate : result.candidates) {
    std::vector<std::string>& row = rows.emplace_back(candidate.values);
    for (const SearchScore& score : candidate.rungs) {
      row.push_back(metric_text(result.metric, score.mean()));
    }
    row.resize(rows[0].size() - 1);
    row.push_back(candidate.rungs.empty() || result.folds == 1
                      ? ""
                      : metric_text(result.metric, candidate.rungs.back().standard_error()));
  }
  std::vector<std::size_t> width(rows[0].size());
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string out =
      fmt::format("{}{} {} {}{}\n", name_of(result.metric), in_percent(result.metric) ? " (%)" : "",
                  result.folds == 1 ? std::string("of a file, trained on")
                                    : fmt::format("of {} of", counted(result.folds, "fold")),
                  counted(result.sequences, "sequence"),
                  result.groups > 0 ? fmt::format(" in {}", counted(result.groups, "group")) : "");
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      line += fmt::format("{}{:>{}}", k == 0 ? "" : "  ", row[k], width[k]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

Json to_json(const SearchedSettings& result) {
  const bool iterations = result.resource == SearchResource::iterations;
  Json rungs = Json::array(), candidates = Json::array(), parameters = Json::array();
  for (const SearchParameter& p : result.parameters) parameters.push_back(p.option);
  for (const SearchRung& rung : result.rungs) {
    Json& one = rungs.emplace_back(Json{{"share", rung.share}, {"candidates", rung.candidates}});
    if (iterations) {
      one["iterations"] =
          std::max(1.0, std::round(rung.share * static_cast<double>(result.iterations)));
    }
  }
  for (const SearchCandidate& each : result.candidates) candidates.push_back(to_json(result, each));
  Json document = {{"metric", name_of(result.metric)},
                   {"resource", iterations ? "iterations" : "data"},
                   {"folds", result.folds},
                   {"sequences", result.sequences},
                   {"parameters", std::move(parameters)},
                   {"rungs", std::move(rungs)},
                   {"candidates", std::move(candidates)},
                   {"complete", result.complete}};
  if (result.groups > 0) document["groups"] = result.groups;
  if (!result.failure.empty()) document["failure"] = result.failure.text();
  return document;
}

}  // namespace croft
