#include "bugs/run/monitors.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "bugs/compile/tables.h"
#include "core/words/counted.h"

namespace croft::bugs {
namespace {

[[noreturn]] void fail(const MonitorRequest& request, const Message& problem) {
  if (!request.where.file.empty()) throw InputError(request.where, problem, request.name, "");
  throw UsageError(Message::option("monitor"), " ", in_quotes(request.name), ": ", problem);
}

struct ElementRange {
  std::size_t first = 1, last = 0;  // last 0: all
};

// name, name[2], name[1:3,]
struct Request {
  std::string name;
  std::vector<ElementRange> ranges;
};

std::size_t number_of(std::string_view text, const MonitorRequest& request) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) {
    fail(request,
         Message("a subscript is ", in_quotes(text), ", and has to be a number or a range"));
  }
  return value;
}

Request parse(const MonitorRequest& asked) {
  std::string packed;
  std::ranges::copy_if(asked.name, std::back_inserter(packed), [](char c) { return c != ' '; });
  const std::size_t open = packed.find('[');
  Request request{packed.substr(0, open), {}};
  if (open == std::string::npos) return request;
  if (packed.back() != ']') fail(asked, "a bracket is not closed");
  std::string_view rest(packed);
  rest = rest.substr(open + 1, packed.size() - open - 2);
  for (;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const std::size_t colon = part.find(':');
    ElementRange range;
    if (!part.empty()) {
      range.first = number_of(part.substr(0, colon), asked);
      range.last =
          colon == std::string_view::npos ? range.first : number_of(part.substr(colon + 1), asked);
      if (range.last < range.first) fail(asked, "a range ends before it begins");
    }
    request.ranges.push_back(range);
    if (comma == std::string_view::npos) break;
    rest = rest.substr(comma + 1);
  }
  return request;
}

bool within(std::size_t element, const std::vector<std::size_t>& dimensions,
            const std::vector<ElementRange>& ranges) {
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    const std::size_t at = element % dimensions[d] + 1;
    if (at < ranges[d].first || at > ranges[d].last) return false;
    element /= dimensions[d];
  }
  return true;
}

void add(const ModelGraph& graph, const MonitorRequest& asked, std::size_t thin,
         std::vector<Monitor>& monitors) {
  Request request = parse(asked);
  const auto found = graph.arrays().find(request.name);
  if (found == graph.arrays().end()) {
    if (request.name == kDeviance) {
      monitors.push_back({std::string(kDeviance), kNothing, thin});
      return;
    }
    fail(asked, "the program has no such name");
  }
  const NamedArray& array = found->second;
  if (!request.ranges.empty() && request.ranges.size() != array.dimensions.size()) {
    fail(asked, Message(counted(request.ranges.size(), "subscript"), " for an array of ",
                        counted(array.dimensions.size(), "dimension")));
  }
  for (std::size_t d = 0; d < request.ranges.size(); ++d) {
    ElementRange& range = request.ranges[d];
    if (range.last == 0) range.last = array.dimensions[d];
    if (range.last > array.dimensions[d]) {
      fail(asked, Message("subscript ", range.last, " is beyond the extent ", array.dimensions[d]));
    }
  }
  const std::size_t before = monitors.size();
  for (std::size_t k = 0; k < array.slots.size(); ++k) {
    if (array.slots[k] == kNothing || !within(k, array.dimensions, request.ranges)) continue;
    monitors.push_back({element_name(found->first, array.dimensions, k), array.slots[k], thin});
  }
  if (monitors.size() == before) fail(asked, "nothing defines it");
}

}  // namespace

std::vector<Monitor> monitors_of(const ModelGraph& graph, std::span<const MonitorRequest> requests,
                                 std::size_t thin) {
  std::vector<Monitor> monitors;
  std::set<std::string> names;
  for (const MonitorRequest& request : requests) {
    const std::size_t before = monitors.size();
    add(graph, request, request.thin == 0 ? thin : request.thin, monitors);
    for (std::size_t k = before; k < monitors.size(); ++k) {
      if (names.insert(monitors[k].name).second) continue;
      fail({monitors[k].name, 0, request.where}, "it is asked for twice");
    }
  }
  if (!requests.empty()) return monitors;
  for (const auto& [name, array] : graph.arrays()) {
    for (std::size_t k = 0; k < array.slots.size(); ++k) {
      const Slot slot = array.slots[k];
      if (slot == kNothing || graph.node_of(slot) == kNothing) continue;
      if (graph.node(graph.node_of(slot)).observed) continue;
      monitors.push_back({element_name(name, array.dimensions, k), slot, thin});
    }
  }
  return monitors;
}

}  // namespace croft::bugs
