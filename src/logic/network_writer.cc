#include "logic/network_writer.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "logic/internal_names.h"

namespace croft {
namespace {

bool is_plain(std::string_view name) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name[0] >= 'a' && name[0] <= 'z') &&
         std::all_of(name.begin(), name.end(), is_word);
}

std::string constant_text(std::string_view name) {
  if (is_plain(name)) return std::string(name);
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

class NetworkWriter {
 public:
  explicit NetworkWriter(const LogicNetwork& network) : network_(network) {}

  std::string write() {
    types();
    for (std::uint32_t p = 0; p < network_.predicates.size(); ++p) predicate(p);
    for (std::uint32_t f = 0; f < network_.functions.size(); ++f) {
      const LogicFunction& function = network_.functions[f];
      out_ += network_.type_names[function.result] + " " + network_.function_names[f] +
              arguments(function.types, {}) + "\n";
    }
    for (const LogicRule& rule : network_.rules) write_rule(rule);
    return std::move(out_);
  }

 private:
  // Types of arguments of which nothing was said have names that no file has.
  bool is_named(std::uint32_t type) const {
    return network_.type_names[type].find(' ') == std::string::npos;
  }

  void types() {
    for (std::uint32_t t = 0; t < network_.types.size(); ++t) {
      if (network_.types[t].size() == 0 || !is_named(t)) continue;
      out_ += network_.type_names[t] + " = {";
      for (std::uint32_t c = 0; c < network_.types[t].size(); ++c) {
        out_ += (c == 0 ? "" : ", ") + constant_text(network_.types[t][c]);
      }
      out_ += "}\n";
    }
  }

  std::string arguments(const std::vector<std::uint32_t>& types,
                        const std::vector<ArgumentMark>& marks) const {
    std::string out;
    for (std::size_t i = 0; i < types.size(); ++i) {
      out += (i == 0 ? "(" : ", ") + network_.type_names[types[i]];
      if (marks.empty() || marks[i] == ArgumentMark::none) continue;
      out += marks[i] == ArgumentMark::exactly_one ? "!" : "!?";
    }
    return types.empty() ? out : out + ")";
  }

  void predicate(std::uint32_t p) {
    const LogicPredicate& predicate = network_.predicates[p];
    for (const std::uint32_t type : predicate.types) {
      if (!is_named(type)) return;  // its types follow from the rules again
    }
    out_ += (predicate.closed ? "*" : "") + network_.predicate_names[p] +
            arguments(predicate.types, predicate.marks) + "\n";
  }

  // ?X of pracmln's files is xX here, so that it is no constant.
  std::string variable(std::uint32_t number) const {
    std::string name = rule_->variables[number].name;
    const auto is_taken = [&] {
      return std::ranges::any_of(rule_->variables, [&](const RuleVariable& other) {
        return &other != &rule_->variables[number] && other.name == name;
      });
    };
    while (!begins_lower(name) || (name != rule_->variables[number].name && is_taken())) {
      name.insert(0, "x");
    }
    return name;
  }

  void write_rule(const LogicRule& rule) {
    rule_ = &rule;
    if (!rule.unique.empty()) {
      out_ += "#unique{";
      for (const std::uint32_t v : rule.unique) {
        out_ += (out_.back() == '{' ? "+" : ", +") + variable(v);
      }
      out_ += "}\n";
    }
    if (rule.fixed) out_ += "#fixweight\n";
    if (!rule.hard && rule.weighted) {
      char digits[32];
      const auto end = std::to_chars(digits, digits + sizeof digits, rule.weight);
      out_.append(digits, end.ptr);
      out_ += "  ";
    }
    out_ += rule.whole ? "[" + formula(rule.formula) + "]" : formula(rule.formula);
    out_ += rule.hard ? ".\n" : "\n";
  }

  std::string joined(const std::vector<Formula>& parts, const char* sign) const {
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      out += (i == 0 ? std::string("(") : std::string(" ") + sign + " ") + formula(parts[i]);
    }
    return out + ")";
  }

  std::string formula(const Formula& f) const {
    switch (f.kind) {
      case FormulaKind::negation:
        return "!" + formula(f.parts[0]);
      case FormulaKind::all:
        return joined(f.parts, "^");
      case FormulaKind::any:
        return joined(f.parts, "v");
      case FormulaKind::equivalence:
        return joined(f.parts, "<=>");
      case FormulaKind::exists:
        return quantified("EXIST ", f);
      case FormulaKind::forall:
        return quantified("FORALL ", f);
      case FormulaKind::atom:
        return network_.predicate_names[f.number] +
               (f.terms.empty() ? "" : "(" + list(f.terms) + ")");
      case FormulaKind::equal:
        return "(" + term(f.terms[0]) + " = " + term(f.terms[1]) + ")";
      case FormulaKind::less:
        return "(" + term(f.terms[0]) + " < " + term(f.terms[1]) + ")";
      case FormulaKind::less_equal:
        return "(" + term(f.terms[0]) + " <= " + term(f.terms[1]) + ")";
      case FormulaKind::substring:
        break;
    }
    return "substr(" + list(f.terms) + ")";
  }

  std::string quantified(const char* word, const Formula& f) const {
    std::string out = std::string("(") + word;
    for (std::size_t i = 0; i < f.variables.size(); ++i) {
      out += (i == 0 ? "" : ", ") + variable(f.variables[i]);
    }
    return out + " " + formula(f.parts[0]) + ")";
  }

  std::string list(const std::vector<Term>& terms) const {
    std::string out;
    for (const Term& each : terms) out += (out.empty() ? "" : ", ") + term(each);
    return out;
  }

  std::string term(const Term& t) const {
    if (t.kind == TermKind::constant) return constant_text(network_.constants[t.number]);
    if (t.kind == TermKind::variable) {
      return (rule_->variables[t.number].each ? "+" : "") + variable(t.number);
    }
    if (t.kind == TermKind::function) {
      return network_.function_names[t.number] + "(" + list(t.arguments) + ")";
    }
    for (const InternalFunction& each : kInternalFunctions) {
      if (each.operation == t.operation)
        return std::string(each.name) + "(" + list(t.arguments) + ")";
    }
    return "";
  }

  const LogicNetwork& network_;
  const LogicRule* rule_ = nullptr;
  std::string out_;
};

}  // namespace

std::string write_network(const LogicNetwork& network) { return NetworkWriter(network).write(); }

}  // namespace croft
