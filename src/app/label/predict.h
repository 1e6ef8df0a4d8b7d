// Labelling a stream: in order, with bounded memory, on several threads.
#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/evaluate/evaluation.h"
#include "app/label/known_attributes.h"
#include "app/label/predict_output.h"
#include "app/label/sequence_source.h"
#include "app/label/tagger.h"
#include "croft/core/error.h"
#include "croft/core/parallel.h"

namespace croft {

// What has been read, over one stream or several.
struct PredictCounts {
  std::size_t sequences = 0, positions = 0;
  // Sequences without a labelling: none is allowed, or a search found none.
  std::size_t unlabelled = 0;
  Location first_unlabelled;
  TagOutcome first_outcome;
  KnownAttributes attributes{};  // not of columns, whose template may well make what is new

  void add(const PredictCounts& other);  // of what came behind
  void archive(StateArchive& state);
};
// From the counts of each process's share to those of all, on each of them.
PredictCounts counts_of_all(Ranks& ranks, const PredictCounts& here);

// Where the output goes: to `write` in order, and `flush` is called when all that has been read is
// written and more has to be waited for.
struct PredictOutput {
  std::function<void(std::string_view)> write;
  std::function<void()> flush = [] {};
};

// Labels every sequence of `source` as soon as its input can be read to its end.  A sequence that
// has no labelling is written as such, and counted; it does not end the stream. Throws UsageError,
// before anything is read, for what the plan cannot answer or the output cannot hold; InputError
// for bad input: what came before it has been written. `stop`: checked between batches; set, the
// function returns early. `counts` is added to; its sequences tell which numbers the samples of
// this stream are drawn with. Memory: a batch of at most some 10,000 positions, or 4 MB and a
// sequence, for each thread.
void predict_stream(const TagPlan& plan, SequenceSource& source, const PredictOptions& options,
                    ThreadPool& pool, const PredictOutput& output, const std::atomic<bool>& stop,
                    PredictCounts& counts);

// Throws InputError, naming the first one, where sequences have no labelling.
void require_all_labelled(const PredictCounts& counts);

// What is evaluated, and how labels are chosen.
struct EvaluateRequest {
  EvaluateRequest(ChunkScheme scheme = ChunkScheme::automatic) : report(scheme) {}
  EvaluationOptions report;  // without `ranked`
  bool ranking = false;      // of all labels, by their probabilities
  TagRequest tag = {};       // without `partial`: what limits the labellings, how one is chosen
};

// Tags every sequence of `source`, which must be labelled, and evaluates: with log-loss, Brier's
// score and calibration.  A sequence that the model gives no labelling counts as wrong, and as
// one whose gold labels have probability 0.  Where the source is a process's share, the first
// process of the pool evaluates them all, in the order of the ranks; others return an empty one.
Evaluation evaluate_model(const SequenceModel& model, SequenceSource& source,
                          const EvaluateRequest& request, ThreadPool& pool);

// The same of sequences that have been read and extracted.
Evaluation evaluate_sequences(const TagPlan& plan, std::span<const TextSequence> sequences,
                              ThreadPool& pool);

// What a sequence of one token is called in the data of the model's format (format_table); empty
// where the format has longer ones.
std::string_view unit_of(const SequenceModel& model);

// Evaluates a file of columns whose last two are the gold and the predicted label.
//   form : its column of labels is that of the gold ones, and the predicted ones are the last
Evaluation evaluate_predictions(const std::string& path, const EvaluationOptions& options,
                                const ColumnsForm& form = {});
// Evaluates a file of spans: "spans" against "gold".  Throws InputError for a line without gold.
Evaluation evaluate_spans(const std::string& path, EvaluationOptions options = {});

}  // namespace croft
