#include <algorithm>
#include <cmath>

#include "croft/core/error.h"
#include "data/graphs/network_builder.h"
#include "data/graphs/xml_tree.h"

namespace croft {
namespace {

// Numbers as deterministic nodes and noisy-MAX have them: whole, below `limit`.
std::vector<std::size_t> indices_in(const XmlElement& element, std::size_t limit) {
  std::vector<std::size_t> indices;
  for (const double each : numbers_in(element.text, element.where)) {
    if (each < 0 || each >= static_cast<double>(limit) || each != std::floor(each)) {
      throw InputError(element.where, "a number that counts from 0 is no such number, or too large",
                       std::to_string(each), "");
    }
    indices.push_back(static_cast<std::size_t>(each));
  }
  return indices;
}

class XdslReader {
 public:
  GraphFile read(const std::string& file, const XmlElement& root) {
    if (root.name != "smile") {
      throw InputError(root.where, "an .xdsl file begins with the element smile", root.name, "");
    }
    const XmlElement& nodes = root.need_child("nodes");
    for (const XmlElement& each : nodes.children) add_node(each);
    for (const XmlElement& each : nodes.children) {
      if (each.name == "mau") add_sum(each);
    }
    for (const XmlElement& each : nodes.children) define_node(each);
    if (root.child("dynamic") != nullptr) {
      throw InputError(root.child("dynamic")->where, "a dynamic network", "dynamic",
                       "unroll it first");
    }
    read_places(root);
    return std::move(builder_).finish(file);
  }

 private:
  void add_node(const XmlElement& element) {
    const auto add = [&](NodeKind kind) {
      NetworkNode node{.name = element.need_attribute("id"), .kind = kind};
      node.where = element.where;
      if (kind != NodeKind::utility) {
        for (const XmlElement& each : element.children) {
          if (each.name == "state") node.states.push_back(each.need_attribute("id"));
        }
      }
      builder_.add(std::move(node));
    };
    if (element.name == "cpt" || element.name == "deterministic" || element.name == "noisymax") {
      add(NodeKind::chance);
    } else if (element.name == "decision") {
      add(NodeKind::decision);
    } else if (element.name == "utility") {
      add(NodeKind::utility);
    } else if (element.name != "mau") {
      throw InputError(element.where, "a node of a kind that is not supported", element.name,
                       "there are cpt, deterministic, noisymax, decision, utility and mau");
    }
  }

  std::vector<std::size_t> parents_of(const XmlElement& element) const {
    std::vector<std::size_t> parents;
    if (const XmlElement* list = element.child("parents")) {
      for (const std::string& each : words_in(list->text)) {
        parents.push_back(builder_.find(each, list->where));
      }
    }
    return parents;
  }

  void define_node(const XmlElement& element) {
    if (element.name == "mau") return;
    const std::string& name = element.need_attribute("id");
    const std::size_t n = builder_.find(name, element.where);
    std::vector<std::size_t> parents = parents_of(element);
    std::vector<double> numbers;
    Location where = element.where;
    const auto read = [&](std::string_view list) {
      const XmlElement& found = element.need_child(list);
      where = found.where;
      return numbers_in(found.text, where);
    };
    if (element.name == "cpt") {
      numbers = read("probabilities");
    } else if (element.name == "utility") {
      numbers = read("utilities");
      const auto weight = weight_.find(name);
      for (double& each : numbers) each *= weight == weight_.end() ? 1 : weight->second;
    } else if (element.name == "deterministic") {
      numbers = deterministic(element, n);
    } else if (element.name == "noisymax") {
      numbers = noisy_max(element, n, parents);
    }
    builder_.define(n, std::move(parents), numbers, where);
  }

  std::vector<double> deterministic(const XmlElement& element, std::size_t n) const {
    const XmlElement& list = element.need_child("resultingstates");
    const std::vector<std::string>& states = builder_.node(n).states;
    std::vector<double> numbers;
    for (const std::string& each : words_in(list.text)) {
      const auto at = std::ranges::find(states, each);
      if (at == states.end()) {
        throw InputError(list.where, "no state of " + builder_.node(n).name, each, "");
      }
      for (const std::string& state : states) numbers.push_back(state == *at ? 1 : 0);
    }
    return numbers;
  }

  // (NM) p(Y no stronger than y | x) = product over the parents of p(Y_i no stronger than y | x_i),
  // and of the leak.  States of a node go from the strongest to the weakest.
  std::vector<double> noisy_max(const XmlElement& element, std::size_t n,
                                const std::vector<std::size_t>& parents) {
    const std::size_t own = builder_.node(n).states.size();
    std::vector<std::size_t> scope = parents;
    scope.push_back(n);
    const std::uint64_t size = builder_.joint_states(scope);
    if (size > kMostNoisy) {
      throw InputError(element.where, "a noisy-MAX node whose table has more than 2^24 numbers",
                       builder_.node(n).name, "");
    }
    const auto tails = tails_of(element, n, parents);
    std::vector<double> numbers(size);
    std::vector<std::size_t> at(parents.size(), 0);
    for (std::size_t row = 0; row < numbers.size(); row += own) {
      double stronger = 0;
      for (std::size_t y = own; y-- > 0;) {
        double weaker = tails.back()[y];  // of the leak
        for (std::size_t i = 0; i < parents.size(); ++i) weaker *= tails[i][at[i] * own + y];
        numbers[row + y] = std::max(0.0, weaker - stronger);
        stronger = weaker;
      }
      for (std::size_t i = parents.size(); i-- > 0;) {
        if (++at[i] < builder_.node(parents[i]).states.size()) break;
        at[i] = 0;
      }
    }
    return numbers;
  }

  // p(Y_i no stronger than y | x_i): [parents, then the leak][states of the parent x own states].
  std::vector<std::vector<double>> tails_of(const XmlElement& element, std::size_t n,
                                            const std::vector<std::size_t>& parents) {
    const std::size_t own = builder_.node(n).states.size();
    const XmlElement& list = element.need_child("parameters");
    const std::vector<double> all = numbers_in(list.text, list.where);
    std::size_t columns = 1;
    for (const std::size_t each : parents) columns += builder_.node(each).states.size();
    if (all.size() != columns * own) {
      throw InputError(list.where,
                       "parameters of noisy-MAX " + builder_.node(n).name + " should be " +
                           std::to_string(columns * own) + " numbers, and are",
                       std::to_string(all.size()), "");
    }
    std::vector<std::vector<double>> tails;
    const double* from = all.data();
    const std::vector<std::size_t> strength = strengths_of(element, columns - 1);
    std::size_t first = 0;  // of the parent's strengths
    for (const std::size_t each : parents) {
      const std::size_t states = builder_.node(each).states.size();
      const std::span order = std::span(strength).subspan(first, states);
      tails.push_back(in_order_of_states({from, states * own}, order, own, list, each));
      from += states * own;
      first += states;
    }
    tails.emplace_back(from, from + own);
    for (std::vector<double>& each : tails) {
      for (std::size_t column = 0; column < each.size(); column += own) {
        const std::span<double> row = std::span(each).subspan(column, own);
        if (!std::ranges::all_of(row, [](double p) { return p >= 0; })) {
          throw InputError(list.where, "a parameter of noisy-MAX is below 0", "", "");
        }
        builder_.rounded().normalise(row, "noisy-MAX " + builder_.node(n).name, list.where);
        for (std::size_t y = own - 1; y-- > 0;) row[y] += row[y + 1];
      }
    }
    return tails;
  }

  std::vector<std::size_t> strengths_of(const XmlElement& element, std::size_t count) const {
    const XmlElement* list = element.child("strengths");
    if (list == nullptr && count == 0) return {};
    if (list == nullptr) element.need_child("strengths");
    std::vector<std::size_t> strengths = indices_in(*list, count);
    if (strengths.size() == count) return strengths;
    throw InputError(list->where, "strengths should be as many as states of the parents",
                     std::to_string(strengths.size()), "");
  }

  // Columns of a parent by its states.  The column of its weakest state is 0 … 0 1, which says
  // whether the file has them by state or by strength.
  std::vector<double> in_order_of_states(std::span<const double> columns,
                                         std::span<const std::size_t> order, std::size_t own,
                                         const XmlElement& list, std::size_t parent) const {
    std::vector<bool> seen(order.size(), false);
    for (const std::size_t each : order) {
      if (each >= order.size() || seen[each]) {
        throw InputError(list.where, "strengths are no order of the states of a parent",
                         builder_.node(parent).name, "");
      }
      seen[each] = true;
    }
    const auto is_weakest = [&](std::size_t column) {
      return columns[column * own + own - 1] == 1 &&
             std::ranges::all_of(columns.subspan(column * own, own - 1),
                                 [](double p) { return p == 0; });
    };
    if (is_weakest(order.back())) return {columns.begin(), columns.end()};
    if (!is_weakest(order.size() - 1)) {
      throw InputError(list.where,
                       "the weakest state of a parent of noisy-MAX should have parameters 0 … 0 1",
                       builder_.node(parent).name, "");
    }
    std::vector<double> sorted(columns.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      std::ranges::copy(columns.subspan(k * own, own),
                        sorted.begin() + static_cast<std::ptrdiff_t>(order[k] * own));
    }
    return sorted;
  }

  // A sum multiplies the weights of what it adds up; a sum in no other one has weight 1.
  void add_sum(const XmlElement& element) {
    if (element.child("expression") != nullptr || element.child("expressions") != nullptr) {
      throw InputError(element.where, "utilities by expressions are not supported",
                       element.need_attribute("id"), "");
    }
    const XmlElement& list = element.need_child("parents");
    const XmlElement& given = element.need_child("weights");
    const std::vector<std::string> parents = words_in(list.text);
    const std::vector<double> weights = numbers_in(given.text, given.where);
    if (parents.size() != weights.size()) {
      throw InputError(given.where, "weights should be as many as parents",
                       std::to_string(weights.size()), "");
    }
    for (std::size_t k = 0; k < parents.size(); ++k) {
      const bool known =
          builder_.node(builder_.find(parents[k], list.where)).kind == NodeKind::utility;
      if (!known || !weight_.emplace(parents[k], weights[k]).second) {
        throw InputError(list.where, "a sum is over utilities, each of them in one sum", parents[k],
                         "sums of sums are not supported");
      }
    }
  }

  // Of GeNIe's extension: left, top, right, bottom of each node.
  void read_places(const XmlElement& root) {
    const XmlElement* extensions = root.child("extensions");
    const XmlElement* genie = extensions == nullptr ? nullptr : extensions->child("genie");
    if (genie == nullptr) return;
    take_places(*genie);
  }
  void take_places(const XmlElement& parent) {
    for (const XmlElement& each : parent.children) {
      if (each.name == "submodel") take_places(each);
      const XmlElement* position = each.child("position");
      const std::string* id = each.attribute("id");
      if (each.name != "node" || position == nullptr || id == nullptr) continue;
      const std::vector<double> box = numbers_in(position->text, position->where);
      if (box.size() != 4 || !builder_.has(*id)) continue;
      builder_.place(builder_.find(*id, each.where),
                     {(box[0] + box[2]) / 2, (box[1] + box[3]) / 2});
    }
  }

  static constexpr std::uint64_t kMostNoisy = std::uint64_t{1} << 24;

  NetworkBuilder builder_;
  std::map<std::string, double> weight_;  // of utilities in a sum
};

}  // namespace

GraphFile read_xdsl(LineReader lines) {
  const std::string file = lines.name();
  const XmlElement root = read_xml(std::move(lines));
  return XdslReader().read(file, root);
}

}  // namespace croft
