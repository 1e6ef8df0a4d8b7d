#include "python/options.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <map>

#include "app/label/chunks.h"
#include "app/label/row_reader.h"
#include "app/label/tag_files.h"
#include "app/search/search.h"
#include "python/bind.h"
#include "python/read/sequences.h"
#include "train/options/training_options.h"

namespace croft::python {
namespace {

namespace py = pybind11;

using Tables = std::vector<std::span<const OptionRow>>;

std::string with(std::string name, char from, char to) {
  std::ranges::replace(name, from, to);
  return name;
}

std::string python_name(std::string_view option) { return with(std::string(option), '-', '_'); }

[[noreturn]] void fail_type(const OptionRow& row, const py::handle& value) {
  constexpr const char* kExpected[] = {"True or False", "a whole number", "a number", "a str",
                                       "a str",         "a path",         "a size",   "a str"};
  const OptionType type = row.choices.empty() ? row.type : OptionType::choice;
  throw py::type_error(python_name(row.name) + " is " + py::repr(value).cast<std::string>() +
                       ", and " + kExpected[static_cast<int>(type)] + " was expected");
}

bool is_text(const py::handle& value) {
  return py::isinstance<py::str>(value) || py::hasattr(value, "__fspath__");
}

// A str, or the path that an object stands for, whose bytes need not be UTF-8.
std::string text_of_path(const OptionRow& row, const py::object& value) {
  const py::module_ os = py::module_::import("os");
  if (row.type != OptionType::file) return os.attr("fspath")(value).cast<std::string>();
  std::string path = os.attr("fsencode")(value).cast<std::string>();
  if (path.find('\0') == path.npos) return path;
  throw py::value_error(python_name(row.name) + " has a NUL, which no path has");
}

// As the command line writes it.  Throws TypeError for what the row does not take.
std::string text_of_value(const OptionRow& row, const py::handle& handle) {
  const auto value = py::reinterpret_borrow<py::object>(handle);
  const bool text = is_text(value);
  const bool whole = !text && PyIndex_Check(value.ptr()) != 0;
  const bool number = whole || PyFloat_Check(value.ptr()) != 0;
  switch (row.type) {
    case OptionType::whole:
      if (!whole && !(number && value.attr("is_integer")().cast<bool>())) fail_type(row, value);
      return py::str(py::int_(value));
    case OptionType::number:
      if (text || !(number || py::hasattr(value, "__float__"))) fail_type(row, value);
      return whole ? py::str(py::int_(value)) : py::str(py::float_(value));
    case OptionType::size:
    case OptionType::words:  // a number, too: a cost, a fraction
      if (number && !py::isinstance<py::bool_>(value)) return py::str(value);
      [[fallthrough]];
    default:
      if (!text) fail_type(row, value);
      return text_of_path(row, value);
  }
}

bool truth(const OptionRow& row, const py::handle& value) {
  try {
    return value.cast<bool>();
  } catch (const py::cast_error&) {
    fail_type(row, value);
  }
}

// "none" of a flag with choices is the flag that is its opposite.
void set_choice_of_flag(OptionValues& values, const OptionRow& row, const std::string& text) {
  if (text == "none") return values.set_flag("no-" + std::string(row.name));
  std::string names = "none";
  for (const std::string_view each : row.choices) names += ", " + std::string(each);
  if (std::ranges::find(row.choices, text) == row.choices.end()) {
    throw OptionError(row, {": ", in_quotes(text), " is none of ", names});
  }
  values.set(row.name, text);
}

void set(OptionValues& values, const OptionRow& row, const py::handle& value) {
  if (row.type == OptionType::flag && row.choices.empty()) {
    if (truth(row, value)) values.set_flag(row.name);
  } else if (row.type == OptionType::flag) {
    set_choice_of_flag(values, row, text_of_value(row, value));
  } else if (row.several && py::hasattr(value, "items")) {
    for (const auto& each : value.attr("items")()) {
      const auto [name, one] = each.cast<std::pair<std::string, py::object>>();
      values.set(row.name, name + "=" + py::str(one).cast<std::string>());
    }
  } else if (row.several && (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))) {
    for (const py::handle each : value) values.set(row.name, text_of_value(row, each));
  } else {
    values.set(row.name, text_of_value(row, value));
  }
}

// Hands (row, value) of each key that is not None to `take`.
template <class Take>
void read(const py::dict& options, OptionValues& values, const Take& take) {
  for (const auto& [key, value] : options) {
    const std::string name = py::str(key);
    const OptionRow* const row = values.find(with(name, '_', '-'));
    if (row == nullptr || python_name(row->name) != name) {
      throw py::type_error("there is no option " + name);
    }
    if (!value.is_none()) take(*row, value);
  }
  values.check_company();
}

OptionValues values_in(const py::dict& options, Tables tables) {
  OptionValues values(std::move(tables));
  read(options, values, [&](const OptionRow& row, py::handle value) { set(values, row, value); });
  return values;
}

// Python's own: templates that are in no file.
std::span<const OptionRow> texts() {
  static const auto kRows = std::to_array<OptionRow>({
      option::words("template-text", "", "").outside(),
      option::words("segment-template-text", "", "").outside(),
      option::words("joint-template-text", "", "").outside(),
  });
  return kRows;
}

// A template's text, and no path: that has no line feed and no macro.
bool is_template_text(const OptionRow& row, const std::string& text) {
  const bool whole = row.name == "segment-template" || row.name == "joint-template";
  return (whole || row.name == "template") &&
         (text.find('\n') != text.npos || text.find(whole ? "%" : "%x[") != text.npos);
}

void set_of_training(OptionValues& values, const OptionRow& row, const py::handle& value,
                     std::string_view kind) {
  if (row.name == "format") {
    const std::string text = text_of_value(row, value);
    if (text != "columns" && text != "attributes") {
      throw OptionError(row, {": ", in_quotes(text), " is none of columns, attributes"});
    }
    return values.set(row.name, text);
  }
  if (row.front_end) throw py::type_error("there is no option " + python_name(row.name));
  // Sequences that are held out are handed over, and no file is named.
  const bool number = !py::isinstance<py::bool_>(value) && py::hasattr(value, "__float__");
  if (row.name == "holdout" && !number) fail_type(option::number(row.name, "", ""), value);
  check_meaning(row, kind_bit(kind), kind);
  if (row.type != OptionType::file || !is_text(value)) return set(values, row, value);
  const std::string text = text_of_value(row, value);
  values.set(std::string(row.name) + (is_template_text(row, text) ? "-text" : ""), text);
}

// What the options cannot say of a request for sequences in memory.
void complete(TrainRequest& request, const OptionValues& values) {
  values.read("template-text", request.template_text);
  request.partial = kPartial;
}

void complete(SegmentRequest& request, const OptionValues& values,
              const std::map<std::string, std::vector<std::string>>& gazetteers) {
  values.read("segment-template-text", request.segment_template_text);
  for (const auto& [name, entries] : gazetteers) request.lists.push_back({name, entries});
}

// Takes a mapping out of the options; empty: the key has none.
template <class Value>
std::map<std::string, Value> taken(const py::dict& options, const char* key) {
  std::map<std::string, Value> out;
  if (!options.contains(key) || !py::hasattr(options[key], "items")) return out;
  const py::object value = options.attr("pop")(key);
  try {
    for (const auto& each : value.attr("items")()) {
      out.insert(each.cast<std::pair<std::string, Value>>());
    }
  } catch (const py::cast_error&) {
    throw py::type_error(std::string(key) + " is " + py::repr(value).cast<std::string>() +
                         ", which has a key or a value of the wrong type");
  }
  return out;
}

py::dict copy_of(const py::dict& options) { return options.attr("copy")(); }

void check_words(const std::map<std::string, std::string>& words) {
  for (const auto& [label, word] : words) {
    if (!word.empty() && word.size() == words.begin()->second.size() &&
        word.find_first_not_of("01-") == word.npos) {
      continue;
    }
    throw py::value_error("code: the word of \"" + label + "\" is \"" + word +
                          "\"; words are of 0, 1 and -, all of one length");
  }
}

std::span<const OptionRow> tag_rows() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      words("constrain", "", ""),
      file("penalties", "", ""),
      words("rules", "", "").repeated(),
      whole("limit", "", ""),
      choice("decode", "", {"viterbi", "marginal", "risk", "labelling"}, ""),
      choice("scheme", "", {"auto", "bio", "bio1", "ioe", "bioes", "raw"}, ""),
      flag("partial", ""),
  });
  return kRows;
}

// How a model's data in a file is written.
std::span<const OptionRow> data_rows() {
  static const auto kRows =
      std::to_array<OptionRow>({data_format_row(), tokenizer_row(), data_label_row(),
                                ignore_lines_row(), data_text_column_row(), data_misaligned_row()});
  return kRows;
}

std::string_view type_name(OptionType type) {
  constexpr std::string_view kNames[] = {"flag",  "whole", "number", "choice",
                                         "words", "file",  "size",   "letter"};
  return kNames[static_cast<int>(type)];
}

py::list option_rows(const std::string& kind) {
  using namespace py::literals;
  py::list rows;
  for (const std::span<const OptionRow> table : training_options()) {
    for (const OptionRow& row : table) {
      if (!has_meaning(row, kind_bit(kind))) continue;
      rows.append(py::dict("name"_a = row.name, "type"_a = type_name(row.type),
                           "shown"_a = row.shown, "help"_a = row.help, "initial"_a = row.initial,
                           "choices"_a = row.choices, "several"_a = row.several,
                           "needs"_a = row.needs, "front_end"_a = row.front_end));
    }
  }
  return rows;
}

}  // namespace

std::string in_python(const Message& message) {
  return message.spelled([](std::string_view option) {
    // What warm_start and partial_fit go on from is no argument.
    return option == "init" ? std::string("the model to go on from") : python_name(option);
  });
}

std::string in_python(const std::string& text, std::string_view option) {
  const Message spelled = Message::option(option);
  const std::size_t at = text.rfind(spelled.text());
  if (at == text.npos) return text;
  return in_python({text.substr(0, at), spelled, text.substr(at + spelled.text().size())});
}

OptionValues values_of(const py::dict& options, std::string_view kind) {
  Tables tables = training_options();
  tables.push_back(texts());
  OptionValues values(std::move(tables));
  values.set("model", kind == JointModel::kKind ? "maxent" : kind);
  if (has_meaning(values.row("partial"), kind_bit(kind))) values.set_flag("partial");
  read(options, values,
       [&](const OptionRow& row, py::handle value) { set_of_training(values, row, value, kind); });
  return values;
}

std::vector<std::string> training_arguments(const py::dict& options) {
  return values_in(options, training_options()).arguments();
}

TrainRequest train_request(const py::dict& options, std::string_view kind) {
  const OptionValues values = values_of(options, kind);
  TrainRequest request = croft::train_request(values);
  complete(request, values);
  return request;
}

SegmentRequest segment_request(const py::dict& options) {
  const py::dict rest = copy_of(options);
  const auto gazetteers = taken<std::vector<std::string>>(rest, "gazetteers");
  const OptionValues values = values_of(rest, "segment");
  SegmentRequest request = croft::segment_request(values);
  complete(request.train, values);
  complete(request, values, gazetteers);
  return request;
}

BoostedRequest boosted_request(const py::dict& options, std::string_view kind) {
  const py::dict rest = copy_of(options);
  const auto gazetteers = taken<std::vector<std::string>>(rest, "gazetteers");
  const OptionValues values = values_of(rest, kind);
  if (!gazetteers.empty()) check_meaning(values.row("gazetteer"), kind_bit(kind), kind);
  BoostedRequest request = croft::boosted_request(values);
  complete(request.train, values);
  complete(request.segments, values, gazetteers);
  return request;
}

HiddenChainRequest hidden_chain_request(const py::dict& options) {
  OptionValues values = values_of(options, "hidden-chain");
  // A mapping has the states of some labels, and the others have one.
  const bool some =
      options.contains("hidden_states") && py::hasattr(options["hidden_states"], "items");
  if (some) values.set("hidden-states", "1");
  HiddenChainRequest request = croft::hidden_chain_request(values);
  complete(request.train, values);
  return request;
}

PoolRequest pool_request(const py::dict& options) {
  const py::dict rest = copy_of(options);
  const auto classes = taken<std::string>(rest, "label_classes");
  const OptionValues values = values_of(rest, "pool");
  PoolRequest request = croft::pool_request(values);
  complete(request.train, values);
  request.pool.classes.insert(classes.begin(), classes.end());
  if (!request.classes_path.empty()) {
    throw py::type_error("label_classes is a path, and a dict was expected");
  }
  return request;
}

JointRequest joint_request(const py::dict& options) {
  const py::dict rest = copy_of(options);
  const auto classes = taken<std::string>(rest, "label_classes");
  const OptionValues values = values_of(rest, JointModel::kKind);
  JointRequest request = croft::joint_request(values);
  values.read("joint-template-text", request.template_text);
  request.classes.insert(classes.begin(), classes.end());
  return request;
}

MixtureRequest mixture_request(const py::dict& options) {
  return croft::mixture_request(values_of(options, MixtureModel::kKind));
}

CodeRequest code_request(const py::dict& options) {
  const py::dict rest = copy_of(options);
  const auto words = taken<std::string>(rest, "code");
  check_words(words);
  const OptionValues values = values_of(rest, "error-correcting");
  CodeRequest request = croft::code_request(values);
  complete(request.train, values);
  request.code.words.assign(words.begin(), words.end());
  // A file of words is the command line's; what is left is the name of no code.
  if (!request.code_path.empty()) request.code.code = std::move(request.code_path);
  return request;
}

HmmRequest hmm_request(const py::dict& options) {
  HmmRequest request = croft::hmm_request(values_of(options, "hmm"));
  request.train.partial = kPartial;
  return request;
}

SearchSettings search_settings_of(const py::dict& options) {
  const py::dict rest = copy_of(options);
  SearchSettings settings;
  // Of a metric and of iterations that are the estimator's own.
  settings.iterations = rest.attr("pop")("iterations", 0).cast<std::size_t>();
  settings.groups = rest.attr("pop")("groups", py::list()).cast<std::vector<std::size_t>>();
  settings.elsewhere = rest.attr("pop")("elsewhere", false).cast<bool>();
  const bool own_metric = rest.attr("pop")("own_metric", false).cast<bool>();
  read_search_settings(values_in(rest, {search_rows(), common_options()}), settings);
  if (own_metric) settings.metric = SearchMetric::score;
  if (settings.elsewhere) settings.folds = 1;
  return settings;
}

CheckOptions check_request(const py::dict& options) {
  return check_options(values_in(options, {check_rows()}));
}

OptionValues data_values(const py::dict& options) { return values_in(options, {data_rows()}); }

TagRequest tag_request(const py::dict& options, const SequenceModel& model) {
  const OptionValues values = values_in(options, {tag_rows()});
  TagRequest out;
  read_limits(model, std::string(values.text("constrain")), std::string(values.text("penalties")),
              out);
  values.read("rules", out.rules);
  values.read("limit", out.limit);
  values.choose("decode", {Decode::viterbi, Decode::marginal, Decode::risk, Decode::labelling},
                out.decode);
  if (values.given("scheme")) {
    out.scheme = chunk_scheme_from_name(std::string(values.text("scheme")));
  }
  if (values.flag("partial")) out.partial = kPartial;
  return out;
}

void bind_options(py::module_& module) { module.def("option_rows", &option_rows, py::arg("kind")); }

}  // namespace croft::python
