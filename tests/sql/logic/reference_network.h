// Networks whose worlds have been enumerated, with the answers.
#pragma once
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/json.h"
#include "data/text_files.h"
#include "logic/evidence.h"
#include "logic/network_parser.h"
#include "sql/logic/grounder.h"

namespace croft {

struct Reference {
  std::filesystem::path folder;
  Json json;
  LogicNetwork network;
  LogicEvidence evidence;

  Reference(const std::filesystem::path& data, const std::filesystem::path& file)
      : folder(data), json(parse(file)), network(read_network(name(0))), evidence(network) {
    // One of the databases is empty, and not among the files.
    if (json["files"].size() > 1 && std::filesystem::exists(name(1))) {
      add_evidence(network, read_fact_tokens(LineReader(name(1))), evidence);
    }
  }
  static Json parse(const std::filesystem::path& file) {
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
inline void add_open_atoms(const AtomSpace& space, ClauseStore& store) {
  for (std::uint32_t p = 0; p < space.network().predicates.size(); ++p) {
    for (std::uint64_t i = 0; space.is_open(p) && i < space.atoms(p); ++i) {
      const std::uint64_t key = space.first(p) + i;
      if (space.truth(p, key) == Truth::unknown) store.atom(key);
    }
  }
}

// Of a reading: what is the same in both readings stands once.
inline const Json& answer_of(const Json& json, WeightReading reading) {
  const Json& own = json[reading == WeightReading::formula ? "formula" : "cnf"];
  return own.is_object() ? own : json["formula"];
}
inline const Json& marginals_of(const Json& json, WeightReading reading) {
  const Json& own = answer_of(json, reading)["marginals"];
  return own.is_string() ? json["formula"]["marginals"] : own;
}

// visit(the network) for each.
template <class Visit>
std::size_t for_references(const std::filesystem::path& data, const Visit& visit) {
  std::size_t networks = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data / "reference")) {
    if (entry.path().extension() != ".json") continue;
    const Json json = Reference::parse(entry.path());
    if (!json.contains("files") ||
        !std::filesystem::exists(data / json["files"][std::size_t{0}].string())) {
      continue;
    }
    visit(Reference(data, entry.path()), entry.path().filename());
    ++networks;
  }
  return networks;
}

}  // namespace croft
