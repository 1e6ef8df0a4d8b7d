// What is said by an error that a test expects.
#pragma once
#include <string>

namespace croft {

// The message of the Thrown that `action` throws, or "no error".
template <class Thrown, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Thrown& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace croft
