#include "model/kinds/mixture_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

constexpr std::array<std::string_view, 1> kMixtureKinds = {MixtureModel::kKind};
constexpr std::array<std::string_view, 1> kMixtureRequired = {"mixture.weights"};
constexpr std::string_view kCellPrefix = "u=";
constexpr double kImpossible = -std::numeric_limits<double>::infinity();

std::string section_of(std::size_t k) { return "mixture.model." + std::to_string(k); }

// A mixture in a mixture is refused, so that no file is deeper than its components.
MixtureComponents read_components(const Container& container, std::size_t count) {
  if (count < 2) container.fail_section("mixture.weights", "there are fewer than two");
  MixtureComponents::Models models;
  for (std::size_t k = 0; k < count; ++k) {
    const std::span<const std::byte> bytes = container.section(section_of(k));
    Container component = Container::from_bytes(
        {bytes.begin(), bytes.end()}, container.name() + ", component " + std::to_string(k + 1));
    if (component.has("mixture.weights")) {
      container.fail_section(section_of(k), "it is a mixture itself");
    }
    models.push_back(read_model(std::move(component)));
  }
  try {
    return MixtureComponents(std::move(models));
  } catch (const UsageError& error) {
    container.fail_section("mixture.weights", error.what());
  }
}

bool reads_cells(const SequenceModel& model) {
  return model.extractor().config().format == InputFormat::columns;
}

}  // namespace

MixtureComponents::MixtureComponents(Models models) : models_(std::move(models)) {
  if (models_.size() < 2) {
    throw UsageError("a mixture needs two models or more: its experts");
  }
  std::unordered_map<std::string_view, Label> number;
  for (Label y = 0; y < models_.front()->labels(); ++y) {
    labels_.push_back(models_.front()->label(y));
  }
  for (Label y = 0; y < labels_.size(); ++y) number.emplace(labels_[y], y);
  for (const auto& model : models_) {
    check(*model);
    std::vector<Label>& here = label_of_.emplace_back();
    for (Label y = 0; y < model->labels(); ++y) {
      const auto found = number.find(model->label(y));
      if (found == number.end() || model->labels() != labels_.size()) {
        const bool more = found == number.end();
        throw UsageError(
            model->container().name(), " has ",
            more ? Message("the label ", in_quotes(model->label(y)), ", which ",
                           models_.front()->container().name(), " does not have")
                 : Message(model->labels(), " labels, and ", models_.front()->container().name(),
                           " has ", labels_.size()),
            ": a mixture is of models of the same labels; train them on the same data");
      }
      here.push_back(found->second);
    }
  }
}

void MixtureComponents::check(const SequenceModel& model) const {
  const std::string& name = model.container().name();
  if (model.kind() == MixtureModel::kKind) {
    throw UsageError(name, " is a mixture itself; name its components in its place");
  }
  if (!model.labels_are_independent() || !model.has_probabilities()) {
    throw UsageError(name, ": a model of kind ", model.kind(),
                     " is of whole sequences, and a mixture of labels by themselves; take "
                     "maxent, naive-bayes or boosted-maxent, or --model pool for chains");
  }
  if (model.calibrator()) {
    throw UsageError(name,
                     " is calibrated; mix the model as it was trained, and calibrate the "
                     "mixture");
  }
  if (model.first_pass() != nullptr) {
    throw UsageError(name, " looks at documents, and a mixture labels each sequence by itself");
  }
  if (model.constraint()) {
    throw UsageError(name,
                     " was trained under a constraint, by which labels depend on each "
                     "other; train it without, and give predict the constraint");
  }
  const ExtractionConfig& config = model.extractor().config();
  const ExtractionConfig& first = models_.front()->extractor().config();
  const bool cells = config.format == InputFormat::columns;
  if (!cells && config.format != InputFormat::attributes &&
      config.format != InputFormat::svmlight) {
    throw UsageError(name, " reads --format ", format_name(config.format),
                     "; a mixture reads columns, attributes or svmlight");
  }
  if (config.format != first.format || (cells && config.columns != first.columns)) {
    throw UsageError(name, " and ", models_.front()->container().name(),
                     " read data of different forms: formats, or numbers of columns; train them on "
                     "the same data");
  }
}

ExtractionConfig MixtureComponents::extraction() const {
  ExtractionConfig config;
  const ExtractionConfig& first = models_.front()->extractor().config();
  config.format = first.format;
  if (config.format != InputFormat::columns) return config;
  config.columns = first.columns;
  config.form = first.form;
  config.language = TemplateLanguage::wapiti;
  config.template_name = "the cells of a mixture";
  for (std::size_t c = 0; c < config.columns; ++c) {
    config.template_text += std::string(kCellPrefix) + "%x[0," + std::to_string(c) + "]\n";
  }
  return config;
}

// The sequence as model k has it.
void MixtureComponents::prepare(const TextSequence& sequence, std::size_t k,
                                SequenceModel::ComponentScratch& scratch) const {
  const SequenceModel& model = *models_[k];
  if (!reads_cells(model)) {
    scratch.text = sequence;
    model.extractor().complete(scratch.text, scratch.extraction);
    return;
  }
  const StringLists& node = sequence.node;
  ColumnSequence rows;
  rows.first_line = sequence.first_line;
  rows.lines = sequence.lines;
  const std::size_t columns = model.extractor().config().columns;
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    if (node.list_end(t) - node.list_begin(t) != columns) {
      throw Error("a sequence without the cells of the mixture's columns");
    }
    for (std::size_t at = node.list_begin(t); at < node.list_end(t); ++at) {
      rows.append_cell(node.item(at).substr(kCellPrefix.size()));
    }
    rows.end_row();
  }
  model.extractor().extract(rows, false, scratch.extraction, scratch.text);
}

void MixtureComponents::log_probabilities(const TextSequence& sequence,
                                          SequenceModel::Scratch& scratch,
                                          std::vector<Matrix<double>>& out) const {
  scratch.components.resize(size());
  out.resize(size());
  for (std::size_t k = 0; k < size(); ++k) {
    SequenceModel::ComponentScratch& own = scratch.components[k];
    prepare(sequence, k, own);
    models_[k]->score(own.text, own.scores, own.theta);
    out[k].reshape(sequence.length(), labels_.size());
    for (std::size_t t = 0; t < sequence.length(); ++t) {
      double most = kImpossible, sum = 0;
      for (Label y = 0; y < labels_.size(); ++y) most = std::max(most, own.theta.state(t, y));
      for (Label y = 0; y < labels_.size(); ++y) sum += std::exp(own.theta.state(t, y) - most);
      const double log_z = most + std::log(sum);
      for (Label y = 0; y < labels_.size(); ++y) {
        out[k](t, label_of_[k][y]) = own.theta.state(t, y) - log_z;
      }
    }
  }
}

MixtureModel::MixtureModel(Container container)
    : SequenceModel(std::move(container), kMixtureKinds, kMixtureRequired) {
  const std::span<const double> weights = container_.numbers<double>("mixture.weights");
  weights_.assign(weights.begin(), weights.end());
  double sum = 0;
  for (const double weight : weights_) {
    if (!(weight >= 0 && weight <= 1)) {
      container_.fail_section("mixture.weights", "one is no share");
    }
    sum += weight;
  }
  if (std::abs(sum - 1) > 1e-9) container_.fail_section("mixture.weights", "they do not sum to 1");
  components_ = read_components(container_, weights_.size());
  if (components_.labels().size() != labels()) container_.fail_section("labels");
  for (Label y = 0; y < labels(); ++y) {
    if (components_.labels()[y] != label(y)) container_.fail_section("labels");
  }
  const ExtractionConfig &own = extractor().config(), made = components_.extraction();
  if (own.format != made.format || own.columns != made.columns ||
      own.template_text != made.template_text || own.kit || own.intercept || own.boundaries ||
      own.documents || !own.conjunctions.empty()) {
    container_.fail_section("meta", "it reads other data than its components");
  }
  TransitionScores<double> none;
  none.assign(labels(), Background::zero, {}, {});
  set_transitions(std::move(none), "labels");
}

template <class Real>
void MixtureModel::score_in(const TextSequence& sequence, Scratch& scratch,
                            ChainScores<Real>& out) const {
  std::vector<Matrix<double>> log_p;
  components_.log_probabilities(sequence, scratch, log_p);
  out.reset(sequence.length(), transitions<Real>());
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    for (Label y = 0; y < labels(); ++y) {
      double most = kImpossible, sum = 0;
      for (const Matrix<double>& each : log_p) most = std::max(most, each(t, y));
      for (std::size_t k = 0; k < log_p.size() && most > kImpossible; ++k) {
        sum += weights_[k] * std::exp(log_p[k](t, y) - most);
      }
      out.state(t, y) = static_cast<Real>(sum > 0 ? most + std::log(sum) : kImpossible);
    }
  }
}

void MixtureModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                               ChainScores<float>& out) const {
  score_in(sequence, scratch, out);
}
void MixtureModel::make_scores(const TextSequence& sequence, Scratch& scratch,
                               ChainScores<double>& out) const {
  score_in(sequence, scratch, out);
}

ContainerWriter make_mixture_model(const MixtureComponents& components,
                                   const ExtractionConfig& extraction,
                                   const std::vector<double>& weights, const Json& training) {
  using Kind = ContainerWriter::Kind;
  ContainerWriter out;
  write_common_sections(MixtureModel::kKind, extraction, components.labels(), training,
                        Json::object(), out);
  out.add_numbers("mixture.weights", weights, Kind::required);
  for (std::size_t k = 0; k < components.size(); ++k) {
    const std::span<const std::byte> bytes = components[k].container().bytes();
    out.add(section_of(k), std::vector<std::byte>(bytes.begin(), bytes.end()), Kind::bulk);
  }
  return out;
}

}  // namespace croft
