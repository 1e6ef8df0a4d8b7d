// Naive Bayes on numpy's matrices: each row a position, each column an attribute, or, of a
// categorical column, an attribute for each of its values.
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/train/train_files.h"
#include "core/json.h"
#include "croft/core/random.h"
#include "model/kinds/naive_bayes_model.h"
#include "python/bind.h"
#include "python/matrix_rows.h"
#include "python/model.h"
#include "python/options.h"
#include "python/training_watch.h"

namespace croft::python {
namespace {

namespace py = pybind11;

// Of rows that are numbers already.
struct SplitRows {
  ChainData data, held_out;

  // The share of those held out whose label is the most probable one.
  HoldoutScore measure(const NaiveBayesFit& fit, const NaiveBayesOptions& options) const {
    const NaiveBayesScorer scorer(fit.counts.statistics(), fit.parameters, options);
    NaiveBayesScorer::Scratch scratch;
    std::vector<double> scores(fit.counts.labels());
    std::size_t right = 0;
    const AttributeLists& node = held_out.node;
    for (std::size_t n = 0; n < held_out.label.size(); ++n) {
      const std::size_t begin = node.begin[n], count = node.begin[n + 1] - begin;
      scorer.score(std::span(node.id).subspan(begin, count),
                   std::span(node.value).subspan(begin, count), scratch, scores);
      right += std::ranges::max_element(scores) - scores.begin() == held_out.label[n];
    }
    HoldoutScore score;
    score.token_accuracy = static_cast<double>(right) / static_cast<double>(held_out.label.size());
    return score;
  }
  std::uint64_t fingerprint() const {
    Fingerprint all;
    all.add(held_out.node.id, held_out.node.value, held_out.node.begin, held_out.label);
    return all.value();
  }
};

class RowTrainer final : public Trainer {
 public:
  using Fit = std::function<NaiveBayesFit(const EmOptions& em, const EmCallback& see)>;
  using Score = std::function<HoldoutScore(const NaiveBayesFit& fit)>;
  RowTrainer(const SplitRows& rows, const NaiveBayesRequest& request, Fit run, Score score)
      : rows_(rows),
        request_(request.source),
        em_(em_options(request)),
        run_(std::move(run)),
        score_(std::move(score)) {}
  TrainFiles files() const override { return {}; }
  CheckpointRequest checkpoint() const override { return checkpoint_of(request_); }
  void read_files(TrainObserver&) override {}
  DataSummary summary() const override { return {{}, {{"rows", rows_.data.positions()}}}; }
  TrainOutcome run(TrainObserver& observer, CheckpointFolder* checkpoints) override {
    const bool scored = !rows_.held_out.label.empty();
    em_.checkpoints = checkpoints;
    em_.early_stop = request_.options.early_stop;
    if (scored) em_.holdout = rows_.fingerprint();
    if (scored && em_.early_stop > 0) em_.score = score_;
    fit = run_(em_, naive_bayes_watch(em_, observer));
    TrainOutcome outcome = naive_bayes_outcome(fit, observer);
    if (scored) outcome.holdout = score_(fit);
    return outcome;
  }
  void write() override {}

  NaiveBayesFit fit;  // after run()

 private:
  const SplitRows& rows_;
  const TrainRequest& request_;
  EmOptions em_;
  Fit run_;
  Score score_;
};

// A larger number of a column is a mistake, and would take all memory.
constexpr std::size_t kMostCategories = 10'000'000;

class NaiveBayesTable {
 public:
  //   names  : of the columns; empty: x[0], x[1], …
  //   events : of the columns; one: of all
  NaiveBayesTable(std::size_t columns, std::vector<std::string> names,
                  const std::vector<std::string>& events)
      : names_(std::move(names)) {
    require_shape(columns < kUnknown && (names_.empty() || names_.size() == columns) &&
                  (events.size() == 1 || (!events.empty() && events.size() == columns)));
    attribute_.assign(columns, kUnknown);
    for (const std::string& event : events) {
      const auto found = event_from_name(event);
      if (!found) throw py::value_error("there is no event " + event);
      event_.push_back(*found);
    }
    const bool one = event_.size() == 1 && event_[0] != AttributeEvent::categorical;
    event_.resize(columns, event_.at(0));
    for (std::size_t d = 0; d < columns; ++d) {
      if (event_[d] != AttributeEvent::categorical) name_attribute(d, 0);
      if (event_[d] != AttributeEvent::categorical && !one) counts_.add_attribute({event_[d], {}});
    }
    if (one) counts_.add_attributes(columns, {event_.at(0), {}});
    if (has_categories()) categories_.resize(columns);
  }
  // Of a file that such a table was saved to, or of one of other attributes than categories: these
  // are its columns then, as column_names() has them.
  static std::shared_ptr<NaiveBayesTable> read(const NaiveBayesModel& model);

  // The categories of a column are 0 to `count` - 1 at least.
  void reserve_categories(std::size_t d, std::size_t count) {
    if (count > kMostCategories) {
      throw py::value_error("column " + std::to_string(d) + " has a category " +
                            std::to_string(count - 1) + "; the largest is " +
                            std::to_string(kMostCategories - 1));
    }
    for (std::vector<std::uint32_t>& c = categories_.at(d); c.size() < count;) {
      const std::string column = column_name(d);
      c.push_back(static_cast<std::uint32_t>(counts_.attributes()));
      name_attribute(d, c.size() - 1);
      counts_.add_attribute({AttributeEvent::categorical, column});
    }
  }

  // y: numbers of labels, -1 for a row whose label is not known.
  py::dict fit(const MatrixRows& matrix, std::span<const std::int64_t> y,
               std::span<const double> weight, std::size_t labels, const NaiveBayesOptions& options,
               const NaiveBayesRequest& request);
  void joint(const MatrixRows& matrix, std::span<double> out) const;  // out: [N][L]

  std::size_t columns() const { return event_.size(); }
  AttributeEvent event(std::size_t d) const { return event_[d]; }
  std::string column_name(std::size_t d) const {
    return names_.empty() ? "x[" + std::to_string(d) + "]" : names_[d];
  }
  // Whether a number that is 0 is to be handed in all the same.
  bool takes_zeros() const { return has_categories() || options_.absent_is_missing; }
  bool has_categories() const {
    return std::ranges::count(event_, AttributeEvent::categorical) > 0;
  }
  // Its attributes: of a categorical column, one for each category.
  std::vector<std::uint32_t> attributes_of(std::size_t d) const {
    return event_[d] == AttributeEvent::categorical ? categories_[d] : std::vector{attribute_[d]};
  }
  // With room for categories it is not, until the next fit.
  bool is_fitted() const { return parameters_.rows.size() == counts_.statistics().numbers.size(); }
  const NaiveBayesStatistics& statistics() const { return counts_.statistics(); }
  const NaiveBayesParameters& parameters() const { return parameters_; }
  ContainerWriter file(const std::vector<std::string>& labels, const Json& record) const;
  // Of the model file that it was read from, until the next fit; null without one.
  const Json& calibration() const { return calibration_; }
  void calibrate(const py::buffer& scores) const {  // in place, of rows [N][L]
    calibrate_rows(calibrator_, counts_.labels(), scores);
  }

 private:
  void name_attribute(std::size_t d, std::size_t category) {
    if (event_[d] != AttributeEvent::categorical) {
      attribute_[d] = static_cast<std::uint32_t>(origin_.size());
    }
    origin_.emplace_back(d, category);
  }
  std::string attribute_name(std::size_t a) const {
    const auto& [d, category] = origin_[a];
    return event_[d] == AttributeEvent::categorical
               ? column_name(d) + "=" + std::to_string(category)
               : column_name(d);
  }
  void append_row(const MatrixRows& matrix, std::size_t row, std::vector<std::uint32_t>& id,
                  std::vector<double>& value) const;
  void restore(const NaiveBayesModel& model);

  std::vector<std::string> names_;        // [D], or empty
  std::vector<AttributeEvent> event_;     // [D]
  std::vector<std::uint32_t> attribute_;  // [D] of other columns than categorical ones
  std::vector<std::vector<std::uint32_t>> categories_;       // [D] of categorical ones
  std::vector<std::pair<std::size_t, std::size_t>> origin_;  // [A] column and category
  NaiveBayesCounts counts_;
  NaiveBayesParameters parameters_;
  NaiveBayesOptions options_;
  std::optional<Calibrator> calibrator_;
  Json calibration_;  // its record
};

// A category is an attribute of value 1, also where the number is 0; of other columns zeros are
// left out, but where the model (of a csv table) would take them for missing.
void NaiveBayesTable::append_row(const MatrixRows& matrix, std::size_t row,
                                 std::vector<std::uint32_t>& id, std::vector<double>& value) const {
  matrix.for_each(row, [&](std::size_t d, double x) {
    if (event_[d] == AttributeEvent::categorical) {
      const bool known = x >= 0 && x < static_cast<double>(categories_[d].size());
      if (!known) return;
      id.push_back(categories_[d][static_cast<std::size_t>(x)]);
      value.push_back(1);
    } else if (x != 0 || options_.absent_is_missing) {
      id.push_back(attribute_[d]);
      value.push_back(x);
    }
  });
}

py::dict NaiveBayesTable::fit(const MatrixRows& matrix, std::span<const std::int64_t> y,
                              std::span<const double> weight, std::size_t labels,
                              const NaiveBayesOptions& given, const NaiveBayesRequest& request) {
  require_shape((weight.empty() || weight.size() == y.size()) && labels >= counts_.labels());
  for (const std::int64_t label : y) {
    if (label >= static_cast<std::int64_t>(labels)) throw py::value_error("y names no label");
  }
  NaiveBayesOptions options = given;
  options.absent_is_missing = options_.absent_is_missing;  // of a file, whose counts go on
  request.source.check_checkpoint();
  check_early_stop(request.source);
  const auto share = holdout_fraction(request.source.holdout);
  SplitRows rows;
  const auto read = [&] {
    Random random(request.source.seed);
    for (std::size_t n = 0; n < y.size(); ++n) {
      const bool held = share && y[n] >= 0 && random.uniform() < *share;
      ChainData& to = held ? rows.held_out : rows.data;
      append_row(matrix, n, to.node.id, to.node.value);
      to.node.begin.push_back(to.node.id.size());
      to.label.push_back(y[n] < 0 ? kAnyLabel : static_cast<Label>(y[n]));
      to.sequence_begin.push_back(to.label.size());
      to.first_line.push_back(static_cast<std::uint32_t>(n + 1));
      if (!weight.empty()) to.weight.push_back(weight[n]);
    }
    if (share) {
      require_holdout(request.source.holdout, rows.held_out.label.size(), y.size(), "rows");
    }
  };
  const NaiveBayesNames names{[](std::size_t j) { return "classes_[" + std::to_string(j) + "]"; },
                              [this](std::size_t a) { return attribute_name(a); }};
  RowTrainer trainer(
      rows, request,
      [&](const EmOptions& how, const EmCallback& see) {
        NaiveBayesCounts counts = counts_;
        counts.add_labels(labels - counts.labels());
        return fit_naive_bayes(rows.data, std::move(counts), options, how, names, see);
      },
      [&](const NaiveBayesFit& now) { return rows.measure(now, options); });
  py::dict result = observe(trainer, read, py::none());
  NaiveBayesFit& found = trainer.fit;
  counts_ = std::move(found.counts);
  parameters_ = std::move(found.parameters);
  options_ = options;
  calibrator_.reset();  // it was that of other scores
  calibration_ = nullptr;
  for (double& gained : found.log_likelihood) gained = -gained;
  result["objectives"] = found.log_likelihood;
  return result;
}

void NaiveBayesTable::joint(const MatrixRows& matrix, std::span<double> out) const {
  const py::gil_scoped_release unlock;
  const std::size_t labels = counts_.labels();
  const NaiveBayesScorer scorer(counts_.statistics(), parameters_, options_);
  NaiveBayesScorer::Scratch scratch;
  std::vector<std::uint32_t> id;
  std::vector<double> value;
  for (std::size_t n = 0; n < out.size() / labels; ++n) {
    id.clear();
    value.clear();
    append_row(matrix, n, id, value);
    scorer.score(id, value, scratch, out.subspan(n * labels, labels));
  }
}

ContainerWriter NaiveBayesTable::file(const std::vector<std::string>& labels,
                                      const Json& record) const {
  Json training = record;
  Json& columns = training["columns"] = Json::array();
  for (std::size_t d = 0; d < event_.size(); ++d) {
    Json& column =
        columns.emplace_back(Json{{"name", column_name(d)}, {"event", event_name(event_[d])}});
    if (event_[d] == AttributeEvent::categorical) column["categories"] = categories_[d].size();
  }
  const bool one = std::ranges::adjacent_find(event_, std::not_equal_to<>()) == event_.end();
  std::vector<std::string> names;
  for (std::size_t a = 0; a < origin_.size(); ++a) names.push_back(attribute_name(a));
  ExtractionConfig extraction;
  extraction.format = InputFormat::attributes;
  NaiveBayesParts parts;
  parts.labels = labels;
  parts.extraction = &extraction;
  parts.names.assign(names.begin(), names.end());
  parts.statistics = &counts_.statistics();
  parts.parameters = &parameters_;
  parts.options = options_;
  parts.event_choice = one && !event_.empty() ? event_name(event_.front()) : "mixed";
  parts.training = &training;
  ContainerWriter out = make_naive_bayes_model(parts);
  if (calibrator_) write_calibration(*calibrator_, calibration_, out);
  return out;
}

[[noreturn]] void fail_other(const NaiveBayesModel& model) {
  throw Error(model.container().name() +
              ": categories of a naive Bayes model that croft.NaiveBayes did not write are no "
              "numbers, as the columns of a matrix are");
}

std::shared_ptr<NaiveBayesTable> NaiveBayesTable::read(const NaiveBayesModel& model) {
  model.container().verify();
  const Json& meta = model.meta();
  const bool ours = meta.contains("training") && meta["training"].is_object() &&
                    meta["training"].contains("columns") && meta["training"]["columns"].is_array();
  std::vector<std::string> names, events;
  std::vector<std::size_t> categories;
  if (ours) {
    for (const Json& said : meta["training"]["columns"]) {
      names.push_back(said.value("name", std::string()));
      events.push_back(said.value("event", std::string()));
      categories.push_back(said.value("categories", std::size_t{0}));
      if (!event_from_name(events.back()) || categories.back() > model.attributes()) {
        fail_other(model);
      }
    }
  } else {
    std::vector<std::string> attributes;
    for (std::uint32_t a = 0; a < model.attributes(); ++a) attributes.push_back(model.attribute(a));
    names = column_names(model, std::move(attributes));
    for (const std::string& name : names) {
      const AttributeEvent event = model.event(model.find(name));
      if (event == AttributeEvent::categorical) fail_other(model);
      events.emplace_back(event_name(event));
    }
  }
  if (names.empty()) fail_other(model);
  const std::size_t columns = names.size();
  auto table = std::make_shared<NaiveBayesTable>(columns, std::move(names), events);
  for (std::size_t d = 0; d < categories.size(); ++d) {
    if (table->event(d) == AttributeEvent::categorical) table->reserve_categories(d, categories[d]);
  }
  table->restore(model);
  return table;
}

// Statistics and parameters, by the names of the attributes.
void NaiveBayesTable::restore(const NaiveBayesModel& model) {
  const NaiveBayesStatistics in_file = model.statistics();
  counts_.add_labels(model.labels());
  NaiveBayesStatistics statistics = counts_.statistics();
  if (statistics.width != in_file.width) fail_other(model);
  statistics.label_weight = in_file.label_weight;
  options_ = model.options();
  const NaiveBayesParameters parameters = model.parameters();
  parameters_ = {parameters.prior, parameters.constant, {}, 0};
  for (std::size_t a = 0; a < origin_.size(); ++a) {
    const std::uint32_t id = model.find(attribute_name(a));
    if (id == kUnknown || in_file.event[id] != statistics.event[a]) fail_other(model);
    std::copy_n(in_file.row(id), statistics.stride(), statistics.row(a));
    const auto row = model.row(id);
    parameters_.rows.insert(parameters_.rows.end(), row.begin(), row.end());
  }
  counts_ = NaiveBayesCounts(std::move(statistics));
  calibrator_ = model.calibrator();
  if (calibrator_) calibration_ = calibration_record(model.container());
  parameters_.largest_variance = largest_variance(counts_.statistics(), options_);
}

//   prior : of the labels; none: as the request has it
NaiveBayesOptions options_of(const NaiveBayesRequest& request,
                             std::optional<std::vector<double>> prior) {
  NaiveBayesOptions options;
  options.alpha = request.alpha.value_or(options.alpha);
  options.binarize = request.binarize.value_or(options.binarize);
  options.variance_floor = request.variance_floor.value_or(options.variance_floor);
  options.norm = request.norm.value_or(options.norm);
  if (request.prior == "uniform") options.prior = LabelPrior::uniform;
  if (prior) {
    options.prior = LabelPrior::given;
    options.given_prior = std::move(*prior);
  }
  return options;
}

// [part][attribute][label] of the statistics ("counts") or parameters ("rows"), as the tables have
// it.
void copy_rows(const NaiveBayesTable& self, const std::string& what, std::size_t part,
               const py::buffer& array) {
  const NaiveBayesStatistics& s = self.statistics();
  const std::vector<double>& from = what == "counts" ? s.numbers : self.parameters().rows;
  const Numbers<double> out(array);
  require_shape(out.size() == s.attributes() * s.labels && part < s.width &&
                from.size() == s.numbers.size());
  for (std::size_t a = 0; a < s.attributes(); ++a) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(a * s.stride() + part * s.labels),
                s.labels, out.begin() + static_cast<std::ptrdiff_t>(a * s.labels));
  }
}

// The table, its labels, and the record that it was saved with.
py::tuple from_file(const NaiveBayesModel& model) {
  std::vector<py::bytes> labels;
  for (Label y = 0; y < model.labels(); ++y) labels.emplace_back(model.label(y));
  const Json& meta = model.meta();
  const Json record = meta.contains("training") ? meta["training"] : Json::object();
  return py::make_tuple(NaiveBayesTable::read(model), labels, record.dump(-1, InvalidUtf8::replace),
                        options_json(model.options()).dump());
}

}  // namespace

void bind_naive_bayes(py::module_& module) {
  py::class_<NaiveBayesTable, std::shared_ptr<NaiveBayesTable>>(
      module, "NaiveBayesTable", "Naive Bayes on the rows of matrices.")
      .def(py::init<std::size_t, std::vector<std::string>, const std::vector<std::string>&>())
      .def("copy",
           [](const NaiveBayesTable& self) { return std::make_shared<NaiveBayesTable>(self); })
      .def("reserve_categories", &NaiveBayesTable::reserve_categories)
      .def_property_readonly("takes_zeros", &NaiveBayesTable::takes_zeros)
      .def("fit",
           [](NaiveBayesTable& self, const py::buffer& value, const py::object& column,
              const py::object& begin, const py::buffer& y, const py::object& weight,
              std::size_t labels, const py::dict& options,
              std::optional<std::vector<double>> prior) {
             const auto request = naive_bayes_request(values_of(options, "naive-bayes"));
             const Numbers<const std::int64_t> rows(y);
             const auto matrix = matrix_of(rows.size(), self.columns(), value, column, begin);
             return self.fit(matrix, rows, row_weights(weight), labels,
                             options_of(request, std::move(prior)), request);
           })
      .def("joint",
           [](const NaiveBayesTable& self, const py::buffer& value, const py::object& column,
              const py::object& begin, const py::buffer& out) {
             const Numbers<double> to(out);
             const std::size_t labels = self.statistics().labels;
             require_shape(labels > 0 && to.size() % labels == 0 && self.is_fitted());
             self.joint(matrix_of(to.size() / labels, self.columns(), value, column, begin), to);
           })
      .def("calibrate", &NaiveBayesTable::calibrate)
      .def_property_readonly("calibration",
                             [](const NaiveBayesTable& self) { return self.calibration().dump(); })
      .def("rows", &copy_rows)
      .def_property_readonly(
          "class_weight",
          [](const NaiveBayesTable& self) { return self.statistics().label_weight; })
      .def_property_readonly(
          "columns",
          [](const NaiveBayesTable& self) {
            std::vector<py::tuple> out;
            for (std::size_t d = 0; d < self.columns(); ++d) {
              out.push_back(py::make_tuple(py::bytes(self.column_name(d)),
                                           std::string(event_name(self.event(d))),
                                           self.attributes_of(d)));
            }
            return out;
          })
      .def_property_readonly("prior",
                             [](const NaiveBayesTable& self) { return self.parameters().prior; })
      .def_property_readonly(
          "largest_variance",
          [](const NaiveBayesTable& self) { return self.parameters().largest_variance; })
      .def("to_bytes",
           [](const NaiveBayesTable& self, const std::vector<std::string>& labels,
              const std::string& record) {
             return python_bytes(self.file(labels, parse_json(record)).bytes());
           })
      .def("save",
           [](const NaiveBayesTable& self, const std::filesystem::path& path,
              const std::vector<std::string>& labels,
              const std::string& record) { self.file(labels, parse_json(record)).write(path); })
      .def_static(
          "open",
          [](const std::filesystem::path& path) { return from_file(*NaiveBayesModel::open(path)); })
      .def_static("from_bytes", [](const py::bytes& data) {
        return from_file(NaiveBayesModel(container_of(data, "the model")));
      });
}

}  // namespace croft::python
