#include "logic/clausal_form.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "croft/core/interrupt.h"

namespace croft {
namespace {

using Clauses = std::vector<LiteralClause>;

constexpr std::size_t kMostLiterals = 1'000'000;  // of a clausal form

bool contains(const LiteralClause& clause, std::uint32_t literal) {
  return std::binary_search(clause.begin(), clause.end(), literal);
}

// The union of two clauses; false where it is always true.
bool unite(const LiteralClause& a, const LiteralClause& b, LiteralClause& out) {
  out.clear();
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if ((out[i] ^ 1) == out[i + 1]) return false;
  }
  return true;
}

// Clauses, each once, in the order in which they come; at most so many, and so many literals.
class ClauseList {
 public:
  explicit ClauseList(std::size_t most) : most_(most) {}

  // False where it does not fit.
  bool add(const LiteralClause& clause) {
    if (!seen_.insert(clause).second) return true;
    literals_ += clause.size();
    clauses_.push_back(clause);
    return clauses_.size() <= most_ && literals_ <= kMostLiterals;
  }
  Clauses take() { return std::move(clauses_); }

 private:
  const std::size_t most_;
  std::size_t literals_ = 0;
  std::set<LiteralClause> seen_;
  Clauses clauses_;
};

void look() {
  if (interruption.load()) throw Interrupted("the work on a formula was interrupted");
}

// The clauses of a disjunction.
std::optional<Clauses> either(const std::optional<Clauses>& a, const std::optional<Clauses>& b,
                              std::size_t most) {
  if (!a || !b || a->size() * b->size() > 4 * most) return {};
  ClauseList out(most);
  LiteralClause united;
  for (const LiteralClause& one : *a) {
    look();
    for (const LiteralClause& other : *b) {
      if (unite(one, other, united) && !out.add(united)) return {};
    }
  }
  return out.take();
}

// The clauses of a conjunction or a disjunction, part after part.
class Combination {
 public:
  Combination(bool all, std::size_t most) : all_(all), most_(most), list_(most) {}

  void add(const std::optional<Clauses>& part) {
    fits_ = fits_ && part.has_value();
    if (!fits_) return;
    if (all_) {
      for (const LiteralClause& clause : *part) fits_ = fits_ && list_.add(clause);
    } else if (part->size() == 1 && part->front().size() == 1) {
      literals_.push_back(part->front()[0]);
    } else {
      products_ = either(products_, part, most_);
      fits_ = products_.has_value();
    }
  }
  std::optional<Clauses> take() {
    if (!fits_) return {};
    if (all_) return list_.take();
    std::sort(literals_.begin(), literals_.end());
    LiteralClause literals;
    if (!unite(literals_, {}, literals)) return Clauses{};
    literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
    return either(products_, Clauses{literals}, most_);
  }

 private:
  const bool all_;
  const std::size_t most_;
  bool fits_ = true;
  ClauseList list_;         // of a conjunction
  LiteralClause literals_;  // of a disjunction: its parts that are literals
  std::optional<Clauses> products_ = Clauses{LiteralClause()};  // of its other parts
};

// A formula and its negation as clauses, each where it is wanted.  Of an equivalence both parts are
// needed with both signs, which are made once: a chain of n equivalences takes n steps, not 2^n.
struct SignedClauses {
  std::optional<Clauses> yes, no;
};
SignedClauses form(const Junction& junction, bool yes, bool no, std::size_t most) {
  look();
  const std::vector<Junction>& parts = junction.parts;
  if (junction.kind == Junction::Kind::literal) {
    return {Clauses{{junction.literal}}, Clauses{{junction.literal ^ 1}}};
  }
  SignedClauses out;
  if (junction.kind == Junction::Kind::same) {
    const SignedClauses a = form(parts[0], true, true, most), b = form(parts[1], true, true, most);
    const auto both = [&](const auto& first, const auto& second) {
      Combination all(true, most);
      all.add(first);
      all.add(second);
      return all.take();
    };
    if (yes) out.yes = both(either(a.no, b.yes, most), either(a.yes, b.no, most));
    if (no) out.no = both(either(a.yes, b.yes, most), either(a.no, b.no, most));
    return out;
  }
  const bool all = junction.kind == Junction::Kind::all;
  Combination truth(all, most), falsity(!all, most);
  for (const Junction& part : parts) {
    const SignedClauses one = form(part, yes, no, most);
    if (yes) truth.add(one.yes);
    if (no) falsity.add(one.no);
  }
  if (yes) out.yes = truth.take();
  if (no) out.no = falsity.take();
  return out;
}

// The cube (what makes `clause` false) where all of `others` are true, as disjoint cubes; each cube
// is the clause that it makes false.
//   cuts : that are left
bool split(LiteralClause clause, std::span<const LiteralClause> others, std::size_t most,
           std::size_t& cuts, Clauses& out) {
  if (cuts-- == 0) return false;
  if (others.empty()) {
    if (out.size() == most) return false;
    out.push_back(std::move(clause));
    return true;
  }
  const LiteralClause& other = others.front();
  // A literal of the other whose negation the clause has is true in the cube.
  for (const std::uint32_t literal : other) {
    if (contains(clause, literal ^ 1))
      return split(std::move(clause), others.subspan(1), most, cuts, out);
  }
  // The first literal of the other is true; or it is false, and the second one is true; ...
  for (const std::uint32_t literal : other) {
    if (contains(clause, literal)) continue;  // false in the cube
    LiteralClause more = clause;
    more.insert(std::lower_bound(more.begin(), more.end(), literal ^ 1), literal ^ 1);
    if (!split(std::move(more), others.subspan(1), most, cuts, out)) return false;
    clause.insert(std::lower_bound(clause.begin(), clause.end(), literal), literal);
  }
  return true;  // where all of the other's literals are false, the other is
}

std::size_t literals_of(const Clauses& clauses) {
  std::size_t count = 0;
  for (const LiteralClause& each : clauses) count += each.size();
  return count;
}

}  // namespace

std::string_view name_of(WeightReading reading) {
  return reading == WeightReading::formula ? "formula" : "clausal";
}

WeightReading weight_reading(std::string_view name) {
  for (const WeightReading each : {WeightReading::formula, WeightReading::clausal}) {
    if (name == name_of(each)) return each;
  }
  throw UsageError("--weights ", in_quotes(name), " is none of formula, clausal");
}

Junction negation_of(Junction junction) {
  if (junction.kind == Junction::Kind::literal) {
    junction.literal ^= 1;
    return junction;
  }
  if (junction.kind == Junction::Kind::same) {
    junction.parts[0] = negation_of(std::move(junction.parts[0]));
    return junction;
  }
  junction.kind = junction.kind == Junction::Kind::all ? Junction::Kind::any : Junction::Kind::all;
  for (Junction& part : junction.parts) part = negation_of(std::move(part));
  return junction;
}

Junction joined(Junction::Kind kind, std::vector<Junction> parts) {
  const bool all = kind == Junction::Kind::all;
  Junction out{.kind = kind};
  for (Junction& part : parts) {
    if (all ? part.is_false() : part.is_true()) return std::move(part);
    if (part.is_true() || part.is_false()) continue;
    if (part.kind == kind) {
      std::move(part.parts.begin(), part.parts.end(), std::back_inserter(out.parts));
    } else {
      out.parts.push_back(std::move(part));
    }
  }
  if (out.parts.size() != 1) return out;
  Junction only = std::move(out.parts[0]);
  return only;
}

Junction equivalence_of(Junction a, Junction b) {
  if (a.is_true()) return b;
  if (b.is_true()) return a;
  if (a.is_false()) return negation_of(std::move(b));
  if (b.is_false()) return negation_of(std::move(a));
  Junction out{.kind = Junction::Kind::same};
  out.parts.push_back(std::move(a));
  out.parts.push_back(std::move(b));
  return out;
}

std::optional<Clauses> clauses_of(const Junction& junction, std::size_t most) {
  return form(junction, true, false, most).yes;
}

std::optional<Clauses> disjoint_clauses(const Clauses& clauses, std::size_t most) {
  Clauses out;
  std::size_t cuts = 100 * most;
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    if (!split(clauses[i], std::span(clauses).first(i), most, cuts, out)) return {};
  }
  return out;
}

std::vector<WeightedForm> weighted_forms(const Junction& formula, WeightReading reading,
                                         std::size_t most) {
  std::vector<WeightedForm> out;
  const std::optional<Clauses> clauses = clauses_of(formula, most);
  if (reading == WeightReading::clausal) {
    if (!clauses) return out;
    const bool conjunction =
        clauses->size() > 1 && std::all_of(clauses->begin(), clauses->end(),
                                           [](const auto& each) { return each.size() == 1; });
    if (conjunction) {
      LiteralClause negated;
      for (const LiteralClause& each : *clauses) negated.push_back(each[0] ^ 1);
      std::sort(negated.begin(), negated.end());
      out.push_back({.base = 0, .factor = -1, .clauses = {std::move(negated)}});
    } else if (!clauses->empty()) {
      out.push_back({.base = 1, .factor = 1. / clauses->size(), .clauses = *clauses});
    } else {
      out.push_back({.base = 0, .factor = 0, .clauses = {}});
    }
    return out;
  }
  if (clauses) {
    if (auto disjoint = disjoint_clauses(*clauses, most)) {
      out.push_back({.base = 1, .factor = 1, .clauses = std::move(*disjoint)});
    }
  }
  if (const auto others = clauses_of(negation_of(formula), most)) {
    if (auto disjoint = disjoint_clauses(*others, most)) {
      out.push_back({.base = 0, .factor = -1, .clauses = std::move(*disjoint)});
    }
  }
  const auto size = [](const WeightedForm& form) {
    return std::pair(form.clauses.size(), literals_of(form.clauses));
  };
  if (out.size() == 2 && size(out[1]) < size(out[0])) std::swap(out[0], out[1]);
  return out;
}

}  // namespace croft
