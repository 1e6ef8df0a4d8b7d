// A text for the user that knows which of its words are names of options, so that each front end
// spells them in its own way: "--min-count" on the command line, "min_count" in Python.
//
//   Message("--order ", order, " is not 1 to ", kMostOrder)
//
// A string literal is croft's own text: "--name" in it is an option.  A std::string is what came at
// run time, such as a user's own words: nothing is looked for in it.
#pragma once
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace croft {

class Message {
 public:
  Message() = default;
  // A literal.  A const char* may be either: say std::string_view, or make it a Message.
  template <std::size_t N>
  Message(const char (&literal)[N]) : Message(std::string_view(literal, N - 1)) {
    mark();
  }
  template <std::size_t N>
  Message(char (&buffer)[N]) = delete;
  Message(std::string text) : text_(std::move(text)) {}
  Message(std::string_view text) : text_(text) {}
  template <std::same_as<char> Character>
  Message(Character c) : text_(1, c) {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) Message(Number number)
      : text_(std::to_string(number)) {}
  // These parts, one after the other.
  template <class First, class Second, class... More>
  requires(
      std::convertible_to<const First&, Message>&& std::convertible_to<const Second&, Message> &&
      (std::convertible_to<const More&, Message> && ...))
      Message(const First& first, const Second& second, const More&... more)
      : Message(first) {
    add(second);
    (add(more), ...);
  }

  // An option whose name (without dashes) is known at run time only.
  static Message option(std::string_view name);

  void add(const Message& more);

  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }  // as the command line spells it
  //   spell : called for each option's name, without dashes; gives what stands for it
  template <std::invocable<std::string_view> Spell>
  std::string spelled(const Spell& spell) const {
    std::string out;
    std::size_t at = 0;
    for (const Place& each : options_) {
      out.append(text_, at, each.begin - at);
      out += spell(std::string_view(text_).substr(each.begin + 2, each.length - 2));
      at = each.begin + each.length;
    }
    return out.append(text_, at);
  }

 private:
  struct Place {
    std::size_t begin, length;  // in bytes, with the dashes
  };
  void mark();

  std::string text_;
  std::vector<Place> options_;  // in order
};

}  // namespace croft
