#include "sql/logic/argument_blocks.h"

#include <optional>
#include <vector>

namespace croft {
namespace {

class BlockGrounder {
 public:
  BlockGrounder(const AtomSpace& space, GroundWatch& watch, ClauseStore& store)
      : space_(space), network_(space.network()), watch_(watch), store_(store) {}

  // For each choice of the arguments without a mark.
  void ground_blocks(std::uint32_t p) {
    const LogicPredicate& predicate = network_.predicates[p];
    std::vector<std::size_t> marked, others;
    bool exactly_one = false;
    for (std::size_t i = 0; i < predicate.types.size(); ++i) {
      (predicate.marks[i] == ArgumentMark::none ? others : marked).push_back(i);
      exactly_one = exactly_one || predicate.marks[i] == ArgumentMark::exactly_one;
    }
    if (marked.empty() || space_.atoms(p) == 0) return;
    std::vector<std::uint32_t> constants(predicate.types.size(), 0);
    do {
      watch_.step();
      ground_block(p, marked, exactly_one, constants);
    } while (advance(predicate, others, constants));
  }

 private:
  bool advance(const LogicPredicate& predicate, const std::vector<std::size_t>& places,
               std::vector<std::uint32_t>& constants) const {
    for (const std::size_t i : places) {
      if (++constants[i] < space_.constants(predicate.types[i])) return true;
      constants[i] = 0;
    }
    return false;
  }

  void ground_block(std::uint32_t p, const std::vector<std::size_t>& marked, bool exactly_one,
                    std::vector<std::uint32_t>& constants) {
    std::vector<std::uint64_t> unknown;
    std::optional<std::uint64_t> holds;
    do {
      watch_.step();
      const std::uint64_t key = space_.key(p, constants);
      const Truth truth = space_.truth(p, key);
      if (truth == Truth::unknown) unknown.push_back(key);
      if (truth != Truth::yes) continue;
      if (holds) {
        throw Error("the evidence has both ", space_.name(*holds), " and ", space_.name(key),
                    ", of which the declaration of ", network_.predicate_names[p], " allows one");
      }
      holds = key;
    } while (advance(network_.predicates[p], marked, constants));
    // A closed predicate's facts are what they are: it has none where nothing is said.
    if (exactly_one && !holds && unknown.empty() && space_.is_open(p)) {
      throw Error("the evidence leaves no value for ", space_.name(space_.key(p, constants)),
                  " and its kin, of which the declaration of ", network_.predicate_names[p],
                  " demands one");
    }
    codes_.clear();
    for (const std::uint64_t key : unknown) codes_.push_back(store_.atom(key));
    if (holds) {
      for (const std::uint32_t atom : std::vector<std::uint32_t>(codes_)) {
        std::vector<std::uint32_t> never{2 * atom + 1};
        store_.add(never, kHardWeight);
      }
    } else if (codes_.size() > 1 || (exactly_one && !codes_.empty())) {
      store_.add_block(codes_, exactly_one);
    }
  }

  const AtomSpace& space_;
  const LogicNetwork& network_;
  GroundWatch& watch_;
  ClauseStore& store_;
  std::vector<std::uint32_t> codes_;
};

}  // namespace

void ground_blocks(const AtomSpace& space, GroundWatch& watch, ClauseStore& store) {
  BlockGrounder grounder(space, watch, store);
  for (std::uint32_t p = 0; p < space.network().predicates.size(); ++p) grounder.ground_blocks(p);
}

}  // namespace croft
