#include "serve/model_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <utility>

#include "app/label/row_reader.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "model/foreign/open_model_file.h"
#include "model/kinds/graph_model.h"
#include "model/kinds/model_file.h"
#include "sql/labelled_tables.h"
#include "sql/logic/labelled_logic.h"

namespace croft::serve {
namespace {

bool is_graph_file(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  for (const char* const each : {".uai", ".UAI", ".lg", ".LG", ".fg"}) {
    if (extension == each) return true;
  }
  return is_network_file(path);
}

std::string data_of(const ServedModel& model) {
  if (model.sequences == nullptr) return "no sequences";
  if (model.format != "columns") return "data of the format " + model.format;
  return counted(model.sequences->extractor().config().columns, "column");
}

}  // namespace

ModelStore::Stamp ModelStore::stamp_of(const std::string& path) {
  struct stat found {};
  // To open a pipe would wait for a writer: it is no model, as a file that is gone is none.
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  return {found.st_mtim.tv_sec, found.st_mtim.tv_nsec, static_cast<std::uint64_t>(found.st_size),
          static_cast<std::uint64_t>(found.st_ino)};
}

ModelPointer ModelStore::load(const std::string& name, const std::string& path,
                              std::uint64_t version) const {
  auto model = std::make_shared<ServedModel>();
  model->name = name;
  model->version = version;
  if (path.ends_with(".mln")) {
    model->kind = "logic";
    model->graph = label_atoms(
        {.network = path, .soft_hard = sources_.soft_hard, .evidence = sources_.evidence},
        sources_.query, sources_.seconds, sources_.threads);
    return model;
  }
  if (is_graph_file(path)) {
    model->network = std::make_shared<const GraphFile>(read_graph(path));
    model->kind = model->network->directed ? "network" : "factor-graph";
    return model;
  }
  // All of it in memory: whatever is written over the file, this model stays what it is.
  Container file = read_model_file(path);
  if (GraphModel::is_in(file)) {
    if (sources_.databases.empty()) {
      throw UsageError(path, " is a model of graphs, which labels a database: name it by ",
                       Message::option("database"));
    }
    model->kind = GraphModel::kKind;
    model->graph = label_tables(std::make_shared<const GraphModel>(std::move(file)),
                                sources_.databases, sources_.use_known, sources_.threads);
    return model;
  }
  model->sequences = read_model(std::move(file));
  model->plan = std::make_shared<const TagPlan>(*model->sequences);
  model->kind = model->sequences->kind();
  model->spans = spans_for(*model->sequences);
  model->format = model->spans
                      ? std::string(kSpanFormat)
                      : std::string(format_name(model->sequences->extractor().config().format));
  return model;
}

// The model that may take the place of the slot's; Error where it may not.
ModelPointer ModelStore::successor(const Slot& slot, const std::string& path) const {
  const ModelPointer now = find(slot.name);
  ModelPointer next = load(slot.name, path, now->version + 1);
  if (slot.keeps_data && data_of(*next) != data_of(*now)) {
    throw Error(path, " is for ", data_of(*next), ", and people label ", data_of(*now), " by ",
                in_quotes(slot.name));
  }
  return next;
}

void ModelStore::keep_data(std::string_view name) {
  std::ranges::find(slots_, name, &Slot::name)->keeps_data = true;
}

void ModelStore::check(std::string_view name, const std::string& path) const {
  successor(*slot(name), path);
}

// Throws UsageError for sources that no model takes.
void ModelStore::check_sources() const {
  const auto need = [&](bool given, std::string_view kind, std::string_view option,
                        std::string_view what) {
    const bool taken =
        std::ranges::any_of(slots_, [&](const Slot& each) { return each.model->kind == kind; });
    if (given && !taken) {
      throw UsageError(Message::option(option), " is for ", what, ", and there is none");
    }
  };
  need(!sources_.databases.empty(), GraphModel::kKind, "database", "models of kind graph");
  need(sources_.use_known, GraphModel::kKind, "use-known", "models of kind graph");
  need(!sources_.evidence.empty(), "logic", "evidence", "Markov logic networks (.mln)");
  need(!sources_.query.empty(), "logic", "query", "Markov logic networks (.mln)");
  need(sources_.soft_hard.has_value(), "logic", "soft-hard", "Markov logic networks (.mln)");
}

ModelStore::ModelStore(const std::vector<std::string>& files, ModelSources sources)
    : sources_(std::move(sources)) {
  for (const std::string& each : files) {
    Slot slot;
    const std::size_t equal = each.find('=');
    const bool named = equal != each.npos && equal > 0 && each.find('/') > equal;
    slot.path = named ? each.substr(equal + 1) : each;
    slot.name = named ? each.substr(0, equal) : std::filesystem::path(each).stem().string();
    if (this->slot(slot.name) != nullptr) {
      throw UsageError("two models are called " + in_quotes(slot.name) +
                       "; give one of them another name: NAME=FILE");
    }
    slot.stamp = stamp_of(slot.path);
    slot.model = load(slot.name, slot.path, 1);
    slot.status.taken = 1;
    slots_.push_back(std::move(slot));
  }
  check_sources();
}

const ModelStore::Slot* ModelStore::slot(std::string_view name) const {
  for (const Slot& each : slots_) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

ModelPointer ModelStore::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const Slot* const found = slot(name);
  return found == nullptr ? nullptr : found->model;
}

std::vector<ModelPointer> ModelStore::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<ModelPointer> models;
  for (const Slot& each : slots_) models.push_back(each.model);
  return models;
}

const std::string& ModelStore::path(std::string_view name) const { return slot(name)->path; }

ModelStore::Status ModelStore::status(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const Slot* const found = slot(name);
  return found == nullptr ? Status{} : found->status;
}

std::vector<Metrics::ModelLoads> ModelStore::loads() const {
  const std::lock_guard lock(mutex_);
  std::vector<Metrics::ModelLoads> out;
  for (const Slot& each : slots_) {
    out.push_back({each.name, each.status.taken, each.status.refused});
  }
  return out;
}

std::vector<std::string> ModelStore::refresh() {
  std::vector<std::string> said;
  for (Slot& slot : slots_) {
    const Stamp now = stamp_of(slot.path);
    // A file that is not there is being replaced, or gone: the model stays.
    if (now == slot.stamp || now == Stamp{}) continue;
    slot.stamp = now;
    std::string problem;
    ModelPointer model;
    try {
      model = successor(slot, slot.path);
    } catch (const std::bad_alloc&) {
      problem = "out of memory";
    } catch (const std::exception& error) {
      problem = error.what();
    }
    const std::lock_guard lock(mutex_);
    slot.status.problem = problem;
    if (model == nullptr) {
      ++slot.status.refused;
      said.push_back("refused " + slot.path + ", " + slot.name + " stays: " + problem);
    } else {
      said.push_back("took over " + slot.path + " as version " + std::to_string(model->version) +
                     " of " + slot.name);
      ++slot.status.taken;
      slot.model = std::move(model);
    }
  }
  return said;
}

}  // namespace croft::serve
