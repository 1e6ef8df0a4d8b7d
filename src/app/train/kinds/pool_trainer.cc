// Pools of experts: chains, each to a power.
#include <fmt/format.h>

#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "model/file/kit_record.h"
#include "train/course/report.h"

namespace croft {
namespace {

Json expert_record(const PoolTraining::Expert& expert) {
  Json record = {{"name", expert.name},
                 {"weight", expert.weight},
                 {"divergence", expert.divergence},
                 {"features", expert.features}};
  if (expert.optimization) {
    record["objective_value"] = expert.optimization->objective;
    record["iterations"] = expert.optimization->iterations;
    record["stop"] = stop_reason_name(expert.optimization->reason);
  }
  return record;
}

LabelClasses read_classes(const std::string& path) {
  if (path.empty()) return {};
  LineReader lines(path);
  return read_label_class_file(lines);
}

using Experts = std::span<const std::shared_ptr<const ChainModel>>;

// What write_kit_sections() makes of it; empty: none.
std::vector<std::byte> kit_sections(const ExtractionConfig& config) {
  if (!config.kit) return {};
  ContainerWriter out;
  write_kit_sections(*config.kit, out);
  return out.bytes();
}

// The pool computes what its experts were trained on: their kit, where the request has none, and
// their conjunctions, which no request has.
ExtractionConfig pool_extraction(const TrainRequest& request, Experts experts) {
  ExtractionConfig config = make_extraction(request, nullptr);
  if (experts.empty()) return config;
  const ChainModel& first = *experts.front();
  const ExtractionConfig& known = first.extractor().config();
  const auto refuse = [&](const ChainModel& other, const std::string& what) {
    throw UsageError(first.container().name(), " and ", other.container().name(),
                     " have different ", what,
                     ": the experts of a pool need the same features; train all with the same "
                     "--kit and --induce");
  };
  for (const auto& each : experts) {
    require_no_documents(*each);
    const ExtractionConfig& other = each->extractor().config();
    if (kit_sections(other) != kit_sections(known)) refuse(*each, "feature kits");
    const auto parts = [](const Conjunction& c) { return c.parts; };
    if (!std::ranges::equal(other.conjunctions, known.conjunctions, {}, parts, parts)) {
      refuse(*each, "conjunctions of features");
    }
  }
  if (!config.kit && known.kit) config.kit = known.kit->owning();
  config.conjunctions = known.conjunctions;
  return config;
}

TrainRequest with_pool_defaults(TrainRequest request) {
  if (!request.l2) request.l2 = 0;  // the pool is what keeps experts from saying too much
  TrainOptions& o = request.options;
  if (!o.method && goes_with(Method::lbfgs, o.objective)) {
    o.method = o.regulariser.l1 > 0 ? Method::owlqn : Method::lbfgs;
  } else if (!o.method) {
    o.method = default_method(o.objective, o.regulariser);
  }
  return with_defaults(std::move(request));
}

class PoolTrainer final : public SequenceTrainer {
 public:
  PoolTrainer(const PoolRequest& asked, std::vector<std::shared_ptr<const ChainModel>> experts)
      : SequenceTrainer(with_pool_defaults(asked.train)),
        asked_(asked),
        names_method_(asked.train.options.method.has_value()),
        experts_(std::move(experts)) {
    check_request(request_);
    asked_.pool.validate();
    if (asked_.pool.experts.empty() && asked_.experts.empty() && experts_.empty()) {
      throw UsageError(
          "a pool needs experts: --experts all, random:N, position or labels, or "
          "--expert MODEL");
    }
    asked_.pool.weights.stop = request_.options.stop;
    asked_.pool.weights.stop.max_iterations = request_.max_iterations.value_or(200);
  }
  std::vector<std::string> own_files() const override {
    std::vector<std::string> files = asked_.experts;
    files.push_back(asked_.classes_path);
    return files;
  }
  void open() override {
    if (!asked_.classes_path.empty()) asked_.pool.classes = read_classes(asked_.classes_path);
    asked_.pool.validate();
    for (const std::string& path : asked_.experts) {
      experts_.push_back(ChainModel::read(path));
    }
  }
  ExtractionConfig extraction() const override { return pool_extraction(request_, experts_); }

  TrainOutcome fit(TrainObserver& observer, CheckpointFolder*) override {
    for (const auto& expert : experts_) pool_->add_expert(*expert);
    std::optional<std::size_t> last;
    result_ = pool_->run(
        options_, asked_.pool, [&](std::size_t which, std::size_t count, const TrainProgress& now) {
          if (which != last) {
            observer.part(which == count ? "the experts' weights"
                                         : fmt::format("expert {} of {}", which + 1, count));
          }
          last = which;
          return observer.iteration(step_of(now));
        });
    TrainOutcome outcome = outcome_of(result_.train, options_.regulariser.l1);
    outcome.ahead = fmt::format("{:<40}{:>10}{:>12}{:>10}\n", "expert", "weight", "features", "KL");
    for (const PoolTraining::Expert& each : result_.experts) {
      outcome.ahead += fmt::format("{:<40}{:>10.4f}{:>12}{:>10.4f}\n", each.name, each.weight,
                                   each.features, each.divergence);
    }
    return outcome;
  }

 private:
  SequenceTraining& begin(const Extractor& extractor) override { return pool_.emplace(extractor); }
  Json record() const override {
    Json record = common_record(*options_.method, std::nullopt, result_.train);
    record["pool_weights"] = name_of(asked_.pool.weights.weights);
    record["pool_loss"] = result_.loss;
    for (const PoolTraining::Expert& each : result_.experts) {
      record["experts"].push_back(expert_record(each));
    }
    if (asked_.pool.experts.empty()) {  // all were trained elsewhere
      for (const char* unused : {"objective", "optimizer", "l1", "l2", "features", "min_count"}) {
        record.erase(unused);
      }
    }
    if (asked_.pool.weights.weights == PoolWeights::dirichlet) {
      record["dirichlet"] = asked_.pool.weights.alpha;
    }
    return record;
  }
  ContainerWriter file(const Json& record) const override { return pool_->model(record); }
  Sharing sharing() const override { return Sharing::work; }
  bool names_method() const override { return names_method_; }

  PoolRequest asked_;
  bool names_method_;
  std::vector<std::shared_ptr<const ChainModel>> experts_;
  std::optional<PoolTraining> pool_;
  PoolTraining::Result result_;
};

}  // namespace

std::unique_ptr<SequenceTrainer> make_trainer(
    const PoolRequest& request, std::vector<std::shared_ptr<const ChainModel>> experts) {
  return std::make_unique<PoolTrainer>(request, std::move(experts));
}

}  // namespace croft
