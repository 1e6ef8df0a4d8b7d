#include <fmt/format.h>

#include <algorithm>

#include "app/check/data_check.h"
#include "core/json.h"
#include "core/words/counted.h"

namespace croft {
namespace {

constexpr std::size_t kLabels = 12;  // that are shown to people

std::string counts_of(const FileCheck& file) {
  std::vector<std::pair<std::size_t, std::string>> labels;
  for (const auto& [label, times] : file.labels) labels.emplace_back(times, label);
  std::ranges::stable_sort(labels, std::ranges::greater{}, [](const auto& l) { return l.first; });
  std::string out;
  for (std::size_t k = 0; k < std::min(labels.size(), kLabels); ++k) {
    out += fmt::format("{}{} {}", k == 0 ? "" : ", ", shortened(labels[k].second), labels[k].first);
  }
  if (labels.size() > kLabels) out += fmt::format(" and {} more", labels.size() - kLabels);
  return out;
}

void append(const FileCheck& file, std::string_view train, std::string& out) {
  out += fmt::format("{}: {}, {}, the longest {}\n  {}: {}\n", file.name,
                     counted(file.sequences, "sequence"), counted(file.positions, "position"),
                     file.longest, counted(file.labels.size(), "label"), counts_of(file));
  if (file.findings.empty()) out += "  nothing that is strange\n";
  for (const Finding& each : file.findings) {
    out += fmt::format("\n  {}: {}\n", each.text, each.count);
    const bool of_train =
        each.name == "in_training_data" || each.name == "labelled_differently_in_training";
    for (const Finding::Case& one : each.cases) {
      out += fmt::format("    line {}", one.line);
      if (!one.what.empty()) out += ": " + one.what;
      if (one.other > 0) {
        out += fmt::format(" ({}line {})", of_train ? fmt::format("{}, ", train) : "as in ",
                           one.other);
      }
      out += '\n';
    }
    if (each.count > each.cases.size() && !each.cases.empty()) {
      out += fmt::format("    … and {} more\n", each.count - each.cases.size());
    }
  }
}

Json json_of(const FileCheck& file) {
  Json labels = Json::object(), findings = Json::object(KeyOrder::as_written);
  for (const auto& [label, times] : file.labels) labels[label] = times;
  for (const Finding& each : file.findings) {
    Json cases = Json::array();
    for (const Finding::Case& one : each.cases) {
      Json shown = {{"line", one.line}};
      if (!one.what.empty()) shown["what"] = one.what;
      if (one.other > 0) shown["other_line"] = one.other;
      cases.push_back(std::move(shown));
    }
    findings[each.name] = {{"count", each.count}, {"cases", cases}};
  }
  return {{"file", file.name},
          {"sequences", file.sequences},
          {"positions", file.positions},
          {"longest", file.longest},
          {"labels", labels},
          {"findings", findings}};
}

}  // namespace

std::string format_check(const DataCheck& check) {
  std::string out;
  append(check.train, check.train.name, out);
  for (const FileCheck& each : check.tests) {
    out += '\n';
    append(each, check.train.name, out);
  }
  return out;
}

Json to_json(const DataCheck& check) {
  Json tests = Json::array();
  for (const FileCheck& each : check.tests) tests.push_back(json_of(each));
  return {{"train", json_of(check.train)}, {"tests", tests}};
}

}  // namespace croft
