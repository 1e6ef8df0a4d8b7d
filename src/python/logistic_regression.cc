// Logistic regression on numpy's matrices: each row a position, column j attribute j.
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "python/bind.h"
#include "python/matrix_rows.h"
#include "python/model.h"
#include "python/options.h"
#include "python/read/linear_rows.h"
#include "python/training_watch.h"

namespace croft::python {
namespace {

// The rows of a matrix and the numbers of their labels: encoded already, or as sequences of one
// position where a model to start from has numbers of its own for the names.
class MatrixInput final : public TrainingInput {
 public:
  //   y         : of each row its label, or -1: of rows at the end, whose label is not known
  //   names     : of the columns; empty: x0, x1, …
  //   weight    : of the rows, those of 0 are left out; empty: 1
  //   request   : with a prior, sequences are handed over; a fraction of them may be held out
  //   out       : [columns + 1][labels] for the weights, the intercept's last; not of sequences
  MatrixInput(const MatrixRows& matrix, std::span<const std::int64_t> y,
              std::span<const double> weight, const std::vector<std::string>& names,
              const std::vector<std::string>& labels, const TrainRequest& request, Json record,
              std::span<double> out)
      : matrix_(matrix),
        y_(y),
        weight_(weight),
        names_(names),
        labels_(labels),
        request_(request),
        record_(std::move(record)),
        out_(out),
        extractor_(extraction(request.intercept.value_or(true))) {}

  const Extractor& extractor() const override { return extractor_; }
  void read(const Visit& visit) override {
    for (std::size_t n = 0; n < y_.size(); ++n) {
      if (y_[n] >= 0 && (weight_.empty() || weight_[n] > 0)) visit_row(n, visit);
    }
  }
  void read_unlabelled(const Visit& visit) override {
    for (std::size_t n = 0; n < y_.size(); ++n) {
      if (y_[n] < 0) visit_row(n, visit);
    }
  }
  void read_holdout(const Visit& visit) override {
    for (const std::size_t n : held_out_) visit_row(n, visit);
  }

  std::optional<ChainEncoder> encoded() override {
    if (!request_.prior.empty()) return std::nullopt;
    const std::optional<double> share = holdout_fraction(request_.holdout);
    Random random(request_.seed);
    ChainEncoder encoder;
    for (std::size_t d = 0; d < matrix_.columns; ++d) encoder.node_names.insert(column_name(d));
    const bool intercept = extractor_.config().intercept;
    if (intercept) encoder.node_names.insert(kIntercept);
    for (const std::string& label : labels_) encoder.label_names.insert(label);
    if (encoder.node_names.size() != matrix_.columns + intercept ||
        encoder.label_names.size() != labels_.size()) {
      throw Error("two columns of X, or two labels, have one name in the model");
    }
    for (std::size_t n = 0; n < y_.size(); ++n) {
      if (!weight_.empty() && weight_[n] == 0) continue;
      if (share && y_[n] >= 0 && random.uniform() < *share) {
        held_out_.push_back(n);
      } else {
        add_row(n, encoder.data);
      }
    }
    if (share) require_holdout(request_.holdout, held_out_.size(), y_.size(), "rows");
    const auto unknown = std::ranges::find(encoder.data.label, kAnyLabel);
    if (unknown != encoder.data.label.end()) {
      labelled_ = static_cast<std::size_t>(unknown - encoder.data.label.begin());
    }
    return encoder;
  }
  std::optional<std::size_t> labelled() const override { return labelled_; }
  void trained(const ChainTraining& training) override {
    if (!request_.prior.empty()) return;
    std::ranges::fill(out_, 0.0);
    const std::size_t attributes = matrix_.columns + extractor_.config().intercept;
    for (std::uint32_t a = 0; a < attributes; ++a) {
      training.for_each_weight(a, [&](std::uint32_t label, double weight) {
        out_[a * labels_.size() + label] = weight;
      });
    }
  }
  void describe(Json& record) const override { record["matrix"] = record_; }

 private:
  std::string column_name(std::size_t d) const {
    return names_.empty() ? "x" + std::to_string(d) : names_[d];
  }
  void visit_row(std::size_t n, const Visit& visit) const {
    TextSequence row;
    matrix_.for_each(n, [&](std::size_t d, double x) {
      if (x != 0) row.node.append(column_name(d), x);
    });
    row.node.end_list();
    if (y_[n] >= 0) {
      row.labels.append(labels_[static_cast<std::size_t>(y_[n])]);
      row.labels.end_list();
    }
    row.weight = weight_.empty() ? 1 : weight_[n];
    row.first_line = n + 1;
    Extractor::Scratch scratch;
    extractor_.complete(row, scratch, "X");
    visit(row, "X");
  }
  static Extractor extraction(bool intercept) {
    ExtractionConfig config;
    config.format = InputFormat::attributes;
    config.intercept = intercept;
    return Extractor(config);
  }
  void add_row(std::size_t n, ChainData& data) const {
    AttributeLists& lists = data.node;
    matrix_.for_each(n, [&](std::size_t d, double x) {
      if (x == 0) return;
      lists.id.push_back(static_cast<std::uint32_t>(d));
      lists.value.push_back(x);
    });
    if (extractor_.config().intercept) {
      lists.id.push_back(static_cast<std::uint32_t>(matrix_.columns));
      lists.value.push_back(1);
    }
    lists.begin.push_back(lists.id.size());
    data.label.push_back(y_[n] < 0 ? kAnyLabel : static_cast<Label>(y_[n]));
    data.sequence_begin.push_back(data.label.size());
    data.first_line.push_back(static_cast<std::uint32_t>(n + 1));
    if (!weight_.empty()) data.weight.push_back(weight_[n]);
  }

  const MatrixRows& matrix_;
  std::span<const std::int64_t> y_;
  std::span<const double> weight_;
  const std::vector<std::string>& names_;
  const std::vector<std::string>& labels_;
  const TrainRequest& request_;
  std::vector<std::size_t> held_out_;
  std::optional<std::size_t> labelled_;  // rows, where the others have no labels
  Json record_;
  std::span<double> out_;
  Extractor extractor_;
};

// The l2 of two vectors of weights where there are two labels: that of their difference is half.
void set_l2(std::size_t labels, TrainRequest& request) {
  const double l2 = with_defaults(request).options.regulariser.l2;
  if (labels == 2 && l2 > 0) request.l2 = 2 * l2;
}

// value, column, begin: of the matrix; options: as train(); prior: a model, or None; record: JSON,
// kept in the model file.  Gives the weights in `weights_out`, but with a prior.
py::tuple train_matrix(std::size_t columns, const py::buffer& value, const py::object& column,
                       const py::object& begin, const py::buffer& labels_of_rows,
                       const py::object& weights, const std::vector<std::string>& names,
                       const std::vector<std::string>& labels, const py::dict& options,
                       const std::shared_ptr<PythonModel>& prior, const std::string& record,
                       const py::buffer& weights_out, py::object callback) {
  const Numbers<const std::int64_t> y(labels_of_rows);
  const MatrixRows matrix = matrix_of(y.size(), columns, value, column, begin);
  const Numbers<const double> weight = row_weights(weights);
  const Numbers<double> out(weights_out);
  TrainRequest request = train_request(options, "maxent");
  request.partial.reset();
  if (request.documents.any()) {
    throw py::value_error("documents are of words in columns, and X is numbers: leave it out");
  }
  std::shared_ptr<const ChainModel> start;
  if (prior) {
    if (prior->rows()) throw py::value_error("prior is of columns, and X of numbers");
    start = {prior->model, &prior->chain()};  // says why it is none
    request.prior = prior->model->container().name();
  }
  set_l2(labels.size(), request);
  require_shape((weight.empty() || weight.size() == y.size()) && !labels.empty() &&
                (names.empty() || names.size() == columns) && out.size() % labels.size() == 0 &&
                out.size() / labels.size() - 1 == columns);
  for (const std::int64_t label : y) {
    if (label < -1 || label >= std::ssize(labels)) throw py::value_error("y names no label");
  }
  MatrixInput input(matrix, y, weight, names, labels, request, parse_json(record), out);
  const auto trainer = make_trainer(request, start);
  trainer->open();
  return train_observed(*trainer, input, std::move(callback));
}

// out[n] = bias + sum_d x[n][d] weights[d]:  [N][K], from weights [D][K] and bias [K].
void linear_scores(std::size_t columns, const py::buffer& value, const py::object& column,
                   const py::object& begin, const py::buffer& weight_buffer,
                   const py::buffer& bias_buffer, const py::buffer& out_buffer) {
  const Numbers<const double> weights(weight_buffer), bias(bias_buffer);
  const Numbers<double> out(out_buffer);
  require_shape(!bias.empty() && weights.size() % bias.size() == 0 &&
                weights.size() / bias.size() == columns && out.size() % bias.size() == 0);
  const MatrixRows matrix = matrix_of(out.size() / bias.size(), columns, value, column, begin);
  const py::gil_scoped_release unlock;
  const std::size_t width = bias.size();
  for (std::size_t at = 0; at < out.size(); at += width) {
    std::ranges::copy(bias, out.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (!matrix.begin.empty()) {
    add_scores({matrix.value, matrix.column, matrix.begin, weights, columns, width}, out.data());
    return;
  }
  for (std::size_t n = 0; n < out.size() / width; ++n) {
    double* const to = out.data() + n * width;
    matrix.for_each(n, [&](std::size_t d, double x) {
      const double* __restrict row = weights.data() + d * width;
      for (std::size_t k = 0; k < width; ++k) to[k] += x * row[k];
    });
  }
}

// The weights of some attributes of a model: [names][L]; of those that it does not know, 0.
void model_weights(const PythonModel& model, const std::vector<std::string>& names,
                   const py::buffer& out_buffer) {
  const Numbers<double> out(out_buffer);
  const ChainModel& chain = model.chain();
  const std::size_t labels = chain.labels();
  require_shape(out.size() == names.size() * labels);
  std::ranges::fill(out, 0.0);
  for (std::size_t d = 0; d < names.size(); ++d) {
    const WeightRow row = chain.node().row(chain.node().names().find(names[d]));
    for (std::size_t k = 0; k < row.size(); ++k) out[d * labels + row.cell(k)] = row.weight(k);
  }
}

py::list names_of_columns(const PythonModel& model) {
  const FeatureTable& node = model.chain().node();
  std::vector<std::string> attributes;
  for (std::uint32_t id = 0; id < node.size(); ++id) attributes.push_back(node.name(id));
  py::list names;
  for (const std::string& name : column_names(*model.model, std::move(attributes))) {
    names.append(str_of(name));
  }
  return names;
}

}  // namespace

void bind_logistic_regression(py::module_& module) {
  module.def("train_matrix", &train_matrix);
  module.def("linear_scores", &linear_scores);
  module.def("column_names", &names_of_columns);
  module.def("model_weights", &model_weights);
}

}  // namespace croft::python
