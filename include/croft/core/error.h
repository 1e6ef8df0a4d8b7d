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
#include <utility>

#include "croft/core/message.h"

namespace croft {

// Base of all: the whole message for the user, without a trailing newline.
class Error : public std::runtime_error {
 public:
  explicit Error(Message message)
      : std::runtime_error(message.text()), message_(std::move(message)) {}
  // Of several parts, one after the other: Error(name, ": line ", line, " is empty").
  template <class First, class Second, class... More>
  requires std::constructible_from<Message, const First&, const Second&, const More&...>
  explicit Error(const First& first, const Second& second, const More&... more)
      : Error(Message(first, second, more...)) {}

  // what() has the command line's spelling; other front ends spell the options themselves.
  const Message& message() const { return message_; }

 private:
  Message message_;
};

// Where in an input something stands; line and column count from 1, 0 means "not known".
struct Location {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

std::string place_of(const Location& where);  // "FILE:LINE:COLUMN", without what is not known

// A fault in a text: "FILE:LINE:COLUMN: PROBLEM: \"TEXT\"; REMEDY".
class InputError : public Error {
 public:
  //   text   : the offending text, quoted and shortened in the message; empty: none is shown
  //   remedy : what the user can do, without a final full stop; empty: none
  InputError(Location where, const Message& problem, std::string_view text, const Message& remedy)
      : InputError(std::move(where), fault_of(problem, text, remedy)) {}
  // The same fault as another error tells, at a place.
  InputError(Location where, Message fault);

  const Location& where() const { return where_; }
  const Message& fault() const { return fault_; }  // the message without the place

 private:
  static Message fault_of(const Message& problem, std::string_view text, const Message& remedy);

  Location where_;
  Message fault_;
};

// A combination of options that makes no sense, or an option with a value out of range.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Text between double quotes; control bytes and those that are not UTF-8 are escapes (\t, \n,
// \x01). At most `limit` bytes are shown, then "…"; never cuts a UTF-8 character.
std::string in_quotes(std::string_view text, std::size_t limit = 80);

}  // namespace croft
