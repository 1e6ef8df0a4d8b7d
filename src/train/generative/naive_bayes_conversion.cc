#include "train/generative/naive_bayes_conversion.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/kinds/chain_model.h"

namespace croft {
namespace {

// A row's constant changes no posterior; without it, what is rounded is small.
void centre(std::span<double> row) {
  double sum = 0;
  for (const double w : row) sum += w;
  for (double& w : row) w -= sum / static_cast<double>(row.size());
}

class Conversion {
 public:
  Conversion(const NaiveBayesStatistics& statistics, const NaiveBayesParameters& parameters,
             const std::function<std::string(std::size_t)>& attribute)
      : s_(statistics), p_(parameters), attribute_(attribute), intercept_(statistics.labels) {
    for (std::size_t j = 0; j < s_.labels; ++j) intercept_[j] = p_.prior[j] + p_.constant[j];
  }

  LogLinearForm run() {
    for (std::size_t a = 0; a < s_.attributes(); ++a) {
      const double* row = p_.rows.data() + a * s_.stride();
      if (s_.event[a] == AttributeEvent::gaussian) {
        add_gaussian(attribute_(a), row);
      } else {
        add(attribute_(a), {row, s_.labels});
      }
    }
    add(std::string(kIntercept), intercept_);
    return std::move(out_);
  }

 private:
  // -(x - m)^2 / 2v = x m/v - x^2 / 2v - m^2 / 2v
  void add_gaussian(const std::string& name, const double* row) {
    const double *mean = row, *variance = row + s_.labels;
    std::vector<double> linear(s_.labels), square(s_.labels);
    for (std::size_t j = 0; j < s_.labels; ++j) {
      linear[j] = mean[j] / variance[j];
      square[j] = -1 / (2 * variance[j]);
      intercept_[j] -= mean[j] * mean[j] / (2 * variance[j]);
    }
    add(name, linear);
    add(square_name(name), square);
  }

  void add(std::string name, std::span<const double> row) {
    if (!std::ranges::all_of(row, [](double w) { return std::isfinite(w); })) {
      throw Error(in_quotes(name),
                  " has probability 0 under a label, which no finite weight gives; train with an "
                  "--alpha above 0 and priors above 0");
    }
    if (!names_.insert(name).second) {
      throw Error("two features would be called " + in_quotes(name) +
                  "; give the attribute of that name another one");
    }
    out_.names.push_back(std::move(name));
    out_.weights.insert(out_.weights.end(), row.begin(), row.end());
    centre(std::span(out_.weights).last(s_.labels));
  }

  const NaiveBayesStatistics& s_;
  const NaiveBayesParameters& p_;
  const std::function<std::string(std::size_t)>& attribute_;
  std::vector<double> intercept_;
  std::set<std::string> names_;
  LogLinearForm out_;
};

}  // namespace

std::string square_name(std::string_view attribute) { return std::string(attribute) + "^2"; }

LogLinearForm log_linear_form(const NaiveBayesStatistics& statistics,
                              const NaiveBayesParameters& parameters,
                              const NaiveBayesOptions& options,
                              const std::function<std::string(std::size_t)>& attribute) {
  if (statistics.width > 1 && options.absent_is_missing) {
    throw UsageError(
        "gaussian attributes that may be missing have no logistic regression: what they "
        "say depends on whether they are there");
  }
  return Conversion(statistics, parameters, attribute).run();
}

void add_squares(TextSequence& sequence) {
  StringLists lists;
  std::map<std::string, double, std::less<>> values;
  for (std::size_t t = 0; t < sequence.node.lists(); ++t) {
    values.clear();
    for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
      values[std::string(sequence.node.item(k))] += sequence.node.value(k);
    }
    for (const auto& [name, x] : values) {
      lists.append(name, x);
      lists.append(square_name(name), x * x);
    }
    lists.end_list();
  }
  sequence.node = std::move(lists);
}

ContainerWriter make_maxent(const LogLinearForm& form, const NaiveBayesStatistics& statistics,
                            const std::vector<std::string>& labels,
                            const ExtractionConfig& extraction, const Json& training) {
  if (statistics.width > 1) {
    throw UsageError(
        "the logistic regression of gaussian attributes also weighs their squares, which "
        "the data does not have; models of other attributes can be converted");
  }
  ExtractionConfig with_intercept = extraction;
  with_intercept.intercept = true;
  ChainLayout layout;
  layout.labels = labels.size();
  layout.tied.cells = layout.edge.cells = labels.size() * labels.size();
  layout.node.cells = labels.size();
  for (std::size_t f = 1; f <= form.names.size(); ++f)
    layout.node.begin.push_back(f * labels.size());
  layout.edge.begin = {layout.node.begin.back()};
  ChainModelParts parts;
  parts.kind = "maxent";
  parts.labels = labels;
  parts.extraction = &with_intercept;
  parts.layout = &layout;
  parts.node_names.assign(form.names.begin(), form.names.end());
  parts.weights = form.weights;
  parts.training = &training;
  return make_chain_model(parts);
}

namespace {

// How the model reads its data.  Where texts have counts, of which bernoulli attributes see only
// whether they are above 0, terms that are there or not say the same, and have values of 0 and 1.
// Throws UsageError where terms have other values.
ExtractionConfig with_binary_terms(const NaiveBayesModel& model) {
  ExtractionConfig config = model.extractor().config();
  if (config.format != InputFormat::text) return config;
  bool bernoulli = false;
  for (std::uint32_t a = 0; a < model.attributes(); ++a) {
    bernoulli = bernoulli || model.event(a) == AttributeEvent::bernoulli;
  }
  if (!bernoulli) return config;
  TextOptions& text = config.text;
  if (text.values == TermValues::tf_idf || text.sublinear || text.hash_bits > 0 ||
      text.effective_norm() != TermNorm::none || !(model.options().binarize < 1)) {
    throw UsageError(
        model.container().name(),
        ": bernoulli attributes convert where their values are 0 and 1, and the terms of this "
        "model have others (tf-idf, a norm, hashing or --binarize); train it on plain counts");
  }
  text.values = TermValues::binary;
  return config;
}

}  // namespace

ContainerWriter naive_bayes_to_maxent(const NaiveBayesModel& model) {
  const NaiveBayesStatistics statistics = model.statistics();
  const LogLinearForm form = log_linear_form(
      statistics, model.parameters(), model.options(),
      [&](std::size_t a) { return model.attribute(static_cast<std::uint32_t>(a)); });
  std::vector<std::string> labels;
  for (Label y = 0; y < model.labels(); ++y) labels.push_back(model.label(y));
  Json training = model.meta().value("training", Json::object());
  training["converted_from"] = kNaiveBayes;
  return make_maxent(form, statistics, labels, with_binary_terms(model), training);
}

}  // namespace croft
