#include "train/part_checkpoints.h"

#include <algorithm>
#include <utility>

#include "train/training_fingerprint.h"

namespace croft {

PartCheckpoints::PartCheckpoints(CheckpointFolder* folder, std::size_t parts,
                                 Checkpointer::State done)
    : folder_(folder), done_(std::move(done)) {
  for (std::size_t k = 0; folder != nullptr && k < parts; ++k) parts_.emplace_back(*this, *folder);
}

bool PartCheckpoints::resume() {
  if (folder_ == nullptr) return false;
  return folder_->restore([&](StateArchive& state) { archive(state); });
}

CheckpointFolder* PartCheckpoints::part(std::size_t which) {
  return folder_ == nullptr ? nullptr : &parts_[which];
}

void PartCheckpoints::done(std::size_t which, const std::function<void()>& keep) {
  const std::scoped_lock hold(lock_);
  keep();
  if (folder_ == nullptr) return;
  parts_[which].bytes.clear();
  folder_->offer([&](StateArchive& state) { archive(state); });
}

void PartCheckpoints::archive(StateArchive& state) {
  done_(state);
  for (Part& each : parts_) state(each.bytes);
}

bool PartCheckpoints::Part::restore(const State& state) {
  if (bytes.empty()) return false;
  StateArchive archive(bytes);
  state(archive);
  archive.finish();
  return true;
}

// The state of each part is of another time: their trainings do not depend on each other.
void PartCheckpoints::Part::offer(const State& state) {
  const std::scoped_lock hold(all_.lock_);
  const auto keep = [&] {
    StateArchive own;
    state(own);
    bytes = own.bytes();
    wanted = false;
  };
  if (wanted) keep();
  all_.folder_->offer([&](StateArchive& archive) {
    for (Part& each : all_.parts_) each.wanted = true;
    keep();
    all_.archive(archive);
  });
}

std::uint64_t parts_fingerprint(const ChainEncoder& data, const TrainOptions& options,
                                std::shared_ptr<const ChainConstraint> constraint,
                                std::string_view own) {
  ChainNames names{.labels = data.label_names.strings(),
                   .tied = {},
                   .node = data.node_names.strings(),
                   .edge = data.edge_names.strings()};
  LabelCost cost;
  if (options.cost) cost = options.cost(names.labels);
  const std::string features = std::to_string(static_cast<int>(options.features)) + " " +
                               std::to_string(options.min_count) + " " +
                               std::to_string(static_cast<int>(options.precision));
  names.labels.push_back(features);
  names.labels.push_back(own);
  ChainLayout layout;
  layout.labels = data.label_names.size();
  layout.constraint = std::move(constraint);
  ThreadPool none(1);
  ChainProblem problem = problem_of(options, data.data, layout, none);
  problem.block = options.block;
  problem.observed_pieces = options.observed_pieces;
  problem.cost = options.cost ? &cost : nullptr;
  problem.method = options.chosen_method(false);
  return TrainingFingerprint{.problem = problem, .names = names, .partial = data.partial}.value();
}

void archive_result(StateArchive& state, OptimizeResult& result) {
  state(result.reason, result.message, result.objective, result.gradient_norm, result.iterations,
        result.evaluations, result.gap);
}

std::vector<double> best_of_starts(std::size_t starts, const TrainStart& train,
                                   const std::function<void(std::size_t start)>& keep,
                                   CheckpointFolder* folder, const Checkpointer::State& kept) {
  std::vector<double> objectives;
  PartCheckpoints checkpoints(folder, starts, [&](StateArchive& state) {
    state(objectives);
    kept(state);
  });
  checkpoints.resume();
  for (std::size_t start = objectives.size(); start < starts; ++start) {
    const StartEnd end = train(start, checkpoints.part(start));
    const auto take = [&] {
      const bool best =
          std::ranges::all_of(objectives, [&](double other) { return end.objective < other; });
      objectives.push_back(end.objective);
      if (best) keep(start);
    };
    if (end.stopped) {
      take();
      break;
    }
    checkpoints.done(start, take);
  }
  return objectives;
}

}  // namespace croft
