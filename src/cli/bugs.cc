// croft bugs
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "app/file_checks.h"
#include "bugs/language/array_files.h"
#include "bugs/language/program_parser.h"
#include "bugs/language/script.h"
#include "bugs/picture/plates.h"
#include "bugs/picture/trace_plots.h"
#include "bugs/posterior/draw_files.h"
#include "bugs/posterior/summary.h"
#include "bugs/sampling.h"
#include "cli/bugs_report.h"
#include "cli/common.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "core/files.h"
#include "core/json.h"
#include "core/parse_number.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "data/comma_list.h"
#include "data/csv.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

using bugs::Arrays;
using bugs::BugsOptions;
using bugs::BugsResult;
using bugs::NodeSummary;

constexpr const char* kBugsFooter = R"help(
Example:
  croft bugs line.bug --data line-data.R --inits line-inits.R --monitor alpha,beta,sigma
  croft bugs line.bug --data line.json --until rhat=1.01,ess=400 --samples 1000000
  croft bugs rats.bug --data rats-data.R --monitor alpha0,beta.c -o out --plots rats.html
  croft bugs line.bug --data line-data.R --picture line.svg --json
  croft bugs test1.cmd                     # a script of JAGS

Data and initial values: .json, .csv, and anything else a dump of R.  -o OUT makes a folder with
summary.csv, draws.csv, CODAindex.txt, CODAchain1.txt, ... and result.json.  A script writes what
its coda lines ask for, in the working folder or in that of -o.  A first Ctrl-C or SIGTERM ends the
chains, and what they have drawn is summarised and written.  docs/bugs.md has the language, the
samplers and what the columns of the table mean.)help";

std::span<const OptionRow> bugs_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("PROGRAM", "FILE", "A BUGS program, or a script of JAGS (.cmd)").needed().unnamed(),
      file("data", "FILE ...", "Data: a dump of R, .json or .csv; may be given several times")
          .repeated(),
      file("inits", "FILE ...",
           "Initial values, as data: one file for all chains, or one for each chain in order")
          .repeated(),
      whole("chains", "N=4", "Chains, each from a start of its own").from(1),
      whole("burn-in", "N=1000",
            "Iterations before the first that is kept; samplers adapt in them"),
      whole("samples", "N=10000", "Iterations after them, of each chain").from(1),
      whole("thin", "N=1", "Keep every N-th of these").from(1),
      words("monitor", "NAMES ...",
            "What is kept: alpha,theta[2],Y[1,2]; deviance; without: all that has a distribution "
            "and no data")
          .repeated(),
      words("until", "CONDITIONS",
            "Stop when all that is monitored has reached rhat=1.01,ess=400, or one of these; "
            "--samples is then the most"),
      choice("method", "METHOD=auto", {"auto", "sampling"},
             "auto: a model of finite nodes is answered exactly where that fits; sampling: never"),
      file("output", "OUT", "A folder for summary, draws, CODA files and a JSON document")
          .written_as("")
          .short_as('o'),
      file("plots", "FILE",
           "Traces, densities and autocorrelations: a page (.html) or a drawing "
           "(.svg)")
          .written_as("the plots "),
      file("picture", "FILE", "The model as a graph with plates (.svg)").written_as("the picture "),
      file("checkpoint", "FOLDER", "Keep the state of the chains there, every few seconds")
          .written_as("the checkpoint "),
      flag("resume", "Go on from the state in the folder of --checkpoint; the result is the same")
          .beside("checkpoint"),
      file("log", "FILE", "JSON lines: the samplers that were chosen, progress, how it ended")
          .written_as("the log "),
      json_row("One JSON document in the place of the table"),
  });
  return kRows;
}

// What a run is made of, from options or from a script.
struct BugsRequest {
  std::string program;
  std::vector<std::string> data;
  std::vector<std::string> inits;            // in order; without chains
  std::vector<bugs::Script::Inits> chained;  // of a script
  BugsOptions options;
  std::vector<bugs::ScriptCoda> coda;
  std::vector<std::string> samplers;  // files
  std::vector<std::string> warnings;

  std::vector<std::string> files() const {
    std::vector<std::string> out = data;
    out.push_back(program);
    out.insert(out.end(), inits.begin(), inits.end());
    for (const bugs::Script::Inits& each : chained) out.push_back(each.file);
    return out;
  }
};

// Names between commas, but for those in brackets.
std::vector<bugs::MonitorRequest> monitors_of(const std::vector<std::string>& lists) {
  std::vector<bugs::MonitorRequest> out;
  for (const std::string& list : lists) {
    std::string name;
    int open = 0;
    for (const char c : list + ",") {
      if (c == ' ') continue;
      if (c == '[') ++open;
      if (c == ']') --open;
      if (c != ',' || open > 0) {
        name += c;
      } else if (!name.empty()) {
        out.push_back({.name = std::exchange(name, {})});
      }
    }
    if (!name.empty()) {
      throw UsageError("--monitor ", list, " has a [ without its ]; write theta[2],Y[1,2]");
    }
  }
  return out;
}

bugs::Until until_of(const std::string& text) {
  bugs::Until out;
  for (const std::string_view part : between_commas(text)) {
    const std::size_t equals = part.find('=');
    double value = 0;
    if (equals == part.npos || parse_number(part.substr(equals + 1), value) != NumberKind::finite) {
      throw UsageError("--until ", text, ": write rhat=1.01,ess=400, or one of the two");
    }
    const std::string_view name = part.substr(0, equals);
    if (name != "rhat" && name != "ess") {
      throw UsageError("--until ", text, ": ", in_quotes(name), " is neither rhat nor ess");
    }
    if (name == "rhat" && value > 1) {
      out.r_hat = value;
    } else if (name == "ess" && value > 0) {
      out.effective_samples = value;
    } else {
      throw UsageError("--until ", text,
                       ": R-hat (rhat) is above 1, effective samples (ess) are above 0");
    }
  }
  return out;
}

BugsRequest request_of(const OptionValues& values) {
  BugsRequest out;
  out.program = values.text("PROGRAM");
  if (out.program.ends_with(".cmd")) {
    for (const char* const each : {"data", "inits"}) {
      if (values.given(each)) {
        throw UsageError(Message::option(each),
                         " stands beside a script, which names its own files");
      }
    }
    bugs::Script script = bugs::read_script(out.program);
    out.program = std::move(script.program);
    out.data = std::move(script.data);
    out.chained = std::move(script.inits);
    out.options = std::move(script.options);
    out.coda = std::move(script.coda);
    out.samplers = std::move(script.samplers);
    out.warnings = std::move(script.warnings);
  }
  for (const std::string& each : values.list("data")) out.data.push_back(each);
  for (const std::string& each : values.list("inits")) out.inits.push_back(each);
  values.read("chains", out.options.chains);
  values.read("burn-in", out.options.burn_in);
  values.read("samples", out.options.samples);
  values.read("thin", out.options.thin);
  if (values.given("monitor")) out.options.monitors = monitors_of(values.list("monitor"));
  if (values.given("until")) out.options.until = until_of(std::string(values.text("until")));
  out.options.exact = values.text("method") != "sampling";
  values.read("checkpoint", out.options.checkpoint);
  out.options.resume = values.flag("resume");
  const CommonOptions common = common_of(values);
  out.options.seed = common.seed;
  out.options.threads = common.threads;
  return out;
}

// One set for each chain, or one for all.
std::vector<Arrays> read_inits(const BugsRequest& request, bugs::ArrayNotes& notes) {
  if (request.chained.empty()) {
    std::vector<Arrays> out = bugs::read_init_files(request.inits, notes);
    if (out.size() > 1 && out.size() != request.options.chains) {
      throw UsageError("--inits has ", out.size(), " sets of values, and --chains is ",
                       request.options.chains, "; give one set for all chains, or --chains ",
                       out.size());
    }
    return out;
  }
  std::vector<Arrays> out(request.options.chains);
  for (const bugs::Script::Inits& each : request.chained) {
    std::vector<Arrays> sets = bugs::read_init_files({each.file}, notes);
    for (std::size_t c = 0; c < out.size(); ++c) {
      if (each.chain && *each.chain != c + 1) continue;
      for (const auto& [name, array] : sets[std::min(c, sets.size() - 1)]) out[c][name] = array;
    }
  }
  return out;
}

bool has_end(const std::string& path, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return path.ends_with(end); });
}

void write_whole(const std::string& path, std::string_view text) {
  AtomicFile out(path);
  out.write(text);
  out.commit();
}

// A line for each probability, below a head.
std::string marginals_text(const BugsResult& result, char between) {
  std::string out = fmt::format("node{0}value{0}probability\n", between);
  for (const bugs::ExactMarginal& each : result.exact) {
    for (std::size_t k = 0; k < each.values.size(); ++k) {
      out += fmt::format("{1}{0}{2}{0}{3:.12g}\n", between, csv_cell(each.name, between),
                         each.values[k], each.probabilities[k]);
    }
  }
  return out;
}

std::string answer_text(const BugsResult& result, const std::vector<NodeSummary>& nodes) {
  std::string out = summary_text(nodes);
  if (!result.exact.empty()) out += "\n" + marginals_text(result, '\t');
  if (result.log_evidence) out += fmt::format("\nlog p(data) {:.10g}\n", *result.log_evidence);
  if (result.deviance) {
    const bugs::DevianceSummary& d = *result.deviance;
    out +=
        fmt::format("\nmean deviance {:.5g}, ", d.mean_deviance) +
        (std::isnan(d.pd) ? "pD -, DIC -\n" : fmt::format("pD {:.4g}, DIC {:.5g}\n", d.pd, d.dic));
  }
  return out;
}

std::vector<const bugs::Trace*> traces_of(const BugsResult& result, const std::string& name) {
  std::vector<const bugs::Trace*> out;
  for (const bugs::Trace& each : result.traces) {
    if (name == "*" || bugs::is_of(each.name, name)) out.push_back(&each);
  }
  return out;
}

class BugsFiles {
 public:
  BugsFiles(const OptionValues& values, const BugsRequest& request)
      : folder_(values.text("output")),
        plots_(values.text("plots")),
        picture_(values.text("picture")),
        request_(request) {
    if (!plots_.empty() && !has_end(plots_, {".html", ".svg"})) {
      throw UsageError("--plots ", plots_,
                       " is a page or a drawing: end its name in .html or .svg");
    }
    if (!picture_.empty() && !has_end(picture_, {".svg"})) {
      throw UsageError("--picture ", picture_, " is a drawing: end its name in .svg");
    }
    const std::vector<std::string> inputs = request.files();
    check_not_read(inputs, "plots", plots_);
    check_not_read(inputs, "picture", picture_);
    check_not_read(inputs, "log", std::string(values.text("log")));
    check_names_inside(inputs);
    for (const std::string& name : names_inside()) {
      for (const char* option : {"log", "plots", "picture"}) {
        check_written({{"output", in_folder(name)}, {option, std::string(values.text(option))}});
      }
    }
  }

  // What forbids writing is known before the draws, not after them.
  void make_folders() const {
    std::vector<std::string> written = names_inside();
    for (std::string& each : written) each = in_folder(each);
    if (!folder_.empty()) {
      std::error_code failed;
      std::filesystem::create_directories(folder_, failed);
      if (failed) throw Error(folder_, ": cannot make this folder: ", failed.message());
    }
    for (const std::string& each : {plots_, picture_}) {
      if (!each.empty()) written.push_back(each);
    }
    for (const std::string& each : written) const AtomicFile attempt{each};
  }

  void draw(const bugs::Program& program, const Arrays& data) const {
    if (!picture_.empty()) write_whole(picture_, bugs::plates_svg(program, data));
  }

  void write(const BugsResult& result, const std::vector<NodeSummary>& nodes,
             BugsReport& report) const {
    if (!plots_.empty()) {
      write_whole(plots_, plots_.ends_with(".svg")
                              ? bugs::plots_svg(result, nodes)
                              : bugs::plots_html(result, nodes, program_name()));
      report.wrote(plots_);
    }
    if (!folder_.empty()) write_folder(result, nodes, report);
    for (const bugs::ScriptCoda& each : request_.coda) {
      std::vector<bugs::Trace> parts;
      auto traces = traces_of(result, each.name);
      if (each.samples) {
        const std::size_t last = request_.options.burn_in + *each.samples;
        parts.reserve(traces.size());
        for (const bugs::Trace*& trace : traces) {
          trace = &parts.emplace_back(up_to(*trace, last));
        }
      }
      if (traces.empty() || each.samples == 0u) {
        report.warn("coda " + each.name + ": no draws of this name; nothing is written");
        continue;
      }
      const std::string stem = in_folder(each.stem);
      write_coda(traces, stem);
      report.wrote(stem + "index.txt and " + stem + "chain1.txt, …");
    }
    for (const std::string& each : request_.samplers) {
      std::string text;
      for (const bugs::SamplerUse& use : result.samplers) {
        for (const std::string& node : use.nodes) text += use.sampler + "\t" + node + "\n";
      }
      write_whole(in_folder(each), text);
      report.wrote(in_folder(each));
    }
  }

 private:
  // The files whose names nobody has given, but the folder or the script.
  std::vector<std::string> names_inside() const {
    std::vector<std::string> names = request_.samplers;
    std::vector<std::string> stems;
    if (!folder_.empty()) {
      names.insert(names.end(), {"summary.csv", "draws.csv", "marginals.csv", "result.json"});
      stems.emplace_back("CODA");
    }
    for (const bugs::ScriptCoda& each : request_.coda) stems.push_back(each.stem);
    for (const std::string& stem : stems) {
      names.push_back(stem + "index.txt");
      for (std::size_t chain = 1; chain <= request_.options.chains; ++chain) {
        names.push_back(fmt::format("{}chain{}.txt", stem, chain));
      }
    }
    return names;
  }

  void check_names_inside(const std::vector<std::string>& inputs) const {
    for (const std::string& name : names_inside()) {
      const std::string path = in_folder(name);
      for (const std::string& input : inputs) {
        if (input.empty() || !same_file(input, path)) continue;
        const bool script = folder_.empty();
        throw UsageError(script ? Message("the script") : Message("--output ", folder_),
                         " would replace the input ", input,
                         " by a file of the result; give another ",
                         script ? Message("name") : Message("folder"));
      }
    }
  }

  std::string program_name() const {
    return std::filesystem::path(request_.program).filename().string();
  }
  std::string in_folder(const std::string& name) const {
    return folder_.empty() ? name : (std::filesystem::path(folder_) / name).string();
  }

  void write_folder(const BugsResult& result, const std::vector<NodeSummary>& nodes,
                    BugsReport& report) const {
    write_whole(in_folder("summary.csv"), summary_csv(nodes));
    if (result.exact.empty()) {
      write_whole(in_folder("draws.csv"), bugs::draws_csv(result.traces));
      if (request_.coda.empty()) write_coda(traces_of(result, "*"), in_folder("CODA"));
    } else {
      write_whole(in_folder("marginals.csv"), marginals_text(result, ','));
    }
    const Json document = to_json(result, nodes, request_.options);
    write_whole(in_folder("result.json"), document.dump(2, InvalidUtf8::replace) + "\n");
    report.wrote(folder_);
  }

  const std::string folder_, plots_, picture_;
  const BugsRequest& request_;
};

int run_bugs(const OptionValues& values) {
  handle_interrupts();
  BugsRequest request = request_of(values);
  request.options.validate();
  const BugsFiles files(values, request);
  BugsReport report(std::string(values.text("log")), values.flag("quiet"));
  for (const std::string& each : request.warnings) report.warn(each);
  const bugs::Program program = bugs::read_program(request.program);
  bugs::ArrayNotes notes;
  const Arrays data = bugs::read_data_files(request.data, notes);
  const std::vector<Arrays> inits = read_inits(request, notes);
  if (!notes.ignored.empty()) {
    report.warn(notes.ignored[0] +
                " sets the generator of JAGS and is left out: --seed sets that of "
                "croft");
  }
  if (!notes.by_rows.empty()) report.warn(notes.by_rows);
  files.make_folders();
  files.draw(program, data);
  report.start(request.program, request.options);
  const BugsResult result =
      bugs::sample(program, data, inits, request.options,
                   [&](const bugs::BugsProgress& progress) { return report.see(progress); });
  for (const std::string& each : result.warnings) report.warn(each);
  const std::vector<NodeSummary> nodes = summaries(result, request.options.threads);
  report.done(result, nodes);
  write_answer(
      values.flag("json"), [&] { return to_json(result, nodes, request.options); },
      [&] { return answer_text(result, nodes); });
  files.write(result, nodes, report);
  return interruption ? kInterrupted : kDone;
}

}  // namespace

const Verb kBugs = {.name = "bugs",
                    .summary = "Draws from the posterior of a BUGS model, as JAGS does",
                    .options = [] { return tables(bugs_options(), common_options()); },
                    .footer = [] { return std::string(kBugsFooter); },
                    .run = run_bugs,
                    .need_of_memory =
                        "monitor fewer nodes, keep fewer draws by --thin, or use a "
                        "larger machine"};

}  // namespace croft::cli
