#include "app/search/search_rows.h"

#include <array>

namespace croft {

std::span<const OptionRow> search_rows() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      choice("metric", "METRIC=accuracy", {"accuracy", "chunk-f1", "log-loss"},
             "accuracy, chunk-f1 or log-loss")
          .at_first("accuracy"),
      whole("folds", "K=3", "Parts of the data, each scored by the others").at_first("3").from(2),
      whole("candidates", "N",
            "Settings at first; default: all of --values, 27 where there is a --range")
          .from(1),
      whole("eta", "N=3", "One setting in so many goes on, with so many times the data")
          .at_first("3")
          .from(2),
      number("smallest", "SHARE=0.03", "Share of the data that the first rung has at least")
          .at_first("0.03"),
      number("budget", "NUMBER",
             "Cross-validations on all of the data that all may cost together; without "
             "--candidates there are as many as it allows")
          .from(1),
      choice("resource", "RESOURCE=data", {"data", "iterations"},
             "What grows from rung to rung: data, or iterations up to --max-iterations")
          .at_first("data"),
      file("state", "FILE", "Keep what has been scored in this file"),
      flag("resume", "Go on from --state"),
  });
  return kRows;
}

void read_search_settings(const OptionValues& values, SearchSettings& settings) {
  values.choose("metric", {SearchMetric::accuracy, SearchMetric::chunk_f1, SearchMetric::log_loss},
                settings.metric);
  values.choose("resource", {SearchResource::data, SearchResource::iterations}, settings.resource);
  values.read("folds", settings.folds);
  values.read("candidates", settings.candidates);
  values.read("eta", settings.eta);
  values.read("smallest", settings.smallest);
  values.read("budget", settings.budget);
  values.read("state", settings.state);
  values.read("resume", settings.resume);
  values.read("seed", settings.seed);
  values.read("threads", settings.threads);
}

}  // namespace croft
