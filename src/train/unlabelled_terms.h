// From what is asked of data without labels to terms over the weights of a layout.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "data/settings/field_files.h"
#include "features/chain_data.h"
#include "model/chain_layout.h"
#include "train/functions/unlabelled_function.h"

namespace croft {

struct UnlabelledOptions {
  double entropy = 0;                           // >= 0, its weight
  std::optional<ExpectationFile> expectations;  // of labels where an attribute is
  // In the place of a file: as the labelled data has them, where so many attributes are that say
  // most of the label.  0: none
  std::size_t from_labelled = 0;
  double expectations_weight = 1;  // > 0
  // Rounds in which the model's own labels are trained on, of positions where it is this sure.
  std::size_t self_training = 0;
  double confidence = 0.95;  // 0.5 to 1
  // Co-training: attributes whose names fit are one view, all others the other; each teaches the
  // other.  Empty: there is but one view.
  std::string view;

  bool terms() const { return entropy > 0 || expectations || from_labelled > 0; }
  bool any() const { return terms() || self_training > 0; }
  // Throws UsageError for data without labels that nothing is to be done with, and the other way
  // round.
  void check_data(std::size_t sequences) const;
  void validate() const;  // throws UsageError naming the option
};

// What is expected where an attribute is, by the encoder's numbers.
struct AttributeExpectation {
  struct Bound {
    Label label;
    bool at_least;
    double share;
  };
  std::uint32_t attribute = 0;
  std::string name;            // of the attribute
  Location where;              // no file: labelled data says it
  std::vector<double> target;  // [L], or empty
  std::vector<Bound> bounds;
};

// What a rule says, but for the attribute's number.  Throws InputError (file, line, text, remedy)
// for a label that is none of `labels`, for bounds that no shares keep, and for shares of all
// labels that add up to less than 1.
AttributeExpectation expectation_of(const ExpectationRule& rule, const std::string& file,
                                    const StringTable& labels);

// How often labels are where attributes are.
struct LabelCounts {
  std::vector<std::vector<double>> with;  // [attributes][labels], or empty: never
  std::vector<double> all;                // [labels] > 0 of some
};
// As the counts have them, where those attributes are that say most of the label; then the
// intercept's.  Without names.
//   intercept : its number, or kUnknown
//   eligible  : [attributes]
std::vector<AttributeExpectation> telling_expectations(const LabelCounts& counts,
                                                       std::size_t wanted, std::uint32_t intercept,
                                                       const std::vector<bool>& eligible);

// Throws InputError (file, line, text, remedy) for an attribute that is none of `attributes`, for a
// label that is none of `labels`, and for bounds that no shares keep; Error where the labelled data
// is to say what to expect, and says nothing.
//   labelled : by the encoder's numbers; the sequences that are trained on
//   present  : [attributes] whether the data without labels has them
std::vector<AttributeExpectation> attribute_expectations(const UnlabelledOptions& options,
                                                         const StringTable& labels,
                                                         const StringTable& attributes,
                                                         const ChainData& labelled,
                                                         const std::vector<bool>& present);

// [rows] whether a row's name fits; empty without a pattern.  Throws UsageError where all rows fit,
// or none.
std::vector<bool> rows_of_view(const std::string& pattern, std::span<const std::string_view> rows);

// Weights of terms are relative: with 1 all positions without labels count together as much as the
// labelled ones do, or each for itself where there are no labelled ones.
//   labelled, unlabelled : positions
UnlabelledTerms terms_without_expectations(const UnlabelledOptions& options, std::size_t labelled,
                                           std::size_t unlabelled);
//   row     : of the attribute, in the layout
//   weights : where the weights of the row begin, one for each label
void add_expectation(const AttributeExpectation& expectation, std::uint32_t row,
                     std::uint64_t weights, std::size_t labels, UnlabelledTerms& terms);
// Of chains, all of them.
//   labels               : how many; the layout may have further columns behind them
//   labelled, unlabelled : positions
// Requires: the layout has every label's weight of each of these attributes.
UnlabelledTerms unlabelled_terms(const UnlabelledOptions& options,
                                 std::span<const AttributeExpectation> expectations,
                                 const ChainLayout& layout, const Renumbering& renumbering,
                                 std::size_t labels, std::size_t labelled, std::size_t unlabelled);

// A label counts by the attribute's value, so values below 0 would make no shares: throws Error or
// InputError for an attribute of the terms that has one in `data`, whose ids are the layout's.
void check_values(const UnlabelledTerms& terms, const ChainData& data);
// Throws that error.
[[noreturn]] void refuse_values(const ExpectedAttribute& expected);

}  // namespace croft
