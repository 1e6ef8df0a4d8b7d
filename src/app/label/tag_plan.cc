#include "app/label/tag_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/label/chunks.h"
#include "croft/core/error.h"
#include "croft/inference/chain_risk.h"
#include "inference/chain/label_search.h"
#include "model/kinds/hidden_chain_model.h"
#include "model/kinds/model_file.h"
#include "model/score_numbers.h"

namespace croft {
namespace {

std::vector<std::string> names_of(const SequenceModel& model) {
  std::vector<std::string> names;
  for (Label y = 0; y < model.labels(); ++y) names.push_back(model.label(y));
  return names;
}

// Of a row that can be tested.
std::size_t observed_columns(const ExtractionConfig& config) {
  return config.format == InputFormat::columns ? config.columns : 0;
}

ChunkScheme resolved(ChunkScheme scheme, const LabelNames& names) {
  if (scheme != ChunkScheme::automatic) return scheme;
  const std::vector<std::string_view> views(names.all().begin(), names.all().end());
  return detect_scheme(views);
}

// 0, and -inf where the model's constraint forbids; dense.
template <class Real>
TransitionScores<Real> limits_of_transitions(const SequenceModel& model) {
  const TransitionScores<Real> free(model.labels());
  return model.constraint() ? masked(free, *model.constraint()) : free;
}

const HiddenStates* states_of(const SequenceModel& model) {
  const auto* hidden = as<HiddenChainModel>(model);
  return hidden != nullptr ? &hidden->states() : nullptr;
}

std::string voter(const SequenceModel& model) {
  return model.container().name() + " is a voted perceptron, which takes labels by vote";
}

}  // namespace

template <>
const TagPlan::Tied<float>& TagPlan::tied() const {
  return float_;
}
template <>
const TagPlan::Tied<double>& TagPlan::tied() const {
  return double_;
}

template <class Real>
const TransitionScores<Real>& TagPlan::transitions() const {
  return tied<Real>().masked ? *tied<Real>().masked : model_.transitions<Real>();
}

template <class Real>
const TransitionScores<Real>& TagPlan::unruled() const {
  const auto& [masked, histories, segments, product] = tied<Real>();
  return histories  ? histories->transitions()
         : segments ? segments->transitions()
                    : transitions<Real>();
}

// Overlays go into the states of histories.
bool TagPlan::unruled_overlays() const { return model_.has_overlays() && histories_ == nullptr; }

template <class Real>
void TagPlan::lift_transitions(Tied<Real>& tied) {
  if (segments_ != nullptr) {
    tied.segments = std::make_unique<const SegmentLift<Real>>(*segments_, transitions<Real>(),
                                                              scale_of_scores());
  }
  if (histories_ == nullptr) return;
  std::vector<double> grams(chain_->gram_weights().begin(), chain_->gram_weights().end());
  if (voted_ != nullptr) std::ranges::fill(grams, 0.0);
  for (double& weight : grams) weight *= scale_of_scores();
  tied.histories = std::make_unique<HistoryScores<Real>>(*histories_);
  tied.histories->assign(transitions<Real>(), grams);
  if (are_scores(tied.histories->transitions(), least_score<Real>(true))) return;
  model_.container().fail_section("grams.weights", "with them scores are no finite numbers");
}

// What the states of the chain to be walked stand for.
void TagPlan::set_states() {
  if (double_.product) label_of_ = double_.product->label_of();
  if (hides_states() || double_.segments) {
    const std::vector<Label>& hidden =
        hides_states() ? states_->label_of : double_.segments->label_of();
    if (!double_.product) label_of_ = hidden;
    for (Label& state : label_of_) state = double_.product ? hidden[state] : state;
    return;
  }
  if (histories_ == nullptr) return;
  const LabelHistories& histories = *histories_;
  std::vector<Label> history_of = label_of_;
  if (!double_.product) {
    history_of.resize(histories.size());
    std::iota(history_of.begin(), history_of.end(), Label{0});
  }
  label_of_.clear();
  for (const Label h : history_of) {
    label_of_.push_back(histories.label_of[h]);
    previous_of_.push_back(histories.previous_of[h]);
  }
}

TagPlan::TagPlan(const SequenceModel& model, const TagRequest& request)
    : model_(model),
      chain_(as<ChainModel>(model)),
      voted_(chain_ != nullptr && chain_->vote() != nullptr ? chain_ : nullptr),
      histories_(chain_ != nullptr ? chain_->histories() : nullptr),
      segments_(as<SegmentModel>(model)),
      states_(states_of(model)),
      calibrator_(request.calibrated && model.calibrator() ? &*model.calibrator() : nullptr),
      names_(names_of(model)),
      decode_(request.decode.value_or(Decode::viterbi)),
      scheme_(resolved(request.scheme, names_)),
      limit_(request.limit),
      constraint_(request.constraint) {
  const ExtractionConfig& extraction = model.extractor().config();
  if (request.penalties) {
    penalties_.emplace(*request.penalties, names_, observed_columns(extraction));
  }
  if (request.partial) partial_.emplace(*request.partial, names_);
  rules_ = parse_rules(request.rules, names_, scheme_, extraction);
  has_rules_ = !rules_.automata.empty() || !rules_.agreements.empty();
  if (!request.decode) decode_ = default_decode(request);
  set_decision(request);
  check_decode();
  if (decode_ == Decode::marginal && (constraint_ || model.constraint() || has_rules_)) {
    throw UsageError(
        "--decode marginal looks at each position alone, and may break a constraint or a rule; "
        "--decode risk is the same under constraints");
  }
  if (voted_ != nullptr) {
    check_vote();
    float_.masked = limits_of_transitions<float>(model);
    double_.masked = limits_of_transitions<double>(model);
  }
  if (calibrator_ != nullptr && !calibrator_->by_label()) {
    double_.masked = scaled(transitions<double>(), scale_of_scores());
    float_.masked = convert<float>(*double_.masked);
    if (!are_scores(*float_.masked, least_score<float>(true))) {
      model.container().fail_section("calibration", "with its temperature scores are no numbers");
    }
  }
  if (constraint_ && hides_states()) constraint_ = over_states(*constraint_, *states_);
  if (constraint_) {
    float_.masked = masked(transitions<float>(), *constraint_);
    double_.masked = masked(transitions<double>(), *constraint_);
  }
  lift_transitions(float_);
  lift_transitions(double_);
  if (const auto automaton = fitting_automaton()) {
    float_.product = std::make_unique<const ChainProduct<float>>(unruled<float>(), *automaton,
                                                                 unruled_overlays());
    double_.product = std::make_unique<const ChainProduct<double>>(unruled<double>(), *automaton,
                                                                   unruled_overlays());
  }
  set_states();
  searches_ = !rules_.agreements.empty() || (!rules_.automata.empty() && !double_.product);
  if (searches_ && decode_ != Decode::viterbi) {
    throw UsageError(
        "--decode marginal, risk and labelling do not go with rules that have to be searched: "
        "agree, and counts that are too large for an exact product");
  }
  if (decode_ == Decode::risk) {
    allowed_ = allowed_edges(double_.product ? double_.product->transitions() : unruled<double>());
  }
}

void TagPlan::set_decision(const TagRequest& request) {
  if (request.decision.empty()) return;
  if (request.decode && request.decode != Decode::marginal) {
    throw UsageError(
        "--costs and --threshold choose by marginals: take --decode marginal, or none");
  }
  decision_.emplace(request.decision, names_.all());
  decode_ = Decode::marginal;
}

// A hidden state means nothing by itself, and a path of them little.
Decode TagPlan::default_decode(const TagRequest& request) const {
  if (!hides_states()) return Decode::viterbi;
  if (!rules_.agreements.empty()) return Decode::viterbi;
  return request.constraint || model_.constraint() || has_rules_ ? Decode::risk : Decode::marginal;
}

void TagPlan::check_decode() const {
  if (!model_.has_probabilities() && voted_ == nullptr && decode_ != Decode::viterbi) {
    throw UsageError("--decode ",
                     decode_ == Decode::marginal ? "marginal"
                     : decode_ == Decode::risk   ? Message("risk")
                                                 : "labelling",
                     ": ", model_.container().name(),
                     " with this --decoder compares words of bits and has no probabilities; leave "
                     "it out, or take --decoder product");
  }
  if (decode_ != Decode::labelling || hides_states()) return;
  throw UsageError("--decode labelling sums over the hidden states of labels, and a model of kind ",
                   model_.kind(), " has none; --decode viterbi is its most probable labelling");
}

// 1/T
double TagPlan::scale_of_scores() const {
  return calibrator_ == nullptr ? 1 : 1 / calibrator_->temperature;
}

template <class Real>
void TagPlan::calibrate(ChainScores<Real>& base) const {
  if (calibrator_ == nullptr) return;
  if (!calibrator_->by_label()) {
    scale(scale_of_scores(), base);
    return;
  }
  std::vector<double> row(base.labels()), scratch;
  for (std::size_t t = 0; t < base.length(); ++t) {
    std::copy_n(base.state.row(t), row.size(), row.begin());
    calibrator_->apply(row, scratch);
    for (std::size_t j = 0; j < row.size(); ++j) base.state(t, j) = static_cast<Real>(row[j]);
  }
}

bool TagPlan::limits_labellings() const {
  return constraint_ || penalties_ || partial_ || has_rules_ || model_.constraint() ||
         histories_ != nullptr || segments_ != nullptr;
}

void TagPlan::check_vote() const {
  if (decode_ != Decode::viterbi) {
    throw UsageError("--decode: ", voter(model_), " and knows no marginals");
  }
  if (has_rules_) {
    throw UsageError("--rule: ", voter(model_),
                     " at each position by itself, and may break a rule; --constrain goes with it");
  }
}

// The rules that are automata as one, if its product with the chain is small enough.
std::optional<LabelAutomaton> TagPlan::fitting_automaton() const {
  const std::size_t labels = unruled<double>().labels();
  const auto fits = [&](const LabelAutomaton& automaton) {
    double edges = most_product_edges(unruled<double>(), automaton);
    if (unruled_overlays()) {  // they make the product dense
      edges = std::pow(static_cast<double>(labels * automaton.states()), 2);
    }
    return edges <= kMostProductEdges;
  };
  if (histories_ != nullptr && labels > kMostProductStates) return std::nullopt;
  std::optional<LabelAutomaton> all;
  for (const LabelAutomaton& automaton : rules_.automata) {
    const std::size_t states = all ? all->states() * automaton.states() : 0;
    if (states > kMostStates) return std::nullopt;
    all = all ? intersect(*all, automaton) : automaton;
    if (!fits(*all)) return std::nullopt;
  }
  if (all && histories_ != nullptr) return over_states(*all, histories_->label_of);
  if (all && hides_states()) return over_states(*all, states_->label_of);
  if (all && double_.segments) return over_states(*all, double_.segments->label_of());
  return all;
}

void TagPlan::check(const TagOptions& options) const {
  const bool labels_alone = !options.probability && !options.score && !options.marginals &&
                            !options.edges && !options.spans && !options.entropy &&
                            !options.expected_counts && options.k_best == 0 && options.samples == 0;
  if (voted_ != nullptr && !labels_alone) {
    throw UsageError(voter(model_) +
                     "; a vote has no probabilities, so ask for the labels alone (an averaged "
                     "perceptron has one weight vector, whose scores answer every question)");
  }
  if (!model_.has_probabilities() && !labels_alone) {
    throw UsageError(model_.container().name(),
                     ": this way to decode compares words of bits and has no probabilities; ask "
                     "for the labels alone, or take --decoder product");
  }
  if (options.spans && scheme_ == ChunkScheme::none) {
    throw UsageError(
        "--spans needs labels that spell chunks, such as B-X, I-X and O, and the "
        "model's do not; --chunks raw takes each label but O for a chunk");
  }
  if (options.entropy && hides_states()) {
    throw UsageError("--entropy: that of the labellings of ", model_.container().name(),
                     ", which sum over hidden states, has no recursion");
  }
  for (const auto& [name, count] :
       {std::pair("k-best", options.k_best), std::pair("samples", options.samples)}) {
    if (count > kMostLabellings) {
      throw UsageError(Message::option(name), " is ", count, ", and at most ", kMostLabellings,
                       " labellings are given of a sequence");
    }
  }
  if (options.k_best > 0 && hides_states() && decode_ != Decode::labelling) {
    throw UsageError(
        "--k-best goes by the probability of labellings, which with hidden states are found by a "
        "search: it goes with --decode labelling");
  }
  if (options.k_best > 0 && !hides_states() && decode_ != Decode::viterbi) {
    throw UsageError("--k-best goes by probability, so it goes with --decode viterbi only");
  }
  if (searches_ && (options.k_best > 0 || options.samples > 0)) {
    throw UsageError(
        "--k-best and --samples do not go with rules that have to be searched: agree, and counts "
        "that are too large for an exact product; their labellings would break the rules");
  }
}

template <class Real>
void TagPlan::score(const TagInput& input, SequenceModel::Scratch& scratch,
                    ChainScores<Real>& base) const {
  if (voted_ != nullptr) {
    base.reset(input.text.length(), transitions<Real>());
    if (model_.constraint()) apply(*model_.constraint(), base);
  } else {
    if (input.read != nullptr) {
      model_.score(input.text, *input.read, scratch, base);
    } else {
      model_.score(input.text, scratch, base);
    }
    calibrate(base);
    if (calibrator_ != nullptr) model_.require_numbers(input.text, base, true);
    base.transitions = &transitions<Real>();
  }
  if (constraint_) apply(*constraint_, base);
  if (penalties_) penalise(input, base);
}

template <class Real>
void TagPlan::penalise(const TagInput& input, ChainScores<Real>& base) const {
  if (!hides_states()) return penalties_->subtract(input, base);
  const std::vector<Label>& label_of = states_->label_of;
  ChainScores<Real> of_labels;
  of_labels.reset(base.length(), TransitionScores<Real>(names_.size()));
  of_labels.transitions = nullptr;
  penalties_->subtract(input, of_labels);
  for (std::size_t t = 0; t < base.length(); ++t) {
    for (std::size_t s = 0; s < label_of.size(); ++s) {
      base.state(t, s) += of_labels.state(t, label_of[s]);
    }
  }
}

template <class Real>
void TagPlan::restrict(const KnownLabels& known, ChainScores<Real>& base) const {
  if (!hides_states()) return restrict_labels<Real>(restrictions(known), base);
  StateGold gold;
  to_states(*states_, known.known, known.sets, gold);
  restrict_labels<Real>(restrictions({std::move(gold.known), std::move(gold.sets)}), base);
}

template <class Real>
const ChainScores<Real>* TagPlan::lift(const TagInput& input, const ChainScores<Real>& base,
                                       LiftedChains<Real>& lifted) const {
  const auto& [masked, histories, segments, product] = tied<Real>();
  const ChainScores<Real>* chain = &base;
  if (segments) chain = &segments->lift(input.text, base, lifted.segments);
  if (histories) {
    histories->lift(base, lifted.histories);
    chain = &lifted.histories;
  }
  if (!product) return chain;
  return product->lift(*chain, lifted.product) ? &lifted.product : nullptr;
}

double TagPlan::score_of(std::span<const Label> y, const ChainScores<double>& base,
                         const LiftedChains<double>& lifted) const {
  if (hides_states()) return labelling_score(base, states_->label_of, y);
  if (double_.segments) return double_.segments->score_of(y, lifted.segments);
  if (histories_ == nullptr) return croft::score<double>(base, y);
  std::vector<Label> path(y.size());
  if (history_path(*histories_, y, path) < y.size()) {
    return -std::numeric_limits<double>::infinity();
  }
  return croft::score<double>(lifted.histories, path);
}

void TagPlan::project(std::span<Label> y) const {
  if (label_of_.empty()) return;
  for (Label& state : y) state = label_of_[state];
}

SearchResult TagPlan::search(const TagInput& input, const ChainScores<double>& chain) const {
  const auto groups = agreeing_positions(rules_.agreements, input);
  if (rules_.automata.empty() || double_.product) {
    return agreement_search(chain, groups, limit_, label_of());
  }
  std::vector<Label> y;
  const auto obeyed = [&](std::span<const Label> states) {
    y.assign(states.begin(), states.end());
    project(y);
    return obeys(rules_, groups, y);
  };
  return predicate_search(chain, obeyed, limit_);
}

bool TagPlan::accepts(std::span<const Label> y) const {
  return std::ranges::all_of(rules_.automata,
                             [&](const LabelAutomaton& a) { return croft::accepts(a, y); });
}

#define CROFT_INSTANTIATE(Real)                                                              \
  template void TagPlan::score(const TagInput&, SequenceModel::Scratch&, ChainScores<Real>&) \
      const;                                                                                 \
  template const ChainScores<Real>* TagPlan::lift(const TagInput&, const ChainScores<Real>&, \
                                                  LiftedChains<Real>&) const;                \
  template void TagPlan::restrict(const KnownLabels&, ChainScores<Real>&) const;
CROFT_INSTANTIATE(float)
CROFT_INSTANTIATE(double)
#undef CROFT_INSTANTIATE

}  // namespace croft
