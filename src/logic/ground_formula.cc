#include "logic/ground_formula.h"

#include <charconv>
#include <utility>

#include "croft/core/interrupt.h"

namespace croft {

std::optional<Junction> FormulaGrounder::ground(std::span<const std::uint32_t> values,
                                                GroundWith with, std::size_t most) {
  with_ = with;
  values_.assign(values.begin(), values.end());
  keys_.clear();
  places_ = KeyMap();
  undefined_ = false;
  parts_ = 0;
  most_ = most;
  Junction out = part(rule_.formula);
  if (undefined_) return {};
  return out;
}

Junction FormulaGrounder::part(const Formula& formula) {
  if (++parts_ > most_) {
    throw Error(place_of(rule_.where), ": one grounding of this rule has more than ", most_,
                " parts; write it with fewer quantifiers: ", rule_.text);
  }
  if (parts_ % 1024 == 0 && interruption.load()) {
    throw Interrupted("grounding a rule was interrupted");
  }
  const auto known = [](bool truth) {
    return Junction{.kind = truth ? Junction::Kind::all : Junction::Kind::any};
  };
  switch (formula.kind) {
    case FormulaKind::atom:
      return atom(formula);
    case FormulaKind::negation:
      return negation_of(part(formula.parts[0]));
    case FormulaKind::all:
    case FormulaKind::any: {
      std::vector<Junction> parts;
      for (const Formula& each : formula.parts) parts.push_back(part(each));
      return joined(formula.kind == FormulaKind::all ? Junction::Kind::all : Junction::Kind::any,
                    std::move(parts));
    }
    case FormulaKind::equivalence: {
      Junction first = part(formula.parts[0]);
      return equivalence_of(std::move(first), part(formula.parts[1]));
    }
    case FormulaKind::exists:
      return over_values(formula, 0, Junction::Kind::any);
    case FormulaKind::forall:
      return over_values(formula, 0, Junction::Kind::all);
    default:
      const bool holds = compare(formula);
      if (with_ == GroundWith::evidence) return known(holds);
      keys_.push_back(holds ? kTrueKey : kFalseKey);
      return Junction::of(static_cast<std::uint32_t>(2 * (keys_.size() - 1)));
  }
}

Junction FormulaGrounder::over_values(const Formula& formula, std::size_t variable,
                                      Junction::Kind kind) {
  if (variable == formula.variables.size()) return part(formula.parts[0]);
  std::vector<Junction> parts;
  const std::uint32_t number = formula.variables[variable];
  const std::size_t size = space_.constants(rule_.variables[number].type);
  for (std::uint32_t c = 0; c < size; ++c) {
    values_[number] = c;
    // A value for which a function has none is passed over.
    const bool undefined = std::exchange(undefined_, false);
    Junction one = over_values(formula, variable + 1, kind);
    if (!undefined_) parts.push_back(std::move(one));
    undefined_ = undefined;
  }
  return joined(kind, std::move(parts));
}

Junction FormulaGrounder::atom(const Formula& formula) {
  const std::vector<std::uint32_t>& types = space_.network().predicates[formula.number].types;
  std::vector<std::uint32_t> constants;
  for (std::size_t i = 0; i < types.size(); ++i) {
    constants.push_back(constant(formula.terms[i], types[i]));
    if (constants.back() == kNoNumber) {
      undefined_ = true;
      return {};
    }
  }
  const std::uint64_t key = space_.key(formula.number, constants);
  switch (with_ == GroundWith::nothing ? Truth::unknown : space_.truth(formula.number, key)) {
    case Truth::yes:
      return {.kind = Junction::Kind::all};
    case Truth::no:
      return {.kind = Junction::Kind::any};
    case Truth::unknown:
      break;
  }
  const std::uint32_t place = places_.insert(key, static_cast<std::uint32_t>(keys_.size()));
  if (place == keys_.size()) keys_.push_back(key);
  return Junction::of(2 * place);
}

bool FormulaGrounder::compare(const Formula& formula) {
  const std::optional<Content> a = content(formula.terms[0]), b = content(formula.terms[1]);
  if (!a || !b) {
    undefined_ = true;
    return false;
  }
  if (formula.kind == FormulaKind::equal) {
    return a->text == b->text;
  }
  if (formula.kind == FormulaKind::substring) return b->text.find(a->text) != std::string::npos;
  if (!a->is_number || !b->is_number) {
    undefined_ = true;
    return false;
  }
  return formula.kind == FormulaKind::less ? a->number < b->number : a->number <= b->number;
}

std::uint32_t FormulaGrounder::constant(const Term& term, std::uint32_t type) {
  if (term.kind == TermKind::variable) return values_[term.number];
  const NameTable& names = space_.evidence().types[type];
  if (term.kind == TermKind::constant) {
    return names.find(space_.evidence().constants[term.number]);
  }
  if (term.kind == TermKind::arithmetic) {
    const std::optional<Content> value = content(term);
    return value ? names.find(value->text) : kNoNumber;
  }
  const std::vector<std::uint32_t>& types = space_.network().functions[term.number].types;
  std::vector<std::uint32_t> constants;
  for (std::size_t i = 0; i < types.size(); ++i) {
    constants.push_back(constant(term.arguments[i], types[i]));
    if (constants.back() == kNoNumber) return kNoNumber;
  }
  return space_.value(term.number, constants);
}

FormulaGrounder::Content FormulaGrounder::content_of(const std::string& name) {
  Content out{.text = name};
  const auto end = std::from_chars(name.data(), name.data() + name.size(), out.number);
  // 007 is a name: only what to_string() writes is a number, so that equal ones have equal names.
  out.is_number = end.ec == std::errc() && end.ptr == name.data() + name.size() &&
                  std::to_string(out.number) == name;
  return out;
}

std::optional<FormulaGrounder::Content> FormulaGrounder::content(const Term& term) {
  if (term.kind == TermKind::constant) return content_of(space_.evidence().constants[term.number]);
  if (term.kind == TermKind::arithmetic) {
    const std::optional<Content> a = content(term.arguments[0]), b = content(term.arguments[1]);
    if (!a || !b) return {};
    return computed(term.operation, *a, *b);
  }
  const std::uint32_t type = term.kind == TermKind::variable
                                 ? rule_.variables[term.number].type
                                 : space_.network().functions[term.number].result;
  const std::uint32_t value = constant(term, type);
  if (value == kNoNumber) return {};
  return content_of(space_.evidence().types[type][value]);
}

std::optional<FormulaGrounder::Content> FormulaGrounder::computed(Arithmetic operation,
                                                                  const Content& a,
                                                                  const Content& b) {
  if (operation == Arithmetic::concatenate) return content_of(a.text + b.text);
  if (!a.is_number || !b.is_number) return {};
  const std::int64_t x = a.number, y = b.number;
  std::int64_t result = 0;
  bool overflow = false;
  switch (operation) {
    case Arithmetic::plus:
      overflow = __builtin_add_overflow(x, y, &result);
      break;
    case Arithmetic::minus:
      overflow = __builtin_sub_overflow(x, y, &result);
      break;
    case Arithmetic::times:
      overflow = __builtin_mul_overflow(x, y, &result);
      break;
    default:
      if (y == 0 || y == -1) {
        if (y == 0 || __builtin_sub_overflow(std::int64_t{0}, x, &result)) return {};
        if (operation == Arithmetic::modulo) result = 0;
      } else {
        result = operation == Arithmetic::divide ? x / y : x % y;
      }
  }
  if (overflow) return {};
  return Content{.is_number = true, .number = result, .text = std::to_string(result)};
}

}  // namespace croft
