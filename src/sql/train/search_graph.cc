#include "sql/train/search_graph.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <limits>
#include <memory>

#include "app/evaluate/evaluate_graph.h"
#include "app/label/label_graph.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "features/vocabulary.h"
#include "sql/train/train_graph.h"

namespace croft {
namespace {

GraphTrainRequest request_of(const std::vector<std::string>& arguments) {
  OptionValues values(training_options());
  for (const std::string& each : arguments) values.set_argument(each);
  const KindChoice kind = chosen_kind(values);
  check_meaning(values, kind.bit, kind.shown);
  values.check_company();
  return graph_train_request(values);
}

// What a file has, whatever it is.
std::uint64_t hash_of_file(const std::string& path) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) return 0;  // the training says so
  std::uint64_t hash = hash_string(path);
  std::array<char, 65536> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    hash = hash * 31 + hash_string({block.data(), got});
  }
  return hash;
}

// Sees nothing, and ends a training on Ctrl-C.
class InterruptedBy final : public TrainObserver {
 public:
  bool stop() override { return interruption; }

 protected:
  bool see(const TrainStep&) override { return !interruption; }
};

double metric_of(SearchMetric metric, const GraphEvaluation& found) {
  Counts chunks;
  LogLoss loss;
  bool has_chunks = false;
  for (const DomainEvaluation& each : found.domains) {
    if (each.summary.chunk) {
      has_chunks = true;
      chunks.correct += each.summary.chunk->all.correct;
      chunks.gold += each.summary.chunk->all.gold;
      chunks.predicted += each.summary.chunk->all.predicted;
    }
    if (!each.summary.log_loss) continue;
    loss.total += each.summary.log_loss->total;
    loss.tokens += each.summary.log_loss->tokens;
  }
  if (metric == SearchMetric::log_loss) return loss.per_token();
  if (metric != SearchMetric::chunk_f1) {
    return static_cast<double>(found.correct) / static_cast<double>(found.variables);
  }
  if (has_chunks) return chunks.f1();
  throw UsageError(
      "--metric chunk-f1: the labels of this data are no chunk labels; take accuracy or log-loss");
}

class GraphSearch {
 public:
  explicit GraphSearch(const SearchRequest& request)
      : r_(request), base_(request_of(train_arguments(request, first_values()))) {
    if (!base_.weights.empty()) {
      throw UsageError(
          "a search deals out instances, and --weights lists those of all: give them as a column "
          "weight of the query of variables");
    }
    if (!base_.holdout.empty() || base_.options.early_stop > 0) {
      throw UsageError("a search holds out the folds: leave out --holdout and --early-stop");
    }
    const GraphTables tables = GraphTables::read(Database::open(base_.databases, base_.limits),
                                                 GraphSpec::read(base_.spec));
    instances_ = tables.data().groups();
  }

  std::size_t instances() const { return instances_; }

  // Says which data and which training a state belongs to.
  std::string fingerprint() const {
    std::string text = "graph ";
    for (const std::string& each : r_.options) text += each + " ";
    text += fmt::format("{:016x} ", hash_of_file(base_.spec));
    for (const std::string& each : base_.databases) {
      text += fmt::format("{:016x} ", hash_of_file(each));
    }
    return text;
  }

  // NaN: interrupted.
  double score(const SearchTask& task) const {
    constexpr double kInterrupted = std::numeric_limits<double>::quiet_NaN();
    std::vector<std::string> arguments = train_arguments(r_, task.values);
    try {
      if (task.iterations > 0) {
        arguments.push_back(fmt::format("--max-iterations={}", task.iterations));
      }
      const auto model = trained(arguments, task);
      return interruption ? kInterrupted : score(*model, task);
    } catch (const Interrupted&) {
      return kInterrupted;
    } catch (const UsageError& error) {
      throw UsageError(shell_words(arguments), ": ", error.message());
    }
  }

 private:
  // Those of the first candidate: for what all have in common.
  std::vector<std::string> first_values() const {
    r_.validate();
    std::vector<std::string> values;
    for (const SearchParameter& each : r_.parameters) {
      const bool whole = each.scale == SearchParameter::Scale::integer;
      values.push_back(!each.values.empty() ? each.values.front()
                       : whole              ? fmt::format("{:.0f}", each.low)
                                            : fmt::format("{}", each.low));
    }
    return values;
  }

  // The instances that `numbers` has.
  std::vector<bool> chosen(std::span<const std::size_t> numbers) const {
    std::vector<bool> out(instances_, false);
    for (const std::size_t n : numbers) out[n] = true;
    return out;
  }

  // Others weigh 0, and so are not there.
  std::unique_ptr<GraphModel> trained(const std::vector<std::string>& arguments,
                                      const SearchTask& task) const {
    GraphTrainRequest asked = request_of(arguments);
    asked.options.threads = r_.threads;
    asked.options.seed = r_.seed;
    asked.part = [in = chosen(task.train)](CliqueData& data) {
      std::vector<double> weights(data.groups(), 0.0);
      for (std::uint32_t v = 0; v < data.variables(); ++v) {
        if (in[data.group(v)]) weights[data.group(v)] = data.weight(v);
      }
      data.weigh(std::move(weights));
    };
    const auto trainer = make_graph_trainer(asked);
    InterruptedBy observer;
    trainer->open();
    train_on(
        *trainer, [&] { trainer->read_files(observer); }, observer);
    return std::make_unique<GraphModel>(
        Container::from_bytes(trainer->model().bytes(), "the model"));
  }

  double score(const GraphModel& model, const SearchTask& task) const {
    GraphTables tables = GraphTables::read(
        Database::open(base_.databases, base_.limits),
        graph_spec_from(model.source(), model.container().name()), model, LabelUse::rest);
    tables.data().hold_out(chosen(task.test));
    GraphLabelOptions options;
    options.threads = r_.threads;
    options.seed = r_.seed;
    options.probabilities = options.keep_marginals = r_.metric == SearchMetric::log_loss;
    options.held_out_alone = true;
    const GraphLabels labels = label_graph(model, tables.data(), options);
    return metric_of(r_.metric,
                     evaluate_graph(tables.data(), tables.variables().gold(), labels, {}, true));
  }

  const SearchRequest& r_;
  const GraphTrainRequest base_;
  std::size_t instances_ = 0;
};

}  // namespace

SearchedSettings search_graph_settings(const SearchRequest& request,
                                       const std::function<void(const SearchProgress&)>& progress) {
  const GraphSearch search(request);
  return search_settings(
      request, search.instances(), search.fingerprint(),
      [&](const SearchTask& task) { return search.score(task); }, progress);
}

}  // namespace croft
