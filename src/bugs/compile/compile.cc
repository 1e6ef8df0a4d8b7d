#include "bugs/compile/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "bugs/compile/expressions.h"
#include "bugs/compile/tables.h"
#include "bugs/distributions.h"
#include "bugs/distributions/densities.h"
#include "bugs/node_values.h"
#include "core/words/counted.h"
#include "croft/core/interrupt.h"

namespace croft::bugs {
namespace {

class BlockCompiler {
 public:
  BlockCompiler(const std::vector<Declaration>& declarations, const std::vector<Statement>& block,
                const Arrays& data, const CompileLimits& limits)
      : tables_(make_tables(declarations, block, data, limits)), operations_(graph_) {}

  void run() {
    for (std::uint32_t k = 0; k < tables_.relations.size(); ++k) {
      if (tables_.relations[k].progress == Progress::fresh) resolve(k);
    }
    for (const auto& [relation, node] : censored_) censor(tables_.relations[relation], node);
  }
  // Named arrays of the graph, constants of the data among them where `constants` asks for them.
  void name_arrays();
  ModelGraph& graph() { return graph_; }
  const ProgramTables& tables() const { return tables_; }

 private:
  void resolve(std::uint32_t first);
  // Relations that have to come before; none: it is compiled.
  std::vector<std::uint32_t> attempt(Relation& r);
  void define(Relation& r, const Value& value);
  void draw(Relation& r, const std::vector<Value>& parameters, Slot lower, Slot upper);
  Slot bound(const std::optional<Expression>& e, ExpressionCompiler& expressions, bool& missing);
  void set_open(ProgramArray& array, const std::vector<std::size_t>& dimensions);
  [[noreturn]] void fail_cycle(std::uint32_t again, const std::vector<std::uint32_t>& stack) const;
  [[noreturn]] void fail(const Relation& r, const Message& problem, const Message& remedy = {}) {
    throw InputError(r.where(), problem, tables_.name_of(r), remedy);
  }
  std::vector<double> observed_of(const Relation& r);
  void check_parameters(const Relation& r, const Distribution& d,
                        const std::vector<Value>& parameters);
  void check_values(const Relation& r, const Distribution& d, const std::vector<Value>& parameters,
                    const NodeSpec& spec);
  // dsum and dround of what is not observed.
  void define_observable(const Relation& r, const Distribution& d,
                         const std::vector<Value>& parameters);
  void censor(const Relation& r, NodeId id);

  ProgramTables tables_;
  ModelGraph graph_;
  OperationTable operations_;
  // Nodes with I(,) and parameters that are not constants.  Their bounds are looked at when all
  // nodes are there: those of two nodes may be each other.
  std::vector<std::pair<std::size_t, NodeId>> censored_;
  std::size_t done_ = 0;
};

void BlockCompiler::resolve(std::uint32_t first) {
  std::vector<std::uint32_t> stack{first};
  while (!stack.empty()) {
    Relation& r = tables_.relations[stack.back()];
    if (r.progress == Progress::done) {
      stack.pop_back();
      continue;
    }
    r.progress = Progress::open;
    const std::vector<std::uint32_t> before = attempt(r);
    if (before.empty()) {
      r.progress = Progress::done;
      stack.pop_back();
      if (graph_.bytes() > tables_.limits.bytes) {
        fail(r,
             Message("with this node the model takes more than ", tables_.limits.bytes / 1'000'000,
                     " MB"),
             "take smaller bounds");
      }
      if (++done_ % 1024 == 0 && interruption) throw Interrupted("interrupted");
      continue;
    }
    std::set<std::uint32_t> pushed;
    for (const std::uint32_t other : before) {
      if (tables_.relations[other].progress == Progress::open) fail_cycle(other, stack);
      if (pushed.insert(other).second) stack.push_back(other);
    }
  }
}

void BlockCompiler::fail_cycle(std::uint32_t again, const std::vector<std::uint32_t>& stack) const {
  std::string names;
  std::size_t shown = 0;
  bool on_cycle = false;
  for (const std::uint32_t k : stack) {
    on_cycle = on_cycle || k == again;
    const Relation& r = tables_.relations[k];
    if (!on_cycle || r.progress != Progress::open) continue;
    if (++shown > 6) continue;
    names += tables_.name_of(r) + " (line " + std::to_string(r.where().line) + "), ";
  }
  if (shown > 6) names += "and " + std::to_string(shown - 6) + " more, ";
  const Relation& r = tables_.relations[again];
  const bool bounded = std::ranges::any_of(stack, [&](std::uint32_t k) {
    const Relation& other = tables_.relations[k];
    return other.progress == Progress::open && other.draw != nullptr && other.draw->truncation;
  });
  throw InputError(r.where(),
                   Message("a node depends on itself, by ", names.substr(0, names.size() - 2)),
                   tables_.name_of(r),
                   bounded ? Message("for an order of two nodes leave their bounds out, write "
                                     "ordered ~ dbern(step(b - a)), and ordered = 1 in the data")
                           : Message());
}

void BlockCompiler::set_open(ProgramArray& array, const std::vector<std::size_t>& dimensions) {
  array.dimensions = dimensions.empty() ? std::vector<std::size_t>{1} : dimensions;
  std::size_t size = 1;
  for (const std::size_t n : array.dimensions) size *= n;
  array.slots.assign(size, kNothing);
  array.relation.assign(size, array.relation[0]);
}

bool constant(const std::vector<Value>& parameters) {
  return std::ranges::all_of(parameters, [](const Value& p) {
    return std::ranges::all_of(p.elements, &Element::constant);
  });
}

std::vector<std::uint32_t> BlockCompiler::attempt(Relation& r) {
  ExpressionCompiler expressions(tables_, &operations_, tables_.counters_of(r));
  if (r.definition != nullptr) {
    const Value value = expressions.compile(r.definition->value);
    if (value.missing) return expressions.missing();
    define(r, value);
    return {};
  }
  std::vector<Value> parameters;
  bool missing = false;
  for (const Expression& e : r.draw->parameters) {
    parameters.push_back(expressions.compile(e));
    missing = missing || parameters.back().missing;
  }
  Slot lower = kNothing, upper = kNothing;
  const bool later = r.draw->truncation && r.draw->truncation->interval;
  if (r.draw->truncation && !(later && (missing || !constant(parameters)))) {
    lower = bound(r.draw->truncation->lower, expressions, missing);
    upper = bound(r.draw->truncation->upper, expressions, missing);
  }
  if (missing) return expressions.missing();
  draw(r, parameters, lower, upper);
  return {};
}

Slot BlockCompiler::bound(const std::optional<Expression>& e, ExpressionCompiler& expressions,
                          bool& missing) {
  if (!e || e->kind == ExpressionKind::absent) return kNothing;
  const Value value = expressions.compile(*e);
  if (value.missing) {
    missing = true;
    return kNothing;
  }
  if (!value.scalar()) fail_at(*e, "a bound has to be one number");
  return operations_.slot_of(value.elements[0]);
}

void BlockCompiler::define(Relation& r, const Value& value) {
  ProgramArray& array = tables_.arrays[r.array];
  if (array.open) set_open(array, value.dimensions);
  const std::size_t count = array.open ? array.size() : r.elements;
  if (value.elements.size() != count) {
    fail(r, Message(counted(value.elements.size(), "value"), " for ", counted(count, "element")));
  }
  Function inverse = Function::negate;
  const std::string& link = r.definition->link;
  if (link == "log") inverse = Function::exp;
  if (link == "logit") inverse = Function::ilogit;
  if (link == "probit") inverse = Function::phi;
  if (link == "cloglog") inverse = Function::icloglog;
  if (!link.empty() && inverse == Function::negate) {
    fail(r, Message("the link ", in_quotes(link), " is not known"),
         "log, logit, probit and cloglog are");
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = array.open ? k : tables_.elements_of(r)[k];
    if (array.has_data(at)) {
      throw InputError(r.where(), "a node is defined, and is in the data, too",
                       element_name(array.name, array.dimensions, at),
                       "leave it out of the data, or take ~ for it");
    }
    const Element element =
        link.empty() ? value.elements[k] : operations_.apply(inverse, {value.elements[k]});
    array.slots[at] = operations_.slot_of(element);
  }
}

std::vector<double> BlockCompiler::observed_of(const Relation& r) {
  const ProgramArray& array = tables_.arrays[r.array];
  if (array.open || array.data == nullptr) return {};
  std::vector<double> values;
  std::size_t known = 0;
  for (const std::uint32_t at : tables_.elements_of(r)) {
    values.push_back(array.data->values[at]);
    if (array.has_data(at)) ++known;
  }
  if (known == 0) return {};
  if (known < values.size()) {
    fail(r, "a node of several elements is observed in part",
         "observe all of its elements or none");
  }
  return values;
}

// Stands for a parameter that is not the same in all states, and is allowed whatever the others
// are.
double allowed_parameter(DistributionId id, std::size_t which) {
  if (id != DistributionId::hypergeometric || which == 3) return 1;
  return which == 2 ? 0 : 0x1p52;  // few are drawn of many
}

// Checks the parameters that are the same in all states; those of dunif are checked together.
void BlockCompiler::check_parameters(const Relation& r, const Distribution& d,
                                     const std::vector<Value>& parameters) {
  std::vector<std::vector<double>> numbers;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Value& p = parameters[k];
    std::vector<double>& values = numbers.emplace_back();
    for (const Element& e : p.elements) {
      if (!e.constant() && (p.elements.size() > 1 || d.id == DistributionId::uniform)) return;
      values.push_back(e.constant() ? e.number : allowed_parameter(d.id, k));
    }
  }
  const std::vector<Numbers> spans(numbers.begin(), numbers.end());
  const std::string fault = parameter_fault(d.id, spans);
  if (!fault.empty()) fail(r, Message(d.name, ": ", fault));
}

// Checks what no parameter makes possible: bounds that leave nothing, and observed numbers beyond
// them or outside the law's support.  What is not the same in all states is NaN, which is never
// beyond anything.
void BlockCompiler::check_values(const Relation& r, const Distribution& d,
                                 const std::vector<Value>& parameters, const NodeSpec& spec) {
  const auto constant_at = [&](Slot s) {
    return s != kNothing && graph_.fixed(s) ? graph_.initial()[s] : std::nan("");
  };
  const double lower = constant_at(spec.lower), upper = constant_at(spec.upper);
  if (lower > upper) {
    fail(r, fmt::format("the lower bound {} is above the upper bound {}", lower, upper),
         "write the smaller one first");
  }
  std::vector<std::vector<double>> numbers;
  for (const Value& p : parameters) {
    std::vector<double>& values = numbers.emplace_back();
    for (const Element& e : p.elements) values.push_back(e.constant() ? e.number : std::nan(""));
  }
  const Bounds possible = support(d.id, std::vector<Numbers>(numbers.begin(), numbers.end()));
  if (lower > possible.upper || upper < possible.lower) {
    fail(r, Message("the bounds leave no value that ", d.name, " has"));
  }
  for (const double x : spec.observed) {
    const auto outside = [&](const std::string& why) {
      fail(r, fmt::format("the observed value {} is impossible: {}", x, why));
    };
    if (d.discrete && !is_whole(x)) outside(fmt::format("{} has whole numbers only", d.name));
    if (x < possible.lower) outside(fmt::format("{} has none below {}", d.name, possible.lower));
    if (x > possible.upper) outside(fmt::format("{} has none above {}", d.name, possible.upper));
    if (x < lower || x > upper) outside("it is outside its bounds");
  }
}

void BlockCompiler::draw(Relation& r, const std::vector<Value>& parameters, Slot lower,
                         Slot upper) {
  const Distribution* d = find_distribution(r.draw->distribution);
  if (d == nullptr || d->id == DistributionId::copied) {
    throw InputError(r.where(), "a distribution is not known", r.draw->distribution,
                     "docs/bugs.md lists the distributions");
  }
  if (d->any_number ? parameters.empty() : parameters.size() != d->parameters.size()) {
    fail(r, Message(d->name, " has ", counted(d->parameters.size(), "parameter"), ", and is given ",
                    parameters.size()));
  }
  NodeSpec spec{d->id};
  std::vector<std::size_t> sizes;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Value& p = parameters[k];
    if (p.elements.empty()) fail(r, Message("parameter ", k + 1, " of ", d->name, " is empty"));
    if (d->parameters[d->any_number ? 0 : k].shape == Shape::scalar && !p.scalar()) {
      fail(r, Message("parameter ", k + 1, " of ", d->name, " has ", p.elements.size(),
                      " elements, and has to be one number"));
    }
    sizes.push_back(p.elements.size());
    NodeParameter& parameter = spec.parameters.emplace_back();
    for (const Element& e : p.elements) parameter.slots.push_back(operations_.slot_of(e));
    if (p.dimensions.size() == 2) parameter.rows = static_cast<std::uint32_t>(p.dimensions[0]);
  }
  const std::size_t size = value_size(d->id, sizes);
  if (size == 0) fail(r, Message("the parameters of ", d->name, " do not fit each other"));
  ProgramArray& array = tables_.arrays[r.array];
  if (array.open) {
    std::vector<std::size_t> dimensions{size};
    if (d->value == Shape::matrix) {
      const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(size))));
      dimensions = {n, n};
    }
    set_open(array, dimensions);
  }
  const std::size_t count = array.open ? array.size() : r.elements;
  if (count != size) {
    fail(r,
         Message(d->name, " gives ", counted(size, "number"), " for ", counted(count, "element")));
  }
  check_parameters(r, *d, parameters);
  if (d->id == DistributionId::autoregression &&
      !constant({parameters.begin(), parameters.end() - 1})) {
    fail(r, Message(d->name, ": adj, weights and num have to be constants"));
  }
  if (lower != kNothing || upper != kNothing) {
    if (!d->has_cdf && d->id != DistributionId::flat) {
      fail(r, Message(d->name, " cannot be truncated"));
    }
    for (const Slot s : {lower, upper}) {
      if (s != kNothing && graph_.fixed(s) && std::isnan(graph_.initial()[s])) {
        fail(r, "a bound is not a number");
      }
    }
  }
  spec.count = static_cast<std::uint32_t>(count);
  if (d->value == Shape::matrix) {
    spec.rows = static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(count))));
  }
  spec.lower = lower;
  spec.upper = upper;
  spec.name = tables_.name_of(r);
  spec.line = static_cast<std::uint32_t>(r.where().line);
  spec.column = static_cast<std::uint32_t>(r.where().column);
  spec.observed = observed_of(r);
  if (spec.observed.empty()) {
    if (d->id == DistributionId::sum || d->id == DistributionId::rounded) {
      return define_observable(r, *d, parameters);
    }
    if (d->id == DistributionId::log_likelihood) {
      fail(r, "a node with dloglik has to be observed", "give it any value in the data");
    }
  }
  check_values(r, *d, parameters, spec);
  const NodeId id = graph_.add_node(spec);
  const Node& node = graph_.node(id);
  for (std::uint32_t k = 0; k < count; ++k) {
    array.slots[array.open ? k : tables_.elements_of(r)[k]] = node.first + k;
  }
  if (node.observed && fixed_parameters(graph_, node) &&
      log_density_of(graph_, node, graph_.initial().data()) ==
          -std::numeric_limits<double>::infinity()) {
    fail(r, fmt::format("the observed value {} is impossible: the density of {} is 0 there",
                        fmt::join(spec.observed, ", "), d->name));
  }
  if (r.draw->truncation && r.draw->truncation->interval && !constant(parameters)) {
    censored_.emplace_back(&r - tables_.relations.data(), id);
  }
}

void BlockCompiler::define_observable(const Relation& r, const Distribution& d,
                                      const std::vector<Value>& parameters) {
  ProgramArray& array = tables_.arrays[r.array];
  const std::size_t count = array.open ? array.size() : r.elements;
  for (std::size_t k = 0; k < count; ++k) {
    Element value;
    if (d.id == DistributionId::sum) {
      std::vector<Element> terms;
      for (const Value& p : parameters) terms.push_back(p.elements[k]);
      value = operations_.apply(Function::sum, terms);
    } else {
      const Element scale =
          operations_.apply(Function::power, {Element{10}, parameters[1].elements[0]});
      const Element scaled =
          operations_.apply(Function::multiply, {parameters[0].elements[0], scale});
      value = operations_.apply(Function::divide,
                                {operations_.apply(Function::round, {scaled}), scale});
    }
    array.slots[array.open ? k : tables_.elements_of(r)[k]] = operations_.slot_of(value);
  }
}

// x ~ law I(a, b): x has the law, and dinterval says that it lies between the bounds.
void BlockCompiler::censor(const Relation& r, NodeId id) {
  ExpressionCompiler expressions(tables_, &operations_, tables_.counters_of(r));
  bool missing = false;
  const Slot lower = bound(r.draw->truncation->lower, expressions, missing);
  const Slot upper = bound(r.draw->truncation->upper, expressions, missing);
  if (lower == kNothing && upper == kNothing) return;
  const Node node = graph_.node(id);
  const auto is_fixed = [&](Slot s) { return s != kNothing && graph_.fixed(s); };
  if (is_fixed(lower) && is_fixed(upper) && graph_.initial()[lower] > graph_.initial()[upper]) {
    fail(r,
         fmt::format("the lower bound {} is above the upper bound {}", graph_.initial()[lower],
                     graph_.initial()[upper]),
         "write the smaller one first");
  }
  if (node.count != 1) fail(r, "an array cannot be censored");
  const auto number = [&](Slot s) {
    return graph_.fixed(s) ? Element{graph_.initial()[s]} : Element{0, s};
  };
  NodeSpec spec{DistributionId::interval};
  NodeParameter cuts;
  if (lower != kNothing) {
    // A whole number may be the bound, and is above the cut point.
    const double below = distribution(node.distribution).discrete ? 1e-9 : 0;
    cuts.slots.push_back(operations_.slot_of(
        operations_.apply(Function::subtract, {number(lower), Element{below}})));
  }
  if (upper != kNothing) cuts.slots.push_back(upper);
  spec.parameters = {{{node.first}}, std::move(cuts)};
  spec.observed = {lower == kNothing ? 0.0 : 1.0};
  spec.name = tables_.name_of(r) + " I(,)";
  spec.line = node.line;
  spec.column = node.column;
  const Node& interval = graph_.node(graph_.add_node(spec));
  if (fixed_parameters(graph_, interval) &&
      log_density_of(graph_, interval, graph_.initial().data()) != 0) {
    fail(r, "an observed value is outside its bounds");
  }
}

void BlockCompiler::name_arrays() {
  for (const ProgramArray& array : tables_.arrays) {
    NamedArray named{array.dimensions, array.slots};
    for (std::size_t k = 0; k < named.slots.size(); ++k) {
      if (named.slots[k] == kNothing && array.has_data(k)) {
        named.slots[k] = graph_.add_constant(array.data->values[k]);
      }
    }
    graph_.add_array(array.name, std::move(named));
  }
}

std::string file_of(const std::vector<Statement>& block) {
  if (block.empty()) return {};
  return std::visit([](const auto& statement) { return statement.where.file; }, block.front());
}

// data { }: drawn once, and data then.
Arrays complete(const Program& program, const Arrays& data, std::uint64_t seed,
                const CompileLimits& limits) {
  const std::string file = file_of(program.data);
  BlockCompiler block(program.declarations, program.data, data, limits);
  block.run();
  ModelGraph& graph = block.graph();
  graph.finish();
  std::vector<double> values = graph.initial();
  Random random(seed ^ 0x5DA7ABu);
  for (const Step& step : graph.forward()) {
    if (step.is_node) {
      if (!draw_node(graph, graph.node(step.id), values.data(), random)) {
        const Node& n = graph.node(step.id);
        throw InputError({file, n.line, n.column},
                         "a node of data { } cannot be drawn: its parameters are not allowed",
                         graph.name(step.id), "");
      }
    } else {
      graph.evaluate(step.id, values.data());
    }
  }
  Arrays all = data;
  for (const ProgramArray& array : block.tables().arrays) {
    if (array.slots.empty()) continue;
    Array made{array.dimensions, {}};
    bool known = array.data != nullptr;
    for (std::size_t k = 0; k < array.size(); ++k) {
      const bool given = array.has_data(k);
      made.values.push_back(given                        ? array.data->values[k]
                            : array.slots[k] != kNothing ? values[array.slots[k]]
                                                         : NAN);
      known = known || array.slots[k] != kNothing;
    }
    if (known) all.insert_or_assign(array.name, std::move(made));
  }
  return all;
}

// dflat is no distribution where no data follows.
void check_flat(const ModelGraph& graph) {
  for (const NodeId id : graph.predicted()) {
    if (graph.node(id).distribution != DistributionId::flat) continue;
    throw InputError(graph.where(id),
                     "dflat is improper, and no observed node depends on this one: it has no "
                     "posterior",
                     graph.name(id), "observe what depends on it, or take dunif or dnorm");
  }
}

// Names of arrays in the statements, without those on the left.
void note_names(const Expression& e, std::set<std::string>& names) {
  if (e.kind == ExpressionKind::name) names.insert(e.name);
  for (const Expression& a : e.arguments) note_names(a, names);
}

void note_names(const std::vector<Statement>& block, std::set<std::string>& names) {
  for (const Statement& statement : block) {
    if (const auto* draw = std::get_if<Draw>(&statement)) {
      note_names(draw->target, names);
      for (const Expression& e : draw->parameters) note_names(e, names);
      if (draw->truncation && draw->truncation->lower) note_names(*draw->truncation->lower, names);
      if (draw->truncation && draw->truncation->upper) note_names(*draw->truncation->upper, names);
    } else if (const auto* definition = std::get_if<Definition>(&statement)) {
      note_names(definition->target, names);
      note_names(definition->value, names);
    } else {
      const Loop& loop = std::get<Loop>(statement);
      note_names(loop.range, names);
      note_names(loop.body, names);
    }
  }
}

}  // namespace

CompiledModel compile(const Program& program, const Arrays& data, std::uint64_t seed,
                      const CompileLimits& limits) {
  CompiledModel model;
  std::set<std::string> used;
  note_names(program.data, used);
  note_names(program.model, used);
  for (const Declaration& d : program.declarations) {
    for (const Expression& e : d.dimensions) note_names(e, used);
  }
  for (const auto& [name, values] : data) {
    if (!used.contains(name))
      model.warnings.push_back("the program does not use the data of " + in_quotes(name));
  }
  const Arrays all = program.data.empty() ? data : complete(program, data, seed, limits);
  BlockCompiler block(program.declarations, program.model, all, limits);
  block.run();
  block.name_arrays();
  model.graph = std::move(block.graph());
  model.graph.set_file(file_of(program.model));
  model.graph.finish();
  check_flat(model.graph);
  return model;
}

}  // namespace croft::bugs
