// A check of what a fuzz target has read.
#pragma once
#include <stdexcept>
#include <string>

namespace croft::fuzz {

// Throws std::logic_error, which no target expects: a finding.
inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace croft::fuzz
using croft::fuzz::require;
