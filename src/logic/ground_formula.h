// One grounding of a rule's formula, with what is known put in: the way for formulas that no join
// of their literals grounds (nested quantifiers), and the definition of a formula's truth.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "logic/atom_space.h"
#include "logic/clausal_form.h"

namespace croft {

enum class GroundWith : std::uint8_t {
  evidence,  // what is known is put in
  nothing    // each atom and each comparison stays a literal
};

class FormulaGrounder {
 public:
  // In keys(), a comparison that holds and one that does not, where nothing is put in.
  static constexpr std::uint64_t kTrueKey = KeyMap::kFree - 1, kFalseKey = KeyMap::kFree - 2;

  // Keeps both by reference.
  FormulaGrounder(const AtomSpace& space, const LogicRule& rule) : space_(space), rule_(rule) {}

  // Throws Error where the formula has more than `most` parts.
  //   values : [variables of the rule] of the free ones, by their numbers in their types
  //   returns: the formula; a literal is twice an atom's place in keys(), and 1 more where negated;
  //            empty where a function has no value there
  std::optional<Junction> ground(std::span<const std::uint32_t> values,
                                 GroundWith with = GroundWith::evidence,
                                 std::size_t most = 1'000'000);
  const std::vector<std::uint64_t>& keys() const { return keys_; }

 private:
  // A value of a term: a whole number or a text.
  struct Content {
    bool is_number = false;
    std::int64_t number = 0;
    std::string text;
  };
  Junction part(const Formula& formula);
  Junction over_values(const Formula& formula, std::size_t variable, Junction::Kind kind);
  Junction atom(const Formula& formula);
  bool compare(const Formula& formula);
  std::uint32_t constant(const Term& term, std::uint32_t type);  // kNoNumber: undefined
  std::optional<Content> content(const Term& term);
  static Content content_of(const std::string& name);
  static std::optional<Content> computed(Arithmetic operation, const Content& a, const Content& b);

  const AtomSpace& space_;
  const LogicRule& rule_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint64_t> keys_;
  KeyMap places_;
  GroundWith with_ = GroundWith::evidence;
  bool undefined_ = false;
  std::size_t parts_ = 0, most_ = 0;
};

}  // namespace croft
