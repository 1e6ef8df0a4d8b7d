#include "croft/app/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "croft/core/error.h"
#include "croft/data/checks.h"

namespace croft {
namespace {

constexpr std::size_t kBlockPositions = 2048;  // about a millisecond of work
constexpr std::size_t kBlocksPerThread = 4;

// What evaluation needs of a sequence.
struct Scored {
  std::vector<std::string> gold;
  std::vector<Label> predicted;
  std::vector<double> probability;  // of the predicted labels
  double negative_log_probability;
};

// Sequences of one task, and what became of them.
struct Block {
  std::vector<InputSequence> sequences;
  std::size_t used = 0, positions = 0;
  std::string output;          // of predict_stream
  std::vector<Scored> scored;  // of evaluate_model
};

// Fills blocks from the source; fewer when the rest of the input is not there yet.  An error waits until
// what was read before it has been worked on.
class Batch {
 public:
  explicit Batch(std::size_t threads) : blocks_(threads * kBlocksPerThread) {}

  // The number of blocks filled; 0 at the end.
  std::size_t fill(SequenceSource& source) {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    for (Block& block : blocks_) block.used = block.positions = 0;
    if (at_end_) return 0;
    std::size_t count = 0;
    try {
      for (Block& block : blocks_) {
        ++count;
        while (block.positions < kBlockPositions) {
          if (block.used == block.sequences.size()) block.sequences.emplace_back();
          InputSequence& sequence = block.sequences[block.used];
          if (!source.next(sequence)) {
            at_end_ = true;
            return block.used > 0 ? count : count - 1;
          }
          ++block.used;
          block.positions += std::max(sequence.rows.rows(), sequence.text.length());
          if (!source.ready()) return count;
        }
      }
    } catch (const Error&) {
      error_ = std::current_exception();
      if (count == 1 && blocks_.front().used == 0) std::rethrow_exception(error_);
    }
    return count;
  }
  Block& operator[](std::size_t k) { return blocks_[k]; }

 private:
  std::vector<Block> blocks_;
  std::exception_ptr error_;
  bool at_end_ = false;
};

// What one thread needs.
struct Worker {
  explicit Worker(const ChainModel& model) : tagger(model) {}
  Tagger tagger;
  Extractor::Scratch extraction;
};

class Formatter {
 public:
  Formatter(const ChainModel& model, const PredictOptions& options)
      : model_(model), options_(options) {}

  void append(const InputSequence& sequence, const Tagging& tagging, std::string& out) const {
    if (options_.output == OutputFormat::json) {
      append_json(tagging, out);
      return;
    }
    if (options_.probability) {
      fmt::format_to(std::back_inserter(out), "# probability {:.6g}\n",
                     std::exp(tagging.log_probability));
    }
    for (std::size_t t = 0; t < tagging.y.size(); ++t) {
      char separator = '\t';
      if (options_.output == OutputFormat::columns) separator = append_row(sequence, t, out);
      out += model_.label(tagging.y[t]);
      append_marginals(tagging, t, separator, out);
      out += '\n';
    }
    out += '\n';
  }

 private:
  // The row as read, ready for another cell.
  char append_row(const InputSequence& sequence, std::size_t t, std::string& out) const {
    if (sequence.rows.rows() > 0) {
      const std::string_view line = sequence.rows.line(t);
      const char separator = line.find('\t') != std::string_view::npos ? '\t' : ' ';
      out.append(line) += separator;
      return separator;
    }
    if (sequence.text.has_labels()) out.append(sequence.text.labels.item(t)) += '\t';
    return '\t';
  }

  void append_marginals(const Tagging& tagging, std::size_t t, char separator,
                        std::string& out) const {
    const auto to = std::back_inserter(out);
    if (options_.marginals == MarginalOutput::predicted) {
      fmt::format_to(to, "{}{:.6f}", separator, tagging.marginals(t, tagging.y[t]));
    } else if (options_.marginals == MarginalOutput::all) {
      for (Label j = 0; j < model_.labels(); ++j) {
        fmt::format_to(to, "{}{}:{:.6f}", separator, model_.label(j), tagging.marginals(t, j));
      }
    }
  }

  void append_json(const Tagging& tagging, std::string& out) const {
    nlohmann::json document = {{"labels", nlohmann::json::array()}};
    for (const Label y : tagging.y) document["labels"].push_back(model_.label(y));
    if (options_.probability) document["probability"] = std::exp(tagging.log_probability);
    if (options_.marginals != MarginalOutput::none) {
      auto& list = document["marginals"] = nlohmann::json::array();
      for (std::size_t t = 0; t < tagging.y.size(); ++t) {
        if (options_.marginals == MarginalOutput::predicted) {
          list.push_back(tagging.marginals(t, tagging.y[t]));
          continue;
        }
        auto& row = list.emplace_back(nlohmann::json::object());
        for (Label j = 0; j < model_.labels(); ++j) row[model_.label(j)] = tagging.marginals(t, j);
      }
    }
    // Labels that are not UTF-8 cannot be JSON: they are shown with replacement characters.
    out += document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

  const ChainModel& model_;
  const PredictOptions& options_;
};

// task(block, worker) for every block of the source, commit(block) in order.
template <class Task, class Commit>
PredictCounts for_each_block(const ChainModel& model, SequenceSource& source, ThreadPool& pool,
                             const Task& task, const Commit& commit,
                             const std::atomic<bool>* stop) {
  PredictCounts counts;
  Batch batch(pool.threads());
  std::vector<Worker> workers(pool.threads(), Worker(model));
  while (stop == nullptr || !*stop) {
    const std::size_t blocks = batch.fill(source);
    if (blocks == 0) break;
    pool.run_ordered(
        blocks, [&](std::size_t b, std::size_t w) { task(batch[b], workers[w]); },
        [&](std::size_t b, std::size_t) {
          commit(batch[b]);
          counts.sequences += batch[b].used;
          counts.positions += batch[b].positions;
        });
  }
  return counts;
}

}  // namespace

namespace {

// Labels from attribute lines may hold spaces: as columns they could not be read back.
void require_cells(const ChainModel& model) {
  for (Label y = 0; y < model.labels(); ++y) {
    if (model.label(y).find_first_of(" \t") == std::string::npos) continue;
    throw UsageError("the label " + in_quotes(model.label(y)) +
                     " has a space, so it cannot be a column; use --output labels or json");
  }
}

}  // namespace

PredictCounts predict_stream(const ChainModel& model, SequenceSource& source,
                             const PredictOptions& options, ThreadPool& pool,
                             const std::function<void(std::string_view)>& write,
                             const std::atomic<bool>& stop) {
  const TagOptions tag{.probability = options.probability,
                       .marginals = options.marginals != MarginalOutput::none};
  if (options.output == OutputFormat::columns) require_cells(model);
  const Formatter formatter(model, options);
  return for_each_block(
      model, source, pool,
      [&](Block& block, Worker& worker) {
        block.output.clear();
        for (std::size_t k = 0; k < block.used; ++k) {
          InputSequence& sequence = block.sequences[k];
          source.extract(sequence, worker.extraction);
          formatter.append(sequence, worker.tagger.tag(sequence.text, tag), block.output);
        }
      },
      [&](const Block& block) { write(block.output); }, &stop);
}

namespace {

Scored score_sequence(const ChainModel& model,
                      const std::unordered_map<std::string_view, Label>& label_ids,
                      const TextSequence& text, Tagger& tagger) {
  const Tagging& tagging = tagger.tag(text, {.probability = true, .marginals = true});
  Scored scored;
  scored.predicted = tagging.y;
  std::vector<Label> gold;
  for (std::size_t t = 0; t < text.length(); ++t) {
    scored.gold.emplace_back(text.labels.item(t));
    const auto at = label_ids.find(text.labels.item(t));
    gold.push_back(at == label_ids.end() ? static_cast<Label>(model.labels()) : at->second);
    scored.probability.push_back(tagging.marginals(t, tagging.y[t]));
  }
  scored.negative_log_probability = tagger.negative_log_probability(gold);
  return scored;
}

void add_to(Evaluation& evaluation, const ChainModel& model, const Scored& scored) {
  std::vector<std::string_view> gold(scored.gold.begin(), scored.gold.end()), predicted;
  for (const Label y : scored.predicted) predicted.push_back(model.label(y));
  evaluation.add(gold, predicted);
  evaluation.add_log_loss(scored.negative_log_probability, gold.size());
  for (std::size_t t = 0; t < gold.size(); ++t) {
    evaluation.add_probability(scored.probability[t], gold[t] == predicted[t]);
  }
}

}  // namespace

Evaluation evaluate_model(const ChainModel& model, SequenceSource& source, ChunkScheme scheme,
                          ThreadPool& pool) {
  Evaluation evaluation(scheme);
  std::unordered_map<std::string_view, Label> label_ids;
  for (Label y = 0; y < model.labels(); ++y) label_ids[model.label(y)] = y;
  for_each_block(
      model, source, pool,
      [&](Block& block, Worker& worker) {
        block.scored.clear();
        for (std::size_t k = 0; k < block.used; ++k) {
          source.extract(block.sequences[k], worker.extraction);
          block.scored.push_back(
              score_sequence(model, label_ids, block.sequences[k].text, worker.tagger));
        }
      },
      [&](const Block& block) {
        for (const Scored& scored : block.scored) add_to(evaluation, model, scored);
      },
      nullptr);
  return evaluation;
}

Evaluation evaluate_predictions(const std::string& path, ChunkScheme scheme) {
  Evaluation evaluation(scheme);
  ColumnsReader reader{LineReader(path)};
  ColumnSequence rows;
  bool any = false;
  while (reader.next(rows)) {
    any = true;
    if (reader.columns() < 2) {
      throw InputError({reader.name(), rows.first_line, 0}, "one column where two are needed",
                       rows.line(0), "the last two columns are the gold and the predicted label");
    }
    std::vector<std::string_view> gold, predicted;
    for (std::size_t t = 0; t < rows.rows(); ++t) {
      gold.push_back(rows.cell(t, reader.columns() - 2));
      predicted.push_back(rows.cell(t, reader.columns() - 1));
    }
    evaluation.add(gold, predicted);
  }
  if (!any) fail_no_sequences(reader.name());
  return evaluation;
}

}  // namespace croft
