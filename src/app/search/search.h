// Settings of a training, chosen by cross-validation with successive halving.  docs/search.md.
//
// Many settings are tried on a little of the data, the best 1/eta of them on eta times as much, and
// so on until the last few see all of it (Jamieson & Talwalkar 2016).  What a setting is good for
// is said by K folds each time: trained on K - 1 of them, scored on the other.
//
// A search knows no kind of model: it calls a training by its options, as the command line has
// them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/option_values.h"
#include "features/extraction.h"

namespace croft {

class Json;

// An option of train that is tried out.
struct SearchParameter {
  enum class Scale { list, linear, log, integer };
  std::string option;  // without dashes
  Scale scale = Scale::list;
  std::vector<std::string> values = {};  // of a list
  double low = 0, high = 0;              // of a range, low < high; log: low > 0
};
// NAME=A,B,C and NAME=LOW:HIGH[:log|int].  Throw UsageError for what is neither.
SearchParameter parse_search_values(const std::string& text);
SearchParameter parse_search_range(const std::string& text);

// score: what a caller says it is, the larger the better.
enum class SearchMetric { accuracy, chunk_f1, log_loss, score };
enum class SearchResource { data, iterations };
std::string_view name_of(SearchMetric metric);

struct SearchSettings {
  std::vector<SearchParameter> parameters;
  std::size_t folds = 3;                  // >= 2; 1: settings are scored elsewhere
  bool elsewhere = false;                 // they are
  bool contiguous = false;                // folds of neighbours; otherwise drawn at random
  std::size_t eta = 3;                    // >= 2; of the settings, one in so many goes on
  std::optional<std::size_t> candidates;  // settings at first; default: of lists all, otherwise 27
  std::optional<double> budget;  // cross-validations on all of the data that all may cost together
  double smallest = 0.03;        // of the resource, of the first rung; in (0, 1]
  SearchResource resource = SearchResource::data;
  std::size_t iterations = 0;  // with SearchResource::iterations: of the last rung
  SearchMetric metric = SearchMetric::accuracy;
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // 0: one per processor
  // [sequences] the group of each, as group_by() numbers them: no fold has a part of one.  Empty:
  // each sequence is a group of its own.  A search over files finds them by SearchRequest.
  std::vector<std::size_t> groups;
  std::string state;      // file of what has been scored; empty: none
  bool resume = false;    // go on from it
  void validate() const;  // throws UsageError
};

// Of data in files, by trainings as the command line has them.
struct SearchRequest : SearchSettings {
  std::vector<std::string> data;
  InputFormat format = InputFormat::columns;
  std::string
      group_by;        // what makes sequences a group, see app/train/data_groups.h; empty: nothing
  bool spans = false;  // format text: a line is a JSON object
  char delimiter = CsvRecordReader::kByName;  // of csv
  std::string ignored;                        // lines of columns (ColumnsForm)
  std::vector<std::string> options;  // of train, for every setting: arguments, one after the other
  std::string dev = {};  // a file that settings are scored on; then there is one fold, of all data
};

struct SearchScore {
  std::vector<double> folds;  // as the metric has it: of log_loss the smaller the better
  double mean() const;
  double standard_error() const;  // of the mean
};

struct SearchCandidate {
  std::vector<std::string> values;  // [parameters] as train is given them
  std::vector<SearchScore> rungs;   // those that it was in
};

struct SearchRung {
  double share = 1;            // of the resource
  std::size_t candidates = 0;  // in it
};

struct SearchedSettings {
  std::vector<SearchParameter> parameters;
  SearchMetric metric = SearchMetric::accuracy;
  SearchResource resource = SearchResource::data;
  std::size_t folds = 0, sequences = 0, iterations = 0;
  std::size_t groups = 0;  // that no fold divides; 0: none were asked for
  std::vector<SearchRung> rungs;
  std::vector<SearchCandidate> candidates;  // the best first: those of a later rung before others
  bool complete = false;                    // false: it was interrupted, or there is
  Message failure;                          // why nothing can be chosen; empty: nothing forbids it
  const SearchCandidate& best() const { return candidates.front(); }
};

// The one-standard-error rule: among the settings of the last rung whose mean is no further from
// the best one's than its standard error, the one with the largest value of an option, or the
// smallest. Its number in `candidates`.  Throws UsageError for an option that is not searched over,
// or whose values are no numbers.
//   option : NAME, or NAME:smallest
std::size_t within_one_error(const SearchedSettings& found, std::string_view option);

struct SearchProgress {
  std::size_t rung = 0, candidate = 0, fold = 0;  // counted from 0
  std::size_t done = 0, all = 0;                  // trainings
  double score = 0;
};

struct SearchCalls {
  // Trains and writes a model, given the arguments of `croft train` (one thread, --quiet, data and
  // output included).  Called on several threads at once.  Throws for what is wrong with them.
  std::function<void(const std::vector<std::string>& arguments)> train;
  std::function<void(const SearchProgress&)>
      progress;  // after each, in an order of its own; optional
  std::function<void(const std::string&)> warn = {};  // before the first; optional
};

// How many settings are in each rung, and what share of the resource it has.
std::vector<SearchRung> search_rungs(std::size_t candidates, std::size_t eta, double smallest);
// What they cost, in cross-validations on all of the resource.
double search_cost(const std::vector<SearchRung>& rungs);

// The result is the same for any number of threads, and after --resume.  With `interruption` it
// ends early, and the state has all that was scored.  It ends with a `failure` where the scores of
// a rung are all infinite; a setting with an infinite score does not go on to the next rung.
// Throws UsageError, Error, and as calls.train.
SearchedSettings search_settings(const SearchRequest& request, const SearchCalls& calls);

// One training of a search over anything that has `sequences` parts.
struct SearchTask {
  std::size_t rung = 0, candidate = 0, fold = 0;  // counted from 0
  const std::vector<std::string>& values;         // [parameters]
  std::vector<std::size_t> train, test;           // numbers of sequences, increasing
  std::size_t iterations = 0;  // with SearchResource::iterations: as many as this rung has
};
// The same search, settings and folds, where `score` trains on task.train and scores on
// task.test; on one thread.
//   data : says which data and which trainer a state belongs to
// Throws UsageError, Error, and as `score`.
SearchedSettings search_settings(const SearchSettings& settings, std::size_t sequences,
                                 const std::string& data,
                                 const std::function<double(const SearchTask&)>& score,
                                 const std::function<void(const SearchProgress&)>& progress);
// How many a rung has.
std::size_t rung_iterations(double share, std::size_t iterations);

// The arguments of `croft train` with a setting.
std::vector<std::string> train_arguments(const SearchRequest& request,
                                         const std::vector<std::string>& values);
// As a shell reads them back.
std::string shell_words(const std::vector<std::string>& arguments);

std::string format_table(const SearchedSettings& result);
Json to_json(const SearchedSettings& result);
// One panel a parameter: scores against its values, the rungs in colours.
std::string search_svg(const SearchedSettings& result);

// The options of a search, for every front end.

std::span<const OptionRow> search_rows();

// Their values, seed and threads; parameters are left as they are.
void read_search_settings(const OptionValues& values, SearchSettings& settings);

}  // namespace croft
