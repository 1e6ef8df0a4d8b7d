// A model as its file holds it, whatever it labels.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "model/file/container.h"

namespace croft {
class Json;

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
  // Throws Error where the section meta names no kind.
  explicit StoredModel(Container container);
  // Throws: the section does not fit the rest.
  [[noreturn]] void fail_damaged(std::string_view section) const;

  Container container_;

 private:
  std::shared_ptr<Json> meta_;
  std::string kind_;
};

// Of a kind whose file alone makes a model.  Throws Error as Container::open, and as the model's
// constructor: for a model of another kind, and for damage.
template <class Model>
struct OpensFile {
  static std::shared_ptr<const Model> open(const std::filesystem::path& path) {
    return std::make_shared<const Model>(Container::open(path));
  }
};

}  // namespace croft
