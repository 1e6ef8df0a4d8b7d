// "1 cell", "2 cells": for messages.
#pragma once
#include <cstddef>
#include <string>

namespace croft {

inline std::string cell_count(std::size_t cells) {
  return std::to_string(cells) + (cells == 1 ? " cell" : " cells");
}

}  // namespace croft
