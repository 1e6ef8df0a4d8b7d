// The course of general CRFs, wherever their cliques come from: a database
// (sql/train/train_graph.h), a program.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "app/train/graph_scores.h"
#include "app/train/trainer.h"
#include "core/json.h"
#include "train/generative/measured_field.h"
#include "train/kinds/graph_training.h"

namespace croft {

struct GraphRequest : OptimisedRequest {
  std::string holdout;  // a share in (0, 1) of the instances, or the name of what is held out
  std::string weights;  // file: the weight of each instance, in order
  std::vector<double> instance_weights;  // in the place of a file
  std::string class_weights;             // of variables by their labels: balanced, or a file
  std::string expectations;              // file; with `labelled` options.unlabelled has it
  bool names_objective = true;           // else another may be taken where the likelihood's is not
  GraphTrainOptions options;             // the rest
};

// Who derives from it hands the cliques over in read_files(), and says what the model's file is to
// tell of where they come from.
class GraphTrainer : public Trainer {
 public:
  CheckpointRequest checkpoint() const override { return checkpoint_of(request_); }
  StoppingRule stopping() const override { return request_.options.stop; }
  void open() override;  // the model to start from, the variances
  DataSummary summary() const override;
  TrainOutcome run(TrainObserver& observer, CheckpointFolder* checkpoints) override;
  ContainerWriter model();  // after run()

 protected:
  Sharing sharing() const override { return Sharing::work; }
  void share() override;
  // Throws UsageError for options that contradict each other or would be ignored.
  explicit GraphTrainer(GraphRequest request);
  // Once the variables of `data` are known: their instances' weights, where they are asked for, and
  // which of them are held out by a share, drawn as sequences are (split_data()).  Throws Error
  // where a share leaves none, InputError for another number of weights than there are instances.
  void prepare(CliqueData& data) const;
  // Takes the cliques and the names of features, and keeps the data by reference.
  //   cliques      : how many were read
  //   measurements : whose densities may stand beside p(y); by reference, too
  // Whether EM is to fit these densities; otherwise they have to be known.
  bool set_data(CliqueData& data, std::vector<StringTable>& features, std::size_t cliques,
                std::span<const Measurements> measurements = {});
  // After set_data().  What is held out: of the data itself, or of data with the same schema and
  // numbers of features, whose cliques it takes; kept by reference.
  void set_holdout(CliqueData& data, const TrueLabels& truth);
  // Likewise: data without labels, whose labels, if any, are not looked at.
  void set_unlabelled(CliqueData& data);
  // The densities are those of `measurements`, empty where none were fitted.
  virtual Json source(std::span<const LabelMixtures> densities) = 0;

  GraphRequest request_;

 private:
  struct Size {
    std::size_t variables = 0, hidden = 0, instances = 0, cliques = 0, templates = 0, features = 0,
                held_out = 0, unlabelled = 0;
  };
  void choose_objective(TrainObserver& observer);
  Json record() const;
  std::uint64_t fingerprint();

  Size size_;
  const CliqueData* data_ = nullptr;
  std::span<const Measurements> measurements_;
  std::optional<MeasuredField> field_;  // with densities to be fitted; otherwise:
  std::optional<GraphTraining> training_;
  std::uint64_t holdout_ = 0;  // a number for what is held out, with early stopping
  GraphTrainResult result_;
};

}  // namespace croft
