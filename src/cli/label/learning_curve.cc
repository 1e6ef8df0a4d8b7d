// croft learning-curve
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

#include "app/label/row_reader.h"
#include "app/search/learning_curve.h"
#include "cli/common.h"
#include "cli/model_options.h"
#include "cli/passed_options.h"
#include "cli/verb.h"
#include "core/files.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "data/comma_list.h"

namespace croft::cli {
namespace {

constexpr const char* kCurveFooter = R"(
All other options are those of `croft train`, and hold for every training; see croft train --help=all.

Example:
  croft learning-curve train.conll --test test.conll --metric chunk-f1
  croft learning-curve train.conll --test test.conll --group-by -DOCSTART- --plot curve.svg
  croft learning-curve train.tsv --format text --test test.tsv --csv > curve.csv

Says whether more data would help: where the score on the test data still rises, it would; where it
is flat and far below that on the training data, other features may.  Each draw puts the sequences
in an order of its own; the standard error is over draws.)";

std::span<const OptionRow> curve_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("DATA", "", "Labelled data, as for train").needed().repeated().unnamed(),
      file("test", "FILE", "Labelled data on which models are scored").needed(),
      words("shares", "P,Q,...", "Shares of the data, without: 0.05,0.1,0.2,0.4,0.7,1"),
      whole("repeats", "N=3", "Draws of each share but the whole").at_first("3").between(1, 1000),
      choice("metric", "METRIC=accuracy", {"accuracy", "chunk-f1", "log-loss"},
             "accuracy, chunk-f1 or log-loss")
          .at_first("accuracy"),
      words("group-by", "MARKER|COLUMN|KEY|blank-lines",
            "No share divides a group, as for croft search"),
      flag("contiguous",
           "Shares are runs of neighbouring sequences or groups, and not drawn singly"),
      file("plot", "FILE", "Draw the curve as an SVG picture in this file")
          .written_as("the picture "),
      flag("csv", "A table of comma-separated values").without("json"),
      json_row("One JSON document instead of a table"),
  });
  return kRows;
}

std::vector<double> read_shares(std::string_view text) {
  if (text.empty()) return {0.05, 0.1, 0.2, 0.4, 0.7, 1};
  std::vector<double> shares;
  for (const std::string_view one : between_commas(text)) {
    double share = 0;
    const auto [stop, fault] = std::from_chars(one.data(), one.data() + one.size(), share);
    if (fault != std::errc() || stop != one.data() + one.size()) {
      throw UsageError("--shares: ", in_quotes(one), " is no number");
    }
    shares.push_back(share);
  }
  return shares;
}

CurveRequest request_of(const OptionValues& values) {
  CurveRequest r;
  values.read("DATA", r.data);
  r.test = values.text("test");
  for (const std::string& each : r.data) {
    if (each == "-") throw UsageError("a learning curve reads its data again: give a file");
  }
  const std::string_view format = values.text("format");
  r.spans = format == kSpanFormat;
  r.format = data_form_of(format, "a learning curve");
  values.choose("delimiter", {',', ',', '\t', ';', ';'}, r.delimiter);
  values.read("ignore-lines", r.ignored);
  values.read(values.given("group-by") ? "group-by" : "documents", r.group_by);
  values.read("contiguous", r.contiguous);
  check_passed_holdout(values, "a learning curve scores on --test");
  r.shares = read_shares(values.text("shares"));
  values.read("repeats", r.repeats);
  values.choose("metric", {SearchMetric::accuracy, SearchMetric::chunk_f1, SearchMetric::log_loss},
                r.metric);
  r.seed = common_of(values).seed;
  r.threads = common_of(values).threads;
  r.options = passed_arguments(values);
  return r;
}

int run_curve(const OptionValues& values) {
  if (values.text("model") == "graph") {
    throw UsageError(
        "a learning curve is of sequences and texts; a model of kind graph learns "
        "from a database");
  }
  const CurveRequest request = request_of(values);
  const std::string plot(values.text("plot"));
  if (!plot.empty()) AtomicFile{plot};
  handle_interrupts();
  const bool quiet = values.flag("quiet"), terminal = ::isatty(STDERR_FILENO) == 1;
  const std::string seed = fmt::format("--seed={}", request.seed);
  const CurveCalls calls{.train =
                             [&](const std::vector<std::string>& arguments) {
                               std::vector<std::string> all{seed};
                               all.insert(all.end(), arguments.begin(), arguments.end());
                               train_with(all);
                             },
                         .progress =
                             [&](std::size_t done, std::size_t all) {
                               if (quiet) return;
                               std::fprintf(stderr, "%s%zu of %zu trainings%s",
                                            terminal ? "\r\033[K" : "", done, all,
                                            terminal && done < all ? "" : "\n");
                             },
                         .warn =
                             [](const std::string& warning) {
                               std::fprintf(stderr, "warning: %s\n", warning.c_str());
                             }};
  const std::vector<CurvePoint> points = learning_curve(request, calls);
  if (!plot.empty()) {
    AtomicFile file(plot);
    file.write(curve_svg(points, request.metric));
    file.commit();
  }
  write_answer(
      values.flag("json"), [&] { return to_json(points, request.metric); },
      [&] {
        return values.flag("csv") ? curve_csv(points, request.metric)
                                  : curve_table(points, request.metric);
      });
  return kDone;
}

}  // namespace

const Verb kLearningCurve = {
    .name = "learning-curve",
    .summary = "Say how much better a model gets with more data",
    .options = [] { return tables(curve_options(), common_options(), passed_options()); },
    .footer = [] { return std::string(kCurveFooter); },
    .run = run_curve,
    .own_company = true};

}  // namespace croft::cli
