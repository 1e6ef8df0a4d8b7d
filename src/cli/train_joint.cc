#include "cli/train_joint.h"

#include <array>
#include <filesystem>

#include "cli/kind_options.h"
#include "cli/progress.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

constexpr auto kUsed =
    joined(kDataOptions, kMethodOptions,
           std::to_array<std::string_view>({"joint-template", "label-classes", "gap", "best"}));

}  // namespace

void add_joint_options(CLI::App& verb, JointCommand& c) {
  constexpr const char* kGroup = "Joint features of x and y (--model maxent)";
  verb.add_option("--joint-template", c.joint_template,
                  "Lines such as u1:%x[-1,0] * %y[suffix,3]: an observation times a part of "
                  "the label; labels with the same part share the weight")
      ->option_text("FILE")
      ->group(kGroup);
  verb.add_option("--label-classes", c.label_classes,
                  "Lines LABEL CLASS, for %y[class] in the joint templates, and for --experts "
                  "labels of --model pool")
      ->option_text("FILE")
      ->group(kGroup);
}

std::span<const std::string_view> joint_option_names() { return kUsed; }

int run_joint(const JointCommand& c, const TrainRequest& shared, const std::string& log,
              bool quiet) {
  for (const std::string& input : {c.joint_template, c.label_classes}) {
    std::error_code none;
    if (!log.empty() && (log == input || std::filesystem::equivalent(log, input, none))) {
      throw UsageError("--log " + log + " would overwrite " + input + "; give another name");
    }
  }
  if (shared.format != InputFormat::columns) {
    throw UsageError("--joint-template goes with --format columns, whose cells it names");
  }
  JointRequest request{with_defaults(shared), c.joint_template, c.label_classes};
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
  const TrainResult result = train_joint(request, watcher);
  progress.done(result, shared.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
