// What inspect.cc finds in a model, as text for people and as JSON for programs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_calibration.h"
#include "app/inspect/inspect_kit.h"
#include "app/inspect/inspect_tables.h"
#include "core/json.h"
#include "features/edge_conjunctions.h"
#include "model/file/extraction_record.h"

namespace croft {
namespace {

std::string_view language_name(const ExtractionConfig& config) {
  return config.language == TemplateLanguage::wapiti ? "wapiti" : "crfpp";
}

// Of the template, without line ends; the last one may lack its line feed.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The shortest decimal that gives the same float, as a double: 0.1 rather than 0.10000000149011612.
double shortest(float number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  double value = 0;
  std::from_chars(digits.begin(), end, value);
  return value;
}

// --- the training record: whatever fields it has, those that are known first

constexpr std::array kRecordOrder{"order",
                                  "histories",
                                  "objective",
                                  "cost",
                                  "constraint",
                                  "optimizer",
                                  "l1",
                                  "l2",
                                  "intercept",
                                  "features",
                                  "min_count",
                                  "precision",
                                  "seed",
                                  "sequences",
                                  "positions",
                                  "attributes",
                                  "weights",
                                  "nonzero_weights",
                                  "iterations",
                                  "evaluations",
                                  "stop",
                                  "objective_value",
                                  "gradient_norm",
                                  "holdout",
                                  "kept_iteration"};

void append_training(std::string& out, const Json& record) {
  out += "\ntraining record\n";
  Json rest = record;
  for (const char* const name : kRecordOrder) {
    const Json* const at = rest.get_if(name);
    if (at == nullptr) continue;
    append_field(out, name, *at);
    rest.erase(name);
  }
  for (const auto& [name, value] : rest.items()) append_field(out, name, value);
}

// --- the other parts of the summary

std::vector<std::string> labels_where(const ChainModel& model, const std::vector<bool>& allowed) {
  std::vector<std::string> names;
  for (Label y = 0; y < model.labels(); ++y) {
    if (allowed[y]) names.push_back(model.label(y));
  }
  return names;
}

void append_constraint(std::string& out, const ChainModel& model) {
  if (!model.constraint()) return;
  const ChainConstraint& constraint = *model.constraint();
  const auto allowed = [](const std::vector<bool>& bits) {
    return fmt::format("{} of {}", std::ranges::count(bits, true), bits.size());
  };
  out += fmt::format("constraint    {} labels may start, {} may end; {} transitions are allowed\n",
                     allowed(constraint.start), allowed(constraint.end), allowed(constraint.edge));
}

Json constraint_json(const ChainModel& model) {
  if (!model.constraint()) return nullptr;
  const ChainConstraint& constraint = *model.constraint();
  return {{"start", labels_where(model, constraint.start)},
          {"end", labels_where(model, constraint.end)},
          {"transitions", std::ranges::count(constraint.edge, true)}};
}

void append_sizes(std::string& out, const ChainModel& model) {
  out += fmt::format("\n{:<14}{:>12} {:>12}\n", "", "attributes", "weights");
  const auto row = [&](std::string_view name, const FeatureTable& table) {
    out += fmt::format("{:<14}{:>12} {:>12}\n", name, table.size(), table.weights());
  };
  row("transitions", model.tied());
  row("node", model.node());
  row("edge", model.edge());
  if (model.order() > 1) {
    out += fmt::format("{:<14}{:>12} {:>12}\n", "grams", "", model.gram_weights().size());
  }
}

void append_vote(std::string& out, const ChainModel& model) {
  if (model.vote() == nullptr) return;
  out += fmt::format("votes         of {} weight vectors, with {} changes between them\n",
                     model.vote()->vectors(), model.vote()->changes());
}

void append_kernel(std::string& out, const ChainModel& model) {
  if (model.kernel() == nullptr) return;
  const Kernel& kernel = model.kernel()->kernel;
  out += fmt::format("kernel        {}", kernel_type_name(kernel.type));
  if (kernel.type == Kernel::Type::polynomial) {
    out += fmt::format(", scale {:.8g}, offset {:.8g}, degree {}", kernel.scale, kernel.offset,
                       kernel.degree);
  } else if (kernel.type == Kernel::Type::rbf) {
    out += fmt::format(", gamma {:.8g}", kernel.gamma);
  }
  out += fmt::format("; {} support vectors\n", model.kernel()->support_vectors());
}

Json kernel_json(const KernelExpansion& expansion) {
  const Kernel& kernel = expansion.kernel;
  Json document = {{"type", kernel_type_name(kernel.type)},
                   {"support_vectors", expansion.support_vectors()}};
  if (kernel.type == Kernel::Type::polynomial) {
    document["scale"] = kernel.scale;
    document["offset"] = kernel.offset;
    document["degree"] = kernel.degree;
  } else if (kernel.type == Kernel::Type::rbf) {
    document["gamma"] = kernel.gamma;
  }
  return document;
}

void append_text(std::string& out, const ExtractionConfig& config) {
  const Json text = extraction_record(config).at("text");
  const TextOptions& options = config.text;
  out += fmt::format("terms         {}, {} to {}{}{}\n", text["analyzer"].get<std::string>(),
                     options.tokenizer.shortest, options.tokenizer.longest,
                     options.tokenizer.lower_case ? ", lower case" : "",
                     options.tokenizer.stop_words.empty() ? "" : ", without stop words");
  out += fmt::format("values        {}{}, norm {}\n", text["values"].get<std::string>(),
                     options.sublinear ? ", sublinear" : "", text["norm"].get<std::string>());
  if (options.hash_bits > 0) {
    out += fmt::format("vocabulary    none: hashed to {} numbers\n",
                       std::size_t{1} << options.hash_bits);
  } else if (config.terms) {
    out += fmt::format("vocabulary    {} terms of {} texts\n", config.terms->terms().size(),
                       config.terms->documents());
  } else {
    out += "vocabulary    none: every term counts\n";
  }
}

void append_table(std::string& out, const CsvColumns& csv) {
  const auto numeric = std::ranges::count(csv.columns, CsvKind::numeric, &CsvColumn::kind);
  out += fmt::format("label         {}\n", escaped(csv.label));
  out += fmt::format("columns       {} numeric{}, {} categorical, {} ignored\n", numeric,
                     csv.standardised ? " (standardised)" : "",
                     static_cast<std::ptrdiff_t>(csv.columns.size()) - numeric, csv.ignored.size());
}

// The first of those that induction found.
void append_conjunctions(std::string& out, const ExtractionConfig& config) {
  constexpr std::size_t kShown = 10;
  const std::size_t count = config.conjunctions.size();
  if (count == 0) return;
  out += fmt::format("conjunctions  {}\n", count);
  for (std::size_t k = 0; k < std::min(count, kShown); ++k) {
    const Conjunction& each = config.conjunctions[k];
    out += is_of_edge(each) ? "  " + escaped(edge_name(each)) + ", with two labels\n"
                            : "  " + escaped(each.name()) + "\n";
  }
  if (count > kShown) out += Message("  and ", count - kShown, " more: see --weights\n").text();
}

void append_extraction(std::string& out, const Extractor& extractor) {
  const ExtractionConfig& config = extractor.config();
  out += fmt::format("\nformat        {}\n", format_name(config.format));
  if (config.format == InputFormat::text) append_text(out, config);
  if (config.format == InputFormat::csv) append_table(out, config.csv);
  if (config.format == InputFormat::columns) {
    out += fmt::format("columns       {}, and the label\n", config.columns);
  }
  out += fmt::format("boundaries    {}\n", config.boundaries ? "START and STOP" : "none");
  if (extractor.has_template()) {
    out += fmt::format("template      {}\n", language_name(config));
    for (const std::string& line : lines_of(config.template_text)) {
      out += "  " + escaped(line) + "\n";
    }
  } else if (config.format == InputFormat::columns) {
    out += "template      none: default features for words\n";
  } else if (config.format == InputFormat::attributes) {
    out += "template      none: features are the attributes of each line\n";
  }
  if (config.kit) append_kit(out, *config.kit);
  append_conjunctions(out, config);
}

// --- features

std::string shown(const LabelOrEnd& label) {
  switch (label.kind) {
    case LabelOrEnd::Kind::start:
      return "START";
    case LabelOrEnd::Kind::stop:
      return "STOP";
    case LabelOrEnd::Kind::label:
      break;
  }
  return escaped(label.label);
}

std::string shown(const GramWeight& w) {
  std::string text;
  for (const std::string& label : w.labels) text += (text.empty() ? "" : " → ") + escaped(label);
  return text;
}
std::string shown(const NodeWeight& w) { return escaped(w.attribute); }
std::string shown(const EdgeWeight& w) {
  std::string text = shown(w.from) + " → " + shown(w.to);
  if (!w.attribute.empty()) text += "  " + escaped(w.attribute);
  return text;
}

// In favour first, against last: the order of the numbers.
template <class Weight>
void append_extremes(std::string& out, const std::string& title, const Extremes<Weight>& extremes) {
  out += title + "\n";
  const auto row = [&](const Weight& w) {
    out += fmt::format("  {:>+12.5g}  {}\n", w.weight, shown(w));
  };
  for (const Weight& w : extremes.largest) row(w);
  for (std::size_t k = extremes.smallest.size(); k > 0; --k) row(extremes.smallest[k - 1]);
}

Json to_json(const GramWeight& w) { return {{"labels", w.labels}, {"weight", shortest(w.weight)}}; }
Json to_json(const NodeWeight& w) {
  return {{"attribute", w.attribute}, {"weight", shortest(w.weight)}};
}

// START and STOP by name, and "boundary" where one of them is meant rather than a label of that
// name.
Json to_json(const EdgeWeight& w) {
  const auto name = [](const LabelOrEnd& label, const char* end) {
    return label.kind == LabelOrEnd::Kind::label ? label.label : std::string(end);
  };
  Json document = {{"attribute", w.attribute},
                   {"from", name(w.from, "START")},
                   {"to", name(w.to, "STOP")},
                   {"weight", shortest(w.weight)}};
  if (w.from.kind == LabelOrEnd::Kind::start) document["boundary"] = "start";
  if (w.to.kind == LabelOrEnd::Kind::stop) document["boundary"] = "stop";
  return document;
}

template <class Weight>
Json to_json(const Extremes<Weight>& extremes) {
  Json largest = Json::array(), smallest = Json::array();
  for (const Weight& w : extremes.largest) largest.push_back(to_json(w));
  for (const Weight& w : extremes.smallest) smallest.push_back(to_json(w));
  return {{"largest", std::move(largest)}, {"smallest", std::move(smallest)}};
}

Json extraction_json(const Extractor& extractor) {
  const ExtractionConfig& config = extractor.config();
  Json document = {{"format", format_name(config.format)}, {"boundaries", config.boundaries}};
  const Json record = extraction_record(config);
  for (const char* of : {"text", "csv"}) {
    if (record.contains(of)) document[of] = record[of];
  }
  if (config.format == InputFormat::columns) document["columns"] = config.columns;
  if (config.kit) document["kit"] = kit_json(*config.kit);
  for (const Conjunction& each : config.conjunctions) {
    if (!is_of_edge(each)) {
      document["conjunctions"].push_back(each.parts);
    } else {
      const std::vector<std::string> parts(each.parts.begin() + 1, each.parts.end());
      document["pair_conjunctions"].push_back(parts);
    }
  }
  document["template"] = nullptr;
  if (extractor.has_template()) {
    document["template"] = {{"language", language_name(config)},
                            {"lines", lines_of(config.template_text)}};
  }
  return document;
}

}  // namespace

std::string format_summary(const ChainModel& model) {
  const Json& meta = model.meta();
  std::string out = fmt::format("model         {}\n", escaped(model.container().name()));
  out += fmt::format("kind          {}\n", readable(meta.at("kind")));
  out += fmt::format("file size     {} bytes\n", model.container().file_size());
  out += fmt::format("labels        {}\n", model.labels());
  for (Label y = 0; y < model.labels(); ++y) out += "  " + escaped(model.label(y)) + "\n";
  out += fmt::format("order         {}\n", model.order());
  if (model.order() > 1) out += fmt::format("histories     {}\n", model.histories()->size());
  append_constraint(out, model);
  append_vote(out, model);
  append_kernel(out, model);
  out += calibration_lines(model);
  append_sizes(out, model);
  append_extraction(out, model.extractor());
  if (meta.contains("training")) append_training(out, meta["training"]);
  append_sections(out, model.container());
  return out;
}

Json summary_json(const ChainModel& model) {
  Json labels = Json::array();
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  const auto sizes = [](const FeatureTable& table) {
    return Json{{"attributes", table.size()}, {"weights", table.weights()}};
  };
  Json document = {{"kind", model.meta().at("kind")},
                   {"file_bytes", model.container().file_size()},
                   {"labels", std::move(labels)},
                   {"order", model.order()},
                   {"constraint", constraint_json(model)},
                   {"transitions", sizes(model.tied())},
                   {"node", sizes(model.node())},
                   {"edge", sizes(model.edge())},
                   {"extraction", extraction_json(model.extractor())},
                   {"sections", sections_json(model.container())}};
  if (model.order() > 1) {
    document["histories"] = model.histories()->size();
    document["grams"] = {{"weights", model.gram_weights().size()}};
  }
  if (const ChainVote* vote = model.vote()) {
    document["votes"] = {{"vectors", vote->vectors()}, {"changes", vote->changes()}};
  }
  if (model.kernel() != nullptr) document["kernel"] = kernel_json(*model.kernel());
  add_calibration(model, document);
  if (model.meta().contains("training")) document["training"] = model.meta()["training"];
  return document;
}

std::string format_top(const ChainModel& model, const TopFeatures& top) {
  std::string out;
  for (Label y = 0; y < model.labels(); ++y) {
    append_extremes(out, "label " + escaped(model.label(y)), top.node[y]);
  }
  append_extremes(out, "transitions", top.transitions);
  if (!top.edge.largest.empty() || !top.edge.smallest.empty()) {
    append_extremes(out, "edge features", top.edge);
  }
  if (model.order() > 1) append_extremes(out, "runs of labels", top.grams);
  return out;
}

Json top_json(const ChainModel& model, const TopFeatures& top) {
  Json node = Json::object();
  for (Label y = 0; y < model.labels(); ++y) node[model.label(y)] = to_json(top.node[y]);
  Json document = {{"node", std::move(node)},
                   {"transitions", to_json(top.transitions)},
                   {"edge", to_json(top.edge)}};
  if (model.order() > 1) document["grams"] = to_json(top.grams);
  return document;
}

}  // namespace croft
