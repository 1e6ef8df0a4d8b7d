// What the trainings of the kinds of models are asked for beside data, features and optimiser.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/train/train_request.h"
#include "model/kinds/naive_bayes_model.h"
#include "train/boosting/boosting.h"
#include "train/kinds/code_training.h"
#include "train/kinds/hidden_chain_training.h"
#include "train/kinds/hmm_training.h"
#include "train/kinds/joint_training.h"
#include "train/kinds/mixture_training.h"
#include "train/kinds/naive_bayes_training.h"
#include "train/kinds/pool_training.h"
#include "train/kinds/segment_training.h"
#include "train/observer.h"

namespace croft {

// What the training of a segment model (a semi-Markov CRF) is asked for.
struct SegmentRequest {
  // Data (columns, spans or attributes), output, template, weights, features, partial labels,
  // hold-out, init, prior, variances, checkpoint, seed, cost, and the options of features,
  // penalties, optimiser and stopping are looked at; the rest is to be left at its default.
  TrainRequest train;
  std::string segment_template;  // file; "none": no features of whole segments; empty: the default
  std::optional<std::string> segment_template_text;  // the template itself, where it is in no file
  std::vector<std::string> gazetteers;               // FILE or NAME=FILE (data/name_list_file.h)
  std::vector<NameList> lists;                       // further ones
  std::vector<std::string> longest;                  // N or LABEL=N
  std::string
      text_attribute;  // data of attributes: what the one with a position's word starts with
  ChunkScheme scheme = ChunkScheme::automatic;  // how labels spell segments
};

// Files that a request names beside those of training: templates and lists.
std::vector<std::string> segment_files(const SegmentRequest& request);
// Throws UsageError for a format that segments are not read from.
//   kind : of the model, for the message
void check_segment_input(const SegmentRequest& request, std::string_view kind);

// Templates, lists and lengths of a request, read and checked.  Throws UsageError for what
// contradicts itself, InputError for bad files.
//   init : to start from, whose templates and lists are taken where none are given; may be null
SegmentOptions segment_options(const SegmentRequest& request, const SegmentModel* init = nullptr);

// How the data of a request becomes strings, columns not yet counted.
ExtractionConfig segment_extraction(const SegmentRequest& request, const SegmentOptions& options,
                                    const SegmentModel* init = nullptr);

class Json;

struct HiddenChainRequest {
  // Of it, what has no meaning for a hidden-chain must be left at its default: order, histories,
  // cost, groups of transitions, variances, init, prior, kernel.
  TrainRequest train;
  HiddenChainOptions hidden;
};

struct PoolRequest {
  // How experts are trained, and the data; of it, what a pool has no use for must be left at its
  // default: early stopping, init, prior, kernel, order, groups of transitions.
  // holdout: what the weights are learnt on; none: the training data.  l2: default 0.
  TrainRequest train;
  PoolOptions pool;
  std::string classes_path;          // lines LABEL CLASS; empty: none
  std::vector<std::string> experts;  // model files
};

struct CodeRequest {
  // How the binary chains are trained, and the data; of it, what they have no use for must be left
  // at its default: constraint, early stopping, init, prior, kernel, order, cost, groups of
  // transitions.  holdout: what minimum-loss chooses by.
  TrainRequest train;
  CodeOptions code;       // words: of code_path
  std::string code_path;  // lines LABEL BITS; empty: none
};

struct JointRequest {
  // Data (columns), output, weights, hold-out, init, checkpoint, features (default: observed),
  // seed, and the options of features, penalties, optimiser and stopping are looked at; the rest is
  // to be left at its default.
  TrainRequest train;
  std::string template_path;  // the joint templates
  std::string template_text;  // these themselves, where they are in no file
  std::string classes_path;   // lines LABEL CLASS; empty: none
  LabelClasses classes;       // these themselves, where they are in no file
};

// How the data of these templates becomes strings, columns not yet counted.
ExtractionConfig joint_extraction(const JointTemplates& templates, const std::string& name);

struct MixtureRequest {
  // Data (columns, attributes or svmlight), which the components have not seen, output, weights and
  // checkpoint are looked at; the rest is to be left at its default.
  TrainRequest train;
  std::vector<std::string> experts;  // files of the components
  MixtureOptions options;
};

struct BoostedRequest {
  // Data, output, format and what makes features of it, partial labels, weights (class weights for
  // boosted-maxent), hold-out, checkpoint and seed are looked at; the rest is to be left at its
  // default.
  TrainRequest train;
  std::string kind{kBoostedChain};
  BoostingOptions options;  // seed and label weights come from `train`
  SegmentRequest segments;  // of boosted-segment: all but its `train`
};

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

EmOptions em_options(const NaiveBayesRequest& request);
// What the course says of EM, and of its end, for trainers of naive Bayes on data of any form.
EmCallback naive_bayes_watch(const EmOptions& em, TrainObserver& observer);
TrainOutcome naive_bayes_outcome(const NaiveBayesFit& fit, const TrainObserver& observer);

// With `auto`: columns of numbers of a table are gaussian, its other columns categorical, and what
// other formats have is multinomial.
EventRule event_rule(const ExtractionConfig& extraction, std::string_view event);

struct HmmRequest {
  // Data (columns or attributes), output, partial, weights, holdout, early stopping, checkpoints;
  // the rest is to be left at its default.  The hold-out is compared with the model.
  TrainRequest train;
  // With options.states, and without `partial`, columns have no label: all are observed.
  HmmOptions options;
};

// How columns become attributes: column c is the track `Uc`.
ExtractionConfig hmm_extraction(InputFormat format, std::size_t columns);

// The options that a training record of this kind tells of, to train in the same way again; the
// seed, too, but no threads.
HmmOptions hmm_options(const Json& training);

}  // namespace croft
