#include "app/inspect/inspect_naive_bayes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_calibration.h"
#include "app/inspect/inspect_tables.h"
#include "core/json.h"

namespace croft {
namespace {

constexpr std::size_t kEvents = 5;

// A damaged byte is no event.
bool is_known(AttributeEvent event) { return static_cast<std::size_t>(event) < kEvents; }

std::array<std::size_t, kEvents> count_events(const NaiveBayesModel& model) {
  std::array<std::size_t, kEvents> counts{};
  for (std::uint32_t a = 0; a < model.attributes(); ++a) {
    if (is_known(model.event(a))) ++counts[static_cast<std::size_t>(model.event(a))];
  }
  return counts;
}

// How the data becomes attributes; rows of columns and their template only where there are some.
Json shown_extraction(const NaiveBayesModel& model) {
  Json fields = model.meta().value("extraction", Json::object());
  if (model.extractor().config().format == InputFormat::columns) return fields;
  for (const char* of_rows : {"columns", "language", "template"}) fields.erase(of_rows);
  return fields;
}

// log p(a | j) of a row, or the weight of a complement attribute; bernoulli rows hold log-odds.
double log_probability(AttributeEvent event, double number) {
  return event == AttributeEvent::bernoulli ? -std::log1p(std::exp(-number)) : number;
}

struct Candidate {
  double weight;  // what it exceeds the mean by, or for gaussian ones the ratio
  std::string name;
  std::uint32_t id;
};

// The n largest weights, equal ones by name.
class Strongest {
 public:
  explicit Strongest(std::size_t n) : n_(n) {}

  template <class Name>
  void offer(double weight, std::uint32_t id, const Name& name) {
    if (n_ == 0 || !(weight > 0)) return;
    if (heap_.size() == n_ && weight < heap_.front().weight) return;
    heap_.push_back({weight, name(), id});
    std::ranges::push_heap(heap_, before);
    if (heap_.size() <= n_) return;
    std::ranges::pop_heap(heap_, before);
    heap_.pop_back();
  }
  std::vector<Candidate> take() {
    std::ranges::sort_heap(heap_, before);
    return std::move(heap_);
  }

 private:
  static bool before(const Candidate& a, const Candidate& b) {
    return std::tie(b.weight, a.name) < std::tie(a.weight, b.name);
  }
  std::size_t n_;
  std::vector<Candidate> heap_;  // the weakest on top
};

// How far the means of the labels lie apart, by their variances.
double spread(std::span<const double> row, std::size_t labels) {
  double mean = 0, between = 0, within = 0;
  for (std::size_t j = 0; j < labels; ++j) mean += row[j] / static_cast<double>(labels);
  for (std::size_t j = 0; j < labels; ++j) {
    between += (row[j] - mean) * (row[j] - mean);
    within += row[labels + j];
  }
  return between / within;
}

}  // namespace

Json summary_json(const NaiveBayesModel& model) {
  Json labels = Json::array(), prior = Json::array();
  for (Label y = 0; y < model.labels(); ++y) {
    labels.push_back(model.label(y));
    prior.push_back(std::exp(model.prior()[y]));
  }
  Json events = Json::object();
  const auto counts = count_events(model);
  for (std::size_t e = 0; e < kEvents; ++e) {
    if (counts[e] > 0) events[event_name(static_cast<AttributeEvent>(e))] = counts[e];
  }
  Json options = options_json(model.options());
  options.erase("given_prior");  // they are the priors
  options["event"] = model.event_choice();
  Json document = {{"kind", model.kind()},
                   {"file_bytes", model.container().file_size()},
                   {"labels", std::move(labels)},
                   {"attributes", model.attributes()},
                   {"events", std::move(events)},
                   {"options", std::move(options)},
                   {"sections", sections_json(model.container())}};
  const bool has_priors = !std::ranges::all_of(model.prior(), [](double p) { return p == 0; });
  document["prior_probabilities"] = has_priors || model.labels() == 1 ? std::move(prior) : Json();
  document["extraction"] = model.meta().value("extraction", Json::object());
  document["training"] = model.meta().value("training", Json::object());
  add_calibration(model, document);
  return document;
}

std::string format_summary(const NaiveBayesModel& model) {
  const Json document = summary_json(model);
  const Json& prior = document["prior_probabilities"];
  std::string out = fmt::format("model         {}\n", escaped(model.container().name()));
  out += fmt::format("kind          {}\n", model.kind());
  out += fmt::format("file size     {} bytes\n", model.container().file_size());
  out += fmt::format("labels        {}{}\n", model.labels(),
                     prior.is_null() ? "" : ", with their prior probabilities");
  for (Label y = 0; y < model.labels(); ++y) {
    out += "  ";
    if (!prior.is_null()) out += fmt::format("{:.6f}  ", prior[y].get<double>());
    out += escaped(model.label(y)) + "\n";
  }
  out += fmt::format("attributes    {}\n", model.attributes());
  for (const auto& [event, count] : document["events"].items()) {
    out += fmt::format("  {:<12}{}\n", event, count.get<std::size_t>());
  }
  out += calibration_lines(model);
  append_fields(out, "options", document["options"]);
  append_fields(out, "extraction", shown_extraction(model));
  append_fields(out, "training record", document["training"]);
  append_sections(out, model.container());
  return out;
}

Json top_json(const NaiveBayesModel& model, std::size_t n) {
  const std::size_t labels = model.labels();
  std::vector<Strongest> best(labels, Strongest(n));
  Strongest gaussians(n);
  std::vector<double> log(labels);
  for (std::uint32_t a = 0; a < model.attributes(); ++a) {
    const std::span<const double> row = model.row(a);
    const auto name = [&] { return model.attribute(a); };
    if (model.event(a) == AttributeEvent::gaussian && model.has_gaussians()) {
      gaussians.offer(spread(row, labels), a, name);
      continue;
    }
    double mean = 0;
    for (std::size_t j = 0; j < labels; ++j) {
      log[j] = log_probability(model.event(a), row[j]);
      mean += log[j] / static_cast<double>(labels);
    }
    for (std::size_t j = 0; j < labels; ++j) best[j].offer(log[j] - mean, a, name);
  }
  Json document = {{"attributes", Json::object()}, {"gaussian", Json::array()}};
  for (Label j = 0; j < labels; ++j) {
    Json& list = document["attributes"][model.label(j)] = Json::array();
    for (const Candidate& each : best[j].take()) {
      list.push_back(
          {{"attribute", each.name},
           {"log_probability", log_probability(model.event(each.id), model.row(each.id)[j])},
           {"above_mean", each.weight}});
    }
  }
  for (const Candidate& each : gaussians.take()) {
    Json of_labels = Json::object();
    for (Label j = 0; j < labels; ++j) {
      of_labels[model.label(j)] = {{"mean", model.row(each.id)[j]},
                                   {"variance", model.row(each.id)[labels + j]}};
    }
    document["gaussian"].push_back({{"attribute", each.name}, {"labels", std::move(of_labels)}});
  }
  return document;
}

std::string format_top(const NaiveBayesModel& model, std::size_t n) {
  const Json top = top_json(model, n);
  std::string out;
  for (const auto& [label, list] : top["attributes"].items()) {
    if (list.empty()) continue;
    out += fmt::format("label {}: above the mean of all labels, log-probability\n", escaped(label));
    for (const Json& each : list) {
      out +=
          fmt::format("  {:>+10.4f} {:>10.4f}  {}\n", each["above_mean"].get<double>(),
                      each["log_probability"].get<double>(), escaped(each["attribute"].string()));
    }
  }
  for (const Json& each : top["gaussian"]) {
    out += fmt::format("{}: mean and standard deviation\n", escaped(each["attribute"].string()));
    for (const auto& [label, moments] : each["labels"].items()) {
      out += fmt::format("  {:>12.6g} {:>12.6g}  {}\n", moments["mean"].get<double>(),
                         std::sqrt(moments["variance"].get<double>()), escaped(label));
    }
  }
  return out;
}

void write_weights(const NaiveBayesModel& model,
                   const std::function<void(std::string_view)>& write) {
  constexpr std::size_t kChunk = 1 << 16;  // bytes
  std::vector<std::string> labels;
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(escaped(model.label(y)));
  std::vector<std::tuple<AttributeEvent, std::string, std::uint32_t>> attributes;
  for (std::uint32_t a = 0; a < model.attributes(); ++a) {
    if (is_known(model.event(a))) attributes.emplace_back(model.event(a), model.attribute(a), a);
  }
  std::ranges::sort(attributes);
  std::string out;
  for (std::size_t j = 0; j < labels.size(); ++j) {
    out += fmt::format("prior\t{}\t{}\n", labels[j], model.prior()[j]);
  }
  for (const auto& [event, name, a] : attributes) {
    const std::span<const double> row = model.row(a);
    const std::string attribute = escaped(name);
    for (std::size_t j = 0; j < labels.size(); ++j) {
      out += fmt::format("{}\t{}\t{}\t{}", event_name(event), attribute, labels[j],
                         log_probability(event, row[j]));
      if (event == AttributeEvent::gaussian && model.has_gaussians()) {
        out += fmt::format("\t{}", row[labels.size() + j]);
      }
      out += '\n';
    }
    if (out.size() < kChunk) continue;
    write(out);
    out.clear();
  }
  if (!out.empty()) write(out);
}

}  // namespace croft
