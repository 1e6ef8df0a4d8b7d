#include "app/label/predict.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <unordered_map>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "data/checks.h"

namespace croft {
namespace {

constexpr std::size_t kBlockPositions = 2048;              // about a millisecond of work
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;  // where positions are long texts
constexpr std::size_t kBlocksPerThread = 4;

// What evaluation needs of a sequence.
struct Scored {
  std::vector<std::string> gold;
  std::vector<Label> predicted;
  std::vector<double> probability;  // of the predicted labels; none from a vote
  std::vector<double> brier;        // parallel to it
  // Where labels are ranked: [positions][labels] marginals, and the gold labels' numbers.
  Matrix<double> marginals;
  std::vector<Label> gold_number;
  double negative_log_probability = 0;
  std::vector<std::string> impossible;  // gold labels of probability 0, where that is infinite

  void archive(StateArchive& state) {
    state(gold, predicted, probability, brier, gold_number, negative_log_probability, impossible);
    std::size_t rows = marginals.rows(), columns = marginals.columns();
    state(rows, columns);
    if (state.reading()) marginals.reshape(rows, columns);
    for (std::size_t r = 0; r < rows; ++r) state(marginals[r]);
  }
};

// Of what was read of it; its attributes come later.
std::size_t bytes_of(const InputSequence& sequence) {
  std::size_t bytes =
      sequence.document.text.size() + sequence.lines.text.size() + sequence.given.text.size();
  for (std::size_t t = 0; t < sequence.rows.rows(); ++t) bytes += sequence.rows.line(t).size();
  const StringLists& node = sequence.text.node;
  for (std::size_t k = 0; k < node.items(); ++k) bytes += node.item(k).size();
  return bytes;
}

// Sequences of one task, and what became of them.
struct Block {
  std::vector<InputSequence> sequences;
  std::size_t used = 0, positions = 0, bytes = 0;
  std::size_t first = 0;       // number of the first sequence in the whole input
  std::string output;          // of predict_stream
  PredictCounts counts;        // likewise: those without a labelling
  std::exception_ptr error;    // what ended it; the output has what came before
  std::vector<Scored> scored;  // of evaluate_model
};

// The blocks that are worked on at once.  An error of the reader waits until what was read before
// it has been worked on.
class Batch {
 public:
  Batch(std::size_t threads, std::size_t first)
      : blocks_(threads * kBlocksPerThread), sequences_(first) {}

  // Fills blocks from the source.  False at the end.
  bool fill(SequenceSource& source) {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    try {
      while (!at_end_ && !full()) {
        if (source.next(next_)) {
          add();
        } else {
          at_end_ = true;
        }
      }
    } catch (const Error&) {
      if (filled_ == 0) throw;
      error_ = std::current_exception();
    }
    return filled_ > 0;
  }

  // The blocks that have been filled; from then on, fill() begins anew.
  std::span<Block> take() { return {blocks_.data(), std::exchange(filled_, 0)}; }

 private:
  bool full() const { return filled_ == blocks_.size() && is_full(blocks_.back()); }
  static bool is_full(const Block& block) {
    return block.positions >= kBlockPositions || block.bytes >= kBlockBytes;
  }

  void add() {
    if (filled_ == 0 || is_full(blocks_[filled_ - 1])) {
      Block& empty = blocks_[filled_++];
      empty.used = empty.positions = empty.bytes = 0;
      empty.first = sequences_;
    }
    Block& block = blocks_[filled_ - 1];
    if (block.used == block.sequences.size()) block.sequences.emplace_back();
    block.bytes += bytes_of(next_);
    block.positions += std::max(next_.rows.rows(), next_.text.length());
    std::swap(block.sequences[block.used++], next_);
    ++sequences_;
  }

  std::vector<Block> blocks_;
  std::size_t filled_ = 0;
  InputSequence next_;     // which may have to be waited for, while the blocks are worked on
  std::size_t sequences_;  // read so far, in the whole input
  std::exception_ptr error_;
  bool at_end_ = false;
};

// What one thread needs.
struct Worker {
  explicit Worker(const TagPlan& plan) : tagger(plan) {}
  Tagger tagger;
  Extractor::Scratch extraction;
};

struct Unhooked {
  SequenceSource& source;
  ~Unhooked() { source.before_waiting({}); }
};

// task(block, worker) for every block of the source, commit(block) in order.  Where the source has
// to wait, what it has given is worked on first, and then flush() is called.
template <class Task, class Commit>
void for_each_block(const TagPlan& plan, SequenceSource& source, ThreadPool& pool, const Task& task,
                    const Commit& commit, const std::function<void()>& flush,
                    const std::atomic<bool>* stop, PredictCounts& counts) {
  Batch batch(pool.threads(), counts.sequences);
  std::vector<Worker> workers;
  for (std::size_t k = 0; k < pool.threads(); ++k) workers.emplace_back(plan);
  const auto work = [&] {
    const std::span<Block> blocks = batch.take();
    pool.run_ordered(
        blocks.size(), [&](std::size_t b, std::size_t w) { task(blocks[b], workers[w]); },
        [&](std::size_t b, std::size_t) {
          commit(blocks[b]);
          counts.sequences += blocks[b].used;
          counts.positions += blocks[b].positions;
        });
  };
  source.before_waiting([&] {
    work();
    flush();
  });
  const Unhooked unhook{source};
  while ((stop == nullptr || !*stop) && batch.fill(source)) work();
}

void add_unlabelled(const PredictCounts& from, PredictCounts& to) {
  if (to.unlabelled == 0) {
    to.first_unlabelled = from.first_unlabelled;
    to.first_outcome = from.first_outcome;
  }
  to.unlabelled += from.unlabelled;
}

// Fills block.output; an error waits in the block until what came before it has been written.
void label_block(const TagPlan& plan, const SequenceSource& source,
                 const PredictionFormatter& formatter, const TagOptions& questions,
                 const std::atomic<bool>& stop, Worker& worker, Block& block) {
  block.output.clear();
  block.counts = {};
  const SequenceModel& model = plan.model();
  const bool columns = model.extractor().config().format == InputFormat::columns;
  try {
    for (std::size_t k = 0; k < block.used; ++k) {
      if (stop) throw Interrupted(source.name() + ": interrupted while labelling");
      InputSequence& sequence = block.sequences[k];
      const TextSequence& text = sequence.text;
      const ColumnSequence* rows = sequence.rows.rows() > 0 ? &sequence.rows : nullptr;
      const ReadSequence read{
          .rows = rows, .lines = columns ? nullptr : &sequence.lines, .file = &source.name()};
      TagInput input{text, rows, source.name(), block.first + k};
      if (plan.tags_as_read() && (columns || block.counts.attributes.known())) {
        source.extract_labels(sequence);
        input.read = &read;
      } else {
        source.extract(sequence, worker.extraction);
        if (!columns) block.counts.attributes.look(model, text);
      }
      const Tagging& tagging = worker.tagger.tag(input, questions);
      formatter.append(sequence, tagging, block.output);
      if (tagging.outcome.found) continue;
      add_unlabelled({.unlabelled = 1,
                      .first_unlabelled = {source.name(), text.first_line},
                      .first_outcome = tagging.outcome},
                     block.counts);
    }
  } catch (const Error&) {
    block.error = std::current_exception();
  }
}

}  // namespace

void predict_stream(const TagPlan& plan, SequenceSource& source, const PredictOptions& options,
                    ThreadPool& pool, const PredictOutput& output, const std::atomic<bool>& stop,
                    PredictCounts& counts) {
  const TagOptions questions = options.questions();
  plan.check(questions);
  const PredictionFormatter formatter(plan, options);
  source.label_documents_on(pool);
  for_each_block(
      plan, source, pool,
      [&](Block& block, Worker& worker) {
        label_block(plan, source, formatter, questions, stop, worker, block);
      },
      [&](Block& block) {
        output.write(block.output);
        if (block.error) std::rethrow_exception(std::exchange(block.error, nullptr));
        add_unlabelled(block.counts, counts);
        counts.attributes.add(block.counts.attributes);
      },
      output.flush, &stop, counts);
  if (!stop) output.write(source.rest());
}

void PredictCounts::add(const PredictCounts& other) {
  sequences += other.sequences;
  positions += other.positions;
  if (unlabelled == 0) {
    first_unlabelled = other.first_unlabelled;
    first_outcome = other.first_outcome;
  }
  unlabelled += other.unlabelled;
  attributes.add(other.attributes);
}

void PredictCounts::archive(StateArchive& state) {
  state(sequences, positions, unlabelled);
  state(first_unlabelled.file, first_unlabelled.line, first_unlabelled.column);
  TagOutcome& o = first_outcome;
  state(o.found, o.exact, o.by_model);
  attributes.archive(state);
}

PredictCounts counts_of_all(Ranks& ranks, const PredictCounts& here) {
  PredictCounts own = here, all;
  StateArchive out;
  own.archive(out);
  for (const std::string& bytes : ranks.gather(out.bytes())) {
    StateArchive in(bytes);
    own.archive(in);
    all.add(own);
  }
  return all;
}

void require_all_labelled(const PredictCounts& counts) {
  if (counts.unlabelled == 0) return;
  std::string problem(why_none(counts.first_outcome));
  if (counts.unlabelled > 1) {
    problem += " (" + std::to_string(counts.unlabelled) + " sequences are without one)";
  }
  const TagOutcome& first = counts.first_outcome;
  throw InputError(counts.first_unlabelled, problem, "",
                   first.by_model
                       ? "train with --alpha (naive-bayes) or --smoothing (hmm) above 0, "
                         "or look for values far from all that training saw"
                   : first.exact ? Message("loosen the constraint, the partial labels or the rules")
                                 : "raise --limit, or loosen the rules");
}

namespace {

using LabelIds = std::unordered_map<std::string_view, Label>;

LabelIds ids_of(const SequenceModel& model) {
  LabelIds ids;
  for (Label y = 0; y < model.labels(); ++y) ids[model.label(y)] = y;
  return ids;
}

double squares(std::span<const double> p, Label gold) {
  double sum = 0;
  for (Label j = 0; j < p.size(); ++j) sum += (p[j] - (j == gold)) * (p[j] - (j == gold));
  return gold < p.size() ? sum : sum + 1;
}

Scored score_sequence(const SequenceModel& model, const LabelIds& label_ids,
                      const TextSequence& text, Tagger& tagger, bool ranking = false) {
  const bool has_p = model.has_probabilities();
  const Tagging& tagging = tagger.tag(text, {.probability = has_p, .marginals = has_p});
  Scored scored;
  scored.predicted = tagging.y;
  std::vector<Label> gold;
  for (std::size_t t = 0; t < text.length(); ++t) {
    scored.gold.emplace_back(text.labels.item(t));
    const auto at = label_ids.find(text.labels.item(t));
    gold.push_back(at == label_ids.end() ? static_cast<Label>(model.labels()) : at->second);
    if (!has_p || !tagging.outcome.found) continue;
    scored.probability.push_back(tagging.marginals(t, tagging.y[t]));
    scored.brier.push_back(squares({tagging.marginals.row(t), model.labels()}, gold[t]));
  }
  if (!has_p) return scored;
  if (ranking && tagging.outcome.found) {
    scored.marginals = tagging.marginals;
    scored.gold_number = gold;
  }
  scored.negative_log_probability = tagging.outcome.found ? tagger.negative_log_probability(gold)
                                                          : std::numeric_limits<double>::infinity();
  if (!tagging.outcome.found || std::isfinite(scored.negative_log_probability)) return scored;
  for (std::size_t t = 0; t < text.length(); ++t) {
    if (gold[t] < model.labels() && tagging.marginals(t, gold[t]) > 0) continue;
    scored.impossible.push_back(scored.gold[t]);
  }
  return scored;
}

void add_to(Evaluation& evaluation, const SequenceModel& model, const Scored& scored) {
  std::vector<std::string_view> gold(scored.gold.begin(), scored.gold.end()), predicted;
  for (const Label y : scored.predicted) predicted.push_back(model.label(y));
  if (predicted.size() < gold.size()) {
    evaluation.add_unlabelled(gold);
  } else {
    evaluation.add(gold, predicted);
  }
  if (!model.has_probabilities()) return;
  evaluation.add_log_loss(scored.negative_log_probability, gold.size(),
                          {scored.impossible.begin(), scored.impossible.end()});
  for (std::size_t t = 0; t < scored.probability.size(); ++t) {
    evaluation.add_probability(scored.probability[t], gold[t] == predicted[t]);
    evaluation.add_brier(scored.brier[t]);
    if (scored.gold_number.empty()) continue;
    evaluation.add_ranked({scored.marginals.row(t), model.labels()}, scored.gold_number[t]);
  }
}

}  // namespace

Evaluation evaluate_model(const SequenceModel& model, SequenceSource& source,
                          const EvaluateRequest& request, ThreadPool& pool) {
  EvaluationOptions report = request.report;
  if (request.ranking) {
    if (!model.has_probabilities()) {
      throw UsageError("--ranking: ", model.container().name(),
                       " decides by votes or by words of bits, and its labels have no "
                       "probabilities");
    }
    for (Label y = 0; y < model.labels(); ++y) report.ranked.emplace_back(model.label(y));
  }
  source.label_documents_on(pool);
  Evaluation evaluation(std::move(report));
  const TagPlan plan(model, request.tag);
  const LabelIds label_ids = ids_of(model);
  PredictCounts counts;
  Ranks& ranks = pool.ranks();
  std::vector<Scored> here;  // that the first process is to evaluate
  const auto commit = [&](const Scored& scored) {
    if (ranks.first()) {
      add_to(evaluation, model, scored);
    } else {
      here.push_back(scored);
    }
  };
  run_together(ranks, [&] {
    for_each_block(
        plan, source, pool,
        [&](Block& block, Worker& worker) {
          block.scored.clear();
          for (std::size_t k = 0; k < block.used; ++k) {
            source.extract(block.sequences[k], worker.extraction);
            block.scored.push_back(score_sequence(model, label_ids, block.sequences[k].text,
                                                  worker.tagger, request.ranking));
          }
        },
        [&](const Block& block) { std::ranges::for_each(block.scored, commit); }, [] {}, nullptr,
        counts);
    model.container().check_unchanged();
  });
  StateArchive out;
  out(here);
  ranks.hand_to_first(out.bytes(), [&](std::string_view bytes) {
    StateArchive in(bytes);
    in(here);
    std::ranges::for_each(here, commit);
  });
  return evaluation;
}

Evaluation evaluate_sequences(const TagPlan& plan, std::span<const TextSequence> sequences,
                              ThreadPool& pool) {
  Evaluation evaluation(plan.scheme());
  const LabelIds label_ids = ids_of(plan.model());
  std::vector<Tagger> taggers;
  for (std::size_t k = 0; k < pool.threads(); ++k) taggers.emplace_back(plan);
  std::vector<Scored> scored(pool.threads());
  pool.run_ordered(
      sequences.size(),
      [&](std::size_t n, std::size_t w) {
        scored[w] = score_sequence(plan.model(), label_ids, sequences[n], taggers[w]);
      },
      [&](std::size_t, std::size_t w) { add_to(evaluation, plan.model(), scored[w]); });
  return evaluation;
}

std::string_view unit_of(const SequenceModel& model) {
  const InputFormat format = model.extractor().config().format;
  return format == InputFormat::text                                     ? "documents"
         : format == InputFormat::csv || format == InputFormat::svmlight ? "examples"
                                                                         : "";
}

namespace {

// Several labels on either side, and not one on both: these are no labels of the same thing.
void require_common_labels(const EvaluationSummary& summary, const std::string& name) {
  std::string gold, predicted;
  std::size_t of_gold = 0, of_predicted = 0;
  for (const NamedCounts& each : summary.labels) {
    if (each.counts.gold > 0 && each.counts.predicted > 0) return;
    if (each.counts.gold > 0 && of_gold++ == 0) gold = each.name;
    if (each.counts.predicted > 0 && of_predicted++ == 0) predicted = each.name;
  }
  if (of_gold < 2 || of_predicted < 2) return;
  throw InputError({name},
                   {"the last two columns have no label in common (", in_quotes(gold),
                    " and others, ", in_quotes(predicted), " and others)"},
                   "",
                   {"without a model they are the gold and the predicted labels, as croft predict "
                    "writes them; ",
                    Message::option("model"), " names the model that is to label the data"});
}

}  // namespace

Evaluation evaluate_predictions(const std::string& path, const EvaluationOptions& options,
                                const ColumnsForm& form) {
  Evaluation evaluation(options);
  ColumnsReader reader(LineReader(path), 0, RowWidth::as_expected, form);
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
    // A column of labels that is named has been moved to the end.
    if (form.label_column > 0) std::swap(gold, predicted);
    evaluation.add(gold, predicted);
  }
  if (!any) fail_no_sequences(reader.name());
  require_common_labels(evaluation.summary(), reader.name());
  return evaluation;
}

Evaluation evaluate_spans(const std::string& path, EvaluationOptions options) {
  options.scheme = ChunkScheme::bio;
  Evaluation evaluation(std::move(options));
  SpanReader reader{LineReader(path)};
  SpanSequence sequence;
  bool any = false;
  const auto spelled = [&](const std::optional<std::vector<LabelledSpan>>& spans) {
    return labels_of_spans(*spans, sequence.length(), ChunkScheme::bio);
  };
  while (reader.next(sequence)) {
    any = true;
    if (!sequence.gold) {
      throw InputError({reader.name(), sequence.line_number}, "a line without \"gold\"",
                       sequence.line,
                       "give what predict --to spans writes for labelled data, or name a model");
    }
    const std::vector<std::string> gold = spelled(sequence.gold);
    const std::vector<std::string_view> names(gold.begin(), gold.end());
    if (!sequence.spans) {
      evaluation.add_unlabelled(names);
      continue;
    }
    const std::vector<std::string> predicted = spelled(sequence.spans);
    evaluation.add(names, std::vector<std::string_view>(predicted.begin(), predicted.end()));
  }
  if (!any) fail_no_sequences(reader.name());
  return evaluation;
}

}  // namespace croft
