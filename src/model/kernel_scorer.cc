#include "model/kernel_scorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "croft/core/error.h"
#include "features/compact_offsets.h"
#include "model/product_kernels.h"

namespace croft {

KernelScorer::KernelScorer(const KernelExpansion& expansion)
    : expansion_(expansion), products_(expansion.kernel, expansion.vectors) {}

void KernelScorer::score(const AttributeLists& lists, std::uint64_t first, std::uint64_t last,
                         Matrix<double>& state) const {
  constexpr std::size_t kTogether = 32;  // positions whose products are in memory at a time
  const std::size_t labels = expansion_.coefficients.columns(), vectors = products_.size();
  const std::size_t length = static_cast<std::size_t>(last - first);
  state.assign(length, labels, 0.0);
  Matrix<float> rows(std::min(length, kTogether), vectors);
  std::vector<std::uint64_t> queries;
  std::vector<float*> to;
  for (std::size_t begin = 0; begin < length; begin += kTogether) {
    queries.clear();
    to.clear();
    for (std::size_t t = begin; t < std::min(begin + kTogether, length); ++t) {
      queries.push_back(first + t);
      to.push_back(rows.row(t - begin));
    }
    products_.rows(lists, queries, 0, vectors, to);
    for (std::size_t s = 0; s < vectors; ++s) {
      const float* coefficient = expansion_.coefficients.row(s);
      for (std::size_t k = 0; k < queries.size(); ++k) {
        const double product = double{rows(k, s)};
        double* score = state.row(begin + k);
        for (std::size_t j = 0; j < labels; ++j) score[j] += product * double{coefficient[j]};
      }
    }
  }
}

namespace {

constexpr std::size_t kDenseShare = 32;  // a dense table has at most so many numbers for one not 0

// The vector at a position, by increasing attribute: then K(x, x') = K(x', x) to the last bit.
void read_terms(const AttributeLists& lists, std::uint64_t p, std::vector<SparseTerm>& x) {
  x.clear();
  for (std::uint64_t k = lists.begin[p]; k < lists.begin[p + 1]; ++k) {
    x.push_back({lists.id[k], lists.value.empty() ? 1.0f : static_cast<float>(lists.value[k])});
  }
  std::ranges::stable_sort(x, {}, &SparseTerm::attribute);
  std::size_t kept = 0;  // an attribute may come more than once
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (kept > 0 && x[kept - 1].attribute == x[k].attribute) {
      x[kept - 1].value += x[k].value;
    } else {
      x[kept++] = x[k];
    }
  }
  x.resize(kept);
}

float squared_norm(std::span<const SparseTerm> x) {
  float sum = 0;
  for (const SparseTerm& term : x) sum += term.value * term.value;
  return sum;
}

}  // namespace

void Kernel::validate() const {
  // Written so that NaN fails too.
  if (!(scale > 0)) throw UsageError(fmt::format("scale is {}; it must be > 0", scale));
  if (!(offset >= 0)) throw UsageError(fmt::format("offset is {}; it must be >= 0", offset));
  if (degree < 1 || degree > 10) {
    throw UsageError(fmt::format("degree is {}; it must be from 1 to 10", degree));
  }
  if (!(gamma > 0)) throw UsageError(fmt::format("gamma is {}; it must be > 0", gamma));
}

std::string_view kernel_type_name(Kernel::Type type) {
  switch (type) {
    case Kernel::Type::linear:
      return "linear";
    case Kernel::Type::polynomial:
      return "polynomial";
    case Kernel::Type::rbf:
      break;
  }
  return "rbf";
}

KernelProducts::KernelProducts(const Kernel& kernel, const AttributeLists& lists)
    : kernel_(kernel), lists_(lists) {
  kernel.validate();
  for (const std::uint32_t a : lists.id) columns_ = std::max(columns_, std::size_t{a} + 1);
  const std::size_t tiles = (size() + kTile - 1) / kTile;
  posting_begin_.assign(columns_ + 1, 0);
  for (const std::uint32_t a : lists.id) ++posting_begin_[a + 1];
  for (std::size_t a = 0; a < columns_; ++a) posting_begin_[a + 1] += posting_begin_[a];
  if (tiles * kTile * columns_ <= kDenseShare * lists.id.size()) {
    dense_.resize(tiles * kTile * columns_);
  } else {
    posting_.resize(lists.id.size());
    posting_value_.resize(lists.id.size());
  }
  std::vector<std::uint64_t> next = posting_begin_;
  std::vector<SparseTerm> x;
  for (std::uint64_t q = 0; q < size(); ++q) {
    read_terms(lists, q, x);
    norm_.push_back(squared_norm(x));
    for (const auto [a, value] : x) {
      if (!dense_.empty()) {
        dense_[(q / kTile * columns_ + a) * kTile + q % kTile] = value;
      } else {
        posting_[next[a]] = static_cast<std::uint32_t>(q);
        posting_value_[next[a]++] = value;
      }
    }
  }
  for (std::size_t a = 0; a < columns_; ++a) posting_end_.push_back(next[a]);
}

void KernelProducts::rows(const AttributeLists& from, std::span<const std::uint64_t> queries,
                          std::size_t first, std::size_t count, std::span<float* const> out) const {
  std::vector<std::vector<SparseTerm>> x(queries.size());
  std::vector<float> norm(queries.size());
  for (std::size_t k = 0; k < queries.size(); ++k) {
    read_terms(from, queries[k], x[k]);
    norm[k] = squared_norm(x[k]);
    std::erase_if(x[k], [&](const SparseTerm& term) { return term.attribute >= columns_; });
  }
  if (!dense_.empty()) {
    sum_tiles(x, first, count, out);
  } else {
    for (std::size_t k = 0; k < queries.size(); ++k) {
      sum_postings(x[k], first, std::span(out[k], count));
    }
  }
  for (std::size_t k = 0; k < queries.size(); ++k) {
    apply(norm[k], first, std::span(out[k], count));
  }
}

void KernelProducts::sum_tiles(std::span<const std::vector<SparseTerm>> x, std::size_t first,
                               std::size_t count, std::span<float* const> out) const {
  std::array<float, kTile> products;
  for (std::size_t tile = first / kTile; tile * kTile < first + count; ++tile) {
    const std::size_t begin = std::max(first, tile * kTile);
    const std::size_t end = std::min(first + count, (tile + 1) * kTile);
    for (std::size_t k = 0; k < x.size(); ++k) {
      tile_products(x[k], dense_.data() + tile * columns_ * kTile, products.data());
      std::copy(products.begin() + (begin - tile * kTile), products.begin() + (end - tile * kTile),
                out[k] + (begin - first));
    }
  }
}

void KernelProducts::sum_postings(std::span<const SparseTerm> x, std::size_t first,
                                  std::span<float> out) const {
  std::ranges::fill(out, 0.0f);
  for (const auto [a, value] : x) {
    const auto begin = posting_.begin() + static_cast<std::ptrdiff_t>(posting_begin_[a]);
    const auto end = posting_.begin() + static_cast<std::ptrdiff_t>(posting_end_[a]);
    for (auto at = std::lower_bound(begin, end, first); at != end && *at < first + out.size();
         ++at) {
      out[*at - first] += value * posting_value_[static_cast<std::size_t>(at - posting_.begin())];
    }
  }
}

void KernelProducts::apply(float own_norm, std::size_t first, std::span<float> products) const {
  switch (kernel_.type) {
    case Kernel::Type::linear:
      return;
    case Kernel::Type::polynomial:
      return power_of_products(static_cast<float>(kernel_.scale),
                               static_cast<float>(kernel_.offset), kernel_.degree, products);
    case Kernel::Type::rbf:
      return rbf_of_products(kernel_.gamma, own_norm,
                             std::span(norm_).subspan(first, products.size()), products);
  }
}

namespace {

// As in the file.
struct Header {
  std::uint32_t type, degree;
  double scale, offset, gamma;
};
static_assert(sizeof(Header) == 32);

[[noreturn]] void fail(const Container& container, const std::string& what) {
  throw Error(container.name() + ": " + what +
              ": the file is damaged; restore it from a copy or train again");
}

Kernel read_parameters(const Container& container) {
  const std::span<const std::byte> bytes = container.section("kernel");
  Header header;
  if (bytes.size() != sizeof header) fail(container, "section kernel has another size");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.type > static_cast<std::uint32_t>(Kernel::Type::rbf)) {
    fail(container, "section kernel has a type that there is not");
  }
  const Kernel kernel{.type = static_cast<Kernel::Type>(header.type),
                      .scale = header.scale,
                      .offset = header.offset,
                      .degree = header.degree,
                      .gamma = header.gamma};
  try {
    kernel.validate();
  } catch (const UsageError& error) {
    fail(container, std::string("section kernel: ") + error.what());
  }
  return kernel;
}

}  // namespace

void write_kernel(const KernelExpansion& expansion, std::span<const std::uint32_t> node,
                  ContainerWriter& out) {
  const Kernel& kernel = expansion.kernel;
  const Header header{static_cast<std::uint32_t>(kernel.type), kernel.degree, kernel.scale,
                      kernel.offset, kernel.gamma};
  const AttributeLists& vectors = expansion.vectors;
  std::vector<std::uint32_t> lengths, ids;
  for (std::size_t s = 0; s < vectors.positions(); ++s) {
    lengths.push_back(static_cast<std::uint32_t>(vectors.begin[s + 1] - vectors.begin[s]));
  }
  for (const std::uint32_t a : vectors.id) ids.push_back(node[a]);
  const std::vector<float> values(vectors.value.begin(), vectors.value.end());
  std::vector<float> coefficients;
  for (std::size_t s = 0; s < vectors.positions(); ++s) {
    const std::span<const float> row = expansion.coefficients[s];
    coefficients.insert(coefficients.end(), row.begin(), row.end());
  }
  using Kind = ContainerWriter::Kind;
  out.add_numbers("kernel", std::vector{header}, Kind::required);
  out.add("kernel.rows", CompactOffsets::build(lengths), Kind::bulk);
  out.add_numbers("kernel.attributes", ids, Kind::bulk);
  if (!values.empty()) out.add_numbers("kernel.values", values, Kind::bulk);
  out.add_numbers("kernel.coefficients", coefficients, Kind::bulk);
}

KernelExpansion read_kernel(const Container& container, std::size_t labels,
                            std::size_t attributes) {
  KernelExpansion out;
  out.kernel = read_parameters(container);
  const auto rows = open_table<CompactOffsets>(container, "kernel.rows");
  const auto ids = container.numbers<std::uint32_t>("kernel.attributes");
  std::span<const float> values;
  if (container.has("kernel.values")) values = container.numbers<float>("kernel.values");
  const auto coefficients = container.numbers<float>("kernel.coefficients");
  if (rows.total() != ids.size() || (!values.empty() && values.size() != ids.size()) ||
      coefficients.size() != std::size_t{rows.size()} * labels) {
    fail(container, "the sections kernel.* do not fit together");
  }
  std::uint64_t end = 0;
  for (std::uint32_t s = 0; s < rows.size(); ++s) {
    const CompactOffsets::Row row = rows(s);
    if (row.begin != end) fail(container, "section kernel.rows contradicts itself");
    end += row.length;
    for (std::uint64_t k = row.begin; k < row.begin + row.length; ++k) {
      if (ids[k] >= attributes) continue;
      out.vectors.id.push_back(ids[k]);
      if (!values.empty()) out.vectors.value.push_back(double{values[k]});
    }
    out.vectors.begin.push_back(out.vectors.id.size());
  }
  if (end != ids.size()) fail(container, "section kernel.rows contradicts itself");
  out.coefficients.assign(rows.size(), labels, 0.0f);
  for (std::size_t s = 0; s < rows.size(); ++s) {
    std::ranges::copy(coefficients.subspan(s * labels, labels), out.coefficients.row(s));
  }
  return out;
}

}  // namespace croft
