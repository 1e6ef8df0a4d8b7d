#include "serve/model_store.h"

#include <sys/stat.h>

#include <filesystem>
#include <new>
#include <utility>

#include "app/label/row_reader.h"
#include "croft/core/error.h"
#include "model/foreign/open_model_file.h"
#include "model/kinds/model_file.h"

namespace croft::serve {
namespace {

bool is_graph_file(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  for (const char* const each : {".uai", ".UAI", ".lg", ".LG", ".fg"}) {
    if (extension == each) return true;
  }
  return is_network_file(path);
}

}  // namespace

ModelStore::Stamp ModelStore::stamp_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_mtim.tv_sec, found.st_mtim.tv_nsec, static_cast<std::uint64_t>(found.st_size),
          static_cast<std::uint64_t>(found.st_ino)};
}

ModelPointer ModelStore::load(const std::string& name, const std::string& path,
                              std::uint64_t version) {
  auto model = std::make_shared<ServedModel>();
  model->name = name;
  model->version = version;
  if (is_graph_file(path)) {
    model->network = std::make_shared<const GraphFile>(read_graph(path));
    model->kind = model->network->directed ? "network" : "factor-graph";
    return model;
  }
  // All of it in memory: whatever is written over the file, this model stays what it is.
  model->sequences = read_model(read_model_file(path));
  model->plan = std::make_shared<const TagPlan>(*model->sequences);
  model->kind = model->sequences->kind();
  model->spans = spans_for(*model->sequences);
  model->format = model->spans
                      ? std::string(kSpanFormat)
                      : std::string(format_name(model->sequences->extractor().config().format));
  return model;
}

ModelStore::ModelStore(const std::vector<std::string>& files) {
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
      model = load(slot.name, slot.path, slot.model->version + 1);
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
