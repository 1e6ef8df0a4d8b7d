#include <fmt/format.h>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_parts.h"
#include "app/inspect/weights.h"
#include "model/kinds/error_correcting_model.h"

namespace croft {
namespace {

std::string word_of(const LabelCode& code, Label j) {
  std::string word;
  for (std::size_t b = 0; b < code.bits; ++b) word += "01-"[code.at(j, b)];
  return word;
}

}  // namespace

View summary_of(const ErrorCorrectingModel& model) {
  View view = begin_summary(model, false);
  view.fact("bits", model.code().bits);
  view.fact("distance", distance(model.code()).least);
  view.fact("decoder", name_of(model.decoder()));
  view.fact("attributes", model.node().size());
  view.fact("weights", model.node().weights());
  add_kit(model, view);
  std::vector<View::Row> rows;
  for (Label j = 0; j < model.labels(); ++j) {
    rows.push_back({model.label(j), word_of(model.code(), j)});
  }
  view.table("", {{"labels", "label", "{:<32}"}, {"words", "word", "{}"}}, rows);
  end_summary(model, view);
  return view;
}

View top_of(const ErrorCorrectingModel& model, std::size_t n) {
  std::vector<Ranking> bits(model.code().bits, Ranking(n));
  for_each_weight(model.node(), [&](const std::string& name, std::uint32_t bit, float weight) {
    bits[bit].offer(weight, [&] { return of_name("attribute", name); });
  });
  View view;
  view.json = Json::array();
  for (std::size_t b = 0; b < bits.size(); ++b) {
    view.text += fmt::format("bit {}\n", b + 1);
    view.json.emplace_back(show(view, bits[b]))["bit"] = b + 1;
  }
  return view;
}

void write_weights(const ErrorCorrectingModel& model, const WriteText& write) {
  LineWriter out(write);
  for_each_sorted(model.tied(), [&](const std::string& name, std::uint32_t cell, float weight) {
    out.line("transition\t{}\t{}\t{}\t{}\t{}", name, cell / 4 + 1, cell / 2 % 2, cell % 2, weight);
  });
  for_each_sorted(model.node(), [&](const std::string& name, std::uint32_t bit, float weight) {
    out.line("node\t{}\t{}\t{}", name, bit + 1, weight);
  });
  out.finish();
}

}  // namespace croft
