// Lists of strings in flat storage, reused from one sequence to the next without allocation.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/state_archive.h"

namespace croft {

// List p holds the items [list_begin(p), list_end(p)); item k is a string and a value.
class StringLists {
 public:
  void clear() {
    bytes_.clear();
    item_end_.clear();
    list_end_.clear();
    value_.clear();
  }
  // Appends to the list that the next end_list() closes.
  void append(std::string_view item, double value = 1) {
    bytes_ += item;
    end_item(value);
  }
  // For building an item in place: append bytes to bytes(), then end_item().
  std::string& bytes() { return bytes_; }
  void end_item(double value = 1) {
    item_end_.push_back(bytes_.size());
    if (value != 1 && value_.empty()) value_.assign(item_end_.size() - 1, 1.0);
    if (value != 1 || !value_.empty()) value_.push_back(value);
  }
  void end_list() { list_end_.push_back(item_end_.size()); }
  // Room for so many lists like those that are here: a long sequence grows without copies.
  void reserve(std::size_t lists) {
    if (list_end_.empty() || lists <= list_end_.size()) return;
    const double times = 1.05 * static_cast<double>(lists) / static_cast<double>(list_end_.size());
    const auto more = [&](std::size_t n) {
      return static_cast<std::size_t>(times * static_cast<double>(n));
    };
    bytes_.reserve(more(bytes_.size()));
    item_end_.reserve(more(item_end_.size()));
    value_.reserve(more(value_.size()));
    list_end_.reserve(lists);
  }

  std::size_t lists() const { return list_end_.size(); }
  std::size_t items() const { return item_end_.size(); }
  std::size_t list_begin(std::size_t p) const { return p == 0 ? 0 : list_end_[p - 1]; }
  std::size_t list_end(std::size_t p) const { return list_end_[p]; }
  std::string_view item(std::size_t k) const {
    const std::size_t begin = k == 0 ? 0 : item_end_[k - 1];
    return std::string_view(bytes_).substr(begin, item_end_[k] - begin);
  }
  double value(std::size_t k) const { return value_.empty() ? 1.0 : value_[k]; }
  bool all_values_are_one() const { return value_.empty(); }
  void archive(StateArchive& state) { state(bytes_, item_end_, list_end_, value_); }

 private:
  std::string bytes_;
  std::vector<std::size_t> item_end_, list_end_;
  std::vector<double> value_;  // empty while all are 1
};

}  // namespace croft
