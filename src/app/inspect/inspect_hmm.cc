#include "app/inspect/inspect_hmm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_calibration.h"
#include "app/inspect/inspect_tables.h"
#include "core/json.h"

namespace croft {
namespace {

// Pairs of a name and a log-probability, the n largest of those that are offered.
class Likeliest {
 public:
  explicit Likeliest(std::size_t n) : n_(n) {}

  // rank decides between equal ones: the smaller is first.
  template <class Name>
  void offer(double log, std::string_view rank, const Name& name) {
    if (!(log > -INFINITY) || n_ == 0) return;
    if (best_.size() == n_ && !(Entry{-log, std::string(rank), ""} < *best_.rbegin())) return;
    best_.insert({-log, std::string(rank), name()});
    if (best_.size() > n_) best_.erase(std::prev(best_.end()));
  }
  Json list(const char* key) const {
    Json out = Json::array();
    for (const auto& [minus_log, rank, name] : best_) {
      out.push_back({{key, name}, {"probability", std::exp(-minus_log)}});
    }
    return out;
  }

 private:
  using Entry = std::tuple<double, std::string, std::string>;
  std::size_t n_;
  std::set<Entry> best_;
};

Json likeliest_labels(const HmmModel& model, std::span<const double> log, std::size_t n) {
  Likeliest best(n);
  for (Label y = 0; y < log.size(); ++y) {
    best.offer(log[y], fmt::format("{:010}", y), [&] { return model.label(y); });
  }
  return best.list("label");
}

// {track: {label: [{value, probability}]}}
Json likeliest_values(const HmmModel& model, std::size_t n) {
  const std::vector<std::string>& tracks = model.tracks();
  std::vector<std::vector<Likeliest>> best(tracks.size());
  for (auto& of_track : best) of_track.assign(model.labels(), Likeliest(n));
  std::vector<double> row(model.labels());
  for (std::uint32_t v = 0; v < model.values(); ++v) {
    const std::string attribute = model.value(v);
    const auto at = std::ranges::find(tracks, track_of(attribute));
    if (at == tracks.end() || !model.log_emission(attribute, row)) continue;
    const auto k = static_cast<std::size_t>(at - tracks.begin());
    for (Label y = 0; y < row.size(); ++y) {
      const std::string_view value = value_of(attribute);
      best[k][y].offer(row[y], value, [&] { return std::string(value); });
    }
  }
  Json out = Json::object();
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    Json& of_track = out[tracks[k]] = Json::object();
    for (Label y = 0; y < model.labels(); ++y) of_track[model.label(y)] = best[k][y].list("value");
  }
  return out;
}

void append_likeliest(std::string& out, const std::string& title, const Json& list,
                      const char* key) {
  out += title + "\n";
  for (const Json& entry : list) {
    out += fmt::format("  {:>10.5f}  {}\n", entry["probability"].get<double>(),
                       escaped(entry[key].string()));
  }
}

}  // namespace

Json summary_json(const HmmModel& model) {
  Json labels = Json::array();
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  Json document = {{"kind", model.kind()},
                   {"file_bytes", model.container().file_size()},
                   {"labels", std::move(labels)},
                   {"tracks", model.tracks()},
                   {"values", model.values()},
                   {"suffix", model.suffix_letters()},
                   {"suffixes", model.suffixes()},
                   {"ends", !model.end().empty()},
                   {"sections", sections_json(model.container())}};
  document["extraction"] = model.meta().value("extraction", Json::object());
  document["training"] = model.meta().value("training", Json::object());
  add_calibration(model, document);
  return document;
}

std::string format_summary(const HmmModel& model) {
  const Json document = summary_json(model);
  std::string out = summary_head(model.container(), model.kind(), model.labels());
  for (Label y = 0; y < model.labels(); ++y) out += "  " + escaped(model.label(y)) + "\n";
  out += fmt::format("tracks        {}\n", model.tracks().size());
  for (const std::string& track : model.tracks()) {
    out += "  " + (track.empty() ? "(without a name)" : escaped(track)) + "\n";
  }
  out += fmt::format("values        {}\n", model.values());
  if (model.suffix_letters() > 0) {
    out += fmt::format("suffixes      {} of up to {} letters\n", model.suffixes(),
                       model.suffix_letters());
  }
  out += fmt::format("ends          {}\n",
                     model.end().empty() ? "none: lengths are given" : "have probabilities");
  out += calibration_lines(model);
  out +=
      fmt::format("format        {}\n", readable(document["extraction"].value("format", Json())));
  append_fields(out, "training record", document["training"]);
  append_sections(out, model.container());
  return out;
}

Json top_json(const HmmModel& model, std::size_t n) {
  Json document = {{"start", likeliest_labels(model, model.start(), n)}};
  if (!model.end().empty()) document["end"] = likeliest_labels(model, model.end(), n);
  Json& transitions = document["transitions"] = Json::object();
  const Matrix<double>& log = model.transitions<double>().log();
  for (Label y = 0; y < model.labels(); ++y) {
    transitions[model.label(y)] = likeliest_labels(model, log[y], n);
  }
  document["emissions"] = likeliest_values(model, n);
  return document;
}

std::string format_top(const HmmModel& model, std::size_t n) {
  const Json top = top_json(model, n);
  std::string out;
  append_likeliest(out, "start", top["start"], "label");
  for (Label y = 0; y < model.labels(); ++y) {
    const std::string name = model.label(y);
    append_likeliest(out, "after " + escaped(name), top["transitions"][name], "label");
  }
  if (top.contains("end")) append_likeliest(out, "end", top["end"], "label");
  for (const std::string& track : model.tracks()) {
    for (Label y = 0; y < model.labels(); ++y) {
      const std::string name = model.label(y);
      append_likeliest(out, escaped(track + (track.empty() ? "" : " ") + "of " + name),
                       top["emissions"][track][name], "value");
    }
  }
  return out;
}

}  // namespace croft
