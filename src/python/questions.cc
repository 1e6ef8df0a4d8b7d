#include "python/questions.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace croft::python {

namespace py = pybind11;

namespace {

constexpr std::pair<std::string_view, bool TagOptions::*> kFlags[] = {
    {"probability", &TagOptions::probability},
    {"marginals", &TagOptions::marginals},
    {"edges", &TagOptions::edges},
    {"spans", &TagOptions::spans},
    {"entropy", &TagOptions::entropy},
    {"expected_counts", &TagOptions::expected_counts}};

std::uint64_t whole_number(const std::string& name, const py::handle& value) {
  try {
    return value.cast<std::uint64_t>();
  } catch (const py::cast_error&) {
    throw py::value_error(name + " is " + py::repr(value).cast<std::string>() +
                          "; it must be a whole number from 0 to 2**64 - 1");
  }
}

}  // namespace

Questions read_questions(const py::dict& dict) {
  Questions q;
  for (const auto& [key, value] : dict) {
    const std::string name = py::str(key);
    const auto* const flag = std::ranges::find(kFlags, name, [](auto& each) { return each.first; });
    if (flag != std::end(kFlags))
      q.ask.*flag->second = value.cast<bool>();
    else if (name == "k_best")
      q.ask.k_best = whole_number(name, value);
    else if (name == "samples")
      q.ask.samples = whole_number(name, value);
    else if (name == "seed")
      q.ask.seed = whole_number(name, value);
    else if (name == "smallest_edge")
      q.ask.smallest_edge = value.cast<double>();
    else if (name == "log_likelihood")
      q.log_likelihood = value.cast<bool>();
    else
      throw py::type_error("there is no question " + name);
  }
  if (q.log_likelihood) q.ask.probability = true;
  return q;
}

bool Questions::only_labels() const {
  const bool flags = std::ranges::any_of(kFlags, [&](auto& each) { return ask.*each.second; });
  return !flags && ask.k_best == 0 && ask.samples == 0;
}

}  // namespace croft::python
