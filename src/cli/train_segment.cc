#include "cli/train_segment.h"

#include <array>
#include <filesystem>

#include "cli/kind_options.h"
#include "cli/progress.h"
#include "croft/app/chunks.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

constexpr auto kOnly = std::to_array<std::string_view>(
    {"segment-template", "gazetteer", "max-length", "text-attribute", "label-scheme"});
constexpr auto kUsed =
    joined(kOnly, kDataOptions, kMethodOptions,
           std::to_array<std::string_view>(
               {"template", "template-language", "kit", "intercept", "no-intercept", "boundaries",
                "partial", "partial-separator", "block", "cost", "init", "prior", "variances",
                "holdout", "early-stop", "checkpoint", "resume", "checkpoint-interval", "gap"}));

}  // namespace

void add_segment_options(CLI::App& verb, SegmentCommand& c) {
  constexpr const char* kGroup = "Segments (--model segment, boosted-segment)";
  verb.add_option("--segment-template", c.segment_template,
                  "Lines such as U1:%length or U2:%lower: features of a segment as a whole; none: "
                  "there are none; without: the length (docs/segments.md)")
      ->option_text("FILE|none")
      ->group(kGroup);
  verb.add_option(
          "--gazetteer", c.gazetteers,
          "Names, one a line, for %gazetteer in the segment template; behind a TAB the list "
          "that it is in, otherwise NAME, or the file's; may be given several times")
      ->option_text("[NAME=]FILE")
      ->allow_extra_args(false)
      ->group(kGroup);
  verb.add_option("--max-length", c.longest,
                  "Positions that a segment may have, or one of that label; without: those of the "
                  "longest one in the data; may be given several times")
      ->option_text("[LABEL=]N")
      ->allow_extra_args(false)
      ->group(kGroup);
  verb.add_option("--text-attribute", c.text_attribute,
                  "With --format attributes, what the attribute starts with that has a position's "
                  "word, for segment templates, such as w=")
      ->option_text("PREFIX")
      ->group(kGroup);
  verb.add_option("--label-scheme", c.chunks,
                  "How labels spell segments: bio, bio1, ioe, bioes, raw (each a segment), none "
                  "(runs of a label), or auto; with --format spans and any kind, how spans become "
                  "labels: bio (auto), bio1, ioe or bioes")
      ->option_text("SCHEME=auto")
      ->group(kGroup);
}

std::span<const std::string_view> segment_option_names() { return kUsed; }
std::span<const std::string_view> segment_only_option_names() { return kOnly; }

SegmentRequest segment_request(const SegmentCommand& c, const std::string& log) {
  SegmentRequest request;
  request.segment_template = c.segment_template;
  request.gazetteers = c.gazetteers;
  request.longest = c.longest;
  request.text_attribute = c.text_attribute;
  request.scheme = chunk_scheme_from_name(c.chunks);
  for (std::string input : [&] {
         std::vector<std::string> inputs = c.gazetteers;
         inputs.push_back(c.segment_template);
         return inputs;
       }()) {
    input = input.substr(input.find('=') + 1);
    std::error_code none;
    if (!log.empty() && (log == input || std::filesystem::equivalent(log, input, none))) {
      throw UsageError("--log " + log + " would overwrite " + input + "; give another name");
    }
  }
  return request;
}

int run_segment(const SegmentCommand& c, const TrainRequest& shared, const std::string& log,
                bool quiet) {
  SegmentRequest request = segment_request(c, log);
  request.train = with_segment_defaults(shared);
  if (!quiet && request.train.options.method == Method::async_sgd &&
      request.train.options.threads != 1) {
    std::fprintf(stderr, "async-sgd on several threads: another run will give another model\n");
  }
  handle_interrupts();
  TrainingProgress progress(request.train.options, log, quiet);
  const TrainWatcher watcher{.data_read = [&](const TrainData& data) { progress.data_read(data); },
                             .reading = [&](std::size_t n) { progress.reading(n); },
                             .iteration =
                                 [&](const TrainProgress& now) {
                                   progress.iteration(now);
                                   return !interruption;
                                 }};
  const TrainResult result = train_segment(request, watcher);
  progress.done(result, shared.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
