// Seconds and bytes that it takes to unroll a database's graph: unroll_bench SPEC DATABASE
#include <malloc.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <ctime>

#include "croft/core/error.h"
#include "sql/graph_tables.h"

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

double peak_bytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: unroll_bench SPEC DATABASE\n");
    return 2;
  }
  try {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const double cpu = cpu_seconds(), before = bytes_in_use(), peak = peak_bytes();
    croft::GraphTables tables = [&] {
      const croft::Database database = croft::Database::open({argv[2]});
      return croft::GraphTables::read(database, croft::GraphSpec::read(argv[1]));
    }();
    const double read = cpu_seconds();
    const std::vector<croft::GraphInstance> instances = tables.data().unroll();
    const double end = cpu_seconds();
    const croft::CliqueRows& rows = tables.data().rows();
    double features = 0;
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
      features += static_cast<double>(rows.features(row).size() * sizeof(croft::CliqueFeature));
    }
    const auto cliques = static_cast<double>(tables.cliques());
    std::printf(
        "{\"cliques\": %.0f, \"variables\": %zu, \"rows\": %zu, \"cpu_seconds\": %.3f, "
        "\"reading\": %.3f, \"unrolling\": %.3f, \"seconds\": %.3f, \"bytes_a_clique\": %.1f, "
        "\"of_features\": %.1f, \"peak_bytes_a_clique\": %.1f}\n",
        cliques, tables.variables().size(), rows.size(), end - cpu, read - cpu, end - read,
        std::chrono::duration<double>(Clock::now() - start).count(),
        (bytes_in_use() - before) / cliques, features / cliques, (peak_bytes() - peak) / cliques);
  } catch (const croft::Error& error) {
    std::fprintf(stderr, "unroll_bench: %s\n", error.what());
    return 1;
  }
}
