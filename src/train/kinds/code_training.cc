#include "train/kinds/code_training.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "croft/inference/chain_sum.h"
#include "data/settings/field_files.h"
#include "train/part_checkpoints.h"

namespace croft {
namespace {

constexpr std::size_t kMostBits = 4096;
constexpr std::size_t kChosenBy = 2000;  // positions that the loss of columns is measured at

struct RandomBits {
  std::string kind;
  std::optional<std::size_t> bits, candidates;
};

RandomBits read_code(const std::string& code) {
  const auto fail = [&] {
    throw UsageError("--code ", code,
                     " is none of one-vs-rest, all-pairs, random[:BITS], "
                     "minimum-loss[:BITS[:CANDIDATES]] and a file of lines LABEL BITS");
  };
  RandomBits out;
  const std::vector<std::string> fields = split_at(code, ':');
  out.kind = fields[0];
  const auto number = [&](const std::string& field) {
    std::size_t value = 0;
    const auto [rest, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || rest != field.data() + field.size() || value < 1 ||
        value > kMostBits) {
      fail();
    }
    return value;
  };
  const std::size_t most = out.kind == "random" ? 2 : out.kind == "minimum-loss" ? 3 : 1;
  const bool known = out.kind == "one-vs-rest" || out.kind == "all-pairs" || most > 1;
  if (!known || fields.size() > most) fail();
  if (fields.size() > 1) out.bits = number(fields[1]);
  if (fields.size() > 2) out.candidates = number(fields[2]);
  if (out.candidates && *out.candidates < *out.bits) fail();
  return out;
}

[[noreturn]] void fail_apart(std::size_t bits, std::size_t labels) {
  throw UsageError("--code minimum-loss: ", bits, " bits do not tell ", labels,
                   " labels apart; take more");
}

}  // namespace

void CodeOptions::validate() const {
  if (words.empty()) read_code(code);
}

CodeTraining::CodeTraining(const Extractor& extractor) : extractor_(extractor) {}

void CodeTraining::read_words(const CodeOptions& options) {
  code_ = {labels(), options.words.front().second.size(), {}};
  code_.bit.assign(labels() * code_.bits, kAnyBit);
  std::vector<bool> seen(labels());
  for (const auto& [label, word] : options.words) {
    const std::uint32_t id = encoder_.label_names.find(label);
    if (id == kUnknown) continue;  // a code may be of more labels than this data has
    seen[id] = true;
    for (std::size_t b = 0; b < word.size(); ++b) {
      code_.bit[id * code_.bits + b] = word[b] == '-' ? kAnyBit : word[b] == '1';
    }
  }
  for (Label j = 0; j < labels(); ++j) {
    if (seen[j]) continue;
    throw UsageError("--code: the file has no word for the label ",
                     in_quotes(encoder_.label_names[j]));
  }
}

void CodeTraining::make_code(const CodeOptions& options, std::uint64_t seed) {
  if (!options.words.empty()) {
    read_words(options);
  } else {
    const RandomBits how = read_code(options.code);
    Random random(seed);
    const std::size_t bits = how.bits.value_or(usual_bits(labels()));
    if (how.kind == "one-vs-rest") {
      code_ = one_vs_rest_code(labels());
    } else if (how.kind == "all-pairs") {
      const std::size_t pairs = labels() * (labels() - 1) / 2;
      if (pairs > kMostBits) {
        throw UsageError("--code all-pairs: ", labels(), " labels make ", pairs,
                         " pairs, more than 4096 chains; take another code");
      }
      code_ = all_pairs_code(labels());
    } else if (how.kind == "random") {
      code_ = random_code(labels(), bits, random);
    } else {
      if (bits < 63 && (std::uint64_t{1} << bits) < labels()) fail_apart(bits, labels());
      code_ = random_code(labels(), std::min(how.candidates.value_or(2 * bits), kMostBits), random);
    }
  }
  if (code_.bits > kMostBits) throw UsageError("--code: more than 4096 bits");
  for (std::size_t b = 0; b < code_.bits; ++b) {
    bool zero = false, one = false;
    for (Label j = 0; j < labels(); ++j) {
      zero = zero || code_.at(j, b) == 0;
      one = one || code_.at(j, b) == 1;
    }
    if (zero && one) continue;
    throw UsageError("--code: bit ", b + 1, " is the same for all labels of the data; delete it");
  }
  if (distance(code_).least == 0 && labels() > 1) {
    throw UsageError("--code: two labels of the data have the same bits; give them others");
  }
}

// Labels 0 and 1; sequences that say nothing of the bit are left out.
ChainEncoder CodeTraining::data_of(std::size_t bit) const {
  const ChainData& all = encoder_.data;
  ChainEncoder out;
  out.node_names = encoder_.node_names;
  out.label_names.insert("0");
  out.label_names.insert("1");
  const auto bits_of = [&](std::uint64_t p) {  // which values are possible: bits 0 and 1 of a mask
    unsigned mask = 0;
    if (all.label[p] == kAnyLabel) return 3u;
    for (const Label j : all.known_labels(p)) {
      const std::uint8_t own = code_.at(j, bit);
      mask |= own == kAnyBit ? 3u : 1u << own;
    }
    return mask;
  };
  ChainData& data = out.data;
  for (std::size_t n = 0; n < sequences(); ++n) {
    const std::uint64_t first = all.sequence_begin[n], last = all.sequence_begin[n + 1];
    std::uint64_t p = first;
    while (p < last && bits_of(p) == 3) ++p;
    if (p == last) continue;
    for (p = first; p < last; ++p) {
      const unsigned mask = bits_of(p);
      data.label.push_back(mask == 3 ? kAnyLabel : mask == 2 ? 1 : 0);
    }
    data.node.append(all.node, first, last);
    data.sequence_begin.push_back(data.label.size());
    data.first_line.push_back(all.first_line[n]);
    if (!all.weight.empty()) data.weight.push_back(all.weight[n]);
  }
  return out;
}

std::uint64_t CodeTraining::fingerprint(const TrainOptions& options,
                                        const CodeOptions& code) const {
  StateArchive own;
  std::string text = code.words.empty() ? code.code : "";
  std::vector<std::uint8_t> words = code_.bit;
  CodeDecoder decoder = code.decoder;
  std::size_t trained_on = sequences();
  own(text, words, decoder, trained_on);
  return parts_fingerprint(encoder_, options, nullptr, own.bytes());
}

void CodeTraining::train_bits(const TrainOptions& options, const CodeOptions& code,
                              const Callback& callback, const Stop& stop, Result& result) {
  chains_.assign(code_.bits, {});
  results_.assign(code_.bits, {});
  std::vector<bool> ended(code_.bits);  // and not stopped
  if (options.checkpoints != nullptr) {
    options.checkpoints->set_fingerprint(fingerprint(options, code));
  }
  PartCheckpoints checkpoints(options.checkpoints, code_.bits, [&](StateArchive& state) {
    state(ended);
    ended.resize(code_.bits);
    for (std::size_t b = 0; b < code_.bits; ++b) {
      if (!ended[b]) continue;
      state(chains_[b]);
      archive_result(state, results_[b]);
    }
  });
  checkpoints.resume();
  std::vector<bool> begun = ended;
  ThreadPool pool(options.threads);
  std::mutex lock;
  auto done = static_cast<std::size_t>(std::ranges::count(ended, true));
  bool stopped = false;
  pool.run(code_.bits, [&](std::size_t b, std::size_t) {
    {
      const std::scoped_lock hold(lock);
      if (begun[b]) return;
      chains_[b].labels = 2;
      if (stopped || (stop && stop())) {
        stopped = true;
        return;
      }
    }
    TrainOptions own = options;
    own.threads = 1;
    own.checkpoints = checkpoints.part(b);
    ChainTraining training(extractor_);
    training.set_data(data_of(b));
    const TrainResult found = training.run(own, {}, [&](const TrainProgress&) {
      const std::scoped_lock hold(lock);
      stopped = stopped || (stop && stop());
      return !stopped;
    });
    chains_[b] = expert_of(training, found, encoder_.node_names.size(), 0);
    results_[b] = found.optimization;
    if (found.optimization.reason != StopReason::stopped) {
      checkpoints.done(b, [&] { ended[b] = true; });
    }
    const std::scoped_lock hold(lock);
    if (found.optimization.reason == StopReason::stopped && found.optimization.iterations == 0) {
      return;  // nothing was learnt
    }
    begun[b] = true;
    ++done;
    if (callback && !stopped) stopped = !callback(done, code_.bits, found.optimization);
  });
  result.planned = code_.bits;
  result.trained = done;
  result.stopped = stopped && (done < code_.bits || cut_short());
  if (done == code_.bits) return;
  // A bit without a chain says nothing of any label: the code of the others is what was learnt.
  std::vector<std::size_t> kept;
  for (std::size_t b = 0; b < code_.bits; ++b) {
    if (begun[b]) kept.push_back(b);
  }
  keep_bits(kept);
  if (distance(code_).least > 0) return;
  throw Interrupted("stopped: " + std::to_string(done) + " of " + std::to_string(result.planned) +
                    " bits trained, which do not tell all labels apart");
}

bool CodeTraining::cut_short() const {
  return std::ranges::any_of(
      results_, [](const OptimizeResult& result) { return result.reason == StopReason::stopped; });
}

// Columns one after the other, each the one that leaves the least log-loss of the marginal decoder
// (EC.7), at positions of what is held out, or of the training data.
void CodeTraining::choose_by_loss(const CodeOptions& options, std::uint64_t seed,
                                  std::size_t threads) {
  const RandomBits how = read_code(options.code);
  const std::size_t wanted = how.bits.value_or(usual_bits(labels()));
  if (wanted >= code_.bits) return;
  const ChainData& data = encoder_.data;
  const std::size_t first = trained_on_.value_or(0), last = data.sequences();
  // Sequences in a random order until there are enough positions.
  std::vector<std::size_t> order(last - first);
  std::iota(order.begin(), order.end(), first);
  Random random(seed + 1);
  shuffle(order, random);
  std::vector<std::size_t> chosen;
  std::vector<Label> gold;
  for (const std::size_t n : order) {
    if (gold.size() >= kChosenBy) break;
    if (!data.gold(n).is_complete()) continue;
    chosen.push_back(n);
    const Gold own = data.gold(n);
    gold.insert(gold.end(), own.known.begin(), own.known.end());
  }
  if (gold.empty()) throw Error("--code minimum-loss needs sequences that are labelled in full");
  // log p(bit = 0), log p(bit = 1) at each position.
  std::vector<Matrix<double>> log_p(code_.bits);
  ThreadPool pool(threads);
  pool.run(code_.bits, [&](std::size_t b, std::size_t) {
    TransitionScores<double> transitions;
    transitions.assign(expert_transitions(chains_[b]));
    ForwardBackwardWorkspace<double> work;
    ChainScores<double> scores;
    Matrix<double> mu;
    log_p[b] = Matrix<double>(gold.size(), 2, 0.0);
    std::size_t at = 0;
    for (const std::size_t n : chosen) {
      const std::size_t length = data.gold(n).length();
      scores.reset(length, transitions);
      add_expert_states(chains_[b], data, n, 1, scores.state);
      mu.reshape(length, 2);
      marginals<double>(scores, 1, work, {mu.row(0), nullptr, nullptr});
      for (std::size_t t = 0; t < length; ++t, ++at) {
        for (const std::size_t v : {0, 1}) log_p[b](at, v) = std::log(std::max(mu(t, v), 1e-300));
      }
    }
  });
  std::vector<std::size_t> bits;
  std::vector<bool> used(code_.bits);
  Matrix<double> scores(gold.size(), labels(), 0.0);
  while (bits.size() < wanted) {
    std::vector<double> loss(code_.bits, std::numeric_limits<double>::infinity());
    pool.run(code_.bits, [&](std::size_t b, std::size_t) {
      if (used[b]) return;
      CompensatedSum sum;
      std::vector<double> row(labels());
      for (std::size_t p = 0; p < gold.size(); ++p) {
        double most = -std::numeric_limits<double>::infinity(), total = 0;
        for (Label j = 0; j < labels(); ++j) {
          row[j] = scores(p, j) + log_p[b](p, code_.at(j, b));
          most = std::max(most, row[j]);
        }
        for (const double score : row) total += std::exp(score - most);
        sum.add(most + std::log(total) - row[gold[p]]);
      }
      loss[b] = sum.value();
    });
    const auto best = static_cast<std::size_t>(std::ranges::min_element(loss) - loss.begin());
    used[best] = true;
    bits.push_back(best);
    for (std::size_t p = 0; p < gold.size(); ++p) {
      for (Label j = 0; j < labels(); ++j) scores(p, j) += log_p[best](p, code_.at(j, best));
    }
  }
  keep_bits(bits);
  if (distance(code_).least == 0) fail_apart(wanted, labels());
}

// These alone, of the code and of what was trained.
void CodeTraining::keep_bits(std::span<const std::size_t> bits) {
  code_ = choose_bits(code_, bits);
  std::vector<ChainExpert> chains;
  std::vector<OptimizeResult> results;
  for (const std::size_t b : bits) {
    chains.push_back(std::move(chains_[b]));
    results.push_back(results_[b]);
  }
  chains_ = std::move(chains);
  results_ = std::move(results);
}

CodeTraining::Result CodeTraining::run(const TrainOptions& options, const CodeOptions& code,
                                       const Callback& callback, const Stop& stop) {
  code.validate();
  if (sequences() == 0) throw Error("there is no sequence to train on");
  if (labels() < 2) throw Error("a code needs two labels or more, and the data has one");
  if (encoder_.data.has_edges()) {
    throw UsageError(
        "lines of a template for pairs of labels that look at the data have no place in an "
        "error-correcting model, whose chains have labels 0 and 1; delete them");
  }
  decoder_ = code.decoder;
  make_code(code, options.seed);
  Result result;
  train_bits(options, code, callback, stop, result);
  if (code.words.empty() && code.code.starts_with("minimum-loss") && !result.stopped) {
    choose_by_loss(code, options.seed, options.threads);
  }
  result.bits = code_.bits;
  result.distance = distance(code_);
  for (std::size_t b = 0; b < code_.bits; ++b) {
    result.objective += results_[b].objective;
    result.iterations += results_[b].iterations;
    result.converged += results_[b].converged();
    result.weights += chains_[b].features;
  }
  return result;
}

ContainerWriter CodeTraining::model(const Json& training) const {
  const std::size_t attributes = encoder_.node_names.size();
  std::vector<std::vector<std::uint32_t>> cell(attributes);
  std::vector<std::vector<double>> weight(attributes);
  const std::vector<std::string>& tied_names = extractor_.tied_names();
  std::vector<std::vector<std::uint32_t>> tied_cell(tied_names.size());
  std::vector<std::vector<double>> tied_weight(tied_names.size());
  for (std::size_t b = 0; b < code_.bits; ++b) {
    std::vector<double> difference(attributes, 0.0);
    chains_[b].for_each(chains_[b].node, [&](std::size_t a, std::uint32_t label, double w) {
      difference[a] += label == 1 ? w : -w;
    });
    for (std::size_t a = 0; a < attributes; ++a) {
      if (difference[a] == 0) continue;
      cell[a].push_back(static_cast<std::uint32_t>(b));
      weight[a].push_back(difference[a]);
    }
    chains_[b].for_each(chains_[b].tied, [&](std::size_t r, std::uint32_t pair, double w) {
      tied_cell[r].push_back(static_cast<std::uint32_t>(4 * b + pair));
      tied_weight[r].push_back(w);
    });
  }
  ErrorCorrectingParts parts;
  parts.labels = label_list();
  parts.extraction = &extractor_.config();
  parts.code = &code_;
  parts.decoder = decoder_;
  for (std::size_t r = 0; r < tied_names.size(); ++r) {
    parts.tied.push_back({tied_names[r], tied_cell[r], tied_weight[r]});
  }
  for (std::uint32_t a = 0; a < attributes; ++a) {
    if (!cell[a].empty()) parts.node.push_back({encoder_.node_names[a], cell[a], weight[a]});
  }
  parts.training = &training;
  return make_error_correcting_model(parts);
}

}  // namespace croft
