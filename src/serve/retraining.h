// A model that learns from what people have labelled, in the background: a candidate beside the
// model's file, which is compared with it, and then taken or left.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/json.h"
#include "serve/annotation.h"

namespace croft::serve {

struct RetrainingFiles {
  // What the model was trained on: the new one learns from it and from the labels.  Empty: from the
  // labels alone, and the penalty is of the distance from the model's weights.
  std::vector<std::string> train;
  std::string holdout;  // both models are compared on it; empty: they are not
};

// The files beside a model that trainings write: the candidate, and the model before.
std::string candidate_of(const std::string& model);
std::string before_of(const std::string& model);

// Thread-safe.
class Retraining {
 public:
  //   models, annotation : must outlive it
  Retraining(RetrainingFiles files, const ModelStore& models, const Annotation& annotation);
  ~Retraining();  // ends a training that is under way

  // Begins.  Throws RequestError: 409 while one is under way, where nothing is labelled, where
  // another program has changed the labels, where FILE was refused, and where FILE.candidate is no
  // model; 400 for a kind of model that cannot go on from itself.
  void start();
  // {"state", "iteration", "most", "objective", "message", "labelled", "before", "after"}: what is
  // known of it.  The states are none, running, done (there is a candidate), failed and stopped.
  Json status() const;
  // Puts the candidate in the place of the model's file, which stays as FILE.before.  Both are
  // replaced whole or not at all, and keep their modes and links.  Throws RequestError, 409,
  // without a candidate as the training left it, and where FILE.before is no model; Error where a
  // disk is full.
  void accept();
  // Removes the candidate; ends a training that is under way.  Throws RequestError, 409, where
  // there is neither.
  void discard();
  // Exchanges the model's file and FILE.before: a second call undoes the first.  Throws
  // RequestError, 409, where FILE.before is missing or cannot be taken over.
  void restore();

 private:
  enum class State { none, running, done, failed, stopped };
  void run(const ServedModel& model);
  Json score(const std::string& path) const;
  void end(State state, std::string message);  // with the lock; a thread does nothing after it
  void check_replaceable(const std::string& path) const;
  void check_taken() const;
  bool drop();
  bool can_restore() const;  // with the lock

  const RetrainingFiles files_;
  const ModelStore& models_;
  const Annotation& annotation_;
  const std::string path_, candidate_, before_;

  mutable std::mutex mutex_;
  std::condition_variable ended_;  // a training, with the lock
  State state_ = State::none;
  std::size_t iteration_ = 0, most_ = 0, labelled_ = 0;
  std::optional<double> objective_;
  std::string message_;
  Json before_score_, after_score_;
  std::uint64_t started_ = 0;  // trainings: who waits for the end of one knows it from the next
  bool stop_ = false;
  ModelStore::Stamp written_;            // of the candidate, as the training left it
  mutable ModelStore::Stamp looked_at_;  // of FILE.before
  mutable bool restorable_ = false;      // that file is a model to go back to
  std::thread thread_;
};

}  // namespace croft::serve
