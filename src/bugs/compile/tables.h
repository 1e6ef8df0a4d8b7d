// The arrays of a program and its relations, once for every round of the loops around them.
#pragma once
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bugs/arrays.h"
#include "bugs/graph.h"
#include "bugs/program.h"

namespace croft::bugs {

// What is larger is refused: a mistyped bound must not take the machine.
struct CompileLimits {
  std::size_t relations = 20'000'000;
  std::size_t rounds = 20'000'000;     // of all loops
  std::size_t elements = 100'000'000;  // of all arrays
  std::size_t values = 20'000'000;     // of one relation, with what is computed on the way
  std::size_t bytes = 8'000'000'000;   // of the graph
};

// Names of the loops around a relation, the outermost first.
using LoopNames = std::vector<const std::string*>;

struct Counters {
  const LoopNames* names = nullptr;
  std::span<const double> values = {};
};

// first:last on the left of a relation; 0:0 is an empty subscript.
struct SubscriptRange {
  std::uint32_t first = 0, last = 0;
};

enum class Progress : std::uint8_t { fresh, open, done };

// A relation in one round of the loops around it.
struct Relation {
  const Draw* draw = nullptr;
  const Definition* definition = nullptr;
  const LoopNames* names = nullptr;
  std::uint32_t array = 0;
  std::uint32_t first_counter = 0, first_subscript = 0;
  std::uint32_t first_element = 0, elements = 0;  // ProgramTables::elements; none: an open array
  Progress progress = Progress::fresh;

  const Expression& target() const { return draw != nullptr ? draw->target : definition->target; }
  const Location& where() const { return draw != nullptr ? draw->where : definition->where; }
};

struct ProgramArray {
  std::string name;
  std::vector<std::size_t> dimensions;
  const Array* data = nullptr;
  bool open = false;  // written without subscripts: as large as what it is defined as
  std::vector<std::uint32_t> relation;  // [elements] that defines it; kNothing: none
  std::vector<Slot> slots;              // [elements] kNothing: not yet compiled, or data alone

  std::size_t size() const { return slots.size(); }
  bool has_data(std::size_t element) const {
    return data != nullptr && !std::isnan(data->values[element]);
  }
};

struct ProgramTables {
  CompileLimits limits;
  std::deque<ProgramArray> arrays;
  std::map<std::string, std::uint32_t, std::less<>> array_of;
  std::vector<Relation> relations;
  std::vector<double> counters;
  std::vector<SubscriptRange> subscripts;
  std::vector<std::uint32_t> elements;
  std::deque<LoopNames> names;

  const ProgramArray* find(std::string_view name) const {
    const auto found = array_of.find(name);
    return found == array_of.end() ? nullptr : &arrays[found->second];
  }
  Counters counters_of(const Relation& r) const {
    return {r.names, std::span(counters).subspan(r.first_counter, r.names->size())};
  }
  std::span<const std::uint32_t> elements_of(const Relation& r) const {
    return std::span(elements).subspan(r.first_element, r.elements);
  }
  std::string name_of(const Relation& r) const;  // theta[2], Y[1,1:3]
};

// theta[2,1] of an element in R's order; the name alone of a scalar.
std::string element_name(const std::string& name, const std::vector<std::size_t>& dimensions,
                         std::size_t element);

// Arrays and relations of a block.  Data has to stay where it is.
ProgramTables make_tables(const std::vector<Declaration>& declarations,
                          const std::vector<Statement>& block, const Arrays& data,
                          const CompileLimits& limits = {});

}  // namespace croft::bugs
