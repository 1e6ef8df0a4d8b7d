#include "app/inspect/inspect_parts.h"

#include "core/words/counted.h"

#include <fmt/format.h>

#include <algorithm>

namespace croft {
namespace {

std::string range(double low, double high) { return fmt::format("{:.4g} to {:.4g}", low, high); }

std::string functions_text(const SequenceModel& model, const Calibrator& c) {
  std::string out;
  const std::size_t count = c.sigmoids.size() + c.curves.size();
  for (std::size_t k = 0; k < count; ++k) {
    const auto y = static_cast<Label>(count == 1 ? 1 : k);
    out += "  " + escaped(model.label(y));
    if (c.method == CalibrationMethod::platt) {
      out +=
          fmt::format("  slope {:.6g}, offset {:.6g}\n", c.sigmoids[k].slope, c.sigmoids[k].offset);
    } else {
      const IsotonicCurve& curve = c.curves[k];
      out += fmt::format("  {} points, log-odds {}, probability {}\n", curve.at.size(),
                         range(curve.at.front(), curve.at.back()),
                         range(curve.value.front(), curve.value.back()));
    }
  }
  return out;
}

// The columns' labels of a segment's, as "B-PER I-PER".
std::string spelling(const SegmentModel& model, Label y) {
  const SegmentLabels& labels = model.segment_labels();
  std::vector<Label> shown;
  std::string text;
  for (const Label c :
       {labels.first[y], labels.inside[y], labels.last_of(y), labels.single_of(y)}) {
    if (c >= model.labels() || std::ranges::find(shown, c) != shown.end()) continue;
    shown.push_back(c);
    text += (text.empty() ? "" : " ") + model.label(c);
  }
  return text;
}

}  // namespace

std::string shown(const LabelOrEnd& label) {
  if (label.kind == LabelOrEnd::Kind::label) return escaped(label.label);
  return label.kind == LabelOrEnd::Kind::start ? "START" : "STOP";
}

View begin_summary(const StoredModel& model) {
  View view;
  view.line("model", escaped(model.container().name()));
  view.fact("kind", model.kind());
  view.line("file size", counted(model.container().file_size(), "byte"));
  view.json["file_bytes"] = model.container().file_size();
  return view;
}

View begin_summary(const SequenceModel& model, bool listed) {
  View view = begin_summary(model);
  Json labels = Json::array();
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  view.fact("labels", std::move(labels));
  for (Label y = 0; listed && y < model.labels(); ++y) {
    view.text += "  " + escaped(model.label(y)) + "\n";
  }
  view.json["extraction"] = model.meta().value("extraction", Json::object());
  return view;
}

void add_calibration(const SequenceModel& model, View& view) {
  if (!model.calibrator()) return;
  const Calibrator& c = *model.calibrator();
  const Json& record = view.json["calibration"] = calibration_record(model.container());
  std::string how(calibration_name(c.method));
  if (!c.by_label()) how += fmt::format(" {:.6g}", c.temperature);
  const Json* const sequences = record.get_if("sequences");
  if (sequences != nullptr && sequences->is_number_unsigned()) {
    how += fmt::format(", fitted to {}", counted(sequences->get<std::size_t>(), "sequence"));
  }
  view.line("calibration", how);
  view.text += functions_text(model, c);
}

void add_segments(const SegmentModel& model, View& view) {
  std::vector<View::Row> rows;
  for (Label y = 0; y < model.segment_labels().labels(); ++y) {
    rows.push_back({model.segment_labels().names[y], model.shape().longest(y), spelling(model, y)});
  }
  view.table("", {{"", "segments of", "{:<24}"}, {"", "longest", "{:>8}"}, {"", "spelt", "  {}"}},
             rows);
  view.text += "\nsegment templates\n";
  view.lines(model.templates().text());
  view.json["segments"] = model.meta().at("segments").at("labels");
  view.json["segment_template"] = model.templates().text();
  view.json["gazetteers"] = model.lexicon().gazetteers();
}

void add_format(View& view) {
  view.line("format", readable(view.json["extraction"].value("format", Json())));
}

void end_summary(const StoredModel& model, View& view,
                 std::initializer_list<std::string_view> first) {
  const Json& record = view.json["training"] = model.meta().value("training", Json::object());
  Json shown = record;
  shown.erase("curve");  // for programs and pictures
  view.fields("training record", shown, first);
  std::vector<View::Row> rows;
  for (const Container::Entry& entry : model.container().entries()) {
    rows.push_back({entry.name, entry.size, entry.bulk});
  }
  view.table("sections",
             {{"name", "section", "{:<24}"}, {"bytes", "bytes", "{:>14}"}, {"bulk", "", ""}}, rows);
}

}  // namespace croft
