#include "app/evaluate/compare_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/label/predict.h"
#include "app/label/row_reader.h"
#include "core/json.h"
#include "core/words/counted.h"
#include "croft/core/error.h"

namespace croft {
namespace {

// A model, and where it stands in the file.
class Reader {
 public:
  Reader(const SequenceModel& model, const std::string& path)
      : model_(model), plan_(model), tagger_(plan_), source_(path, model, Labels::required) {}

  bool next() {
    if (!source_.next(input_)) return false;
    source_.extract(input_, scratch_);
    ++count_;
    return true;
  }
  std::vector<std::string_view> gold() const {
    std::vector<std::string_view> labels;
    for (std::size_t t = 0; t < input_.text.length(); ++t) {
      labels.push_back(input_.text.labels.item(t));
    }
    return labels;
  }
  // Empty texts where there is no labelling.
  std::vector<std::string_view> predicted() {
    const ColumnSequence* rows = input_.rows.rows() > 0 ? &input_.rows : nullptr;
    const Tagging& tagging =
        tagger_.tag(TagInput{input_.text, rows, source_.name(), count_ - 1}, {});
    std::vector<std::string_view> labels(input_.text.length());
    for (std::size_t t = 0; t < tagging.y.size(); ++t) labels[t] = model_.label(tagging.y[t]);
    return labels;
  }
  std::string_view text(std::size_t t) const {
    return input_.rows.rows() > 0 ? input_.rows.cell(t, 0) : std::string_view(input_.document.text);
  }
  std::size_t line() const { return input_.text.first_line; }

 private:
  const SequenceModel& model_;
  const TagPlan plan_;
  Tagger tagger_;
  SequenceSource source_;
  InputSequence input_;
  Extractor::Scratch scratch_;
  std::size_t count_ = 0;
};

// Sequence after sequence, of both.
void read_both(const SequenceModel& first, const SequenceModel& second, const std::string& path,
               const std::function<void(std::size_t, Reader&, Reader&)>& visit) {
  Reader a(first, path), b(second, path);
  const auto next = [](const SequenceModel& model, Reader& reader) {
    try {
      return reader.next();
    } catch (const InputError& error) {
      throw Error("as ", model.container().name(), " reads it, ", error.message());
    }
  };
  for (std::size_t n = 0;; ++n) {
    const bool more = next(first, a);
    if (next(second, b) != more || (more && a.gold() != b.gold())) {
      throw Error(path + ": the two models read different sequences in it, from number " +
                  std::to_string(n + 1) +
                  " on; compare models whose data is written in the same way");
    }
    if (!more) return;
    visit(n, a, b);
  }
}

}  // namespace

ModelComparison compare_models(const SequenceModel& first, const SequenceModel& second,
                               const std::string& path, const ComparisonOptions& options) {
  ComparisonOptions complete = options;
  complete.scheme = scheme_in_training(first, options.scheme);
  Comparison comparison(complete);
  read_both(first, second, path, [&](std::size_t, Reader& a, Reader& b) {
    const auto by_first = a.predicted(), by_second = b.predicted();
    comparison.add(a.gold(), by_first, by_second);
  });
  ModelComparison out{comparison.summary(), {}};
  out.sequences.resize(out.summary.most.size());
  read_both(first, second, path, [&](std::size_t n, Reader& a, Reader& b) {
    const auto at = std::ranges::find(out.summary.most, n, &ComparedSequence::number);
    if (at == out.summary.most.end()) return;
    DifferingSequence& shown =
        out.sequences[static_cast<std::size_t>(at - out.summary.most.begin())];
    shown.sequence = n;
    shown.line = a.line();
    const auto gold = a.gold(), by_first = a.predicted(), by_second = b.predicted();
    for (std::size_t t = 0; t < gold.size(); ++t) {
      if (by_first[t] == by_second[t]) continue;
      shown.labels.push_back({t, std::string(a.text(t)), std::string(gold[t]),
                              std::string(by_first[t]), std::string(by_second[t])});
    }
  });
  return out;
}

std::string format_differences(const std::vector<DifferingSequence>& sequences) {
  std::string out;
  for (const DifferingSequence& each : sequences) {
    out += fmt::format("\nline {}: {} differ\n  {:<24} {:<12} {:<12} {}\n", each.line,
                       counted(each.labels.size(), "label"), "", "gold", "first", "second");
    for (const DifferingLabel& one : each.labels) {
      out += fmt::format("  {:<24} {:<12} {:<12} {}\n", one.text, one.gold, one.first, one.second);
    }
  }
  return out;
}

Json to_json(const ModelComparison& comparison) {
  Json document = to_json(comparison.summary), list = Json::array();
  document.erase("most");
  for (const DifferingSequence& each : comparison.sequences) {
    Json labels = Json::array();
    for (const DifferingLabel& one : each.labels) {
      labels.push_back(Json{{"position", one.position},
                            {"text", one.text},
                            {"gold", one.gold},
                            {"first", one.first},
                            {"second", one.second}});
    }
    list.push_back(Json{{"sequence", each.sequence}, {"line", each.line}, {"labels", labels}});
  }
  document["differences"] = list;
  return document;
}

}  // namespace croft
