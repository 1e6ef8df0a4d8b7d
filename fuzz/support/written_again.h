// What the targets for readers of labelled data share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "croft/core/error.h"

namespace croft::fuzz {

// rewritten(text, allow_unlabelled): what was read, written so that it reads back equal.  Throws
// InputError for a text that is refused; what it has written must not be.
template <class Rewritten>
void expect_same_again(const std::uint8_t* data, std::size_t size, const Rewritten& rewritten) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool allow_unlabelled : {false, true}) {
    std::string once;
    try {
      once = rewritten(text, allow_unlabelled);
    } catch (const InputError&) {
      continue;
    }
    if (rewritten(once, allow_unlabelled) != once) throw std::logic_error("not the same again");
  }
}

}  // namespace croft::fuzz
