#include "bugs/samplers/linear_forms.h"

#include <algorithm>
#include <list>
#include <map>

namespace croft::bugs {

LinearForms::LinearForms(const ModelGraph& graph, std::span<const NodeId> nodes)
    : graph_(graph), has_form_(graph.slots()) {
  coefficients_.push_back(1);
  fixed_.push_back(1);
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    for (Slot s = node.first; s < node.first + node.count; ++s) {
      form_at(s).entries = {{static_cast<std::uint32_t>(elements_.size()), 0}};
      elements_.push_back(s);
    }
  }
  for (const OperationId id : graph.dependents_of(nodes)) add_operation(id);
}

std::span<const LinearForms::Entry> LinearForms::entries(Slot s) const {
  const Form* form = find(s);
  return form == nullptr ? std::span<const Entry>() : std::span<const Entry>(form->entries);
}

bool LinearForms::constant(Slot s) const {
  const Form* form = find(s);
  if (form == nullptr) return graph_.fixed(s);
  return form->linear && form->fixed_rest &&
         std::all_of(form->entries.begin(), form->entries.end(),
                     [&](const Entry& e) { return fixed(e.coefficient); });
}

std::uint32_t LinearForms::add(Instruction instruction, bool fixed) {
  instruction.out = static_cast<std::uint32_t>(coefficients_.size());
  coefficients_.push_back(0);
  fixed_.push_back(fixed ? 1 : 0);
  if (fixed) {
    run(instruction, graph_.initial().data());
  } else {
    moving_.push_back(instruction);
  }
  return instruction.out;
}

void LinearForms::run(const Instruction& i, const double* values) {
  double& out = coefficients_[i.out];
  switch (i.kind) {
    case Kind::product:
      out = coefficients_[i.a] * values[i.factor];
      break;
    case Kind::quotient:
      out = coefficients_[i.a] / values[i.factor];
      break;
    case Kind::negation:
      out = -coefficients_[i.a];
      break;
    case Kind::sum:
      out = coefficients_[i.a] + coefficients_[i.b];
      break;
    case Kind::scaling:
      out = coefficients_[i.a] * i.constant;
      break;
    case Kind::selection:
      out = place_of(graph_.operation(i.pick), values) == i.place ? coefficients_[i.a] : 0;
      break;
  }
}

void LinearForms::refresh(const double* values) {
  for (const Instruction& i : moving_) run(i, values);
}

std::uint32_t LinearForms::negated(std::uint32_t c) {
  return add({.kind = Kind::negation, .out = 0, .a = c}, fixed(c));
}

LinearForms::Form LinearForms::sum_of(std::span<const Term> terms) {
  std::map<std::uint32_t, std::uint32_t> sums;  // element -> coefficient
  for (const Term& term : terms) {
    if (!term.form->linear) return {false, {}};
    for (const Entry& entry : term.form->entries) {
      std::uint32_t c = entry.coefficient;
      if (term.kind == Kind::negation) {
        c = negated(c);
      } else if (term.kind != Kind::sum) {
        const bool still = graph_.fixed(term.factor);
        if (still && term.kind == Kind::product && graph_.initial()[term.factor] == 0) continue;
        c = add({.kind = term.kind, .out = 0, .a = c, .factor = term.factor}, still && fixed(c));
      }
      const auto [it, is_new] = sums.emplace(entry.element, c);
      if (!is_new)
        it->second = add({.kind = Kind::sum, .out = 0, .a = it->second, .b = c},
                         fixed(it->second) && fixed(c));
    }
  }
  Form form;
  for (const auto& [element, c] : sums) form.entries.push_back({element, c});
  return form;
}

LinearForms::Form LinearForms::scaled(const Form& form, double constant) {
  Form result{form.linear, {}};
  for (const Entry& entry : form.entries) {
    const std::uint32_t c =
        add({.kind = Kind::scaling, .out = 0, .a = entry.coefficient, .constant = constant},
            fixed(entry.coefficient));
    result.entries.push_back({entry.element, c});
  }
  return result;
}

// Appends x * y where one of them moves; false where both do.
bool LinearForms::product_term(Slot x, Slot y, std::vector<Term>& terms) const {
  const Form *fx = find(x), *fy = find(y);
  if (fx != nullptr && fy != nullptr) return false;
  if (fx != nullptr) terms.push_back({fx, Kind::product, y});
  if (fy != nullptr) terms.push_back({fy, Kind::product, x});
  return true;
}

LinearForms::Form LinearForms::form_of(const Operation& o) {
  const Form other{false, {}};
  const auto arguments = graph_.arguments(o);
  std::vector<Term> terms;
  switch (o.function) {
    case Function::negate:
      terms.push_back({find(o.a), Kind::negation});
      return sum_of(terms);
    case Function::add:
    case Function::sum:
    case Function::mean: {
      for (const Slot s : arguments)
        if (const Form* form = find(s)) terms.push_back({form});
      const Form sum = sum_of(terms);
      if (o.function != Function::mean) return sum;
      return scaled(sum, 1 / static_cast<double>(arguments.size()));
    }
    case Function::subtract:
      if (const Form* form = find(o.a)) terms.push_back({form});
      if (const Form* form = find(o.b)) terms.push_back({form, Kind::negation});
      return sum_of(terms);
    case Function::multiply:
      return product_term(o.a, o.b, terms) ? sum_of(terms) : other;
    case Function::divide:
      if (find(o.b) != nullptr) return other;
      terms.push_back({find(o.a), Kind::quotient, o.b});
      return sum_of(terms);
    case Function::inner_product:
      for (std::size_t k = 0; k < arguments.size(); k += 2)
        if (!product_term(arguments[k], arguments[k + 1], terms)) return other;
      return sum_of(terms);
    default:
      return other;
  }
}

void LinearForms::add_operation(OperationId id) {
  const Operation& o = graph_.operation(id);
  const auto arguments = graph_.arguments(o);
  if (std::none_of(arguments.begin(), arguments.end(), [&](Slot s) { return moves(s); })) return;
  const bool fixed_rest = std::all_of(arguments.begin(), arguments.end(), [&](Slot s) {
    const Form* form = find(s);
    return form == nullptr ? graph_.fixed(s) : form->fixed_rest;
  });
  if (o.function == Function::pick) {
    add_pick(id, o);
  } else if (o.function == Function::matrix_product) {
    add_matrix_product(o);
  } else {
    const Form form = o.outputs == 1 ? form_of(o) : Form{false, {}};
    if (form.linear && form.entries.empty()) return;  // times 0
    for (std::uint32_t m = 0; m < o.outputs; ++m) form_at(o.out + m) = form;
  }
  for (std::uint32_t m = 0; m < o.outputs; ++m) {
    const auto it = forms_.find(o.out + m);
    if (it != forms_.end()) it->second.fixed_rest = fixed_rest;
  }
}

std::size_t LinearForms::place_of(const Operation& o, const double* values) const {
  const auto arguments = graph_.arguments(o);
  std::size_t place = 0, stride = 1;
  for (std::size_t d = 0; d < o.aux; ++d) {
    place += (static_cast<std::size_t>(values[arguments[d]]) - 1) * stride;
    stride *= static_cast<std::size_t>(values[arguments[o.aux + d]]);
  }
  return place;
}

void LinearForms::add_pick(OperationId id, const Operation& o) {
  const auto arguments = graph_.arguments(o);
  bool by_fixed = true, subscripts_move = false;
  for (const Slot s : arguments.first(o.aux)) {
    by_fixed = by_fixed && graph_.fixed(s);
    subscripts_move = subscripts_move || moves(s);
  }
  const auto elements = arguments.subspan(std::size_t{2} * o.aux);
  for (std::uint32_t m = 0; m < o.outputs; ++m) {
    if (subscripts_move) {
      form_at(o.out + m) = {false, {}};
      continue;
    }
    if (by_fixed) {
      const std::size_t at = place_of(o, graph_.initial().data()) * o.outputs + m;
      if (const Form* form = find(elements[at])) form_at(o.out + m) = Form(*form);
      continue;
    }
    std::list<Form> chosen;
    for (std::size_t k = m, place = 0; k < elements.size(); k += o.outputs, ++place) {
      const Form* form = find(elements[k]);
      if (form == nullptr) continue;
      Form part{form->linear, {}};
      for (const Entry& entry : std::vector<Entry>(form->entries)) {
        const std::uint32_t c = add(
            {.kind = Kind::selection, .out = 0, .a = entry.coefficient, .pick = id, .place = place},
            false);
        part.entries.push_back({entry.element, c});
      }
      chosen.push_back(std::move(part));
    }
    if (chosen.empty()) continue;
    std::vector<Term> terms;
    for (const Form& form : chosen) terms.push_back({&form});
    form_at(o.out + m) = sum_of(terms);
  }
}

void LinearForms::add_matrix_product(const Operation& o) {
  const auto arguments = graph_.arguments(o);
  const std::uint32_t columns = o.outputs / o.rows, inner = o.count / (o.rows + columns);
  const std::size_t second = std::size_t{o.rows} * inner;
  for (std::uint32_t m = 0; m < o.outputs; ++m) {
    std::vector<Term> terms;
    bool linear = true;
    for (std::uint32_t k = 0; k < inner; ++k) {
      const Slot left = arguments[m % o.rows + std::size_t{k} * o.rows];
      const Slot right = arguments[second + k + std::size_t{m / o.rows} * inner];
      linear = linear && product_term(left, right, terms);
    }
    Form form = linear ? sum_of(terms) : Form{false, {}};
    if (!form.linear || !form.entries.empty()) form_at(o.out + m) = std::move(form);
  }
}

}  // namespace croft::bugs
