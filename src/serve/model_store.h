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

#include "app/explain/labelled_graph.h"
#include "app/label/tag_plan.h"
#include "croft/data/graph_file.h"
#include "model/kinds/sequence_model.h"
#include "serve/metrics.h"

namespace croft::serve {

// What models of graphs and Markov logic networks are about.
struct ModelSources {
  std::vector<std::string> databases = {};  // of models of kind graph
  bool use_known = false;                   // labels in these are known
  std::vector<std::string> evidence = {};   // of Markov logic networks
  std::optional<double> soft_hard = {};     // weight that hard rules of these get
  std::string query = {};  // their open predicates; empty: of which it says nothing
  double seconds = 30;     // for each step of theirs
  std::size_t threads = 1;
};

// Immutable; of a sequence model, of a network, or of a graph that is labelled once.
struct ServedModel {
  std::string name,
      kind;  // as --model names kinds; "network", "factor-graph", "logic" for files of these
  std::uint64_t version = 1;                       // counts the files that were taken over
  std::shared_ptr<const SequenceModel> sequences;  // null: a network
  std::shared_ptr<const GraphFile> network;        // likewise
  std::shared_ptr<const LabelledGraph> graph;      // likewise: of tables or logic
  std::string format;                              // of the data that it labels
  std::optional<ChunkScheme> spans;                // as spans_for() has it
  std::shared_ptr<const TagPlan> plan;             // of the sequence model, without limits
};
using ModelPointer = std::shared_ptr<const ServedModel>;

class ModelStore {
 public:
  // Each "FILE" or "NAME=FILE"; without a name that of the file without its ending.  Throws
  // UsageError for two of one name, for a model of graphs without a database, and for sources that
  // no model takes; Error for a file that cannot be read.
  explicit ModelStore(const std::vector<std::string>& files, ModelSources sources = {});

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

  // People label the data of this model: a file that reads other data does not replace it.
  void keep_data(std::string_view name);
  // Throws Error where refresh() would refuse to replace the model of that name by the file `path`.
  void check(std::string_view name, const std::string& path) const;

  // Looks at every file, and takes over those that have changed.  Says so, a line for each.  One
  // thread calls it.
  std::vector<std::string> refresh();

  // By which a file that has changed is told from the one before.
  struct Stamp {
    std::int64_t seconds = 0, nanoseconds = 0;
    std::uint64_t size = 0, inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::string& path);  // Stamp{}: there is no such file

 private:
  struct Slot {
    std::string name, path;
    Stamp stamp;  // of the file that was last read, whatever became of it
    ModelPointer model;
    Status status;
    bool keeps_data = false;
  };
  ModelPointer load(const std::string& name, const std::string& path, std::uint64_t version) const;
  ModelPointer successor(const Slot& slot, const std::string& path) const;
  void check_sources() const;
  const Slot* slot(std::string_view name) const;

  const ModelSources sources_;
  mutable std::mutex mutex_;  // of models and statuses
  std::vector<Slot> slots_;
};

}  // namespace croft::serve
