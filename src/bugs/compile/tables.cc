#include "bugs/compile/tables.h"

#include <algorithm>
#include <utility>

#include "bugs/compile/expressions.h"
#include "core/words/counted.h"
#include "croft/core/interrupt.h"

namespace croft::bugs {
namespace {

bool is_range(const Expression& e) {
  return e.kind == ExpressionKind::call && e.name == ":" && e.arguments.size() == 2;
}

bool mentions(const Expression& e, const LoopNames& names) {
  return std::ranges::any_of(names, [&](const std::string* name) { return *name == e.name; }) ||
         std::ranges::any_of(e.arguments, [&](const Expression& a) { return mentions(a, names); });
}

// Walks the loops and notes every relation; then the arrays get their sizes, and their elements the
// relations that define them.
class Unroller {
 public:
  Unroller(ProgramTables& tables, const Arrays& data) : t_(tables), data_(data) {}

  void declare(const std::vector<Declaration>& declarations);
  void unroll(const std::vector<Statement>& block) {
    LoopNames names;
    walk(block, names, {});
  }
  void size_arrays();
  void place_relations();

 private:
  static constexpr std::uint32_t kWhole = 0xffffffff;  // target without subscripts

  void walk(const std::vector<Statement>& block, const LoopNames& names,
            std::vector<double> counters);
  void loop(const Loop& loop, const LoopNames& names, std::vector<double>& counters);
  double bound_of(const Loop& loop, const Expression& e, Counters known) const;
  double least_rounds(const Loop& loop, Counters known, LoopNames& unknown) const;
  void check_rounds(const Loop& loop, double more) const;
  void relation(const Draw* draw, const Definition* definition, const LoopNames& names,
                const std::vector<double>& counters);
  std::uint32_t array_of(const std::string& name);
  SubscriptRange range_of(const Expression& e, const std::string& array, Counters counters) const;
  void allocate(ProgramArray& array, const Location& where);
  std::vector<SubscriptRange> ranges_of(const Relation& r) const;

  ProgramTables& t_;
  const Arrays& data_;
  std::vector<std::uint32_t> subscript_counts_;  // [relations]; kWhole: none written
  std::vector<bool> sized_;                      // [arrays] by data or a declaration
  std::size_t rounds_ = 0, elements_ = 0;
};

std::uint32_t Unroller::array_of(const std::string& name) {
  const auto found = t_.array_of.find(name);
  if (found != t_.array_of.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(t_.arrays.size());
  ProgramArray& array = t_.arrays.emplace_back();
  array.name = name;
  sized_.push_back(false);
  t_.array_of.emplace(name, index);
  if (const auto data = data_.find(name); data != data_.end()) {
    array.data = &data->second;
    array.dimensions = data->second.dimensions;
    if (array.dimensions.empty()) array.dimensions = {1};
    sized_.back() = true;
    allocate(array, {});
    if (array.size() != data->second.values.size()) {
      throw Error("data of ", in_quotes(name), ": ", std::to_string(data->second.values.size()),
                  " values for an array of ", std::to_string(array.size()));
    }
  }
  return index;
}

void Unroller::allocate(ProgramArray& array, const Location& where) {
  std::size_t size = 1;
  for (const std::size_t n : array.dimensions) {
    if (n != 0 && size > t_.limits.elements / n) size = t_.limits.elements + 1;
    size = std::min(size * n, t_.limits.elements + 1);
  }
  elements_ += size;
  if (elements_ > t_.limits.elements) {
    throw InputError(where, Message("the arrays have more than ", t_.limits.elements, " elements"),
                     array.name, "take smaller bounds");
  }
  array.slots.assign(size, kNothing);
  array.relation.assign(size, kNothing);
}

void Unroller::declare(const std::vector<Declaration>& declarations) {
  for (const auto& [name, values] : data_) array_of(name);
  for (const Declaration& d : declarations) {
    std::vector<std::size_t> dimensions;
    for (const Expression& e : d.dimensions) {
      ExpressionCompiler compiler(t_, nullptr, {});
      const Value value = compiler.compile(e);
      if (!value.scalar()) fail_at(e, "a dimension has to be one number", d.name);
      dimensions.push_back(subscript_of(e, d.name, value.elements[0].number, t_.limits.elements));
    }
    if (dimensions.empty()) dimensions = {1};
    ProgramArray& array = t_.arrays[array_of(d.name)];
    const bool known = sized_[t_.array_of.find(d.name)->second];
    if (known && array.dimensions != dimensions) {
      throw InputError(d.where,
                       array.data != nullptr
                           ? Message("the declaration has other dimensions than the data")
                           : Message("two declarations have different dimensions"),
                       d.name, "");
    }
    if (known) continue;
    array.dimensions = dimensions;
    sized_[t_.array_of.find(d.name)->second] = true;
    allocate(array, d.where);
  }
}

void Unroller::walk(const std::vector<Statement>& block, const LoopNames& names,
                    std::vector<double> counters) {
  for (const Statement& statement : block) {
    if (const auto* draw = std::get_if<Draw>(&statement)) {
      relation(draw, nullptr, names, counters);
    } else if (const auto* definition = std::get_if<Definition>(&statement)) {
      relation(nullptr, definition, names, counters);
    } else {
      loop(std::get<Loop>(statement), names, counters);
    }
  }
}

double Unroller::bound_of(const Loop& l, const Expression& e, Counters known) const {
  ExpressionCompiler compiler(t_, nullptr, known);
  const Value value = compiler.compile(e);
  const double x = value.scalar() ? value.elements[0].number : NAN;
  if (!(std::abs(x) < 1e15) || x != std::floor(x)) {
    fail_at(e, "the range of a loop has to be of whole numbers", l.counter);
  }
  return x;
}

// Of a loop and of those inside it whose bounds are the same in every round: their rounds, without
// going round.
double Unroller::least_rounds(const Loop& l, Counters known, LoopNames& unknown) const {
  const Expression& r = l.range;
  if (!is_range(r) || mentions(r, unknown)) return 0;
  const double rounds = bound_of(l, r.arguments[1], known) - bound_of(l, r.arguments[0], known) + 1;
  if (rounds < 1) return 0;
  double inside = 0;
  unknown.push_back(&l.counter);
  for (const Statement& statement : l.body) {
    if (const auto* inner = std::get_if<Loop>(&statement)) {
      inside += least_rounds(*inner, known, unknown);
    }
  }
  unknown.pop_back();
  return rounds * (1 + inside);
}

void Unroller::check_rounds(const Loop& l, double more) const {
  if (more <= static_cast<double>(t_.limits.rounds - rounds_)) return;
  throw InputError(l.where, Message("the loops go round more than ", t_.limits.rounds, " times"),
                   l.counter, "take smaller bounds");
}

void Unroller::loop(const Loop& l, const LoopNames& names, std::vector<double>& counters) {
  for (const std::string* name : names) {
    if (*name == l.counter) {
      throw InputError(l.where, "two loops inside each other have the same counter", l.counter,
                       "give the inner loop another name");
    }
  }
  // The same loop has the same names in every round of those around it.
  const LoopNames* inner = nullptr;
  for (const LoopNames& known : t_.names) {
    if (known.size() == names.size() + 1 && known.back() == &l.counter &&
        std::equal(names.begin(), names.end(), known.begin())) {
      inner = &known;
    }
  }
  if (inner == nullptr) {
    LoopNames extended = names;
    extended.push_back(&l.counter);
    inner = &t_.names.emplace_back(std::move(extended));
  }
  // A range a:b is gone through without a list of its numbers.
  const Counters known{&names, counters};
  const auto round = [&](double value) {
    check_rounds(l, 1);
    ++rounds_;
    if (rounds_ % 4096 == 0 && interruption) throw Interrupted("interrupted");
    counters.push_back(value);
    walk(l.body, *inner, counters);
    counters.pop_back();
  };
  const Expression& r = l.range;
  if (is_range(r)) {
    const double first = bound_of(l, r.arguments[0], known);
    const double last = bound_of(l, r.arguments[1], known);
    LoopNames unknown;
    // Before the first round, so that a mistyped bound is told at once.
    check_rounds(l, names.empty() ? least_rounds(l, known, unknown) : last - first + 1);
    for (double x = first; x <= last; ++x) round(x);
    return;
  }
  ExpressionCompiler compiler(t_, nullptr, known);
  const Value values = compiler.compile(r);
  for (const Element& e : values.elements) round(e.number);
}

SubscriptRange Unroller::range_of(const Expression& e, const std::string& array,
                                  Counters counters) const {
  if (e.kind == ExpressionKind::absent) return {};
  ExpressionCompiler compiler(t_, nullptr, counters);
  const auto whole = [&](const Expression& part) {
    const Value value = compiler.compile(part);
    if (!value.scalar())
      fail_at(part, "a subscript on the left has to be a number or a range", array);
    return static_cast<std::uint32_t>(
        subscript_of(part, array, value.elements[0].number, t_.limits.elements));
  };
  if (is_range(e)) {
    const SubscriptRange range{whole(e.arguments[0]), whole(e.arguments[1])};
    if (range.first > range.last) fail_at(e, "a range on the left ends before it begins", array);
    return range;
  }
  const std::uint32_t one = whole(e);
  return {one, one};
}

void Unroller::relation(const Draw* draw, const Definition* definition, const LoopNames& names,
                        const std::vector<double>& counters) {
  if (t_.relations.size() >= t_.limits.relations) {
    throw InputError(draw != nullptr ? draw->where : definition->where,
                     Message("the loops make more than ", t_.limits.relations, " relations"), "",
                     "take smaller bounds");
  }
  // The names of the outermost level live as long as the tables.
  if (names.empty() && (t_.names.empty() || !t_.names.front().empty())) {
    t_.names.emplace_front();
  }
  Relation r;
  r.draw = draw;
  r.definition = definition;
  r.names = names.empty() ? &t_.names.front() : &names;
  const Expression& target = r.target();
  r.array = array_of(target.name);
  r.first_counter = static_cast<std::uint32_t>(t_.counters.size());
  t_.counters.insert(t_.counters.end(), counters.begin(), counters.end());
  r.first_subscript = static_cast<std::uint32_t>(t_.subscripts.size());
  subscript_counts_.push_back(
      target.arguments.empty() ? kWhole : static_cast<std::uint32_t>(target.arguments.size()));
  for (const Expression& e : target.arguments) {
    t_.subscripts.push_back(range_of(e, target.name, {&names, counters}));
  }
  t_.relations.push_back(r);
}

// Arrays of neither data nor a declaration are as large as the relations say.
void Unroller::size_arrays() {
  for (std::size_t k = 0; k < t_.relations.size(); ++k) {
    const Relation& r = t_.relations[k];
    ProgramArray& array = t_.arrays[r.array];
    if (sized_[r.array]) continue;
    if (subscript_counts_[k] == kWhole) {
      if (array.open) {
        const Relation& first = *std::ranges::find(t_.relations, r.array, &Relation::array);
        throw InputError(r.where(),
                         Message("a name is defined twice, first in line ", first.where().line),
                         array.name, "define it once");
      }
      if (!array.dimensions.empty()) {
        throw InputError(r.where(), "a name is defined as a whole and by elements", array.name,
                         "declare its dimensions with var, or define it once");
      }
      array.open = true;
      continue;
    }
    if (array.open ||
        (!array.dimensions.empty() && array.dimensions.size() != subscript_counts_[k])) {
      throw InputError(r.where(), "a name has different numbers of subscripts", array.name, "");
    }
    array.dimensions.resize(subscript_counts_[k], 0);
    for (std::uint32_t d = 0; d < subscript_counts_[k]; ++d) {
      const SubscriptRange range = t_.subscripts[r.first_subscript + d];
      if (range.last == 0) {
        throw InputError(r.where(), "the extent of an empty subscript is not known", array.name,
                         "declare the dimensions with var, or write the range");
      }
      array.dimensions[d] = std::max<std::size_t>(array.dimensions[d], range.last);
    }
  }
  for (std::size_t k = 0; k < t_.relations.size(); ++k) {
    ProgramArray& array = t_.arrays[t_.relations[k].array];
    if (array.slots.empty() && !array.open) allocate(array, t_.relations[k].where());
    if (array.slots.empty() && array.open) {
      array.relation.assign(1, static_cast<std::uint32_t>(k));  // its size is not known yet
    }
  }
}

std::vector<SubscriptRange> Unroller::ranges_of(const Relation& r) const {
  const ProgramArray& array = t_.arrays[r.array];
  const std::size_t written = r.target().arguments.size();
  std::vector<SubscriptRange> ranges;
  for (std::size_t d = 0; d < array.dimensions.size(); ++d) {
    const auto extent = static_cast<std::uint32_t>(array.dimensions[d]);
    if (extent == 0) {
      throw InputError(r.where(), "the data of this name has no values", array.name,
                       "give it values, or leave it out of the data");
    }
    SubscriptRange range = written == 0 ? SubscriptRange{} : t_.subscripts[r.first_subscript + d];
    if (range.last == 0) range = {1, extent};
    if (range.last > extent) {
      throw InputError(r.where(),
                       Message("subscript ", range.last, " is beyond the extent ", extent),
                       t_.name_of(r), "");
    }
    ranges.push_back(range);
  }
  return ranges;
}

void Unroller::place_relations() {
  for (std::size_t k = 0; k < t_.relations.size(); ++k) {
    Relation& r = t_.relations[k];
    ProgramArray& array = t_.arrays[r.array];
    if (array.open) continue;
    const std::size_t written = r.target().arguments.size();
    if (written != 0 && written != array.dimensions.size()) {
      throw InputError(r.where(),
                       Message(counted(written, "subscript"), " for an array of ",
                               counted(array.dimensions.size(), "dimension")),
                       array.name, "");
    }
    const std::vector<SubscriptRange> ranges = ranges_of(r);
    r.first_element = static_cast<std::uint32_t>(t_.elements.size());
    std::vector<std::uint32_t> at;
    for (const SubscriptRange& range : ranges) at.push_back(range.first);
    for (;;) {
      std::size_t element = 0, stride = 1;
      for (std::size_t d = 0; d < ranges.size(); ++d) {
        element += (at[d] - 1) * stride;
        stride *= array.dimensions[d];
      }
      if (array.relation[element] != kNothing) {
        const Relation& other = t_.relations[array.relation[element]];
        throw InputError(r.where(),
                         Message("a node is defined twice, first in line ", other.where().line),
                         element_name(array.name, array.dimensions, element), "define it once");
      }
      array.relation[element] = static_cast<std::uint32_t>(k);
      t_.elements.push_back(static_cast<std::uint32_t>(element));
      std::size_t d = 0;
      while (d < ranges.size() && at[d] == ranges[d].last) at[d] = ranges[d].first, ++d;
      if (d == ranges.size()) break;
      ++at[d];
    }
    r.elements = static_cast<std::uint32_t>(t_.elements.size() - r.first_element);
  }
}

std::string joined(const std::string& name, const std::vector<SubscriptRange>& ranges) {
  std::string text = name + "[";
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    if (d > 0) text += ",";
    text += std::to_string(ranges[d].first);
    if (ranges[d].last != ranges[d].first) text += ":" + std::to_string(ranges[d].last);
  }
  return text + "]";
}

}  // namespace

std::string ProgramTables::name_of(const Relation& r) const {
  const ProgramArray& array = arrays[r.array];
  if (array.open || array.dimensions.empty() || array.dimensions == std::vector<std::size_t>{1}) {
    return array.name;
  }
  std::vector<SubscriptRange> ranges;
  const std::size_t written = r.target().arguments.size();
  for (std::size_t d = 0; d < array.dimensions.size(); ++d) {
    SubscriptRange range = written == 0 ? SubscriptRange{} : subscripts[r.first_subscript + d];
    if (range.last == 0) range = {1, static_cast<std::uint32_t>(array.dimensions[d])};
    ranges.push_back(range);
  }
  return joined(array.name, ranges);
}

std::string element_name(const std::string& name, const std::vector<std::size_t>& dimensions,
                         std::size_t element) {
  if (dimensions.empty() || dimensions == std::vector<std::size_t>{1}) return name;
  std::vector<SubscriptRange> ranges;
  for (const std::size_t n : dimensions) {
    const auto at = static_cast<std::uint32_t>(element % n + 1);
    ranges.push_back({at, at});
    element /= n;
  }
  return joined(name, ranges);
}

ProgramTables make_tables(const std::vector<Declaration>& declarations,
                          const std::vector<Statement>& block, const Arrays& data,
                          const CompileLimits& limits) {
  ProgramTables tables;
  tables.limits = limits;
  Unroller unroller(tables, data);
  unroller.declare(declarations);
  unroller.unroll(block);
  unroller.size_arrays();
  unroller.place_relations();
  return tables;
}

}  // namespace croft::bugs
