// A BUGS program as it is written: declarations, loops and relations, in the dialect of JAGS.
//
// Nothing is computed here.  docs/bugs/language.md has the grammar, docs/math/bugs.md the meaning.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "croft/core/error.h"

namespace croft::bugs {

enum class ExpressionKind : std::uint8_t {
  number,  // 1.5
  name,    // alpha, theta[i,], p[1:3,2]
  call,    // an operator or a function of the arguments: "+", "-" (one or two), "^", "%*%", ":",
           // "==", "&&", "!", "exp", "inprod", ...
  absent   // only as a subscript: the whole dimension
};

struct Expression {
  ExpressionKind kind = ExpressionKind::absent;
  double number = 0;
  std::string name = {};                   // of a name and a call
  std::vector<Expression> arguments = {};  // of a call; subscripts of a name
  Location where = {};
};

struct Truncation {
  std::optional<Expression> lower = {}, upper = {};
  bool interval = false;  // written I(,) and not T(,)
};

struct Draw {  // target ~ distribution(parameters) T(lower, upper)
  Expression target;
  std::string distribution;
  std::vector<Expression> parameters = {};
  std::optional<Truncation> truncation = {};
  Location where = {};
};

struct Definition {  // link(target) <- value
  Expression target;
  std::string link = {};  // "", log, logit, probit, cloglog
  Expression value = {};
  Location where = {};
};

struct Loop;
using Statement = std::variant<Draw, Definition, Loop>;
struct Loop {  // for (counter in range) { body }
  std::string counter;
  Expression range;
  std::vector<Statement> body = {};
  Location where = {};
};

struct Declaration {  // of var: a name and its dimensions
  std::string name;
  std::vector<Expression> dimensions = {};
  Location where = {};
};

struct Program {
  std::vector<Declaration> declarations;
  std::vector<Statement> data, model;  // of data { } and model { }
};

}  // namespace croft::bugs
