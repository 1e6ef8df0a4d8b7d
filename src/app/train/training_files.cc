// The data of a request: where it comes from, what of it is held out, how it becomes strings.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>

#include "app/convert/texts/convert_texts.h"
#include "app/evaluate/evaluation.h"
#include "app/label/model_tokenizer.h"
#include "app/label/sequence_source.h"
#include "app/train/data_fit.h"
#include "app/train/data_groups.h"
#include "app/train/feature_kit_file.h"
#include "app/train/file_shares.h"
#include "app/train/first_pass.h"
#include "app/train/train_files.h"
#include "core/json.h"
#include "core/unicode.h"
#include "core/words/counted.h"
#include "croft/core/random.h"
#include "data/checks.h"

namespace croft {
namespace {

std::string read_file(const std::string& path) {
  const auto fail = [&](const char* what) {
    throw Error(path + ": cannot " + what + ": " + std::strerror(errno));
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) fail("open");
  std::string text;
  char block[4096];
  while (const std::size_t got = std::fread(block, 1, sizeof block, file.get())) {
    text.append(block, got);
  }
  if (std::ferror(file.get()) != 0) fail("read");
  return text;
}

// Sequences from the first file on, one after the other; the number of columns comes from the first
// row.
class TrainingFiles final : public TrainingInput {
 public:
  TrainingFiles(const TrainRequest& request, ExtractionConfig config, TrainObserver& observer,
                DataRules rules)
      : request_(request),
        observer_(observer),
        rules_(std::move(rules)),
        ranks_(*request.options.ranks) {
    if (!request.foreign.empty()) {
      if (!ranks_.alone()) {
        throw UsageError("--format ", request.foreign,
                         ": several processes share out data of this program's own formats: "
                         "convert it first");
      }
      for (const std::string& path : request.data) files_.emplace_back(open(path));
    } else if (needs_fit(config) || request.divides_whole_data() || request.documents.any()) {
      for (const std::string& path : request.data) files_.emplace_back(path);
    }
    if (config.format == InputFormat::columns) {
      set_form(config);
      first_reader_.emplace(
          watched(files_.empty() ? LineReader(request.data.front()) : files_[0].lines()),
          request.spans, config.more_columns ? config.columns + 1 : 0, false, config.more_columns,
          config.form);
      // Sequences without a token (of spans) do not say how many columns there are.
      for (bool found = next_rows();; ++sequences_, found = next_rows()) {
        if (!found) fail_no_sequences(first_reader_->name());
        if (first_rows_.rows() > 0) break;
      }
      if (rules_.labelled) require_labels(first_rows_, first_reader_->name());
      if (!config.more_columns) {
        config.columns = first_reader_->columns() - (rules_.labelled ? 1 : 0);
      }
      name_ = first_reader_->name();
    }
    if (rules_.complete) rules_.complete(config);
    if (needs_fit(config)) {
      fit_extraction(files_, request.csv.value_or(CsvOptions()), config, request.spans,
                     [&](const std::string& warning) { observer_.warn(warning); });
    }
    words_ = config.format == InputFormat::text &&
             config.text.tokenizer.analyzer == Analyzer::word && config.text.hash_bits == 0;
    if (!request.weights.empty()) weights_ = read_sequence_weights(request.weights);
    weighs_ = weights_ && std::ranges::any_of(*weights_, [](double each) { return each != 1; });
    if (request.documents.any()) look_at_documents(config);
    extractor_.emplace(std::move(config));
    if (!ranks_.alone()) share_out();
  }
  const Extractor& extractor() const override { return *extractor_; }

  void read(const Visit& visit) override {
    if (documents_) {
      read_documents(visit);
      return;
    }
    std::size_t first = 0;
    if (first_reader_) {
      read_first_columns(visit);
      first = 1;
    }
    const bool optional = rules_.optional && request_.format == InputFormat::attributes;
    const Labels labels = rules_.labelled && !optional ? Labels::required : Labels::optional;
    for (std::size_t k = first; k < request_.data.size() && ranks_.alone(); ++k) {
      read_source(files_.empty() ? LineReader(request_.data[k]) : files_[k].lines(), labels,
                  !rules_.labelled, visit);
    }
    for (const FileShare& share : shares_) {
      read_source(share.lines(), labels, !rules_.labelled, visit, !share.whole);
    }
    if (ranks_.alone()) check_weights(sequences_);
    if (long_terms_ * 5 > terms_) {
      observer_.warn(
          "words of these texts seem to stand without spaces between them; --analyzer mixed makes "
          "terms of their characters");
    }
  }

  void read_unlabelled(const Visit& visit) override {
    weights_.reset();  // they are of the data
    for (const std::string& path : rules_.unlabelled) {
      read_source(open(path, Labels::optional), Labels::optional, true, visit);
    }
  }

  std::size_t sequences_before() const override { return sequences_before_; }

  std::vector<std::size_t> groups() override {
    const bool fraction = holdout_fraction(request_.holdout).has_value();
    if (documents_ && fraction && request_.group_by.empty()) return documents_->documents();
    if (!request_.divides_whole_data()) {
      look_for_documents_ = fraction && !request_.spans;
      return {};
    }
    if (!fraction) {
      throw UsageError(Message::option(request_.group_by.empty() ? "contiguous" : "group-by"),
                       " is of a fraction to hold out, and --holdout ", request_.holdout,
                       " is a file: leave out one of them");
    }
    const bool of_table = request_.foreign == "csv" && !request_.group_by.empty();
    const BlockForm form = of_table ? table_form() : this->form();
    DataBlocks blocks;
    if (of_table) {
      blocks = read_blocks(request_.data, form);
    } else {
      for (const RepeatableFile& file : files_) {
        LineReader lines = file.lines();
        append_blocks(lines, form, blocks);
      }
    }
    std::vector<std::size_t> group = group_by(request_.group_by, blocks, form);
    if (group.empty()) {  // the last sequences, each by itself
      group.resize(blocks.blocks.size());
      std::iota(group.begin(), group.end(), std::size_t{0});
    }
    const std::size_t passed = documents_ ? 0 : std::min(sequences_, group.size());
    group.erase(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(passed));
    return group;
  }

  void read_holdout(const Visit& visit) override {
    SequenceSource source(open(request_.holdout), *extractor_, Labels::required, request_.spans);
    if (documents_) source.look_at_documents(*first_pass_.model, *first_pass_.pass);
    for_each_sequence(source, [&](InputSequence& s) { visit(s.text, source.name()); });
  }

  void describe(Json& record) const override {
    if (request_.spans) record[kSpanFormat] = chunk_scheme_name(*request_.spans);
    const bool kept = extractor_->config().segmenter != nullptr;
    if (kept || !request_.tokenizer.empty()) {
      record["tokenizer"] = kept ? std::string(kKeptSegmenter) : request_.tokenizer;
    }
    if (!request_.foreign.empty()) record["format"] = request_.foreign;
    if (not_utf8_) record["utf8"] = false;
    if (weighs_) record["sequence_weights"] = "file";
  }

 private:
  void set_form(ExtractionConfig& config) const {
    const ColumnsForm& form = request_.form;
    if (form.label_column > 0) config.form.label_column = form.label_column;
    if (!form.ignored.empty()) config.form.ignored = form.ignored;
    if (request_.spans) config.form = {};
    if (!request_.tokenizer.empty()) config.segmenter = request_.segmenter;
    if (form.label_column == 0 || rules_.labelled) return;
    throw UsageError("--label-column: this training takes all columns for observed ones");
  }

  // Reads all of it, and trains the first pass.
  void look_at_documents(ExtractionConfig& config) {
    if (!ranks_.alone()) {
      throw UsageError(
          "--documents: the first pass is trained in one process; start croft without "
          "mpirun");
    }
    documents_.emplace(request_.documents);
    const Extractor plain(config);
    InputSequence sequence;
    for (const RepeatableFile& file : files_) {
      SequenceSource source(file.lines(), plain, Labels::required, request_.spans);
      documents_->begin_file(source.name());
      while (source.next(sequence)) documents_->add(std::move(sequence.rows), sequence.line);
    }
    documents_->end();
    std::vector<DocumentData::Sequence>& all = documents_->sequences;
    check_weights(all.size());
    for (std::size_t n = 0; weights_ && n < all.size(); ++n) all[n].weight = (*weights_)[n];
    if (const auto fraction = holdout_fraction(request_.holdout)) {
      extractor_.emplace(config);  // whose form groups() asks for
      const std::vector<bool> held = held_out_groups(groups(), *fraction, request_);
      for (std::size_t n = 0; n < all.size(); ++n) all[n].held_out = held[n];
    }
    first_pass_ = run_first_pass(request_.documents, config, *documents_, request_.options.threads,
                                 observer_);
    config.documents = first_pass_.pass;
  }

  void read_documents(const Visit& visit) {
    Extractor::Scratch scratch;
    TextSequence text;
    sequences_ = 0;
    for (const DocumentData::Sequence& each : documents_->sequences) {
      name_ = documents_->files[each.file];
      extractor_->extract(each.rows, true, scratch, text, name_);
      hand_on(text, visit);
    }
  }

  LineReader open(const std::string& path, Labels labels = Labels::required) const {
    if (request_.foreign.empty()) return LineReader(path);
    TextReading reading = request_.reading;
    reading.labels = labels == Labels::required ? TableLabels::needed : TableLabels::if_there;
    if (!request_.tokenizer.empty()) reading.tokenizer = text_tokenizer(request_.tokenizer);
    reading.warn = [this](const std::string& warning) { observer_.warn(warning); };
    return foreign_lines(path, request_.foreign, std::move(reading));
  }

  // Features of strings that look the same and are others in another file are a slip, as a rule.
  LineReader watched(LineReader lines) {
    if (not_utf8_) return lines;
    lines.when_not_utf8([this](const Location& at) {
      if (!std::exchange(not_utf8_, true)) observer_.warn(not_utf8_warning(at));
    });
    return lines;
  }

  // Of a table with a column of texts, whose groups another column names.
  BlockForm table_form() const {
    if (std::ranges::find(request_.data, "-") != request_.data.end()) {
      throw UsageError(Message::option("group-by"),
                       " of a table with a column of texts reads it twice, and standard input can "
                       "be read once: give a file");
    }
    return {.format = InputFormat::csv, .delimiter = request_.reading.delimiter};
  }
  BlockForm form() const { return form_of(extractor_->config(), request_.spans.has_value()); }

  // From here on this process reads its share alone.
  void share_out() {
    first_reader_.reset();
    sequences_ = 0;
    shares_ = share_files(ranks_, request_.data, form());
    const bool by_number = weights_ || holdout_fraction(request_.holdout);
    if (!by_number && !request_.divides_whole_data()) return;
    std::size_t own = 0;
    run_together(ranks_, [&] { own = count_sequences(shares_, form()); });
    sequences_before_ = sum_of_earlier(ranks_, own);
    if (weights_) check_weights(sum_of_all(ranks_, own));
  }

  bool next_rows() {
    std::string line;
    return first_reader_->next(first_rows_, line);
  }

  //   part : of a file, which may have no sequence
  void read_source(LineReader lines, Labels labels, bool drop_labels, const Visit& visit,
                   bool part = false) {
    SequenceSource source(watched(std::move(lines)), *extractor_, labels, request_.spans);
    if (part) source.allow_none();
    name_ = source.name();
    for_each_sequence(source, [&](InputSequence& sequence) {
      if (drop_labels) sequence.text.labels.clear();
      hand_on(sequence.text, visit);
    });
  }

  void check_weights(std::size_t sequences) const {
    if (!weights_ || weights_->size() == sequences) return;
    throw InputError({request_.weights},
                     fmt::format("{}, and {} to train on", counted(weights_->size(), "weight"),
                                 counted(sequences, "sequence")),
                     "", "write one weight a line for each sequence of the data, in its order");
  }

  void read_first_columns(const Visit& visit) {
    Extractor::Scratch scratch;
    TextSequence text;
    do {
      if (rules_.labelled) require_labels(first_rows_, first_reader_->name());
      if (look_for_documents_) warn_of_documents();
      extractor_->extract(first_rows_, rules_.labelled, scratch, text, name_);
      hand_on(text, visit);
    } while (next_rows());
  }

  void hand_on(TextSequence& text, const Visit& visit) {
    if (weights_) set_weight(text);
    check_sizes(text, name_);
    positions_ += text.length();
    if (words_) look_at_words(text);
    visit(text, name_);
    if (++sequences_ % 1000 == 0) observer_.reading(counted(positions_, "position"));
  }

  // Whether one of the lines that were left out is a mark.
  static bool begins_document(std::string_view skipped) {
    while (!skipped.empty()) {
      const std::size_t end = skipped.find('\n');
      if (begins_with_cells(skipped.substr(0, end), kDocumentMark)) return true;
      skipped.remove_prefix(std::min(skipped.size(), end == skipped.npos ? end : end + 1));
    }
    return false;
  }

  // Once, where the rows begin with a mark, or such a line stands before them.
  void warn_of_documents() {
    const bool in_row = first_rows_.rows() > 0 && first_rows_.cell(0, 0) == kDocumentMark;
    if (!in_row && !begins_document(first_rows_.skipped)) return;
    observer_.warn(
        ungrouped_warning({name_, first_rows_.first_line}, "on both sides of the hold-out"));
    look_for_documents_ = false;
  }

  // Terms of the first texts, and those that are a clause rather than a word.
  void look_at_words(const TextSequence& text) {
    constexpr std::size_t kEnough = 20'000, kClause = 5;
    for (std::size_t k = 0; k < text.node.items() && terms_ < kEnough; ++k) {
      const std::string_view term = text.node.item(k);
      std::size_t unspaced = 0;
      for (std::size_t at = 0; at < term.size();) {
        const DecodedCharacter c = decode(term, at);
        unspaced += is_unspaced(c.value) ? 1 : 0;
        at += c.size;
      }
      ++terms_;
      long_terms_ += unspaced >= kClause ? 1 : 0;
    }
  }

  void set_weight(TextSequence& text) const {
    if (text.weight_given) {
      throw InputError({name_, text.first_line},
                       "a sequence with a weight of its own, beside --weights", "",
                       "delete its @weight, or do without " + request_.weights);
    }
    const std::size_t n = sequences_before_ + sequences_;
    if (n < weights_->size()) text.weight = (*weights_)[n];
  }

  std::string name_;  // of the file being read, for messages
  const TrainRequest& request_;
  TrainObserver& observer_;
  const DataRules rules_;
  Ranks& ranks_;
  std::vector<FileShare> shares_;     // of this process, where there are more
  std::size_t sequences_before_ = 0;  // of the processes before it, where numbers are looked at
  std::optional<RowReader> first_reader_;
  ColumnSequence first_rows_;
  std::vector<RepeatableFile> files_;  // the data, where it is looked at before it is read
  bool look_for_documents_ = false;    // that a hold-out may divide
  bool not_utf8_ = false;              // a line of the data
  std::optional<Extractor> extractor_;
  std::optional<DocumentData> documents_;       // all of the data, of a model that looks at them
  FirstPass first_pass_;                        // likewise
  std::optional<std::vector<double>> weights_;  // by sequence, what is held out included
  bool weighs_ = false;                         // one of them is not 1
  std::size_t sequences_ = 0, positions_ = 0;
  bool words_ = false;  // texts are cut into words
  std::size_t terms_ = 0, long_terms_ = 0;
};

}  // namespace

// The hold-out as a fraction, when it is one.
std::optional<double> holdout_fraction(const std::string& holdout) {
  double value = 0;
  const char* end = holdout.data() + holdout.size();
  const auto [rest, error] = std::from_chars(holdout.data(), end, value);
  if (holdout.empty() || error != std::errc() || rest != end) return std::nullopt;
  if (!(value > 0 && value < 1)) {
    throw UsageError("--holdout ", holdout, " is not between 0 and 1; give a fraction such as 0.1");
  }
  return value;
}

void require_holdout(const std::string& holdout, std::size_t held_out, std::size_t all,
                     std::string_view what) {
  if (held_out > 0) return;
  throw Error("the hold-out fraction ", holdout, " of ", all, " ", what,
              " is none; give a larger one");
}

namespace {

[[noreturn]] void fail_groups(std::size_t known, std::size_t sequences) {
  throw Error("--group-by: the data had ", known,
              " sequences when groups were looked for, and then ", sequences,
              " were read: leave the files alone while training reads them");
}

std::vector<bool> seen_by_any(Ranks& ranks, const std::vector<bool>& seen) {
  std::vector<double> count(seen.begin(), seen.end());
  count.resize(static_cast<std::size_t>(largest_of_all(ranks, static_cast<double>(count.size()))));
  ranks.sum(count);
  return {count.begin(), count.end()};
}

}  // namespace

std::vector<bool> held_out_groups(const std::vector<std::size_t>& group, double fraction,
                                  const TrainRequest& request) {
  if (group.empty()) return {};
  const std::size_t count = *std::ranges::max_element(group) + 1;
  if (count < 2) {
    throw Error((request.group_by.empty() ? "there is one sequence in all of the data"
                                          : "--group-by finds one group in all of the data") +
                std::string(", which cannot be divided"));
  }
  const auto wanted = static_cast<std::size_t>(std::round(fraction * static_cast<double>(count)));
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (request.contiguous) {
    std::ranges::reverse(order);
  } else {
    Random random(request.seed);
    shuffle(order, random);
  }
  std::vector<bool> held(count), of_sequences;
  for (std::size_t k = 0; k < std::clamp<std::size_t>(wanted, 1, count - 1); ++k) {
    held[order[k]] = true;
  }
  for (const std::size_t g : group) of_sequences.push_back(held[g]);
  return of_sequences;
}

void split_data(const TrainRequest& request, TrainingInput& input, const TrainingInput::Visit& keep,
                const std::function<void(const TextSequence&)>& hold_out) {
  const auto fraction = holdout_fraction(request.holdout);
  Random random(request.seed);
  std::size_t kept = 0, held_out = 0, scored = 0;  // sequences, and positions of the hold-out
  const auto set_aside = [&](const TextSequence& sequence, const std::string& file) {
    if (sequence.has_labels()) {
      scored += request.partial ? count_single_labels(sequence, file, *request.partial)
                                : sequence.length();
    }
    held_out += sequence.length() > 0;
    hold_out(sequence);
  };
  // A column of a new kit that no attribute is of would be one misspelt.
  const ExtractionConfig& config = input.extractor().config();
  const bool by_name =
      !request.kit.empty() && config.kit &&
      (config.format == InputFormat::attributes || config.format == InputFormat::svmlight);
  std::vector<bool> seen;
  bool all_seen = !by_name;
  const std::vector<bool> in_held_group =
      held_out_groups(input.groups(), fraction.value_or(0), request);
  const bool by_group = !in_held_group.empty();
  std::size_t n = input.sequences_before();
  for (std::size_t k = 0; k < n && fraction && !by_group; ++k) random.uniform();
  Ranks& ranks = *request.options.ranks;
  run_together(ranks, [&] {
    input.read([&](TextSequence& sequence, const std::string& file) {
      if (!all_seen) all_seen = config.kit->find_columns(sequence, seen);
      if (by_group && n >= in_held_group.size()) fail_groups(in_held_group.size(), n + 1);
      const bool held = by_group ? in_held_group[n++] : fraction && random.uniform() < *fraction;
      if (held) {
        set_aside(sequence, file);
      } else {
        kept += sequence.length() > 0;
        keep(sequence, file);
      }
    });
    if (!request.holdout.empty() && !fraction) input.read_holdout(set_aside);
  });
  if (ranks.alone() && by_group && n != in_held_group.size()) {
    fail_groups(in_held_group.size(), n);
  }
  if (by_name) config.kit->require_columns(seen_by_any(ranks, seen));
  if (fraction || input.holdout_in_parts()) {
    for (std::size_t* each : {&kept, &held_out, &scored}) *each = sum_of_all(ranks, *each);
  }
  if (fraction) require_holdout(request.holdout, held_out, kept, "sequences");
  if (held_out > 0 && scored == 0) {
    throw Error("no position of the hold-out " + request.holdout +
                " has one label to compare with; hold out sequences whose labels are known");
  }
}

std::unique_ptr<TrainingInput> open_training_files(const TrainRequest& request,
                                                   ExtractionConfig config, TrainObserver& observer,
                                                   DataRules rules) {
  return std::make_unique<TrainingFiles>(request, std::move(config), observer, std::move(rules));
}

namespace {

// A model to go on from has its own way.
void set_features(const TrainRequest& request, const ChainModel* init, ExtractionConfig& config) {
  if (init == nullptr) {
    config.text = request.text.value_or(TextOptions());
    if (!request.stop_words.empty()) {
      config.text.tokenizer.stop_words = read_stop_words(request.stop_words);
    }
    config.text.validate();
    return;
  }
  if (request.text || request.csv) {
    throw UsageError(
        "the model to go on from says how its data becomes features; leave out the options of "
        "--format ",
        format_name(request.format));
  }
  const ExtractionConfig& known = init->extractor().config();
  config.text = known.text;
  if (known.terms) config.terms = known.terms->owning();
  config.csv = known.csv;
}

//   of_texts : how their terms are made, where the data is texts
std::shared_ptr<const FeatureKit> make_kit(const TrainRequest& request, const ChainModel* init,
                                           const TokenizerOptions& of_texts) {
  if (request.kit_of_model) return request.kit_of_model;
  const bool has_one = init != nullptr && init->extractor().config().kit != nullptr;
  if (request.kit.empty()) return has_one ? init->extractor().config().kit->owning() : nullptr;
  if (has_one) {
    throw UsageError("the model to go on from has a feature kit; leave out --kit ", request.kit);
  }
  if (request.format != InputFormat::text) return read_feature_kit(request.kit);
  return read_feature_kit(request.kit, Tokenizer(kit_words(of_texts)));
}

}  // namespace

ExtractionConfig make_extraction(const TrainRequest& request, const ChainModel* init) {
  ExtractionConfig config;
  config.format = request.format;
  config.boundaries = request.boundaries;
  // The default features for words have one of their own.
  const bool words = request.format == InputFormat::columns && request.template_path.empty() &&
                     request.template_text.empty();
  const bool by_default = init != nullptr ? init->extractor().config().intercept
                                          : request.options.kind == ChainKind::maxent && !words;
  if (init != nullptr && request.intercept && *request.intercept != by_default) {
    throw UsageError("the model to go on from ", by_default ? Message("has") : "has no",
                     " intercept: leave out --intercept and --no-intercept");
  }
  config.intercept = request.intercept.value_or(by_default);
  if (init != nullptr) {
    config.conjunctions = init->extractor().config().conjunctions;
    config.form = init->extractor().config().form;
  }
  if (config.format != InputFormat::columns) set_features(request, init, config);
  config.kit = make_kit(request, init, config.text.tokenizer);
  if (config.format != InputFormat::columns) return config;
  if (!request.template_path.empty() || !request.template_text.empty()) {
    const bool file = !request.template_path.empty();
    config.template_text = file ? read_file(request.template_path) : request.template_text;
    config.template_name = file ? request.template_path : "the template";
    config.language = request.language;
    if (config.template_text.find_first_not_of(" \t\r\n") == std::string::npos) {
      throw Error(config.template_name,
                  ": this template is empty; without --template a default set of features for "
                  "words is used");
    }
  } else if (init != nullptr &&
             (init->extractor().has_template() ||
              init->extractor().config().cell_attributes != CellAttributes::none)) {
    const bool intercept = config.intercept;
    const auto kit = config.kit;
    config = init->extractor().config();
    config.kit = kit;
    config.boundaries = config.boundaries || request.boundaries;
    config.intercept = intercept;
  }
  return config;
}

namespace {

bool is_single(std::string_view item, const std::optional<PartialLabels>& how) {
  return !how || (item != how->any && item.find(how->separator) == item.npos);
}

}  // namespace

std::size_t count_single_labels(const TextSequence& text, std::string_view file,
                                const PartialLabels& how) {
  std::size_t count = 0;
  Location where{std::string(file)};
  for (std::size_t t = 0; t < text.length(); ++t) {
    where.line = text.line_of(t);
    count += labels_in(text.labels.item(t), how, where).size() == 1;
  }
  return count;
}

HoldoutScore score_holdout(const HoldoutText& holdout,
                           const std::vector<std::vector<std::string_view>>& predicted,
                           const std::optional<PartialLabels>& how) {
  Evaluation evaluation;
  std::size_t single = 0, correct = 0;  // positions
  for (std::size_t n = 0; n < predicted.size(); ++n) {
    const TextSequence& text = holdout(n);
    std::vector<std::string_view> gold;
    bool complete = true;
    for (std::size_t t = 0; t < text.length(); ++t) {
      gold.push_back(text.labels.item(t));
      if (is_single(gold[t], how)) {
        ++single;
        correct += gold[t] == predicted[n][t];
      } else {
        complete = false;
      }
    }
    if (complete) evaluation.add(gold, predicted[n]);
  }
  HoldoutScore score;
  if (single > 0) score.token_accuracy = static_cast<double>(correct) / static_cast<double>(single);
  if (const auto chunk = evaluation.summary().chunk) score.chunk_f1 = chunk->all.f1();
  return score;
}

}  // namespace croft
