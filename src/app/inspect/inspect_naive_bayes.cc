#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_parts.h"
#include "app/inspect/weights.h"
#include "model/kinds/naive_bayes_model.h"

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

// A gaussian attribute with mean and variance of each label.
RankedWeight moments(const NaiveBayesModel& model, std::uint32_t attribute) {
  const std::string name = model.attribute(attribute);
  const std::span<const double> row = model.row(attribute);
  std::map<std::string, Label> labels;
  for (Label j = 0; j < model.labels(); ++j) labels.emplace(model.label(j), j);
  std::string text = fmt::format("{}: mean and standard deviation\n", escaped(name));
  Json of_labels = Json::object();
  for (const auto& [label, j] : labels) {
    const double mean = row[j], variance = row[model.labels() + j];
    text += fmt::format("  {:>12.6g} {:>12.6g}  {}\n", mean, std::sqrt(variance), escaped(label));
    of_labels[label] = {{"mean", mean}, {"variance", variance}};
  }
  return {{name}, {{"attribute", name}, {"labels", std::move(of_labels)}}, std::move(text)};
}

}  // namespace

View summary_of(const NaiveBayesModel& model) {
  View view = begin_summary(static_cast<const StoredModel&>(model));
  const bool has_priors =
      !std::ranges::all_of(model.prior(), [](double p) { return p == 0; }) || model.labels() == 1;
  view.line("labels", fmt::format("{}{}", model.labels(),
                                  has_priors ? ", with their prior probabilities" : ""));
  std::vector<View::Row> rows;
  for (Label y = 0; y < model.labels(); ++y) {
    rows.push_back({model.label(y), std::exp(model.prior()[y]), model.label(y)});
  }
  view.table("",
             {{"labels", "", ""},
              {"prior_probabilities", "", has_priors ? "  {:.6f}" : ""},
              {"", "", "  {}"}},
             rows);
  if (!has_priors) view.json["prior_probabilities"] = nullptr;
  view.fact("attributes", model.attributes());
  const auto counts = count_events(model);
  Json& events = view.json["events"] = Json::object();
  for (std::size_t e = 0; e < kEvents; ++e) {
    if (counts[e] > 0) events[event_name(static_cast<AttributeEvent>(e))] = counts[e];
  }
  for (const auto& [event, count] : events.items()) {
    view.text += fmt::format("  {:<12}{}\n", event, count.get<std::size_t>());
  }
  add_calibration(model, view);
  Json& options = view.json["options"] = options_json(model.options());
  options.erase("given_prior");  // they are the priors
  options["event"] = model.event_choice();
  view.fields("options", options);
  view.json["extraction"] = model.meta().value("extraction", Json::object());
  view.fields("extraction", shown_extraction(model));
  end_summary(model, view);
  return view;
}

View top_of(const NaiveBayesModel& model, std::size_t n) {
  const std::size_t labels = model.labels();
  std::map<std::string, std::pair<Label, Ranking>> best;
  for (Label j = 0; j < labels; ++j) best.emplace(model.label(j), std::pair(j, Ranking(n)));
  Ranking gaussians(n);
  std::vector<double> log(labels);
  for (std::uint32_t a = 0; a < model.attributes(); ++a) {
    const std::span<const double> row = model.row(a);
    if (model.event(a) == AttributeEvent::gaussian && model.has_gaussians()) {
      gaussians.offer(spread(row, labels), [&] { return moments(model, a); });
      continue;
    }
    double mean = 0;
    for (std::size_t j = 0; j < labels; ++j) {
      log[j] = log_probability(model.event(a), row[j]);
      mean += log[j] / static_cast<double>(labels);
    }
    for (auto& [label, of_label] : best) {
      const double own = log[of_label.first];
      of_label.second.offer(own - mean, [&] {
        const std::string name = model.attribute(a);
        return RankedWeight{{name},
                            {{"attribute", name}, {"log_probability", own}},
                            fmt::format("{:>10.4f}  {}", own, escaped(name))};
      });
    }
  }
  View view;
  Json& attributes = view.json["attributes"] = Json::object();
  for (const auto& [label, of_label] : best) {
    const RankedWeights found = of_label.second.largest();
    if (!found.empty()) {
      view.text +=
          fmt::format("label {}: above the mean of all labels, log-probability\n", escaped(label));
    }
    attributes[label] = show(view, found, "  {:>+10.4f} {}\n", "above_mean");
  }
  Json& list = view.json["gaussian"] = Json::array();
  for (const RankedWeight& each : gaussians.largest()) {
    view.text += each.text;
    list.push_back(each.names);
  }
  return view;
}

void write_weights(const NaiveBayesModel& model, const WriteText& write) {
  std::vector<std::string> labels;
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(escaped(model.label(y)));
  std::vector<std::tuple<AttributeEvent, std::string, std::uint32_t>> attributes;
  for (std::uint32_t a = 0; a < model.attributes(); ++a) {
    if (is_known(model.event(a))) attributes.emplace_back(model.event(a), model.attribute(a), a);
  }
  std::ranges::sort(attributes);
  LineWriter out(write);
  for (std::size_t j = 0; j < labels.size(); ++j) {
    out.line("prior\t{}\t{}", labels[j], model.prior()[j]);
  }
  for (const auto& [event, name, a] : attributes) {
    const std::span<const double> row = model.row(a);
    const std::string attribute = escaped(name);
    for (std::size_t j = 0; j < labels.size(); ++j) {
      out << fmt::format("{}\t{}\t{}\t{}", event_name(event), attribute, labels[j],
                         log_probability(event, row[j]));
      if (event == AttributeEvent::gaussian && model.has_gaussians()) {
        out << fmt::format("\t{}", row[labels.size() + j]);
      }
      out.end_line();
    }
  }
  out.finish();
}

}  // namespace croft
