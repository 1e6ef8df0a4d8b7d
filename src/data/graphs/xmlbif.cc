#include "croft/core/error.h"
#include "data/graphs/network_builder.h"
#include "data/graphs/xml_tree.h"

namespace croft {
namespace {

NodeKind kind_of(const XmlElement& variable) {
  const std::string* type = variable.attribute("TYPE");
  if (type == nullptr || *type == "nature") return NodeKind::chance;
  if (*type == "decision") return NodeKind::decision;
  if (*type == "utility") return NodeKind::utility;
  throw InputError(variable.where, "a variable of a type that is not supported", *type,
                   "there are nature, decision and utility");
}

void read_variable(const XmlElement& element, NetworkBuilder& builder) {
  NetworkNode node{.name = std::string(xml_trimmed(element.need_child("NAME").text)),
                   .kind = kind_of(element)};
  node.where = element.where;
  for (const XmlElement& each : element.children) {
    if (each.name == "OUTCOME" || each.name == "VALUE") {
      if (node.kind != NodeKind::utility) node.states.emplace_back(xml_trimmed(each.text));
    } else if (each.name == "PROPERTY") {
      if (const auto at = place_of_property(each.text)) node.place = at;
    } else if (each.name != "NAME") {
      throw InputError(each.where, "an element that a VARIABLE does not have", each.name, "");
    }
  }
  builder.add(std::move(node));
}

void read_definition(const XmlElement& element, NetworkBuilder& builder) {
  std::optional<std::size_t> node;
  std::vector<std::size_t> parents;
  std::vector<double> numbers;
  for (const XmlElement& each : element.children) {
    const auto named = [&] { return builder.find(xml_trimmed(each.text), each.where); };
    if (each.name == "FOR") {
      if (node) throw InputError(each.where, "a definition of two variables", each.text, "");
      node = named();
    } else if (each.name == "GIVEN") {
      parents.push_back(named());
    } else if (each.name == "TABLE") {
      numbers = numbers_in(each.text, each.where);
    } else if (each.name != "PROPERTY") {
      throw InputError(each.where, "an element that a DEFINITION does not have", each.name, "");
    }
  }
  if (!node) element.need_child("FOR");
  builder.define(*node, std::move(parents), numbers, element.where);
}

}  // namespace

GraphFile read_xmlbif(LineReader lines) {
  const std::string file = lines.name();
  const XmlElement root = read_xml(std::move(lines));
  if (root.name != "BIF") {
    throw InputError(root.where, "XMLBIF begins with the element BIF", root.name, "");
  }
  const XmlElement& network = root.need_child("NETWORK");
  NetworkBuilder builder;
  for (const XmlElement& each : network.children) {
    if (each.name == "VARIABLE") read_variable(each, builder);
  }
  for (const XmlElement& each : network.children) {
    if (each.name == "DEFINITION" || each.name == "PROBABILITY") {
      read_definition(each, builder);
    } else if (each.name != "VARIABLE" && each.name != "NAME" && each.name != "PROPERTY") {
      throw InputError(each.where, "an element that a NETWORK does not have", each.name, "");
    }
  }
  return std::move(builder).finish(file);
}

}  // namespace croft
