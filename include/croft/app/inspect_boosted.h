// What is in a boosted model: its summary, the attributes that its trees test, the trees.
// docs/inspect.md defines every line and field.
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "croft/model/boosted_model.h"

namespace croft {

std::string format_summary(const BoostedModel& model);
nlohmann::json summary_json(const BoostedModel& model);

struct AttributeImportance {
  std::uint32_t attribute = 0;
  double gain = 0;        // sum over its tests of (TB.6): what they were foreseen to gain, in nats
  std::size_t count = 0;  // of its tests
};
// Of all attributes that are tested, the largest gain first; equal ones by their names.
std::vector<AttributeImportance> importances(const BoostedModel& model);

// The n most important attributes, the first n trees, and the n transitions most in favour and most
// against.
std::string format_top(const BoostedModel& model, std::size_t n);
nlohmann::json top_json(const BoostedModel& model, std::size_t n);

// All of it, one item a line, in pieces of some 64 KiB; names are escaped() (inspect.h), numbers
// have as few digits as give them back:
//   base       TAB label TAB score
//   transition TAB from TAB to TAB score
//   test       TAB tree TAB output TAB node TAB attribute TAB threshold TAB absent TAB left TAB
//   right TAB gain TAB count leaf       TAB tree TAB output TAB leaf TAB value ...
void write_weights(const BoostedModel& model, const std::function<void(std::string_view)>& write);

}  // namespace croft
