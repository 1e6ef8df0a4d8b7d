#include "app/train/first_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/parallel.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

// Some of the sequences, as the input of a training.
class SomeSequences final : public TrainingInput {
 public:
  SomeSequences(const DocumentData& data, std::vector<std::size_t> which, ExtractionConfig config)
      : data_(data), which_(std::move(which)), extractor_(std::move(config)) {}
  const Extractor& extractor() const override { return extractor_; }
  void read(const Visit& visit) override {
    Extractor::Scratch scratch;
    TextSequence text;
    for (const std::size_t n : which_) {
      const DocumentData::Sequence& each = data_.sequences[n];
      if (each.weight == 0 || each.held_out) continue;
      const std::string& file = data_.files[each.file];
      extractor_.extract(each.rows, true, scratch, text, file);
      text.weight = each.weight;
      text.weight_given = each.weight_given;
      visit(text, file);
    }
  }
  void read_holdout(const Visit&) override {}

 private:
  const DocumentData& data_;
  std::vector<std::size_t> which_;
  Extractor extractor_;
};

// Inner trainings are silent, and stop where the outer one does.
class Inner final : public TrainObserver {
 public:
  explicit Inner(TrainObserver& outer) : outer_(outer) {}
  bool stop() override { return outer_.stop(); }

 private:
  bool see(const TrainStep&) override { return !interruption && !outer_.stop(); }

  TrainObserver& outer_;
};

class Passes {
 public:
  Passes(const DocumentRequest& request, const ExtractionConfig& extraction, DocumentData& data,
         std::size_t threads, TrainObserver& observer)
      : request_(request),
        extraction_(extraction),
        data_(data),
        pool_(threads),
        observer_(observer) {
    for (std::size_t n = 0; n < data.sequences.size(); ++n) {
      const std::size_t d = data.sequences[n].document;
      if (d >= documents_.size()) documents_.resize(d + 1);
      documents_[d].push_back(n);
      if (!data.sequences[n].held_out && (trained_.empty() || trained_.back() != d)) {
        trained_.push_back(d);
      }
    }
    if (trained_.size() >= request.parts) return;
    throw UsageError("the data to train on has ", trained_.size(),
                     trained_.size() == 1 ? Message(" document") : Message(" documents"),
                     ", and --document-parts ", request.parts,
                     " needs as many: give more data, or fewer parts");
  }

  FirstPass run() {
    auto pass = std::make_shared<DocumentPass>();
    pass->by = request_.by;
    pass->column = request_.column;
    pass->own = train(0, dealt(request_.parts, false));
    pass->model = pass->own;
    FirstPass first{pass, read_model(Container::inside(pass->model, "the first pass"))};
    if (!first.model->has_probabilities()) {
      throw UsageError(
          "--documents: this training gives no probabilities, of which the first pass is "
          "made");
    }
    shares_.resize(data_.sequences.size());
    for (std::size_t part = 0; part < request_.parts; ++part) {
      const std::vector<std::byte> bytes = train(part + 1, dealt(part, false));
      const auto model = read_model(Container::inside(bytes, "the model of a part"));
      label(*first.model, *model, dealt(part, true));
    }
    label(*first.model, *first.model, held_out());
    fill(*first.model);
    return first;
  }

 private:
  // The sequences of the part, or of all others.
  std::vector<std::size_t> dealt(std::size_t part, bool own) const {
    std::vector<std::size_t> which;
    for (std::size_t k = 0; k < trained_.size(); ++k) {
      if ((k % request_.parts == part) != own) continue;
      for (const std::size_t n : documents_[trained_[k]]) {
        if (!data_.sequences[n].held_out) which.push_back(n);
      }
    }
    return which;
  }
  std::vector<std::size_t> held_out() const {
    std::vector<std::size_t> which;
    for (std::size_t n = 0; n < data_.sequences.size(); ++n) {
      if (data_.sequences[n].held_out) which.push_back(n);
    }
    return which;
  }

  std::vector<std::byte> train(std::size_t number, std::vector<std::size_t> which) {
    observer_.part(fmt::format("first pass: model {} of {}", number + 1, request_.parts + 1));
    const std::unique_ptr<SequenceTrainer> trainer = request_.trainer();
    std::optional<SomeSequences> input;
    Inner inner(observer_);
    train_on(
        *trainer,
        [&] {
          trainer->open();
          ExtractionConfig config = trainer->extraction();
          config.columns = extraction_.columns;
          config.more_columns = extraction_.more_columns;
          config.form = extraction_.form;
          config.kit = extraction_.kit;
          trainer->read(input.emplace(data_, std::move(which), std::move(config)));
        },
        inner);
    if (interruption || observer_.stop()) {
      throw Interrupted("interrupted in the first pass over the documents");
    }
    return trainer->model().bytes();
  }

  void label(const SequenceModel& first, const SequenceModel& model,
             const std::vector<std::size_t>& which) {
    std::vector<ColumnSequence*> rows;
    for (const std::size_t n : which) rows.push_back(&data_.sequences[n].rows);
    auto found = ShareTagger(first, model).tag(rows, pool_);
    for (std::size_t k = 0; k < which.size(); ++k) shares_[which[k]] = std::move(found[k]);
  }

  void fill(const SequenceModel& first) {
    Elsewhere elsewhere(first);
    for (const std::vector<std::size_t>& document : documents_) {
      std::vector<ColumnSequence*> rows;
      std::vector<std::vector<LabelShares>> shares;
      for (const std::size_t n : document) {
        rows.push_back(&data_.sequences[n].rows);
        shares.push_back(std::move(shares_[n]));
      }
      fill_beside(rows, shares, request_.column, elsewhere);
    }
  }

  const DocumentRequest& request_;
  const ExtractionConfig& extraction_;
  DocumentData& data_;
  ThreadPool pool_;
  TrainObserver& observer_;
  std::vector<std::vector<std::size_t>> documents_;  // their sequences
  std::vector<std::size_t> trained_;                 // those that are not held out as a whole
  std::vector<std::vector<LabelShares>> shares_;     // [sequences][positions]
};

}  // namespace

void DocumentData::begin_file(const std::string& name) {
  files.push_back(name);
  rule_ = DocumentRule(by_);
}

void DocumentData::add(ColumnSequence rows, std::string_view line) {
  const bool begins = rule_.begins(rows, line, files.back());
  unseen_ = unseen_ && rule_.is_unseen();
  const std::size_t before = sequences.empty() ? 0 : sequences.back().document + (begins ? 1 : 0);
  sequences.push_back({.rows = std::move(rows), .file = files.size() - 1, .document = before});
}

void DocumentData::end() const {
  if (!unseen_) return;
  throw UsageError("--documents ", by_,
                   ": nothing in the data tells its documents by this; give the mark before each, "
                   "the number of a column, blank-lines, or of lines of spans a key");
}

std::vector<std::size_t> DocumentData::documents() const {
  std::vector<std::size_t> number;
  for (const Sequence& each : sequences) number.push_back(each.document);
  return number;
}

FirstPass run_first_pass(const DocumentRequest& request, const ExtractionConfig& extraction,
                         DocumentData& data, std::size_t threads, TrainObserver& observer) {
  const auto require_column = [&](std::string_view option, std::size_t column) {
    if (column < extraction.columns) return;
    throw UsageError(Message::option(option), " ", column, ": the data has ", extraction.columns,
                     extraction.columns == 1 ? Message(" column") : Message(" columns"),
                     " beside the labels, and the first is 0");
  };
  require_column("document-column", request.column);
  if (const auto column = DocumentRule(request.by).column()) require_column("documents", *column);
  return Passes(request, extraction, data, threads, observer).run();
}

TrainRequest first_pass_request(TrainRequest request) {
  const auto refuse = [](bool given, std::string_view option) {
    if (!given) return;
    throw UsageError(
        Message::option(option),
        " does not go with --documents, whose first pass is trained anew; leave one of "
        "them out");
  };
  refuse(!request.init.empty(), "init");
  refuse(!request.prior.empty(), "prior");
  refuse(!request.unlabelled.empty(), "unlabelled");
  if (request.format != InputFormat::columns) {
    throw UsageError("--documents looks at words, and data of the format ",
                     format_name(request.format), " has none: give columns or spans");
  }
  request.documents = {};
  request.holdout.clear();
  request.group_by.clear();
  request.contiguous = false;
  request.options.early_stop = 0;
  request.weights.clear();
  request.checkpoint.clear();
  request.checkpoint_interval = kCheckpointInterval;
  request.resume = false;
  request.output.clear();
  request.given = nullptr;
  return request;
}

}  // namespace croft
