#include <cmath>

#include "bugs/distributions/autoregression.h"
#include "bugs/distributions/dense.h"
#include "bugs/distributions/densities.h"
#include "bugs/samplers/blanket.h"
#include "bugs/samplers/single_site.h"
#include "bugs/samplers/univariate.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;

// Connected parts of the areas of car.normal; the lists of neighbours are data.
std::vector<std::uint32_t> parts_of(const ModelGraph& graph, const Node& node) {
  const auto numbers = [&](std::size_t parameter) {
    std::vector<double> values;
    for (const Slot s : graph.slots_of(graph.parameters(node)[parameter]))
      values.push_back(graph.initial()[s]);
    return values;
  };
  return parts_of_areas(numbers(0), numbers(2));
}

// Free real coordinates of the value of a distribution of arrays.
//   dmnorm, dmt : the elements
//   ddirch      : y_k = ln (x_k / x_n), k < n;            |dx / dy| = product of all x_k
//   dwish       : L of x = L L', ln on its diagonal;      |dx / dy| = 2^p product of l_ii^(p - i +
//   1),
//                 i from 0
//   car.normal  : the elements but the last of each part, before the part's mean is taken away
class Coordinates {
 public:
  Coordinates(const ModelGraph& graph, const Node& node)
      : id_(node.distribution), size_(node.count) {
    if (id_ == Id::scaled_wishart) id_ = Id::wishart;
    if (id_ == Id::wishart) {
      side_ = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(size_))));
      count_ = side_ * (side_ + 1) / 2;
      factor_.resize(size_);
    } else if (id_ == Id::autoregression) {
      parts_ = parts_of(graph, node);
      for (std::uint32_t k = 0; k < size_; ++k)
        if (parts_[k] != k) free_.push_back(k);
      count_ = free_.size();
    } else {
      count_ = id_ == Id::dirichlet ? size_ - 1 : size_;
    }
  }
  std::size_t count() const { return count_; }

  bool read(const double* x, std::vector<double>& y) {
    y.resize(count_);
    if (id_ == Id::wishart) {
      if (!dense_cholesky(side_, {x, size_}, factor_)) return false;
      std::size_t k = 0;
      for (std::size_t j = 0; j < side_; ++j)
        for (std::size_t i = j; i < side_; ++i, ++k)
          y[k] = i == j ? std::log(factor_[i + j * side_]) : factor_[i + j * side_];
      return true;
    }
    if (id_ == Id::autoregression) {
      for (std::size_t k = 0; k < count_; ++k) y[k] = x[free_[k]] - x[parts_[free_[k]]];
      return true;
    }
    for (std::size_t k = 0; k < count_; ++k) {
      y[k] = id_ == Id::dirichlet ? std::log(x[k]) - std::log(x[size_ - 1]) : x[k];
      if (!std::isfinite(y[k])) return false;
    }
    return true;
  }

  // Returns ln |dx / dy|.
  double write(const std::vector<double>& y, double* x) {
    if (id_ == Id::wishart) return write_wishart(y, x);
    if (id_ == Id::autoregression) {
      std::fill_n(x, size_, 0.0);
      for (std::size_t k = 0; k < count_; ++k) x[free_[k]] = y[k];
      centre_parts(parts_, {x, size_});
      return 0;
    }
    if (id_ != Id::dirichlet) {
      std::copy(y.begin(), y.end(), x);
      return 0;
    }
    double most = 0, total = 0, log_slope = 0;
    for (const double value : y) most = std::max(most, value);
    for (std::size_t k = 0; k < size_; ++k)
      total += x[k] = std::exp((k < count_ ? y[k] : 0) - most);
    for (std::size_t k = 0; k < size_; ++k) log_slope += std::log(x[k] /= total);
    return log_slope;
  }

 private:
  double write_wishart(const std::vector<double>& y, double* x) {
    double log_slope = 0;
    std::size_t k = 0;
    std::fill(factor_.begin(), factor_.end(), 0.0);
    for (std::size_t j = 0; j < side_; ++j) {
      log_slope += static_cast<double>(side_ - j + 1) * y[k];
      for (std::size_t i = j; i < side_; ++i, ++k)
        factor_[i + j * side_] = i == j ? std::exp(y[k]) : y[k];
    }
    for (std::size_t i = 0; i < side_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t l = 0; l <= j; ++l) sum += factor_[i + l * side_] * factor_[j + l * side_];
        x[i + j * side_] = x[j + i * side_] = sum;
      }
    }
    return log_slope;
  }

  Id id_;
  std::size_t size_, side_ = 0, count_;
  std::vector<double> factor_;
  std::vector<std::uint32_t> parts_, free_;  // car.normal: last area of each area's part
};

class ArraySlice : public Sampler {
 public:
  ArraySlice(const ModelGraph& graph, NodeId id)
      : id_(id),
        first_(graph.node(id).first),
        prior_(graph, id),
        blanket_(graph, {&id_, 1}),
        coordinates_(graph, graph.node(id)),
        steps_(coordinates_.count()) {}
  std::string name() const override { return "slice of an array"; }
  std::span<const NodeId> nodes() const override { return {&id_, 1}; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    double* const x = values + first_;
    if (!coordinates_.read(x, y_)) return;
    const auto f = [&] {
      end_if_interrupted();
      const double log_slope = coordinates_.write(y_, x);
      const double sum = log_slope + prior_.log_density(values, Part::of_value);
      return sum > kNever ? sum + blanket_.evaluate(values) : kNever;
    };
    blanket_.begin(values);
    for (std::size_t k = 0; k < y_.size(); ++k) {
      const double y = y_[k], here = f();
      y_[k] = steps_[k].step(
          y, here,
          [&](double at) {
            y_[k] = at;
            return f();
          },
          random);
    }
  }
  void end_adaptation() override {
    for (SliceSteps& s : steps_) s.end_adaptation();
  }
  void archive(StateArchive& state) override {
    for (SliceSteps& s : steps_) s.archive(state);
  }

 private:
  NodeId id_;
  Slot first_;
  NodeView prior_;
  Blanket blanket_;
  Coordinates coordinates_;
  std::vector<SliceSteps> steps_;
  std::vector<double> y_;
};

}  // namespace

SamplerPointer make_array_slice(const ModelGraph& graph, NodeId id) {
  switch (graph.node(id).distribution) {
    case Id::multivariate_normal:
    case Id::multivariate_normal_covariance:
    case Id::multivariate_student:
    case Id::wishart:
    case Id::scaled_wishart:
    case Id::dirichlet:
    case Id::autoregression:
      return std::make_unique<ArraySlice>(graph, id);
    default:
      return nullptr;
  }
}

}  // namespace croft::bugs
