// The trainer of each kind of model, of its request.  All throw UsageError for options that
// contradict each other or would be ignored.
#pragma once
#include <memory>
#include <vector>

#include "app/train/kind_requests.h"
#include "app/train/train_bayes_net.h"
#include "app/train/trainer.h"

namespace croft {

// Models that a program has open go in beside the request; otherwise those whose files it names
// are opened.

// Of chain, memm and maxent.
//   init : to start from, or the prior
std::unique_ptr<SequenceTrainer> make_trainer(const TrainRequest& request,
                                              std::shared_ptr<const ChainModel> init = nullptr);
std::unique_ptr<SequenceTrainer> make_trainer(const SegmentRequest& request,
                                              std::shared_ptr<const SegmentModel> init = nullptr);
std::unique_ptr<SequenceTrainer> make_trainer(
    const PoolRequest& request, std::vector<std::shared_ptr<const ChainModel>> experts = {});
std::unique_ptr<SequenceTrainer> make_trainer(const CodeRequest& request);
std::unique_ptr<SequenceTrainer> make_trainer(const HiddenChainRequest& request);
std::unique_ptr<SequenceTrainer> make_trainer(const JointRequest& request,
                                              std::shared_ptr<const JointModel> init = nullptr);
std::unique_ptr<SequenceTrainer> make_trainer(const MixtureRequest& request,
                                              MixtureComponents::Models models = {});
std::unique_ptr<SequenceTrainer> make_trainer(const BoostedRequest& request);
std::unique_ptr<SequenceTrainer> make_trainer(const HmmRequest& request);
std::unique_ptr<SequenceTrainer> make_trainer(const NaiveBayesRequest& request);
std::unique_ptr<Trainer> make_trainer(const BayesNetRequest& request);
// Graphs: sql/train/train_graph.h.

}  // namespace croft
