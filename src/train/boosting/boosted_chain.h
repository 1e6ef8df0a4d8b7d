// Boosting of a chain's potentials, or of those of positions that stand by themselves.
#pragma once
#include <string>

#include "features/extraction.h"
#include "train/boosting/boosted_structure.h"

namespace croft {

class BoostedChainStructure final : public BoostedStructure {
 public:
  // kind : kBoostedChain or kBoostedMaxent.  Throws UsageError for templates of edge attributes.
  BoostedChainStructure(const Extractor& extractor, std::string_view kind);

  void read_partial_labels(const PartialLabels& how) override { encoder_.partial = how; }
  void add(const TextSequence& sequence, std::string_view file) override;
  std::size_t sequences() const override { return encoder_.data.sequences(); }
  std::size_t positions() const override { return encoder_.data.positions(); }
  std::size_t labels() const override { return encoder_.label_names.size(); }
  std::size_t attributes() const override { return encoder_.node_names.size(); }
  std::size_t partial_positions() const override;
  void lay_out(std::span<const TextSequence> holdout, const BoostingOptions& options) override;
  const ChainData& data() const override { return encoder_.data; }
  const AttributeLists& held_out() const override { return held_; }
  void start(const BoostingOptions& options, const BinnedFeatures& features,
             Potentials& potentials) override;
  std::unique_ptr<PotentialObjective> objective(std::size_t width, ThreadPool& pool) override;
  void draw(const std::vector<bool>& sequences) override;
  SecondTrees second(Potentials& potentials, const PotentialGradient& gradient) override;
  std::vector<std::vector<std::string_view>> label_holdout(const Potentials& potentials,
                                                           ThreadPool& pool) const override;
  void add_to(Fingerprint& fingerprint) const override;
  ContainerWriter model(const BoostedRounds& rounds, const std::vector<double>& base,
                        const Potentials& potentials, const Json& training) const override;
  std::size_t features() const override { return features_->features(); }
  TreeArrays trees(const BoostedRounds& rounds) const override { return rounds.all(); }

 private:
  const Extractor& extractor_;
  std::string kind_;
  ChainEncoder encoder_;
  std::span<const TextSequence> holdout_;
  AttributeLists held_;
  const BinnedFeatures* features_ = nullptr;
  std::vector<std::uint32_t> later_;  // drawn positions that are no first ones
};

}  // namespace croft
