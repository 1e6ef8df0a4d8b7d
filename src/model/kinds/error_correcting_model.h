// A trained error-correcting CRF: a binary chain for each bit of a code, and how their answers make
// a label.  docs/format.md, "Error-correcting codes"; docs/math/error_correcting.md.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kinds/sequence_model.h"
#include "structure/label_code.h"

namespace croft {
class Json;

enum class CodeDecoder {
  product,   // the product of the chains, itself a chain over labels                        (EC.3)
  marginal,  // the label whose bits are most probable, position by position                 (EC.5)
  distance,  // the label whose word is nearest to the bits' probabilities                   (EC.6)
  bits       // the label whose word is nearest to the chains' best bits, as Hamming has it  (EC.4)
};
// Throws UsageError for a name that is none.
CodeDecoder code_decoder_named(std::string_view name);
std::string_view name_of(CodeDecoder decoder);

class ErrorCorrectingModel final : public SequenceModel {
 public:
  static constexpr std::string_view kKind = "error-correcting";
  // Maps the file.  Throws Error as Container::open, and for a model of another kind.
  //   decoder : in the place of the one that the file names
  static std::shared_ptr<const ErrorCorrectingModel> open(
      const std::filesystem::path& path, std::optional<CodeDecoder> decoder = std::nullopt);
  explicit ErrorCorrectingModel(Container container,
                                std::optional<CodeDecoder> decoder = std::nullopt);

  const LabelCode& code() const { return code_; }
  CodeDecoder decoder() const { return decoder_; }
  bool has_probabilities() const override {
    return decoder_ == CodeDecoder::product || decoder_ == CodeDecoder::marginal;
  }

  // Of an attribute and a bit: the weight of 1 less that of 0.
  const FeatureTable& node() const { return node_; }
  // Of row r and the pair (i, j) of bit b: cell 4 b + 2 i + j.
  const FeatureTable& tied() const { return tied_; }
  const TransitionScores<double>& transitions_of(std::size_t bit) const {
    return bit_transitions_[bit];
  }

 private:
  // theta of a chain over the labels.  Of another decoder than `product` it has no transitions, so
  // that the best labelling takes each label by itself.
  //   cost: a look-up for each attribute and its bits, O(B L) a position, and of all but `product`
  //   the inference of B binary chains
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<float>& out) const override;
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<double>& out) const override;
  void read_code();
  void set_bit_transitions();
  template <class Real>
  void score_in(const TextSequence& sequence, Scratch& scratch, ChainScores<Real>& out) const;
  void score_labels(const Matrix<double>& difference, Matrix<double>& out) const;

  LabelCode code_;
  CodeDecoder decoder_ = CodeDecoder::product;
  FeatureTable node_, tied_;
  std::vector<TransitionScores<double>> bit_transitions_;  // [B] of labels 0 and 1
};

// What a model file is made from; views.
struct ErrorCorrectingParts {
  std::vector<std::string> labels;
  const ExtractionConfig* extraction = nullptr;
  const LabelCode* code = nullptr;
  CodeDecoder decoder = CodeDecoder::product;
  std::vector<NamedRow> tied, node;  // cells as above
  const Json* training = nullptr;    // the record
};
ContainerWriter make_error_correcting_model(const ErrorCorrectingParts& parts);

}  // namespace croft
