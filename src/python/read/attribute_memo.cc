#include "python/read/attribute_memo.h"

#include "data/checks.h"

namespace croft::python {

AttributeMemo::AttributeMemo(const FeatureTable& table)
    : table_(table), nodes_(1), slots_(256), mask_(slots_.size() - 1) {
  nodes_[kRoot] = {0, 0, kRoot, kUnknown};
}

AttributeMemo::~AttributeMemo() {
  for (const Recent& recent : recent_) Py_XDECREF(recent.text);
}

void AttributeMemo::keep(Recent& recent, std::uint32_t parent, PyObject* text, std::uint32_t node) {
  Py_INCREF(text);
  Py_XDECREF(recent.text);  // a str, whose end calls nothing
  recent = {text, parent, node};
}

std::uint32_t AttributeMemo::find(std::uint32_t parent, PyObject* text, const InputPlace& place) {
  const std::string_view bytes = text_of(text, place);
  // Python's hash is kept in the str; other objects may have one of their own making.
  const std::uint64_t own = PyUnicode_CheckExact(text)
                                ? static_cast<std::uint64_t>(PyObject_Hash(text))
                                : hash_string(bytes);
  const std::uint64_t hash = mixed(own, parent);
  for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
    const Slot& slot = slots_[at];
    if (slot.node == kRoot) return insert(at, parent, hash, bytes);
    if (slot.hash == hash && is(slot.node, parent, bytes)) return slot.node;
  }
}

std::uint32_t AttributeMemo::insert(std::size_t at, std::uint32_t parent, std::uint64_t hash,
                                    std::string_view text) {
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({texts_.size(), static_cast<std::uint32_t>(text.size()), parent, kUnknown});
  texts_ += text;
  slots_[at] = {hash, node};
  if (nodes_.size() > slots_.size() / 2) grow();
  return node;
}

void AttributeMemo::grow() {
  std::vector<Slot> larger(2 * slots_.size());
  mask_ = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.node == kRoot) continue;
    std::size_t at = slot.hash & mask_;
    while (larger[at].node != kRoot) at = (at + 1) & mask_;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

std::string AttributeMemo::name(std::uint32_t node) const {
  const auto text = [&](std::uint32_t n) {
    return std::string_view(texts_).substr(nodes_[n].text, nodes_[n].size);
  };
  std::string name(text(node));
  while (nodes_[node].parent != kRoot) {
    node = nodes_[node].parent;
    name.insert(0, ":").insert(0, text(node));
  }
  return name;
}

void AttributeMemo::resolve() {
  if (resolved_ == nodes_.size()) return;
  names_.clear();
  for (std::size_t n = resolved_; n < nodes_.size(); ++n) {
    names_.append(name(static_cast<std::uint32_t>(n)));
  }
  table_.find_ids(names_, ids_);
  for (const std::uint32_t id : ids_) nodes_[resolved_++].id = id;
}

void MemoSink::take(FoundRows& out) {
  memo_.resolve();
  std::size_t at = out.count(), k = 0;
  out.make_room(at + nodes_.size());
  for (const std::size_t end : end_) {
    for (; k < end; ++k) {
      const double value = value_.empty() ? 1 : value_[k];
      if (value != 1) check_value(value, {place_.sequence(), 1});
      const std::uint32_t id = memo_.id(nodes_[k]);
      if (id != kUnknown) out.rows[at++] = {id, value};
    }
    out.end.push_back(at);
  }
  nodes_.clear();
  value_.clear();
  end_.clear();
}

}  // namespace croft::python
