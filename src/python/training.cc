// Training on Python's sequences.
#include <chrono>
#include <nlohmann/json.hpp>

#include "croft/core/interrupt.h"
#include "python/bind.h"
#include "python/model.h"
#include "python/options.h"
#include "python/sequences.h"
#include "python/training_watch.h"

namespace croft::python {
namespace {

namespace py = pybind11;

// Lists of sequences and of their labels; without labels, nothing is known of them.
struct LabelledData {
  py::object x, y;
  std::string_view x_name, y_name;
};

// Both as lists by position, of one length.
LabelledData labelled(const py::object& x, const py::object& y, std::string_view x_name,
                      std::string_view y_name) {
  LabelledData data{positional(x, x_name), positional(y, y_name), x_name, y_name};
  if (py::len(data.x) != py::len(data.y)) {
    throw py::value_error(std::string(x_name) + " has " + std::to_string(py::len(data.x)) +
                          " sequences and " + std::string(y_name) + " the labels of " +
                          std::to_string(py::len(data.y)));
  }
  return data;
}

class PythonInput final : public TrainingInput {
 public:
  PythonInput(LabelledData data, std::optional<LabelledData> holdout, py::object weights,
              ExtractionConfig config)
      : data_(std::move(data)), holdout_(std::move(holdout)), weights_(std::move(weights)) {
    rows_ = config.format == InputFormat::columns;
    if (rows_) config.columns = count_columns(data_.x);
    extractor_.emplace(std::move(config));
    if (!weights_.is_none() && py::len(weights_) != py::len(data_.x)) {
      throw py::value_error("sample_weight has " + std::to_string(py::len(weights_)) +
                            " numbers and X has " + std::to_string(py::len(data_.x)) +
                            " sequences");
    }
  }
  const Extractor& extractor() const override { return *extractor_; }

  void read(const Visit& visit) override {
    const py::gil_scoped_acquire lock;
    read(data_, [&](std::size_t n, TextSequence& text, const std::string& name) {
      if (!weights_.is_none()) {
        text.weight = weight_of(weights_, n);
        if (text.weight == 0) return;  // as if it were not there
      }
      check_sizes(text, name);
      visit(text, name);
    });
  }
  // So that matrices of another width are noticed in prediction.
  void describe(nlohmann::json& record) const override { describe_form(form_, record); }
  void read_holdout(const Visit& visit) override {
    const py::gil_scoped_acquire lock;
    if (!holdout_) return;
    read(*holdout_,
         [&](std::size_t, TextSequence& text, const std::string& name) { visit(text, name); });
  }

 private:
  template <class Each>
  void read(const LabelledData& data, const Each& each) {
    const std::size_t size = py::len(data.x);
    SequenceReader reader(rows_, data.x_name);
    if (form_) reader.expect(*form_);
    InputSequence sequence;
    Extractor::Scratch scratch;
    for (std::size_t n = 0; n < size; ++n) {
      if (n % 1000 == 999) check_signals();
      const auto index = py::int_(n);
      reader.read(data.x[index], n, sequence);
      if (rows_) {
        check_columns(sequence.rows, n, extractor_->config().columns);
        extractor_->extract(sequence.rows, false, scratch, sequence.text);
        sequence.text.first_line = 1;
      } else {
        extractor_->complete(sequence.text, scratch, reader.sequence_name());
      }
      sequence.text.weight = 1;
      reader.read_labels(data.y[index], data.y_name, sequence.text);
      each(n, sequence.text, reader.sequence_name());
    }
    form_ = reader.form();
  }
  LabelledData data_;
  std::optional<LabelledData> holdout_;
  py::object weights_;
  std::optional<SequenceForm> form_;  // once read
  bool rows_;
  std::optional<Extractor> extractor_;
};

// The model that training starts from, its weights being the penalty's mean where it is the prior.
// The request names it, as what suits a training depends on there being one.
std::shared_ptr<const ChainModel> starting_model(const std::shared_ptr<PythonModel>& init,
                                                 const std::shared_ptr<PythonModel>& prior,
                                                 TrainRequest& request) {
  if (init) request.init = init->model->container().name();
  if (prior) request.prior = prior->model->container().name();
  const std::shared_ptr<PythonModel>& start = prior ? prior : init;
  if (!start) return nullptr;
  if (start->rows() != (request.format == InputFormat::columns)) {
    throw py::value_error(std::string("the model to go on from is of ") +
                          (start->rows() ? "columns" : "attributes") + ", and X is not");
  }
  const auto chain = std::dynamic_pointer_cast<const ChainModel>(start->model);
  if (!chain) start->chain();  // says why not
  return chain;
}

py::tuple train(const py::object& x, const py::object& y, py::object weights,
                const py::object& x_dev, const py::object& y_dev, const py::dict& options,
                const std::shared_ptr<PythonModel>& init, const std::shared_ptr<PythonModel>& prior,
                py::object callback) {
  TrainRequest request = train_request(options);
  std::optional<LabelledData> holdout;
  if (!x_dev.is_none()) {
    if (!request.holdout.empty()) {
      throw py::value_error(
          "holdout is a fraction of X to set aside, and X_dev is given: one of them");
    }
    holdout = labelled(x_dev, y_dev, kHoldoutName, "y_dev");
    request.holdout = kHoldoutName;
  }
  const auto start = starting_model(init, prior, request);
  ExtractionConfig config = make_extraction(request, start.get());
  LabelledData data = labelled(x, y, kTrainingName, "y");
  if (!weights.is_none()) weights = positional(weights, "sample_weight");
  PythonInput input(std::move(data), std::move(holdout), std::move(weights), std::move(config));
  TrainingObserver watch(std::move(callback));
  std::optional<CheckpointFolder> checkpoints;
  if (!request.checkpoint.empty()) {
    checkpoints.emplace(request.checkpoint, request.resume,
                        std::chrono::duration<double>(request.checkpoint_interval));
  }
  const auto trained = [&] {
    const py::gil_scoped_release unlock;
    return train_on(request, input, start, watch.watcher(), checkpoints ? &*checkpoints : nullptr);
  }();
  watch.rethrow();
  if (checkpoints && !watch.stopped()) checkpoints->remove();
  auto model =
      std::make_shared<PythonModel>(Container::from_bytes(trained.model.bytes(), "the model"));
  return py::make_tuple(std::move(model), info_of(trained.result, watch.interrupted()));
}

}  // namespace

void bind_training(py::module_& module) {
  module.def("train", &train, py::arg("X"), py::arg("y"), py::arg("sample_weight"),
             py::arg("X_dev"), py::arg("y_dev"), py::arg("options"), py::arg("init"),
             py::arg("prior"), py::arg("callback"));
}

}  // namespace croft::python
