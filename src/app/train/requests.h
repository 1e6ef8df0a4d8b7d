// From the options of training, whatever front end read them, to the request of each kind of model.
// Every function reads all rows that have a meaning for its kind
// (train/options/training_options.h), and throws UsageError for values that contradict each other.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "app/train/graph_trainer.h"
#include "app/train/kind_requests.h"
#include "app/train/train_bayes_net.h"
#include "app/train/trainer.h"
#include "train/options/training_options.h"

namespace croft {

// What all kinds that learn from sequences have in common.
TrainRequest train_request(const OptionValues& values);
SegmentRequest segment_request(const OptionValues& values);
HiddenChainRequest hidden_chain_request(const OptionValues& values);
PoolRequest pool_request(const OptionValues& values);
CodeRequest code_request(const OptionValues& values);
JointRequest joint_request(const OptionValues& values);
MixtureRequest mixture_request(const OptionValues& values);
BoostedRequest boosted_request(const OptionValues& values);
NaiveBayesRequest naive_bayes_request(const OptionValues& values);
HmmRequest hmm_request(const OptionValues& values);
BayesNetRequest bayes_net_request(const OptionValues& values);
GraphRequest graph_request(const OptionValues& values);

// Texts and tables as `values` have them, into a request whose format is known.
void read_format_options(const OptionValues& values, TrainRequest& request);
// How a table with a column of texts is read, where --text-column is given with --format csv;
// without, `reading` stays.  Throws UsageError for other options of tables.
bool read_table_of_texts(const OptionValues& values, std::string_view format, TextReading& reading);
// What the options of tables were given, whether there is any; without, `table` stays.  Throws
// UsageError where the format is not csv.
bool read_table_options(const OptionValues& values, std::string_view format, CsvOptions& table);

// Throws UsageError where `log` would be written over a file that an option names.
void check_log(const OptionValues& values);

// What a program says of a request that no option can say.
using ChangeRequest = std::function<void(TrainRequest&)>;

// From the options of training to the trainer of the kind that they name.
struct TrainerRow {
  KindSet bit;
  std::unique_ptr<Trainer> (*make)(const OptionValues& values);
  // The same of a changed request, of kinds that learn from sequences.
  std::unique_ptr<Trainer> (*make_changed)(const OptionValues& values,
                                           const ChangeRequest& change) = nullptr;
};
// Of all kinds but graph, whose tables need SQLite: sql/train/train_graph.h has its row.
std::span<const TrainerRow> trainer_rows();

// The kind that options name: its bit, that of joint features where they are there, and how
// messages call it.
struct KindChoice {
  KindSet bit;
  Message shown;
};
KindChoice chosen_kind(const OptionValues& values);
// The kind that the format suggests, where nobody names one; empty: the option's own.  A text has
// one label, and no neighbours.
std::string_view kind_of_format(const OptionValues& values);

// Throws UsageError for options that have no meaning for the kind or contradict each other.
//   more   : of kinds that stand outside of this library
//   change : of kinds that learn from sequences; the others are then an error
std::unique_ptr<Trainer> make_trainer(const OptionValues& values,
                                      std::span<const TrainerRow> more = {},
                                      const ChangeRequest& change = {});

}  // namespace croft
