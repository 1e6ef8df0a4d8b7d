#include "croft/app/search.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <set>

#include "app/search_state.h"
#include "croft/app/data_blocks.h"
#include "croft/app/feature_kit_file.h"
#include "croft/app/predict.h"
#include "croft/core/atomic_file.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/parallel.h"
#include "croft/core/random.h"
#include "croft/data/line_reader.h"
#include "croft/data/parse_number.h"
#include "croft/model/model_file.h"

namespace croft {
namespace {

constexpr std::size_t kManyCandidates = 10'000;
constexpr std::size_t kCandidatesOfRanges = 27;

double number_in(const std::string& text, const std::string& option) {
  double value = 0;
  if (parse_number(text, value) == NumberKind::finite) return value;
  throw UsageError("--range " + option + ": " + in_quotes(text) +
                   " is no finite number; write NAME=LOW:HIGH, such as l2=0.01:10:log");
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (c == separator) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

// NAME=REST; dashes in front of the name are as in --NAME.
std::pair<std::string, std::string> name_and_rest(const std::string& text, const char* option,
                                                  const char* form) {
  const std::size_t equals = text.find('=');
  const std::size_t first = text.find_first_not_of('-');
  if (equals == std::string::npos || first >= equals || equals + 1 == text.size()) {
    throw UsageError(std::string(option) + " " + in_quotes(text) + " is not " + form);
  }
  return {text.substr(first, equals - first), text.substr(equals + 1)};
}

// Three digits: as many as a score tells apart, and a command that is short.
std::string value_at(const SearchParameter& p, double u) {
  if (p.scale == SearchParameter::Scale::list) {
    const auto count = static_cast<double>(p.values.size());
    return p.values[std::min(p.values.size() - 1, static_cast<std::size_t>(u * count))];
  }
  if (p.scale == SearchParameter::Scale::integer) {
    return fmt::format("{:.0f}", std::min(p.high, p.low + std::floor(u * (p.high - p.low + 1))));
  }
  const double value = p.scale == SearchParameter::Scale::log
                           ? std::exp(std::log(p.low) + u * (std::log(p.high) - std::log(p.low)))
                           : p.low + u * (p.high - p.low);
  std::string text = fmt::format("{:.3g}", value);
  const double rounded = std::strtod(text.c_str(), nullptr);
  if (rounded < p.low) text = fmt::format("{}", p.low);
  if (rounded > p.high) text = fmt::format("{}", p.high);
  return text;
}

std::vector<std::size_t> shuffled(std::size_t n, Random& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t k = n; k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
  return order;
}

std::size_t combinations(const std::vector<SearchParameter>& parameters) {
  std::size_t all = 1;
  for (const SearchParameter& p : parameters) {
    if (p.scale != SearchParameter::Scale::list) return kManyCandidates;
    all = std::min(kManyCandidates, all * p.values.size());
  }
  return all;
}

// Of lists all combinations, in the order of the lists, where there are no more than asked for;
// otherwise a Latin hypercube: each parameter's values are spread evenly over all candidates.
std::vector<std::vector<std::string>> draw_candidates(
    const std::vector<SearchParameter>& parameters, std::size_t count, std::uint64_t seed) {
  std::vector<std::vector<std::string>> drawn;
  if (combinations(parameters) <= count) {
    drawn.assign(1, {});
    for (const SearchParameter& p : parameters) {
      std::vector<std::vector<std::string>> longer;
      for (const auto& each : drawn) {
        for (const std::string& value : p.values) {
          longer.push_back(each);
          longer.back().push_back(value);
        }
      }
      drawn = std::move(longer);
    }
    return drawn;
  }
  Random random(seed);
  drawn.assign(count, {});
  for (const SearchParameter& p : parameters) {
    const std::vector<std::size_t> order = shuffled(count, random);
    for (std::size_t k = 0; k < count; ++k) {
      const double u =
          (static_cast<double>(order[k]) + random.uniform()) / static_cast<double>(count);
      drawn[k].push_back(value_at(p, u));
    }
  }
  std::set<std::vector<std::string>> seen;
  std::erase_if(drawn, [&](const auto& each) { return !seen.insert(each).second; });
  return drawn;
}

// A folder that is gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "croft-search-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error(name + ": cannot create this folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_text(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

double score_of(SearchMetric metric, const EvaluationSummary& summary) {
  switch (metric) {
    case SearchMetric::accuracy:
      return summary.token_accuracy();
    case SearchMetric::chunk_f1:
      if (!summary.chunk) {
        throw UsageError(
            "--metric chunk-f1: the labels of this data are no chunk labels; take accuracy or "
            "log-loss");
      }
      return summary.chunk->all.f1();
    case SearchMetric::log_loss:
      break;
  }
  if (!summary.log_loss) {
    throw UsageError("--metric log-loss: this model gives labels no probabilities; take accuracy");
  }
  return summary.log_loss->per_token();
}

// One run of search_settings().
class Search {
 public:
  Search(const SearchRequest& request, const SearchCalls& calls);
  SearchedSettings run();

 private:
  std::string fingerprint(const DataBlocks& data) const;
  bool run_rung(std::size_t rung, const std::vector<std::size_t>& in);
  std::vector<std::size_t> test_of(std::size_t fold) const;
  std::vector<std::size_t> training_of(std::size_t rung, std::size_t fold) const;
  std::string train(std::size_t rung, std::size_t candidate, std::size_t fold) const;
  double train_and_score(std::size_t rung, std::size_t candidate, std::size_t fold) const;
  std::string in_users_files(std::string message, std::size_t rung, std::size_t fold) const;
  std::string why_infinite(std::size_t rung, std::size_t candidate);
  std::string part(std::size_t rung, std::size_t fold) const;
  std::string held_out(std::size_t fold) const {
    return folder_.file(fmt::format("fold-{}", fold));
  }
  void write_parts(std::size_t rung);
  double mean(std::size_t rung, std::size_t candidate) const;
  bool before(double a, double b) const {
    return r_.metric == SearchMetric::log_loss ? a < b : a > b;
  }
  SearchedSettings result(bool complete) const;

  const SearchRequest& r_;
  const SearchCalls& calls_;
  ThreadPool pool_;
  DataBlocks data_;
  std::vector<std::vector<std::size_t>> fold_;  // sequences of each, in the order they were drawn
  std::vector<SearchRung> rungs_;
  std::vector<std::vector<std::string>> candidates_;
  TemporaryFolder folder_;
  bool folds_written_ = false;
  SearchState state_;
  std::size_t done_ = 0, all_ = 0;  // trainings
};

Search::Search(const SearchRequest& request, const SearchCalls& calls)
    : r_(request),
      calls_(calls),
      pool_(request.threads),
      data_(read_blocks(request.data, request.format)) {
  if (data_.blocks.size() < r_.folds) {
    throw UsageError(
        fmt::format("--folds {}: the data has {} sequences", r_.folds, data_.blocks.size()));
  }
  const std::size_t all = combinations(r_.parameters);
  std::size_t count = r_.candidates.value_or(all < kManyCandidates ? all : kCandidatesOfRanges);
  if (r_.budget && !r_.candidates) {
    const std::size_t most = std::min(all, kManyCandidates - 1);
    for (count = 1; count < most; ++count) {
      if (search_cost(search_rungs(count + 1, r_.eta, r_.smallest)) > *r_.budget) break;
    }
  }
  candidates_ = draw_candidates(r_.parameters, count, r_.seed);
  rungs_ = search_rungs(candidates_.size(), r_.eta, r_.smallest);
  const double cost = search_cost(rungs_);
  if (r_.budget && cost > *r_.budget) {
    throw UsageError(fmt::format(
        "--budget {}: {} candidates cost {:.1f} cross-validations on all of the data; give a "
        "larger one, or fewer --candidates",
        *r_.budget, candidates_.size(), cost));
  }
  Random random(r_.seed);
  fold_.resize(r_.folds);
  const std::vector<std::size_t> order = shuffled(data_.blocks.size(), random);
  for (std::size_t k = 0; k < order.size(); ++k) fold_[k % r_.folds].push_back(order[k]);
  for (const SearchRung& rung : rungs_) all_ += rung.candidates * r_.folds;
  state_.open(r_.state, r_.resume, fingerprint(data_));
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
std::string Search::fingerprint(const DataBlocks& data) const {
  std::uint64_t hash = hash_string(data.header);
  for (const std::string& block : data.blocks) hash = hash * 31 + hash_string(block);
  std::string text = fmt::format("data {:016x} folds {} eta {} smallest {} metric {} seed {} ",
                                 hash, r_.folds, r_.eta, r_.smallest, name_of(r_.metric), r_.seed);
  if (r_.resource == SearchResource::iterations) {
    text += fmt::format("iterations {} ", r_.iterations);
  }
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
  for (const auto& candidate : candidates_) {
    for (const std::string& value : candidate) text += value + " ";
  }
  return fmt::format("{:016x}", hash_string(text));
}

std::string Search::part(std::size_t rung, std::size_t fold) const {
  const bool all = r_.resource == SearchResource::iterations;
  return folder_.file(fmt::format("part-{}-{}", all ? 0 : rung, fold));
}

std::vector<std::size_t> Search::test_of(std::size_t fold) const {
  std::vector<std::size_t> test = fold_[fold];
  std::ranges::sort(test);
  return test;
}

// The training data of each fold: the first of what was drawn for the others, so that each rung's
// is a part of the next one's; in the order of the data.
std::vector<std::size_t> Search::training_of(std::size_t rung, std::size_t fold) const {
  std::vector<std::size_t> rest;
  for (std::size_t k = 0; k < fold_.front().size(); ++k) {
    for (std::size_t other = 0; other < r_.folds; ++other) {
      if (other != fold && k < fold_[other].size()) rest.push_back(fold_[other][k]);
    }
  }
  const double share = r_.resource == SearchResource::iterations ? 1.0 : rungs_[rung].share;
  rest.resize(static_cast<std::size_t>(std::ceil(share * static_cast<double>(rest.size()))));
  std::ranges::sort(rest);
  return rest;
}

void Search::write_parts(std::size_t rung) {
  const bool all = r_.resource == SearchResource::iterations;
  const bool first = !folds_written_;  // a search that goes on begins at any rung
  folds_written_ = true;
  if (all && !first) return;
  for (std::size_t fold = 0; fold < r_.folds; ++fold) {
    if (first) write_text(held_out(fold), data_.text(test_of(fold)));
    write_text(part(rung, fold), data_.text(training_of(rung, fold)));
  }
}

// The model's file.
std::string Search::train(std::size_t rung, std::size_t candidate, std::size_t fold) const {
  const std::string model = folder_.file(fmt::format("model-{}-{}-{}", rung, candidate, fold));
  std::vector<std::string> arguments = train_arguments(r_, candidates_[candidate]);
  if (r_.resource == SearchResource::iterations) {
    const double share = rungs_[rung].share * static_cast<double>(r_.iterations);
    arguments.push_back(fmt::format("--max-iterations={:.0f}", std::max(1.0, std::round(share))));
  }
  for (const char* each : {"--quiet", "--threads=1", "-o"}) arguments.emplace_back(each);
  arguments.push_back(model);
  arguments.push_back(part(rung, fold));
  calls_.train(arguments);
  return model;
}

double Search::train_and_score(std::size_t rung, std::size_t candidate, std::size_t fold) const {
  double score = std::numeric_limits<double>::quiet_NaN();
  try {
    const std::string model = train(rung, candidate, fold);
    if (!interruption) {
      const auto trained = open_model(model);
      SequenceSource source(held_out(fold), trained->extractor(), Labels::required);
      ThreadPool alone(1);
      score = score_of(r_.metric,
                       evaluate_model(*trained, source, ChunkScheme::automatic, alone).summary());
    }
    std::error_code none;
    std::filesystem::remove(model, none);
  } catch (const Interrupted&) {
    throw;
  } catch (const UsageError& error) {
    throw UsageError(in_users_files(error.what(), rung, fold));
  } catch (const Error& error) {
    throw Error(in_users_files(error.what(), rung, fold));
  }
  return score;
}

// Of a message about a part of the data: where the user has what it says.
std::string Search::in_users_files(std::string message, std::size_t rung, std::size_t fold) const {
  const auto replace = [&](const std::string& path, const std::vector<std::size_t>& which) {
    const std::size_t at = message.find(path);
    if (at == std::string::npos) return;
    const std::size_t number = at + path.size() + 1;
    std::size_t line = 0;
    const char* end = message.data() + message.size();
    const char* rest = nullptr;
    if (number < message.size() && message[number - 1] == ':') {
      const auto read = std::from_chars(message.data() + number, end, line);
      if (read.ec == std::errc() && line > 0) rest = read.ptr;
    }
    if (rest == nullptr) {
      message.replace(at, path.size(), data_.files.front().second + " (a part of the data)");
      return;
    }
    const Location origin = data_.origin(which, line);
    message.replace(at, static_cast<std::size_t>(rest - message.data()) - at,
                    fmt::format("{}:{}", origin.file, origin.line));
  };
  replace(part(rung, fold), training_of(rung, fold));
  replace(held_out(fold), test_of(fold));
  return message;
}

// Trains once more, as a score does not say where it is from (it may be of a state).
std::string Search::why_infinite(std::size_t rung, std::size_t candidate) {
  std::size_t fold = 0;
  while (std::isfinite(*state_.find(rung, candidate, fold))) ++fold;
  std::string where =
      fmt::format("fold {} has a sequence that the others make impossible", fold + 1);
  write_parts(rung);
  const auto trained = open_model(train(rung, candidate, fold));
  SequenceSource source(held_out(fold), trained->extractor(), Labels::required);
  std::set<std::string> known;
  for (std::size_t y = 0; y < trained->labels(); ++y) known.emplace(trained->label(y));
  std::string unknown;
  for_each_sequence(source, [&](const InputSequence& sequence) {
    const StringLists& labels = sequence.text.labels;
    for (std::size_t t = 0; unknown.empty() && t < labels.items(); ++t) {
      if (known.contains(std::string(labels.item(t)))) continue;
      unknown = labels.item(t);
      const Location at = data_.origin(test_of(fold), sequence.text.first_line);
      where = fmt::format("{}:{}: the label {} of this sequence, in fold {}, is unknown to the "
                          "data that this fold's models are trained on",
                          at.file, at.line, in_quotes(unknown), fold + 1);
    }
  });
  const bool part = r_.resource == SearchResource::data && rungs_[rung].share < 1;
  return fmt::format("--metric log-loss: it is infinite for every setting in rung {}: {}; take "
                     "another --metric, {}other --folds, or more data of rare labels",
                     rung + 1, where, part ? "--smallest 1, " : "");
}

// False: interrupted.
bool Search::run_rung(std::size_t rung, const std::vector<std::size_t>& in) {
  struct Task {
    std::size_t candidate, fold;
  };
  std::vector<Task> tasks;
  for (const std::size_t candidate : in) {
    for (std::size_t fold = 0; fold < r_.folds; ++fold) {
      if (state_.find(rung, candidate, fold)) {
        ++done_;
      } else {
        tasks.push_back({candidate, fold});
      }
    }
  }
  if (!tasks.empty()) write_parts(rung);
  std::vector<double> score(tasks.size(), std::numeric_limits<double>::quiet_NaN());
  pool_.run_ordered(
      tasks.size(),
      [&](std::size_t k, std::size_t) {
        if (interruption) return;
        const auto [candidate, fold] = tasks[k];
        try {
          score[k] = train_and_score(rung, candidate, fold);
        } catch (const Interrupted&) {
        } catch (const UsageError& error) {
          throw UsageError(shell_words(train_arguments(r_, candidates_[candidate])) + ": " +
                           error.what());
        }
      },
      [&](std::size_t k, std::size_t) {
        if (std::isnan(score[k])) return;
        const auto [candidate, fold] = tasks[k];
        state_.add({rung, candidate, fold, score[k]});
        ++done_;
        if (calls_.progress) calls_.progress({rung, candidate, fold, done_, all_, score[k]});
      });
  return std::ranges::none_of(score, [](double s) { return std::isnan(s); });
}

double Search::mean(std::size_t rung, std::size_t candidate) const {
  double sum = 0;
  for (std::size_t fold = 0; fold < r_.folds; ++fold) sum += *state_.find(rung, candidate, fold);
  return sum / static_cast<double>(r_.folds);
}

SearchedSettings Search::result(bool complete) const {
  SearchedSettings result{.parameters = r_.parameters,
                          .metric = r_.metric,
                          .resource = r_.resource,
                          .folds = r_.folds,
                          .sequences = data_.blocks.size(),
                          .iterations = r_.iterations,
                          .rungs = rungs_,
                          .candidates = {},
                          .complete = complete,
                          .failure = {}};
  for (std::size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
    SearchCandidate& each = result.candidates.emplace_back();
    each.values = candidates_[candidate];
    for (std::size_t rung = 0; rung < rungs_.size(); ++rung) {
      SearchScore score;
      for (std::size_t fold = 0; fold < r_.folds; ++fold) {
        if (const auto one = state_.find(rung, candidate, fold)) score.folds.push_back(*one);
      }
      if (score.folds.size() < r_.folds) break;
      each.rungs.push_back(std::move(score));
    }
  }
  std::ranges::stable_sort(result.candidates, [&](const auto& a, const auto& b) {
    if (a.rungs.size() != b.rungs.size()) return a.rungs.size() > b.rungs.size();
    return !a.rungs.empty() && before(a.rungs.back().mean(), b.rungs.back().mean());
  });
  return result;
}

SearchedSettings Search::run() {
  std::vector<std::size_t> in(candidates_.size());
  std::iota(in.begin(), in.end(), std::size_t{0});
  for (std::size_t rung = 0; rung < rungs_.size(); ++rung) {
    if (rung > 0) {
      std::erase_if(in, [&](std::size_t k) { return !std::isfinite(mean(rung - 1, k)); });
      std::ranges::stable_sort(in, [&](std::size_t a, std::size_t b) {
        return before(mean(rung - 1, a), mean(rung - 1, b));
      });
      all_ -= (rungs_[rung].candidates - std::min(in.size(), rungs_[rung].candidates)) * r_.folds;
      in.resize(std::min(in.size(), rungs_[rung].candidates));
      rungs_[rung].candidates = in.size();
      std::ranges::sort(in);
    }
    if (!run_rung(rung, in)) return result(false);
    if (std::ranges::any_of(in, [&](std::size_t k) { return std::isfinite(mean(rung, k)); })) {
      continue;
    }
    SearchedSettings found = result(false);
    found.failure = why_infinite(rung, in.front());
    return found;
  }
  return result(true);
}

}  // namespace

SearchParameter parse_search_values(const std::string& text) {
  const auto [name, rest] = name_and_rest(text, "--values", "NAME=A,B,C");
  SearchParameter p{.option = name, .values = split(rest, ',')};
  for (const std::string& value : p.values) {
    if (value.empty()) throw UsageError("--values " + in_quotes(text) + " has an empty value");
    if (std::ranges::count(p.values, value) > 1) {
      throw UsageError("--values " + in_quotes(text) + " has " + in_quotes(value) + " twice");
    }
  }
  return p;
}

SearchParameter parse_search_range(const std::string& text) {
  constexpr const char* kForm = "NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=LOW:HIGH:int";
  const auto [name, rest] = name_and_rest(text, "--range", kForm);
  const std::vector<std::string> fields = split(rest, ':');
  const bool known =
      fields.size() == 2 || (fields.size() == 3 && (fields[2] == "log" || fields[2] == "int"));
  if (!known) throw UsageError("--range " + in_quotes(text) + " is not " + kForm);
  SearchParameter p{.option = name, .scale = SearchParameter::Scale::linear};
  p.low = number_in(fields[0], name);
  p.high = number_in(fields[1], name);
  if (fields.size() == 3) {
    p.scale = fields[2] == "log" ? SearchParameter::Scale::log : SearchParameter::Scale::integer;
  }
  if (!(p.low < p.high)) {
    throw UsageError("--range " + in_quotes(text) + ": the lower end is not below the upper one");
  }
  if (p.scale == SearchParameter::Scale::log && !(p.low > 0)) {
    throw UsageError("--range " + in_quotes(text) +
                     ": on a logarithmic scale the lower end is above 0");
  }
  if (p.scale == SearchParameter::Scale::integer &&
      (p.low != std::floor(p.low) || p.high != std::floor(p.high))) {
    throw UsageError("--range " + in_quotes(text) + ": the ends are not whole numbers");
  }
  return p;
}

std::string_view name_of(SearchMetric metric) {
  return metric == SearchMetric::accuracy   ? "accuracy"
         : metric == SearchMetric::chunk_f1 ? "chunk-f1"
                                            : "log-loss";
}

void SearchRequest::validate() const {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw UsageError(what);
  };
  require(!parameters.empty(), "nothing to search over: give --range or --values");
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    for (std::size_t n = 0; n < k; ++n) {
      require(parameters[n].option != parameters[k].option,
              "--" + parameters[k].option + " has two ranges; give one");
    }
  }
  require(folds >= 2, fmt::format("--folds is {}; it must be at least 2", folds));
  require(eta >= 2, fmt::format("--eta is {}; it must be at least 2", eta));
  require(!candidates || (*candidates >= 1 && *candidates < kManyCandidates),
          fmt::format("--candidates is not 1 to {}", kManyCandidates - 1));
  require(!budget || *budget >= 1, "--budget is less than one cross-validation; give 1 or more");
  require(smallest > 0 && smallest <= 1, "--smallest is not above 0, and 1 at most");
  require(!resume || !state.empty(), "--resume goes on from a state; name its file with --state");
  require(resource == SearchResource::data || iterations >= 1,
          "--resource iterations needs --max-iterations: how many the last rung has");
}

double SearchScore::mean() const {
  return std::accumulate(folds.begin(), folds.end(), 0.0) / static_cast<double>(folds.size());
}

double SearchScore::standard_error() const {
  const double m = mean();
  double squares = 0;
  for (const double each : folds) squares += (each - m) * (each - m);
  const auto n = static_cast<double>(folds.size());
  return std::sqrt(squares / (n - 1) / n);
}

std::vector<SearchRung> search_rungs(std::size_t candidates, std::size_t eta, double smallest) {
  std::vector<std::size_t> count{candidates};
  double share = 1;
  while (count.back() > 1 && share / static_cast<double>(eta) >= smallest) {
    share /= static_cast<double>(eta);
    count.push_back((count.back() - 1) / eta + 1);
  }
  std::vector<SearchRung> rungs;
  for (std::size_t k = 0; k < count.size(); ++k) {
    rungs.push_back({std::pow(static_cast<double>(eta),
                              static_cast<double>(k) - static_cast<double>(count.size() - 1)),
                     count[k]});
  }
  return rungs;
}

double search_cost(const std::vector<SearchRung>& rungs) {
  double cost = 0;
  for (const SearchRung& rung : rungs) cost += rung.share * static_cast<double>(rung.candidates);
  return cost;
}

std::vector<std::string> train_arguments(const SearchRequest& request,
                                         const std::vector<std::string>& values) {
  std::vector<std::string> arguments = request.options;
  for (std::size_t k = 0; k < values.size(); ++k) {
    arguments.push_back("--" + request.parameters[k].option + "=" + values[k]);
  }
  return arguments;
}

std::string shell_words(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& word : arguments) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             std::string_view("-_=./,:+@%").find(c) != std::string_view::npos;
    });
    if (!text.empty()) text += ' ';
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

SearchedSettings search_settings(const SearchRequest& request, const SearchCalls& calls) {
  request.validate();
  return Search(request, calls).run();
}

}  // namespace croft
