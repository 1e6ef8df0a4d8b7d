// The course of every training: what is asked is checked, files are looked at, data is read, the
// model is fitted, the record of it is made, and the file is written.  A Trainer is what differs
// from kind to kind.
//
//   train(*make_trainer(request), observer);              // from files to a file
//   train_on(*trainer, [&] { trainer->read(input); }, observer);  // on a program's sequences,
//   trainer->model()                                              // to a model in memory
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "core/json.h"

#include "app/train/train_request.h"
#include "train/course/em.h"
#include "train/encoded_training.h"
#include "train/methods/limits.h"
#include "train/observer.h"

namespace croft {

// What a training reads beside standard input, and writes.
struct TrainFiles {
  std::vector<std::string> inputs;  // that the output must not replace; empty ones are none
  std::string output;
};
struct CheckpointRequest {
  std::string folder;  // empty: nothing is kept
  bool resume = false;
  double interval = kCheckpointInterval;  // seconds
};
inline CheckpointRequest checkpoint_of(const OptimisedRequest& request) {
  return {request.checkpoint, request.resume, request.checkpoint_interval};
}

// Made from a request, with its defaults filled in; the maker throws UsageError for options that
// contradict each other or would be ignored.
class Trainer {
 public:
  virtual ~Trainer() = default;
  virtual TrainFiles files() const = 0;
  virtual CheckpointRequest checkpoint() const { return {}; }
  virtual StoppingRule stopping() const { return {}; }  // to foresee the end
  virtual std::string warning() const { return {}; }    // before it all begins; may be empty

  // Where MPI has started the program, also as the only process: before all of these.  Throws
  // UsageError where a kind trains in one process alone, and for what several cannot do.
  void work_with(Ranks& ranks);
  Ranks& ranks() const { return *ranks_; }                         // all that run this training
  bool shares_work() const { return sharing() == Sharing::work; }  // each needs all of the data
  // Reads what the request names beside the data: models to start from, templates, lists.
  virtual void open() {}
  virtual void read_files(TrainObserver& observer) = 0;  // the data, after open()
  virtual DataSummary summary() const = 0;               // after the data has been read
  virtual TrainOutcome run(TrainObserver& observer, CheckpointFolder* checkpoints) = 0;
  virtual void write() = 0;  // after run(): temporary, sync, rename

 protected:
  // What several processes share out: nothing; the sums over the data, which each of them has as a
  // whole; or the data.
  enum class Sharing { none, work, data };
  virtual Sharing sharing() const { return Sharing::none; }
  // Where something is shared out, with the ranks of this training.
  virtual void share() {}

 private:
  Ranks* ranks_ = &no_other_ranks();
};

// On labelled sequences.
class SequenceTrainer : public Trainer {
 public:
  const TrainRequest& request() const { return request_; }
  TrainFiles files() const final;
  CheckpointRequest checkpoint() const override { return checkpoint_of(request_); }
  StoppingRule stopping() const override { return request_.options.stop; }
  std::string warning() const override;
  void read_files(TrainObserver& observer) override;
  DataSummary summary() const override;
  TrainOutcome run(TrainObserver& observer, CheckpointFolder* checkpoints) final;
  void write() override { model().write(request_.output); }

  // How the data becomes strings, columns not yet counted.  After open().
  virtual ExtractionConfig extraction() const = 0;
  virtual DataRules rules() const { return {}; }
  // In the place of read_files(); the input must outlive the trainer.
  void read(TrainingInput& input);
  ContainerWriter model();  // after run()

 protected:
  // request : with its defaults, checked
  explicit SequenceTrainer(TrainRequest request) : request_(std::move(request)) {}
  // What training starts from, after open(); null: nothing.
  virtual const SequenceModel* start() const { return nullptr; }
  // After the data has been read; without a reason where there is none to tell.
  virtual ChosenMethod chosen() const { return {Method::lbfgs, ""}; }
  // Files of the kind's own that it reads.
  virtual std::vector<std::string> own_files() const { return {}; }
  // What the extractor's sequences are to be handed to.
  virtual SequenceTraining& begin(const Extractor& extractor) = 0;
  virtual std::unique_ptr<TrainingInput> open_input(TrainObserver& observer) const;
  virtual void read_data(TrainingInput& input, SequenceTraining& training);
  void share() override;
  virtual Structure structure() const { return Structure::chain; }  // that its methods look at
  virtual bool names_method() const { return request_.options.method.has_value(); }
  // Of a kind whose training makes nothing of what is held out: the finished model is compared with
  // it.
  virtual bool scored_at_end() const { return false; }
  virtual TrainOutcome fit(TrainObserver& observer, CheckpointFolder* checkpoints) = 0;
  // What a run was, to be kept in the model's file; then the file, of this record.
  virtual Json record() const = 0;
  virtual ContainerWriter file(const Json& record) const = 0;

  // Of a log-linear model: what all kinds of them keep.
  //   precision : where there is a choice of it
  Json common_record(Method method, std::optional<Precision> precision,
                     const TrainResult& result) const;
  void add_held_out(DataSummary& summary) const;  // how many sequences, to its text
  EarlyStop early_stop() const;                   // of a kind that is scored at the end
  // Scores predicted labels of the hold-out.
  ChainTraining::HoldoutScorer scorer() const;

  TrainRequest request_;
  TrainOptions options_;                        // of the request, once read
  TrainingInput* input_ = nullptr;              // once read
  const SequenceTraining* training_ = nullptr;  // likewise

 private:
  void add_choices(Json& record) const;
  HoldoutScore score(const ContainerWriter& model) const;

  std::unique_ptr<TrainingInput> own_input_;
  std::size_t partial_positions_ = 0;   // as the data was read
  std::vector<TextSequence> held_out_;  // of a kind that is scored at the end
  std::optional<HoldoutScore> score_;   // likewise
};

// Throws UsageError for a model that looks at documents, which nothing goes on from: its first pass
// has seen the data.
void require_no_documents(const SequenceModel& model);

// From files to a file.  Throws Error where the output cannot be written, before anything is read;
// InputError for bad data; Interrupted when `interruption` is set before there is a model to keep.
TrainOutcome train(Trainer& trainer, TrainObserver& observer);
// The same of a program's data, which `read` hands to the trainer; no file is looked at or written,
// but the folder of checkpoints.
TrainOutcome train_on(Trainer& trainer, const std::function<void()>& read, TrainObserver& observer);

}  // namespace croft
