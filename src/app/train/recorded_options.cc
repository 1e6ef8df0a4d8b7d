#include "app/train/recorded_options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/kinds.h"
#include "app/label/row_reader.h"
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
    {"prior", "unlabelled", "states", "training", "end", "pair_trees", "intercept"});
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

}  // namespace

std::vector<RecordedOption> recorded_options(const SequenceModel& model, const Json& record) {
  const bool joint = model.kind() == JointModel::kKind;
  std::vector<RecordedOption> options{{"model", joint ? "maxent" : model.kind()}};
  const ExtractionConfig& extraction = model.extractor().config();
  if (record.contains(kSpanFormat)) {
    options.push_back({"format", kSpanFormat});
    options.push_back({"label-scheme", record.at(kSpanFormat).string()});
  } else if (extraction.format != InputFormat::columns) {
    options.push_back({"format", std::string(format_name(extraction.format))});
  }
  const ColumnsForm& form = extraction.form;
  if (form.label_column > 0) options.push_back({"label-column", std::to_string(form.label_column)});
  if (!form.ignored.empty()) options.push_back({"ignore-lines", form.ignored});
  const KindSet bit = kind_bit(model.kind());
  const OptionValues known(training_options());
  const auto file = [&](const char* option, bool is_there) {
    if (is_there && has_meaning(known.row(option), bit)) options.push_back({option, "", true});
  };
  file("template", !extraction.template_text.empty());
  file("kit", extraction.kit != nullptr);
  file("joint-template", joint);
  file("label-classes", joint && static_cast<const JointModel&>(model).templates().uses_classes());
  if (const auto* mixture = dynamic_cast<const MixtureModel*>(&model)) {
    for (std::size_t k = 0; k < mixture->components().size(); ++k) file("expert", true);
  }
  for (const auto& [key, option] : kOptions) {
    const Json* const value = record.get_if(key);
    if (value == nullptr || !is_value(*value)) continue;
    if (!has_meaning(known.row(option), bit)) continue;
    const bool is_file = text_of(*value) == "file";
    options.push_back({option, is_file ? "" : text_of(*value), is_file});
  }
  if (bit == kHmmBit && record.value("end", false)) options.push_back({"boundaries", ""});
  if (bit == kHmmBit && record.contains("objective")) {  // by L-BFGS, whatever is known
    for (const auto& [key, option] :
         {std::pair("em_iterations", "em-iterations"), std::pair("tolerance", "tolerance")}) {
      const Json* const value = record.get_if(key);
      if (value != nullptr) options.push_back({option, text_of(*value)});
    }
  }
  if (record.value("pair_trees", false)) options.push_back({"pair-trees", ""});
  if (record.value("stop", std::string()) == "max_iterations" && record.contains("iterations")) {
    options.push_back({"max-iterations", record.at("iterations").dump()});
  }
  return options;
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
