#include "serve/retraining.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <new>

#include "app/label/predict.h"
#include "core/files.h"
#include "core/mapped_file.h"
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

// Both are there in full before either takes its place.
void exchange(const std::string& a, const std::string& b) {
  const MappedFile old_a(a), old_b(b);
  AtomicFile new_a(a), new_b(b);
  const auto copy = [](const MappedFile& from, AtomicFile& to) {
    to.write({reinterpret_cast<const char*>(from.bytes().data()), from.bytes().size()});
    from.check_unchanged();
  };
  copy(old_b, new_a);
  copy(old_a, new_b);
  new_a.commit();
  new_b.commit();
}

}  // namespace

std::string candidate_of(const std::string& model) { return model + ".candidate"; }
std::string before_of(const std::string& model) { return model + ".before"; }

Retraining::Retraining(RetrainingFiles files, const ModelStore& models,
                       const Annotation& annotation)
    : files_(std::move(files)),
      models_(models),
      annotation_(annotation),
      path_(models.path(annotation.files().model)),
      candidate_(candidate_of(path_)),
      before_(before_of(path_)) {}

Retraining::~Retraining() {
  drop();
  if (thread_.joinable()) thread_.join();
}

void Retraining::start() {
  const ModelPointer model = models_.find(annotation_.files().model);
  const auto kinds = {"chain", "memm", "maxent", "segment"};
  if (std::ranges::find(kinds, model->kind) == kinds.end()) {
    throw RequestError(400, "a model of kind " + model->kind +
                                " does not go on from itself; train it by croft train");
  }
  annotation_.check_unchanged();
  check_taken();
  const Annotation::Counts counts = annotation_.counts();
  const std::lock_guard lock(mutex_);
  if (state_ == State::running) throw RequestError(409, "a training is under way");
  if (counts.labelled == 0) throw RequestError(409, "nothing has been labelled yet");
  check_replaceable(candidate_);
  if (thread_.joinable()) thread_.join();  // it has ended: it needs the lock no more
  ++started_;
  state_ = State::running;
  stop_ = false;
  iteration_ = most_ = 0;
  labelled_ = counts.labelled;
  objective_.reset();
  message_.clear();
  before_score_ = after_score_ = Json();
  written_ = {};
  thread_ = std::thread([this, model] { run(*model); });
}

void Retraining::run(const ServedModel& model) {
  TrainingOptions options = options_of(model);
  options.emplace_back(files_.train.empty() ? "prior" : "init", path_);
  std::vector<std::string> data = files_.train;
  data.push_back(annotation_.files().labelled);
  try {
    AtomicFile(candidate_, path_).commit();  // nobody reads it who may not read the model
    written_ = ModelStore::stamp_of(candidate_);
    const TrainingResult result =
        train(data, candidate_, options, [&](const TrainingProgress& now) {
          const std::lock_guard lock(mutex_);
          iteration_ = now.iteration;
          most_ = now.most;
          objective_ = now.objective;
          return !stop_;
        });
    written_ = ModelStore::stamp_of(candidate_);
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
  if (state != State::done && written_ != ModelStore::Stamp{} &&
      written_ == ModelStore::stamp_of(candidate_)) {
    std::error_code none;
    std::filesystem::remove(candidate_, none);
  }
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

// A file that is about to be replaced is a model, or empty, or not there.
void Retraining::check_replaceable(const std::string& path) const {
  std::error_code none;
  if (!std::filesystem::exists(path, none) || std::filesystem::is_empty(path, none)) return;
  try {
    models_.check(annotation_.files().model, path);
  } catch (const Error& error) {
    throw RequestError(409, path +
                                " is in the way, and is no model for this queue: move it away (" +
                                error.what() + ")");
  }
}

// The file has the model that is served, which another program may have replaced by a bad one.
void Retraining::check_taken() const {
  const std::string problem = models_.status(annotation_.files().model).problem;
  if (!problem.empty()) throw RequestError(409, "the model's file was refused: " + problem);
}

// A model is read once, and not at each question.
bool Retraining::can_restore() const {
  const ModelStore::Stamp now = ModelStore::stamp_of(before_);
  if (now == looked_at_) return restorable_;
  looked_at_ = now;
  restorable_ = now != ModelStore::Stamp{};
  try {
    if (restorable_) models_.check(annotation_.files().model, before_);
  } catch (const std::exception&) {  // restore() says why
    restorable_ = false;
  }
  return restorable_;
}

Json Retraining::status() const {
  const std::lock_guard lock(mutex_);
  Json out = {{"state", kStates[static_cast<std::size_t>(state_)]},
              {"iteration", iteration_},
              {"most", most_},
              {"labelled", labelled_},
              {"message", message_},
              {"can_restore", can_restore()}};
  if (objective_) out["objective"] = *objective_;
  if (before_score_.is_object()) out["before"] = before_score_;
  if (after_score_.is_object()) out["after"] = after_score_;
  return out;
}

void Retraining::accept() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::done) throw RequestError(409, "there is no new model to accept");
  if (ModelStore::stamp_of(candidate_) != written_) {
    throw RequestError(409, candidate_ + " has been changed by another program; discard it");
  }
  check_taken();
  check_replaceable(before_);
  copy_whole(path_, before_);
  copy_whole(candidate_, path_);
  end(State::none, "accepted");
}

void Retraining::discard() {
  if (!drop()) throw RequestError(409, "there is no training and no new model to discard");
}

// False: there was nothing to discard.
bool Retraining::drop() {
  std::unique_lock lock(mutex_);
  if (state_ != State::running && state_ != State::done) return false;
  const std::uint64_t own = started_;
  stop_ = true;
  ended_.wait(lock, [&] { return state_ != State::running || started_ != own; });
  // Another client may have begun the next one meanwhile.
  if (started_ == own && state_ != State::none) end(State::none, "discarded");
  return true;
}

void Retraining::restore() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::running) throw RequestError(409, "a training is under way");
  std::error_code none;
  if (!std::filesystem::exists(before_, none)) {
    throw RequestError(409, "there is no model before this one");
  }
  try {
    models_.check(annotation_.files().model, before_);
  } catch (const Error& error) {
    throw RequestError(409, std::string("there is no model to go back to: ") + error.what());
  }
  if (std::filesystem::exists(path_, none)) {
    exchange(path_, before_);
  } else {
    copy_whole(before_, path_);
  }
  end(State::none, "the model before is back; to go back again undoes it");
}

}  // namespace croft::serve
