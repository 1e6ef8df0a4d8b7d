#include "cli/infer_request.h"

#include "cli/common.h"
#include "croft/core/error.h"

namespace croft::cli {

InferRequest infer_request(const OptionValues& values, GraphTask task) {
  InferRequest request;
  request.task = values.given("task") ? graph_task(std::string(values.text("task"))) : task;
  values.read("method", request.method);
  values.read("memory", request.memory);
  values.read("time", request.seconds);
  values.read("tolerance", request.tolerance);
  values.read("max-iterations", request.max_iterations);
  for (const std::string& each : values.list("set")) {
    const std::size_t equal = each.find('=');
    if (equal == each.npos) throw UsageError("--set takes NAME=VALUE, not ", in_quotes(each));
    request.settings.emplace_back(each.substr(0, equal), each.substr(equal + 1));
  }
  const CommonOptions common = common_of(values);
  request.seed = common.seed;
  request.threads = common.threads;
  return request;
}

}  // namespace croft::cli
