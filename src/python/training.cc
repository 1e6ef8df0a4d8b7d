// Training on Python's sequences.
#include <pybind11/stl.h>

#include "app/train/data_fit.h"
#include "app/train/first_pass.h"
#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "core/json.h"
#include "data/checks.h"
#include "model/kinds/hmm_model.h"
#include "python/bind.h"
#include "python/comm_ranks.h"
#include "python/model.h"
#include "python/options.h"
#include "python/read/sequences.h"
#include "python/training_watch.h"

namespace croft::python {
namespace {

namespace py = pybind11;

// Lists of sequences and of their labels; None: nothing is known of them.
struct LabelledData {
  py::object x, y;
  std::string_view x_name, y_name;
};

// Both as lists by position, of one length.
LabelledData labelled(const py::object& x, const py::object& y, std::string_view x_name,
                      std::string_view y_name) {
  LabelledData data{positional(x, x_name), y, x_name, y_name};
  if (!y.is_none()) data.y = positional(y, y_name);
  if (!y.is_none() && py::len(data.x) != py::len(data.y)) {
    throw py::value_error(std::string(x_name) + " has " + std::to_string(py::len(data.x)) +
                          " sequences and " + std::string(y_name) + " the labels of " +
                          std::to_string(py::len(data.y)));
  }
  return data;
}

// Of trainings that are no course of their own: notices Ctrl-C.
class SignalObserver final : public TrainObserver {
 public:
  bool stop() override {
    const py::gil_scoped_acquire lock;
    if (!error_ && PyErr_CheckSignals() != 0) error_.emplace();
    return error_.has_value();
  }
  void raise() {
    if (error_) throw py::error_already_set(std::move(*error_));
  }

 private:
  std::optional<py::error_already_set> error_;
};

class PythonInput final : public TrainingInput {
 public:
  PythonInput(LabelledData data, std::optional<LabelledData> holdout,
              std::optional<LabelledData> unlabelled, py::object weights, ExtractionConfig config,
              const DataRules& rules, bool known_labels, const TrainRequest& request)
      : data_(std::move(data)),
        holdout_(std::move(holdout)),
        unlabelled_(std::move(unlabelled)),
        weights_(std::move(weights)),
        optional_(rules.optional),
        known_labels_(known_labels) {
    rows_ = config.format == InputFormat::columns;
    if (rows_) config.columns = count_columns(data_.x);
    if (rules.complete) rules.complete(config);
    const bool fit = needs_fit(config);
    extractor_.emplace(std::move(config));
    if (fit) fit_kit();
    if (!weights_.is_none() && py::len(weights_) != py::len(data_.x)) {
      throw py::value_error("sample_weight has " + std::to_string(py::len(weights_)) +
                            " numbers and X has " + std::to_string(py::len(data_.x)) +
                            " sequences");
    }
    if (request.documents.any()) look_at_documents(request);
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
  // Of documents, sequences of weight 0 left out, as read() has them.
  std::vector<std::size_t> groups() override {
    if (weights_.is_none() || groups_.empty()) return groups_;
    const py::gil_scoped_acquire lock;
    std::vector<std::size_t> kept;
    for (std::size_t n = 0; n < groups_.size(); ++n) {
      if (weight_of(weights_, n) != 0) kept.push_back(groups_[n]);
    }
    return kept;
  }
  // So that matrices of another width are noticed in prediction.
  void describe(Json& record) const override { describe_form(form_, record); }
  bool holdout_in_parts() const override { return holdout_.has_value(); }
  void read_holdout(const Visit& visit) override {
    const py::gil_scoped_acquire lock;
    if (!holdout_) return;
    if (first_pass_.model) {
      beside_ = beside_of(*first_pass_.model, *first_pass_.pass, holdout_->x, holdout_->x_name);
    }
    read(*holdout_,
         [&](std::size_t, TextSequence& text, const std::string& name) { visit(text, name); });
  }

  void read_unlabelled(const Visit& visit) override {
    const py::gil_scoped_acquire lock;
    if (!unlabelled_) return;
    optional_ = true;
    read(*unlabelled_, [&](std::size_t, TextSequence& text, const std::string& name) {
      check_sizes(text, name);
      visit(text, name);
    });
  }

 private:
  template <class Each>
  void read(const LabelledData& data, const Each& each) {
    const std::size_t size = py::len(data.x);
    SequenceReader reader(rows_, data.x_name);
    if (form_) reader.expect(*form_);
    if (known_labels_) reader.require_known_labels();
    InputSequence sequence;
    Extractor::Scratch scratch;
    for (std::size_t n = 0; n < size; ++n) {
      if (n % 1000 == 999) check_signals();
      const auto index = py::int_(n);
      reader.read(data.x[index], n, sequence);
      if (rows_) {
        check_columns(sequence.rows, n, extractor_->config().columns);
        if (extractor_->config().documents) sequence.rows.beside = beside_[n];
        extractor_->extract(sequence.rows, false, scratch, sequence.text, reader.sequence_name());
        sequence.text.first_line = 1;
      } else {
        extractor_->complete(sequence.text, scratch, reader.sequence_name());
      }
      sequence.text.weight = 1;
      sequence.text.labels.clear();
      const py::object labels = data.y.is_none() ? py::none() : py::object(data.y[index]);
      if (!optional_ || !labels.is_none()) {
        reader.read_labels(labels, data.y_name, sequence.text);
      }
      each(n, sequence.text, reader.sequence_name());
    }
    form_ = reader.form();
  }
  // Reads all of it, and trains the first pass.
  void look_at_documents(const TrainRequest& request) {
    if (unlabelled_) {
      throw UsageError(Message::option("documents"),
                       " does not go with X_unlabelled; leave one of them out");
    }
    DocumentData documents(request.documents);
    documents.begin_file(std::string(data_.x_name));
    SequenceReader reader(true, data_.x_name);
    InputSequence sequence;
    for (std::size_t n = 0; n < py::len(data_.x); ++n) {
      if (n % 1000 == 999) check_signals();
      reader.read(data_.x[py::int_(n)], n, sequence);
      check_columns(sequence.rows, n, extractor_->config().columns);
      sequence.text.labels.clear();
      reader.read_labels(data_.y[py::int_(n)], data_.y_name, sequence.text);
      documents.add(with_labels(sequence));
      if (!weights_.is_none()) documents.sequences.back().weight = weight_of(weights_, n);
    }
    documents.end();
    if (const auto fraction = holdout_fraction(request.holdout)) {
      groups_ = documents.documents();
      const std::vector<bool> held = held_out_groups(groups(), *fraction, request);
      for (std::size_t n = 0, k = 0; n < groups_.size(); ++n) {
        DocumentData::Sequence& each = documents.sequences[n];
        if (each.weight != 0) each.held_out = held[k++];
      }
    }
    SignalObserver observer;
    ExtractionConfig config = extractor_->config();
    try {
      const py::gil_scoped_release unlock;
      first_pass_ =
          run_first_pass(request.documents, config, documents, request.options.threads, observer);
    } catch (const Interrupted&) {
      observer.raise();
      throw;
    }
    for (DocumentData::Sequence& each : documents.sequences) {
      beside_.push_back(std::move(each.rows.beside));
    }
    config.documents = first_pass_.pass;
    extractor_.emplace(std::move(config));
  }
  static ColumnSequence with_labels(const InputSequence& sequence) {
    ColumnSequence rows;
    for (std::size_t t = 0; t < sequence.rows.rows(); ++t) {
      for (std::size_t c = 0; c < sequence.rows.columns(t); ++c) {
        rows.append_cell(sequence.rows.cell(t, c));
      }
      rows.append_cell(sequence.text.labels.item(t));
      rows.end_row();
    }
    return rows;
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
  std::optional<LabelledData> holdout_, unlabelled_;
  py::object weights_;
  std::optional<SequenceForm> form_;  // once read
  bool rows_, optional_;              // labels
  bool known_labels_;
  std::optional<Extractor> extractor_;
  FirstPass first_pass_;             // of a model that looks at documents
  std::vector<StringLists> beside_;  // of it, for the sequences that are read
  std::vector<std::size_t> groups_;  // of it with a share held out: the document of each sequence
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
  if constexpr (std::is_same_v<Kind, ChainModel>) {
    return {start->model, &start->chain()};  // says why it is none
  } else {
    if (start->model->kind() == Kind::kKind) {
      return std::static_pointer_cast<const Kind>(start->model);
    }
    throw py::value_error("a model of kind " + start->model->kind() +
                          " cannot go on as one of kind " + std::string(Kind::kKind));
  }
}

// The models that a call names: to start from, whose weights are the prior's mean, and the experts
// of a pool.
struct StartingModels {
  explicit StartingModels(const py::dict& models) {
    if (models.contains("init")) init = models["init"].cast<std::shared_ptr<PythonModel>>();
    if (models.contains("prior")) prior = models["prior"].cast<std::shared_ptr<PythonModel>>();
    if (!models.contains("experts")) return;
    for (const auto& each : models["experts"].cast<std::vector<std::shared_ptr<PythonModel>>>()) {
      if (!each) throw py::type_error("an expert is None, and a model was expected");
      experts.push_back(each);
    }
  }

  std::shared_ptr<PythonModel> init, prior;
  std::vector<std::shared_ptr<PythonModel>> experts;
};

// Sequences that are held out are given, or a share of X is set aside.
void hold_out(bool given, std::string& holdout) {
  if (!given) return;
  if (!holdout.empty()) {
    throw py::value_error(
        "holdout is a fraction of X to set aside, and X_dev is given: one of them");
  }
  holdout = kHoldoutName;
}

// The trainer of a kind.
//   held_out : sequences are, of which the options say nothing
std::unique_ptr<SequenceTrainer> trainer_of(const std::string& kind, const py::dict& options,
                                            const StartingModels& models, bool held_out) {
  const auto anew = [](const auto& request) { return make_trainer(request); };
  if (kind == SegmentModel::kKind) {
    SegmentRequest request = segment_request(options);
    hold_out(held_out, request.train.holdout);
    request = with_first_pass(std::move(request), anew);
    return make_trainer(request,
                        starting_model<SegmentModel>(models.init, models.prior, request.train));
  }
  if (kind == JointModel::kKind) {
    JointRequest request = joint_request(options);
    hold_out(held_out, request.train.holdout);
    return make_trainer(request,
                        starting_model<JointModel>(models.init, models.prior, request.train));
  }
  if (kind == "pool") {
    PoolRequest request = pool_request(options);
    hold_out(held_out, request.train.holdout);
    request = with_first_pass(std::move(request), anew);
    std::vector<std::shared_ptr<const ChainModel>> experts;
    for (const auto& each : models.experts) {
      experts.emplace_back(each->model, &each->chain());  // says why it is none
    }
    return make_trainer(request, std::move(experts));
  }
  if (kind == MixtureModel::kKind) {
    MixtureComponents::Models components;
    for (const auto& each : models.experts) components.push_back(each->model);
    return make_trainer(mixture_request(options), std::move(components));
  }
  const auto made = [&](auto request) {
    hold_out(held_out, request.train.holdout);
    return make_trainer(with_first_pass(std::move(request), anew));
  };
  if (kind == HmmModel::kKind) return made(hmm_request(options));
  if (is_boosted(kind)) return made(boosted_request(options, kind));
  if (kind == HiddenChainModel::kKind) return made(hidden_chain_request(options));
  if (kind == ErrorCorrectingModel::kKind) return made(code_request(options));
  TrainRequest request = train_request(options, kind);
  hold_out(held_out, request.holdout);
  const auto start = starting_model<ChainModel>(models.init, models.prior, request);
  // A warm start goes on with the kit that the model has.
  if (start && start->extractor().config().kit) request.kit.clear();
  request = with_first_pass(std::move(request), anew);
  return make_trainer(request, start);
}

// Of numbers and strings, and of lists and dicts of them; of all else the type.
std::string printed(const py::handle& value) {
  if (py::isinstance<py::dict>(value)) {
    std::string out;
    for (const auto& [key, each] : value.cast<py::dict>()) out += printed(key) + printed(each);
    return out;
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    std::string out;
    for (const py::handle each : value) out += printed(each) + ",";
    return out;
  }
  const bool plain = value.is_none() || py::isinstance<py::str>(value) ||
                     py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value);
  return plain ? py::repr(value).cast<std::string>()
               : py::str(py::type::handle_of(value)).cast<std::string>();
}

// Processes that train together do so by the same options: others would wait for each other.
void require_same_arguments(Ranks& ranks, const std::string& kind, const py::dict& options,
                            const py::dict& models) {
  if (ranks.alone()) return;
  std::vector<std::string> names, values;
  const auto add = [&](std::string name, std::string value) {
    names.push_back(std::move(name));
    values.push_back(std::move(value));
  };
  add("the kind of model", kind);
  add("the models to start from", printed(models));
  for (const auto& [key, value] : options) {
    const auto name = py::str(key).cast<std::string>();
    if (name != "threads") add(name, printed(value));
  }
  StateArchive out;
  out(names, values);
  for (const std::string& bytes : ranks.gather(out.bytes())) {
    StateArchive in(bytes);
    std::vector<std::string> other_names, other_values;
    in(other_names, other_values);
    for (std::size_t k = 0; k < std::min(names.size(), other_names.size()); ++k) {
      if (names[k] == other_names[k] && values[k] == other_values[k]) continue;
      throw UsageError("the processes of comm differ in ", names[k], "; give it alike to all");
    }
    if (names.size() != other_names.size()) {
      throw UsageError("the processes of comm differ in their parameters; give these alike to all");
    }
  }
}

// What each process has handed over, one after the other, on all of them: for trainings of which
// each needs all of the data.  None counts as nothing where others have something.
py::object join_parts(Ranks& ranks, const py::object& comm, const py::object& part) {
  if (!any_of_all(ranks, !part.is_none())) return part;
  py::list own;
  run_together(ranks, [&] {
    if (!part.is_none()) own = py::list(part);
  });
  py::list all;
  for (const py::handle each : comm.attr("allgather")(own)) {
    for (const py::handle item : each) all.append(item);
  }
  return all;
}

// The model, and the result as a dict.
py::tuple train(const std::string& kind, py::object x, py::object y, py::object weights,
                py::object x_dev, py::object y_dev, const py::dict& options, const py::dict& models,
                py::object callback, const py::object& x_unlabelled, py::object comm) {
  std::optional<CommRanks> comm_ranks;
  if (!comm.is_none()) comm_ranks.emplace(comm);
  Ranks& ranks = comm_ranks ? *comm_ranks : no_other_ranks();
  require_same_arguments(ranks, kind, options, models);
  if (!ranks.alone() && any_of_all(ranks, !x_unlabelled.is_none())) {
    throw UsageError("X_unlabelled is for one process alone; leave out comm, or X_unlabelled");
  }
  const bool held_out = any_of_all(ranks, !x_dev.is_none());
  std::unique_ptr<SequenceTrainer> trainer;
  run_together(ranks,
               [&] { trainer = trainer_of(kind, options, StartingModels(models), held_out); });
  if (comm_ranks) trainer->work_with(ranks);
  if (!ranks.alone() && trainer->shares_work()) {
    for (py::object* each : {&x, &y, &weights, &x_dev, &y_dev}) {
      *each = join_parts(ranks, comm, *each);
    }
  }
  std::optional<PythonInput> input;
  run_together(ranks, [&] {
    std::optional<LabelledData> holdout;
    if (held_out) {
      const bool here = !x_dev.is_none();
      holdout =
          labelled(here ? x_dev : py::list(), here ? y_dev : py::list(), kHoldoutName, "y_dev");
    }
    std::optional<LabelledData> unlabelled;
    if (!x_unlabelled.is_none()) {
      unlabelled = labelled(x_unlabelled, py::none(), "X_unlabelled", "");
    }
    trainer->open();
    LabelledData data = labelled(x, y, kTrainingName, "y");
    if (!weights.is_none()) weights = positional(weights, "sample_weight");
    input.emplace(std::move(data), std::move(holdout), std::move(unlabelled), std::move(weights),
                  trainer->extraction(), trainer->rules(),
                  kind == JointModel::kKind || kind == MixtureModel::kKind, trainer->request());
  });
  return train_observed(*trainer, *input, std::move(callback));
}

}  // namespace

void bind_training(py::module_& module) {
  module.def("train", &train, py::arg("kind"), py::arg("X"), py::arg("y"), py::arg("sample_weight"),
             py::arg("X_dev"), py::arg("y_dev"), py::arg("options"), py::arg("models"),
             py::arg("callback"), py::arg("X_unlabelled") = py::none(),
             py::arg("comm") = py::none());
}

}  // namespace croft::python
