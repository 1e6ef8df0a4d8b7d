// Ranks over a communicator of mpi4py.
#pragma once
#include <pybind11/pybind11.h>

#include "croft/core/ranks.h"

namespace croft::python {

// Every call takes Python's lock.
class CommRanks final : public Ranks {
 public:
  // Throws what Python does where `comm` is no communicator.
  explicit CommRanks(pybind11::object comm);
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  void sum(std::span<double> numbers) override;
  std::vector<std::string> gather(std::string_view bytes) override;
  void hand_to_first(std::string_view bytes, const Take& take) override;
  void broadcast(std::string& bytes) override;
  std::vector<std::string> exchange(const std::vector<std::string>& to) override;

 private:
  pybind11::object comm_, in_place_;
  std::size_t rank_ = 0, size_ = 1;
};

}  // namespace croft::python
