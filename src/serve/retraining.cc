#include "serve/retraining.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <new>

#include "app/label/predict.h"
#include "core/files.h"
#include "croft/app/train.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "model/foreign/open_model_file.h"
#include "model/kinds/model_file.h"
#include "serve/request_fields.h"

namespace croft::serve {
namespace {

constexpr std::array<std::string_view, 5> kStates = {"none", "running", "done", "failed",
                                                     "stopped"};

// The options by which the model was trained, as far as another training has them.
TrainingOptions options_of(const ServedModel& model) {
  TrainingOptions options{{"model", model.kind}, {"format", model.format}};
  const Json& meta = model.sequences->meta();
  const Json* const record = meta.get_if("training");
  if (record == nullptr || !record->is_object()) return options;
  for (const char* name : {"objective", "l1", "l2"}) {
    const Json* const value = record->get_if(name);
    if (value == nullptr) continue;
    options.emplace_back(name, value->is_string() ? value->string() : value->dump());
  }
  return options;
}

}  // namespace

Retraining::Retraining(RetrainingFiles files, const ModelStore& models,
                       const Annotation& annotation)
    : files_(std::move(files)),
      models_(models),
      annotation_(annotation),
      path_(models.path(annotation.files().model)),
      candidate_(path_ + ".candidate"),
      before_(path_ + ".before") {}

Retraining::~Retraining() {
  discard();
  if (thread_.joinable()) thread_.join();
}

void Retraining::start() {
  const ModelPointer model = models_.find(annotation_.files().model);
  const auto kinds = {"chain", "memm", "maxent", "segment"};
  if (std::ranges::find(kinds, model->kind) == kinds.end()) {
    throw RequestError(400, "a model of kind " + model->kind +
                                " does not go on from itself; train it by croft train");
  }
  const Annotation::Counts counts = annotation_.counts();
  const std::lock_guard lock(mutex_);
  if (state_ == State::running) throw RequestError(409, "a training is under way");
  if (counts.labelled == 0) throw RequestError(409, "nothing has been labelled yet");
  if (thread_.joinable()) thread_.join();  // it has ended: it needs the lock no more
  ++started_;
  state_ = State::running;
  stop_ = false;
  iteration_ = most_ = 0;
  labelled_ = counts.labelled;
  objective_.reset();
  message_.clear();
  before_score_ = after_score_ = Json();
  thread_ = std::thread([this, model] { run(*model); });
}

void Retraining::run(const ServedModel& model) {
  TrainingOptions options = options_of(model);
  options.emplace_back(files_.train.empty() ? "prior" : "init", path_);
  std::vector<std::string> data = files_.train;
  data.push_back(annotation_.files().labelled);
  try {
    AtomicFile(candidate_, path_).commit();  // nobody reads it who may not read the model
    const TrainingResult result =
        train(data, candidate_, options, [&](const TrainingProgress& now) {
          const std::lock_guard lock(mutex_);
          iteration_ = now.iteration;
          most_ = now.most;
          objective_ = now.objective;
          return !stop_;
        });
    Json before, after;
    if (!files_.holdout.empty()) {
      before = score(path_);
      after = score(candidate_);
    }
    const std::lock_guard lock(mutex_);
    if (stop_) return end(State::stopped, "the training was stopped");
    before_score_ = std::move(before);
    after_score_ = std::move(after);
    end(State::done, result.converged ? "converged" : "not converged");
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock(mutex_);
    end(State::failed, "out of memory");
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    end(stop_ ? State::stopped : State::failed, error.what());
  }
}

void Retraining::end(State state, std::string message) {
  state_ = state;
  message_ = std::move(message);
  std::error_code none;
  if (state != State::done) std::filesystem::remove(candidate_, none);
  ended_.notify_all();
}

// Of what is held out.
Json Retraining::score(const std::string& path) const {
  const auto model = read_model(read_model_file(path));
  SequenceSource source(LineReader(files_.holdout), *model, Labels::required, spans_for(*model));
  ThreadPool pool(1);
  const EvaluationSummary found = evaluate_model(*model, source, {}, pool).summary();
  Json out = {{"accuracy", found.token_accuracy()}, {"sequences", found.sequences}};
  if (found.chunk) out["chunk_f1"] = found.chunk->all.f1();
  return out;
}

Json Retraining::status() const {
  std::error_code none;
  const bool can_restore = std::filesystem::exists(before_, none);
  const std::lock_guard lock(mutex_);
  Json out = {{"state", kStates[static_cast<std::size_t>(state_)]},
              {"iteration", iteration_},
              {"most", most_},
              {"labelled", labelled_},
              {"message", message_},
              {"can_restore", can_restore}};
  if (objective_) out["objective"] = *objective_;
  if (before_score_.is_object()) out["before"] = before_score_;
  if (after_score_.is_object()) out["after"] = after_score_;
  return out;
}

void Retraining::accept() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::done) throw RequestError(409, "there is no new model to accept");
  copy_whole(path_, before_);
  copy_whole(candidate_, path_);
  end(State::none, "accepted");
}

void Retraining::discard() {
  std::unique_lock lock(mutex_);
  const std::uint64_t own = started_;
  stop_ = true;
  ended_.wait(lock, [&] { return state_ != State::running || started_ != own; });
  if (started_ != own) return;  // another client has begun the next one meanwhile
  if (state_ != State::none) end(State::none, "discarded");
}

void Retraining::restore() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::running) throw RequestError(409, "a training is under way");
  std::error_code none;
  if (!std::filesystem::exists(before_, none)) {
    throw RequestError(409, "there is no model before this one");
  }
  copy_whole(before_, path_);
  std::filesystem::remove(before_, none);
  end(State::none, "the model before is back");
}

}  // namespace croft::serve
