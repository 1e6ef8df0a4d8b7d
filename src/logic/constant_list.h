// The constants of a type in braces:  {Anna, Bob}   {1, ..., 9}.
#pragma once
#include <cstdint>

#include "logic/network.h"
#include "logic/token_cursor.h"

namespace croft {

// Reads lists of one file, which may have a million constants of ranges in all.
class ConstantListReader {
 public:
  // From { to }.  Throws InputError.
  void read(TokenCursor& at, NameTable& constants);

 private:
  void add_range(const TokenCursor& at, NameTable& constants, const LogicToken& first,
                 const std::string& from, const LogicToken& last, const std::string& to);

  std::uint64_t ranged_ = 0;  // constants of ranges so far
};

}  // namespace croft
