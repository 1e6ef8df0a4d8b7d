// Boosting of the potentials of segments.
#pragma once

#include "train/boosting/boosted_segment_potentials.h"
#include "train/boosting/boosting.h"
#include "train/segments/segment_data.h"

namespace croft {

class BoostedSegments final : public Boosting {
 public:
  // Both are kept by reference; the extractor's cells are the templates' columns.  Throws
  // UsageError for templates that trees have no use for.
  BoostedSegments(const Extractor& extractor, const SegmentOptions& segments);

  void read_partial_labels(const PartialLabels& how) override { encoder_.partial = how; }
  void add(const TextSequence& sequence, std::string_view file = {}) override {
    encoder_.add(sequence, file);
  }
  std::size_t sequences() const override { return encoder_.sequences(); }
  std::size_t positions() const override { return encoder_.positions(); }
  std::size_t labels() const override { return encoder_.label_names().size(); }
  std::size_t attributes() const override { return encoder_.attributes(); }
  std::size_t partial_positions() const override { return encoder_.partial_positions(); }
  ContainerWriter model(const Json& training) const override;
  TreeArrays trees() const override;

 private:
  // Attributes by numbers of their own, in the order in which the data has them.
  struct Numbers {
    std::vector<std::uint32_t> number;  // [rows of the layout], kUnknown: none yet
    std::vector<std::uint32_t> row;     // [attributes] of the layout
    void add(const AttributeLists& from, std::size_t list, bool only_known, AttributeLists& to);
  };
  void lay_out(const BoostingOptions& options) override;
  const ChainData& data() const override { return data_; }
  void start_others(const BoostingOptions& options) override;
  std::unique_ptr<PotentialObjective> objective(std::size_t width, ThreadPool& pool) override;
  void draw(const std::vector<bool>& sequences) override { drawn_ = sequences; }
  SecondTrees second(const PotentialGradient& gradient) override;
  std::vector<std::vector<std::string_view>> label_holdout(ThreadPool& pool) const override;
  void add_to(Fingerprint& fingerprint) const override;
  std::size_t features() const override;

  void copy_positions();
  void list_inputs();

  const SegmentOptions& options_;
  SegmentEncoder encoder_;
  Numbers of_positions_, of_spans_;
  ChainData data_;
  SegmentExamples held_examples_;
  ChainData held_data_;
  // Of the sequences, and then of those that are held out; inputs of the latter alone come last.
  SpanInputs inputs_;
  std::size_t own_inputs_ = 0;
  std::unique_ptr<BinnedFeatures> span_features_;
  std::vector<Label> spans_;  // labels of segments that have trees
  std::vector<bool> drawn_;
  std::vector<std::uint32_t> span_rows_;  // inputs with a gradient
};

}  // namespace croft
