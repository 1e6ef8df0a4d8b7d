#include "app/label/tagger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/label/chunks.h"
#include "core/infinity.h"
#include "croft/core/random.h"
#include "inference/chain/label_search.h"

namespace croft {

bool VoteTagger::count(const ChainModel& model, const TextSequence& text,
                       const ChainScores<float>& limits, Matrix<double>& votes) {
  const LabelHistories* histories = model.histories();
  if (histories != nullptr) histories_.emplace(*histories);
  votes.assign(text.length(), model.labels(), 0.0);
  y_.assign(text.length(), 0);
  scores_.start(model, text, limits);
  while (scores_.next()) {
    const ChainScores<float>* chain = &scores_.scores();
    if (histories != nullptr) {
      if (scores_.grams_changed()) histories_->assign(*limits.transitions, scores_.grams());
      histories_->lift(*chain, lifted_);
      chain = &lifted_;
    }
    if (viterbi<float>(*chain, viterbi_, y_) == -std::numeric_limits<double>::infinity()) {
      return false;  // the limits are the same for all
    }
    const auto of_these = static_cast<double>(scores_.votes());
    for (std::size_t t = 0; t < y_.size(); ++t) {
      votes(t, histories != nullptr ? histories->label_of[y_[t]] : y_[t]) += of_these;
    }
  }
  return true;
}

namespace {

bool needs_marginals(const TagOptions& options) {
  return options.marginals || options.edges || options.spans || options.entropy ||
         options.expected_counts;
}
bool needs_partition(const TagOptions& options) {
  return needs_marginals(options) || options.probability || options.score || options.k_best > 0 ||
         options.samples > 0;
}

// The samples of a sequence depend on the seed and its index alone: not on threads or neighbours.
Random random_of(std::uint64_t seed, std::size_t index) {
  return Random(Random(seed).next() + index);
}

void append_edges(const Matrix<double>& pairs, std::size_t t, double smallest,
                  std::vector<EdgeProbability>& out) {
  for (Label i = 0; i < pairs.rows(); ++i) {
    for (Label j = 0; j < pairs.columns(); ++j) {
      if (pairs(i, j) >= smallest) out.push_back({t, i, j, pairs(i, j)});
    }
  }
}

// Forgets a sequence, and keeps the storage.
void clear(Tagging& tagging) {
  tagging.outcome = {};
  tagging.log_probability = tagging.log_partition = tagging.score = 0;
  tagging.log_partial = tagging.entropy = 0;
  tagging.k_best.clear();
  tagging.samples.clear();
  tagging.spans.clear();
  tagging.edges.clear();
  tagging.edge_counts.clear();
  tagging.label_counts.clear();
}

}  // namespace

const Tagging& Tagger::tag(const TagInput& input, const TagOptions& options) {
  plan_->check(options);
  clear(tagging_);
  tagging_.y.resize(input.text.length());
  if (plan_->voted() != nullptr) {
    tag_by_vote(input);
  } else if (needs_partition(options) || plan_->searches() || plan_->decode() != Decode::viterbi ||
             has_flat_curves()) {
    tag_in_double(input, options);
  } else {
    tag_in_float(input);
  }
  if (!tagging_.outcome.found) {
    tagging_.y.clear();
    tagging_.outcome.by_model = !plan_->limits_labellings();
  }
  return tagging_;
}

// What tells the labels apart on a flat piece of a calibration's curve is below a float's digits.
bool Tagger::has_flat_curves() const {
  return plan_->calibrator() != nullptr && plan_->calibrator()->by_label();
}

template <class Real>
void Tagger::restrict_to_known(const TagInput& input, ChainScores<Real>& base) {
  if (!plan_->partial()) return;
  plan_->partial()->read(input.text, input.file, known_);
  plan_->restrict(known_, base);
}

void Tagger::tag_in_float(const TagInput& input) {
  plan_->score(input, scratch_, scores_);
  restrict_to_known(input, scores_);
  if (plan_->has_best_segments()) {
    tagging_.outcome.found = plan_->best_segments(input, scores_, lifted_, tagging_.y);
    return;
  }
  const ChainScores<float>* chain = plan_->lift(input, scores_, lifted_);
  tagging_.outcome.found =
      chain != nullptr && viterbi<float>(*chain, viterbi_, tagging_.y) > kMinusInfinity;
  if (tagging_.outcome.found) plan_->project(tagging_.y);
}

// The votes stand in the place of scores: of the labellings that the limits leave, the one is taken
// whose labels have the most.  Without limits every position is free to take its own.
void Tagger::tag_by_vote(const TagInput& input) {
  plan_->score(input, scratch_, scores_);
  restrict_to_known(input, scores_);
  tagging_.outcome.found = vote_.count(*plan_->voted(), input.text, scores_, votes_);
  if (!tagging_.outcome.found) return;
  plan_->score(input, scratch_, wide_);
  restrict_to_known(input, wide_);
  for (std::size_t t = 0; t < wide_.length(); ++t) {
    for (std::size_t j = 0; j < wide_.labels(); ++j) {
      if (wide_.state(t, j) != kMinusInfinity) wide_.state(t, j) = votes_(t, j);
    }
  }
  const ChainScores<double>* chain = plan_->lift(input, wide_, wide_lifted_);
  viterbi<double>(*chain, wide_viterbi_, tagging_.y);
  plan_->project(tagging_.y);
}

void Tagger::tag_in_double(const TagInput& input, const TagOptions& options) {
  plan_->score(input, scratch_, wide_);
  CompensatedSum unrestricted;
  if (plan_->partial() && options.probability) {
    const ChainScores<double>* free = plan_->lift(input, wide_, wide_lifted_);
    if (free != nullptr && log_partition(*free, sums_) > kMinusInfinity) unrestricted = sums_.log_z;
  }
  restrict_to_known(input, wide_);
  const ChainScores<double>* chain = plan_->lift(input, wide_, wide_lifted_);
  const bool decodes_marginals = plan_->decode() != Decode::viterbi;
  tagging_.outcome.found = chain != nullptr;
  if (chain != nullptr && (needs_partition(options) || decodes_marginals)) {
    tagging_.log_partition = sum_up(*chain, needs_marginals(options) || decodes_marginals);
    tagging_.outcome.found = tagging_.log_partition > kMinusInfinity;
  }
  tagging_.outcome.found = tagging_.outcome.found && decode(input, *chain, options);
  if (!tagging_.outcome.found) return;
  if (needs_partition(options)) require_probabilities(input.text, needs_marginals(options));
  if (plan_->partial() && options.probability) {
    tagging_.log_partial = std::min(0.0, difference(sums_.log_z, unrestricted));
  }
  draw(*chain, input, options);
  if (needs_marginals(options)) {
    answer({*chain, sums_, state_marginals().row(0)}, options);
  }
}

// Sums of scores that are too large lose the digits that probabilities are made of.
void Tagger::require_probabilities(const TextSequence& text, bool with_marginals) const {
  constexpr double kRounding = 1e-3;
  bool sound =
      std::isfinite(tagging_.log_partition) && tagging_.score - tagging_.log_partition <= kRounding;
  for (std::size_t t = 0; with_marginals && t < text.length(); ++t) {
    const auto of_labels = tagging_.marginals[t];
    const double sum = std::accumulate(of_labels.begin(), of_labels.end(), 0.0);
    sound = sound && std::abs(sum - 1) <= kRounding;
  }
  if (!sound) plan_->model().fail_numbers(text, "all positions");
}

const Matrix<double>& Tagger::state_marginals() const {
  return plan_->label_of().empty() ? tagging_.marginals : states_;
}

// log Z; `with_marginals` also of states and of labels.
double Tagger::sum_up(const ChainScores<double>& chain, bool with_marginals) {
  if (!with_marginals) return log_partition(chain, sums_);
  const std::span<const Label> label_of = plan_->label_of();
  Matrix<double>& states = label_of.empty() ? tagging_.marginals : states_;
  states.reshape(chain.length(), chain.labels());
  const double log_z = marginals<double>(chain, 1, sums_, {states.row(0), nullptr, nullptr});
  if (label_of.empty() || log_z == kMinusInfinity) return log_z;
  tagging_.marginals.assign(chain.length(), plan_->names().size(), 0);
  for (std::size_t t = 0; t < chain.length(); ++t) {
    for (std::size_t s = 0; s < label_of.size(); ++s) {
      tagging_.marginals(t, label_of[s]) += states(t, s);
    }
  }
  return log_z;
}

// Fills y, and log p(y | x) where log Z is known.  False when there is no labelling to be had.
bool Tagger::decode(const TagInput& input, const ChainScores<double>& chain,
                    const TagOptions& options) {
  double best = 0;
  if (plan_->searches()) {
    if (!search(input, chain)) return false;
    best = score<double>(chain, tagging_.y);
  } else if (plan_->decode() == Decode::labelling) {
    return search_labellings(chain, options);
  } else if (options.k_best > 0) {
    tagging_.k_best = k_best(chain, options.k_best);
    if (tagging_.k_best.empty()) return false;
    best = tagging_.k_best.front().score;
    tagging_.y = tagging_.k_best.front().labels;
    for (ScoredLabelling& labelling : tagging_.k_best) plan_->project(labelling.labels);
  } else if (plan_->decode() == Decode::marginal) {
    if (const LabelChooser* rule = plan_->decision()) {
      for (std::size_t t = 0; t < tagging_.y.size(); ++t) {
        tagging_.y[t] = rule->choose(tagging_.marginals[t]);
      }
    } else {
      posterior_decode(tagging_.marginals, std::span<Label>(tagging_.y));
    }
    set_score(plan_->score_of(tagging_.y, wide_, wide_lifted_));
    return true;
  } else {
    best = plan_->decode() == Decode::risk ? decode_risk(chain)
                                           : viterbi<double>(chain, wide_viterbi_, tagging_.y);
    if (best == kMinusInfinity) return false;
  }
  plan_->project(tagging_.y);
  if (needs_partition(options)) {
    if (plan_->hides_states()) best = plan_->score_of(tagging_.y, wide_, wide_lifted_);
    set_score(best);
  }
  return true;
}

// Of the labelling, where log Z is known.
void Tagger::set_score(double score) {
  tagging_.score = score;
  tagging_.log_probability = std::min(0.0, score - tagging_.log_partition);
}

bool Tagger::search(const TagInput& input, const ChainScores<double>& chain) {
  SearchResult result = plan_->search(input, chain);
  tagging_.outcome = {result.found, result.exact, false, result.gap, result.drawn};
  if (result.found && !exceeds_rounding(result.gap, result.score)) {
    tagging_.outcome.exact = true;
    tagging_.outcome.gap = 0;
  }
  if (result.found) tagging_.y = std::move(result.labels);
  return result.found;
}

// With hidden states: the labellings that are most probable, not the paths.
bool Tagger::search_labellings(const ChainScores<double>& chain, const TagOptions& options) {
  LabelSearchResult result = best_labellings(
      chain, plan_->label_of(), std::max<std::size_t>(options.k_best, 1), plan_->limit());
  if (result.best.empty()) return false;
  tagging_.outcome = {true, result.exact, false, result.gap, result.drawn};
  tagging_.y = result.best.front().labels;
  set_score(result.best.front().score);
  if (options.k_best > 0) tagging_.k_best = std::move(result.best);
  return true;
}

// The score of the labelling that is right most often, under the chain's transitions.
double Tagger::decode_risk(const ChainScores<double>& chain) {
  const std::span<const Label> label_of = plan_->label_of();
  if (!label_of.empty()) {  // every state is worth the marginal of its label
    label_worth_.reshape(chain.length(), chain.labels());
    for (std::size_t t = 0; t < chain.length(); ++t) {
      for (std::size_t s = 0; s < label_of.size(); ++s) {
        label_worth_(t, s) = tagging_.marginals(t, label_of[s]);
      }
    }
  }
  const Matrix<double>& worth = label_of.empty() ? tagging_.marginals : label_worth_;
  const double right =
      minimum_risk<double>(chain, worth, plan_->allowed(), risk_, std::span<Label>(tagging_.y));
  return right == kMinusInfinity ? right : score<double>(chain, tagging_.y);
}

void Tagger::draw(const ChainScores<double>& chain, const TagInput& input,
                  const TagOptions& options) {
  Random random = random_of(options.seed, input.index);
  for (std::size_t n = 0; n < options.samples; ++n) {
    std::vector<Label>& y = tagging_.samples.emplace_back(chain.length());
    sample<double>(chain, sums_, random, y);
    plan_->project(y);
  }
}

void Tagger::answer(const ChainPosterior<double>& posterior, const TagOptions& options) {
  const std::size_t length = posterior.scores.length(), labels = plan_->names().size();
  if (options.entropy) tagging_.entropy = entropy(posterior);
  if (options.expected_counts) {
    tagging_.label_counts.assign(labels, 0.0);
    for (std::size_t t = 0; t < length; ++t) {
      for (Label j = 0; j < labels; ++j) tagging_.label_counts[j] += tagging_.marginals(t, j);
    }
    append_edges(edge_counts(posterior), 0, options.smallest_edge, tagging_.edge_counts);
  }
  for (std::size_t t = 1; options.edges && t < length; ++t) {
    append_edges(edges_at(posterior, t), t, options.smallest_edge, tagging_.edges);
  }
  if (options.spans) add_spans(posterior);
}

// Of labels, all positions together: [L][L].
const Matrix<double>& Tagger::edge_counts(const ChainPosterior<double>& posterior) {
  if (plan_->previous_of().empty()) {
    expected_edge_counts(posterior, pairs_);
    return label_pairs(pairs_);
  }
  label_pairs_.assign(plan_->names().size(), plan_->names().size(), 0);
  for (std::size_t t = 1; t < posterior.scores.length(); ++t) add_pairs_before(t);
  return label_pairs_;
}

// Of labels: [L][L].
const Matrix<double>& Tagger::edges_at(const ChainPosterior<double>& posterior, std::size_t t) {
  if (plan_->previous_of().empty()) {
    edge_marginals(posterior, t, pairs_);
    return label_pairs(pairs_);
  }
  label_pairs_.assign(plan_->names().size(), plan_->names().size(), 0);
  add_pairs_before(t);
  return label_pairs_;
}

// A state that is a history of two labels or more is an edge of labels.
void Tagger::add_pairs_before(std::size_t t) {
  const std::span<const Label> label_of = plan_->label_of();
  const std::span<const std::uint32_t> previous_of = plan_->previous_of();
  for (std::size_t s = 0; s < label_of.size(); ++s) {
    if (previous_of[s] != kNoRun) label_pairs_(previous_of[s], label_of[s]) += states_(t, s);
  }
}

// Those of labels, from those of states.
const Matrix<double>& Tagger::label_pairs(const Matrix<double>& of_states) {
  const std::span<const Label> label_of = plan_->label_of();
  if (label_of.empty()) return of_states;
  label_pairs_.assign(plan_->names().size(), plan_->names().size(), 0);
  for (std::size_t s = 0; s < label_of.size(); ++s) {
    for (std::size_t r = 0; r < label_of.size(); ++r) {
      label_pairs_(label_of[s], label_of[r]) += of_states(s, r);
    }
  }
  return label_pairs_;
}

void Tagger::add_spans(const ChainPosterior<double>& posterior) {
  if (!chunk_edges_) {
    chunk_edges_ = std::make_shared<const ChunkEdges>(plan_->names().all(), plan_->scheme(),
                                                      plan_->label_of());
  }
  const ChunkEdges& edges = *chunk_edges_;
  std::vector<std::string_view> labels;
  for (const Label y : tagging_.y) labels.push_back(plan_->names()[y]);
  for (const Chunk& chunk : chunks_of(labels, edges.scheme())) {
    tagging_.spans.push_back(
        {chunk.begin, chunk.end, chunk.type,
         edges.probability(posterior, chunk.begin, chunk.end, tagging_.y[chunk.begin], spans_)});
  }
}

double Tagger::negative_log_probability(const std::vector<Label>& gold) const {
  for (const Label y : gold) {
    if (y >= plan_->names().size()) return std::numeric_limits<double>::infinity();
  }
  if (!plan_->accepts(gold)) return std::numeric_limits<double>::infinity();
  return std::max(0.0, tagging_.log_partition - plan_->score_of(gold, wide_, wide_lifted_));
}

}  // namespace croft
