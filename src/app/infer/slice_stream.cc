#include "app/infer/slice_stream.h"

#include <fmt/format.h>

#include <utility>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/slice_filter.h"
#include "data/csv.h"

namespace croft {
namespace {

// Reads rows and writes lines.
class SliceAnswers {
 public:
  SliceAnswers(const SliceFile& file, const SliceRequest& request, LineReader evidence,
               const std::function<void(const std::string&)>& write)
      : file_(file),
        request_(request),
        slice_(file.slice()),
        rows_(std::move(evidence), slice_, {.empty_lines = true}),
        write_(write) {}

  void answer() {
    if (request_.task == GraphTask::map) return answer_path();
    const std::size_t history = request_.smooth ? SliceFilter::kAll : request_.lag;
    const bool marginals = request_.task == GraphTask::marginals;
    const bool filters = marginals && history == 0 && request_.ahead == 0;
    SliceFilter filter(file_.net,
                       {.history = history, .memory = request_.memory, .marginals = filters});
    if (marginals) write_header();
    try {
      while (advance(filter)) {
        if (marginals && !request_.smooth) answer_row(filter);
      }
    } catch (const Error&) {
      // The rows before it stand.
      if (marginals && !request_.smooth && !interruption.load()) write_kept_back(filter);
      throw;
    }
    if (!marginals) return write_total("log_likelihood", filter.slices(), filter.log_likelihood());
    if (request_.smooth) {
      std::size_t t = 0;
      for (const VariableMarginals& each : filter.smoothed()) write_marginals(t++, {}, each);
      return;
    }
    write_kept_back(filter);
  }

 private:
  // What the lag has kept back.
  void write_kept_back(SliceFilter& filter) {
    const std::size_t slices = filter.slices();
    for (std::size_t back = std::min(request_.lag, slices); back-- > 0;) {
      write_marginals(slices - 1 - back, {}, filter.smoothed(back));
    }
  }

  // The next row's; false at the end.
  template <class Filter>
  bool advance(Filter& filter) {
    if (!rows_.next(evidence_.states, &soft_)) return false;
    evidence_.likelihoods.clear();
    for (SoftFinding& each : soft_) {
      evidence_.likelihoods.emplace_back(each.variable, std::move(each.likelihoods));
    }
    if (filter.advance(evidence_)) return true;
    const std::size_t t = filter.slices();
    throw InputError(rows_.location(),
                     "the evidence of slice " + std::to_string(t) + " has probability 0" +
                         (t > 0 ? " given the slices before it" : ""),
                     "", "correct it, or give what the network rules out a small probability");
  }

  void answer_row(SliceFilter& filter) {
    const std::size_t t = filter.slices() - 1;
    if (request_.ahead > 0) {
      write_marginals(t + request_.ahead, {}, filter.only_ahead(request_.ahead));
    } else if (request_.lag == 0) {
      write_marginals(t, filter.log_likelihood(), filter.marginals());
    } else if (t >= request_.lag) {
      write_marginals(t - request_.lag, {}, filter.smoothed(request_.lag));
    }
  }

  void answer_path() {
    SlicePath path(file_.net, {.memory = request_.memory});
    while (advance(path)) {
    }
    write_header();
    std::size_t t = 0;
    for (const std::vector<State>& states : path.best()) {
      Json named = Json::object();
      std::string line = std::to_string(t);
      for (Variable v = 0; v < states.size(); ++v) {
        const std::string& name = file_.names.states[v][states[v]];
        if (request_.json) named[file_.names.variables[v]] = name;
        line += ',' + csv_cell(name);
      }
      write_line({{"slice", t++}, {"assignment", std::move(named)}}, line);
    }
    if (request_.json) write_total("log_score", path.slices(), path.log_score());
  }

  // Whether the lines say what the evidence has been worth so far.
  bool says_likelihood() const {
    return request_.task == GraphTask::marginals && !request_.smooth && request_.lag == 0 &&
           request_.ahead == 0;
  }

  void write_header() {
    if (request_.json) return;
    std::string line = "slice";
    if (says_likelihood()) line += ",log_likelihood";
    for (Variable v = 0; v < file_.names.variables.size(); ++v) {
      const std::string& name = file_.names.variables[v];
      if (request_.task == GraphTask::map) {
        line += ',' + csv_cell(name);
        continue;
      }
      for (const std::string& state : file_.names.states[v]) {
        line += ',' + csv_cell("p(" + name + "=" + state + ")");
      }
    }
    write_(line + "\n");
  }

  void write_marginals(std::size_t t, std::optional<double> log_likelihood,
                       const VariableMarginals& marginals) {
    if (!request_.json) {
      std::string line = std::to_string(t);
      if (log_likelihood) line += fmt::format(",{:.10g}", *log_likelihood);
      for (const std::vector<double>& p : marginals) {
        for (const double x : p) fmt::format_to(std::back_inserter(line), ",{:.6g}", x);
      }
      return write_(line + "\n");
    }
    Json out{{"slice", t}};
    if (log_likelihood) out["log_likelihood"] = *log_likelihood;
    for (Variable v = 0; v < marginals.size(); ++v) {
      Json& of = out["marginals"][file_.names.variables[v]];
      for (State s = 0; s < marginals[v].size(); ++s) {
        of[file_.names.states[v][s]] = marginals[v][s];
      }
    }
    write_line(std::move(out), "");
  }

  void write_total(const char* name, std::size_t slices, double value) {
    write_line({{"slices", slices}, {name, value}},
               fmt::format("slices,{}\n{},{:.10g}", name, slices, value));
  }

  void write_line(Json json, const std::string& text) {
    write_((request_.json ? json.dump(-1, InvalidUtf8::replace) : text) + "\n");
  }

  const SliceFile& file_;
  const SliceRequest& request_;
  const GraphFile slice_;
  StateRowReader rows_;
  const std::function<void(const std::string&)>& write_;
  SliceEvidence evidence_;
  std::vector<SoftFinding> soft_;
};

}  // namespace

void answer_slices(const SliceFile& file, const SliceRequest& request, LineReader evidence,
                   const std::function<void(const std::string& text)>& write) {
  SliceAnswers(file, request, std::move(evidence), write).answer();
}

}  // namespace croft
