#include "model/kinds/error_correcting_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/infinity.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_viterbi.h"
#include "model/file/record.h"

namespace croft {
namespace {

constexpr std::array<std::string_view, 1> kCodeKinds = {ErrorCorrectingModel::kKind};
constexpr std::array<std::string_view, 1> kCodeRequired = {"code"};
constexpr std::array<std::string_view, 4> kDecoders = {"product", "marginal", "distance", "bits"};
constexpr std::size_t kMostBits = std::size_t{1} << 16;

std::optional<CodeDecoder> find_decoder(std::string_view name) {
  const auto at = std::ranges::find(kDecoders, name);
  if (at == kDecoders.end()) return std::nullopt;
  return static_cast<CodeDecoder>(at - kDecoders.begin());
}

}  // namespace

CodeDecoder code_decoder_named(std::string_view name) {
  if (const auto decoder = find_decoder(name)) return *decoder;
  throw UsageError("--decoder ", name, " is none of product, marginal, distance and bits");
}

std::string_view name_of(CodeDecoder decoder) {
  return kDecoders[static_cast<std::size_t>(decoder)];
}

std::shared_ptr<const ErrorCorrectingModel> ErrorCorrectingModel::open(
    const std::filesystem::path& path, std::optional<CodeDecoder> decoder) {
  return std::make_shared<const ErrorCorrectingModel>(open_model_file(path), decoder);
}

ErrorCorrectingModel::ErrorCorrectingModel(Container container, std::optional<CodeDecoder> decoder)
    : SequenceModel(std::move(container), kCodeKinds, kCodeRequired) {
  read_code();
  if (decoder) {
    decoder_ = *decoder;
  } else {
    const Record name = record().at("decoder");
    const auto found = find_decoder(name.text());
    if (!found) name.fail("product, marginal, distance or bits");
    decoder_ = *found;
  }
  node_ = FeatureTable(container_, "node", code_.bits);
  tied_ = FeatureTable(container_, "tied", 4 * code_.bits);
  set_bit_transitions();
  if (decoder_ != CodeDecoder::product) {
    TransitionScores<double> none;
    none.assign(labels(), Background::zero, {}, {});
    set_transitions(std::move(none), "tied.weights");
    return;
  }
  // T[i][j] = sum_b of the mean over the bits that i and j may have there                   (EC.3)
  Matrix<double> table(labels(), labels(), 0.0);
  for (std::size_t b = 0; b < code_.bits; ++b) {
    const Matrix<double>& own = bit_transitions_[b].log();
    double of[3][3];
    for (const std::size_t i : {0, 1, 2}) {
      for (const std::size_t j : {0, 1, 2}) {
        const double u = i == kAnyBit ? 0.5 : static_cast<double>(i);
        const double v = j == kAnyBit ? 0.5 : static_cast<double>(j);
        of[i][j] = (1 - u) * ((1 - v) * own(0, 0) + v * own(0, 1)) +
                   u * ((1 - v) * own(1, 0) + v * own(1, 1));
      }
    }
    for (Label i = 0; i < labels(); ++i) {
      const double* row = of[code_.at(i, b)];
      for (Label j = 0; j < labels(); ++j) table(i, j) += row[code_.at(j, b)];
    }
  }
  TransitionScores<double> transitions;
  transitions.assign(std::move(table));
  set_transitions(std::move(transitions), "tied.weights");
}

void ErrorCorrectingModel::read_code() {
  const std::span<const std::uint8_t> bits = container_.numbers<std::uint8_t>("code");
  if (labels() == 0 || bits.empty() || bits.size() % labels() != 0 ||
      bits.size() / labels() > kMostBits ||
      !std::ranges::all_of(bits, [](std::uint8_t bit) { return bit <= kAnyBit; })) {
    container_.fail_section("code");
  }
  code_ = {labels(), bits.size() / labels(), {bits.begin(), bits.end()}};
}

void ErrorCorrectingModel::set_bit_transitions() {
  std::vector<Matrix<double>> tables(code_.bits, Matrix<double>(2, 2, 0.0));
  for (std::uint32_t id = 0; id < tied_.size(); ++id) {
    const WeightRow row = tied_.row(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::uint32_t cell = row.cell(k), b = cell / 4;
      if (b >= code_.bits) continue;
      if (!std::isfinite(row.weight(k)))
        container_.fail_section("tied.weights", "one is not finite");
      tables[b](cell / 2 % 2, cell % 2) += row.weight(k);
    }
  }
  bit_transitions_.resize(code_.bits);
  for (std::size_t b = 0; b < code_.bits; ++b) bit_transitions_[b].assign(std::move(tables[b]));
}

// From differences of scores, [T][B], to scores of labels, [T][L].
void ErrorCorrectingModel::score_labels(const Matrix<double>& difference,
                                        Matrix<double>& out) const {
  const std::size_t length = difference.rows();
  if (decoder_ == CodeDecoder::product) {  // +-d/2: a label that does not care is in the middle
    for (std::size_t t = 0; t < length; ++t) {
      for (Label j = 0; j < code_.labels; ++j) {
        double sum = 0;
        for (std::size_t b = 0; b < code_.bits; ++b) {
          sum += (code_.share(j, b) - 0.5) * difference(t, b);
        }
        out(t, j) = sum;
      }
    }
    return;
  }
  ChainScores<double> chain;
  ViterbiWorkspace<double> viterbi_work;
  ForwardBackwardWorkspace<double> sums;
  Matrix<double> mu(length, 2), log_one(length, code_.bits), log_zero(length, code_.bits);
  std::vector<Label> y(length);
  std::vector<std::uint8_t> best(length * code_.bits);
  for (std::size_t b = 0; b < code_.bits; ++b) {
    chain.reset(length, bit_transitions_[b]);
    for (std::size_t t = 0; t < length; ++t) chain.state(t, 1) = difference(t, b);
    if (decoder_ == CodeDecoder::bits) {
      viterbi<double>(chain, viterbi_work, y);
      for (std::size_t t = 0; t < length; ++t) {
        best[t * code_.bits + b] = static_cast<std::uint8_t>(y[t]);
      }
      continue;
    }
    mu.reshape(length, 2);
    marginals<double>(chain, 1, sums, {mu.row(0), nullptr, nullptr});
    for (std::size_t t = 0; t < length; ++t) {
      log_zero(t, b) = mu(t, 0);
      log_one(t, b) = mu(t, 1);
    }
  }
  constexpr double kLeast = 1e-300;  // a label is never ruled out by rounding
  std::vector<double> wrong(code_.labels);
  for (std::size_t t = 0; t < length; ++t) {
    if (decoder_ == CodeDecoder::bits) {
      hamming_distances(code_, std::span(best).subspan(t * code_.bits, code_.bits), wrong);
      for (Label j = 0; j < code_.labels; ++j) out(t, j) = -wrong[j];
      continue;
    }
    const bool product = decoder_ == CodeDecoder::marginal;
    for (std::size_t b = 0; b < code_.bits; ++b) {
      double& zero = log_zero(t, b);
      double& one = log_one(t, b);
      const double p = one, q = zero;
      zero = product ? std::log(std::max(q, kLeast)) : -p;
      one = product ? std::log(std::max(p, kLeast)) : -q;
    }
    for (Label j = 0; j < code_.labels; ++j) {
      double sum = 0;
      for (std::size_t b = 0; b < code_.bits; ++b) {
        const std::uint8_t bit = code_.at(j, b);
        if (bit == kAnyBit) {  // as good as a coin
          sum += product ? std::log(0.5) : -0.5;
        } else {
          sum += bit == 1 ? log_one(t, b) : log_zero(t, b);
        }
      }
      out(t, j) = sum;
    }
  }
}

template <class Real>
void ErrorCorrectingModel::score_in(const TextSequence& sequence, Scratch& scratch,
                                    ChainScores<Real>& out) const {
  const std::size_t length = sequence.length();
  Matrix<double> difference(length, code_.bits, 0.0);
  node_.find(sequence.node, scratch.node);
  const auto& places = scratch.node.places;
  for (std::size_t t = 0; t < length; ++t) {
    double* row = difference.row(t);
    for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
      const double value = sequence.node.value(k);
      node_.visit(places[k],
                  [&](std::uint32_t b, float weight) { row[b] += value * double{weight}; });
    }
    // What is not finite need not show in the labels' scores.
    if (!all_finite(difference[t])) fail_numbers(sequence, "position " + std::to_string(t));
  }
  scratch.state.reshape(length, labels());
  score_labels(difference, scratch.state);
  out.reset(length, transitions<Real>());
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t j = 0; j < labels(); ++j) {
      out.state(t, j) = static_cast<Real>(scratch.state(t, j));
    }
  }
}

void ErrorCorrectingModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                                       ChainScores<float>& out) const {
  score_in(sequence, scratch, out);
}
void ErrorCorrectingModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                                       ChainScores<double>& out) const {
  score_in(sequence, scratch, out);
}

ContainerWriter make_error_correcting_model(const ErrorCorrectingParts& parts) {
  ContainerWriter out;
  write_common_sections(ErrorCorrectingModel::kKind, *parts.extraction, parts.labels,
                        *parts.training, {{"decoder", name_of(parts.decoder)}}, out);
  out.add_numbers("code", parts.code->bit, ContainerWriter::Kind::required);
  write_feature_table(parts.tied, 4 * parts.code->bits, "tied", out);
  write_feature_table(parts.node, parts.code->bits, "node", out);
  return out;
}

}  // namespace croft
