// The weight vectors of a voted perceptron, as a model file holds them.  docs/format.md
// section 3.7.
//
// Only vectors that have votes are there.  They follow each other by a few changes: vector v is the
// sum of all changes numbered 0 to v.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "features/compact_offsets.h"
#include "model/chain_layout.h"
#include "model/file/container.h"

namespace croft {

struct VotedPerceptron;

struct WeightChange {
  std::uint32_t vector;  // the first that has it
  std::uint32_t cell;    // a label; a pair of labels, from * L + to; or the number of a gram
  float change;
  bool operator==(const WeightChange&) const = default;
};

// Read-only and mapped.  What the changes say is not checked: whoever uses one looks first whether
// there is such a vector and such a cell.
class ChainVote {
 public:
  // Sections votes, votes.*.  Throws Error where they do not fit together or to the tables.
  //   node, edge : attributes of the model
  ChainVote(const Container& container, std::size_t node, std::size_t edge);

  std::size_t vectors() const { return votes_.size(); }            // >= 1
  std::span<const std::uint64_t> votes() const { return votes_; }  // [vectors] >= 1
  std::size_t changes() const;                                     // of all kinds together
  std::span<const WeightChange> transitions() const { return transitions_; }  // by vector
  std::span<const WeightChange> grams() const { return grams_; }              // by vector
  // Of an attribute, by vector; none for kUnknown.
  std::span<const WeightChange> node(std::uint32_t id) const { return of(node_, id); }
  std::span<const WeightChange> edge(std::uint32_t id) const { return of(edge_, id); }

 private:
  struct Rows {
    CompactOffsets rows;
    std::span<const WeightChange> changes;
  };
  static Rows open_rows(const Container& container, const std::string& name, std::size_t rows);
  static std::span<const WeightChange> of(const Rows& rows, std::uint32_t id) {
    const CompactOffsets::Row place = rows.rows(id);
    return rows.changes.subspan(place.begin, place.length);
  }
  std::span<const std::uint64_t> votes_;
  std::span<const WeightChange> transitions_, grams_;
  Rows node_, edge_;
};

// Sorts the changes of a vote into those of attributes, transitions and grams.
class VoteWriter {
 public:
  // vote : in the order of the layout's w; at least one vector has votes
  VoteWriter(const VotedPerceptron& vote, const ChainLayout& layout);

  // What the file's tables must have, whatever the last weights are: [rows], [rows], [grams].
  const std::vector<bool>& node_used() const { return node_used_; }
  const std::vector<bool>& edge_used() const { return edge_used_; }
  const std::vector<bool>& grams_used() const { return grams_used_; }

  // Adds the sections.
  //   node, edge : [rows] the file's number of each row of the layout; gram: [grams] likewise
  void write(std::span<const std::uint32_t> node, std::span<const std::uint32_t> edge,
             std::span<const std::uint32_t> gram, ContainerWriter& out) const;

 private:
  struct RowChange {
    std::uint32_t row;
    WeightChange change;
  };
  void add(std::uint32_t vector, std::uint64_t coordinate, float change);
  static void write_rows(const std::vector<RowChange>& changes, std::span<const std::uint32_t> ids,
                         const std::string& name, ContainerWriter& out);

  const ChainLayout& layout_;
  std::vector<std::uint64_t> votes_;
  std::vector<WeightChange> transitions_, grams_;
  std::vector<RowChange> node_, edge_;
  std::vector<bool> node_used_, edge_used_, grams_used_;
};

}  // namespace croft
