#include "bugs/run/checkpoint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/files.h"
#include "croft/core/state_archive.h"

namespace croft::bugs {
namespace {

constexpr std::string_view kMagic = "CROFTBG1";
constexpr std::size_t kHeader = kMagic.size() + 2 * sizeof(std::uint64_t);

std::string header_of(std::uint64_t fingerprint, std::string_view state) {
  const std::uint64_t numbers[2] = {fingerprint, XXH3_64bits(state.data(), state.size())};
  std::string header(kMagic);
  header.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  return header;
}

}  // namespace

std::uint64_t run_fingerprint(const ModelGraph& graph, const std::vector<Arrays>& inits,
                              const BugsOptions& options) {
  StateArchive all;
  std::vector<double> initial = graph.initial();
  all(initial);
  for (OperationId o = 0; o < graph.operations(); ++o) {
    const Operation& operation = graph.operation(o);
    Function function = operation.function;
    std::uint8_t aux = operation.aux;
    all(function, aux);
    for (Slot s : graph.arguments(operation)) all(s);
  }
  for (NodeId n = 0; n < graph.nodes(); ++n) {
    const Node& node = graph.node(n);
    DistributionId distribution = node.distribution;
    Slot first = node.first, lower = node.lower, upper = node.upper;
    all(distribution, first, lower, upper);
    for (const Parameter& p : graph.parameters(node)) {
      for (Slot s : graph.slots_of(p)) all(s);
    }
  }
  for (const Arrays& arrays : inits) {
    for (const auto& [name, array] : arrays) {
      std::string text = name;
      std::vector<double> values = array.values;
      all(text, values);
    }
  }
  std::uint64_t seed = options.seed, chains = options.chains, burn_in = options.burn_in,
                thin = options.thin;
  all(seed, chains, burn_in, thin);
  for (const MonitorRequest& m : options.monitors) {
    std::string name = m.name;
    std::uint64_t every = m.thin;
    all(name, every);
  }
  return XXH3_64bits(all.bytes().data(), all.bytes().size());
}

RunCheckpoint::RunCheckpoint(std::filesystem::path folder, bool resume, std::uint64_t fingerprint)
    : folder_(std::move(folder)), resume_(resume), fingerprint_(fingerprint) {
  std::error_code failure;
  if (resume_ && !std::filesystem::exists(folder_, failure)) {
    throw UsageError(folder_.string(),
                     " is not there: it has to be the folder that --checkpoint named");
  }
  std::filesystem::create_directories(folder_, failure);
  if (failure) throw Error(folder_.string(), ": cannot create: ", failure.message());
  const bool there = std::filesystem::exists(path(), failure);
  if (there && !resume_) {
    throw UsageError(folder_.string(),
                     " has a checkpoint of a run that was interrupted; go on from it with "
                     "--resume, or delete it");
  }
  if (!there) AtomicFile{path()};  // created and removed: what forbids writing is known now
}

std::optional<std::string> RunCheckpoint::restore() const {
  std::error_code ignored;
  if (!resume_ || !std::filesystem::exists(path(), ignored)) return std::nullopt;
  std::ifstream file(path(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::string state = bytes.substr(std::min(kHeader, bytes.size()));
  std::uint64_t numbers[2] = {};
  if (bytes.size() >= kHeader) std::memcpy(numbers, bytes.data() + kMagic.size(), sizeof numbers);
  if (bytes.size() < kHeader || !bytes.starts_with(kMagic) ||
      numbers[1] != XXH3_64bits(state.data(), state.size())) {
    throw Error(path().string(),
                ": this is not a checkpoint, or it is damaged; delete it and begin again");
  }
  if (numbers[0] != fingerprint_) {
    throw Error(path().string(),
                ": this checkpoint is of another run: the model, the data, the initial values, or "
                "options other than --samples and --until are not the same; go on with those that "
                "it was begun with, or delete it and begin again");
  }
  return state;
}

void RunCheckpoint::keep(std::string_view state) {
  AtomicFile file(path());
  file.write(header_of(fingerprint_, state));
  file.write(state);
  file.commit();
}

void RunCheckpoint::remove() {
  std::error_code ignored;
  std::filesystem::remove(path(), ignored);
}

}  // namespace croft::bugs
