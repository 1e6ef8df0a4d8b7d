// A model as its file holds it, whatever it labels.
//
// A model that has been made is sound: the constructor of a kind checks, whichever way the file
// came to it, each number of meta and of the small sections for its range, and each table for what
// it refers to and is referred to by (docs/format.md says each rule).  It does not look at the
// cells of bulk sections, so that opening does not grow with them: who reads one checks it there.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "model/file/container.h"
#include "model/foreign/open_model_file.h"

namespace croft {
class Json;
class Record;

// Immutable; share it between threads.
class StoredModel {
 public:
  virtual ~StoredModel() = default;
  StoredModel(const StoredModel&) = delete;
  StoredModel& operator=(const StoredModel&) = delete;

  const std::string& kind() const { return kind_; }  // as the file names it
  const Json& meta() const { return *meta_; }        // kind, training record, and what kinds add
  const Container& container() const { return container_; }

 protected:
  // Throws InputError where the section meta names no kind, or has no objects where it must.
  explicit StoredModel(Container container);
  Record record() const;  // the section meta, by type and range

  Container container_;

 private:
  std::shared_ptr<Json> meta_;
  std::string kind_;
};

// Of a kind whose file alone makes a model.  Throws Error as open_model_file(), and as the
// model's constructor: for a model of another kind, and for damage.
template <class Model>
struct OpensFile {
  static std::shared_ptr<const Model> open(const std::filesystem::path& path) {
    return std::make_shared<const Model>(open_model_file(path));
  }
  // The same in memory, with all checksums looked at: for what makes another file of it.
  static std::shared_ptr<const Model> read(const std::filesystem::path& path) {
    return std::make_shared<const Model>(read_model_file(path));
  }
};

}  // namespace croft
