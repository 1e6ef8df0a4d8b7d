#include "logic/constant_list.h"

#include <charconv>
#include <system_error>

#include "logic/formula_parser.h"

namespace croft {
namespace {

constexpr std::uint64_t kMostConstants = 1'000'000;  // of ranges: 100 MB

}  // namespace

void ConstantListReader::read(TokenCursor& at, NameTable& constants) {
  at.expect("{");
  do {
    const LogicToken first = at.current();
    const std::string text = parse_constant(at);
    if (at.is(",") && at.peek(1).text == "..." && at.peek(2).text == ",") {
      at.next();
      at.next();
      at.next();
      const LogicToken last = at.current();
      add_range(at, constants, first, text, last, parse_constant(at));
    } else {
      constants.insert(text);
    }
  } while (at.take(","));
  at.expect("}");
}

void ConstantListReader::add_range(const TokenCursor& at, NameTable& constants,
                                   const LogicToken& first, const std::string& from,
                                   const LogicToken& last, const std::string& to) {
  const auto whole = [&](const LogicToken& token, const std::string& text) {
    std::int64_t value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
      at.fail(token, "a range goes from one whole number to another", "write {1, ..., 9}");
    }
    return value;
  };
  const std::int64_t begin = whole(first, from), end = whole(last, to);
  if (end < begin) at.fail(last, "a range ends below its first number", "exchange them");
  const std::uint64_t steps = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
  if (steps >= kMostConstants - ranged_) {
    at.fail(last, Message("ranges of more than ", kMostConstants, " constants in all"),
            "write smaller ones");
  }
  ranged_ += steps + 1;
  for (std::int64_t i = begin; i <= end; ++i) constants.insert(std::to_string(i));
}

}  // namespace croft
