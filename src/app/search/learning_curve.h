// How a model gets better with more data: trainings on growing parts of it, scored on one test
// file.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/search/search.h"

namespace croft {

struct CurveRequest {
  std::vector<std::string> data;
  std::string test;
  InputFormat format = InputFormat::columns;
  bool spans = false;
  char delimiter = CsvRecordReader::kByName;
  std::string ignored;         // lines of columns (ColumnsForm)
  std::string group_by;        // what makes sequences a group; empty: nothing
  bool contiguous = false;     // a share is a run of neighbours
  std::vector<double> shares;  // of the data, increasing, in (0, 1]
  std::size_t repeats = 3;     // draws of each share but the whole
  SearchMetric metric = SearchMetric::accuracy;
  std::uint64_t seed = 1;
  std::size_t threads = 1;           // of every training and scoring; they run one by one
  std::vector<std::string> options;  // of train, for every training
};

struct CurvePoint {
  double share = 0;
  std::size_t sequences = 0;  // of the first draw
  // Of each draw: the score on the test file, and on the data that was trained on.
  SearchScore test, train;
};

struct CurveCalls {
  std::function<void(const std::vector<std::string>& arguments)> train;  // as SearchCalls has it
  std::function<void(std::size_t done, std::size_t all)> progress = {};
  std::function<void(const std::string& warning)> warn = {};  // what the user should know
};

// The sequences of a share of one draw, increasing.
//   groups : their sequences, see members_of(); no share has a part of one
std::vector<std::size_t> drawn_share(const std::vector<std::vector<std::size_t>>& groups,
                                     double share, std::uint64_t seed, bool contiguous);

// Each draw puts the sequences, or groups of them, in an order of its own, and every share of it is
// its beginning: a larger share has all that a smaller one has.  With `contiguous` the order is
// that of the data from a place that is drawn, and goes on from its start.  Throws as
// search_settings(); Interrupted once `interruption` is set.
std::vector<CurvePoint> learning_curve(const CurveRequest& request, const CurveCalls& calls);

std::string curve_table(const std::vector<CurvePoint>& points, SearchMetric metric);
std::string curve_csv(const std::vector<CurvePoint>& points, SearchMetric metric);
std::string curve_svg(const std::vector<CurvePoint>& points, SearchMetric metric);
Json to_json(const std::vector<CurvePoint>& points, SearchMetric metric);

}  // namespace croft
