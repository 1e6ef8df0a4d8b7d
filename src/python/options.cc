#include "python/options.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>

#include "app/label/tag_files.h"
#include "croft/app/chunks.h"
#include "optimize/stochastic/passive_aggressive.h"
#include "python/sequences.h"

namespace croft::python {
namespace {

namespace py = pybind11;

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Takes values out of the dict, and knows which keys it was asked for.
class Options {
 public:
  explicit Options(const py::dict& dict) : dict_(dict) {}

  // The value of `key`, where there is one.
  template <class T>
  bool get(const char* key, T& out) {
    known_.insert(key);
    if (!dict_.contains(key) || dict_[key].is_none()) return false;
    const py::object value = dict_[key];
    try {
      if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) {
        const auto number = py::int_(value).cast<long long>();
        if (number < 0 || !value.equal(py::int_(number))) throw py::cast_error();
        out = static_cast<T>(number);
      } else {
        out = value.cast<T>();
      }
    } catch (const std::exception&) {
      PyErr_Clear();
      throw py::type_error(std::string(key) + " is " + py::repr(value).cast<std::string>() +
                           expected<T>());
    }
    if constexpr (std::is_same_v<T, std::string>) {
      if (out.empty()) throw py::value_error(std::string(key) + " is empty; give None for none");
    }
    return true;
  }
  template <class T>
  struct Choice {
    const char* name;
    T value;
  };
  template <class T, class Out>
  void choose(const char* key, std::initializer_list<Choice<T>> choices, Out& out) {
    std::string name;
    if (!get(key, name)) return;
    std::string all;
    for (const Choice<T>& choice : choices) {
      if (name == choice.name) {
        out = choice.value;
        return;
      }
      all += std::string(all.empty() ? "" : ", ") + choice.name;
    }
    throw py::value_error(std::string(key) + " is \"" + name + "\"; choose one of: " + all);
  }
  bool has(const char* key) {
    known_.insert(key);
    return dict_.contains(key) && !dict_[key].is_none();
  }
  void check_all_known() const {
    for (const auto& [key, value] : dict_) {
      const std::string name = py::str(key);
      if (!known_.contains(name)) throw py::type_error("there is no option " + name);
    }
  }

 private:
  template <class T>
  static const char* expected() {
    if (std::is_same_v<T, std::string>) return ", and a str was expected";
    if (std::is_same_v<T, bool>) return ", and True or False was expected";
    if (std::is_unsigned_v<T>) return ", and a whole number, 0 or more, was expected";
    if (std::is_floating_point_v<T>) return ", and a number was expected";
    return ", which is of the wrong type";
  }
  const py::dict& dict_;
  std::set<std::string> known_;
};

// The value of a key that is left open where it is absent.
template <class T>
void get_optional(Options& options, const char* key, std::optional<T>& out) {
  T value{};
  if (options.get(key, value)) out = value;
}

// The same of a finite number, 0 or more.
bool get_number(Options& options, const char* key, double& out) {
  double value = 0;
  if (!options.get(key, value)) return false;
  if (!(std::isfinite(value) && value >= 0)) {
    throw py::value_error(
        fmt::format("{} is {}; it must be a finite number, 0 or more", key, value));
  }
  out = value;
  return true;
}
void get_number(Options& options, const char* key, std::optional<double>& out) {
  double value = 0;
  if (get_number(options, key, value)) out = value;
}
// Of a whole number.
void get_count(Options& options, const char* key, std::size_t least, std::size_t most,
               std::optional<std::size_t>& out) {
  get_optional(options, key, out);
  if (!out || (*out >= least && *out <= most)) return;
  throw py::value_error(most == kNoLimit
                            ? fmt::format("{} is {}; it must be {} or more", key, *out, least)
                            : fmt::format("{} is {}; it must be {} to {}", key, *out, least, most));
}

void read_steps(Options& options, MethodSettings& s) {
  get_count(options, "history", 1, LbfgsOptions::kMaxHistory, s.history);
  get_number(options, "step", s.step);
  options.choose<StepSchedule>("schedule",
                               {{"bottou", StepSchedule::bottou},
                                {"inverse", StepSchedule::inverse},
                                {"inverse_sqrt", StepSchedule::inverse_sqrt},
                                {"constant", StepSchedule::constant}},
                               s.schedule);
  get_number(options, "decay", s.decay);
  get_count(options, "batch", 1, kNoLimit, s.batch);
  get_count(options, "average_from", 1, kNoLimit, s.average_from);
}

void read_settings(Options& options, TrainRequest& request) {
  MethodSettings& s = request.options.settings;
  read_steps(options, s);
  get_count(options, "sgd_passes", 0, kNoLimit, s.passes);
  get_number(options, "aggressiveness", s.aggressiveness);
  get_count(options, "best", 1, MiraOptions::kMaxBest, s.best);
  get_number(options, "variance", s.variance);
  get_number(options, "gamma", s.gamma);
  get_number(options, "gap", s.gap);
  options.get("kernel", request.kernel);
}

void read_optimizer(Options& options, TrainRequest& request) {
  TrainOptions& out = request.options;
  std::string name;
  if (options.get("objective", name)) out.objective = objective_named(name);
  if (options.get("optimizer", name)) out.method = method_named(name);
  get_count(options, "block", 1, kNoLimit, request.block);
  options.get("l1", out.regulariser.l1);
  get_optional(options, "l2", request.l2);
  get_optional(options, "max_iterations", request.max_iterations);
  get_optional(options, "tolerance", request.tolerance);
  get_count(options, "window", 1, kNoLimit, request.window);
  get_optional(options, "gradient_tolerance", request.gradient_tolerance);
  options.get("target", out.stop.target);
  read_settings(options, request);
  options.get("variances", request.variances);
  options.choose<Precision>(
      "precision",
      {{"auto", Precision::automatic}, {"single", Precision::single}, {"double", Precision::twice}},
      out.precision);
}

// A template's file, or its text: a path has no line feed and no macro.
void read_template(Options& options, TrainRequest& out) {
  std::string text;
  if (options.get("template", text)) {
    const bool is_text = text.find('\n') != text.npos || text.find("%x[") != text.npos;
    (is_text ? out.template_text : out.template_path) = text;
  }
  options.choose<TemplateLanguage>("template_language",
                                   {{"auto", TemplateLanguage::automatic},
                                    {"crfpp", TemplateLanguage::crfpp},
                                    {"wapiti", TemplateLanguage::wapiti}},
                                   out.language);
  options.get("kit", out.kit);
  options.get("boundaries", out.boundaries);
}

// Throws ValueError where one of the `others` is given, and `goes_with` is not.
void check_goes_with(Options& options, bool given, const char* goes_with,
                     std::initializer_list<const char*> others) {
  for (const char* each : others) {
    if (options.has(each) && !given) {
      throw py::value_error(fmt::format("{} goes with {}; give it, too", each, goes_with));
    }
  }
}

// Features that change as training goes on.
void read_rounds(Options& options, FeatureRounds& out) {
  InductionOptions induction;
  bool induce = false;
  options.get("induce", induce);
  check_goes_with(options, induce, "induce=True",
                  {"induce_size", "induce_batch", "induce_rounds", "induce_iterations",
                   "induce_gain", "induce_count", "induce_from", "induce_pairs"});
  options.get("induce_size", induction.size);
  options.get("induce_batch", induction.batch);
  options.get("induce_rounds", induction.rounds);
  options.get("induce_iterations", induction.iterations);
  get_number(options, "induce_gain", induction.min_gain);
  options.get("induce_count", induction.min_count);
  options.choose<bool>("induce_from", {{"attributes", false}, {"nothing", true}},
                       induction.from_nothing);
  options.get("induce_pairs", induction.pairs);
  if (induce) out.induction = induction;
  UnsupportedOptions unsupported;
  const bool adds = options.get("unsupported", unsupported.threshold);
  check_goes_with(options, adds, "unsupported", {"unsupported_after"});
  options.get("unsupported_after", unsupported.iterations);
  if (adds) out.unsupported = unsupported;
  get_optional(options, "select_l1", out.select_l1);
}

void read_intercept(Options& options, TrainRequest& out) {
  std::optional<int> choice;
  options.choose<int>("intercept", {{"none", 0}, {"penalised", 1}, {"unpenalised", 2}}, choice);
  if (!choice) return;
  out.intercept = *choice > 0;
  out.options.free_intercept = *choice == 2;
}

}  // namespace

TrainRequest train_request(const py::dict& dict) {
  Options options(dict);
  TrainRequest out;
  options.choose<InputFormat>(
      "format", {{"columns", InputFormat::columns}, {"attributes", InputFormat::attributes}},
      out.format);
  read_template(options, out);
  options.choose<FeatureSet>(
      "features", {{"observed", FeatureSet::observed}, {"all", FeatureSet::all}}, out.features);
  options.get("min_count", out.options.min_count);
  options.get("order", out.options.order);
  options.choose<HistorySet>("histories",
                             {{"seen", HistorySet::seen}, {"allowed", HistorySet::allowed}},
                             out.options.histories);
  options.get("constrain", out.constrain);
  options.get("transition_groups", out.transition_groups);
  options.get("cost", out.cost);
  read_optimizer(options, out);
  options.choose<ChainKind>(
      "model",
      {{"chain", ChainKind::chain}, {"maxent", ChainKind::maxent}, {"memm", ChainKind::memm}},
      out.options.kind);
  read_intercept(options, out);
  read_rounds(options, out.options.rounds);
  options.get("holdout", out.holdout);
  options.get("early_stop", out.options.early_stop);
  options.get("checkpoint", out.checkpoint);
  options.get("resume", out.resume);
  get_number(options, "checkpoint_interval", out.checkpoint_interval);
  options.get("seed", out.seed);
  options.get("threads", out.options.threads);
  options.check_all_known();
  out.partial = kPartial;
  return out;
}

BoostingOptions boosting_options(const py::dict& dict) {
  Options options(dict);
  BoostingOptions out;
  options.get("rounds", out.rounds);
  get_number(options, "shrinkage", out.shrinkage);
  options.get("depth", out.tree.depth);
  options.get("leaves", out.tree.leaves);
  get_number(options, "l2", out.tree.l2);
  get_number(options, "min_child_weight", out.tree.min_child_weight);
  options.get("min_child_count", out.tree.min_child_count);
  get_number(options, "min_gain", out.tree.min_gain);
  get_number(options, "row_share", out.row_share);
  get_number(options, "feature_share", out.tree.feature_share);
  get_number(options, "trim", out.trim);
  options.get("bins", out.bins);
  options.choose<TreeSharing>(
      "trees", {{"label", TreeSharing::label}, {"shared", TreeSharing::shared}}, out.trees);
  options.get("pair_trees", out.pair_trees);
  get_number(options, "tolerance", out.tolerance);
  options.check_all_known();
  return out;
}

HiddenChainRequest hidden_chain_request(const py::dict& dict) {
  Options options(dict);
  HiddenChainRequest out;
  HiddenChainOptions& o = out.hidden;
  options.get("states", o.states);
  std::map<std::string, std::size_t> states_of;
  options.get("states_of", states_of);
  o.states_of.assign(states_of.begin(), states_of.end());
  get_number(options, "start_deviation", o.start_deviation);
  options.get("starts", o.starts);
  get_count(options, "em_iterations", 1, kNoLimit, o.em_iterations);
  options.check_all_known();
  return out;
}

PoolRequest pool_request(const py::dict& dict) {
  Options options(dict);
  PoolRequest out;
  options.get("experts", out.pool.experts);
  std::string weights;
  if (options.get("pool_weights", weights)) {
    out.pool.weights.weights = pool_weights_named(weights);
  }
  get_number(options, "dirichlet", out.pool.weights.alpha);
  std::map<std::string, std::string> classes;
  options.get("label_classes", classes);
  out.pool.classes.insert(classes.begin(), classes.end());
  options.check_all_known();
  return out;
}

CodeRequest code_request(const py::dict& dict) {
  Options options(dict);
  CodeRequest out;
  options.get("code", out.code.code);
  std::map<std::string, std::string> words;
  if (options.get("words", words)) {
    for (const auto& [label, word] : words) {
      if (word.empty() || word.size() != words.begin()->second.size() ||
          word.find_first_not_of("01-") != word.npos) {
        throw py::value_error("code: the word of \"" + label + "\" is \"" + word +
                              "\"; words are of 0, 1 and -, all of one length");
      }
      out.code.words.emplace_back(label, word);
    }
  }
  std::string decoder;
  if (options.get("decoder", decoder)) out.code.decoder = code_decoder_named(decoder);
  options.check_all_known();
  return out;
}

SegmentRequest segment_request(const py::dict& dict) {
  Options options(dict);
  SegmentRequest out;
  std::string text;
  if (options.get("segment_template", text)) {
    const bool is_text = text.find('\n') != text.npos || text.find('%') != text.npos;
    if (is_text) {
      out.segment_template_text = text;
    } else {
      out.segment_template = text;
    }
  }
  std::map<std::string, std::vector<std::string>> lists;
  options.get("gazetteers", lists);
  for (auto& [name, entries] : lists) out.lists.push_back({name, std::move(entries)});
  options.get("max_length", out.longest);
  options.get("text_attribute", out.text_attribute);
  std::string scheme;
  if (options.get("label_scheme", scheme)) out.scheme = chunk_scheme_from_name(scheme);
  options.check_all_known();
  return out;
}

GraphTrainOptions graph_train_options(const py::dict& dict) {
  Options options(dict);
  GraphTrainOptions out;
  options.choose<FeatureSet>(
      "features", {{"observed", FeatureSet::observed}, {"all", FeatureSet::all}}, out.features);
  options.get("min_count", out.min_count);
  std::string name;
  if (options.get("objective", name)) out.objective = objective_named(name, Structure::graph);
  if (options.get("optimizer", name)) out.method = method_named(name);
  GraphInferenceSettings& inference = out.inference;
  get_number(options, "memory", inference.memory);
  get_count(options, "inference_iterations", 1, kNoLimit, inference.max_iterations);
  get_number(options, "damping", inference.damping);
  get_number(options, "cost", inference.cost);
  get_optional(options, "search", inference.search);
  read_steps(options, out.settings);
  options.get("l1", out.regulariser.l1);
  // A perceptron minimises no penalty.
  const bool penalised = info(out.chosen_method()).l2;
  out.regulariser.l2 = penalised ? 1 : 0;
  options.get("l2", out.regulariser.l2);
  out.stop.tolerance = default_tolerance(out.regulariser);
  const bool limited = options.get("max_iterations", out.stop.max_iterations);
  std::optional<std::size_t> em;
  get_count(options, "em_iterations", 1, kNoLimit, em);
  if (em) {
    if (limited) throw UsageError("em_iterations and max_iterations are both of EM: leave out one");
    out.em.emplace();
    out.stop.max_iterations = *em;
  }
  options.get("tolerance", out.stop.tolerance);
  get_number(options, "start_deviation", out.start_deviation);
  options.get("starts", out.starts);
  options.get("seed", out.seed);
  options.get("threads", out.threads);
  options.check_all_known();
  return out;
}

SearchSettings search_settings_of(const py::dict& dict) {
  Options options(dict);
  SearchSettings out;
  options.choose<SearchMetric>("metric",
                               {{"accuracy", SearchMetric::accuracy},
                                {"chunk-f1", SearchMetric::chunk_f1},
                                {"log-loss", SearchMetric::log_loss},
                                {"score", SearchMetric::score}},
                               out.metric);
  options.choose<SearchResource>(
      "resource", {{"data", SearchResource::data}, {"iterations", SearchResource::iterations}},
      out.resource);
  options.get("folds", out.folds);
  options.get("eta", out.eta);
  get_optional(options, "candidates", out.candidates);
  get_number(options, "budget", out.budget);
  get_number(options, "smallest", out.smallest);
  options.get("iterations", out.iterations);
  options.get("seed", out.seed);
  options.get("state", out.state);
  options.get("resume", out.resume);
  options.check_all_known();
  return out;
}

TagRequest tag_request(const py::dict& dict, const SequenceModel& model) {
  Options options(dict);
  TagRequest out;
  std::string constrain, penalties;
  options.get("constrain", constrain);
  options.get("penalties", penalties);
  read_limits(model, constrain, penalties, out);
  options.get("rules", out.rules);
  options.get("limit", out.limit);
  options.choose<Decode>("decode",
                         {{"viterbi", Decode::viterbi},
                          {"marginal", Decode::marginal},
                          {"risk", Decode::risk},
                          {"labelling", Decode::labelling}},
                         out.decode);
  options.choose<ChunkScheme>("scheme",
                              {{"auto", ChunkScheme::automatic},
                               {"bio", ChunkScheme::bio},
                               {"bio1", ChunkScheme::bio1},
                               {"ioe", ChunkScheme::ioe},
                               {"bioes", ChunkScheme::bioes},
                               {"raw", ChunkScheme::raw}},
                              out.scheme);
  bool partial = false;
  options.get("partial", partial);
  if (partial) out.partial = kPartial;
  options.check_all_known();
  return out;
}

}  // namespace croft::python
