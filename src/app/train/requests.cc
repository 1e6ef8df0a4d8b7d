#include "app/train/requests.h"

#include <cmath>
#include <filesystem>

#include "app/convert/texts/text_readers.h"
#include "app/label/chunks.h"
#include "app/label/model_tokenizer.h"
#include "app/label/row_reader.h"
#include "core/parse_number.h"
#include "croft/core/error.h"
#include "model/kinds/hmm_model.h"

namespace croft {
namespace {

// Spans become labels in a scheme, for kinds that read columns by the common reader.
void read_spans(const OptionValues& values, TrainRequest& request) {
  constexpr KindSet kKinds = kOfChains | kSegmentBit | kBoosted;
  if ((kKinds & kind_bit(values.text("model"))) == 0 || values.given("joint-template")) {
    throw UsageError(
        "--format spans goes with --model chain, segment, maxent, memm, hidden-chain, pool, "
        "error-correcting and the boosted ones; for others write columns: croft convert --to "
        "columns");
  }
  if (values.flag("partial")) {
    throw UsageError(
        "--partial reads sets of labels, and spans are known or not; write columns: croft convert "
        "--to columns");
  }
  const ChunkScheme scheme = chunk_scheme_from_name(std::string(values.text("label-scheme")));
  request.spans = scheme == ChunkScheme::automatic ? ChunkScheme::bio : scheme;
  if (scheme == ChunkScheme::raw || scheme == ChunkScheme::none) {
    throw UsageError("--label-scheme ", values.text("label-scheme"),
                     " cannot spell a span; take bio, bio1, ioe or bioes");
  }
}

void read_data(const OptionValues& values, TrainRequest& r) {
  values.read("DATA", r.data);
  values.read("output", r.output);
  const std::string_view format = values.text("format");
  const TextFormat* const foreign = find_text_format(format);
  if (foreign != nullptr && foreign->trains) {
    r.foreign = format;
    if (!foreign->labels_tokens) read_spans(values, r);
  } else if (format == kSpanFormat) {
    read_spans(values, r);
  } else if (!format.empty()) {
    r.format = *format_of(format);
    if (r.format == InputFormat::csv && values.given("text-column")) {
      r.foreign = format;
      r.format = InputFormat::text;
    }
  }
  values.read("tokenizer", r.tokenizer);
  if (!r.tokenizer.empty()) {
    r.segmenter = kept_segmenter(r.tokenizer);
    if (r.segmenter == nullptr) text_tokenizer(r.tokenizer);
    if (r.format != InputFormat::columns) {
      throw UsageError("--tokenizer is of tokens: --format is columns or spans");
    }
  }
  if (r.foreign == "segmented") {
    if (!r.tokenizer.empty()) {
      throw UsageError("--tokenizer: words with blanks between are cut into characters");
    }
    r.tokenizer = "characters";
    // Others than these bring templates of their own.
    if (!values.given("template") && !values.given("init") && !values.given("prior")) {
      r.template_text = kSegmenterTemplate;
      r.language = TemplateLanguage::wapiti;
    }
  } else if (!r.foreign.empty() && r.format == InputFormat::columns &&
             text_format(r.foreign).cuts && r.tokenizer.empty()) {
    r.tokenizer = kUsualTokenizer;
  }
  values.read("template", r.template_path);
  values.choose("template-language",
                {TemplateLanguage::automatic, TemplateLanguage::crfpp, TemplateLanguage::wapiti,
                 TemplateLanguage::wapiti_bytes},
                r.language);
  values.read("kit", r.kit);
  if (values.flag("no-intercept")) r.intercept = false;
  if (values.given("intercept")) {
    r.intercept = true;
    r.options.free_intercept = values.text("intercept") == "unpenalised";
  }
  values.read("boundaries", r.boundaries);
  if (values.flag("partial")) {
    r.partial = PartialLabels{values.text("partial-separator")[0], "?"};
  }
  values.read("weights", r.weights);
  values.read("class-weights", r.class_weights);
  read_format_options(values, r);
}

void read_settings(const OptionValues& values, MethodSettings& s) {
  values.read("history", s.history);
  values.read("sgd-passes", s.passes);
  values.read("step", s.step);
  values.choose("schedule",
                {StepSchedule::bottou, StepSchedule::inverse, StepSchedule::inverse_sqrt,
                 StepSchedule::constant},
                s.schedule);
  values.read("decay", s.decay);
  values.read("batch", s.batch);
  values.read("average-from", s.average_from);
  values.read("aggressiveness", s.aggressiveness);
  values.read("best", s.best);
  values.read("variance", s.variance);
  values.read("gamma", s.gamma);
  values.read("gap", s.gap);
}

void read_optimised(const OptionValues& values, OptimisedRequest& r) {
  values.read("l2", r.l2);
  values.read("prior", r.prior);
  values.read("variances", r.variances);
  values.read("max-iterations", r.max_iterations);
  values.read("tolerance", r.tolerance);
  values.read("window", r.window);
  values.read("gradient-tolerance", r.gradient_tolerance);
  values.read("init", r.init);
  values.read("checkpoint", r.checkpoint);
  values.read("resume", r.resume);
  values.read("checkpoint-interval", r.checkpoint_interval);
}

void read_pieces(const OptionValues& values, TrainOptions& o) {
  if (!values.given("pieces")) return;
  const std::string_view pieces = values.text("pieces");
  if (o.objective != Objective::piecewise) {
    throw UsageError("--pieces is of --objective piecewise; ", name_of(o.objective),
                     " has none: leave it out");
  }
  if (pieces != "factors" && pieces != "observations") {
    throw UsageError("--pieces ", in_quotes(pieces),
                     " is neither factors nor observations, which a chain has");
  }
  o.observed_pieces = pieces == "observations";
}

void read_methods(const OptionValues& values, TrainRequest& r) {
  TrainOptions& o = r.options;
  // A hidden Markov model has objectives of its own.
  if (values.text("model") != HmmModel::kKind) {
    o.objective = objective_named(values.text("objective"));
  }
  if (values.given("optimizer")) o.method = method_named(values.text("optimizer"));
  values.read("cost", r.cost);
  values.read("block", r.block);
  read_pieces(values, o);
  values.read("l1", o.regulariser.l1);
  values.read("target", o.stop.target);
  read_settings(values, o.settings);
  values.read("kernel", r.kernel);
  values.choose("precision", {Precision::automatic, Precision::single, Precision::twice},
                o.precision);
}

void read_rounds(const OptionValues& values, FeatureRounds& rounds) {
  InductionOptions i;
  values.read("induce-size", i.size);
  values.read("induce-batch", i.batch);
  values.read("induce-rounds", i.rounds);
  values.read("induce-iterations", i.iterations);
  values.read("induce-gain", i.min_gain);
  values.read("induce-count", i.min_count);
  values.choose("induce-from", {false, true}, i.from_nothing);
  values.read("induce-pairs", i.pairs);
  if (values.flag("induce")) rounds.induction = i;
  UnsupportedOptions unsupported;
  values.read("unsupported", unsupported.threshold);
  values.read("unsupported-after", unsupported.iterations);
  if (values.given("unsupported")) rounds.unsupported = unsupported;
  const std::string_view select = values.text("select");
  if (select.empty()) return;
  double value = 0;
  if (!select.starts_with("l1:") || parse_number(select.substr(3), value) != NumberKind::finite) {
    throw OptionError(values.row("select"),
                      {": ", in_quotes(select), " is not l1:NUMBER, such as l1:1"});
  }
  rounds.select_l1 = value;
}

void read_chain(const OptionValues& values, TrainRequest& r) {
  TrainOptions& o = r.options;
  if (values.text("model") == "maxent" || values.text("model") == "memm") {
    o.kind = chain_kind(values.text("model"));
  }
  values.choose("features",
                {std::optional<FeatureSet>(), std::optional<FeatureSet>(FeatureSet::observed),
                 std::optional<FeatureSet>(FeatureSet::all)},
                r.features);
  values.read("min-count", o.min_count);
  values.read("order", o.order);
  values.choose("histories", {HistorySet::seen, HistorySet::allowed}, o.histories);
  values.read("constrain", r.constrain);
  values.read("transition-groups", r.transition_groups);
  read_rounds(values, o.rounds);
}

//   expectations : the file, where there is one
void read_unlabelled(const OptionValues& values, UnlabelledOptions& u, std::string& expectations) {
  values.read("entropy", u.entropy);
  values.read("expectations", expectations);
  values.read("expectations-weight", u.expectations_weight);
  values.read("self-training", u.self_training);
  values.read("confidence", u.confidence);
  values.read("view", u.view);
  constexpr std::string_view kLabelled = "labelled", kCounted = "labelled:";
  double count = 100;
  if (expectations != kLabelled) {
    if (!expectations.starts_with(kCounted)) return;  // a file
    const std::string_view text = std::string_view(expectations).substr(kCounted.size());
    if (parse_number(text, count) != NumberKind::finite || !(count >= 1 && count <= 1e9) ||
        count != std::floor(count)) {
      throw OptionError(
          values.row("expectations"),
          {": ", in_quotes(text), " behind labelled: is not a whole number from 1 to ",
           "1000000000; a file of this name is ./", expectations});
    }
  }
  u.from_labelled = static_cast<std::size_t>(count);
  expectations.clear();
}

void read_run(const OptionValues& values, TrainRequest& r) {
  values.read("holdout", r.holdout);
  values.read("group-by", r.group_by);
  values.read("contiguous", r.contiguous);
  values.read("documents", r.documents.by);
  values.read("document-column", r.documents.column);
  values.read("document-parts", r.documents.parts);
  values.read("early-stop", r.options.early_stop);
  values.read("threads", r.options.threads);
  values.read("seed", r.seed);
}

}  // namespace

TrainRequest train_request(const OptionValues& values) {
  TrainRequest request;
  request.given = std::make_shared<const OptionValues>(values);
  read_data(values, request);
  read_chain(values, request);
  values.read("unlabelled", request.unlabelled);
  read_unlabelled(values, request.options.unlabelled, request.expectations);
  read_run(values, request);
  read_optimised(values, request);
  read_methods(values, request);
  return request;
}

GraphRequest graph_request(const OptionValues& values) {
  GraphRequest request;
  read_optimised(values, request);
  GraphTrainOptions& o = request.options;
  values.choose("features", {FeatureSet::all, FeatureSet::observed, FeatureSet::all}, o.features);
  values.read("min-count", o.min_count);
  o.objective = objective_named(values.text("objective"), Structure::graph);
  request.names_objective = values.given("objective");
  if (values.given("optimizer")) o.method = method_named(values.text("optimizer"));
  read_settings(values, o.settings);
  values.read("l1", o.regulariser.l1);
  values.read("target", o.stop.target);
  if (values.given("cost")) {
    double cost = 0;
    const std::string_view text = values.text("cost");
    if (parse_number(text, cost) != NumberKind::finite || cost < 0) {
      throw UsageError("--cost ", text, " of a graph is a number from 0 on");
    }
    o.inference.cost = cost;
  }
  values.read("holdout", request.holdout);
  values.read("early-stop", o.early_stop);
  values.read("weights", request.weights);
  values.read("class-weights", request.class_weights);
  read_unlabelled(values, o.unlabelled, request.expectations);
  values.read("memory", o.inference.memory);
  values.read("inference-iterations", o.inference.max_iterations);
  values.read("damping", o.inference.damping);
  values.read("search", o.inference.search);
  values.read("pieces", o.inference.pieces);
  if (values.flag("pairs")) o.inference.pairs = true;
  values.read("starts", o.starts);
  values.read("start-deviation", o.start_deviation);
  values.read("seed", o.seed);
  values.read("threads", o.threads);
  if (values.given("em-iterations")) {
    if (values.given("max-iterations")) {
      throw UsageError("--em-iterations and --max-iterations are both of EM: leave out one");
    }
    o.em.emplace();
    values.read("em-iterations", request.max_iterations);
    if (request.max_iterations == 0) throw UsageError("--em-iterations of a graph is 1 or more");
  }
  return request;
}

void check_log(const OptionValues& values) {
  const std::string log(values.text("log"));
  if (log.empty()) return;
  if (log == "-") {
    throw UsageError("--log -: a log cannot be standard output; give a name (./- is one)");
  }
  for (const std::span<const OptionRow> table : values.tables()) {
    for (const OptionRow& row : table) {
      if (row.name == "log") continue;
      for (const std::string& value : values.list(row.name)) {
        const std::string file = value.substr(value.find('=') + 1);  // of NAME=FILE
        std::error_code none;
        if ((row.type == OptionType::file && log == file) ||
            std::filesystem::equivalent(log, file, none)) {
          throw UsageError("--log ", log, " would overwrite ", file, "; give another name");
        }
      }
    }
  }
}

}  // namespace croft
