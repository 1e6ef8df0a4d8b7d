// Seconds of the processor that a method for factor graphs takes, without reading the file.
//
//   graph_bench belief-propagation GRAPH EVIDENCE|- SCHEDULE TOLERANCE
//   graph_bench trw-s GRAPH EVIDENCE|- ITERATIONS
//   graph_bench graph-cut GRAPH EVIDENCE|-
//   graph_bench gibbs GRAPH EVIDENCE|- SWEEPS
//   graph_bench grid-cut SIDE COUPLING         two labels, own scores normal, Potts
//   graph_bench grid-gibbs SIDE SWEEPS         Ising, J = 0.3
//
// Prints one line: seconds, then what tells whether the answer is right.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/data/graph_file.h"
#include "croft/data/line_reader.h"
#include "croft/inference/belief_propagation.h"
#include "croft/inference/gibbs.h"
#include "croft/inference/graph_cut.h"
#include "croft/inference/trw_s.h"

namespace {

using namespace croft;

double processor_seconds() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// The least of so many calls.
template <class Call>
double least_seconds(int times, const Call& call) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < times; ++k) {
    const double begin = processor_seconds();
    call();
    least = std::min(least, processor_seconds() - begin);
  }
  return least;
}

FactorGraph read(const std::string& graph, const std::string& evidence) {
  GraphFile file = read_graph(graph);
  if (evidence == "-") return std::move(file.graph);
  return condition(file.graph, read_uai_evidence(LineReader(evidence), file.graph));
}

// A square grid with one Potts factor for all neighbours.
FactorGraph grid(std::size_t side, double equal, double own) {
  FactorGraph graph;
  Random random(7);
  for (std::size_t v = 0; v < side * side; ++v) {
    const Variable variable = graph.add_variable(2);
    if (own == 0) continue;
    const double scores[] = {0, own * random.normal()};
    graph.add_factor({variable}, graph.add_table(scores));
  }
  const PotentialId potts = graph.add_potts(equal, 0);
  for (Variable v = 0; v < side * side; ++v) {
    if ((v + 1) % side != 0) graph.add_factor({v, v + 1}, potts);
    if (v + side < side * side) {
      graph.add_factor({v, static_cast<Variable>(v + side)}, potts);
    }
  }
  return graph;
}

void propagate(const FactorGraph& graph, const std::string& schedule, double tolerance) {
  Convergence end;
  double log_partition = 0;
  const double seconds = least_seconds(5, [&] {
    SumProduct messages(graph, {.schedule = message_schedule(schedule), .tolerance = tolerance});
    end = messages.run();
    log_partition = messages.log_partition();
    if (!messages.contradiction()) messages.beliefs();
  });
  std::printf("%.7f %d %zu %.12g\n", seconds, end.converged, end.iterations, log_partition);
}

void sample(const FactorGraph& graph, std::size_t sweeps, int times) {
  GibbsResult found;
  const double seconds = least_seconds(
      times, [&] { found = gibbs(graph, {.sweeps = sweeps, .burn_in = 0, .chains = 1}); });
  double largest = 0;  // of the Ising model's marginals, which are 1/2
  for (const auto& each : found.marginals) largest = std::max(largest, std::abs(each[0] - 0.5));
  std::printf("%.7f %.4g %.4g\n", seconds, largest, found.effective_samples);
}

void cut(const FactorGraph& graph, int times) {
  MapResult found;
  const double seconds = least_seconds(times, [&] { found = graph_cut(graph); });
  std::printf("%.7f %.12g\n", seconds, found.score);
}

void reweighted(const FactorGraph& graph, std::size_t iterations) {
  MapResult found;
  const double seconds = least_seconds(3, [&] {
    found = trw_s(graph, {.max_iterations = iterations, .tolerance = 0, .decode_every = 10});
  });
  std::printf("%.7f %zu %.12g %.12g\n", seconds, found.convergence.iterations, found.bound,
              found.score);
}

int run(const std::vector<std::string>& args) {
  const std::string task = args.empty() ? "" : args[0];
  const std::size_t count = args.size();
  if (task == "belief-propagation" && count == 5) {
    propagate(read(args[1], args[2]), args[3], std::stod(args[4]));
  } else if (task == "trw-s" && count == 4) {
    reweighted(read(args[1], args[2]), std::stoul(args[3]));
  } else if (task == "graph-cut" && count == 3) {
    cut(read(args[1], args[2]), 5);
  } else if (task == "gibbs" && count == 4) {
    sample(read(args[1], args[2]), std::stoul(args[3]), 3);
  } else if (task == "grid-cut" && count == 3) {
    cut(grid(std::stoul(args[1]), std::stod(args[2]), 1), 2);
  } else if (task == "grid-gibbs" && count == 3) {
    sample(grid(std::stoul(args[1]), 0.6, 0), std::stoul(args[2]), 2);
  } else {
    std::fputs("graph_bench TASK ...: see the head of bench/graph_bench.cc\n", stderr);
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const croft::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
