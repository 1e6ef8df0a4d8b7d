// A naive Bayes model in its file: parameters to predict with, and the statistics that they come
// from, to add data to.  docs/format.md.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/kinds/naive_bayes.h"
#include "model/kinds/sequence_model.h"

namespace croft {

inline constexpr std::string_view kNaiveBayes = "naive-bayes";

// Each position by itself: a chain without transitions.
class NaiveBayesModel final : public SequenceModel, public OpensFile<NaiveBayesModel> {
 public:
  // Maps the file: the cost does not grow with its attributes.
  explicit NaiveBayesModel(Container container);

  std::size_t attributes() const { return names_.size(); }
  std::string attribute(std::uint32_t id) const { return names_.string(id); }
  std::uint32_t find(std::string_view attribute) const { return names_.find(attribute); }
  AttributeEvent event(std::uint32_t id) const { return events_[id]; }
  bool has_gaussians() const { return width_ > 1; }
  const NaiveBayesOptions& options() const { return options_; }
  const std::string& event_choice() const { return event_choice_; }  // as --event names it
  const NaiveBayesScorer& scorer() const { return scorer_; }

  // [L] log p(y), and the parameters of an attribute, [width][L]: NaiveBayesParameters.
  std::span<const double> prior() const { return prior_; }
  std::span<const double> constant() const { return constant_; }
  std::span<const double> row(std::uint32_t id) const {
    return parameters_.subspan(id * width_ * labels(), width_ * labels());
  }

  // By the ids of the file; copied out of the map, and checked.  Throws Error where it is damaged.
  NaiveBayesStatistics statistics() const;
  NaiveBayesParameters parameters() const;  // largest_variance: 0

 private:
  // state(t, j) = log p(x_t, y_t = j).  In single precision less their largest, which no posterior
  // notices: log p(x) can be large.
  //   cost : a look-up and L products for each attribute; NaiveBayesScorer::score
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<float>& out) const override;
  void make_scores(const TextSequence& sequence, Scratch& scratch,
                   ChainScores<double>& out) const override;
  template <class Real>
  void score_in(const TextSequence& sequence, Scratch& scratch, ChainScores<Real>& out) const;
  void read_options();
  bool may_forbid() const override { return true; }

  CompactVocabulary names_;
  std::span<const AttributeEvent> events_;  // [A]
  std::span<const double> prior_, constant_, parameters_;
  std::size_t width_ = 1;
  bool sums_ = false;
  NaiveBayesOptions options_;
  std::string event_choice_;
  NaiveBayesScorer scorer_;
};

// What a model file is made from.
struct NaiveBayesParts {
  std::vector<std::string> labels;
  const ExtractionConfig* extraction = nullptr;
  std::vector<std::string_view> names;  // [A]
  const NaiveBayesStatistics* statistics = nullptr;
  const NaiveBayesParameters* parameters = nullptr;
  NaiveBayesOptions options;
  std::string event_choice;
  const Json* training = nullptr;
};
// The sections of the file; the bytes do not depend on the order of the attributes.
ContainerWriter make_naive_bayes_model(const NaiveBayesParts& parts);

}  // namespace croft
