// The requests of kinds that have options of their own.
#include <algorithm>
#include <set>

#include "app/label/chunks.h"
#include "app/train/requests.h"
#include "core/parse_number.h"
#include "croft/core/error.h"

namespace croft {
namespace {

// What only EM looks at, of the kinds that count where all is known.
constexpr std::string_view kOfEm[] = {"em-iterations", "starts", "tolerance", "early-stop",
                                      "checkpoint"};

void read_segments(const OptionValues& values, SegmentRequest& r) {
  values.read("segment-template", r.segment_template);
  values.read("gazetteer", r.gazetteers);
  values.read("max-length", r.longest);
  values.read("text-attribute", r.text_attribute);
  r.scheme = chunk_scheme_from_name(std::string(values.text("label-scheme")));
}

std::size_t count_of_states(const std::string& item, const std::string& text) {
  double value = 0;
  if (parse_number(text, value) == NumberKind::finite && value >= 1 && value <= 4096 &&
      value == static_cast<double>(static_cast<std::size_t>(value))) {
    return static_cast<std::size_t>(value);
  }
  throw UsageError("--hidden-states ", item, ": ", in_quotes(text),
                   " is not a whole number from 1 to 4096; write K, or LABEL=K");
}

void read_hidden_states(const std::vector<std::string>& items, HiddenChainOptions& options) {
  std::set<std::string> named;  // labels, and "" of all others
  for (const std::string& item : items) {
    const std::size_t at = item.rfind('=');
    const std::string label = at == item.npos ? "" : item.substr(0, at);
    if (!named.insert(label).second) {
      throw UsageError("--hidden-states ", item, ": the states of ",
                       at == item.npos ? Message("labels") : in_quotes(label),
                       " are given twice; leave out one");
    }
    if (at == item.npos) {
      options.states = count_of_states(item, item);
    } else {
      options.states_of.emplace_back(label, count_of_states(item, item.substr(at + 1)));
    }
  }
}

// Experts that are all there already leave little to say.
void check_untrained(const OptionValues& values) {
  const auto refuse = [&](std::initializer_list<std::string_view> names, const Message& why) {
    for (const std::string_view name : names) {
      if (!values.given(name)) continue;
      throw UsageError(Message::option(name), " has no meaning where ", why, "; leave it out");
    }
  };
  refuse({"objective",      "optimizer", "l1",           "l2",        "features",
          "min-count",      "history",   "sgd-passes",   "step",      "schedule",
          "decay",          "batch",     "average-from", "precision", "gap",
          "aggressiveness", "best",      "variance",     "gamma",     "kernel",
          "block",          "cost"},
         "nothing is trained: every expert is a model that --expert names");
  const std::string weights(values.text("pool-weights"));
  if (weights != "uniform" && weights != "unit") return;
  refuse({"max-iterations", "tolerance", "window", "gradient-tolerance", "target", "checkpoint",
          "resume", "checkpoint-interval"},
         {"nothing is trained, and the weights are fixed by --pool-weights ", weights});
}

}  // namespace

SegmentRequest segment_request(const OptionValues& values) {
  SegmentRequest request;
  request.train = train_request(values);
  read_segments(values, request);
  return request;
}

HiddenChainRequest hidden_chain_request(const OptionValues& values) {
  HiddenChainRequest request;
  request.train = train_request(values);
  HiddenChainOptions& o = request.hidden;
  read_hidden_states(values.list("hidden-states"), o);
  values.read("start-deviation", o.start_deviation);
  values.read("starts", o.starts);
  const bool one =
      o.states == 1 && std::ranges::all_of(o.states_of, [](auto& own) { return own.second == 1; });
  const bool deviates = values.given("start-deviation");
  if (one && (deviates || o.starts > 1)) {
    throw UsageError(deviates ? Message("--start-deviation") : "--starts",
                     " is of the random weights that hidden states need, and here each label has "
                     "one state: leave it out");
  }
  values.read("em-iterations", o.em_iterations);
  if (!o.em_iterations) return request;
  if (values.given("max-iterations")) {
    throw UsageError("--em-iterations and --max-iterations are both of EM: leave out one");
  }
  request.train.max_iterations = o.em_iterations;
  return request;
}

PoolRequest pool_request(const OptionValues& values) {
  PoolRequest request;
  values.read("experts", request.pool.experts);
  values.read("expert", request.experts);
  if (request.pool.experts.empty() && !request.experts.empty()) check_untrained(values);
  request.train = train_request(values);
  request.pool.weights.weights = pool_weights_named(values.text("pool-weights"));
  values.read("dirichlet", request.pool.weights.alpha);
  values.read("label-classes", request.classes_path);
  return request;
}

MixtureRequest mixture_request(const OptionValues& values) {
  MixtureRequest request;
  request.train = train_request(values);
  values.read("expert", request.experts);
  values.read("em-iterations", request.options.em_iterations);
  values.read("tolerance", request.options.tolerance);
  return request;
}

CodeRequest code_request(const OptionValues& values) {
  CodeRequest request;
  request.train = train_request(values);
  request.code.decoder = code_decoder_named(values.text("decoder"));
  const std::string code(values.text("code"));
  const std::string kind = code.substr(0, code.find(':'));
  const bool named =
      kind == "one-vs-rest" || kind == "all-pairs" || kind == "random" || kind == "minimum-loss";
  (named ? request.code.code : request.code_path) = code;
  return request;
}

JointRequest joint_request(const OptionValues& values) {
  JointRequest request;
  request.train = train_request(values);
  if (request.train.format != InputFormat::columns) {
    throw UsageError("--joint-template goes with --format columns, whose cells it names");
  }
  values.read("joint-template", request.template_path);
  values.read("label-classes", request.classes_path);
  return request;
}

BoostedRequest boosted_request(const OptionValues& values) {
  BoostedRequest request;
  request.train = train_request(values);
  request.kind = values.text("model");
  BoostingOptions& o = request.options;
  values.read("rounds", o.rounds);
  values.read("shrinkage", o.shrinkage);
  values.read("depth", o.tree.depth);
  values.read("leaves", o.tree.leaves);
  values.read("min-child-weight", o.tree.min_child_weight);
  values.read("min-child-count", o.tree.min_child_count);
  values.read("min-gain", o.tree.min_gain);
  values.read("row-share", o.row_share);
  values.read("feature-share", o.tree.feature_share);
  values.read("trim", o.trim);
  values.read("bins", o.bins);
  values.choose("trees", {TreeSharing::label, TreeSharing::shared}, o.trees);
  values.read("pair-trees", o.pair_trees);
  values.read("l2", o.tree.l2);
  values.read("tolerance", o.tolerance);
  values.read("early-stop", o.early_stop);
  values.read("threads", o.threads);
  request.train.l2 = request.train.tolerance = std::nullopt;
  read_segments(values, request.segments);
  o.validate();
  return request;
}

NaiveBayesRequest naive_bayes_request(const OptionValues& values) {
  NaiveBayesRequest request;
  request.source = train_request(values);
  if (values.given("event")) request.event = values.text("event");
  values.read("alpha", request.alpha);
  values.read("prior-probabilities", request.prior);
  values.read("binarize", request.binarize);
  values.read("variance-floor", request.variance_floor);
  if (values.flag("complement-norm")) request.norm = true;
  values.read("em-iterations", request.em_iterations);
  values.read("tolerance", request.em_tolerance);
  return request;
}

namespace {

void read_criterion(const OptionValues& values, const TrainRequest& train, HmmCriterionOptions& o) {
  o.objective = hmm_objective_named(values.text("objective"));
  values.read("generative-weight", o.generative_weight);
  values.read("coupling", o.coupling);
  const auto refuse = [&](std::string_view name, bool wrong, const Message& why) {
    if (wrong && values.given(name)) {
      throw UsageError(Message::option(name), " ", why, "; leave it out");
    }
  };
  refuse("generative-weight", o.objective != HmmObjective::multi_conditional,
         "is of --objective multi-conditional");
  refuse("coupling", o.objective != HmmObjective::hybrid, "is of --objective hybrid");
  if (o.objective == HmmObjective::likelihood) return;
  const Message only(": that is for --objective likelihood");
  refuse("states", true, {"finds labels where none are known", only});
  refuse("starts", true, {"is of random starts, for labels that are not known at all", only});
  if (o.objective == HmmObjective::conditional && !train.unlabelled.empty()) {
    throw UsageError(
        "data without labels says nothing of p(y|x): --unlabelled goes with "
        "--objective likelihood, multi-conditional or hybrid");
  }
}

}  // namespace

HmmRequest hmm_request(const OptionValues& values) {
  HmmRequest request;
  request.train = train_request(values);
  HmmOptions& o = request.options;
  read_criterion(values, request.train, o.criterion);
  values.read("states", o.states);
  if (o.criterion.objective == HmmObjective::likelihood && !request.train.partial &&
      request.train.unlabelled.empty() && o.states == 0) {
    for (const std::string_view name : kOfEm) {
      if (!values.given(name)) continue;
      throw UsageError(Message::option(name),
                       " is for labels that are not known, and the data has them all: add "
                       "--partial, --unlabelled or --states, or leave it out");
    }
  }
  values.read("smoothing", o.smoothing.emission);
  o.smoothing.transition = o.smoothing.emission;
  values.read("transition-smoothing", o.smoothing.transition);
  o.smoothing.end = request.train.boundaries;
  values.read("suffix", o.unknown.suffix);
  o.unknown.rare = o.unknown.suffix > 0 ? 10 : 1;
  values.read("rare", o.unknown.rare);
  values.read("em-iterations", o.em_iterations);
  values.read("starts", o.starts);
  values.read("tolerance", o.tolerance);
  o.seed = request.train.seed;
  o.threads = request.train.options.threads;
  return request;
}

namespace {

void refuse_beside(const OptionValues& values, std::string_view name, bool goes,
                   const Message& with) {
  if (goes || !values.given(name)) return;
  throw UsageError(Message::option(name), " goes with ", with, "; leave it out");
}

// What a method of learning structures does not look at is refused.
void check_learning(const OptionValues& values, const ShapeOptions& shape) {
  const bool climbs = shape.method == ShapeMethod::hill_climbing;
  const bool tests = shape.method == ShapeMethod::pc;
  const Message climbing("--learn-structure hill-climbing");
  refuse_beside(values, "tabu", climbs, climbing);
  refuse_beside(values, "init", climbs, climbing);
  refuse_beside(values, "significance", tests, "--learn-structure pc");
  refuse_beside(values, "network-score", !tests, "--learn-structure hill-climbing or exact");
  refuse_beside(values, "equivalent-sample-size", !tests && shape.score.score == ShapeScore::bdeu,
                "--network-score bdeu");
}

void read_learning(const OptionValues& values, LearnNetRequest& request) {
  ShapeOptions shape;
  using enum ShapeMethod;
  values.choose("learn-structure", {hill_climbing, exact, pc}, shape.method);
  values.choose("network-score", {ShapeScore::bic, ShapeScore::bdeu}, shape.score.score);
  values.read("equivalent-sample-size", shape.score.sample_size);
  values.read("max-parents", shape.max_parents);
  values.read("tabu", shape.tabu);
  values.read("significance", shape.significance);
  values.read("bootstrap", request.bootstrap);
  values.read("edges", request.edges);
  values.read("starts", shape.starts);
  values.read("seed", shape.seed);
  values.read("threads", shape.threads);
  if (!values.given("learn-structure")) return;
  check_learning(values, shape);
  shape.validate();
  request.shape = shape;
}

}  // namespace

BayesNetRequest bayes_net_request(const OptionValues& values) {
  if (values.given("format") && values.text("format") != "csv") {
    throw UsageError("--model bayes-net reads tables with a header: --format csv, or none");
  }
  BayesNetRequest request;
  values.read("DATA", request.data);
  values.read("structure", request.structure);
  values.read("output", request.output);
  values.read("init", request.init);
  values.read("holdout", request.holdout);
  OptimisedRequest kept;
  values.read("checkpoint", kept.checkpoint);
  values.read("resume", kept.resume);
  values.read("checkpoint-interval", kept.checkpoint_interval);
  kept.check_checkpoint();
  request.checkpoint = checkpoint_of(kept);
  values.read("early-stop", request.options.early_stop);
  TrainRequest shared;
  shared.format = InputFormat::csv;
  read_format_options(values, shared);
  if (shared.csv) {
    request.rows.delimiter = shared.csv->delimiter;
    request.rows.missing = shared.csv->missing;
  }
  BayesNetOptions& o = request.options;
  values.read("smoothing", o.smoothing);
  values.read("em-iterations", o.em_iterations);
  values.read("starts", o.starts);
  values.read("tolerance", o.tolerance);
  values.read("seed", o.seed);
  values.read("threads", o.threads);
  read_learning(values, request.learn);
  for (const std::string_view name : kOfEm) {
    const bool of_climbing = name == "starts" && request.learn.shape &&
                             request.learn.shape->method == ShapeMethod::hill_climbing;
    if (values.given(name) && !of_climbing) request.of_em.push_back(std::string(name));
  }
  return request;
}

}  // namespace croft
