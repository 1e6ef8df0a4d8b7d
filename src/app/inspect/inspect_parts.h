// What the summaries of several kinds have in common.  Internal to app/.
#pragma once
#include <string>
#include <string_view>

#include "app/view.h"
#include "model/kinds/segment_model.h"

namespace croft {

// A label, or where no label is: before the first position, after the last.
struct LabelOrEnd {
  enum class Kind { start, label, stop };  // in this order
  Kind kind = Kind::label;
  std::string label;  // kind == label
};
std::string shown(const LabelOrEnd& label);  // START, STOP, a label escaped()

// Model, kind, file size: what a summary begins with.
View begin_summary(const StoredModel& model);
// The same with labels and extraction.
//   listed : whether people see the labels' names
View begin_summary(const SequenceModel& model, bool listed);
// The calibration's lines and its section as it is; nothing where there is none.
void add_calibration(const SequenceModel& model, View& view);
// Of each feature of a kit its kind, name, columns and resources; nothing without a kit.
void add_kit(const SequenceModel& model, View& view);
// How data becomes features, in the place of what begin_summary() has of it.
void add_extraction(const SequenceModel& model, View& view);
// Labels with lengths and spelling, templates: what segments are.
void add_segments(const SegmentModel& model, View& view);
// The line "format" of the extraction.
void add_format(View& view);
// The training record, and the sections of the file.
void end_summary(const StoredModel& model, View& view,
                 std::initializer_list<std::string_view> first = {});

}  // namespace croft
