// Training on Python's sequences.
#include <pybind11/stl.h>

#include <chrono>

#include "app/train/data_fit.h"
#include "app/train/train_boosted.h"
#include "app/train/train_error_correcting.h"
#include "app/train/train_hidden_chain.h"
#include "app/train/train_pool.h"
#include "app/train/train_segment.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"
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
    const bool fit = needs_fit(config);
    extractor_.emplace(std::move(config));
    if (fit) fit_kit();
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
  void describe(Json& record) const override { describe_form(form_, record); }
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
        extractor_->extract(sequence.rows, false, scratch, sequence.text, reader.sequence_name());
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
  // Numbers that a feature kit learns of the data, before strings are made of it.
  void fit_kit() {
    KitFit fit(*extractor_);
    SequenceReader reader(rows_, data_.x_name);
    InputSequence sequence;
    for (std::size_t n = 0; n < py::len(data_.x); ++n) {
      if (n % 1000 == 999) check_signals();
      reader.read(data_.x[py::int_(n)], n, sequence);
      if (rows_) check_columns(sequence.rows, n, extractor_->config().columns);
      fit.add(sequence, reader.sequence_name());
    }
    ExtractionConfig config = extractor_->config();
    config.kit = fit.finish();
    extractor_.emplace(std::move(config));
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
template <class Kind>
std::shared_ptr<const Kind> starting_model(const std::shared_ptr<PythonModel>& init,
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
  const auto model = std::dynamic_pointer_cast<const Kind>(start->model);
  if constexpr (std::is_same_v<Kind, ChainModel>) {
    if (!model) start->chain();  // says why not
  } else if (!model || model->kind() != Kind::kKind) {
    throw py::value_error("a model of kind " + start->model->kind() +
                          " cannot go on as one of kind " + std::string(Kind::kKind));
  }
  return model;
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
  const auto start = starting_model<ChainModel>(init, prior, request);
  // A warm start goes on with the kit that the model has.
  if (start && start->extractor().config().kit) request.kit.clear();
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

// The fields that Python is told of.
bool see_round(const BoostingProgress& now, TrainingObserver& watch) {
  const Iteration iteration{.number = now.round,
                            .evaluations = now.round + 1,
                            .objective = now.objective,
                            .gradient_norm = now.gradient_norm,
                            .active = now.leaves,
                            .w = {}};
  return watch.watcher().iteration({iteration, now.max_rounds, now.holdout});
}

py::dict info_of(const BoostingResult& result, bool interrupted) {
  py::dict info;
  info["reason"] = interrupted ? "interrupted" : result.stop;
  info["message"] = result.stop;
  info["iterations"] = result.rounds;
  info["objective"] = result.objective;
  info["trees"] = result.trees;
  info["leaves"] = result.leaves;
  info["holdout"] = py::none();
  if (!result.holdout) return info;
  py::dict holdout;
  holdout["token_accuracy"] = result.holdout->token_accuracy;
  if (result.holdout->chunk_f1) holdout["chunk_f1"] = *result.holdout->chunk_f1;
  info["holdout"] = holdout;
  return info;
}

py::tuple train_boosted(const std::string& kind, const py::object& x, const py::object& y,
                        py::object weights, const py::object& x_dev, const py::object& y_dev,
                        const py::dict& options, const py::dict& boosting,
                        const py::object& segments, py::object callback) {
  BoostedRequest request{train_request(options), kind, boosting_options(boosting), {}};
  if (!segments.is_none()) request.segments = segment_request(segments.cast<py::dict>());
  request.options.early_stop = request.train.options.early_stop;
  request.options.threads = request.train.options.threads;
  std::optional<LabelledData> holdout;
  if (!x_dev.is_none()) {
    if (!request.train.holdout.empty()) {
      throw py::value_error(
          "holdout is a fraction of X to set aside, and X_dev is given: one of them");
    }
    holdout = labelled(x_dev, y_dev, kHoldoutName, "y_dev");
    request.train.holdout = kHoldoutName;
  }
  std::optional<SegmentOptions> segment;
  if (kind == kBoostedSegment) segment = boosted_segment_options(request);
  const SegmentOptions* const own = segment ? &*segment : nullptr;
  LabelledData data = labelled(x, y, kTrainingName, "y");
  if (!weights.is_none()) weights = positional(weights, "sample_weight");
  PythonInput input(std::move(data), std::move(holdout), std::move(weights),
                    boosted_extraction(request, own));
  TrainingObserver watch(std::move(callback));
  std::optional<CheckpointFolder> checkpoints;
  if (!request.train.checkpoint.empty()) {
    checkpoints.emplace(request.train.checkpoint, request.train.resume,
                        std::chrono::duration<double>(request.train.checkpoint_interval));
  }
  const auto trained = [&] {
    const py::gil_scoped_release unlock;
    return train_boosted_on(
        request, input,
        {.data_read = watch.watcher().data_read,
         .reading = nullptr,
         .round = [&](const BoostingProgress& now) { return see_round(now, watch); }},
        checkpoints ? &*checkpoints : nullptr, own);
  }();
  watch.rethrow();
  if (checkpoints && !watch.stopped()) checkpoints->remove();
  auto model =
      std::make_shared<PythonModel>(Container::from_bytes(trained.model.bytes(), "the model"));
  return py::make_tuple(std::move(model), info_of(trained.result, watch.interrupted()));
}

py::tuple train_segment(const py::object& x, const py::object& y, py::object weights,
                        const py::object& x_dev, const py::object& y_dev, const py::dict& options,
                        const py::dict& segments, const std::shared_ptr<PythonModel>& init,
                        const std::shared_ptr<PythonModel>& prior, py::object callback) {
  SegmentRequest request = segment_request(segments);
  request.train = train_request(options);
  std::optional<LabelledData> holdout;
  if (!x_dev.is_none()) {
    if (!request.train.holdout.empty()) {
      throw py::value_error(
          "holdout is a fraction of X to set aside, and X_dev is given: one of them");
    }
    holdout = labelled(x_dev, y_dev, kHoldoutName, "y_dev");
    request.train.holdout = kHoldoutName;
  }
  const auto start = starting_model<SegmentModel>(init, prior, request.train);
  const SegmentOptions segment = segment_options(request, start.get());
  LabelledData data = labelled(x, y, kTrainingName, "y");
  if (!weights.is_none()) weights = positional(weights, "sample_weight");
  PythonInput input(std::move(data), std::move(holdout), std::move(weights),
                    segment_extraction(request, segment, start.get()));
  TrainingObserver watch(std::move(callback));
  std::optional<CheckpointFolder> checkpoints;
  if (!request.train.checkpoint.empty()) {
    checkpoints.emplace(request.train.checkpoint, request.train.resume,
                        std::chrono::duration<double>(request.train.checkpoint_interval));
  }
  const auto trained = [&] {
    const py::gil_scoped_release unlock;
    return train_segment_on(request, segment, input, watch.watcher(),
                            checkpoints ? &*checkpoints : nullptr, start);
  }();
  watch.rethrow();
  if (checkpoints && !watch.stopped()) checkpoints->remove();
  auto model =
      std::make_shared<PythonModel>(Container::from_bytes(trained.model.bytes(), "the model"));
  return py::make_tuple(std::move(model),
                        ::croft::python::info_of(trained.result, watch.interrupted()));
}

// A kind without warm starts: train(input, watch, checkpoints) gives the info and the model.
template <class Train>
py::tuple train_kind(const py::object& x, const py::object& y, py::object weights,
                     const py::object& x_dev, const py::object& y_dev, TrainRequest& request,
                     py::object callback, const Train& train_on_input) {
  std::optional<LabelledData> holdout;
  if (!x_dev.is_none()) {
    if (!request.holdout.empty()) {
      throw py::value_error(
          "holdout is a fraction of X to set aside, and X_dev is given: one of them");
    }
    holdout = labelled(x_dev, y_dev, kHoldoutName, "y_dev");
    request.holdout = kHoldoutName;
  }
  LabelledData data = labelled(x, y, kTrainingName, "y");
  if (!weights.is_none()) weights = positional(weights, "sample_weight");
  PythonInput input(std::move(data), std::move(holdout), std::move(weights),
                    make_extraction(request, nullptr));
  TrainingObserver watch(std::move(callback));
  std::optional<CheckpointFolder> checkpoints;
  if (!request.checkpoint.empty()) {
    checkpoints.emplace(request.checkpoint, request.resume,
                        std::chrono::duration<double>(request.checkpoint_interval));
  }
  const std::pair<TrainResult, ContainerWriter> trained = [&] {
    const py::gil_scoped_release unlock;
    return train_on_input(input, watch, checkpoints ? &*checkpoints : nullptr);
  }();
  watch.rethrow();
  if (checkpoints && !watch.stopped()) checkpoints->remove();
  auto model =
      std::make_shared<PythonModel>(Container::from_bytes(trained.second.bytes(), "the model"));
  return py::make_tuple(std::move(model),
                        ::croft::python::info_of(trained.first, watch.interrupted()));
}

py::tuple train_hidden_chain(const py::object& x, const py::object& y, py::object weights,
                             const py::object& x_dev, const py::object& y_dev,
                             const py::dict& options, const py::dict& own, py::object callback) {
  HiddenChainRequest request = hidden_chain_request(own);
  request.train = train_request(options);
  return train_kind(
      x, y, std::move(weights), x_dev, y_dev, request.train, std::move(callback),
      [&](TrainingInput& input, TrainingObserver& watch, CheckpointFolder* checkpoints) {
        auto trained = train_hidden_chain_on(
            request, input,
            {.data_read = watch.watcher().data_read,
             .reading = nullptr,
             .iteration = [&](std::size_t,
                              const TrainProgress& now) { return watch.watcher().iteration(now); }},
            checkpoints);
        return std::pair(trained.result.train, std::move(trained.model));
      });
}

py::tuple train_pool(const py::object& x, const py::object& y, py::object weights,
                     const py::object& x_dev, const py::object& y_dev, const py::dict& options,
                     const py::dict& own, const std::vector<std::shared_ptr<PythonModel>>& experts,
                     py::object callback) {
  PoolRequest request = pool_request(own);
  request.train = train_request(options);
  std::vector<std::shared_ptr<const ChainModel>> chains;
  for (const auto& each : experts) {
    each->chain();  // says why it is none
    chains.push_back(std::dynamic_pointer_cast<const ChainModel>(each->model));
  }
  return train_kind(
      x, y, std::move(weights), x_dev, y_dev, request.train, std::move(callback),
      [&](TrainingInput& input, TrainingObserver& watch, CheckpointFolder* checkpoints) {
        auto trained = train_pool_on(
            request, input, chains,
            {.data_read = watch.watcher().data_read,
             .reading = nullptr,
             .iteration = [&](std::size_t, std::size_t,
                              const TrainProgress& now) { return watch.watcher().iteration(now); }},
            checkpoints);
        return std::pair(trained.result.train, std::move(trained.model));
      });
}

// A bit that is trained is an iteration.
py::tuple train_error_correcting(const py::object& x, const py::object& y, py::object weights,
                                 const py::object& x_dev, const py::object& y_dev,
                                 const py::dict& options, const py::dict& own,
                                 py::object callback) {
  CodeRequest request = code_request(own);
  request.train = train_request(options);
  return train_kind(
      x, y, std::move(weights), x_dev, y_dev, request.train, std::move(callback),
      [&](TrainingInput& input, TrainingObserver& watch, CheckpointFolder* checkpoints) {
        auto trained = train_error_correcting_on(
            request, input,
            {.data_read = watch.watcher().data_read,
             .reading = nullptr,
             .bit =
                 [&](std::size_t done, std::size_t of, const OptimizeResult& bit) {
                   const Iteration iteration{.number = done,
                                             .evaluations = bit.evaluations,
                                             .objective = bit.objective,
                                             .gradient_norm = bit.gradient_norm,
                                             .w = {}};
                   return watch.watcher().iteration({iteration, of, std::nullopt});
                 },
             .stop = nullptr},
            checkpoints);
        TrainResult result;
        result.optimization.reason = trained.result.stopped ? StopReason::stopped
                                     : trained.result.converged == trained.result.bits
                                         ? StopReason::converged_objective
                                         : StopReason::max_iterations;
        result.optimization.message = std::to_string(trained.result.converged) + " of " +
                                      std::to_string(trained.result.bits) + " bits converged";
        result.optimization.objective = trained.result.objective;
        result.optimization.iterations = trained.result.iterations;
        result.dimension = result.active = trained.result.weights;
        return std::pair(result, std::move(trained.model));
      });
}

}  // namespace

void bind_training(py::module_& module) {
  module.def("train", &train, py::arg("X"), py::arg("y"), py::arg("sample_weight"),
             py::arg("X_dev"), py::arg("y_dev"), py::arg("options"), py::arg("init"),
             py::arg("prior"), py::arg("callback"));
  module.def("train_hidden_chain", &train_hidden_chain, py::arg("X"), py::arg("y"),
             py::arg("sample_weight"), py::arg("X_dev"), py::arg("y_dev"), py::arg("options"),
             py::arg("own"), py::arg("callback"));
  module.def("train_pool", &train_pool, py::arg("X"), py::arg("y"), py::arg("sample_weight"),
             py::arg("X_dev"), py::arg("y_dev"), py::arg("options"), py::arg("own"),
             py::arg("experts"), py::arg("callback"));
  module.def("train_error_correcting", &train_error_correcting, py::arg("X"), py::arg("y"),
             py::arg("sample_weight"), py::arg("X_dev"), py::arg("y_dev"), py::arg("options"),
             py::arg("own"), py::arg("callback"));
  module.def("train_segment", &train_segment, py::arg("X"), py::arg("y"), py::arg("sample_weight"),
             py::arg("X_dev"), py::arg("y_dev"), py::arg("options"), py::arg("segments"),
             py::arg("init"), py::arg("prior"), py::arg("callback"));
  module.def("train_boosted", &train_boosted, py::arg("kind"), py::arg("X"), py::arg("y"),
             py::arg("sample_weight"), py::arg("X_dev"), py::arg("y_dev"), py::arg("options"),
             py::arg("boosting"), py::arg("segments"), py::arg("callback"));
}

}  // namespace croft::python
