// Training of naive Bayes, from files to a model file, or from sequences of a program.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "croft/app/train.h"
#include "model/kinds/naive_bayes_model.h"
#include "train/kinds/naive_bayes_training.h"

namespace croft {

// Where an option is not given, it is that of the model that training goes on from, or the default.
struct NaiveBayesRequest {
  TrainRequest source;  // data, output, and how the data becomes attributes; init, partial, weights
  // auto, or an event model for all attributes; empty: not given.  categorical: every column of a
  // table holds categories, of numbers, too; formats without COLUMN=VALUE are refused
  std::string event;
  std::optional<double> alpha, binarize, variance_floor;
  std::optional<bool> norm;
  std::string prior;  // learnt, uniform, LABEL=P,LABEL=P,… or a file of lines LABEL TAB P
  std::optional<std::size_t> em_iterations;  // needs source.partial
  std::optional<double> em_tolerance;        // likewise
};

// With `auto`: columns of numbers of a table are gaussian, its other columns categorical, and what
// other formats have is multinomial.
EventRule event_rule(const ExtractionConfig& extraction, std::string_view event);

struct NaiveBayesWatcher {
  struct Data {
    std::size_t sequences, positions, partial_positions, labels, attributes;
  };
  std::function<void(const Data&)> data_read;
  std::function<void(std::size_t positions)> reading;  // now and then
  std::function<bool(const EmIteration&)> iteration;   // false: stop and keep the model
};

struct NaiveBayesResult {
  std::size_t sequences = 0, positions = 0, partial_positions = 0, labels = 0, attributes = 0;
  std::vector<double> log_likelihood;  // of each iteration of EM
  bool converged = true;
};
struct TrainedNaiveBayes {
  NaiveBayesResult result;
  ContainerWriter model;
};

// Trains on the sequences of `input`; of request.source `partial` is looked at.
//   init : to add the data to; may be null.  Throws UsageError where the options contradict it.
TrainedNaiveBayes train_naive_bayes_on(const NaiveBayesRequest& request, TrainingInput& input,
                                       const NaiveBayesModel* init,
                                       const NaiveBayesWatcher& watcher);

// Reads, trains, writes the model (temporary, sync, rename); its bytes depend on the data and the
// request alone.  Throws UsageError for options that contradict each other, and Error where the
// output cannot be written, before anything is read; InputError for bad data.
NaiveBayesResult train_naive_bayes(const NaiveBayesRequest& request,
                                   const NaiveBayesWatcher& watcher);

}  // namespace croft
