#include "cli/infer/infer_request.h"

#include "app/infer/name_values.h"
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
  request.settings = name_values(values);
  const CommonOptions common = common_of(values);
  request.seed = common.seed;
  request.threads = common.threads;
  return request;
}

}  // namespace croft::cli
