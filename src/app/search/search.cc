#include "app/search/search.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "app/label/predict.h"
#include "app/search/search_plan.h"
#include "app/search/search_state.h"
#include "app/search/successive_halving.h"
#include "app/search/trials.h"
#include "app/train/data_blocks.h"
#include "app/train/data_groups.h"
#include "app/train/feature_kit_file.h"
#include "core/files.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/data/line_reader.h"
#include "features/vocabulary.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

BlockForm form_of(const SearchRequest& request) {
  return {request.format, request.spans, request.delimiter, request.ignored};
}

std::size_t count_groups(const std::vector<std::size_t>& groups) {
  return groups.empty() ? 0 : 1 + *std::ranges::max_element(groups);
}

// One search over files: each training is given a part of the data as a file.
class TextSearch {
 public:
  TextSearch(const SearchRequest& request, const SearchCalls& calls);
  SearchedSettings run();

 private:
  std::string fingerprint() const;
  std::vector<std::size_t> training_of(std::size_t rung, std::size_t fold) const;
  std::string train(std::size_t rung, std::size_t candidate, std::size_t fold) const;
  double train_and_score(std::size_t rung, std::size_t candidate, std::size_t fold) const;
  double score(std::size_t rung, std::size_t candidate, std::size_t fold) const;
  Location in_users_files(const Location& where, std::size_t rung, std::size_t fold) const;
  std::string why_infinite(std::size_t rung, std::size_t candidate, std::size_t fold);
  std::string part(std::size_t rung, std::size_t fold) const;
  std::string held_out(std::size_t fold) const {
    return r_.dev.empty() ? folder_.file(fmt::format("fold-{}", fold)) : r_.dev;
  }
  void write_parts(std::size_t rung);

  const SearchRequest& r_;
  const SearchCalls& calls_;
  const DataBlocks data_;
  const std::vector<std::size_t> groups_;
  const SearchPlan plan_;
  WorkFolder folder_;
  bool folds_written_ = false;
  SearchState state_;
};

TextSearch::TextSearch(const SearchRequest& request, const SearchCalls& calls)
    : r_(request),
      calls_(calls),
      data_(read_blocks(request.data, form_of(request))),
      groups_(group_by(request.group_by, data_, form_of(request))),
      plan_(request, data_.blocks.size(), groups_) {
  const bool may_divide = request.format == InputFormat::columns && !request.contiguous;
  if (calls.warn && request.group_by.empty() && may_divide) {
    if (const auto mark = document_mark(data_)) {
      calls.warn(ungrouped_warning(*mark, "in several folds"));
    }
  }
  state_.open(r_.state, r_.resume, fingerprint());
}

std::uint64_t hash_file(const std::string& path) {
  LineReader lines(path);
  std::uint64_t hash = hash_string("");
  for (std::string_view line; lines.next(line);) hash = hash * 31 + hash_string(line);
  return hash;
}

// What is in the files that an option names; empty: its value is no file.
std::string files_of(const std::string& option, const std::string& value) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(value, none)) return {};
  std::vector<std::string> files{value};
  if (option == "kit") files = feature_kit_files(value);
  std::string text;
  for (const std::string& file : files) text += fmt::format("file {:016x} ", hash_file(file));
  return text;
}

// All that decides what a score will be.
std::string TextSearch::fingerprint() const {
  std::uint64_t hash = hash_string(data_.header());
  for (const std::string& block : data_.blocks) hash = hash * 31 + hash_string(block);
  std::string text = fmt::format("data {:016x} folds {} eta {} smallest {} metric {} seed {} ",
                                 hash, r_.folds, r_.eta, r_.smallest, name_of(r_.metric), r_.seed);
  if (r_.resource == SearchResource::iterations) {
    text += fmt::format("iterations {} ", r_.iterations);
  }
  if (!r_.dev.empty()) text += fmt::format("dev {:016x} ", hash_file(r_.dev));
  if (r_.contiguous) text += "contiguous ";
  if (!r_.group_by.empty()) text += "group-by " + r_.group_by + " ";
  for (const std::string& option : r_.options) {
    text += option + " ";
    const std::size_t equals = option.find('=');
    if (!option.starts_with("--") || equals == std::string::npos) continue;
    text += files_of(option.substr(2, equals - 2), option.substr(equals + 1));
  }
  for (const SearchParameter& p : r_.parameters) {
    text += "--" + p.option + " ";
    for (const std::string& value : p.values) text += files_of(p.option, value);
  }
  for (const auto& candidate : plan_.candidates) {
    for (const std::string& value : candidate) text += value + " ";
  }
  return fmt::format("{:016x}", hash_string(text));
}

std::string TextSearch::part(std::size_t rung, std::size_t fold) const {
  const bool all = r_.resource == SearchResource::iterations;
  return folder_.file(named_like(r_.data.front(), fmt::format("part-{}-{}", all ? 0 : rung, fold)));
}

std::vector<std::size_t> TextSearch::training_of(std::size_t rung, std::size_t fold) const {
  const bool all = r_.resource == SearchResource::iterations;
  return plan_.training_of(all ? 1.0 : plan_.rungs[rung].share, fold);
}

void TextSearch::write_parts(std::size_t rung) {
  const bool all = r_.resource == SearchResource::iterations;
  const bool first = !folds_written_;  // a search that goes on begins at any rung
  folds_written_ = true;
  if (all && !first) return;
  for (std::size_t fold = 0; fold < r_.folds; ++fold) {
    if (first && r_.dev.empty()) write_text(held_out(fold), data_.text(plan_.test_of(fold)));
    write_text(part(rung, fold), data_.text(training_of(rung, fold)));
  }
}

// The model's file.
std::string TextSearch::train(std::size_t rung, std::size_t candidate, std::size_t fold) const {
  const std::string model = folder_.file(fmt::format("model-{}-{}-{}", rung, candidate, fold));
  std::vector<std::string> arguments = train_arguments(r_, plan_.candidates[candidate]);
  if (r_.resource == SearchResource::iterations) {
    const std::size_t count = rung_iterations(plan_.rungs[rung].share, r_.iterations);
    arguments.push_back(fmt::format("--max-iterations={}", count));
  }
  for (const char* each : {"--quiet", "--threads=1"}) arguments.emplace_back(each);
  arguments.push_back("--output=" + model);
  arguments.push_back(part(rung, fold));
  calls_.train(arguments);
  return model;
}

double TextSearch::train_and_score(std::size_t rung, std::size_t candidate,
                                   std::size_t fold) const {
  double score = std::numeric_limits<double>::quiet_NaN();
  try {
    const std::string model = train(rung, candidate, fold);
    if (!interruption) {
      const auto trained = open_model(model);
      SequenceSource source(held_out(fold), *trained, Labels::required);
      ThreadPool alone(1);
      score = score_of(r_.metric,
                       evaluate_model(*trained, source, ChunkScheme::automatic, alone).summary());
    }
    std::error_code none;
    std::filesystem::remove(model, none);
  } catch (const InputError& error) {
    throw InputError(in_users_files(error.where(), rung, fold), error.fault());
  }
  return score;
}

// Of a place in a part of the data: where the user has it.
Location TextSearch::in_users_files(const Location& where, std::size_t rung,
                                    std::size_t fold) const {
  const bool training = where.file == part(rung, fold);
  if (!training && (where.file != held_out(fold) || !r_.dev.empty())) return where;
  if (where.line == 0) return {data_.files.front().name + " (a part of the data)"};
  Location origin =
      data_.origin(training ? training_of(rung, fold) : plan_.test_of(fold), where.line);
  origin.column = where.column;
  return origin;
}

// NaN: interrupted.
double TextSearch::score(std::size_t rung, std::size_t candidate, std::size_t fold) const {
  try {
    return train_and_score(rung, candidate, fold);
  } catch (const Interrupted&) {
    return std::numeric_limits<double>::quiet_NaN();
  } catch (const UsageError& error) {
    throw UsageError(shell_words(train_arguments(r_, plan_.candidates[candidate])), ": ",
                     error.message());
  }
}

// Trains once more, as a score does not say where it is from (it may be of a state).
std::string TextSearch::why_infinite(std::size_t rung, std::size_t candidate, std::size_t fold) {
  std::string where =
      fmt::format("fold {} has a sequence that the others make impossible", fold + 1);
  write_parts(rung);
  const auto trained = open_model(train(rung, candidate, fold));
  SequenceSource source(held_out(fold), *trained, Labels::required);
  std::set<std::string> known;
  for (std::size_t y = 0; y < trained->labels(); ++y) known.emplace(trained->label(y));
  std::string unknown;
  for_each_sequence(source, [&](const InputSequence& sequence) {
    const StringLists& labels = sequence.text.labels;
    for (std::size_t t = 0; unknown.empty() && t < labels.items(); ++t) {
      if (known.contains(std::string(labels.item(t)))) continue;
      unknown = labels.item(t);
      if (!r_.dev.empty()) {
        where = fmt::format("{}:{}: the label {} of this sequence is unknown to the training data",
                            r_.dev, sequence.text.first_line, in_quotes(unknown));
        continue;
      }
      const Location at = data_.origin(plan_.test_of(fold), sequence.text.first_line);
      where = fmt::format(
          "{}:{}: the label {} of this sequence, in fold {}, is unknown to the "
          "data that this fold's models are trained on",
          at.file, at.line, in_quotes(unknown), fold + 1);
    }
  });
  return where;
}

SearchedSettings TextSearch::run() {
  const SuccessiveHalving::Calls calls{
      .begin = [&](std::size_t rung) { write_parts(rung); },
      .score = [&](std::size_t rung, std::size_t candidate,
                   std::size_t fold) { return score(rung, candidate, fold); },
      .why = [&](std::size_t rung, std::size_t candidate,
                 std::size_t fold) { return why_infinite(rung, candidate, fold); },
      .progress = calls_.progress};
  SearchedSettings found = SuccessiveHalving(r_, plan_, state_, data_.blocks.size(), calls).run();
  found.groups = count_groups(groups_);
  return found;
}

}  // namespace

SearchedSettings search_settings(const SearchRequest& request, const SearchCalls& calls) {
  request.validate();
  return TextSearch(request, calls).run();
}

// A search whose trainings are the caller's.

namespace {

std::string fingerprint(const SearchSettings& s, const SearchPlan& plan, const std::string& data) {
  std::string text =
      fmt::format("{} folds {} eta {} smallest {} metric {} seed {} iterations {} ", data, s.folds,
                  s.eta, s.smallest, name_of(s.metric), s.seed, s.iterations);
  if (s.contiguous) text += "contiguous ";
  for (const std::size_t group : s.groups) text += fmt::format("{} ", group);
  for (const SearchParameter& p : s.parameters) text += p.option + " ";
  for (const auto& candidate : plan.candidates) {
    for (const std::string& value : candidate) text += value + " ";
  }
  return fmt::format("{:016x}", hash_string(text));
}

}  // namespace

SearchedSettings search_settings(const SearchSettings& settings, std::size_t sequences,
                                 const std::string& data,
                                 const std::function<double(const SearchTask&)>& score,
                                 const std::function<void(const SearchProgress&)>& progress) {
  settings.validate();
  SearchSettings s = settings;
  s.threads = 1;
  const SearchPlan plan(s, sequences, s.groups);
  SearchState state;
  state.open(s.state, s.resume, fingerprint(s, plan, data));
  const bool by_data = s.resource == SearchResource::data;
  const SuccessiveHalving::Calls calls{
      .begin = [](std::size_t) {},
      .score =
          [&](std::size_t rung, std::size_t candidate, std::size_t fold) {
            const double share = plan.rungs[rung].share;
            return score({.rung = rung,
                          .candidate = candidate,
                          .fold = fold,
                          .values = plan.candidates[candidate],
                          .train = plan.training_of(by_data ? share : 1.0, fold),
                          .test = plan.test_of(fold),
                          .iterations = by_data ? 0 : rung_iterations(share, s.iterations)});
          },
      .why =
          [](std::size_t, std::size_t, std::size_t fold) {
            return fmt::format("fold {} has a label or a sequence that the others make impossible",
                               fold + 1);
          },
      .progress = progress};
  SearchedSettings found = SuccessiveHalving(s, plan, state, sequences, calls).run();
  found.groups = count_groups(s.groups);
  return found;
}

}  // namespace croft
