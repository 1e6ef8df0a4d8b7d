// Posteriors of BUGS models, for croft.Bugs.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <filesystem>
#include <optional>

#include "bugs/language/array_files.h"
#include "bugs/language/program_parser.h"
#include "bugs/language/program_writer.h"
#include "bugs/picture/plates.h"
#include "bugs/picture/trace_plots.h"
#include "bugs/posterior/draw_files.h"
#include "bugs/posterior/summary.h"
#include "bugs/sampling.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "python/bind.h"
#include "python/read/sequences.h"

namespace croft::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

// {name: (dimensions, values)}, values in R's order: the first dimension runs fastest.
using PythonArrays =
    std::map<std::string, std::pair<std::vector<std::size_t>, std::vector<double>>>;

bugs::Arrays arrays_of(const PythonArrays& from) {
  bugs::Arrays out;
  for (const auto& [name, array] : from) {
    std::size_t values = 1;
    for (const std::size_t each : array.first) {
      if (each > 0 && values > array.second.size() / each + 1) values = array.second.size() + 1;
      values *= each;
    }
    if (array.first.empty() || values != array.second.size()) {
      throw UsageError(in_quotes(name), ": an array whose dimensions do not fit its values");
    }
    out[name] = {.dimensions = array.first, .values = array.second};
  }
  return out;
}

class PythonBugsResult {
 public:
  PythonBugsResult(bugs::BugsResult result, bugs::BugsOptions options)
      : result_(std::move(result)),
        options_(std::move(options)),
        nodes_(summaries(result_, options_.threads)) {}

  std::string json() const {
    return to_json(result_, nodes_, options_).dump(-1, InvalidUtf8::replace);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const bugs::Trace& each : result_.traces) out.push_back(each.name);
    return out;
  }
  // [chains, draws]
  py::array_t<double> draws(std::size_t k) const {
    const bugs::Trace& trace = result_.traces.at(k);
    std::size_t n = trace.chains.empty() ? 0 : trace.chains[0].size();
    for (const auto& chain : trace.chains) n = std::min(n, chain.size());
    py::array_t<double> out({trace.chains.size(), n});
    for (std::size_t c = 0; c < trace.chains.size(); ++c) {
      std::copy_n(trace.chains[c].begin(), n, out.mutable_data(c, 0));
    }
    return out;
  }
  std::string plots(bool page, const std::string& title) const {
    return page ? plots_html(result_, nodes_, title) : plots_svg(result_, nodes_);
  }
  std::string table() const { return summary_text(nodes_); }
  void coda(const std::filesystem::path& stem) const {
    std::vector<const bugs::Trace*> traces;
    for (const bugs::Trace& each : result_.traces) traces.push_back(&each);
    write_coda(traces, stem.string());
  }

 private:
  bugs::BugsResult result_;
  bugs::BugsOptions options_;
  std::vector<bugs::NodeSummary> nodes_;
};

class PythonBugs {
 public:
  PythonBugs(const std::string& text, const std::string& name)
      : program_(bugs::parse_program(LineReader(std::string_view(text), name))) {}

  std::string text() const { return text_of(program_); }
  std::string picture(const std::vector<std::string>& observed) const {
    bugs::Arrays data;
    for (const std::string& each : observed) data[each];
    return plates_svg(program_, data);
  }

  // progress: called with a dict, may answer False; None: nothing is called.
  PythonBugsResult sample(const PythonArrays& data, const std::vector<PythonArrays>& inits,
                          const bugs::BugsOptions& options, const py::object& progress) const {
    const bugs::Arrays given = arrays_of(data);
    std::vector<bugs::Arrays> starts;
    for (const PythonArrays& each : inits) starts.push_back(arrays_of(each));
    options.validate();
    const py::gil_scoped_release release;
    bugs::BugsResult result =
        bugs::sample(program_, given, starts, options, [&](const bugs::BugsProgress& step) {
          const py::gil_scoped_acquire lock;
          check_signals();
          if (progress.is_none()) return true;
          const py::object answer = progress(
              py::dict("iteration"_a = step.done, "of"_a = step.all, "r_hat"_a = step.r_hat,
                       "effective_samples"_a = step.effective_samples));
          return answer.is_none() || answer.cast<bool>();
        });
    return PythonBugsResult(std::move(result), options);
  }

 private:
  bugs::Program program_;
};

// The sets of a file, in numpy's terms: [{name: (dimensions, values)}], and what is to be said.
std::pair<std::vector<PythonArrays>, std::string> read_sets(const std::filesystem::path& path) {
  std::vector<PythonArrays> out;
  const bugs::ArrayFile file = bugs::read_array_file(path.string());
  for (const bugs::Arrays& set : file.sets) {
    PythonArrays& arrays = out.emplace_back();
    for (const auto& [name, array] : set) arrays[name] = {array.dimensions, array.values};
  }
  return {std::move(out), by_rows_note(path.string(), file)};
}

}  // namespace

void bind_bugs(py::module_& module) {
  py::class_<PythonBugsResult>(module, "BugsResult")
      .def("json", &PythonBugsResult::json)
      .def("names", &PythonBugsResult::names)
      .def("draws", &PythonBugsResult::draws)
      .def("plots", &PythonBugsResult::plots)
      .def("table", &PythonBugsResult::table)
      .def("coda", &PythonBugsResult::coda);
  py::class_<PythonBugs>(module, "Bugs")
      .def(py::init<const std::string&, const std::string&>())
      .def_property_readonly("text", &PythonBugs::text)
      .def("picture", &PythonBugs::picture)
      .def("sample",
           [](const PythonBugs& model, const PythonArrays& data,
              const std::vector<PythonArrays>& inits, std::size_t chains, std::size_t burn_in,
              std::size_t samples, std::size_t thin, const std::vector<std::string>& monitors,
              std::optional<double> r_hat, std::optional<double> effective_samples, bool exact,
              std::uint64_t seed, std::size_t threads, const std::string& checkpoint, bool resume,
              const py::object& progress) {
             bugs::BugsOptions options;
             options.chains = chains;
             options.burn_in = burn_in;
             options.samples = samples;
             options.thin = thin;
             for (const std::string& each : monitors) options.monitors.push_back({.name = each});
             if (r_hat || effective_samples) {
               options.until = {.r_hat = r_hat, .effective_samples = effective_samples};
             }
             options.exact = exact;
             options.seed = seed;
             options.threads = threads;
             options.checkpoint = checkpoint;
             options.resume = resume;
             return model.sample(data, inits, options, progress);
           });
  module.def("read_bugs_arrays", &read_sets);
}

}  // namespace croft::python
