#include "bugs/posterior/draw_files.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/files.h"
#include "data/csv.h"

namespace croft::bugs {
namespace {

std::size_t iteration_of(const Trace& trace, std::size_t draw) {
  return trace.first + draw * trace.thin;
}

std::size_t chains_of(const std::vector<const Trace*>& traces) {
  std::size_t chains = 0;
  for (const Trace* each : traces) chains = std::max(chains, each->chains.size());
  return chains;
}

// R's way to write numbers that are none.
void append_number(fmt::memory_buffer& out, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(fmt::appender(out), FMT_COMPILE("{}"), value);
  } else {
    out.append(std::string_view(std::isnan(value) ? "NA" : value > 0 ? "Inf" : "-Inf"));
  }
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace

void write_coda(const std::vector<const Trace*>& traces, const std::string& stem) {
  const std::size_t chains = chains_of(traces);
  for (std::size_t c = 0; c < chains; ++c) {
    fmt::memory_buffer text;
    for (const Trace* trace : traces) {
      for (std::size_t i = 0; i < trace->chains[c].size(); ++i) {
        fmt::format_to(fmt::appender(text), FMT_COMPILE("{} "), iteration_of(*trace, i));
        append_number(text, trace->chains[c][i]);
        text.push_back('\n');
      }
    }
    write_file(fmt::format("{}chain{}.txt", stem, c + 1), {text.data(), text.size()});
  }
  std::string index;
  std::size_t line = 1;
  for (const Trace* trace : traces) {
    const std::size_t draws = trace->chains.empty() ? 0 : trace->chains[0].size();
    if (draws == 0) continue;
    index += fmt::format("{} {} {}\n", trace->name, line, line + draws - 1);
    line += draws;
  }
  write_file(stem + "index.txt", index);
}

Trace up_to(const Trace& trace, std::size_t iteration) {
  Trace out = trace;
  const std::size_t draws =
      iteration < trace.first ? 0 : (iteration - trace.first) / trace.thin + 1;
  for (std::vector<double>& chain : out.chains) chain.resize(std::min(chain.size(), draws));
  return out;
}

std::string draws_csv(const std::vector<Trace>& traces) {
  fmt::memory_buffer out;
  out.append(std::string_view("chain,iteration"));
  std::size_t chains = 0;
  std::vector<std::size_t> iterations;
  std::set<std::array<std::size_t, 3>> seen;  // first iteration, thin, draws
  for (const Trace& trace : traces) {
    out.append("," + csv_cell(trace.name));
    chains = std::max(chains, trace.chains.size());
    for (const std::vector<double>& chain : trace.chains) {
      if (!seen.insert({trace.first, trace.thin, chain.size()}).second) continue;
      for (std::size_t i = 0; i < chain.size(); ++i) {
        iterations.push_back(iteration_of(trace, i));
      }
    }
  }
  std::sort(iterations.begin(), iterations.end());
  iterations.erase(std::unique(iterations.begin(), iterations.end()), iterations.end());
  out.push_back('\n');
  for (std::size_t c = 0; c < chains; ++c) {
    for (const std::size_t iteration : iterations) {
      fmt::format_to(fmt::appender(out), FMT_COMPILE("{},{}"), c + 1, iteration);
      for (const Trace& trace : traces) {
        out.push_back(',');
        if (iteration < trace.first || (iteration - trace.first) % trace.thin != 0) continue;
        const std::size_t draw = (iteration - trace.first) / trace.thin;
        if (c < trace.chains.size() && draw < trace.chains[c].size()) {
          append_number(out, trace.chains[c][draw]);
        }
      }
      out.push_back('\n');
    }
  }
  return fmt::to_string(out);
}

bool is_of(std::string_view name, std::string_view asked) {
  return name == asked || (name.starts_with(asked) && name.substr(asked.size()).starts_with("["));
}

}  // namespace croft::bugs
