// Exact answers on networks whose worlds have been enumerated, in both readings of weights.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/json.h"
#include "croft/inference/junction_tree.h"
#include "data/text_files.h"
#include "logic/evidence.h"
#include "logic/network_parser.h"
#include "sql/logic/grounder.h"

namespace croft {
namespace {

namespace fs = std::filesystem;

struct Reference {
  fs::path folder;
  Json json;
  LogicNetwork network;
  LogicEvidence evidence;

  Reference(const fs::path& data, const fs::path& file)
      : folder(data), json(parse(file)), network(read_network(name(0))), evidence(network) {
    // One of the databases is empty, and not among the files.
    if (json["files"].size() > 1 && fs::exists(name(1))) {
      add_evidence(network, read_fact_tokens(LineReader(name(1))), evidence);
    }
  }
  static Json parse(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return parse_json(text.str());
  }
  std::string name(std::size_t k) const { return (folder / json["files"][k].string()).string(); }
  AtomSpace space() const {
    std::vector<bool> open(network.predicates.size(), false);
    for (std::size_t i = 0; i < json["open"].size(); ++i) {
      open[network.predicate_names.find(json["open"][i].string())] = true;
    }
    return AtomSpace(network, evidence, open);
  }
};

// Also those that no rule speaks of.
void add_open_atoms(const AtomSpace& space, ClauseStore& store) {
  for (std::uint32_t p = 0; p < space.network().predicates.size(); ++p) {
    for (std::uint64_t i = 0; space.is_open(p) && i < space.atoms(p); ++i) {
      const std::uint64_t key = space.first(p) + i;
      if (space.truth(p, key) == Truth::unknown) store.atom(key);
    }
  }
}

void compare(const Reference& reference, const Json& answer, WeightReading reading) {
  const AtomSpace space = reference.space();
  ClauseStore store = ground(space, {.reading = reading});
  add_open_atoms(space, store);
  const FactorGraph graph = graph_of(store);
  JunctionTree tree(graph, find_elimination_order(graph));
  if (answer.contains("unsatisfiable")) {
    EXPECT_EQ(tree.log_partition(), -std::numeric_limits<double>::infinity());
    return;
  }
  // The reference has 12 digits.
  const auto near = [](double value, double expected) {
    return std::abs(value - expected) <= 1e-9 * std::max(1., std::abs(expected));
  };
  const GraphMarginals marginals = tree.marginals();
  const double log_z = answer["log_z"].get<double>();
  EXPECT_PRED2(near, store.base() + marginals.log_partition, log_z);
  // What is the same in both readings stands once.
  const Json* expected = &answer["marginals"];
  if (expected->is_string()) expected = &reference.json["formula"]["marginals"];
  std::size_t unobserved = 0;
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    if (store.key(a) == KeyMap::kFree) continue;
    ++unobserved;
    EXPECT_NEAR(marginals.variable[a][1], (*expected)[space.name(store.key(a))].get<double>(), 1e-9)
        << space.name(store.key(a));
  }
  EXPECT_EQ(unobserved, expected->size());
  const BestAssignment best = tree.best();
  EXPECT_PRED2(near, store.base() + best.score, answer["map_log_weight"].get<double>());
  const std::vector<std::uint8_t> values(best.states.begin(), best.states.end());
  EXPECT_PRED2(near, store.score(values), answer["map_log_weight"].get<double>());
  EXPECT_PRED2(near, store.cost(values), answer["map_cost"].get<double>());
}

TEST(ReferenceNetworks, MarginalsLogPartitionAndBestStatesAreThoseOfEnumeration) {
  const fs::path data = data_folder() / "mln";
  if (!fs::is_directory(data)) GTEST_SKIP() << "CROFT_DATA names the folder of the data";
  std::size_t networks = 0;
  for (const auto& entry : fs::directory_iterator(data / "reference")) {
    if (entry.path().extension() != ".json") continue;
    const Json json = Reference::parse(entry.path());
    if (!json.contains("files") || !fs::exists(data / json["files"][std::size_t{0}].string()))
      continue;
    SCOPED_TRACE(entry.path().filename());
    const Reference reference(data, entry.path());
    ++networks;
    for (const WeightReading reading : {WeightReading::formula, WeightReading::clausal}) {
      SCOPED_TRACE(name_of(reading));
      const Json& own = reference.json[reading == WeightReading::formula ? "formula" : "cnf"];
      compare(reference, own.is_object() ? own : reference.json["formula"], reading);
    }
  }
  EXPECT_EQ(networks, 38u);
}

}  // namespace
}  // namespace croft
