#include "data/graphs/slice_file.h"

#include <algorithm>
#include <map>
#include <optional>

#include "croft/core/error.h"

namespace croft {
namespace {

// Two slices on their way to one.
class SliceSplitter {
 public:
  SliceSplitter(const GraphFile& two, const SliceEndings& endings) : two_(two), endings_(endings) {
    if (!two.directed || !two.decisions.empty() || two.names.variables.empty()) {
      throw UsageError(
          "a network of two slices is a Bayesian network whose variables have names, without "
          "decisions");
    }
    find_variables();
    find_interface();
  }

  SliceFile split() {
    for (const Variable v : first_) {
      const std::size_t states = two_.graph.states(v);
      out_.net.first.add_variable(states);
      out_.net.next.add_variable(states);
      out_.names.states.push_back(two_.names.states[v]);
    }
    for (const Variable v : out_.net.interface) {
      out_.net.next.add_variable(two_.graph.states(first_[v]));
    }
    for (Factor f = 0; f < two_.graph.factors(); ++f) add_factor(f);
    out_.net.check();
    return std::move(out_);
  }

 private:
  struct Place {
    Variable variable = 0;  // of a slice
    bool later = false;
  };

  // Whose name it is without the ending; the longer of two endings that fit.
  std::optional<std::string> base_of(const std::string& name, bool later) const {
    const std::string& own = later ? endings_.next : endings_.first;
    const std::string& other = later ? endings_.first : endings_.next;
    if (!name.ends_with(own) || name.size() == own.size()) return {};
    if (other.size() > own.size() && name.ends_with(other) && name.size() > other.size()) return {};
    return name.substr(0, name.size() - own.size());
  }

  void find_variables() {
    std::map<std::string, Variable> of_next;
    place_.resize(two_.graph.variables());
    for (Variable v = 0; v < place_.size(); ++v) {
      const std::string& name = two_.names.variables[v];
      if (const auto base = base_of(name, true)) {
        of_next.emplace(*base, v);
      } else if (const auto first = base_of(name, false)) {
        place_[v].variable = static_cast<Variable>(first_.size());
        first_.push_back(v);
        out_.names.variables.push_back(*first);
      } else {
        throw UsageError("variable ", in_quotes(name), " ends in neither ",
                         in_quotes(endings_.first), " nor ", in_quotes(endings_.next),
                         ", and is in neither slice; --slice-endings names others");
      }
    }
    for (Variable k = 0; k < first_.size(); ++k) {
      const std::string& base = out_.names.variables[k];
      const auto found = of_next.find(base);
      if (found == of_next.end()) fail_alone(base + endings_.first, base + endings_.next);
      place_[found->second] = {k, true};
      if (two_.names.states[found->second] != two_.names.states[first_[k]]) {
        throw UsageError("variables ", in_quotes(two_.names.variables[first_[k]]), " and ",
                         in_quotes(two_.names.variables[found->second]),
                         " are one in two slices, and must have the same states in one order");
      }
      of_next.erase(found);
    }
    if (of_next.empty()) return;
    const std::string& base = of_next.begin()->first;
    fail_alone(base + endings_.next, base + endings_.first);
  }

  [[noreturn]] static void fail_alone(const std::string& there, const std::string& missing) {
    throw UsageError("variable ", in_quotes(there), " is in one slice, and there is no ",
                     in_quotes(missing), " in the other");
  }

  void find_interface() {
    std::vector<bool> in(first_.size(), false);
    for (Factor f = 0; f < two_.graph.factors(); ++f) {
      const auto scope = two_.graph.scope(f);
      const Place child = place_[scope.back()];
      for (const Variable v : scope) {
        if (place_[v].later == child.later) continue;
        if (!child.later) {
          throw UsageError("variable ", in_quotes(two_.names.variables[scope.back()]),
                           " of the first slice depends on ", in_quotes(two_.names.variables[v]),
                           " of the next one");
        }
        in[place_[v].variable] = true;
      }
    }
    before_.resize(first_.size());
    for (Variable k = 0; k < in.size(); ++k) {
      if (!in[k]) continue;
      before_[k] = static_cast<Variable>(first_.size() + out_.net.interface.size());
      out_.net.interface.push_back(k);
    }
    if (out_.net.interface.empty()) {
      throw UsageError(
          "no variable of the next slice depends on the first: rows are cases of their own, which "
          "croft predict and croft evaluate take");
    }
  }

  void add_factor(Factor f) {
    const bool later = place_[two_.graph.scope(f).back()].later;
    FactorGraph& graph = later ? out_.net.next : out_.net.first;
    std::vector<Variable> scope;
    for (const Variable v : two_.graph.scope(f)) {
      const Place at = place_[v];
      scope.push_back(later && !at.later ? before_[at.variable] : at.variable);
    }
    graph.add_factor(scope, graph.add_copy(two_.graph, two_.graph.potential_of(f)));
  }

  const GraphFile& two_;
  const SliceEndings& endings_;
  std::vector<Place> place_;      // [variables of both]
  std::vector<Variable> first_;   // [n] in the file
  std::vector<Variable> before_;  // [n] as a part of the interface
  SliceFile out_;
};

}  // namespace

SliceEndings SliceEndings::read(std::string_view text) {
  const std::size_t comma = text.find(',');
  SliceEndings out{std::string(text.substr(0, comma)),
                   comma == text.npos ? "" : std::string(text.substr(comma + 1))};
  if (comma == text.npos || out.first == out.next || out.next.find(',') != out.next.npos) {
    throw UsageError("--slice-endings are two with a comma between them, as in _0,_1, not ",
                     in_quotes(text));
  }
  return out;
}

GraphFile SliceFile::slice() const {
  GraphFile out;
  out.graph = net.first;
  out.directed = true;
  out.names = names;
  return out;
}

SliceFile slice_file(const GraphFile& two, const SliceEndings& endings) {
  return SliceSplitter(two, endings).split();
}

double unrolled_bytes(const SliceFile& file) {
  double bytes = 0;
  for (const auto& states : file.names.states) {
    bytes += 2 * sizeof(std::string) + sizeof(std::vector<std::string>) + 32;
    bytes += static_cast<double>(states.size() * sizeof(std::string));
  }
  for (Factor f = 0; f < file.net.next.factors(); ++f) {
    bytes += 64 + 8 * static_cast<double>(file.net.next.scope(f).size());
  }
  return bytes;
}

GraphFile unrolled(const SliceFile& file, std::size_t slices) {
  GraphFile out;
  out.graph = unroll(file.net, slices);
  out.directed = true;
  for (std::size_t t = 0; t < slices; ++t) {
    for (const std::string& name : file.names.variables) {
      out.names.variables.push_back(name + "_" + std::to_string(t));
    }
    out.names.states.insert(out.names.states.end(), file.names.states.begin(),
                            file.names.states.end());
  }
  return out;
}

}  // namespace croft
