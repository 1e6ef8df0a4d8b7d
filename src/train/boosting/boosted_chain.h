// Boosting of a chain's potentials, or of those of positions that stand by themselves.
#pragma once
#include <string>

#include "train/boosting/boosting.h"

namespace croft {

class BoostedChain final : public Boosting {
 public:
  // kind : kBoostedChain or kBoostedMaxent, each position of which is a sequence of its own. Throws
  // UsageError for templates of edge attributes.
  BoostedChain(const Extractor& extractor, std::string_view kind);

  void read_partial_labels(const PartialLabels& how) override { encoder_.partial = how; }
  void add(const TextSequence& sequence, std::string_view file = {}) override;
  std::size_t sequences() const override { return encoder_.data.sequences(); }
  std::size_t positions() const override { return encoder_.data.positions(); }
  std::size_t labels() const override { return encoder_.label_names.size(); }
  std::size_t attributes() const override { return encoder_.node_names.size(); }
  std::size_t partial_positions() const override;
  ContainerWriter model(const Json& training) const override;

 private:
  void lay_out(const BoostingOptions& options) override;
  const ChainData& data() const override { return encoder_.data; }
  void start_others(const BoostingOptions& options) override;
  std::unique_ptr<PotentialObjective> objective(std::size_t width, ThreadPool& pool) override;
  void draw(const std::vector<bool>& sequences) override;
  SecondTrees second(const PotentialGradient& gradient) override;
  std::vector<std::vector<std::string_view>> label_holdout(ThreadPool& pool) const override;
  void add_to(Fingerprint& fingerprint) const override;

  std::string kind_;
  ChainEncoder encoder_;
  std::vector<std::uint32_t> later_;  // drawn positions that are no first ones
};

}  // namespace croft
