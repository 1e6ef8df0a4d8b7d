// Labelling a stream: in order, with bounded memory, on several threads.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "croft/app/evaluation.h"
#include "croft/app/sequence_source.h"
#include "croft/app/tagger.h"
#include "croft/core/parallel.h"

namespace croft {

enum class OutputFormat {
  columns,  // the rows as read, and the label after a separator
  labels,   // one label a line, an empty line after each sequence
  json      // one object a sequence and line
};
enum class MarginalOutput { none, predicted, all };

struct PredictOptions {
  OutputFormat output = OutputFormat::columns;
  MarginalOutput marginals = MarginalOutput::none;
  bool probability = false;  // of each sequence's labelling
};

// Labels every sequence of `source` and hands the output to `write` in order, as soon as it is done.
// Throws InputError for bad input: what came before it has been written.
// `stop`: checked between batches; set, the function returns early.
// Memory: a batch of at most some 10,000 positions for each thread.
struct PredictCounts {
  std::size_t sequences = 0, positions = 0;
};
PredictCounts predict_stream(const ChainModel& model, SequenceSource& source,
                             const PredictOptions& options, ThreadPool& pool,
                             const std::function<void(std::string_view)>& write,
                             const std::atomic<bool>& stop);

// Tags every sequence of `source`, which must be labelled, and evaluates: with log-loss and calibration.
Evaluation evaluate_model(const ChainModel& model, SequenceSource& source, ChunkScheme scheme,
                          ThreadPool& pool);

// Evaluates a file of columns whose last two are the gold and the predicted label.
Evaluation evaluate_predictions(const std::string& path, ChunkScheme scheme);

}  // namespace croft
