// What the training of naive Bayes is asked for.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/train/train_request.h"
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

}  // namespace croft
