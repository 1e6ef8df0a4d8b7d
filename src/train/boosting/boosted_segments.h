// Boosting of the potentials of segments.
#pragma once

#include "features/extraction.h"
#include "train/boosting/boosted_segment_potentials.h"
#include "train/boosting/boosted_structure.h"
#include "train/segments/segment_data.h"

namespace croft {

class BoostedSegmentStructure final : public BoostedStructure {
 public:
  // Kept by reference.  Throws UsageError for templates that trees have no use for.
  BoostedSegmentStructure(const Extractor& extractor, const SegmentOptions& segments);

  void read_partial_labels(const PartialLabels& how) override { encoder_.partial = how; }
  void add(const TextSequence& sequence, std::string_view file) override {
    encoder_.add(sequence, file);
  }
  std::size_t sequences() const override { return encoder_.sequences(); }
  std::size_t positions() const override { return encoder_.positions(); }
  std::size_t labels() const override { return encoder_.label_names().size(); }
  std::size_t attributes() const override;
  std::size_t partial_positions() const override { return encoder_.partial_positions(); }
  void lay_out(std::span<const TextSequence> holdout, const BoostingOptions& options) override;
  const ChainData& data() const override { return data_; }
  const AttributeLists& held_out() const override { return held_; }
  void start(const BoostingOptions& options, const BinnedFeatures& features,
             Potentials& potentials) override;
  std::unique_ptr<PotentialObjective> objective(std::size_t width, ThreadPool& pool) override;
  void draw(const std::vector<bool>& sequences) override { drawn_ = sequences; }
  SecondTrees second(Potentials& potentials, const PotentialGradient& gradient) override;
  std::vector<std::vector<std::string_view>> label_holdout(const Potentials& potentials,
                                                           ThreadPool& pool) const override;
  void add_to(Fingerprint& fingerprint) const override;
  ContainerWriter model(const BoostedRounds& rounds, const std::vector<double>& base,
                        const Potentials& potentials, const Json& training) const override;
  std::size_t features() const override;
  TreeArrays trees(const BoostedRounds& rounds) const override;

 private:
  // Attributes by numbers of their own, in the order in which the data has them.
  struct Numbers {
    std::vector<std::uint32_t> number;  // [rows of the layout], kUnknown: none yet
    std::vector<std::uint32_t> row;     // [attributes] of the layout
    void add(const AttributeLists& from, std::size_t list, bool only_known, AttributeLists& to);
  };
  void copy_positions();
  void list_inputs();

  const Extractor& extractor_;
  const SegmentOptions& options_;
  SegmentEncoder encoder_;
  Numbers of_positions_, of_spans_;
  ChainData data_;
  AttributeLists held_;
  std::span<const TextSequence> holdout_;
  SegmentExamples held_examples_;
  ChainData held_data_;
  // Of the sequences, and then of those that are held out; inputs of the latter alone come last.
  SpanInputs inputs_;
  std::size_t own_inputs_ = 0;
  std::unique_ptr<BinnedFeatures> span_features_;
  const BinnedFeatures* features_ = nullptr;
  std::vector<Label> spans_;  // labels of segments that have trees
  std::vector<bool> drawn_;
  std::vector<std::uint32_t> span_rows_;  // inputs with a gradient
};

}  // namespace croft
