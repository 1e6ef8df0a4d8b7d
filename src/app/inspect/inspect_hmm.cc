#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_parts.h"
#include "app/inspect/weights.h"
#include "model/kinds/hmm_model.h"

namespace croft {
namespace {

// Adds a title and the likeliest to the text; returns their list.
Json show_likeliest(View& view, const std::string& title, const Ranking& best) {
  view.text += title + "\n";
  return show(view, best.largest(), "  {:>10.5f}  {}\n", "probability");
}

Json likeliest_labels(const HmmModel& model, const std::string& title, std::span<const double> log,
                      std::size_t n, View& view) {
  Ranking best(n);
  for (Label y = 0; y < log.size(); ++y) {
    best.offer(std::exp(log[y]), [&] {
      return RankedWeight{cell_order("", y), {{"label", model.label(y)}}, escaped(model.label(y))};
    });
  }
  return show_likeliest(view, title, best);
}

// [track][label] values
std::vector<std::vector<Ranking>> likeliest_values(const HmmModel& model, std::size_t n) {
  const std::vector<std::string>& tracks = model.tracks();
  std::vector<std::vector<Ranking>> best(tracks.size(), {model.labels(), Ranking(n)});
  std::vector<double> row(model.labels());
  for (std::uint32_t v = 0; v < model.values(); ++v) {
    const std::string attribute = model.value(v);
    const auto at = std::ranges::find(tracks, track_of(attribute));
    if (at == tracks.end() || !model.log_emission(attribute, row)) continue;
    for (Label y = 0; y < row.size(); ++y) {
      best[static_cast<std::size_t>(at - tracks.begin())][y].offer(
          std::exp(row[y]), [&] { return of_name("value", std::string(value_of(attribute))); });
    }
  }
  return best;
}

}  // namespace

View summary_of(const HmmModel& model) {
  View view = begin_summary(model, true);
  view.fact("tracks", model.tracks());
  for (const std::string& track : model.tracks()) {
    view.text += "  " + (track.empty() ? "(without a name)" : escaped(track)) + "\n";
  }
  view.fact("values", model.values());
  view.json["suffix"] = model.suffix_letters();
  view.json["suffixes"] = model.suffixes();
  if (model.suffix_letters() > 0) {
    view.line("suffixes",
              fmt::format("{} of up to {} letters", model.suffixes(), model.suffix_letters()));
  }
  view.json["ends"] = !model.end().empty();
  view.line("ends", model.end().empty() ? "none: lengths are given" : "have probabilities");
  add_calibration(model, view);
  add_format(view);
  end_summary(model, view);
  return view;
}

View top_of(const HmmModel& model, std::size_t n) {
  View view;
  view.json["start"] = likeliest_labels(model, "start", model.start(), n, view);
  const Matrix<double>& log = model.transitions<double>().log();
  view.json["transitions"] = Json::object();
  for (Label y = 0; y < model.labels(); ++y) {
    view.json["transitions"][model.label(y)] =
        likeliest_labels(model, "after " + escaped(model.label(y)), log[y], n, view);
  }
  if (!model.end().empty()) {
    view.json["end"] = likeliest_labels(model, "end", model.end(), n, view);
  }
  const auto best = likeliest_values(model, n);
  view.json["emissions"] = Json::object();
  for (std::size_t k = 0; k < best.size(); ++k) {
    const std::string& track = model.tracks()[k];
    Json& of_track = view.json["emissions"][track] = Json::object();
    for (Label y = 0; y < model.labels(); ++y) {
      of_track[model.label(y)] = show_likeliest(
          view, escaped(track + (track.empty() ? "" : " ") + "of " + model.label(y)), best[k][y]);
    }
  }
  return view;
}

}  // namespace croft
