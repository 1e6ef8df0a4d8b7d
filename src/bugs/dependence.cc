// How numbers depend on nodes: the algebra of constants, scales and linear forms.
#include "bugs/graph.h"

namespace croft::bugs {
namespace {

// What is known of a number: how it depends, and whether its coefficients stand still.
struct Form {
  Dependence dependence = Dependence::none;
  bool fixed = true;
};

class DependenceWalk {
 public:
  DependenceWalk(const ModelGraph& graph, std::span<const NodeId> nodes)
      : graph_(graph), forms_(graph.slots()) {
    std::size_t count = 0;
    for (const NodeId id : nodes) {
      const Node& n = graph.node(id);
      count += n.count;
      for (Slot s = n.first; s < n.first + n.count; ++s) forms_[s].dependence = Dependence::linear;
    }
    if (count == 1) forms_[graph.node(nodes[0]).first].dependence = Dependence::scale;
    for (const OperationId o : graph.dependents_of(nodes)) add(graph.operation(o));
  }
  const std::vector<Form>& forms() const { return forms_; }

 private:
  bool moves(Slot s) const { return forms_[s].dependence != Dependence::none; }
  bool is_zero(Slot s) const { return graph_.fixed(s) && graph_.initial()[s] == 0; }

  // A sum, term by term.
  struct Sum {
    bool offset = false;  // a term that does not move and is not 0
    Form form;
    void add(const Form& term, bool zero) {
      if (term.dependence == Dependence::none) {
        offset = offset || !zero;
        return;
      }
      form.fixed = form.fixed && term.fixed;
      if (form.dependence == Dependence::none) {
        form.dependence = term.dependence;
      } else if (form.dependence != term.dependence) {
        const bool other =
            form.dependence == Dependence::other || term.dependence == Dependence::other;
        form.dependence = other ? Dependence::other : Dependence::linear;
      }
    }
    Form result() const {
      if (form.dependence == Dependence::scale && offset) return {Dependence::linear, form.fixed};
      return form;
    }
  };

  Form product(Slot x, Slot y) const {
    if (!moves(x) && !moves(y)) return {};
    if (moves(x) && moves(y)) return {Dependence::other, false};
    const Slot moving = moves(x) ? x : y, factor = moves(x) ? y : x;
    return {forms_[moving].dependence, forms_[moving].fixed && graph_.fixed(factor)};
  }

  // One of several numbers, by subscripts that do not move.
  Form choice(std::span<const Slot> from, bool by_fixed) const {
    Form form;
    bool all_scale = true;
    for (const Slot s : from) {
      all_scale = all_scale && (forms_[s].dependence == Dependence::scale || is_zero(s));
      if (!moves(s)) continue;
      if (forms_[s].dependence == Dependence::other) return {Dependence::other, false};
      form = {Dependence::linear, form.fixed && forms_[s].fixed};
    }
    if (form.dependence == Dependence::linear && all_scale) form.dependence = Dependence::scale;
    form.fixed = form.fixed && by_fixed;
    return form;
  }

  Form form_of(const Operation& o, std::span<const Slot> args) const;
  void add(const Operation& o);

  const ModelGraph& graph_;
  std::vector<Form> forms_;  // [slots]
};

Form DependenceWalk::form_of(const Operation& o, std::span<const Slot> args) const {
  Sum sum;
  switch (o.function) {
    case Function::negate:
      return forms_[o.a];
    case Function::add:
    case Function::subtract:
    case Function::sum:
    case Function::mean:
      for (const Slot s : args) sum.add(forms_[s], is_zero(s));
      return sum.result();
    case Function::multiply:
      return product(o.a, o.b);
    case Function::divide:
      if (moves(o.b)) return {Dependence::other, false};
      return product(o.a, o.b);
    case Function::inner_product:
      for (std::size_t k = 0; k < args.size(); k += 2) {
        sum.add(product(args[k], args[k + 1]), is_zero(args[k]) || is_zero(args[k + 1]));
      }
      return sum.result();
    case Function::if_else:
      if (moves(o.a)) return {Dependence::other, false};
      return choice(args.subspan(1), graph_.fixed(o.a));
    default:
      break;
  }
  for (const Slot s : args) {
    if (moves(s)) return {Dependence::other, false};
  }
  return {};
}

void DependenceWalk::add(const Operation& o) {
  const auto args = graph_.arguments(o);
  if (o.function == Function::pick) {
    bool by_fixed = true, moved = false;
    for (const Slot s : args.first(o.aux)) {
      by_fixed = by_fixed && graph_.fixed(s);
      moved = moved || moves(s);
    }
    for (std::uint32_t m = 0; m < o.outputs; ++m) {
      std::vector<Slot> from;
      for (std::size_t k = std::size_t{2} * o.aux + m; k < args.size(); k += o.outputs) {
        from.push_back(args[k]);
      }
      forms_[o.out + m] = moved ? Form{Dependence::other, false} : choice(from, by_fixed);
    }
    return;
  }
  if (o.function == Function::matrix_product) {
    const std::uint32_t columns = o.outputs / o.rows, inner = o.count / (o.rows + columns);
    const std::size_t second = std::size_t{o.rows} * inner;
    for (std::uint32_t m = 0; m < o.outputs; ++m) {
      Sum sum;
      for (std::uint32_t k = 0; k < inner; ++k) {
        const Slot left = args[m % o.rows + std::size_t{k} * o.rows];
        const Slot right = args[second + k + std::size_t{m / o.rows} * inner];
        sum.add(product(left, right), is_zero(left) || is_zero(right));
      }
      forms_[o.out + m] = sum.result();
    }
    return;
  }
  for (std::uint32_t m = 0; m < o.outputs; ++m) forms_[o.out + m] = form_of(o, args);
}

}  // namespace

std::vector<Dependence> dependence_on(const ModelGraph& graph, std::span<const NodeId> nodes,
                                      std::vector<bool>* coefficients_fixed) {
  const DependenceWalk walk(graph, nodes);
  std::vector<Dependence> result;
  result.reserve(walk.forms().size());
  if (coefficients_fixed != nullptr) coefficients_fixed->clear();
  for (const Form& form : walk.forms()) {
    result.push_back(form.dependence);
    if (coefficients_fixed != nullptr) coefficients_fixed->push_back(form.fixed);
  }
  return result;
}

}  // namespace croft::bugs
