// Draws from the worlds of atoms that keep clauses and marks, each as likely: by elimination.
//
// Atoms that clauses of two literals make equal, or opposite, count as one.  They are eliminated by
// minimum degree in the graph of what shares a clause or a mark.  Where each has more than kWidth
// neighbours, one is held at its value.  Which ones are held depends on the graph and on chance,
// not on values; so a draw leaves the uniform distribution as it is, and where none is held it is
// independent of what was there.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "logic/sampling/step_work.h"

namespace croft {

class PartSampler {
 public:
  static constexpr std::size_t kWidth = 8;

  void begin(std::size_t atoms);
  // Literals are 2 * atom, and 1 more where negated.
  void add_clause(std::span<const std::uint32_t> literals);
  // At most one of these holds; `exact`: one does.
  void add_mark(std::span<const std::uint32_t> atoms, bool exact);
  // x keeps all of them, before and after.  Returns how many atoms were held.  Throws Interrupted
  // where the work is to end.
  std::size_t draw(Random& random, std::span<std::uint8_t> x, StepWork& work);

 private:
  struct Bits {
    std::uint32_t positive = 0, negative = 0;  // literals of a clause
  };
  struct Mark {
    std::uint32_t members = 0;
    int most = 1;
    bool exact = false;
  };
  // The sum over an eliminated atom, by the values of its neighbours then.
  struct Message {
    std::vector<std::uint8_t> bits;  // of these in the scope of the step that has it
    std::vector<double> values;      // [2^bits]
  };
  // The elimination of one atom.
  struct Step {
    std::uint32_t atom = 0;
    std::vector<std::uint32_t> scope;  // its neighbours then, and itself
    std::vector<Bits> clauses = {};
    std::vector<Mark> marks = {};
    std::vector<Message> messages = {};
    double weight(std::uint32_t bits) const;
  };

  std::size_t clauses() const { return clause_begin_.size() - 1; }
  std::size_t marks() const { return mark_begin_.size() - 1; }
  std::span<const std::uint32_t> clause_literals(std::size_t c) const {
    return std::span(clause_literals_)
        .subspan(clause_begin_[c], clause_begin_[c + 1] - clause_begin_[c]);
  }
  std::span<const std::uint32_t> clause(std::size_t c) const {  // its atoms
    return std::span(clause_atoms_)
        .subspan(clause_begin_[c], clause_begin_[c + 1] - clause_begin_[c]);
  }
  std::span<const std::uint32_t> mark(std::size_t m) const {
    return std::span(mark_atoms_).subspan(mark_begin_[m], mark_begin_[m + 1] - mark_begin_[m]);
  }
  void merge_equal();
  void find_leaders(const std::vector<std::vector<std::uint32_t>>& implied);
  void connect(std::uint32_t a, std::uint32_t b);
  void connect_all(std::span<const std::uint32_t> atoms);
  void remove(std::uint32_t atom);
  void hold_many(Random& random, std::span<const std::uint32_t> atoms);
  void make_graph(Random& random);
  std::uint32_t pick_held(Random& random, std::vector<std::uint32_t>& left) const;
  void order(Random& random);
  static std::uint32_t bit_of(const Step& step, std::uint32_t atom);
  void place(std::span<const std::uint8_t> x);
  void sum_out();

  StepWork* work_ = nullptr;  // of draw()
  std::size_t atoms_ = 0;
  std::vector<std::uint64_t> clause_begin_{0}, mark_begin_{0};
  std::vector<std::uint32_t> clause_literals_, clause_atoms_, mark_atoms_;
  std::vector<std::uint8_t> mark_exact_;
  std::vector<std::uint32_t> leader_;  // [literals] the same in every world, of the first such atom
  std::vector<std::vector<std::uint32_t>> neighbours_;  // [atoms] that are neither
  std::vector<std::uint32_t> step_of_;                  // [atoms] or open, or held
  std::vector<Step> steps_;
};

}  // namespace croft
