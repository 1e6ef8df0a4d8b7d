#include "logic/evidence.h"

#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "core/parse_number.h"
#include "logic/constant_list.h"
#include "logic/internal_names.h"
#include "logic/token_cursor.h"

namespace croft {
namespace {

std::string bytes_of(std::span<const std::uint32_t> tuple) {
  std::string bytes(tuple.size_bytes(), '\0');
  if (!tuple.empty()) std::memcpy(bytes.data(), tuple.data(), tuple.size_bytes());
  return bytes;
}

// What files of facts and of questions share.
class FactParser {
 public:
  FactParser(const LogicNetwork& network, const LogicTokens& tokens)
      : network_(network), at_(tokens) {}

  void facts(LogicEvidence& evidence, const std::function<void()>& check) {
    for (std::size_t i = 1; !at_.at_end(); end_line(), ++i) {
      fact(evidence);
      if (check && i % 4096 == 0) check();
    }
  }

  std::vector<AtomPattern> patterns() {
    std::vector<AtomPattern> out;
    while (!at_.at_end()) {
      AtomPattern pattern{.predicate = predicate(), .constants = {}};
      if (at_.is("(") && !at_.current().first) {
        const LogicToken open = at_.current();
        pattern.constants = arguments(true);
        check_count(open, network_.predicates[pattern.predicate].types.size(),
                    pattern.constants.size());
      }
      out.push_back(std::move(pattern));
      if (!at_.take(",")) end_line();
    }
    return out;
  }

 private:
  bool has_on_line(std::string_view sign, std::size_t ahead) const {
    for (std::size_t i = 1; i <= ahead; ++i) {
      if (at_.peek(i).first) return false;
    }
    return at_.is(sign, ahead);
  }

  void end_line() {
    if (!at_.at_end() && !at_.current().first) {
      at_.fail("this cannot follow an atom", "begin each on a line of its own");
    }
  }

  std::uint32_t predicate() {
    if (!at_.is_word()) at_.fail("the name of a predicate is expected here", "");
    const std::uint32_t number = network_.predicate_names.find(at_.text());
    if (number == kNoNumber) {
      at_.fail("the network has no predicate of this name", "declare it there: Name(type, …)");
    }
    at_.next();
    return number;
  }

  std::string constant(bool variables) {
    const LogicToken& token = at_.current();
    if (at_.is("-") && at_.peek(1).kind == LogicTokenKind::number) {
      at_.next();
      return "-" + at_.take_text();
    }
    if (variables && at_.is_marked_variable()) {
      at_.next();
      at_.next();
      return "";
    }
    if (!network_.question_marks && token.kind == LogicTokenKind::word &&
        begins_lower(token.text)) {
      if (variables) {
        at_.next();
        return "";
      }
      at_.fail("a fact has constants, and this is the name of a variable",
               "put a constant that begins with a small letter between double quotes");
    }
    if (!at_.is_word() && !at_.is_number() && token.kind != LogicTokenKind::quoted) {
      at_.fail("a constant is expected here", "");
    }
    if (token.text.empty()) at_.fail("a constant without a name", "");
    return at_.take_text();
  }

  std::vector<std::string> arguments(bool variables) {
    std::vector<std::string> out;
    at_.expect("(");
    if (at_.take(")")) return out;
    do {
      out.push_back(constant(variables));
    } while (at_.take(","));
    at_.expect(")");
    return out;
  }

  void check_count(const LogicToken& where, std::size_t expected, std::size_t count) {
    if (expected == count) return;
    at_.fail(where, Message("the number of arguments is ", expected, ", and here are ", count), "");
  }

  static std::vector<std::uint32_t> numbers(LogicEvidence& evidence,
                                            const std::vector<std::uint32_t>& types,
                                            const std::vector<std::string>& names) {
    std::vector<std::uint32_t> out(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      out[i] = evidence.types[types[i]].insert(names[i]);
      evidence.constants.insert(names[i]);
    }
    return out;
  }

  void fact(LogicEvidence& evidence) {
    if (at_.is("=", 1) && at_.is("{", 2)) return constants_of_type(evidence);
    if (has_on_line("=", 1) || has_on_line("=", 2)) return function_value(evidence);
    if (at_.is("-") && at_.is("-", 1) && at_.is("-", 2)) {
      at_.fail("a line between databases (---) is not read",
               "write each as a file; for learning give them one by one with --world");
    }
    const LogicToken first = at_.current();
    std::optional<double> probability = take_probability();
    Truth truth = at_.take("!") ? Truth::no : at_.take("?") ? Truth::unknown : Truth::yes;
    if (probability && truth == Truth::no) probability = 1 - *probability;
    if (probability && (*probability == 0 || *probability == 1)) {
      truth = *probability == 0 ? Truth::no : Truth::yes;
      probability.reset();
    }
    const double weight = probability ? std::log(*probability / (1 - *probability)) : 0;
    if (probability) truth = Truth::unknown;
    const std::uint32_t number = predicate();
    const LogicToken open = at_.current();
    const bool has_arguments = at_.is("(") && !open.first;
    const std::vector<std::string> names =
        has_arguments ? arguments(false) : std::vector<std::string>();
    check_count(open, network_.predicates[number].types.size(), names.size());
    LogicFacts& facts = evidence.predicates[number];
    const std::uint32_t tuple =
        facts.tuples.insert(numbers(evidence, network_.predicates[number].types, names));
    const bool is_new = tuple == facts.truth.size();
    if (is_new) facts.truth.push_back(truth);
    if (facts.truth[tuple] != truth || (!is_new && probability)) {
      at_.fail(first,
               Message("an earlier fact ", std::string_view(facts.truth[tuple] != truth
                                                                ? "says something else of this atom"
                                                                : "is of this atom, too")),
               "leave one of them out");
    }
    if (!probability) return;
    evidence.weighted.push_back({.predicate = number, .tuple = tuple, .weight = weight});
    evidence.weighted_at = at_.where(first);
  }

  // 0.9 P(A)
  std::optional<double> take_probability() {
    if (!at_.is_number()) return {};
    const LogicToken number = at_.current();
    double value = 0;
    if (parse_number(number.text, value) != NumberKind::finite || !(value <= 1)) {
      at_.fail("the probability of a fact is a number from 0 to 1",
               "a weight is that of a rule of the network: WEIGHT P(A)");
    }
    at_.next();
    if (at_.is("?")) at_.fail("an unknown atom has no probability", "leave one of them out");
    return value;
  }

  void constants_of_type(LogicEvidence& evidence) {
    const std::uint32_t type = network_.type_names.find(at_.text());
    if (type == kNoNumber) {
      at_.fail("the network has no type of this name", "use it there: Name(type, …)");
    }
    at_.next();
    at_.expect("=");
    NameTable& constants = evidence.types[type];
    const std::size_t before = constants.size();
    constant_lists_.read(at_, constants);
    for (std::size_t c = before; c < constants.size(); ++c) {
      evidence.constants.insert(constants[static_cast<std::uint32_t>(c)]);
    }
  }

  void function_value(LogicEvidence& evidence) {
    const LogicToken first = at_.current();
    const std::string value = constant(false);
    at_.expect("=");
    const std::uint32_t number =
        at_.is_word() ? network_.function_names.find(at_.text()) : kNoNumber;
    if (number == kNoNumber) {
      at_.fail("the network has no function of this name", "declare it there: type name(type, …)");
    }
    at_.next();
    const LogicToken open = at_.current();
    const std::vector<std::string> names = arguments(false);
    const LogicFunction& function = network_.functions[number];
    check_count(open, function.types.size(), names.size());
    const std::uint32_t result = evidence.types[function.result].insert(value);
    evidence.constants.insert(value);
    FunctionValues& values = evidence.functions[number];
    const std::uint32_t tuple = values.tuples.insert(numbers(evidence, function.types, names));
    if (tuple == values.value.size()) values.value.push_back(result);
    if (values.value[tuple] != result) {
      at_.fail(first, "an earlier line gives the function another value there",
               "leave one of them out");
    }
  }

  const LogicNetwork& network_;
  TokenCursor at_;
  ConstantListReader constant_lists_;
};

}  // namespace

std::uint32_t TupleTable::insert(std::span<const std::uint32_t> tuple) {
  arity_ = tuple.size();
  const auto [place, is_new] =
      number_.try_emplace(bytes_of(tuple), static_cast<std::uint32_t>(size_));
  if (is_new) {
    cells_.insert(cells_.end(), tuple.begin(), tuple.end());
    ++size_;
  }
  return place->second;
}

LogicEvidence::LogicEvidence(const LogicNetwork& network)
    : types(network.types),
      constants(network.constants),
      predicates(network.predicates.size()),
      functions(network.functions.size()) {
  for (const NameTable& type : types) {
    for (std::uint32_t c = 0; c < type.size(); ++c) constants.insert(type[c]);
  }
}

void add_evidence(const LogicNetwork& network, const LogicTokens& tokens, LogicEvidence& evidence,
                  const std::function<void()>& check) {
  FactParser(network, tokens).facts(evidence, check);
}

void check_known_facts(const LogicEvidence& evidence) {
  if (evidence.weighted.empty()) return;
  throw InputError(evidence.weighted_at,
                   "a fact with a probability is for questions, not for learning", "",
                   "say whether it is true, or leave it out");
}

std::vector<AtomPattern> parse_atom_patterns(const LogicNetwork& network,
                                             const LogicTokens& tokens) {
  return FactParser(network, tokens).patterns();
}

}  // namespace croft
