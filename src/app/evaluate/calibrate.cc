#include "app/evaluate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "app/file_checks.h"
#include "app/label/predict.h"
#include "app/label/sequence_source.h"
#include "core/files.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/chain_sum.h"
#include "model/kinds/hidden_chain_model.h"
#include "model/kinds/model_file.h"
#include "train/calibration_fit.h"

namespace croft {
namespace {

void check_request(const CalibrateRequest& request) {
  std::vector<std::string> inputs = request.data;
  inputs.push_back(request.model);
  check_files(inputs, request.output);
}

void check_model(const SequenceModel& model, CalibrationMethod method) {
  const std::string& name = model.container().name();
  const auto* chain = as<ChainModel>(model);
  if (chain != nullptr && chain->vote() != nullptr) {
    throw UsageError(name + " is a voted perceptron, whose labels have no probabilities");
  }
  if (!model.has_probabilities()) {
    throw UsageError(name + " decodes by comparing words of bits, which has no probabilities");
  }
  if (as<HiddenChainModel>(model) != nullptr) {
    throw UsageError(name + " has hidden states: a labelling's probability is a sum over them, " +
                     "which a temperature of scores does not calibrate");
  }
  if (model.labels() < 2) {
    throw UsageError(name + " has one label, whose probability is always 1");
  }
  if (method == CalibrationMethod::temperature || model.labels_are_independent()) return;
  throw UsageError(name, ": --method ", calibration_name(method),
                   " calibrates each label by itself, and a model of kind ", model.kind(),
                   " labels sequences as a whole; take --method temperature, or a model of kind "
                   "maxent or naive-bayes");
}

std::vector<TextSequence> read_all(const CalibrateRequest& request, const SequenceModel& model) {
  std::vector<TextSequence> all;
  for (const std::string& path : request.data) {
    SequenceSource source(path, model, Labels::required);
    for_each_sequence(source, [&](InputSequence& sequence) { all.push_back(sequence.text); });
  }
  return all;
}

// A sequence as the fit sees it: its chain, of scores that are not calibrated, and its gold labels'
// score.
struct Fitted {
  std::vector<Label> gold;
  double weight = 1;
  ChainScores<double> chain;
  double gold_score = 0;
};

class Fit {
 public:
  Fit(const TagPlan& plan, ThreadPool& pool, CalibrateReport& report)
      : plan_(plan), pool_(pool), report_(report) {
    for (Label y = 0; y < plan.model().labels(); ++y) ids_[plan.model().label(y)] = y;
  }

  // Whether it is fitted to.
  bool add(const TextSequence& text) {
    Fitted fitted;
    if (!(text.weight > 0)) return false;
    fitted.weight = text.weight;
    for (std::size_t t = 0; t < text.length(); ++t) {
      const auto at = ids_.find(text.labels.item(t));
      if (at == ids_.end()) {
        ++report_.unknown;
        return false;
      }
      fitted.gold.push_back(at->second);
    }
    ChainScores<double> base;
    plan_.score({text}, scratch_, base);
    const ChainScores<double>* chain = plan_.lift({text}, base, lifted_);
    fitted.gold_score = plan_.score_of(fitted.gold, base, lifted_);
    if (!std::isfinite(fitted.gold_score)) {
      ++report_.impossible;
      return false;
    }
    ++report_.sequences;
    report_.positions += text.length();
    fitted.chain = *chain;
    all_.push_back(std::move(fitted));
    return true;
  }

  Calibrator run(CalibrationMethod method) {
    if (all_.empty()) {
      throw Error(
          "no sequence of the data has labels that the model knows and allows; calibrate "
          "with data like that which it was trained on");
    }
    Calibrator calibrator;
    calibrator.method = method;
    if (method == CalibrationMethod::temperature) {
      calibrator.temperature = best_temperature([this](double inverse) { return loss(inverse); },
                                                report_.positions, ", or take --method platt");
      return calibrator;
    }
    const std::size_t labels = plan_.model().labels();
    for (Label y = labels == 2 ? 1 : 0; y < labels; ++y) {
      if (method == CalibrationMethod::platt) {
        calibrator.sigmoids.push_back(fit_sigmoid(examples_of(y)));
      } else {
        calibrator.curves.push_back(fit_isotonic(examples_of(y)));
      }
    }
    return calibrator;
  }

 private:
  // -sum_n q_n log p_T(y_n | x_n), (CA.1).
  double loss(double inverse) {
    const TransitionScores<double> transitions = scaled(*all_.front().chain.transitions, inverse);
    std::vector<ForwardBackwardWorkspace<double>> work(pool_.threads());
    std::vector<ChainScores<double>> chains(pool_.threads());
    CompensatedSum sum;
    std::vector<double> values(pool_.threads());
    pool_.run_ordered(
        all_.size(),
        [&](std::size_t n, std::size_t w) {
          const Fitted& each = all_[n];
          chains[w] = each.chain;
          scale(inverse, chains[w]);
          chains[w].transitions = &transitions;
          const double log_z = log_partition(chains[w], work[w]);
          values[w] = each.weight * std::max(0.0, log_z - inverse * each.gold_score);
        },
        [&](std::size_t, std::size_t w) { sum.add(values[w]); });
    return sum.value();
  }

  std::vector<CalibrationExample> examples_of(Label y) const {
    std::vector<CalibrationExample> examples;
    std::vector<double> odds;
    for (const Fitted& each : all_) {
      for (std::size_t t = 0; t < each.gold.size(); ++t) {
        log_odds({each.chain.state.row(t), each.chain.labels()}, odds);
        if (!std::isfinite(odds[y])) continue;  // forbidden, or the only one that is not
        examples.push_back({odds[y], each.gold[t] == y, each.weight});
      }
    }
    return examples;
  }

  const TagPlan& plan_;
  ThreadPool& pool_;
  CalibrateReport& report_;
  std::unordered_map<std::string_view, Label> ids_;
  SequenceModel::Scratch scratch_;
  LiftedChains<double> lifted_;
  std::vector<Fitted> all_;
};

Json number_or_null(double number) { return std::isfinite(number) ? Json(number) : Json(); }

}  // namespace

double best_temperature(const std::function<double(double inverse)>& loss, std::size_t positions,
                        std::string_view remedy) {
  const auto found = fit_temperature(loss);
  // Below that all labels are right, and what is left is rounding.
  constexpr double kNothing = 1e-9;  // nats a position
  if (found && loss(1 / *found) > kNothing * static_cast<double>(positions)) return *found;
  throw Error(
      "no temperature is best on this data: either every label is right, so that the smaller the "
      "better, or they are no better than chance, so that the larger the better; give more data, "
      "which the model was not trained on",
      remedy);
}

Json calibration_json(const CalibrateReport& report) {
  const auto of = [](const EvaluationSummary& s) {
    return Json{{"log_loss", number_or_null(s.log_loss->per_token())},
                {"expected_calibration_error",
                 s.calibration ? Json(s.calibration->expected_error) : Json()}};
  };
  return {{fmt::format("{}s", report.sequence), report.sequences},
          {fmt::format("{}s", report.position), report.positions},
          {"before", of(report.before)},
          {"after", of(report.after)}};
}

namespace {

// Fewer examples than that do not determine the numbers of a calibration: a rule of thumb for the
// one or two of temperature and platt, and for a curve, of which Niculescu-Mizil & Caruana (2005)
// saw more harm than good below a thousand.
std::size_t few_positions(CalibrationMethod method) {
  return method == CalibrationMethod::isotonic ? 1000 : 100;
}

// A figure that is worse by as much as the report shows of it.
void warn_if_worse(const char* name, double before, double after, double shown,
                   CalibrateReport& report) {
  if (!(after > before + shown)) return;
  report.warnings.push_back(fmt::format(
      "the {} of the data that it was fitted to is worse than before: {:.6g}, and was {:.6g}", name,
      after, before));
}

}  // namespace

void find_calibration_warnings(CalibrateReport& report) {
  const std::size_t left_out = report.unknown + report.impossible;
  if (left_out > report.sequences) {
    report.warnings.push_back(fmt::format(
        "most of the data was left out, {} {}s of {}: is it data like that of the training?",
        left_out, report.sequence, left_out + report.sequences));
  }
  const CalibrationMethod method = report.calibrator.method;
  if (report.positions < few_positions(method)) {
    report.warnings.push_back(Message(report.positions, " examples are few for --method ",
                                      calibration_name(method), ": give ", few_positions(method),
                                      " or more")
                                  .text());
  }
  const EvaluationSummary &b = report.before, &a = report.after;
  warn_if_worse("log-loss", b.log_loss->per_token(), a.log_loss->per_token(), 1e-6, report);
  if (b.brier && a.brier) warn_if_worse("Brier score", *b.brier, *a.brier, 1e-6, report);
  if (b.calibration && a.calibration) {
    warn_if_worse("expected calibration error", b.calibration->expected_error,
                  a.calibration->expected_error, 1e-4, report);
  }
  warn_if_worse("error rate", 1 - b.token_accuracy(), 1 - a.token_accuracy(), 1e-4, report);
}

CalibrateReport calibrate_model(const CalibrateRequest& request, ThreadPool& pool) {
  check_request(request);
  const auto model = read_model(read_model_file(request.model));
  check_model(*model, request.method);
  { const AtomicFile attempt{request.output}; }  // what forbids writing is known before the work
  std::vector<TextSequence> texts = read_all(request, *model);
  TagRequest own;
  own.calibrated = false;
  const TagPlan plan(*model, own);
  CalibrateReport report;
  Fit fit(plan, pool, report);
  std::erase_if(texts, [&](const TextSequence& text) { return !fit.add(text); });
  report.calibrator = fit.run(request.method);
  report.before = evaluate_sequences(plan, texts, pool).summary();
  const auto probe = read_model(Container::from_bytes(
      with_calibration(model->container(), report.calibrator, Json::object()).bytes(),
      request.output));
  report.after = evaluate_sequences(TagPlan(*probe), texts, pool).summary();
  find_calibration_warnings(report);
  with_calibration(model->container(), report.calibrator, calibration_json(report))
      .write(request.output);
  return report;
}

Json to_json(const CalibrateReport& report) {
  const auto of = [](const EvaluationSummary& s) {
    return Json{{"log_loss", number_or_null(s.log_loss->per_token())},
                {"accuracy", s.token_accuracy()},
                {"brier", s.brier ? Json(*s.brier) : Json()},
                {"expected_calibration_error",
                 s.calibration ? Json(s.calibration->expected_error) : Json()}};
  };
  Json document = {{"method", calibration_name(report.calibrator.method)},
                   {fmt::format("{}s", report.sequence), report.sequences},
                   {fmt::format("{}s", report.position), report.positions},
                   {"unknown_labels", report.unknown},
                   {fmt::format("impossible_{}s", report.sequence), report.impossible},
                   {"before", of(report.before)},
                   {"after", of(report.after)},
                   {"warnings", report.warnings}};
  if (!report.calibrator.by_label()) document["temperature"] = report.calibrator.temperature;
  return document;
}

}  // namespace croft
