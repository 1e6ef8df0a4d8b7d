#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "bugs/language/program_writer.h"
#include "bugs/picture/plates.h"

namespace croft::bugs {
namespace {

// x[1,] and x[2,] are apart; x[i] and x[1] may be the same.
bool may_be_same(const Expression& a, const Expression& b) {
  if (a.arguments.size() != b.arguments.size()) return true;
  for (std::size_t k = 0; k < a.arguments.size(); ++k) {
    if (a.arguments[k].kind == ExpressionKind::number &&
        b.arguments[k].kind == ExpressionKind::number &&
        a.arguments[k].number != b.arguments[k].number) {
      return false;
    }
  }
  return true;
}

class PlateBuilder {
 public:
  explicit PlateBuilder(const Arrays& data) : data_(data) {
    out_.plates.push_back({.label = "", .parent = 0});
  }

  PlateModel build(const Program& program) {
    name_data(program.data);
    walk(program.model, 0);
    connect();
    return std::move(out_);
  }

 private:
  struct Relation {
    std::size_t node;
    std::vector<std::pair<const Expression*, std::size_t>> right;  // names, with the plate
  };

  // What data { } computes is data to the model.
  void name_data(const std::vector<Statement>& statements) {
    for (const Statement& each : statements) {
      if (const auto* const draw = std::get_if<Draw>(&each)) {
        computed_.insert(draw->target.name);
      } else if (const auto* const definition = std::get_if<Definition>(&each)) {
        computed_.insert(definition->target.name);
      } else {
        name_data(std::get<Loop>(each).body);
      }
    }
  }

  void walk(const std::vector<Statement>& statements, std::size_t plate) {
    for (const Statement& each : statements) {
      if (const auto* const draw = std::get_if<Draw>(&each)) {
        std::string text = text_of(draw->target) + " ~ " + draw->distribution + "(";
        for (std::size_t k = 0; k < draw->parameters.size(); ++k) {
          text += (k == 0 ? "" : ", ") + text_of(draw->parameters[k]);
        }
        text += ")";
        if (draw->truncation) text += draw->truncation->interval ? " I(…)" : " T(…)";
        Relation relation = relation_of(draw->target, text, PlateNodeKind::stochastic, plate);
        for (const Expression& each_parameter : draw->parameters) {
          collect(each_parameter, plate, relation);
        }
        if (draw->truncation && draw->truncation->lower) {
          collect(*draw->truncation->lower, plate, relation);
        }
        if (draw->truncation && draw->truncation->upper) {
          collect(*draw->truncation->upper, plate, relation);
        }
        relations_.push_back(std::move(relation));
      } else if (const auto* const definition = std::get_if<Definition>(&each)) {
        std::string left = text_of(definition->target);
        if (!definition->link.empty()) left = definition->link + "(" + left + ")";
        Relation relation =
            relation_of(definition->target, left + " <- " + text_of(definition->value),
                        PlateNodeKind::defined, plate);
        collect(definition->value, plate, relation);
        relations_.push_back(std::move(relation));
      } else {
        const Loop& loop = std::get<Loop>(each);
        counters_.push_back(loop.counter);
        walk(loop.body, plate_of(loop, plate));
        counters_.pop_back();
      }
    }
  }

  std::size_t plate_of(const Loop& loop, std::size_t parent) {
    const std::string label = loop.counter + " in " + text_of(loop.range);
    for (std::size_t p = 1; p < out_.plates.size(); ++p) {
      if (out_.plates[p].label == label && out_.plates[p].parent == parent) return p;
    }
    out_.plates.push_back({.label = label, .parent = parent});
    counter_of_.resize(out_.plates.size());
    counter_of_.back() = loop.counter;
    return out_.plates.size() - 1;
  }

  Relation relation_of(const Expression& target, const std::string& text, PlateNodeKind kind,
                       std::size_t plate) {
    const std::string label = text_of(target);
    const auto [place, added] = node_of_.try_emplace({plate, label}, out_.nodes.size());
    if (added) {
      out_.nodes.push_back(
          {.label = label,
           .text = text,
           .kind = kind,
           .observed = data_.contains(target.name) || computed_.contains(target.name),
           .plate = plate});
      targets_.push_back(target);
    } else {
      PlateNode& node = out_.nodes[place->second];
      node.text += "\n" + text;
      // Data that is computed and then drawn.
      if (kind == PlateNodeKind::stochastic) {
        node.observed = node.observed || node.kind == PlateNodeKind::defined;
        node.kind = kind;
      }
    }
    return {.node = place->second, .right = {}};
  }

  // Names in an expression, and in the subscripts of its names, but counters of loops.
  void collect(const Expression& expression, std::size_t plate, Relation& relation) const {
    for (const Expression& each : expression.arguments) collect(each, plate, relation);
    if (expression.kind != ExpressionKind::name) return;
    if (std::find(counters_.begin(), counters_.end(), expression.name) != counters_.end()) return;
    relation.right.emplace_back(&expression, plate);
  }

  void connect() {
    std::map<std::string, std::vector<std::size_t>, std::less<>> by_name;
    for (std::size_t n = 0; n < targets_.size(); ++n) by_name[targets_[n].name].push_back(n);
    std::set<std::pair<std::size_t, std::size_t>> edges;
    for (const Relation& relation : relations_) {
      for (const auto& [name, plate] : relation.right) {
        const auto found = by_name.find(name->name);
        if (found == by_name.end()) {
          edges.emplace(constant_of(*name, plate), relation.node);
          continue;
        }
        const std::string label = text_of(*name);
        const auto same = std::find_if(found->second.begin(), found->second.end(),
                                       [&](std::size_t n) { return out_.nodes[n].label == label; });
        if (same != found->second.end()) {
          edges.emplace(*same, relation.node);
          continue;
        }
        for (const std::size_t n : found->second) {
          if (may_be_same(targets_[n], *name)) edges.emplace(n, relation.node);
        }
      }
    }
    out_.edges.assign(edges.begin(), edges.end());
  }

  // In the innermost plate whose counter is in its subscripts.
  std::size_t constant_of(const Expression& name, std::size_t plate) {
    while (plate != 0 && !uses(name, counter_of_[plate])) plate = out_.plates[plate].parent;
    const std::string label = text_of(name);
    const auto [place, added] = node_of_.try_emplace({plate, label}, out_.nodes.size());
    if (added) {
      out_.nodes.push_back({.label = label,
                            .text = label,
                            .kind = PlateNodeKind::constant,
                            .observed = true,
                            .plate = plate});
    }
    return place->second;
  }

  static bool uses(const Expression& expression, const std::string& counter) {
    return std::any_of(
        expression.arguments.begin(), expression.arguments.end(), [&](const Expression& each) {
          return (each.kind == ExpressionKind::name && each.name == counter) || uses(each, counter);
        });
  }

  const Arrays& data_;
  PlateModel out_;
  std::vector<std::string> counter_of_ = {""};  // [plates]
  std::vector<std::string> counters_;           // of the loops around
  std::vector<Expression> targets_;             // [nodes] of those that a relation has
  std::map<std::pair<std::size_t, std::string>, std::size_t> node_of_;
  std::vector<Relation> relations_;
  std::set<std::string> computed_;  // names that data { } defines
};

}  // namespace

PlateModel plate_model(const Program& program, const Arrays& data) {
  return PlateBuilder(data).build(program);
}

}  // namespace croft::bugs
