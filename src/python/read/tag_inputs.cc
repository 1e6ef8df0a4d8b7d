#include "python/read/tag_inputs.h"

#include "python/read/token_features.h"

namespace croft::python {

namespace py = pybind11;

TagInputs::TagInputs(const PythonModel& model, const py::object& x, const py::object& features,
                     std::shared_ptr<AttributeMemo>* memo)
    : model_(model), x_(x), reader_(model.reader(kTrainingName)), memo_(memo) {
  if (PyIter_Check(x.ptr()) == 0) count_ = py::len(x_);
  if (py::isinstance<py::tuple>(features)) {
    const auto parts = features.cast<py::tuple>();
    kept_ = parts[0];
    tokens_ = kept_.cast<TokenFeatures*>();
    if (&tokens_->model() != &model) throw py::value_error("features are of another model");
    function_ = parts[1];
    neighbour_ = parts[2];
  } else if (!features.is_none()) {
    function_ = features;
  }
}

py::object TagInputs::next_object() {
  if (count_) return next_ < *count_ ? py::object(x_[py::int_(next_)]) : py::object();
  auto object = py::reinterpret_steal<py::object>(PyIter_Next(x_.ptr()));
  if (!object && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return object;
}

bool TagInputs::next(PythonSequence& out) {
  const py::object sequence = next_object();
  if (!sequence) return false;
  out.found.start(0);
  reader_.begin(next_++, out.input);
  out.name = reader_.sequence_name();
  if (tokens_ != nullptr) {
    read_tokens(sequence, out);
  } else {
    read_positions(sequence, out);
  }
  return true;
}

void TagInputs::read_tokens(const py::object& tokens, PythonSequence& out) {
  tokens_->read(tokens.ptr(), function_, neighbour_, reader_.place(), out.found);
  reader_.set_length(out.found.end.size(), out.input);
  out.looked_up = true;
}

void TagInputs::read_positions(const py::object& given, PythonSequence& out) {
  const py::object sequence = function_ ? called(function_, given, out.name) : given;
  if (memo_ != nullptr && (!sink_ || used_->full())) {
    if (!*memo_ || (*memo_)->full()) {
      *memo_ = std::make_shared<AttributeMemo>(model_.chain().node());
    }
    used_ = *memo_;
    sink_.emplace(*used_, reader_.place());
  }
  if (sink_) sink_->leave_out_zeros(attributes_.known());
  out.looked_up = reader_.read(sequence, index(), out.input, sink_ ? &*sink_ : nullptr);
  model_.model->extractor().check_cells(out.input.rows, out.name);
  if (!out.looked_up) return;
  for (const std::uint32_t node : sink_->nodes()) {
    if (attributes_.known()) break;
    attributes_.look(*model_.model, used_->name(node));
  }
  sink_->take(out.found);
}

std::optional<std::string> TagInputs::warning() const {
  const std::string& kind = model_.model->kind();
  if (reader_.lone_cells() > 1 && kind != name_of(ChainKind::maxent)) {
    return "each of the " + std::to_string(reader_.lone_cells()) +
           " sequences of X has one position; if these are the rows of one sequence, put them into "
           "a list: [X]";
  }
  KnownAttributes all = attributes_;
  if (tokens_ != nullptr) all.add(tokens_->attributes());
  return all.warning("X");
}

}  // namespace croft::python
