// The rows of attributes by Python's own texts: names that were seen before are neither put
// together nor hashed again.
//
// A name is a path of texts that stand with ":" between them: {"next": {"word": "elm"}} is
// next, word, elm.  A node for each path knows its number in a table.  A step from node
// to node is remembered by the str object itself, as keys and many values are the same objects
// again and again (some 2 ns), and by its text, whose hash the str keeps (some 8 ns).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/string_lists.h"
#include "model/feature_table.h"
#include "model/rows/found_rows.h"
#include "python/read/objects.h"

namespace croft::python {

// All functions need the interpreter's lock.  Nodes stay as they are while this lives.
class AttributeMemo {
 public:
  static constexpr std::uint32_t kRoot = 0;  // the path without texts

  explicit AttributeMemo(const FeatureTable& table);  // which must outlive it
  ~AttributeMemo();
  AttributeMemo(const AttributeMemo&) = delete;
  AttributeMemo& operator=(const AttributeMemo&) = delete;

  // The node behind `parent`, new or not.  Throws as text_of().
  std::uint32_t step(std::uint32_t parent, PyObject* text, const InputPlace& place) {
    Recent& recent = recent_[recent_place(parent, text)];
    if (recent.text == text && recent.parent == parent) return recent.node;
    const std::uint32_t node = find(parent, text, place);
    if (Py_REFCNT(text) > kRare && PyUnicode_CheckExact(text)) keep(recent, parent, text, node);
    return node;
  }

  // Finds the rows of the nodes that are new.
  void resolve();
  // kUnknown for names that the table does not have.
  std::uint32_t id(std::uint32_t node) const { return nodes_[node].id; }
  std::string name(std::uint32_t node) const;

  // Too large to grow on: 64 MB.  Take another one.
  bool full() const { return nodes_.size() > kMostNodes || texts_.size() > kMostBytes; }

 private:
  static constexpr std::size_t kMostNodes = std::size_t{1} << 19, kMostBytes = std::size_t{1} << 25;
  static constexpr std::size_t kRecent = 4096;
  // A str that no more than these refer to will hardly be met often: a word of the data.
  static constexpr Py_ssize_t kRare = 4;
  struct Node {
    std::uint64_t text;  // in texts_
    std::uint32_t size, parent, id;
  };
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t node = kRoot;  // kRoot: free
  };
  struct Recent {
    PyObject* text = nullptr;  // kept alive, so that its address is of no other
    std::uint32_t parent = 0, node = 0;
  };

  static std::uint64_t mixed(std::uint64_t hash, std::uint32_t parent) {
    hash = (hash ^ parent) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
  }
  static std::size_t recent_place(std::uint32_t parent, PyObject* text) {
    return mixed(reinterpret_cast<std::uintptr_t>(text) >> 4, parent) % kRecent;
  }
  static void keep(Recent& recent, std::uint32_t parent, PyObject* text, std::uint32_t node);
  std::uint32_t find(std::uint32_t parent, PyObject* text, const InputPlace& place);
  bool is(std::uint32_t node, std::uint32_t parent, std::string_view text) const {
    const Node& found = nodes_[node];
    return found.parent == parent && found.size == text.size() &&
           equal_bytes(texts_.data() + found.text, text.data(), text.size());
  }
  std::uint32_t insert(std::size_t at, std::uint32_t parent, std::uint64_t hash,
                       std::string_view text);
  void grow();

  const FeatureTable& table_;
  std::vector<Node> nodes_;
  std::vector<Slot> slots_;  // a power of two of them
  std::size_t mask_;
  std::vector<Recent> recent_{kRecent};
  std::string texts_;
  std::size_t resolved_ = 1;  // nodes before it have their rows
  StringLists names_;         // scratch, as the next
  std::vector<std::uint32_t> ids_;
};

// Names as nodes of a memo, position after position, and then as their rows.
class MemoSink {
 public:
  //   path : what stands before all names
  MemoSink(AttributeMemo& memo, const InputPlace& place, std::uint32_t path = AttributeMemo::kRoot)
      : memo_(memo), place_(place), path_(path) {}
  // Attributes of the value 0 change no score.
  void leave_out_zeros(bool leave_out) { leaves_out_zeros_ = leave_out; }

  std::uint32_t enter(PyObject* key) {
    const std::uint32_t outer = path_;
    path_ = memo_.step(path_, key, place_);
    return outer;
  }
  void leave(std::uint32_t outer) { path_ = outer; }
  void add(PyObject* name, double value) {
    if (value == 0 && leaves_out_zeros_ && PyUnicode_CheckExact(name)) return;
    append(memo_.step(path_, name, place_), value);
  }
  void add(PyObject* key, PyObject* text) {
    append(memo_.step(memo_.step(path_, key, place_), text, place_), 1.0);
  }
  void end_position() { end_.push_back(nodes_.size()); }

  std::span<const std::uint32_t> nodes() const { return nodes_; }  // since the last call of take()
  // Appends the rows to `out`.  Throws as check_value().
  void take(FoundRows& out);

 private:
  void append(std::uint32_t node, double value) {
    nodes_.push_back(node);
    if (value != 1 && value_.empty()) value_.assign(nodes_.size() - 1, 1.0);
    if (value != 1 || !value_.empty()) value_.push_back(value);
  }

  AttributeMemo& memo_;
  const InputPlace& place_;
  std::uint32_t path_;
  bool leaves_out_zeros_ = false;
  std::vector<std::uint32_t> nodes_;
  std::vector<double> value_;  // empty while all are 1
  std::vector<std::size_t> end_;
};

}  // namespace croft::python
