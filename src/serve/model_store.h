// The models of a server, each from a file that may be replaced while requests are answered.
//
// A file that has changed is read whole and checked, every checksum of it, before it takes the
// place of the one before; a broken one is refused, and the old one stays.  A request keeps the
// model that it began with.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/label/tag_plan.h"
#include "croft/data/graph_file.h"
#include "model/kinds/sequence_model.h"
#include "serve/metrics.h"

namespace croft::serve {

// Immutable; of a sequence model or of a network.
struct ServedModel {
  std::string name, kind;     // as --model names kinds; "network", "graph" for files of these
  std::uint64_t version = 1;  // counts the files that were taken over
  std::shared_ptr<const SequenceModel> sequences;  // null: a network
  std::shared_ptr<const GraphFile> network;        // null: a sequence model
  std::string format;                              // of the data that it labels
  std::optional<ChunkScheme> spans;                // as spans_for() has it
  std::shared_ptr<const TagPlan> plan;             // of the sequence model, without limits
};
using ModelPointer = std::shared_ptr<const ServedModel>;

class ModelStore {
 public:
  // Each "FILE" or "NAME=FILE"; without a name that of the file without its ending.  Throws
  // UsageError for two of one name, Error for a file that cannot be read, and for models of graphs,
  // which label databases.
  explicit ModelStore(const std::vector<std::string>& files);

  // The model of that name; null: there is none.
  ModelPointer find(std::string_view name) const;
  std::vector<ModelPointer> all() const;                 // in the order of the files
  const std::string& path(std::string_view name) const;  // of a model that is there
  struct Status {
    std::uint64_t taken = 0, refused = 0;
    std::string problem;  // of the file that is there now, where it was refused
  };
  Status status(std::string_view name) const;
  std::vector<Metrics::ModelLoads> loads() const;

  // Looks at every file, and takes over those that have changed.  Says so, a line for each.  One
  // thread calls it.
  std::vector<std::string> refresh();

 private:
  struct Stamp {
    std::int64_t seconds = 0, nanoseconds = 0;
    std::uint64_t size = 0, inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Slot {
    std::string name, path;
    Stamp stamp;  // of the file that was last read, whatever became of it
    ModelPointer model;
    Status status;
  };
  static Stamp stamp_of(const std::string& path);
  static ModelPointer load(const std::string& name, const std::string& path, std::uint64_t version);
  const Slot* slot(std::string_view name) const;

  mutable std::mutex mutex_;  // of models and statuses
  std::vector<Slot> slots_;
};

}  // namespace croft::serve
