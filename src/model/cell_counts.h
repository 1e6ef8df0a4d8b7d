// Which features the data shows, counted by processes that each have a share of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "croft/core/ranks.h"

namespace croft {

// How often each attribute is seen with which cells.
struct CellCounts {
  std::vector<std::uint64_t> begin{0};  // [attributes + 1]
  std::vector<std::uint32_t> cell;      // increasing for each attribute
  std::vector<std::uint64_t> count;     // of each
};

// Rows by attribute, in the numbering of the encoder.
struct RawRows {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> cell;  // observed only
};

// Sums over all processes; numbers that a double holds.
void add_up(Ranks& ranks, std::vector<std::uint64_t>& counts);

// Each process adds up what all have counted of its share of the attributes, which are consecutive.
// Nobody has more than its own counts and those of its share.
class RowShares {
 public:
  RowShares(Ranks& ranks, std::size_t attributes) : ranks_(ranks), attributes_(attributes) {}
  std::size_t first_of(std::size_t rank) const { return attributes_ * rank / ranks_.size(); }

  // Of this process's share, the counts of all.
  CellCounts add_up(const CellCounts& here) const;
  // Of the rows of each process's share, those of all attributes.
  RawRows join(RawRows own) const;

 private:
  std::string pack(const CellCounts& counts, std::size_t rank) const;
  CellCounts merge(const std::vector<std::string>& from) const;

  Ranks& ranks_;
  std::size_t attributes_;
};

}  // namespace croft
