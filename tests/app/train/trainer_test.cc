// The course of a training, and what kinds of models gain from it.
#include "app/train/trainer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "app/train/make_trainer.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "model/kinds/hmm_model.h"
#include "model/kinds/segment_model.h"

namespace croft::trainer_test {
namespace {

class Folder {
 public:
  Folder() : path_(::testing::TempDir() + "trainer_test_" + std::to_string(::getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// A kind that writes down what it is asked for.
class Recorded final : public Trainer {
 public:
  Recorded(TrainFiles files, CheckpointRequest checkpoint)
      : files_(std::move(files)), checkpoint_(std::move(checkpoint)) {}
  TrainFiles files() const override { return files_; }
  CheckpointRequest checkpoint() const override { return checkpoint_; }
  void open() override { calls += "open "; }
  void read_files(TrainObserver&) override {
    calls += "read ";
    if (interrupted) throw Interrupted("stopped");
  }
  DataSummary summary() const override { return {"nothing", {}}; }
  TrainOutcome run(TrainObserver& observer, CheckpointFolder* checkpoints) override {
    calls += "run ";
    if (checkpoints != nullptr) {
      checkpoints->set_fingerprint(1);
      checkpoints->offer([](StateArchive&) {});
    }
    observer.iteration({.text = "one", .number = 1});
    return {.reason = "done"};
  }
  void write() override { calls += "write"; }

  std::string calls;
  bool interrupted = false;

 private:
  TrainFiles files_;
  CheckpointRequest checkpoint_;
};

class Stopping final : public TrainObserver {
 private:
  bool see(const TrainStep&) override { return false; }
};

class Listening final : public TrainObserver {
 public:
  void data_read(const DataSummary& summary) override { text = summary.text; }
  std::string text;
};

TEST(Course, HasOneOrder) {
  const Folder folder;
  Recorded trainer({{}, folder.path("m")}, {});
  Listening observer;
  EXPECT_EQ(train(trainer, observer).reason, "done");
  EXPECT_EQ(trainer.calls, "open read run write");
  EXPECT_EQ(observer.text, "nothing");
}

TEST(Course, LooksAtFilesBeforeItReads) {
  const Folder folder;
  TrainObserver nobody;
  const std::string data = folder.file("data", "a A\n");
  Recorded replacing({{data}, data}, {});
  EXPECT_THROW(train(replacing, nobody), UsageError);
  Recorded nowhere({{}, folder.path("no/such/folder/m")}, {});
  EXPECT_THROW(train(nowhere, nobody), Error);
  EXPECT_EQ(replacing.calls + nowhere.calls, "");
}

TEST(Course, AStateStaysOnlyWhereTrainingWasStopped) {
  const Folder folder;
  const std::string state = folder.path("state");
  const auto kept = [&] { return std::filesystem::exists(state + "/checkpoint"); };
  TrainObserver nobody;
  Recorded whole({{}, folder.path("m")}, {.folder = state, .interval = 0});
  train(whole, nobody);
  EXPECT_FALSE(kept());
  Stopping stopping;
  Recorded stopped({{}, folder.path("m")}, {.folder = state, .interval = 0});
  train(stopped, stopping);
  EXPECT_TRUE(kept());
}

TEST(Course, AnInterruptionWithoutAModelSaysSo) {
  const Folder folder;
  TrainObserver nobody;
  Recorded trainer({{}, folder.path("m")}, {});
  trainer.interrupted = true;
  try {
    train(trainer, nobody);
    FAIL() << "nothing was thrown";
  } catch (const Interrupted& reason) {
    EXPECT_STREQ(reason.what(), "stopped; there is no model to keep yet");
  }
  EXPECT_EQ(trainer.calls, "open read ");
}

constexpr const char* kChunks = "the B-NP\ndog I-NP\nbarks O\n\na B-NP\ncat I-NP\nsleeps O\n\n";

TEST(Trainers, VariancesAreAFileInEveryRecord) {
  const Folder folder;
  TrainRequest request;
  request.data = {folder.file("data", kChunks)};
  request.variances = folder.file("variances", "*=* 2\n");
  request.output = folder.path("m");
  train_model(request);
  EXPECT_EQ(ChainModel::open(request.output)->meta()["training"]["variances"], "file");
  TrainObserver nobody;
  SegmentRequest segments;
  segments.train = request;
  train(*make_trainer(segments), nobody);
  EXPECT_EQ(SegmentModel::open(request.output)->meta()["training"]["variances"], "file");
}

TEST(Trainers, HmmTakesWeightsOfSequences) {
  const Folder folder;
  TrainObserver nobody;
  const auto objective = [&](const std::string& data, const std::string& weights) {
    HmmRequest request;
    request.train.data = {folder.file("data", data)};
    if (!weights.empty()) request.train.weights = folder.file("weights", weights);
    request.train.output = folder.path("m");
    return *train(*make_trainer(request), nobody).objective;
  };
  const std::string first = "sun A\nrain B\nrain B\n\n", second = "sun A\nsun A\n\n";
  EXPECT_DOUBLE_EQ(objective(first + second, "2\n1\n"), objective(first + first + second, ""));
  EXPECT_THROW(objective(first + second, "2\n"), InputError);
}

TEST(Trainers, FinishedModelsAreComparedWithTheHoldout) {
  const Folder folder;
  TrainObserver nobody;
  const std::string data = folder.file("data", "sun A\nrain B\n\nrain B\nsun A\n\n");
  const std::string held = folder.file("held", "sun A\nrain A\nrain B\nsun B\n\n");
  HmmRequest hmm;
  hmm.train.data = {data};
  hmm.train.holdout = held;
  hmm.train.output = folder.path("m");
  EXPECT_EQ(train(*make_trainer(hmm), nobody).holdout->token_accuracy, 0.5);
  const auto record = HmmModel::open(hmm.train.output)->meta()["training"]["holdout"];
  EXPECT_EQ(record["sequences"], 1);
  EXPECT_EQ(record["token_accuracy"], 0.5);
  NaiveBayesRequest naive;
  naive.source.data = {data};
  naive.source.output = folder.path("n");
  naive.source.holdout = held;
  naive.source.template_text = "U:%x[0,0]\n";
  EXPECT_EQ(train(*make_trainer(naive), nobody).holdout->token_accuracy, 0.5);
}

}  // namespace
}  // namespace croft::trainer_test
