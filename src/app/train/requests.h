// From the options of training, whatever front end read them, to the request of each kind of model.
// Every function reads all rows that have a meaning for its kind
// (train/options/training_options.h), and throws UsageError for values that contradict each other.
#pragma once
#include "app/train/graph_trainer.h"
#include "app/train/kind_requests.h"
#include "app/train/train_bayes_net.h"
#include "train/options/training_options.h"

namespace croft {

// What all kinds that learn from sequences have in common.
TrainRequest train_request(const OptionValues& values);
SegmentRequest segment_request(const OptionValues& values);
HiddenChainRequest hidden_chain_request(const OptionValues& values);
PoolRequest pool_request(const OptionValues& values);
CodeRequest code_request(const OptionValues& values);
JointRequest joint_request(const OptionValues& values);
BoostedRequest boosted_request(const OptionValues& values);
NaiveBayesRequest naive_bayes_request(const OptionValues& values);
HmmRequest hmm_request(const OptionValues& values);
BayesNetRequest bayes_net_request(const OptionValues& values);
GraphRequest graph_request(const OptionValues& values);

// Texts and tables as `values` have them, into a request whose format is known.
void read_format_options(const OptionValues& values, TrainRequest& request);

// Throws UsageError where `log` would be written over a file that an option names.
void check_log(const OptionValues& values);

}  // namespace croft
