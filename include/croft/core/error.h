// What croft throws when its input, and not its code, is at fault.
//
// Bad input (a file, an option, a model) throws one of these, is caught once per front end and
// shown as one message.  A bug is an assertion.  A numerical outcome (not converged, infeasible) is
// a value in a result.
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace croft {

// Base of all: what() is the whole message for the user, without a trailing newline.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where in an input something stands; line and column count from 1, 0 means "not known".
struct Location {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

// A fault in a text: "FILE:LINE:COLUMN: PROBLEM: \"TEXT\"; REMEDY".
class InputError : public Error {
 public:
  //   text   : the offending text, quoted and shortened in the message; empty: none is shown
  //   remedy : what the user can do, without a final full stop; empty: none
  InputError(Location where, std::string_view problem, std::string_view text,
             std::string_view remedy);
  const Location& where() const { return where_; }

 private:
  Location where_;
};

// A combination of options that makes no sense, or an option with a value out of range.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Text between double quotes with control bytes as escapes (\t, \n, \x01); UTF-8 is left as it is.
// At most `limit` bytes are shown, then "…"; never cuts a UTF-8 character.
std::string in_quotes(std::string_view text, std::size_t limit = 80);

}  // namespace croft
