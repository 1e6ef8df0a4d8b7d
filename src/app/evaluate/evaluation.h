// How good predictions are: token and sequence accuracy, precision, recall and F1 of labels and of
// chunks, log-loss, calibration.
//
//   Evaluation evaluation;
//   for (each sequence) evaluation.add(gold, predicted);
//   std::string text = format_table(evaluation.summary());
//
// Chunks are counted as conlleval counts them (Tjong Kim Sang & Buchholz 2000), to the last digit
// of its report; docs/evaluation.md defines every number.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/evaluate/ranked_cases.h"
#include "app/label/chunks.h"
#include "croft/core/compensated_sum.h"
#include "data/settings/field_files.h"

namespace croft {
class Json;

// 0 where the whole is 0, as conlleval has it.
double ratio(std::size_t part, std::size_t whole);

struct Counts {
  std::size_t correct = 0, predicted = 0, gold = 0;
  // Fractions in [0, 1]; 0 where the denominator is 0.
  double precision() const;  // correct / predicted
  double recall() const;     // correct / gold
  double f1() const;         // the harmonic mean of the two
};

// The counts of one label, or of one chunk type.
struct NamedCounts {
  std::string name;
  Counts counts;
};

// Unweighted means over labels; f1 is the mean of the labels' F1, not the F1 of the means.
struct MacroAverage {
  double precision = 0, recall = 0, f1 = 0;
};

// How often a label was predicted where the data has another, or the same.
struct Confusion {
  std::string gold, predicted;
  std::size_t count = 0;
};

struct ChunkSummary {
  ChunkScheme scheme = ChunkScheme::bio;  // as given or detected; never automatic or none
  Counts all;
  // Tokens whose tag and type agree once both sides are read as chunk labels: what conlleval calls
  // accuracy.  Can exceed the number of equal labels, as bioes reads S as B and E as I.
  std::size_t correct_tokens = 0;
  std::vector<NamedCounts> types;  // those in gold or predicted, sorted by name; "" has no type
  // Where confusions were asked for: types of chunks of the same extent; kNoChunk where the other
  // side has none of this extent.  In the order of EvaluationSummary::confusion.
  std::vector<Confusion> confusion;
  static constexpr const char* kNoChunk = "(none)";
};

struct LogLoss {
  double total = 0;            // -log p(gold | x) in nats, summed over sequences; may be infinite
  std::size_t tokens = 0;      // positions of those sequences
  std::size_t impossible = 0;  // sequences whose gold labels have probability 0: total is infinite
  // Gold labels of probability 0 in them, with the number of such sequences; sorted by name.  None
  // where each label is possible by itself, but not beside the others.
  std::map<std::string, std::size_t> impossible_labels = {};
  double per_token() const;   // total / tokens; 0 without tokens
  double perplexity() const;  // exp(per_token()); may be infinite
};

// Predictions whose probability lies in [lower, upper); the last bin includes 1.
struct CalibrationBin {
  double lower = 0, upper = 0;
  std::size_t count = 0, correct = 0;
  double mean_probability = 0;  // of the predictions in the bin; 0 when empty
  double accuracy() const;      // correct / count; 0 when empty
};

// Of the predicted label alone: what the other labels were given is not looked at.
struct Calibration {
  std::vector<CalibrationBin> bins;
  std::size_t count = 0;
  // Mean over predictions of |accuracy - mean probability| of their bin; 0 is perfect.
  double expected_error = 0;
};

struct LabelRanking {
  std::string name;
  RankedCases cases;  // of the label against all others
};

struct EvaluationSummary {
  std::size_t tokens = 0, correct_tokens = 0;        // correct: the labels are the same text
  std::size_t sequences = 0, correct_sequences = 0;  // correct: all their tokens are
  std::size_t unlabelled = 0;  // sequences without a prediction; none of their tokens is correct
  std::vector<NamedCounts> labels;  // those in gold or predicted, sorted by bytes; gold = support
  MacroAverage macro;               // over `labels`
  // Sum over `labels`: each token once, so P = R = F1 = accuracy, where all are predicted.
  Counts micro;
  std::optional<ChunkSummary> chunk;       // where the labels are chunk labels
  std::optional<LogLoss> log_loss;         // where add_log_loss was called
  std::optional<Calibration> calibration;  // where add_probability was called
  std::optional<double> brier;             // mean of add_brier(), in [0, 2], where it was called
  // Where they were asked for.
  std::vector<LabelRanking> rankings;               // by the number of the label
  std::optional<std::vector<Confusion>> confusion;  // the most frequent first, then by name
  std::optional<double> cost;                       // mean over tokens with a prediction

  double token_accuracy() const;     // 0 without tokens
  double sequence_accuracy() const;  // 0 without sequences
};

// What there is beyond what every evaluation has.
struct EvaluationOptions {
  EvaluationOptions(ChunkScheme of = ChunkScheme::automatic) : scheme(of) {}
  ChunkScheme scheme;
  std::vector<std::string> ranked = {};  // labels whose probabilities add_ranked() gets
  bool confusion = false;
  std::optional<CostFile> costs = {};  // of mistakes; later lines override
};

// Feed sequences, then read.  Keeps 8 bytes a token: only all labels together tell the scheme.
// Not thread-safe.
class Evaluation {
 public:
  static constexpr std::size_t kCalibrationBins = 10;  // of equal width

  explicit Evaluation(EvaluationOptions options = {})
      : options_(std::move(options)), ranked_(options_.ranked.size()) {}

  // One sequence, which is also where chunks end.  An empty one is not counted.
  // Throws Error where the lengths differ.
  void add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted);
  // One that has no labelling: nothing is predicted, and no token is correct.
  void add_unlabelled(std::span<const std::string_view> gold);

  // -log p(gold | x) of a sequence in nats, +inf where the model forbids the gold labels, and its
  // number of positions.  Throws Error for NaN and -inf.
  //   impossible : where it is +inf, the gold labels that have probability 0 by themselves
  void add_log_loss(double negative_log_probability, std::size_t positions,
                    const std::set<std::string>& impossible = {});

  // The probability the model gave to the label it predicted, and whether that was right.
  // Rounding beyond [0, 1] by up to 1e-4 (sums in float) is cut off; more, or NaN, throws Error.
  void add_probability(double probability_of_predicted, bool correct);

  // Brier's score of a position: sum_j (p_j - [j is gold])^2, over all labels.
  void add_brier(double squares);

  // The probabilities of options.ranked at a position; nothing where there are none.  Keeps 16
  // bytes for each of them.
  //   gold : the number of the right one; that of none where it is another label
  void add_ranked(std::span<const double> p, std::size_t gold);

  // Time O(tokens + labels log labels).  Without any input all numbers are 0.
  EvaluationSummary summary() const;

 private:
  using LabelId = std::uint32_t;
  static constexpr LabelId kNone = 0xFFFFFFFF;  // nothing is predicted
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  struct BinSums {
    std::size_t count = 0, correct = 0;
    CompensatedSum probability;
  };

  LabelId label_id(std::string_view label);
  std::vector<std::string_view> labels_by_id() const;
  void count_tokens(EvaluationSummary& summary) const;
  std::optional<ChunkSummary> count_chunks() const;
  std::optional<LogLoss> log_loss() const;
  std::optional<Calibration> calibration() const;
  std::vector<Confusion> confusions() const;
  std::vector<Confusion> chunk_confusions(ChunkScheme scheme) const;
  double mean_cost(std::span<const Confusion> all) const;

  EvaluationOptions options_;
  std::vector<std::vector<std::pair<double, bool>>> ranked_;  // [options.ranked][positions]
  std::unordered_map<std::string, LabelId, TextHash, std::equal_to<>> ids_;
  std::vector<LabelId> gold_, predicted_;  // of all sequences, one after the other
  std::vector<std::size_t> ends_;          // of each sequence, in gold_ and predicted_
  CompensatedSum negative_log_probability_;
  std::size_t log_loss_sequences_ = 0, log_loss_tokens_ = 0, impossible_ = 0;
  std::map<std::string, std::size_t> impossible_labels_;
  std::array<BinSums, kCalibrationBins> bins_;
  CompensatedSum brier_;
  std::size_t brier_count_ = 0, unlabelled_ = 0;
};

// For people: percentages with two decimals, one row per chunk type and per label.  Every line ends
// in a newline.
//   unit : what a sequence of one token is called, in the plural, such as "documents"; empty:
//          sequences are counted as well as their tokens
std::string format_table(const EvaluationSummary& summary, std::string_view unit = {});

// For programs: fractions, under the names in docs/evaluation.md.  "log_loss" is null where it is
// unknown or infinite.  Labels are copied byte by byte: dump() throws where they are not UTF-8,
// unless it is told to replace.
Json to_json(const EvaluationSummary& summary);

}  // namespace croft
