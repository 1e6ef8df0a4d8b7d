#include "model/chain_sections.h"

#include <string>

#include "croft/core/error.h"
#include "model/file/string_section.h"

namespace croft {
namespace {

// Visits the bits of a constraint in the order of the file.
template <class Constraint, class Visit>
void for_each_bit(Constraint& constraint, const Visit& visit) {
  for (auto* bits : {&constraint.start, &constraint.end, &constraint.edge}) {
    for (std::size_t k = 0; k < bits->size(); ++k) visit((*bits)[k]);
  }
}

std::size_t constraint_bytes(std::size_t labels) { return (labels * (labels + 2) + 7) / 8; }

}  // namespace

void write_constraint(const ChainConstraint& constraint, ContainerWriter& out) {
  std::vector<std::byte> bytes(constraint_bytes(constraint.labels));
  std::size_t k = 0;
  for_each_bit(constraint, [&](bool allowed) {
    if (allowed) bytes[k / 8] |= std::byte{1} << (k % 8);
    ++k;
  });
  out.add("constraint", std::move(bytes), ContainerWriter::Kind::required);
}

std::optional<ChainConstraint> read_constraint(const Container& container, std::size_t labels) {
  if (!container.has("constraint")) return std::nullopt;
  const std::span<const std::byte> bytes = container.section("constraint");
  if (bytes.size() != constraint_bytes(labels)) {
    throw Error(container.name() + ": section constraint" + std::string(kDamaged));
  }
  ChainConstraint constraint(labels);
  std::size_t k = 0;
  for_each_bit(constraint, [&](std::vector<bool>::reference allowed) {
    allowed = (bytes[k / 8] >> (k % 8) & std::byte{1}) != std::byte{0};
    ++k;
  });
  return constraint;
}

std::vector<NamedRow> named_rows(const RowLayout& layout,
                                 const std::vector<std::string_view>& names,
                                 std::span<const double> weights, const std::vector<bool>& keep) {
  std::vector<NamedRow> rows;
  rows.reserve(layout.rows());
  for (std::size_t r = 0; r < layout.rows(); ++r) {
    const std::size_t begin = layout.begin[r] - layout.begin[0];
    NamedRow row{names[r], {}, weights.subspan(layout.begin[r], layout.length(r))};
    row.keep = !keep.empty() && keep[r];
    if (!layout.all_full()) row.cell = std::span(layout.cell).subspan(begin, layout.length(r));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace croft
