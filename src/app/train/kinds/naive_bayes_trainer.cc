// Naive Bayes.
#include <fmt/format.h>

#include <algorithm>

#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "core/json.h"
#include "core/parse_number.h"
#include "croft/data/line_reader.h"
#include "data/comma_list.h"

#include "train/course/report.h"
#include "train/encoded_training.h"

namespace croft {
namespace {

// p(y) of labels, as the user says it.
struct GivenPriors {
  Message from;  // the option, or its file
  std::vector<std::pair<std::string, double>> priors;

  void add(std::string_view label, std::string_view number, const Location& where) {
    double p = 0;
    if (label.empty() || parse_number(number, p) != NumberKind::finite || p < 0) {
      throw InputError(where,
                       {where.file.empty() ? Message(from, ": ") : "", "no label and probability"},
                       std::string(label) + "=" + std::string(number),
                       "write LABEL=P,LABEL=P,… or a file of lines LABEL TAB P");
    }
    priors.emplace_back(label, p);
  }
};

GivenPriors read_priors(const std::string& text) {
  GivenPriors given{"--prior-probabilities", {}};
  if (text.find('=') == text.npos) {
    LineReader lines(text);
    given.from = lines.name();
    for (std::string_view line; lines.next(line);) {
      const std::size_t tab = std::min(line.find('\t'), line.size());
      given.add(line.substr(0, tab), line.substr(std::min(tab + 1, line.size())), lines.location());
    }
    return given;
  }
  for (const std::string_view pair : between_commas(text)) {
    const std::size_t equals = std::min(pair.rfind('='), pair.size());
    given.add(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())), {});
  }
  return given;
}

// [L] in the order of the labels.
std::vector<double> by_label(const GivenPriors& given, const StringTable& labels) {
  std::vector<double> out(labels.size(), -1);
  for (const auto& [label, p] : given.priors) {
    const std::uint32_t j = labels.find(label);
    if (j == kUnknown) {
      throw UsageError(given.from, ": ", in_quotes(label), " is no label of the data");
    }
    if (out[j] >= 0) throw UsageError(given.from, ": ", in_quotes(label), " is there twice");
    out[j] = p;
  }
  for (std::uint32_t j = 0; j < out.size(); ++j) {
    if (out[j] >= 0) continue;
    throw UsageError(given.from, ": the label ", in_quotes(labels[j]),
                     " has no probability; give one for each, 0 or more");
  }
  return out;
}

// How data is read is what the model to go on from says.
void check_init(const TrainRequest& source) {
  const bool has_template = !source.template_path.empty() || !source.template_text.empty();
  if (!source.init.empty() &&
      (has_template || source.text || source.csv || !source.stop_words.empty())) {
    throw UsageError("the model to go on from says how its data becomes attributes; leave out ",
                     has_template ? Message("--template")
                     : source.csv ? "the options of tables, such as --label"
                                  : "the options of texts, such as --ngrams");
  }
}

// Categories are COLUMN=VALUE: the terms of a text and the numbers of svmlight are no such things,
// and each would be the one value of a column of its own, of which nothing can be learnt.
void check_categorical(const NaiveBayesRequest& request) {
  const TrainRequest& source = request.source;
  if (request.event != event_name(AttributeEvent::categorical)) return;
  if (source.format == InputFormat::text || source.format == InputFormat::svmlight) {
    throw UsageError("--event categorical is for attributes COLUMN=VALUE, and --format ",
                     format_name(source.format), " has none; take ",
                     source.format == InputFormat::text
                         ? Message("--event multinomial or bernoulli")
                         : "--format csv, whose columns may hold numbers as names of categories");
  }
  if (source.csv && (!source.csv->numeric.empty() || source.csv->standardise)) {
    throw UsageError(
        source.csv->standardise ? Message("--standardise") : "--numeric",
        " is for columns of numbers, and with --event categorical every column holds names of "
        "categories; leave it out, or take --event auto and name those with --categorical");
  }
}

// The same, of what other formats turned out to hold.
void require_categories(const NaiveBayesStatistics& statistics, const StringTable& names) {
  bool any = false;
  for (std::uint32_t a = 0; a < names.size(); ++a) {
    if (statistics.event[a] != AttributeEvent::categorical) return;
    any = any || names[a].find('=') != std::string_view::npos;
  }
  if (any || names.size() == 0) return;
  throw Error("--event categorical is for attributes COLUMN=VALUE, and the data has none, but ",
              in_quotes(names[0]), "; write them so, or choose another --event");
}

void check_request(const NaiveBayesRequest& request) {
  const TrainRequest& source = request.source;
  if (!request.event.empty() && request.event != "auto" && !event_from_name(request.event)) {
    throw UsageError(
        "--event ", request.event,
        " is none; choose auto, multinomial, bernoulli, complement, gaussian or categorical");
  }
  check_reading(source);
  check_init(source);
  check_categorical(request);
  if (!source.partial && (request.em_iterations || request.em_tolerance)) {
    throw UsageError(request.em_iterations ? Message("--em-iterations") : "--tolerance",
                     " is for data whose labels are known in part: add --partial");
  }
  const bool stops = source.options.early_stop > 0;
  if (!source.partial && (stops || !source.checkpoint.empty())) {
    throw UsageError(stops ? Message("--early-stop") : Message("--checkpoint"),
                     " is of EM, for data whose labels are known in part: add --partial, or leave "
                     "it out");
  }
  check_early_stop(source);
  source.check_checkpoint();
  check_class_weights(source);
  if (source.class_weights == "balanced" && !source.init.empty()) {
    throw UsageError(
        "--class-weights balanced weighs the labels by how often all data has them, and what the "
        "model to go on from has seen is not here; give a file of weights");
  }
}

// Options of event models that no attribute may have.
void check_event_options(const NaiveBayesRequest& request, std::string_view event, bool table) {
  const auto refuse = [&](bool given, bool used, const Message& option, std::string_view events) {
    if (!given || used) return;
    throw UsageError(option, " goes with ", events, " attributes, and --event is ", event,
                     "; leave it out");
  };
  const bool mixed = event == "auto" && table;
  refuse(request.binarize.has_value(), event == "bernoulli", "--binarize", "bernoulli");
  refuse(request.variance_floor.has_value(), event == "gaussian" || mixed, "--variance-floor",
         "gaussian");
  refuse(request.norm.has_value(), event == "complement", "--complement-norm", "complement");
  refuse(request.alpha.has_value(), event != "gaussian", "--alpha",
         "multinomial, bernoulli, complement and categorical");
}

// Chosen before, and now: statistics of one kind cannot be added to those of another.
template <class T>
void refuse_change(const NaiveBayesModel& init, std::string_view option, const T& was,
                   const std::optional<T>& now) {
  if (!now || *now == was) return;
  throw UsageError(Message::option(option), " is ", fmt::format("{}", was), " in ",
                   init.container().name(),
                   ", whose counts depend on it; leave the option out, or train anew");
}

// The statistics of the data, and what is fitted to them.
class Training final : public EncodedTraining {
 public:
  Training(const NaiveBayesRequest& request, const Extractor& extractor,
           const NaiveBayesModel* init, const std::optional<LabelWeights>& weights)
      : request_(request), extractor_(extractor), init_(init), weights_(weights) {
    if (init != nullptr) take_over(*init);
    if (!request.event.empty()) event_ = request.event;
    if (event_.empty()) event_ = "auto";
    check_event_options(request, event_, extractor.config().format == InputFormat::csv);
    options_.absent_is_missing = extractor.config().format == InputFormat::csv;
    options_.alpha = request.alpha.value_or(options_.alpha);
    options_.binarize = request.binarize.value_or(options_.binarize);
    options_.variance_floor = request.variance_floor.value_or(options_.variance_floor);
    options_.norm = request.norm.value_or(options_.norm);
    check_template();
    if (!request.prior.empty() && request.prior != "learnt" && request.prior != "uniform") {
      given_ = read_priors(request.prior);
    }
    rule_ = event_rule(extractor_.config(), event_);
  }

  void add(const TextSequence& sequence, std::string_view file) override {
    check_values(sequence, file, rule_);
    if (weights_) {
      encoder_.add_positions(sequence, file);
    } else {
      encoder_.add(sequence, file);
    }
  }
  void share_out(Ranks& ranks) override { agree(ranks); }
  std::size_t attributes() const override { return encoder_.node_names.size(); }

  const NaiveBayesFit& fit(const EmOptions& em, const EmCallback& see) {
    if (weights_) weigh_by_label(*weights_, encoder_.label_names.strings(), encoder_.data);
    set_prior();
    const NaiveBayesNames names{
        [this](std::size_t j) {
          return std::string(encoder_.label_names[static_cast<std::uint32_t>(j)]);
        },
        [this](std::size_t a) {
          return std::string(encoder_.node_names[static_cast<std::uint32_t>(a)]);
        }};
    fit_ = fit_naive_bayes(encoder_.data, make_counts(rule_), options_, em, names, see);
    return fit_;
  }
  // Of all data that the model has seen.
  Json record() const {
    const Json before = init_ != nullptr && init_->meta().contains("training")
                            ? init_->meta()["training"]
                            : Json::object();
    const auto total = [&](const char* name, std::size_t more) {
      const Json* const found = before.get_if(name);
      const bool known = found != nullptr && found->is_number_unsigned();
      return more + (known ? found->get<std::size_t>() : 0);
    };
    Json record = {{"sequences", total("sequences", sequences())},
                   {"positions", total("positions", positions())},
                   {"attributes", attributes()}};
    if (const std::size_t partial = total("partial_positions", partial_positions())) {
      record["partial_positions"] = partial;
    }
    if (const Json* const options = before.get_if("options")) record["options"] = *options;
    add_class_weights(request_.source.class_weights, record);
    if (!fit_.log_likelihood.empty()) {
      record["iterations"] = fit_.log_likelihood.size();
      record["objective_value"] = -fit_.log_likelihood.back();
      record["stop"] = fit_.em.converged ? "converged" : "max_iterations";
      if (fit_.em.best_iteration) record["kept_iteration"] = *fit_.em.best_iteration;
      if (!fit_.em.curve.empty()) record["curve"] = fit_.em.curve.json();
    }
    return record;
  }

  ContainerWriter file(const Json& record) const { return file(fit_, record); }
  ContainerWriter file(const NaiveBayesFit& fit, const Json& record) const {
    NaiveBayesParts parts;
    parts.labels = label_list();
    parts.names = encoder_.node_names.strings();
    parts.extraction = &extractor_.config();
    parts.statistics = &fit.counts.statistics();
    parts.parameters = &fit.parameters;
    parts.options = options_;
    parts.event_choice = event_;
    parts.training = &record;
    return make_naive_bayes_model(parts);
  }

 private:
  void take_over(const NaiveBayesModel& init) {
    options_ = init.options();
    event_ = init.event_choice();
    if (!request_.event.empty()) refuse_change(init, "event", event_, {request_.event});
    refuse_change(init, "binarize", options_.binarize, request_.binarize);
    for (Label j = 0; j < init.labels(); ++j) encoder_.label_names.insert(init.label(j));
    for (std::uint32_t a = 0; a < init.attributes(); ++a) {
      encoder_.node_names.insert(init.attribute(a));
    }
    if (event_ != "auto" && !event_from_name(event_)) {
      throw UsageError(init.container().name() + ": the kinds of its attributes (" + event_ +
                       ") are known where it was made; go on there");
    }
    if (init.extractor().config().columns != extractor_.config().columns) {
      throw UsageError(fmt::format("{}: a model of {} columns cannot go on with data of {}",
                                   init.container().name(), init.extractor().config().columns,
                                   extractor_.config().columns));
    }
  }

  void check_template() const {
    const TemplateSet& templates = extractor_.templates();
    for (std::size_t k = 0; k < templates.size(); ++k) {
      if (!templates.on_edges(k)) continue;
      throw UsageError(extractor_.config().template_name +
                       ": naive Bayes has no transitions, for which this template has a feature; "
                       "leave out its lines for pairs of labels");
    }
  }

  void set_prior() {
    const std::string& prior = request_.prior;
    if (!prior.empty()) {
      options_.prior = prior == "learnt"    ? LabelPrior::learnt
                       : prior == "uniform" ? LabelPrior::uniform
                                            : LabelPrior::given;
      options_.given_prior.clear();
    }
    if (given_) options_.given_prior = by_label(*given_, encoder_.label_names);
  }

  // What fit_naive_bayes() would complain of as well, but without the file.
  static void check_values(const TextSequence& sequence, std::string_view file,
                           const EventRule& rule) {
    const StringLists& node = sequence.node;
    if (node.all_values_are_one()) return;
    for (std::size_t t = 0; t < node.lists(); ++t) {
      for (std::size_t k = node.list_begin(t); k < node.list_end(t); ++k) {
        if (node.value(k) >= 0) continue;
        const AttributeEvent event = rule(node.item(k)).event;
        if (!counts_occurrences(event)) continue;
        throw InputError(
            {std::string(file), sequence.line_of(t)},
            fmt::format("a value below 0, {}, and {} counts how often something occurs",
                        node.value(k), event_name(event)),
            node.item(k), "make it 0 or more, or choose --event gaussian");
      }
    }
  }

  NaiveBayesCounts make_counts(const EventRule& rule) const {
    NaiveBayesCounts counts =
        init_ != nullptr ? NaiveBayesCounts(init_->statistics()) : NaiveBayesCounts();
    counts.add_labels(encoder_.label_names.size() - counts.labels());
    const auto attributes = static_cast<std::uint32_t>(encoder_.node_names.size());
    for (auto a = static_cast<std::uint32_t>(counts.attributes()); a < attributes; ++a) {
      counts.add_attribute(rule(encoder_.node_names[a]));
    }
    require_categories(counts.statistics(), encoder_.node_names);
    return counts;
  }

  const NaiveBayesRequest& request_;
  const Extractor& extractor_;
  const NaiveBayesModel* init_;
  const std::optional<LabelWeights>& weights_;  // of labels
  std::string event_;
  NaiveBayesOptions options_;
  std::optional<GivenPriors> given_;
  EventRule rule_;
  NaiveBayesFit fit_;
};

// Of a table whose columns all hold categories.
TrainRequest data_of(const NaiveBayesRequest& request) {
  TrainRequest source = request.source;
  if (request.event == event_name(AttributeEvent::categorical) && source.init.empty() &&
      source.format == InputFormat::csv) {
    if (!source.csv) source.csv.emplace();
    source.csv->all_categorical = true;
  }
  return source;
}

class NaiveBayesTrainer final : public SequenceTrainer {
 public:
  explicit NaiveBayesTrainer(const NaiveBayesRequest& asked)
      : SequenceTrainer(data_of(asked)), asked_(asked) {
    check_request(asked_);
    em_ = em_options(asked_);
  }
  std::vector<std::string> own_files() const override { return {asked_.prior}; }
  StoppingRule stopping() const override {
    return {.max_iterations = em_.max_iterations, .tolerance = 0};
  }
  void open() override { init_ = open_start<NaiveBayesModel>(request_); }
  ExtractionConfig extraction() const override {
    return init_ ? init_->extractor().config() : make_extraction(request_, nullptr);
  }

  TrainOutcome fit(TrainObserver& observer, CheckpointFolder* checkpoints) override {
    const EarlyStop stop = early_stop();
    em_.early_stop = stop.after;
    em_.holdout = stop.holdout;
    em_.checkpoints = checkpoints;
    em_.ranks = request_.options.ranks;
    if (stop.score) {
      em_.score = [&](const NaiveBayesFit& now) {
        return stop.score(training_of_->file(now, Json::object()));
      };
    }
    return naive_bayes_outcome(training_of_->fit(em_, naive_bayes_watch(em_, observer)), observer);
  }

 private:
  bool scored_at_end() const override { return true; }
  Sharing sharing() const override { return Sharing::data; }
  SequenceTraining& begin(const Extractor& extractor) override {
    return training_of_.emplace(asked_, extractor, init_.get(), options_.label_weights);
  }
  Json record() const override { return training_of_->record(); }
  ContainerWriter file(const Json& record) const override { return training_of_->file(record); }

  const SequenceModel* start() const override { return init_.get(); }

  NaiveBayesRequest asked_;
  EmOptions em_;
  std::shared_ptr<const NaiveBayesModel> init_;
  std::optional<Training> training_of_;
};

}  // namespace

EmOptions em_options(const NaiveBayesRequest& request) {
  EmOptions em;
  em.max_iterations = request.em_iterations.value_or(em.max_iterations);
  em.tolerance = request.em_tolerance.value_or(em.tolerance);
  return em;
}

EmCallback naive_bayes_watch(const EmOptions& em, TrainObserver& observer) {
  return [&observer, most = em.max_iterations](const EmProgress& now) {
    return observer.iteration(em_step(now, most));
  };
}

TrainOutcome naive_bayes_outcome(const NaiveBayesFit& fit, const TrainObserver& observer) {
  TrainOutcome outcome = em_outcome(fit.em, observer.stopped());
  if (fit.em.iterations == 0) outcome.objective.reset();
  return outcome;
}

EventRule event_rule(const ExtractionConfig& extraction, std::string_view event) {
  if (const auto one = event_from_name(event)) return one_event(*one);
  if (extraction.format != InputFormat::csv) return one_event(AttributeEvent::multinomial);
  std::vector<std::string> numeric, categorical;
  for (const CsvColumn& column : extraction.csv.columns) {
    (column.kind == CsvKind::numeric ? numeric : categorical).push_back(column.name);
  }
  return table_events(std::move(numeric), std::move(categorical));
}

std::unique_ptr<SequenceTrainer> make_trainer(const NaiveBayesRequest& request) {
  return std::make_unique<NaiveBayesTrainer>(request);
}

}  // namespace croft
