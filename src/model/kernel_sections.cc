#include "model/kernel_sections.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "croft/core/error.h"
#include "features/compact_offsets.h"

namespace croft {
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

CompactOffsets read_rows(const Container& container) {
  try {
    return CompactOffsets(container.section("kernel.rows"));
  } catch (const Error& error) {
    throw Error(container.name() + ": section \"kernel.rows\": " + error.what() +
                "; restore the file from a copy or train again");
  }
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
  const CompactOffsets rows = read_rows(container);
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
