// What a request leaves open, filled in; and what it names by short texts.
#include <vector>

#include "app/train/train_files.h"
#include "core/parse_number.h"
#include "croft/core/error.h"
#include "data/settings/field_files.h"

namespace croft {
namespace {

double kernel_number(const std::string& kernel, const std::string& text) {
  double value = 0;
  if (parse_number(text, value) == NumberKind::finite) return value;
  throw UsageError("--kernel ", kernel, ": ", in_quotes(text), " is no number");
}

}  // namespace

Kernel parse_kernel(const std::string& text) {
  const std::vector<std::string> fields = split_at(text, ':');
  Kernel kernel;
  const std::size_t numbers = fields.size() - 1;
  const auto number = [&](std::size_t k) { return kernel_number(text, fields[k]); };
  if (fields[0] == "linear" && numbers == 0) {
    kernel.type = Kernel::Type::linear;
  } else if (fields[0] == "poly" && numbers >= 1 && numbers <= 3) {
    kernel.type = Kernel::Type::polynomial;
    const double degree = number(1);
    if (!(degree >= 1 && degree <= 10 && degree == static_cast<unsigned>(degree))) {
      throw UsageError("--kernel ", text, ": the degree is not a whole number from 1 to 10");
    }
    kernel.degree = static_cast<unsigned>(degree);
    if (numbers >= 2) kernel.scale = number(2);
    if (numbers >= 3) kernel.offset = number(3);
  } else if (fields[0] == "rbf" && numbers == 1) {
    kernel.type = Kernel::Type::rbf;
    kernel.gamma = number(1);
  } else {
    throw UsageError("--kernel ", in_quotes(text),
                     " is none of linear, poly:DEGREE, poly:DEGREE:SCALE, poly:DEGREE:SCALE:OFFSET "
                     "and rbf:GAMMA");
  }
  kernel.validate();
  return kernel;
}

void OptimisedRequest::set_defaults(Method method, Regulariser& regulariser,
                                    StoppingRule& stop) const {
  const bool online = !info(method).l2;
  regulariser.l2 = l2.value_or(online ? 0.0 : 1.0);
  stop.max_iterations = max_iterations.value_or(online ? 100 : 1000);
  stop.tolerance = tolerance.value_or(online ? 0.0 : default_tolerance(regulariser));
  stop.gradient_tolerance = gradient_tolerance.value_or(online ? 0.0 : 1e-5);
  stop.window = window.value_or(stop.window);
}

void OptimisedRequest::check(const StoppingRule& stop) const {
  if (window && stop.tolerance == 0) {
    throw UsageError(
        "--window is what --tolerance is measured over, which is 0: give one above "
        "0, or leave out --window");
  }
  if (!prior.empty() && !init.empty()) {
    throw UsageError("--prior is also what training starts from: leave out --init");
  }
  check_checkpoint();
}

void OptimisedRequest::check_checkpoint() const {
  if (resume && checkpoint.empty()) {
    throw UsageError("--resume goes on from a checkpoint; name its folder with --checkpoint");
  }
  if (checkpoint_interval != kCheckpointInterval && checkpoint.empty()) {
    throw UsageError(
        "--checkpoint-interval is the time between two states that --checkpoint keeps; name its "
        "folder, or leave it out");
  }
}

TrainRequest with_defaults(TrainRequest request) {
  TrainOptions& o = request.options;
  o.seed = request.seed;
  if (o.kind == ChainKind::memm && o.objective == Objective::likelihood) {
    o.objective = Objective::local;
  }
  o.prior = !request.prior.empty();
  o.block = request.block.value_or(o.block);
  if (!request.kernel.empty()) o.settings.kernel = parse_kernel(request.kernel);
  request.set_defaults(o.chosen_method(!request.init.empty() || o.prior), o.regulariser, o.stop);
  o.own_stop = request.tolerance || request.gradient_tolerance || request.window ||
               o.stop.window != StoppingRule().window;
  if (o.settings.gap) o.stop.gap_tolerance = *o.settings.gap;
  return request;
}

// Before anything is read: what depends on the data is looked at again when it is known.
void check_method(const TrainRequest& request) {
  const TrainOptions& o = request.options;
  MethodChoice choice = o.choice(!request.init.empty() || o.prior, kFewPositions);
  choice.weighted = !request.weights.empty() || !request.class_weights.empty();
  choice.variances = !request.variances.empty();
  choice.by_default = !o.method;
  choice.block = choice.block || request.block;
  choice.tolerance = request.tolerance.value_or(0) > 0;
  choice.window = choice.window || request.window;
  check_choice(choice);
}

void check_early_stop(const TrainRequest& request) {
  if (request.options.early_stop == 0 || !request.holdout.empty()) return;
  throw UsageError("--early-stop needs --holdout, to see when to stop");
}

void check_reading(const TrainRequest& request) {
  const bool has_template = !request.template_path.empty() || !request.template_text.empty();
  if (has_template && request.format != InputFormat::columns) {
    throw UsageError("--template goes with --format columns",
                     request.format == InputFormat::attributes
                         ? Message("; attribute lines hold the features themselves")
                         : Message(", and the format is ", format_name(request.format)));
  }
  if (request.text) request.text->validate();
  if (request.csv) request.csv->validate();
  if (!has_template && request.language != TemplateLanguage::automatic) {
    throw UsageError("--template-language says how --template is read, and there is none");
  }
}

void check_request(const TrainRequest& request) {
  request.options.validate();
  check_method(request);
  check_class_weights(request);
  if (request.options.rounds.any() && !request.checkpoint.empty()) {
    throw UsageError(
        "--checkpoint keeps the state of one optimizer, and with --induce, --unsupported and "
        "--select there are several, whose features differ: leave it out; Ctrl-C keeps the model "
        "of the features so far");
  }
  check_early_stop(request);
  check_reading(request);
  if (!request.cost.empty() && !info(request.options.objective).cost) {
    throw UsageError(
        "--cost is what a mistake costs with --objective softmax-margin, max-margin, "
        "passive-aggressive or arow; ",
        info(request.options.objective).name, " has no costs");
  }
  request.check(request.options.stop);
  if (request.partial &&
      request.partial->any.find(request.partial->separator) != std::string::npos) {
    throw UsageError("--partial-separator ", request.partial->separator, " is part of ",
                     in_quotes(request.partial->any), ", which is any label");
  }
  holdout_fraction(request.holdout);  // one that is out of range is refused
}

}  // namespace croft
