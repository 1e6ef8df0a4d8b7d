#include "app/train/recorded_options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/kinds.h"
#include "app/label/model_tokenizer.h"
#include "app/label/row_reader.h"
#include "core/parse_number.h"
#include "model/kinds/joint_model.h"
#include "model/kinds/mixture_model.h"
#include "train/options/training_options.h"

namespace croft {
namespace {

// Keys of training records, and the options that they are of.
constexpr auto kOptions = std::to_array<std::pair<const char*, const char*>>(
    {{"objective", "objective"},
     {"optimizer", "optimizer"},
     {"l1", "l1"},
     {"l2", "l2"},
     {"features", "features"},
     {"min_count", "min-count"},
     {"seed", "seed"},
     {"smoothing", "smoothing"},
     {"transition_smoothing", "transition-smoothing"},
     {"rare", "rare"},
     {"suffix", "suffix"},
     {"generative_weight", "generative-weight"},
     {"coupling", "coupling"},
     {"order", "order"},
     {"histories", "histories"},
     {"cost", "cost"},
     {"constraint", "constrain"},
     {"class_weights", "class-weights"},
     {"variances", "variances"},
     {"block", "block"},
     {"pieces", "pieces"},
     {"kernel", "kernel"},
     {"rounds", "rounds"},
     {"shrinkage", "shrinkage"},
     {"depth", "depth"},
     {"leaves", "leaves"},
     {"min_child_weight", "min-child-weight"},
     {"min_child_count", "min-child-count"},
     {"min_gain", "min-gain"},
     {"row_share", "row-share"},
     {"feature_share", "feature-share"},
     {"trim", "trim"},
     {"bins", "bins"},
     {"trees", "trees"},
     {"pool_weights", "pool-weights"},
     {"dirichlet", "dirichlet"},
     {"code", "code"},
     {"start_deviation", "start-deviation"},
     {"tokenizer", "tokenizer"},
     {"documents", "documents"},
     {"document_column", "document-column"},
     {"document_parts", "document-parts"}});

// What else says how a training went about it, and no option of one value gives.
constexpr auto kOthers = std::to_array<const char*>(
    {"prior", "init", "unlabelled", "states", "training", "end", "pair_trees", "intercept"});
// Likewise of what `inspect` says of the model.
constexpr auto kOfModel =
    std::to_array<const char*>({"extraction", "order", "segment_template", "gazetteers"});

bool is_value(const Json& value) {
  return !value.is_object() && !value.is_array() && !value.is_null();
}

std::string text_of(const Json& value) { return value.is_string() ? value.string() : value.dump(); }

std::string shown(const Json* value) {
  if (value == nullptr) return "not said";
  return is_value(*value) ? text_of(*value) : "another one";
}

// Of what feature rounds and unlabelled data found only that there were any.
bool same(const Json* one, const Json* other) {
  if (one == nullptr || other == nullptr) return one == other;
  if (one->is_object() && other->is_object()) return true;
  return *one == *other;
}

// What is not kept: what the model does not depend on; what other parts of the file tell; and files
// that the record tells of where they make a difference.
constexpr auto kNotKept = std::to_array<std::string_view>(
    {"DATA", "output", "threads", "log", "quiet", "checkpoint", "resume", "checkpoint-interval",
     "model", "format", "no-intercept", "joint-template", "init", "prior", "weights",
     "transition-groups"});

// Numbers by their values.
bool same_text(std::string_view one, std::string_view other) {
  double a = 0, b = 0;
  return one == other || (parse_number(one, a) == NumberKind::finite &&
                          parse_number(other, b) == NumberKind::finite && a == b);
}

// Values that are the same as none, and that records do not have.
struct UsualValue {
  KindSet kinds;
  std::string_view option, value;
};
constexpr auto kUsual = std::to_array<UsualValue>({{kHiddenChainBit, "hidden-states", "2"},
                                                   {kHiddenChainBit, "starts", "1"},
                                                   {kPoolBit, "dirichlet", "1"},
                                                   {kBoosted, "tolerance", "0"},
                                                   {kHmmBit, "tolerance", "1e-5"},
                                                   {kHmmBit, "em-iterations", "100"}});

bool is_usual(const OptionRow& row, KindSet bit, const std::vector<std::string>& values) {
  const auto same = [&](std::string_view usual) {
    return values.size() == 1 && !usual.empty() && same_text(usual, values[0]);
  };
  return same(row.initial) || std::ranges::any_of(kUsual, [&](const UsualValue& each) {
           return (each.kinds & bit) != 0 && each.option == row.name && same(each.value);
         });
}

// A model file does not depend on the names of files: this stands for them, alone or in NAME=FILE.
constexpr std::string_view kFile = "file";

bool names_file(const OptionRow& row, std::string_view value) {
  double number = 0;
  if (row.type == OptionType::file) return value != "none";
  if (row.name == "holdout") return parse_number(value, number) == NumberKind::not_a_number;
  if (row.name == "stop-words") return value != "english";
  if (row.name == "expectations") return !value.starts_with("labelled");
  return row.name == "prior-probabilities" && value != "learnt" && value != "uniform" &&
         value.find('=') == value.npos;
}

bool tells(const std::vector<RecordedOption>& told, std::string_view option,
           const std::vector<std::string>& values) {
  std::size_t k = 0;
  for (const RecordedOption& each : told) {
    if (each.option != option) continue;
    if (k == values.size() || !(each.is_file || same_text(each.value, values[k]))) return false;
    ++k;
  }
  return k == values.size();
}

//   kind : of the model's file
std::vector<RecordedOption> told_options(std::string_view kind, const ExtractionConfig& extraction,
                                         const Json& record) {
  const KindSet bit = kind_bit(kind);
  const OptionValues known(training_options());
  std::vector<RecordedOption> options{{"model", std::string(bit == kJointBit ? "maxent" : kind)}};
  const std::string foreign = record.value("format", std::string());
  const bool segmented = foreign == "segmented";
  if (!foreign.empty()) {
    options.push_back({"format", foreign});
  } else if (record.contains(kSpanFormat)) {
    options.push_back({"format", kSpanFormat});
  } else if (extraction.format != InputFormat::columns) {
    options.push_back({"format", std::string(format_name(extraction.format))});
  }
  if (const Json* const scheme = record.get_if(kSpanFormat)) {
    options.push_back({"label-scheme", scheme->string()});
  }
  const ColumnsForm& form = extraction.form;
  if (form.label_column > 0) options.push_back({"label-column", std::to_string(form.label_column)});
  if (!form.ignored.empty()) options.push_back({"ignore-lines", form.ignored});
  const auto file = [&](const char* option, bool is_there) {
    if (is_there && has_meaning(known.row(option), bit)) options.push_back({option, "FILE", true});
  };
  const std::string& text = extraction.template_text;
  file("template", !text.empty() && !(segmented && text == kSegmenterTemplate));
  file("kit", extraction.kit != nullptr);
  file("prior", record.value("prior", false));
  file("init", record.value("init", false));
  file("unlabelled", record.contains("unlabelled"));
  file("weights", record.contains("sequence_weights"));
  file("transition-groups",
       record.contains("shared_transitions") || record.contains("dropped_transitions"));
  for (const auto& [key, option] : kOptions) {
    const Json* const value = record.get_if(key);
    if (value == nullptr || !is_value(*value)) continue;
    if (!has_meaning(known.row(option), bit)) continue;
    const bool tokens = option == std::string_view("tokenizer");
    if (tokens && segmented) continue;  // it has its own
    const bool is_kept = tokens && text_of(*value) == kKeptSegmenter;
    const bool is_file = is_kept || text_of(*value) == "file";
    options.push_back({option,
                       is_kept   ? "model:FILE"
                       : is_file ? "FILE"
                                 : text_of(*value),
                       is_file});
  }
  if (extraction.boundaries || (bit == kHmmBit && record.value("end", false))) {
    options.push_back({"boundaries", ""});
  }
  if (const Json* const intercept = record.get_if("intercept")) {
    options.push_back({"intercept", intercept->string()});
  } else if (bit == kMaxentBit && extraction.cell_attributes == CellAttributes::none) {
    options.push_back({"no-intercept", ""});
  }
  for (const auto& [key, option] :
       {std::pair("em_iterations", "em-iterations"), std::pair("tolerance", "tolerance")}) {
    const Json* const value = record.get_if(key);
    if (value == nullptr || !has_meaning(known.row(option), bit)) continue;
    options.push_back({option, text_of(*value)});
  }
  if (record.value("pair_trees", false)) options.push_back({"pair-trees", ""});
  if (record.value("stop", std::string()) == "max_iterations" && record.contains("iterations")) {
    options.push_back({"max-iterations", record.at("iterations").dump()});
  }
  return options;
}

std::string kept_text(const OptionRow& row, const std::string& text) {
  if (!names_file(row, text)) return text;
  const std::size_t name = row.type == OptionType::file ? text.find('=') + 1 : 0;
  return text.substr(0, name).append(kFile);
}

Json kept_value(const OptionValues& given, const OptionRow& row) {
  if (row.type == OptionType::flag && row.bare.empty()) return true;
  if (row.type == OptionType::whole) {
    std::size_t number = 0;
    given.read(row.name, number);
    return number;
  }
  if (row.type == OptionType::number) {
    double number = 0;
    given.read(row.name, number);
    return number;
  }
  std::vector<std::string> texts;
  for (const std::string& each : given.list(row.name)) texts.push_back(kept_text(row, each));
  return row.several ? Json(texts) : Json(texts.back());
}

// Of "options", as they were added.
std::vector<RecordedOption> added_options(const Json& record, KindSet bit) {
  std::vector<RecordedOption> options;
  const OptionValues known(training_options());
  const Json added = record.value("options", Json::object());
  for (const auto& [name, value] : added.items()) {
    const OptionRow* const row = known.find(name);
    if (row == nullptr || !has_meaning(*row, bit)) continue;
    const auto add = [&](const Json& each) {
      if (!is_value(each)) return;
      std::string text = each.is_boolean() ? "" : text_of(each);
      const bool is_file = names_file(*row, text) && text.ends_with(kFile);
      if (is_file) text.replace(text.size() - kFile.size(), kFile.size(), "FILE");
      options.push_back({std::string(row->name), text, is_file});
    };
    if (value.is_array()) {
      for (const Json& each : value) add(each);
    } else {
      add(value);
    }
  }
  return options;
}

}  // namespace

std::vector<std::string> words_of(const RecordedOption& option) {
  const std::string& value = option.value;
  std::string name = "--" + option.option;
  if (value.empty()) return {std::move(name)};
  const bool flag = OptionValues(training_options()).row(option.option).type == OptionType::flag;
  if (flag || value.starts_with('-')) return {std::move(name) + "=" + value};
  return {std::move(name), value};
}

std::vector<RecordedOption> recorded_options(const SequenceModel& model, const Json& record) {
  std::vector<RecordedOption> options =
      told_options(model.kind(), model.extractor().config(), record);
  if (const auto* joint = dynamic_cast<const JointModel*>(&model)) {
    options.push_back({"joint-template", "FILE", true});
    if (joint->templates().uses_classes()) options.push_back({"label-classes", "FILE", true});
  }
  if (const auto* mixture = dynamic_cast<const MixtureModel*>(&model)) {
    options.resize(options.size() + mixture->components().size(), {"expert", "FILE", true});
  }
  const std::vector<RecordedOption> added = added_options(record, kind_bit(model.kind()));
  const auto is_added = [&](std::string_view option) {
    return std::ranges::find(added, option, &RecordedOption::option) != added.end();
  };
  std::erase_if(options, [&](const RecordedOption& each) {
    // Iterations of EM are those that the record counts.
    return is_added(each.option) || (each.option == "max-iterations" && is_added("em-iterations"));
  });
  options.insert(options.end(), added.begin(), added.end());
  return options;
}

void add_options(const OptionValues& given, const ExtractionConfig& extraction, Json& record) {
  const bool joint = given.given("joint-template");
  const std::string_view kind = joint ? JointModel::kKind : given.text("model");
  const KindSet bit = kind_bit(kind);
  const std::vector<RecordedOption> told = told_options(kind, extraction, record);
  const bool partly = record.contains("partial_positions") || record.contains("hidden_positions");
  const auto is_told = [&](const OptionRow& row) {
    if (std::ranges::find(kNotKept, row.name) != kNotKept.end()) return true;
    if (row.name == "partial" || row.needs == "partial") return !partly;
    if (joint && row.name == "label-classes") return true;
    if (row.name == "expert" && bit == kMixtureBit) return true;
    const std::vector<std::string>& values = given.list(row.name);
    return is_usual(row, bit, values) || tells(told, row.name, values);
  };
  Json rest = record.value("options", Json::object());
  for (const std::span<const OptionRow> table : training_options()) {
    for (const OptionRow& row : table) {
      if (given.given(row.name) && !is_told(row)) rest[row.name] = kept_value(given, row);
    }
  }
  if (!rest.empty()) record["options"] = std::move(rest);
}

std::string difference_in_training(const SequenceModel& one, const SequenceModel& other) {
  const auto described = [](const SequenceModel& model) {
    return kind_of(model).summary(model).json;
  };
  const Json a = described(one), b = described(other);
  const auto differs = [](const Json& x, const Json& y, const char* key) -> std::string {
    const Json* const in_x = x.get_if(key);
    const Json* const in_y = y.get_if(key);
    if (same(in_x, in_y)) return {};
    return std::string(key) + " (" + shown(in_x) + " and " + shown(in_y) + ")";
  };
  const Json record_a = a.value("training", Json::object()),
             record_b = b.value("training", Json::object());
  for (const auto& [key, option] : kOptions) {
    if (std::string found = differs(record_a, record_b, key); !found.empty()) return found;
  }
  for (const char* key : kOthers) {
    if (std::string found = differs(record_a, record_b, key); !found.empty()) return found;
  }
  for (const char* key : kOfModel) {
    if (a.value(key, Json()) == b.value(key, Json())) continue;
    return key;
  }
  return {};
}

}  // namespace croft
