// Sections that the files of several kinds of chains have.  Internal to model/.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "croft/structure/chain_constraint.h"
#include "model/chain_layout.h"
#include "model/feature_table.h"
#include "model/file/container.h"

namespace croft {

// Section "constraint": a bit each, lowest first: starts, ends, edges.
void write_constraint(const ChainConstraint& constraint, ContainerWriter& out);
// None where there is no such section; throws Error where it is damaged.
std::optional<ChainConstraint> read_constraint(const Container& container, std::size_t labels);

// The rows of a layout with their names and weights, views of these.
//   keep: which rows the file has even without a weight; empty: none
std::vector<NamedRow> named_rows(const RowLayout& layout,
                                 const std::vector<std::string_view>& names,
                                 std::span<const double> weights,
                                 const std::vector<bool>& keep = {});

}  // namespace croft
