// What the verbs of the command line do with files: calibrate, stack, cluster, convert, suggest.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/convert/convert.h"
#include "app/convert/stack.h"
#include "app/convert/texts/convert_texts.h"
#include "app/evaluate/calibrate.h"
#include "app/label/model_tokenizer.h"
#include "app/label/row_reader.h"
#include "app/label/suggest.h"
#include "app/train/cluster.h"
#include "app/train/requests.h"
#include "core/json.h"
#include "core/words/closest_name.h"
#include "croft/core/interrupt.h"
#include "python/bind.h"
#include "python/model.h"
#include "python/options.h"

namespace croft::python {

namespace py = pybind11;

namespace {

std::string written(const Json& document) { return document.dump(-1, InvalidUtf8::replace); }

void heed_signals() {
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

// The report that `croft calibrate --json` prints, as JSON, and its warnings in Python's words.
std::pair<std::string, std::vector<std::string>> calibrate(const std::string& model,
                                                           const std::vector<std::string>& data,
                                                           const std::string& output,
                                                           const std::string& method,
                                                           std::size_t threads) {
  CalibrateRequest request;
  request.model = model, request.data = data, request.output = output;
  request.method = calibration_method(method);
  const py::gil_scoped_release unlock;
  ThreadPool pool(threads);
  const CalibrateReport report = calibrate_model(request, pool);
  std::vector<std::string> warnings;
  for (const std::string& each : report.warnings) warnings.push_back(in_python(each, "method"));
  return {written(to_json(report)), warnings};
}

// Attribute lines, as `croft stack` writes them.
py::bytes stack_files(const std::string& model, const std::vector<std::string>& data,
                      const std::string& template_path, const std::string& kit,
                      std::size_t jackknife, const std::string& group_by,
                      std::optional<std::size_t> elsewhere, std::size_t threads,
                      const py::dict& options, const py::object& warn) {
  StackRequest request{model, data, template_path, kit, jackknife};
  request.options = training_arguments(options);
  request.group_by = group_by;
  request.elsewhere = elsewhere;
  request.threads = threads;
  std::string lines;
  std::vector<std::string> warnings;
  {
    const py::gil_scoped_release release;
    stack(request, {.write = [&](std::string_view text) { lines += text; },
                    .warn = [&](std::string_view text) { warnings.emplace_back(text); },
                    .progress = {}});
  }
  for (const std::string& each : warnings) warn(in_python(each, "group-by"));
  return lines;
}

py::dict cluster(const std::vector<std::string>& data, const std::string& output,
                 std::size_t clusters, std::size_t min_count, bool columns, std::size_t column,
                 bool fold) {
  ClusterRequest request;
  request.data = data, request.output = output, request.clusters = clusters;
  request.min_count = min_count, request.columns = columns, request.column = column;
  request.fold = fold;
  ClusterResult found{};
  {
    const py::gil_scoped_release unlock;
    found = cluster_words(request, {.reading = [](std::size_t) { heed_signals(); },
                                    .words =
                                        [](std::size_t, std::size_t) {
                                          heed_signals();
                                          return true;
                                        }});
  }
  py::dict out;
  out["tokens"] = found.tokens, out["words"] = found.words, out["kept"] = found.kept;
  out["clusters"] = found.clusters, out["mutual_information"] = found.quality;
  return out;
}

// How texts are read, as croft.read() and croft.convert() say it.
TextReading text_reading(const std::string& delimiter, const std::string& tokenizer,
                         const std::string& misaligned, const std::string& text_column,
                         const std::string& label_column, const std::vector<std::string>& cells,
                         const std::string& ignore_lines,
                         const std::vector<std::string>& label_names, bool unlabelled) {
  TextReading reading;
  if (misaligned == "widen") {
    reading.misaligned = Misaligned::widen;
  } else if (misaligned == "drop") {
    reading.misaligned = Misaligned::drop;
  } else if (misaligned != "refuse") {
    throw UsageError("misaligned is refuse, widen or drop, and not ", in_quotes(misaligned));
  }
  if (tokenizer != kUsualTokenizer) reading.tokenizer = text_tokenizer(tokenizer);
  if (!delimiter.empty()) {
    static const OptionRow kRow = delimiter_row();
    OptionValues said({std::span(&kRow, 1)});
    said.set("delimiter", delimiter);
    read_delimiter(said, reading.delimiter);
  }
  reading.text_column = text_column;
  reading.label_column = label_column;
  reading.cells = cells;
  reading.ignore_lines = ignore_lines;
  reading.label_names = label_names;
  reading.unlabelled = unlabelled;
  return reading;
}

void check_format(const std::string& name) {
  if (find_text_format(name) != nullptr) return;
  std::vector<std::string_view> names;
  std::string all;
  for (const TextFormat& each : text_formats()) {
    names.push_back(each.name);
    all += (all.empty() ? "" : ", ") + std::string(each.name);
  }
  throw UsageError("format is ", in_quotes(name), ", which there is not", did_you_mean(name, names),
                   "; there are ", all);
}

// The data as text, and what is to be said of spans that were widened or dropped.
py::tuple convert_file(const std::string& path, const std::string& from, const std::string& to,
                       const std::string& scheme, const std::string& title,
                       const TextReading& reading) {
  if (!from.empty()) check_format(from);
  TextConversion conversion{.from = from, .to = to, .reading = reading};
  conversion.writing.scheme = chunk_scheme_from_name(scheme);
  conversion.writing.title = title;
  std::string out;
  ChangedSpans changed;
  {
    const py::gil_scoped_release unlock;
    changed = convert_data(path, conversion, [&](std::string_view text) { out += text; });
  }
  return py::make_tuple(py::bytes(out), changed.text(reading.misaligned));
}

// Sequences that were handed over, as a model reads them.
class GivenSequences final : public SequenceStream {
 public:
  // Needs the GIL.
  GivenSequences(const PythonModel& model, const py::list& x) : model_(model) {
    SequenceReader reader = model.reader(name_);
    for (std::size_t n = 0; n < x.size(); ++n) {
      InputSequence& input = given_.emplace_back();
      reader.read(x[n], n, input);
      model.model->extractor().check_cells(input.rows, reader.sequence_name());
      check_signals();
    }
    if (model.model->first_pass() == nullptr) return;
    auto beside = beside_of(*model.model->first_pass(),
                            *model.model->extractor().config().documents, x, name_);
    for (std::size_t n = 0; n < given_.size(); ++n) given_[n].rows.beside = std::move(beside[n]);
  }
  bool next(InputSequence& out) override {
    if (next_ == given_.size()) return false;
    out = std::move(given_[next_++]);
    return true;
  }
  void extract(InputSequence& out, Extractor::Scratch& scratch) const override {
    model_.extract(out, scratch, name_);
    out.text.first_line = 0;  // it is in no file
  }
  const std::string& name() const override { return name_; }

 private:
  const PythonModel& model_;
  const std::string name_ = "X";
  std::vector<InputSequence> given_;
  std::size_t next_ = 0;
};

// What `croft suggest` prints, a JSON object a line.
//   data    : the path of a file, or a list of sequences
//   options : of a file, as data_values() has them
std::string suggest_of(const std::vector<std::shared_ptr<PythonModel>>& models,
                       const py::object& data, const std::string& by, std::size_t top,
                       double density, const py::dict& data_options) {
  SuggestOptions options{.most = top, .density = density};
  const auto found = std::ranges::find(kUncertainties, by);
  if (found == std::end(kUncertainties)) {
    throw UsageError("by is margin, entropy, errors, vote-entropy or divergence, and not ",
                     in_quotes(by));
  }
  options.by = static_cast<Uncertainty>(found - std::begin(kUncertainties));
  options.validate(models.size());
  for (const auto& each : models) {
    const InputFormat format = each->model->extractor().config().format;
    if (format == models.front()->model->extractor().config().format) continue;
    throw UsageError("the models of a committee read the same data: give models of one format");
  }
  const OptionValues form = data_values(data_options);
  std::vector<std::unique_ptr<TagPlan>> plans;
  std::vector<std::unique_ptr<SequenceStream>> sources;
  std::vector<CommitteeMember> members;
  for (const auto& each : models) {
    const SequenceModel& model = *each->model;
    plans.push_back(std::make_unique<TagPlan>(model));
    if (py::isinstance<py::list>(data)) {
      sources.push_back(std::make_unique<GivenSequences>(*each, data.cast<py::list>()));
    } else {
      const auto path = data.cast<std::string>();
      const py::gil_scoped_release unlock;
      sources.push_back(
          std::make_unique<SequenceSource>(path, DataForm(form, model), model, Labels::optional));
    }
    members.push_back({plans.back().get(), sources.back().get()});
  }
  const py::gil_scoped_release unlock;
  std::string out;
  for (const Suggestion& each : suggest(members, options, interruption)) {
    out += written(each.json) + "\n";
  }
  return out;
}

}  // namespace

void bind_files(py::module_& module) {
  module.def("calibrate", &calibrate, py::arg("model"), py::arg("data"), py::arg("output"),
             py::arg("method"), py::arg("threads"));
  module.def("stack", &stack_files, py::arg("model"), py::arg("data"), py::arg("template_path"),
             py::arg("kit"), py::arg("jackknife"), py::arg("group_by"), py::arg("elsewhere"),
             py::arg("threads"), py::arg("options"), py::arg("warn"));
  module.def("cluster", &cluster, py::arg("data"), py::arg("output"), py::arg("clusters"),
             py::arg("min_count"), py::arg("columns"), py::arg("column"), py::arg("fold_case"));
  module.def(
      "convert_model",
      [](const std::string& input, const std::string& to, const std::string& output) {
        const py::gil_scoped_release unlock;
        return convert_model(input, to, output);
      },
      py::arg("input"), py::arg("to"), py::arg("output"));
  py::class_<TextReading>(module, "TextReading", "How texts are read.")
      .def(py::init(&text_reading), py::arg("delimiter"), py::arg("tokenizer"),
           py::arg("misaligned"), py::arg("text_column"), py::arg("label_column"), py::arg("cells"),
           py::arg("ignore_lines"), py::arg("label_names"), py::arg("unlabelled"));
  module.def(
      "read_texts",
      [](const std::string& path, const std::string& format, const TextReading& reading) {
        check_format(format);
        return written(read_texts(path, format, reading));
      },
      py::arg("path"), py::arg("format"), py::arg("reading"));
  module.def("convert_data", &convert_file, py::arg("path"), py::arg("from"), py::arg("to"),
             py::arg("scheme"), py::arg("title"), py::arg("reading"));
  module.def("write_file", [](const std::filesystem::path& path, const py::bytes& content) {
    const std::string_view view = content;
    save_file(std::as_bytes(std::span(view.data(), view.size())), path);
  });
  module.def("is_data_format",
             [](const std::string& name) { return find_text_output(name) != nullptr; });
  module.def("suggest", &suggest_of, py::arg("models"), py::arg("data"), py::arg("by"),
             py::arg("top"), py::arg("density"), py::arg("options") = py::dict());
}

}  // namespace croft::python
