#include "cli/infer/infer_stream.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "app/infer/infer_methods.h"
#include "app/infer/slice_stream.h"
#include "cli/common.h"
#include "croft/core/error.h"

namespace croft::cli {
namespace {

// Beside the rows of slice_options().
constexpr std::array<std::string_view, 8> kTakenByStreams{"GRAPH", "format", "task",    "memory",
                                                          "json",  "quiet",  "threads", "seed"};

SliceEndings endings_of(const OptionValues& values) {
  return values.given("slice-endings") ? SliceEndings::read(values.text("slice-endings"))
                                       : SliceEndings{};
}

void check_company(const OptionValues& values) {
  const auto own = slice_options();
  for (const std::span<const OptionRow> table : values.tables()) {
    for (const OptionRow& row : table) {
      if (!values.given(row.name) || std::ranges::count(kTakenByStreams, row.name) > 0 ||
          std::ranges::count(own, row.name, &OptionRow::name) > 0) {
        continue;
      }
      throw UsageError(Message::option(row.name),
                       " has no meaning beside --stream; leave it out, or ask the unrolled "
                       "network by --unroll");
    }
  }
}

SliceRequest slice_request(const OptionValues& values) {
  SliceRequest request;
  if (values.given("task")) request.task = graph_task(std::string(values.text("task")));
  if (request.task == GraphTask::marginal_map || request.task == GraphTask::sample) {
    throw UsageError("--stream answers --task marginals (default), map and partition");
  }
  for (const std::string_view name : {"lag", "ahead", "smooth"}) {
    if (request.task == GraphTask::marginals || !values.given(name)) continue;
    throw UsageError(Message::option(name), " is for --task marginals");
  }
  values.read("lag", request.lag);
  values.read("ahead", request.ahead);
  values.read("memory", request.memory);
  request.smooth = values.flag("smooth");
  request.json = values.flag("json");
  return request;
}

}  // namespace

std::span<const OptionRow> slice_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("stream", "FILE",
           "Of a network of two slices: evidence as CSV with a header, a row for each slice of "
           "time, answered as it comes; - is stdin.  An empty cell is not known, 0.3:0.7 the "
           "likelihood of each state"),
      whole("lag", "L", "Smoothing: the answer to a row is about the slice L rows before")
          .from(1)
          .beside("stream")
          .without("ahead"),
      whole("ahead", "K", "Prediction: the answer to a row is about the slice K rows later")
          .between(1, 1'000'000)
          .beside("stream")
          .without("smooth"),
      flag("smooth", "Smoothing: all slices given all rows, when the stream has ended")
          .beside("stream")
          .without("lag"),
      whole("unroll", "T", "Ask, draw or save the plain network of T slices instead")
          .from(1)
          .without("stream"),
      words("slice-endings", "A,B=_0,_1",
            "What the names of the variables of the first and of the next slice end in"),
  });
  return kRows;
}

void answer_stream(const OptionValues& values, const GraphFile& file) {
  check_company(values);
  const SliceRequest request = slice_request(values);
  handle_interrupts();
  LineReader evidence{std::string(values.text("stream"))};
  evidence.before_waiting(flush_result);
  answer_slices(slice_file(file, endings_of(values)), request, std::move(evidence),
                [](const std::string& text) { write_result(text); });
}

GraphFile unrolled_as_asked(const OptionValues& values, GraphFile file) {
  if (!values.given("unroll")) {
    if (values.given("slice-endings")) {
      throw UsageError("--slice-endings is for --stream and --unroll");
    }
    return file;
  }
  std::size_t slices = 0;
  double memory = SliceRequest().memory;
  values.read("unroll", slices);
  values.read("memory", memory);
  const SliceFile two = slice_file(file, endings_of(values));
  const double bytes = unrolled_bytes(two);
  if (bytes * static_cast<double>(slices) > memory) {
    throw Error(
        "the plain network of ", slices, " slices takes about ",
        memory_text(bytes * static_cast<double>(slices)), ", and ", memory_text(memory),
        " are allowed; give more --memory, fewer slices, or --stream, whose memory does not "
        "grow with them");
  }
  return unrolled(two, slices);
}

}  // namespace croft::cli
