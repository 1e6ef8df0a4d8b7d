// Answers to a stream of evidence about a dynamic Bayesian network, a line for each row.
#pragma once
#include <functional>
#include <string>

#include "croft/app/infer.h"
#include "data/graphs/slice_file.h"
#include "data/settings/state_rows.h"

namespace croft {

struct SliceRequest {
  GraphTask task = GraphTask::marginals;  // or map: the best path; partition: the log-likelihood
  // Of marginals, at most one of these: the answer to row t is about slice t - lag (at the end of
  // the stream, the rest), about slice t + ahead, or at the end about each given all rows.
  std::size_t lag = 0, ahead = 0;
  bool smooth = false;
  bool json = false;  // objects, a line each; else CSV with a header
  double memory = 8e9;
};

// write(text) for each line as soon as its answer is there.  Throws InputError (file, line) for a
// row whose evidence has probability 0 given the rows before it, and as StateRowReader.
void answer_slices(const SliceFile& file, const SliceRequest& request, LineReader evidence,
                   const std::function<void(const std::string& text)>& write);

}  // namespace croft
