// Labelling Python's sequences: read with the GIL, labelled on several threads without it.
#include <pybind11/stl.h>

#include <algorithm>
#include <future>
#include <numeric>

#include "app/kinds.h"
#include "app/label/predict_output.h"
#include "app/label/tagger.h"
#include "croft/core/parallel.h"
#include "data/checks.h"
#include "inference/chain/hmm_from_chain.h"
#include "python/bind.h"
#include "python/model.h"
#include "python/options.h"
#include "python/questions.h"
#include "python/read/sequences.h"
#include "python/read/tag_inputs.h"
#include "python/read/token_features.h"

namespace croft::python {
namespace {

namespace py = pybind11;

// Of a thread's task; so many for each thread are read before they are labelled.  What is read of
// them stays in a second-level cache.
constexpr std::size_t kBlockPositions = 2048;

// A sequence on its way: as read, and what became of it.
struct Work {
  PythonSequence read;
  std::vector<Label> gold;  // for log_likelihood; a label that the model does not have: its number
  std::vector<Label> y;
  TagOutcome outcome;
  Tagging tagging;  // where more than labels is asked
  double log_likelihood = 0;
};

// A plan with its model, options and Python's names of the labels.
class Plan {
 public:
  Plan(std::shared_ptr<PythonModel> model, const py::dict& options)
      : model_(std::move(model)),
        plan_(*model_->model, tag_request(options, *model_->model)),
        looks_up_(model_->sums_given_attributes() && plan_.tags_as_read()) {
    for (Label y = 0; y < model_->model->labels(); ++y) {
      PyObject* name = str_of(model_->model->label(y)).release().ptr();
      PyUnicode_InternInPlace(&name);
      names_.push_back(py::reinterpret_steal<py::str>(name));
    }
  }

  // For each answer a list with one element a sequence.
  //   known    : labels that are known, for a plan with partial=True; gold, for log_likelihood; or
  //              None
  //   streams  : X may be an iterator
  //   features : as TagInputs has them
  // While one batch is labelled the next one is read, where there are several threads.
  py::dict tag(const py::object& given, const py::object& given_known, const py::dict& questions,
               std::size_t threads, bool streams, const py::object& features) {
    const Questions q = read_questions(questions);
    plan_.check(q.ask);
    const char* known_name = q.log_likelihood ? "y" : "known";
    const py::object known =
        given_known.is_none() ? given_known : positional(given_known, known_name);
    const SequenceModel* const first = model_->model->first_pass();
    const bool iterates = streams && PyIter_Check(given.ptr()) != 0 && first == nullptr;
    const bool whole = first != nullptr && PyIter_Check(given.ptr()) != 0;
    py::object x = iterates ? given : positional(whole ? py::list(given) : given, kTrainingName);
    if (iterates && !known.is_none()) x = py::list(given);
    Run run{.q = q,
            .known = known,
            .pool = ThreadPool(threads),
            .inputs = TagInputs(*model_, x, features, looks_up_ ? &memo_ : nullptr)};
    if (!known.is_none() && py::len(known) != run.inputs.count()) {
      throw py::value_error("X has " + std::to_string(*run.inputs.count()) + " sequences and " +
                            known_name + " the labels of " + std::to_string(py::len(known)));
    }
    for (std::size_t k = 0; k < run.pool.threads(); ++k) run.taggers.emplace_back(plan_);
    run.scratch.resize(run.pool.threads());
    if (first != nullptr) {
      run.beside = beside_of(*first, *model_->model->extractor().config().documents, x,
                             kTrainingName, threads);
    }
    Batch batches[2];  // one is read and the other labelled
    for (std::size_t turn = 0; read(run, batches[turn], batches[1 - turn]); turn = 1 - turn) {
      finish(run, batches[1 - turn]);
      start(run, batches[turn]);
      if (run.pool.threads() == 1) finish(run, batches[turn]);
    }
    py::dict out;
    if (auto warning = run.inputs.warning())
      out["warning"] = py::make_tuple(text_of_warning(std::move(*warning)));
    out["labels"] = py::list();
    for (auto& [name, list] : run.answers) out[name.c_str()] = list;
    return out;
  }

  // (text, JSON) of one sequence.
  //   positions : none: all
  //   wrong     : gold labels: what has others is left, and compared with them, or with `against`
  //   below     : those are left whose label has a smaller probability
  py::tuple explain(const py::object& x, const std::optional<std::vector<std::size_t>>& positions,
                    const std::optional<std::string>& against, std::size_t top, bool unknown,
                    const std::optional<py::list>& wrong, const std::optional<double>& below) {
    SequenceReader reader = model_->reader("x");
    InputSequence input;
    reader.read(x, std::nullopt, input);
    plan_.model().extractor().check_cells(input.rows, "x");
    const SequenceExplainer explainer = kind_of(*model_->model).explainer(plan_);
    ExplainOptions options{{}, {}, top, unknown};
    if (against) {
      options.against = explainer.labels.find(*against);
      if (!options.against) {
        throw py::value_error("against is " + in_quotes(*against) +
                              ", which the model does not know; " + explainer.labels.some());
      }
    }
    Extractor::Scratch scratch;
    model_->extract(input, scratch, "x");
    if (wrong) set_labels(*wrong, input.text);
    options.gold = wrong && !options.against;
    const TagInput given{input.text, &input.rows, "x"};
    const bool some = positions || wrong || below;
    if (some) options.positions = left_of(given, positions, wrong.has_value(), below);
    // Of no positions the explainer would explain all.
    const bool none = some && options.positions.empty() && input.text.length() > 0;
    if (none) options.positions = {0};
    auto [outcome, view] = explainer.explain(given, input, options);
    model_->model->container().check_unchanged();
    if (!outcome.found) throw py::value_error("x: " + std::string(why_none(outcome)));
    if (none) empty(view);
    return py::make_tuple(py::str(view.text), py::str(view.json.dump(-1, InvalidUtf8::replace)));
  }

  // (start [L], transitions: a matrix [L][L] for each position but the first) of p(y | x) of one
  // sequence.
  py::tuple posterior_chain(const py::object& x) {
    if (!plan_.label_of().empty() || plan_.searches()) {
      throw py::value_error("posterior_chain is for models of order 1, without rules");
    }
    InputSequence input;
    ChainScores<double> scores;
    score(x, "x", input, scores);
    LiftedChains<double> lifted;
    const ChainScores<double>* chain = plan_.lift({input.text}, scores, lifted);
    const PositionTransitions local =
        chain != nullptr ? locally_normalised(*chain) : PositionTransitions{};
    if (local.start.empty() && scores.length() > 0) {
      throw py::value_error("x has no labelling that is allowed");
    }
    return py::make_tuple(local.start, transitions_of(local));
  }

  // (start, transitions, emissions [V][L]) of the hidden Markov model over sequences of so many
  // positions that has p(y | x) of the chain.
  //   given : V different positions, of which the first and the last stand there twice
  py::tuple hmm(const py::object& given, std::size_t length) {
    check_becomes_hmm();
    InputSequence input;
    ChainScores<double> scores;
    score(given, "observations", input, scores);
    if (scores.length() < 3) throw py::value_error("observations is empty");
    const std::size_t labels = scores.labels(), observations = scores.length() - 2;
    ObservedChain chain;
    chain.transition.assign(labels, labels, 0.0);
    chain.emission.assign(observations, labels, 0.0);
    for (Label j = 0; j < labels; ++j) {
      for (Label i = 0; i < labels; ++i) chain.transition(i, j) = scores.transitions->at(i, j);
      for (std::size_t v = 0; v < observations; ++v) chain.emission(v, j) = scores.state(v + 1, j);
      chain.start.push_back(scores.state(0, j) - scores.state(1, j));
      chain.end.push_back(scores.state(observations + 1, j) - scores.state(observations, j));
    }
    const PositionHmm made = hmm_from_chain(chain, length);
    if (made.labels.start.empty()) {
      throw py::value_error("no labelling of " + std::to_string(length) +
                            " positions is allowed by the model");
    }
    return py::make_tuple(made.labels.start, transitions_of(made.labels), matrix(made.emission));
  }

 private:
  // The positions that are to be explained.
  std::vector<std::size_t> left_of(const TagInput& input,
                                   const std::optional<std::vector<std::size_t>>& positions,
                                   bool wrong, const std::optional<double>& below) const {
    const std::size_t length = input.text.length();
    if (below && !(*below >= 0 && *below <= 1)) {
      throw py::value_error("below is " + py::repr(py::cast(*below)).cast<std::string>() +
                            "; it must be a probability, from 0 to 1");
    }
    if (below && !plan_.model().has_probabilities()) {
      throw UsageError("--below: labels of this model have no probabilities");
    }
    std::vector<std::size_t> left(length);
    std::iota(left.begin(), left.end(), std::size_t{0});
    if (positions) left = *positions;
    if (!wrong && !below) return left;
    TagOptions ask;
    ask.marginals = below.has_value();
    Tagger tagger(plan_);
    const Tagging& tagging = tagger.tag(input, ask);
    if (!tagging.outcome.found) return left;
    std::erase_if(left, [&](std::size_t t) {
      if (t >= length) return false;  // the explainer says that there is none
      const Label y = tagging.y[t];
      const bool right = wrong && input.text.labels.item(t) == plan_.names()[y];
      return right || (below && tagging.marginals(t, y) >= *below);
    });
    return left;
  }

  static void set_labels(const py::list& labels, TextSequence& text) {
    if (labels.size() != text.length()) {
      throw py::value_error("wrong has " + std::to_string(labels.size()) + " labels, and x " +
                            std::to_string(text.length()) + " positions");
    }
    text.labels.clear();
    for (const py::handle each : labels) text.labels.append(text_of(each.ptr(), "wrong"));
    text.labels.end_list();
  }

  // Takes away what is explained.
  static void empty(View& view) {
    view.text.resize(std::min(view.text.find('\n') + 1, view.text.size()));
    for (const char* name : {"positions", "stretches", "explained"}) {
      if (view.json.contains(name)) view.json[name] = Json::array();
    }
  }

  void score(const py::object& x, const char* name, InputSequence& input,
             ChainScores<double>& scores) {
    SequenceReader reader = model_->reader(name);
    reader.read(x, std::nullopt, input);
    plan_.model().extractor().check_cells(input.rows, name);
    Extractor::Scratch extraction;
    model_->extract(input, extraction, name);
    SequenceModel::Scratch scratch;
    plan_.score({input.text, model_->rows() ? &input.rows : nullptr, name, 0}, scratch, scores);
    model_->model->container().check_unchanged();
  }

  py::list transitions_of(const PositionTransitions& local) const {
    py::list out;
    for (std::size_t t = 1; t < local.transition.size(); ++t) {
      out.append(matrix(local.transition[t]));
    }
    return out;
  }

  // What a position says depends on nothing but itself, and transitions on nothing at all.
  void check_becomes_hmm() const {
    const ChainModel& chain = model_->chain();
    const char* reason = nullptr;
    if (chain.kind() == "memm") reason = "its transitions look at the data";
    if (chain.order() > 1) reason = "it is of order 2 or more";
    if (chain.vote() != nullptr || chain.kernel() != nullptr) reason = "it has a vote or a kernel";
    if (model_->rows()) {
      reason = "its templates may look at neighbours; train it by format \"attributes\"";
    }
    if (chain.edge().size() > 0) reason = "it has features of two labels and the data";
    for (std::uint32_t id = 0; id < chain.node().size() && reason == nullptr; ++id) {
      Boundary boundary{};
      std::string_view of_edge;
      const std::string name = chain.node().name(id);
      if (parse_boundary_name(name, boundary, of_edge) && !of_edge.empty()) {
        reason = "it has features of START or STOP and the data";
      }
    }
    if (reason == nullptr) return;
    throw py::value_error(std::string("this model is no hidden Markov model: ") + reason +
                          "; posterior_chain(x) gives the transitions of one sequence");
  }

  // Sequences on their way together.
  struct Batch {
    std::vector<Work> work;  // [used], and storage
    std::size_t used = 0;
    std::vector<std::size_t> begin;  // of the blocks of a thread's tasks
    std::future<void> labelled;      // invalid: there is nothing to wait for
  };
  struct Run {
    const Questions& q;
    const py::object& known;
    ThreadPool pool;
    TagInputs inputs;
    std::vector<Tagger> taggers{};  // [threads], as the next
    std::vector<Extractor::Scratch> scratch{};
    std::vector<StringLists> beside{};  // of a model that looks at documents
    std::map<std::string, py::list> answers{};
    std::size_t first = 0;  // the index of the next batch's first sequence
  };

  // Reads what is labelled together.  False when there was no more; `other` has its answers then.
  bool read(Run& run, Batch& batch, Batch& other) {
    try {
      batch.used = 0;
      const std::size_t most = kBlockPositions * run.pool.threads();
      for (std::size_t positions = 0; positions < most; ++batch.used) {
        if (batch.used == batch.work.size()) batch.work.emplace_back();
        if (!read(run, batch.work[batch.used])) break;
        positions += run.inputs.reader().length();
      }
    } catch (...) {
      finish(run, other);  // whatever is wrong there was first
      throw;
    }
    if (batch.used == 0) finish(run, other);
    return batch.used > 0;
  }

  bool read(Run& run, Work& out) const {
    if (!run.inputs.next(out.read)) return false;
    if (!run.beside.empty()) {
      out.read.input.rows.beside = std::move(run.beside[run.inputs.index()]);
    }
    StringLists& labels = out.read.input.text.labels;
    labels.clear();
    if (run.known.is_none()) return true;
    const std::size_t n = run.inputs.index();
    run.inputs.reader().read_labels(run.known[py::int_(n)], run.q.log_likelihood ? "y" : "known",
                                    out.read.input.text);
    out.gold.clear();
    if (!run.q.log_likelihood) {
      check_known(labels, n);
      return true;
    }
    for (std::size_t t = 0; t < run.inputs.reader().length(); ++t) {
      const auto found = plan_.names().find(labels.item(t));
      out.gold.push_back(found.value_or(static_cast<Label>(plan_.names().size())));
    }
    return true;
  }

  // Labels blocks of sequences on the threads, beside the caller where these are several.
  void start(Run& run, Batch& batch) {
    batch.begin.assign(1, 0);
    for (std::size_t k = 0, positions = 0; k < batch.used; ++k) {
      const InputSequence& input = batch.work[k].read.input;
      positions += model_->rows() ? input.rows.rows() : input.text.length();
      if (positions < kBlockPositions && k + 1 < batch.used) continue;
      batch.begin.push_back(k + 1);
      positions = 0;
    }
    const auto label_all = [&run, &batch, this, first = run.first] {
      run.pool.run(batch.begin.size() - 1, [&](std::size_t block, std::size_t worker) {
        for (std::size_t k = batch.begin[block]; k < batch.begin[block + 1]; ++k) {
          label(run, batch.work[k], worker, first + k);
        }
      });
    };
    run.first += batch.used;
    // Deferred: done by whoever waits for it.
    batch.labelled =
        std::async(run.pool.threads() > 1 ? std::launch::async : std::launch::deferred, label_all);
  }

  void finish(Run& run, Batch& batch) {
    if (!batch.labelled.valid()) return;
    {
      const py::gil_scoped_release unlock;
      batch.labelled.get();
    }
    model_->model->container().check_unchanged();
    for (const Work& work : std::span(batch.work).first(batch.used)) {
      run.inputs.look(work.read);
      answer(run, work);
    }
    check_signals();
  }

  void check_known(const StringLists& labels, std::size_t n) const {
    for (std::size_t t = 0; t < labels.items(); ++t) {
      for (const std::string_view name : labels_in(labels.item(t), kPartial, {})) {
        if (plan_.names().find(name)) continue;
        throw py::value_error("known[" + std::to_string(n) + "][" + std::to_string(t) + "] has " +
                              in_quotes(name) + ", which is no label of the model; " +
                              plan_.names().some());
      }
    }
  }

  std::string text_of_warning(std::string text) const {
    if (model_->texts()) text += "; texts are given as str: X = [\"a text\", ...]";
    return text;
  }

  void label(Run& run, Work& work, std::size_t worker, std::size_t index) const {
    auto& [sequence, found, looked_up, name] = work.read;
    TextSequence& text = sequence.text;
    if (!looked_up) {
      StringLists labels;
      std::swap(labels, text.labels);
      model_->extract(sequence, run.scratch[worker], name);
      std::swap(labels, text.labels);
    }
    const ReadSequence read{.found = &found};
    const TagInput input{text, model_->rows() ? &sequence.rows : nullptr, name, index,
                         looked_up ? &read : nullptr};
    const Tagging& tagging = run.taggers[worker].tag(input, run.q.ask);
    work.outcome = tagging.outcome;
    if (run.q.only_labels()) {
      work.y = tagging.y;
    } else {
      work.tagging = tagging;
      if (run.q.log_likelihood) {
        work.log_likelihood = -run.taggers[worker].negative_log_probability(work.gold);
      }
    }
  }

  py::list list_of(std::span<const Label> y) const {
    py::list out(y.size());
    for (std::size_t t = 0; t < y.size(); ++t) {
      PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(t),
                      py::object(names_[y[t]]).release().ptr());
    }
    return out;
  }

  void answer(Run& run, const Work& work) const {
    if (!work.outcome.found) {
      throw py::value_error(work.read.name + ": " + std::string(why_none(work.outcome)));
    }
    const auto add = [&](const char* name, py::object value) {
      run.answers[name].append(std::move(value));
    };
    const TagOptions& ask = run.q.ask;
    const Tagging& tagging = work.tagging;
    add("labels", list_of(run.q.only_labels() ? work.y : tagging.y));
    if (plan_.searches()) {
      add("exact", py::bool_(work.outcome.exact));
      add("gap", py::float_(work.outcome.gap));
    }
    if (run.q.only_labels()) return;
    add("log_probability", py::float_(tagging.log_probability));
    add("log_partition", py::float_(tagging.log_partition));
    if (plan_.partial()) add("log_partial", py::float_(tagging.log_partial));
    if (run.q.log_likelihood) add("log_likelihood", py::float_(work.log_likelihood));
    if (ask.marginals) add("marginals", matrix(tagging.marginals));
    if (ask.entropy) add("entropy", py::float_(tagging.entropy));
    if (ask.k_best > 0) add("k_best", k_best(tagging));
    if (ask.samples > 0) {
      py::list draws;
      for (const auto& y : tagging.samples) draws.append(list_of(y));
      add("samples", draws);
    }
    if (ask.spans) add("spans", spans(tagging));
    if (ask.edges) add("edges", edges(tagging.edges, true));
    if (ask.expected_counts) {
      add("label_counts", py::cast(tagging.label_counts));
      add("edge_counts", edges(tagging.edge_counts, false));
    }
  }

  // T rows of L doubles as bytes, which numpy reads in place; (bytes, T, L).
  static py::object matrix(const Matrix<double>& values) {
    const std::size_t rows = values.rows(), columns = values.columns();
    PyObject* bytes = PyBytes_FromStringAndSize(
        nullptr, static_cast<Py_ssize_t>(rows * columns * sizeof(double)));
    if (bytes == nullptr) throw py::error_already_set();
    char* at = PyBytes_AS_STRING(bytes);
    for (std::size_t t = 0; t < rows; ++t, at += columns * sizeof(double)) {
      std::copy_n(reinterpret_cast<const char*>(values.row(t)), columns * sizeof(double), at);
    }
    return py::make_tuple(py::reinterpret_steal<py::bytes>(bytes), rows, columns);
  }
  py::list k_best(const Tagging& tagging) const {
    py::list out;
    for (const ScoredLabelling& each : tagging.k_best) {
      out.append(py::make_tuple(list_of(each.labels), each.score - tagging.log_partition));
    }
    return out;
  }
  py::list spans(const Tagging& tagging) const {
    py::list out;
    for (const SpanProbability& span : tagging.spans) {
      out.append(py::make_tuple(span.begin, span.end, py::str(span.type.data(), span.type.size()),
                                span.probability));
    }
    return out;
  }
  py::list edges(const std::vector<EdgeProbability>& list, bool positions) const {
    py::list out;
    for (const EdgeProbability& edge : list) {
      out.append(positions ? py::make_tuple(edge.t, names_[edge.from], names_[edge.to], edge.value)
                           : py::make_tuple(names_[edge.from], names_[edge.to], edge.value));
    }
    return out;
  }

  std::shared_ptr<PythonModel> model_;
  TagPlan plan_;
  bool looks_up_;  // attributes of lists of positions by the memo
  std::shared_ptr<AttributeMemo> memo_;
  std::vector<py::str> names_;
};

}  // namespace

void bind_tagging(py::module_& module) {
  py::class_<TokenFeatures>(module, "TokenFeatures", "What a function says of tokens, in a model.")
      .def(py::init<std::shared_ptr<PythonModel>, const py::list&, const py::list&,
                    const py::object&, const py::object&, bool>(),
           py::arg("model").none(false), py::arg("before"), py::arg("after"), py::arg("first"),
           py::arg("last"), py::arg("marked"));
  py::class_<Plan>(module, "Plan", "How sequences are labelled: constraints, rules, decoding.")
      .def(py::init<std::shared_ptr<PythonModel>, const py::dict&>(), py::arg("model").none(false),
           py::arg("options"))
      .def("tag", &Plan::tag, py::arg("X"), py::arg("known"), py::arg("questions"),
           py::arg("threads"), py::arg("streams"), py::arg("features"))
      .def("explain", &Plan::explain, py::arg("x"), py::arg("positions"), py::arg("against"),
           py::arg("top"), py::arg("unknown"), py::arg("wrong") = py::none(),
           py::arg("below") = py::none())
      .def("posterior_chain", &Plan::posterior_chain, py::arg("x"))
      .def("hmm", &Plan::hmm, py::arg("observations"), py::arg("length"));
}

}  // namespace croft::python
