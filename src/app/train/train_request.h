// Training from files to a model file, or from sequences of a program to a model in memory.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/convert/texts/text_readers.h"
#include "croft/structure/chunk_label.h"
#include "train/kinds/chain_training.h"
#include "train/observer.h"

namespace croft {
class Json;
class OptionValues;
struct InnerModel;

inline constexpr double kCheckpointInterval = 30;

// What kinds have in common that are trained by an optimiser of the user's choice.
struct OptimisedRequest {
  // Where not given, what suits the objective and the optimiser.
  std::optional<double> l2, tolerance, gradient_tolerance;
  std::optional<std::size_t> max_iterations, window;
  std::string init;        // model to start from
  std::string prior;       // model whose weights are the penalty's mean, and the start
  std::string variances;   // file: variances of weights, by the names of attributes
  std::string checkpoint;  // folder to keep the state of the training in; empty: none
  bool resume = false;     // from there
  double checkpoint_interval = kCheckpointInterval;  // seconds

  const std::string& start() const { return prior.empty() ? init : prior; }  // may be empty
  // Fills in the penalty and the rules, where these are not given.
  void set_defaults(Method method, Regulariser& regulariser, StoppingRule& stop) const;
  // Throws UsageError for options that contradict each other or would be ignored.
  void check(const StoppingRule& stop) const;
  void check_checkpoint() const;
};

class SequenceTrainer;

// Of a model that looks at documents (app/label/documents.h).
struct DocumentRequest {
  std::string by;  // what makes sequences a document; empty: they are labelled by themselves
  std::size_t column = 0;  // of the words
  // Documents are dealt to so many parts, each labelled by a model of the others: so the first pass
  // has not seen what it labels.
  std::size_t parts = 5;
  // Of the first pass: of the same request, without documents, hold-out and files to write.
  std::function<std::unique_ptr<SequenceTrainer>()> trainer;

  bool any() const { return !by.empty(); }
};

struct TrainRequest : OptimisedRequest {
  std::vector<std::string> data;  // at least one; "-" is standard input
  std::string output;             // the model file
  InputFormat format = InputFormat::columns;
  ColumnsForm form;  // of columns; what it leaves open is as `init` or `prior` has it
  // Of columns: the data is of spans, spelled in this scheme (app/row_reader.h).
  std::optional<ChunkScheme> spans;
  std::string foreign;    // another program's format (text_formats()), read as spans or columns;
                          // csv: a table with a column of texts
  TextReading reading;    // of such data
  std::string tokenizer;  // of texts (app/label/model_tokenizer.h); empty: not said
  std::shared_ptr<const InnerModel> segmenter;  // the model that it names; null: none
  std::string template_path;  // empty: the default features for words, or those of `init`
  std::string template_text;  // the template itself, where it is in no file
  TemplateLanguage language = TemplateLanguage::automatic;
  std::string kit;  // file that declares further features (app/feature_kit_file.h); empty: none
  std::shared_ptr<const FeatureKit> kit_of_model;  // one that is read already, in its place
  bool boundaries = false;
  // Every position has the attribute kIntercept beside its own.  Default: where a model of kind
  // maxent is trained from the start.  options.free_intercept: its weights are not penalised.
  std::optional<bool> intercept;
  // How texts and tables become features; without: the defaults, or as `init` or `prior` has it.
  std::optional<TextOptions> text;
  std::string stop_words;  // english, or a file; empty: those of `text`
  std::optional<CsvOptions> csv;
  std::optional<FeatureSet> features;  // default: all with a template, observed without
  std::string holdout;                 // a file, or a fraction in (0, 1) of the training sequences
  std::string group_by;  // what a fraction keeps together (app/train/data_groups.h); empty: nothing
  bool contiguous = false;  // a fraction is the end of the data
  bool divides_whole_data() const { return !group_by.empty() || contiguous; }
  std::uint64_t seed = 1;                // of the choice of the hold-out fraction
  std::optional<PartialLabels> partial;  // labels of the data may be sets, or any
  std::string weights;                   // file: the weight of each sequence of `data`, in order
  // Of examples by their labels, for kinds that label each by itself: balanced, or a file of lines
  // LABEL TAB WEIGHT; empty: none.
  std::string class_weights;
  std::string cost;       // of a mistake, of objectives that have one: a number (1), or a file
  std::string constrain;  // bio, bioes or a file; empty: that of `init`, or none
  std::string transition_groups;        // file: transitions that share a weight
  std::optional<std::size_t> block;     // where not given, what `options` say
  std::vector<std::string> unlabelled;  // more of data, whose labels, if any, are not looked at
  DocumentRequest documents;
  std::string expectations;  // file, or labelled, or labelled:N; empty: none
  std::string kernel;        // linear, poly:DEGREE[:SCALE[:OFFSET]] or rbf:GAMMA; empty: none
  TrainOptions options;      // the rest; what the above say of it is filled in
  // What all of this was made of, for the training record; null: no options.
  std::shared_ptr<const OptionValues> given;
};

// The request with its options filled in: what it leaves open, and seed, kernel and prior.  Throws
// UsageError for a kernel that is none.
TrainRequest with_defaults(TrainRequest request);

// Throws UsageError for --class-weights with partial labels.
void check_class_weights(const TrainRequest& request);

// The files that a request reads besides `init`.
std::vector<std::string> input_files(const TrainRequest& request);

// Where labelled sequences come from, when not from the files of a request.
class TrainingInput {
 public:
  virtual ~TrainingInput() = default;
  virtual const Extractor& extractor() const = 0;
  // Hands on each sequence in turn, once; `file` is for messages.
  using Visit = std::function<void(TextSequence& sequence, const std::string& file)>;
  virtual void read(const Visit& visit) = 0;
  virtual void read_holdout(const Visit& visit) = 0;  // where the request's is not a fraction
  // Whether each of several processes has a part of that, and not all of it.
  virtual bool holdout_in_parts() const { return false; }
  virtual void read_unlabelled(const Visit&) {}  // after read(): without labels
  // Sequences that other processes read before the first one of read().
  virtual std::size_t sequences_before() const { return 0; }
  // [sequences that read() will hand on] which belong together; empty: each is alone.
  virtual std::vector<std::size_t> groups() { return {}; }
  // Data that is numbers already, all of it; none: read() hands on sequences.
  virtual std::optional<ChainEncoder> encoded() { return std::nullopt; }
  // How many of these have labels, where those behind them have none.
  virtual std::optional<std::size_t> labelled() const { return std::nullopt; }
  // What was trained, for who wants more than the model file keeps.
  virtual void trained(const ChainTraining&) {}
  // Adds to the training record what only the input knows; after everything has been read.
  virtual void describe(Json&) const {}
};

// What a kind of model asks of its data beside the sequences.
struct DataRules {
  bool labelled = true;   // false: columns hold no label, all are observed
  bool optional = false;  // labels may be absent, of files of attributes and of a program's data
  std::vector<std::string> unlabelled{};  // further files, whose labels, if any, are not looked at
  std::function<void(ExtractionConfig&)> complete{};  // once the columns are counted; may be empty
};

// The files of a request; it, and the observer, must outlive the input.
std::unique_ptr<TrainingInput> open_training_files(const TrainRequest& request,
                                                   ExtractionConfig config, TrainObserver& observer,
                                                   DataRules rules = {});

// How the data of a request becomes strings, columns not yet counted.  Reads the template's file.
ExtractionConfig make_extraction(const TrainRequest& request, const ChainModel* init);

// Reads, trains, and writes the model (temporary, sync, rename).  The model's bytes depend on the
// data and the request alone: not on threads, time or paths.  Throws UsageError for options that
// contradict each other or would be ignored, and Error when the output cannot be written: both
// before anything is read; InputError for bad data; Interrupted when `interruption` is set before
// there is a model to keep.
TrainResult train_model(const TrainRequest& request, TrainObserver& observer);
TrainResult train_model(const TrainRequest& request);  // unobserved

}  // namespace croft
