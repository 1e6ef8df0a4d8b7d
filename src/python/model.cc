// Models: opened, saved, looked into.
#include "python/model.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "app/inspect/inspect_boosted.h"
#include "app/inspect/weights.h"
#include "app/kinds.h"
#include "app/label/documents.h"
#include "app/label/model_tokenizer.h"
#include "core/files.h"
#include "data/checks.h"
#include "model/foreign/foreign_chain.h"
#include "model/kinds/hmm_model.h"
#include "python/bind.h"
#include "python/matrix_rows.h"
#include "python/read/sequences.h"

namespace croft::python {

namespace py = pybind11;

py::str str_of(std::string_view bytes) {
  PyObject* text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

Container container_of(const py::bytes& data, const std::string& name) {
  const std::string_view view = data;
  const auto* const begin = reinterpret_cast<const std::byte*>(view.data());
  return model_file_of({begin, begin + view.size()}, name);
}

py::bytes python_bytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void save_file(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  const py::gil_scoped_release unlock;
  AtomicFile file(path);
  file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  file.commit();
}

bool PythonModel::sums_given_attributes() const {
  return model->scores_as_read() && model->extractor().config().format == InputFormat::attributes;
}

SequenceReader PythonModel::reader(std::string_view name) const {
  SequenceReader reader(rows(), name);
  if (!rows()) reader.expect(form());
  if (texts()) reader.accept_texts();
  return reader;
}

void PythonModel::complete_document(ColumnSequence& rows) const {
  if (model->first_pass() == nullptr || rows.beside.lists() == rows.rows()) return;
  ThreadPool alone;
  ColumnSequence* const document[] = {&rows};
  DocumentContext(*model).complete(document, alone);
}

std::vector<StringLists> beside_of(const SequenceModel& first, const DocumentPass& pass,
                                   const py::object& x, std::string_view name,
                                   std::size_t threads) {
  DocumentContext context(first, pass);
  DocumentRule rule(pass.by);
  ThreadPool pool(threads);
  SequenceReader reader(true, name);
  std::vector<ColumnSequence> document;
  std::vector<StringLists> beside;
  const auto finish = [&] {
    std::vector<ColumnSequence*> rows;
    for (ColumnSequence& each : document) rows.push_back(&each);
    {
      const py::gil_scoped_release unlock;
      context.complete(rows, pool);
    }
    for (ColumnSequence& each : document) beside.push_back(std::move(each.beside));
    document.clear();
  };
  const std::string file(name);
  InputSequence sequence;
  for (std::size_t n = 0; n < py::len(x); ++n) {
    reader.read(x[py::int_(n)], n, sequence);
    first.extractor().check_cells(sequence.rows, reader.sequence_name());
    if (rule.begins(sequence.rows, {}, file) && !document.empty()) finish();
    document.push_back(sequence.rows);
    if (n % 1000 == 999) check_signals();
  }
  finish();
  return beside;
}

void PythonModel::extract(InputSequence& input, Extractor::Scratch& scratch,
                          const std::string& name) const {
  const Extractor& extractor = model->extractor();
  if (rows()) {
    complete_document(input.rows);
    extractor.extract(input.rows, false, scratch, input.text);
    input.text.first_line = input.rows.first_line;
    return;
  }
  if (input.single) {
    extractor.extract(input.document, scratch, input.text, name);
  } else {
    extractor.complete(input.text, scratch, name);
  }
  check_sizes(input.text, name);
}

SequenceForm PythonModel::form() const {
  SequenceForm form;
  const Json& meta = model->meta();
  if (!meta.contains("training") || !meta["training"].is_object()) return form;
  const auto columns = meta["training"].value("matrix_columns", Json::object());
  if (!columns.is_object()) return form;
  const auto number = [&](const char* kind) -> std::optional<std::size_t> {
    const Json* const found = columns.get_if(kind);
    if (found == nullptr || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::size_t>();
  };
  form.sparse = number("sparse");
  form.dense = number("dense");
  return form;
}

namespace {

// The sorted attributes in the order of the table's header.
std::vector<std::string> of_table(const CsvColumns& table, const std::vector<std::string>& sorted,
                                  const std::string& file) {
  if (table.standardised) {
    throw Error(file,
                ": the program standardised the columns of its table (--standardise); train on "
                "numbers as they are, or ask croft.load for the model");
  }
  std::vector<std::string> names;
  for (const CsvColumn& column : table.columns) {
    if (column.kind == CsvKind::categorical) {
      throw Error(file + ": the column " + in_quotes(column.name) + " of its table is one of " +
                  "categories, and the columns of a matrix are numbers; ask croft.load for the " +
                  "model");
    }
    if (std::ranges::binary_search(sorted, column.name)) names.push_back(column.name);
  }
  return names;
}

// Digits without leading zeros.
bool smaller_index(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

std::vector<std::string> column_names(const SequenceModel& model,
                                      std::vector<std::string> attributes) {
  const ExtractionConfig& config = model.extractor().config();
  if (config.intercept) std::erase(attributes, kIntercept);
  const bool by_index = config.format == InputFormat::svmlight;
  if (by_index) {
    std::ranges::sort(attributes, smaller_index);
  } else {
    std::ranges::sort(attributes);
  }
  if (config.format != InputFormat::csv) return attributes;
  return of_table(config.csv, attributes, model.container().name());
}

namespace {

std::shared_ptr<PythonModel> open(const std::filesystem::path& path) {
  return std::make_shared<PythonModel>(open_model(path));
}

std::shared_ptr<PythonModel> from_bytes(const py::bytes& data, const std::string& name) {
  Container container = container_of(data, name);
  container.verify();  // it is all in memory anyway
  return std::make_shared<PythonModel>(std::move(container));
}

// What a file of the format holds.
std::string file_bytes(const PythonModel& self, const std::string& name) {
  const Container& container = self.model->container();
  if (name == "croft") {
    const std::span<const std::byte> bytes = container.bytes();
    std::string copy(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    container.check_unchanged();
    return copy;
  }
  const ForeignFormat* const format = foreign_format_named(name);
  if (format == nullptr) {
    std::string all = "croft";
    for (const ForeignFormat& each : foreign_formats()) {
      if (!each.name.empty()) all += ", " + std::string(each.name);
    }
    throw py::value_error("format is " + in_quotes(name) + "; choose one of: " + all);
  }
  const py::gil_scoped_release unlock;
  std::string made = format->write(foreign_chain(*self.model), container.name());
  container.check_unchanged();
  return made;
}

// The attributes of a file of CRFsuite's by their numbers there, which a model here does not keep.
py::list crfsuite_attributes(const py::bytes& data) {
  py::list names;
  for (const std::string& name : read_crfsuite(std::string_view(data), "data").node.names) {
    names.append(str_of(name));
  }
  return names;
}

py::list labels(const PythonModel& self) {
  py::list names;
  for (Label y = 0; y < self.model->labels(); ++y) names.append(str_of(self.model->label(y)));
  return names;
}

std::string dump(const Json& document) { return document.dump(-1, InvalidUtf8::replace); }

py::list attributes(const PythonModel& self) {
  py::list names;
  const FeatureTable& node = self.chain().node();
  for (std::uint32_t id = 0; id < node.size(); ++id) names.append(str_of(node.name(id)));
  return names;
}

// (attribute, label) -> weight; those of START and STOP are not among them.
py::dict state_features(const PythonModel& self) {
  const py::list names = labels(self);
  py::dict out;
  std::string last;
  py::str attribute;
  for_each_weight(self.chain().node(),
                  [&](const std::string& name, std::uint32_t y, double weight) {
                    if (weight == 0) return;
                    Boundary boundary;
                    std::string_view of_edge;
                    if (parse_boundary_name(name, boundary, of_edge)) return;
                    if (out.empty() || name != last) attribute = str_of(last = name);
                    out[py::make_tuple(attribute, names[y])] = weight;
                  });
  return out;
}

// (from, to) -> weight of the transitions that hold at every edge.
py::dict transition_features(const PythonModel& self) {
  const py::list names = labels(self);
  const std::size_t count = self.model->labels();
  py::dict out;
  for_each_weight(self.chain().tied(), [&](const std::string&, std::uint32_t cell, double weight) {
    if (weight == 0) return;
    const py::tuple key = py::make_tuple(names[cell / count], names[cell % count]);
    out[key] = weight + (out.contains(key) ? out[key].cast<double>() : 0.0);
  });
  return out;
}

// (attribute, from, to) -> weight, of edge attributes; from or to None: START, STOP.
py::dict edge_features(const PythonModel& self) {
  const py::list names = labels(self);
  const std::size_t count = self.model->labels();
  py::dict out;
  for_each_weight(self.chain().edge(), [&](const std::string& name, std::uint32_t cell, double w) {
    if (w == 0) return;
    out[py::make_tuple(str_of(name), names[cell / count], names[cell % count])] = w;
  });
  for_each_weight(self.chain().node(), [&](const std::string& name, std::uint32_t y, double w) {
    Boundary boundary;
    std::string_view of_edge;
    if (w == 0 || !parse_boundary_name(name, boundary, of_edge)) return;
    const bool start = boundary == Boundary::start;
    out[py::make_tuple(str_of(of_edge), start ? py::object(py::none()) : py::object(names[y]),
                       start ? py::object(names[y]) : py::object(py::none()))] = w;
  });
  return out;
}

// What `croft inspect --top` shows, as a text of the summary and as JSON with the top.
py::tuple inspect(const PythonModel& self, std::size_t n) {
  const KindRow& kind = kind_of(*self.model);
  View view = kind.summary(*self.model);
  view.json["top"] = kind.top(*self.model, n).json;
  self.model->container().check_unchanged();
  return py::make_tuple(str_of(view.text), dump(view.json));
}

// attribute -> (gain, count of its tests), the largest gain first.
py::dict importance(const PythonModel& self) {
  std::optional<TreeModelView> trees;
  if (const auto* boosted = as<BoostedModel>(*self.model)) trees.emplace(*boosted);
  if (const auto* boosted = as<BoostedSegmentModel>(*self.model)) trees.emplace(*boosted);
  if (!trees) throw py::value_error("this model is of kind " + self.model->kind());
  py::dict out;
  for (const AttributeImportance& each : importances(*trees)) {
    const TreeScorer& scorer = trees->scorer();
    const std::string name = scorer.attribute(each.attribute);
    out[str_of(scorer.is_of_spans(each.attribute) ? "segment " + name : name)] =
        py::make_tuple(each.gain, each.count);
  }
  return out;
}

// Probabilities, not logarithms: (start [L], transitions [L][L], end [L] or None).
py::tuple hmm_transitions(const PythonModel& self) {
  const auto* model = as<HmmModel>(*self.model);
  if (model == nullptr) throw py::value_error("this model is of kind " + self.model->kind());
  const auto list = [](std::span<const double> logs) {
    py::list out;
    for (const double log : logs) out.append(std::exp(log));
    return out;
  };
  py::list rows;
  for (Label y = 0; y < model->labels(); ++y) {
    rows.append(list(model->transitions<double>().log()[y]));
  }
  return py::make_tuple(list(model->start()), rows,
                        model->end().empty() ? py::object(py::none()) : list(model->end()));
}

// What `look` finds in a model, unless the model's file was changed meanwhile.
template <class Look>
auto unchanged(Look look) {
  return [look](const PythonModel& self) {
    auto found = look(self);
    self.model->container().check_unchanged();
    return found;
  };
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<PythonModel, std::shared_ptr<PythonModel>>(module, "Model", "A trained model.")
      .def_static("open", &open, py::arg("path"))
      .def_static("from_bytes", &from_bytes, py::arg("data"), py::arg("name") = "the model")
      .def(
          "bytes",
          [](const PythonModel& self, const std::string& format) {
            return py::bytes(file_bytes(self, format));
          },
          py::arg("format"))
      .def(
          "save",
          [](const PythonModel& self, const std::filesystem::path& path,
             const std::string& format) {
            const std::string bytes = file_bytes(self, format);
            save_file(std::as_bytes(std::span(bytes)), path);
          },
          py::arg("path"), py::arg("format"))
      .def("verify", [](const PythonModel& self) { self.model->container().verify(); })
      .def_property_readonly("labels", &labels)
      .def_property_readonly("order", [](const PythonModel& self) { return self.model->order(); })
      .def_property_readonly("rows", &PythonModel::rows)
      .def_property_readonly("sums_given_attributes", &PythonModel::sums_given_attributes)
      .def_property_readonly("columns", &PythonModel::columns)
      .def_property_readonly(
          "size", [](const PythonModel& self) { return self.model->container().file_size(); })
      .def_property_readonly("attributes", unchanged(attributes))
      .def("meta", [](const PythonModel& self) { return dump(self.model->meta()); })
      .def_property_readonly(
          "calibration",
          [](const PythonModel& self) { return dump(calibration_record(self.model->container())); })
      .def("calibrate",
           [](const PythonModel& self, const py::buffer& scores) {
             calibrate_rows(self.model->calibrator(), self.model->labels(), scores);
           })
      .def("inspect", &inspect, py::arg("top"))
      .def("state_features", unchanged(state_features))
      .def("transition_features", unchanged(transition_features))
      .def("edge_features", unchanged(edge_features))
      .def("importance", unchanged(importance));
  module.def("hmm_transitions", unchanged(hmm_transitions), py::arg("model"));
  module.def("crfsuite_attributes", &crfsuite_attributes, py::arg("data"));
}

}  // namespace croft::python
