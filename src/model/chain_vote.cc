#include "model/chain_vote.h"

#include <algorithm>
#include <string>

#include "croft/core/error.h"
#include "features/vocabulary.h"
#include "optimize/stochastic/online_methods.h"

namespace croft {
namespace {

static_assert(sizeof(WeightChange) == 12);  // as in the file

[[noreturn]] void fail(const Container& container) {
  throw Error(container.name() +
              ": the sections votes* do not fit together: the file is damaged; restore it from a "
              "copy or train again");
}

// visit(vector, coordinate, change) by vector, for what changes between those that have votes.
template <class Visit>
void for_each_change(const VotedPerceptron& vote, const Visit& visit) {
  std::vector<std::pair<std::uint64_t, double>> waiting;  // since the last one that has votes
  for (std::uint64_t c = 0; c < vote.start.size(); ++c) {
    if (vote.start[c] != 0) waiting.emplace_back(c, vote.start[c]);
  }
  std::uint32_t vector = 0;
  std::size_t at = 0;
  for (std::size_t k = 0;; ++k) {
    if (vote.votes[k] > 0) {
      std::ranges::stable_sort(waiting, {}, &std::pair<std::uint64_t, double>::first);
      for (std::size_t i = 0; i < waiting.size();) {
        const std::uint64_t coordinate = waiting[i].first;
        double sum = 0;
        for (; i < waiting.size() && waiting[i].first == coordinate; ++i) sum += waiting[i].second;
        if (static_cast<float>(sum) != 0) visit(vector, coordinate, static_cast<float>(sum));
      }
      waiting.clear();
      ++vector;
    }
    if (k == vote.updates()) return;
    for (; at < vote.update_end[k]; ++at)
      waiting.emplace_back(vote.coordinate[at], vote.change[at]);
  }
}

// The row that a place of w is in.
std::uint32_t row_of(const RowLayout& layout, std::uint64_t coordinate) {
  const auto next = std::ranges::upper_bound(layout.begin, coordinate);
  return static_cast<std::uint32_t>(next - layout.begin.begin() - 1);
}

std::uint32_t cell_of(const RowLayout& layout, std::uint32_t row, std::uint64_t coordinate) {
  return layout.cell_of(row, static_cast<std::size_t>(coordinate - layout.begin[row]));
}

}  // namespace

ChainVote::Rows ChainVote::open_rows(const Container& container, const std::string& name,
                                     std::size_t rows) {
  Rows out{open_table<CompactOffsets>(container, name + ".rows"),
           container.numbers<WeightChange>(name)};
  if (out.rows.size() != rows || out.rows.total() != out.changes.size()) fail(container);
  return out;
}

ChainVote::ChainVote(const Container& container, std::size_t node, std::size_t edge)
    : votes_(container.numbers<std::uint64_t>("votes")),
      transitions_(container.numbers<WeightChange>("votes.transitions")),
      node_(open_rows(container, "votes.node", node)),
      edge_(open_rows(container, "votes.edge", edge)) {
  if (container.has("votes.grams")) grams_ = container.numbers<WeightChange>("votes.grams");
  if (votes_.empty() || std::ranges::count(votes_, std::uint64_t{0}) > 0) fail(container);
}

std::size_t ChainVote::changes() const {
  return transitions_.size() + grams_.size() + node_.changes.size() + edge_.changes.size();
}

VoteWriter::VoteWriter(const VotedPerceptron& vote, const ChainLayout& layout)
    : layout_(layout),
      node_used_(layout.node.rows()),
      edge_used_(layout.edge.rows()),
      grams_used_(layout.grams()) {
  std::ranges::copy_if(vote.votes, std::back_inserter(votes_),
                       [](auto votes) { return votes > 0; });
  if (votes_.empty()) throw Error("a voted perceptron without votes; train for a pass at least");
  if (votes_.size() > kUnknown) {
    throw Error("a voted perceptron has " + std::to_string(votes_.size()) +
                " weight vectors, and a model file holds at most " + std::to_string(kUnknown));
  }
  for_each_change(vote, [this](std::uint32_t vector, std::uint64_t coordinate, float change) {
    add(vector, coordinate, change);
  });
}

void VoteWriter::add(std::uint32_t vector, std::uint64_t coordinate, float change) {
  const RowLayout &tied = layout_.tied, &node = layout_.node, &edge = layout_.edge;
  const SharedCells& shared = layout_.shared;
  if (coordinate >= layout_.first_gram()) {
    const auto gram = static_cast<std::uint32_t>(coordinate - layout_.first_gram());
    grams_.push_back({vector, gram, change});
    grams_used_[gram] = true;
  } else if (coordinate >= edge.begin[0]) {
    const std::uint32_t row = row_of(edge, coordinate);
    edge_.push_back({row, {vector, cell_of(edge, row, coordinate), change}});
    edge_used_[row] = true;
  } else if (coordinate >= node.begin[0]) {
    const std::uint32_t row = row_of(node, coordinate);
    node_.push_back({row, {vector, cell_of(node, row, coordinate), change}});
    node_used_[row] = true;
  } else {
    const std::uint32_t row = row_of(tied, coordinate);
    if (!shared.any()) {
      transitions_.push_back({vector, cell_of(tied, row, coordinate), change});
      return;
    }
    const std::uint64_t k = coordinate - tied.begin[row];
    for (std::uint32_t c = shared.begin[k]; c < shared.begin[k + 1]; ++c) {
      transitions_.push_back({vector, shared.cell[c], change});
    }
  }
}

void VoteWriter::write_rows(const std::vector<RowChange>& changes,
                            std::span<const std::uint32_t> ids, const std::string& name,
                            ContainerWriter& out) {
  const auto rows = static_cast<std::size_t>(
      std::ranges::count_if(ids, [](std::uint32_t id) { return id != kUnknown; }));
  std::vector<std::uint32_t> lengths(rows);
  for (const RowChange& each : changes) ++lengths[ids[each.row]];
  std::vector<std::size_t> next(rows);
  for (std::size_t r = 1; r < rows; ++r) next[r] = next[r - 1] + lengths[r - 1];
  std::vector<WeightChange> sorted(changes.size());
  for (const RowChange& each : changes) sorted[next[ids[each.row]]++] = each.change;
  out.add(name + ".rows", CompactOffsets::build(lengths), ContainerWriter::Kind::bulk);
  out.add_numbers(name, sorted, ContainerWriter::Kind::bulk);
}

void VoteWriter::write(std::span<const std::uint32_t> node, std::span<const std::uint32_t> edge,
                       std::span<const std::uint32_t> gram, ContainerWriter& out) const {
  out.add_numbers("votes", votes_, ContainerWriter::Kind::required);
  out.add_numbers("votes.transitions", transitions_, ContainerWriter::Kind::bulk);
  write_rows(node_, node, "votes.node", out);
  write_rows(edge_, edge, "votes.edge", out);
  if (layout_.grams() == 0) return;
  std::vector<WeightChange> grams = grams_;
  for (WeightChange& each : grams) each.cell = gram[each.cell];
  out.add_numbers("votes.grams", grams, ContainerWriter::Kind::bulk);
}

}  // namespace croft
